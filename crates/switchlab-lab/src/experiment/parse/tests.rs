use super::*;
use crate::experiment::{Predicate, Select};
use proptest::prelude::*;

/// Everything the format has.
const WHOLE: &str = r#"
title = "Everything"
source = "us"
switches = ["oq", "islip", "islip(iterations={k})"]
ports = { from = 2, to = 16, times = 2 }
traffic = ["uniform", "unbalanced(w=0.5)"]
arrivals = "bernoulli"
loads = { from = 0.1, to = 0.9, step = 0.1 }
slots = 2e5
warmup = 50_000
replications = 4
precision = 0.01
most_replications = 100
seed = 7
vary = { k = [2, 4] }

[quick]
loads = [0.5, 0.8]
slots = 1000
replications = 2
vary = { k = 3 }

[[figure]]
id = "delay"
title = "Delay"
x = "load"
y = "delay.p99"
series = "ports"
log = "y"
x_label = "X"
y_label = "Y"
where = { switch = "oq", traffic = "uniform" }
[[figure.reference]]
name = "printed"
points = [[0.5, 1], [0.8, 2.0]]
[[figure.reference]]
name = "closed form"
formula = "oq-delay"
ports = 16

[[claim]]
id = "a"
text = "A"
source = "here"
printed = "0.5"
metric = "throughput"
where = { load = [0.5, 0.8], switch = "islip(iterations={k})" }
within = { value = 0.5, tolerance = 0.01 }
[[claim]]
id = "b"
text = "B"
metric = "delay"
ratio = { to = { switch = "oq" }, least = 1 }
[[claim]]
id = "c"
text = "C"
metric = "delay"
rising = { along = "ports" }
[[claim]]
id = "d"
text = "D"
metric = "counters.iterations"
slope = { along = "ports", least = 0, most = 1 }
[[claim]]
id = "e"
text = "E"
stable = true
[[claim]]
id = "f"
text = "F"
where = { switch = "islip" }
same-departures = { as = { switch = "islip(iterations=4)" } }
"#;

fn parse(text: &str, mode: Mode) -> Result<Loaded, LabError> {
    Loaded::parse(text, "x.toml", "x", mode)
}

fn values(values: &[&str]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn everything_is_read() {
    let full = parse(WHOLE, Mode::Full).unwrap();
    let e = &full.experiment;
    assert_eq!((e.id.as_str(), e.title.as_str(), e.source.as_str()), ("x", "Everything", "us"));
    assert_eq!(e.ports, [2, 4, 8, 16]);
    assert_eq!(e.loads, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
    assert_eq!((e.slots, e.warmup, e.replications, e.most_replications, e.seed), (200_000, 50_000, 4, 100, 7));
    assert_eq!(e.precision, Some(0.01));
    assert_eq!(e.points().unwrap().len(), 2 * 3 * 4 * 2 * 9);
    assert!(e.figures[0].log_y && !e.figures[0].log_x);
    assert_eq!(e.figures[0].references[0].1, [(0.5, 1.0), (0.8, 2.0)]);
    let closed = e.figures[0].references[1].1.last().copied().unwrap();
    assert!((closed.0 - 0.9).abs() < 1e-9 && (closed.1 - 15.0 / 16.0 * 4.5).abs() < 1e-9);
    let Select(a) = &e.claims[0].select;
    assert_eq!(a["load"], values(&["0.5", "0.8"]));
    assert_eq!(a["switch"], values(&["islip(iterations=2)", "islip(iterations=3)", "islip(iterations=4)"]));
    assert_eq!(e.claims[1].source, "us");
    // A name that is listed is that spec, not every spec of the name.
    assert_eq!(e.claims[5].select.0["switch"], values(&["islip(iterations=1)"]));
    assert!(
        matches!(&e.claims[2].predicate, Predicate::Rising { order, .. } if *order == values(&["2", "4", "8", "16"]))
    );
    assert_eq!(full.origins["slots"], Origin::Given);
    assert_eq!(full.origins.len(), GRID.len());
}

#[test]
fn quick_overrides_and_what_is_derived_follows() {
    let quick = parse(WHOLE, Mode::Quick).unwrap();
    let e = &quick.experiment;
    assert_eq!((e.slots, e.warmup, e.replications, e.most_replications), (1000, 200, 2, 8));
    assert_eq!(e.loads, [0.5, 0.8]);
    assert_eq!(e.vary["k"], [3.0]);
    assert_eq!((quick.origins["slots"], quick.origins["warmup"]), (Origin::Quick, Origin::Default));
    assert_eq!((quick.origins["seed"], quick.origins["traffic"]), (Origin::Given, Origin::Given));
}

#[test]
fn defaults() {
    let loaded = parse("title = ''\nswitches = 'oq'\nports = 4\nloads = 0.5", Mode::Quick).unwrap();
    let e = &loaded.experiment;
    assert_eq!((e.slots, e.warmup, e.replications, e.most_replications, e.seed), (200_000, 40_000, 10, 40, 1));
    assert_eq!((e.traffic.clone(), e.arrivals.clone()), (values(&["uniform"]), values(&["bernoulli"])));
    assert_eq!(loaded.origins["slots"], Origin::Default);
}

#[test]
fn settings_replace_values_of_both_modes() {
    let set = |pairs: &[(&str, &str)], mode| {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        Loaded::parse_with(WHOLE, "x.toml", "x", mode, &pairs).map(|loaded| loaded.experiment)
    };
    for mode in [Mode::Full, Mode::Quick] {
        let e = set(&[("slots", "3e3"), ("replications", "7"), ("loads", "0.2:0.4:0.1")], mode).unwrap();
        assert_eq!((e.slots, e.warmup, e.replications, e.most_replications), (3000, 600, 7, 28), "{mode:?}");
        assert_eq!(e.loads, [0.2, 0.3, 0.4]);
        let e = set(&[("switches", "oq, islip(iterations={k})"), ("vary", "{ k = [5, 6] }")], mode).unwrap();
        assert_eq!((e.switches, e.vary["k"].clone()), (values(&["oq", "islip(iterations={k})"]), vec![5.0, 6.0]));
        // A claim about points that are not run any more is kept, and selects nothing.
        let e = set(&[("ports", "32:64:x2")], mode).unwrap();
        assert_eq!((e.ports.clone(), e.claims.len()), (vec![32, 64], 6));
        let message = set(&[("slots", "0")], mode).unwrap_err().to_string();
        assert!(message.starts_with("--set slots=0: slots must be"), "{message}");
    }
    assert_eq!(set(&[], Mode::Full).unwrap(), parse(WHOLE, Mode::Full).unwrap().experiment);
}

/// What replaces what in the whole file, where the error must stand, and what it must say.
#[test]
fn mistakes_are_located_and_explained() {
    let mistakes = [
        ("slots = 2e5", "slot = 2e5", "9:1", "did you mean slots?"),
        ("slots = 2e5", "slots = 'many'", "9:9", "must be a whole number, and this is a string"),
        ("slots = 2e5", "slots = 0", "9:9", "from 1 to"),
        ("slots = 2e5", "slots = 2.5", "9:9", "whole number"),
        ("slots = 2e5", "slots = 2e5 2", "9:9", ""),
        ("warmup = 50_000", "warmup = 4294967295", "9:9", "together"),
        ("seed = 7", "seed = -1", "14:8", "whole number"),
        ("precision = 0.01", "precision = 1", "12:13", "below 1"),
        ("most_replications = 100", "most_replications = 3", "13:21", "not be below"),
        ("\"oq\", \"islip\",", "\"oq\", \"isilp\",", "4:19", "did you mean islip?"),
        ("\"oq\", \"islip\",", "\"oq\", \"islip\", \"islip(iterations=1)\",", "4:12", "listed twice"),
        ("\"oq\", \"islip\",", "\"oq\", \"oq\",", "4:12", "oq twice"),
        ("iterations={k}", "iterations={kk}", "4:28", "did you mean k?"),
        ("iterations={k}", "iterations=2", "15:8", "no spec uses the variable k"),
        ("k = [2, 4]", "k = [0, 4]", "4:28", "from 1 to"),
        ("k = [2, 4]", "load = [0, 4]", "15:10", "its own key"),
        ("k = [2, 4]", "k = []", "15:14", "from 1 to"),
        ("k = [2, 4]", "k = [2, nan]", "15:18", "finite"),
        ("ports = { from", "ports = { frm", "5:11", "did you mean from?"),
        ("from = 2, to = 16, times = 2", "from = 2, to = 16, step = 0.5", "5:9", "not a number of ports"),
        ("step = 0.1", "step = 0", "8:9", "above 0"),
        ("step = 0.1", "step = 1e-9", "8:9", "more than"),
        ("to = 0.9", "to = 0.05", "8:9", "empty"),
        ("to = 0.9", "to = 1.9", "8:9", "from 0 to 1"),
        ("loads = [0.5, 0.8]", "load = [0.5, 0.8]", "18:1", "did you mean loads?"),
        ("vary = { k = 3 }", "vary = { j = 3 }", "21:10", "did you mean k?"),
        ("x = \"load\"", "x = \"loads\"", "26:5", "did you mean load?"),
        ("x = \"load\"", "x = \"switch\"", "26:5", "cannot be x"),
        ("delay.p99", "delay.p98", "27:5", "did you mean delay.p9"),
        ("log = \"y\"", "log = \"z\"", "29:7", "cannot be log"),
        ("traffic = \"uniform\" }", "traffic = \"uniforn\" }", "32:36", "did you mean uniform?"),
        ("traffic = \"uniform\" }", "trafic = \"uniform\" }", "32:26", "did you mean traffic?"),
        ("formula = \"oq-delay\"", "formula = \"oq\"", "38:11", "did you mean oq-delay?"),
        ("id = \"b\"", "id = \"a\"", "50:6", "two claims"),
        ("id = \"b\"", "id = \"b c\"", "50:6", "letters"),
        ("load = [0.5, 0.8], switch", "load = [0.55], switch", "47:18", "no point has load = 0.55"),
        ("tolerance = 0.01", "tolerance = -1", "48:37", "below 0"),
        (
            "ratio = { to = { switch = \"oq\" }, least = 1 }",
            "ratio = { to = { switch = \"oq\" } }",
            "53:9",
            "least, most",
        ),
        ("stable = true", "stable = true\nat-least = 3", "64:1", "exactly one"),
        ("stable = true", "", "64:1", "exactly one"),
        ("along = \"ports\" }", "along = \"switch\" }", "58:10", "needs the key order"),
        ("metric = \"counters.iterations\"", "", "59:1", "needs the key metric"),
        ("title = \"Everything\"", "", "1:1", "needs the key title"),
    ];
    let mut wrongly = String::new();
    for (right, wrong, place, part) in mistakes {
        assert!(WHOLE.contains(right), "{right}");
        for mode in [Mode::Full, Mode::Quick] {
            let message = parse(&WHOLE.replacen(right, wrong, 1), mode).unwrap_err().to_string();
            if !message.starts_with(&format!("x.toml:{place}: ")) || !message.contains(part) {
                wrongly += &format!("{wrong}: {message}, not {place} {part}\n");
            }
        }
    }
    assert!(wrongly.is_empty(), "{wrongly}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let error = Experiment::load(Path::new("no/such.toml"), Mode::Full).unwrap_err();
    assert!(error.to_string().starts_with("cannot read no/such.toml"), "{error}");
    assert!(Experiment::load(Path::new("/"), Mode::Full).is_err());
}

#[test]
fn too_much_is_refused_before_it_is_made() {
    let text = "title = ''\nswitches = 'islip(iterations={a})'\ntraffic = 'unbalanced(w={b})'\nports = 4
        loads = { from = 0, to = 1, step = 0.001 }\nvary = { a = { from = 1, to = 4000, step = 1 }, b = 0.5 }";
    assert!(parse(text, Mode::Full).unwrap_err().to_string().contains("more than 100000 points"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_panics(text in "[ -~\n\u{e9}\u{1F600}]{0,200}") {
        let _ = parse(&text, Mode::Full);
    }

    #[test]
    fn no_toml_like_text_panics(lines in prop::collection::vec(
        "(\\[\\[(figure|claim|figure\\.reference)\\]\\]|\\[quick\\]|(title|switches|ports|loads|slots|vary|where|id|x|y|within|ratio|rising|slope) = \
         (\"[a-z{}()=]{0,8}\"|-?[0-9]{1,20}|-?[0-9]e[0-9]{1,3}|\\[\\]|\\[1, 2\\]|nan|-inf|true|1979-05-27|\\{ (from|to|switch|k) = [0-9] \\}|\\{\\}))", 0..20))
    {
        let _ = parse(&lines.join("\n"), Mode::Quick);
    }

    /// A valid file with a piece cut out, doubled or overwritten.
    #[test]
    fn no_mutation_panics(start in 0..WHOLE.len(), length in 0..40_usize, new in "[ -~\n]{0,12}", twice in any::<bool>()) {
        let end = (start + length).min(WHOLE.len());
        let piece = if twice { &WHOLE[start..end] } else { "" };
        let text = format!("{}{new}{piece}{piece}{}", &WHOLE[..start], &WHOLE[end..]);
        if let Err(error) = parse(&text, Mode::Full) {
            prop_assert!(error.to_string().starts_with("x.toml:"), "{}", error);
        }
    }
}

#[test]
fn some_points_have_a_length_of_their_own() {
    let text = "title = \"x\"\nswitches = [\"oq\", \"pim\"]\nports = [4, 8]\nloads = [0.5, 0.9]\nslots = 1000\n\
                [quick]\nreplications = 2\n\
                [[length]]\nwhere = { load = 0.9 }\nslots = 5000\nwarmup = 10\n\
                [[length]]\nwhere = { load = 0.9, ports = 8, switch = \"pim\" }\nslots = 7000\n";
    let e = Loaded::parse(text, "x.toml", "x", Mode::Full).unwrap().experiment;
    for point in e.points().unwrap() {
        let expected = match (point.load, point.ports, point.switch.starts_with("pim")) {
            (0.9, 8, true) => (7000, 1400),
            (0.9, ..) => (5000, 10),
            _ => (1000, 200),
        };
        assert_eq!((point.slots, point.warmup), expected, "{point:?}");
    }
    // Written and read back, it is the same experiment.
    let again: Experiment = serde_json::from_str(&serde_json::to_string(&e).unwrap()).unwrap();
    assert_eq!(again, e);
    let quick = Loaded::parse(text, "x.toml", "x", Mode::Quick).unwrap().experiment;
    assert!(quick.points().unwrap().iter().all(|point| (point.slots, point.warmup) == (1000, 200)));
    let set = [("slots".to_string(), "70".to_string())];
    let set = Loaded::parse_with(text, "x.toml", "x", Mode::Full, &set).unwrap().experiment;
    assert!(set.points().unwrap().iter().all(|point| point.slots == 70));
    for (from, to, problem) in [
        ("slots = 5000", "slots = 0", "0"),
        ("slots = 5000", "slots = 4294967295", "below"),
        ("load = 0.9 }", "load = 0.7 }", "no point has load = 0.7"),
        ("warmup = 10", "warm = 10", "warm"),
        ("where = { load = 0.9 }\n", "", "where"),
    ] {
        let refused = Loaded::parse(&text.replacen(from, to, 1), "x.toml", "x", Mode::Full).unwrap_err().to_string();
        assert!(refused.contains(problem), "{refused}");
    }
}
