//! The program as a user has it: what it prints, what it writes, how it ends.

#[allow(dead_code, reason = "the twins serve another suite too")]
#[path = "../../switchlab-core/tests/suite/naive.rs"]
mod naive;

#[allow(dead_code, reason = "the twins serve another suite too")]
#[path = "../../switchlab-core/tests/suite/naive_frames.rs"]
mod naive_frames;

#[allow(dead_code, reason = "the twins serve another suite too")]
#[path = "../../switchlab-core/tests/suite/naive_serena.rs"]
mod naive_serena;

#[allow(dead_code, reason = "the twins serve another suite too")]
#[path = "../../switchlab-core/tests/suite/naive_stable.rs"]
mod naive_stable;

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use switchlab_core::rng::Purpose;
use switchlab_core::{Cell, NONE, Port, Seed};

fn switchlab(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("switchlab").expect("the program is built with its tests");
    command.args(arguments);
    command
}

fn stdout(arguments: &[&str]) -> String {
    let output = switchlab(arguments).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("output is text")
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&[arguments, &["--json"]].concat());
    serde_json::from_str(&text).expect("one JSON array and nothing else")
}

/// The error of a command that must fail with exit code 2, without a panic.
fn error(arguments: &[&str]) -> String {
    let assert = switchlab(arguments).assert().code(2);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{arguments:?} printed {:?}", String::from_utf8_lossy(&output.stdout));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    text
}

fn file(folder: &Path, name: &str, content: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("the test folder can be written");
    path.to_str().expect("test paths are text").to_string()
}

#[test]
fn json_has_the_keys_of_the_contract_in_their_order() {
    let arguments = ["run", "islip", "oq", "--ports", "4", "--load", "0.5", "--slots", "2000", "--json"];
    let text = stdout(&arguments);
    let results: Vec<Value> = serde_json::from_str(&text).expect("one JSON array and nothing else");
    assert_eq!(results.len(), 2);
    // In the text, the keys of the first object and of its parts come in the order of the contract.
    let keys: Vec<&str> = text.split('"').skip(1).step_by(2).take_while(|word| *word != "evidence").collect();
    let contract = "switch islip(iterations=1) ports traffic uniform arrivals bernoulli load seed replications slots warmup \
                    delay mean ci95 p50 p90 p99 p999 max p9999 little mean ci95 percentiles percent value ci95 \
                    percent value ci95 percent value ci95 percent value ci95 percent value ci95 \
                    throughput mean ci95 backlog mean end cells arrived departed dropped queued out_of_order verdict stable counters \
                    bits_per_port iterations";
    assert_eq!(keys, contract.split_whitespace().collect::<Vec<_>>());
    let result = results[0].as_object().unwrap();
    assert_eq!(result["switch"], "islip(iterations=1)");
    assert_eq!(result["traffic"], "uniform");
    assert_eq!(result["arrivals"], "bernoulli");
    assert_eq!((&result["ports"], &result["seed"], &result["replications"]), (&4.into(), &1.into(), &10.into()));
    assert_eq!((&result["slots"], &result["warmup"]), (&2000.into(), &400.into()));
    for (part, keys) in [
        ("delay", "mean ci95 p50 p90 p99 p999 max"),
        ("throughput", "mean ci95"),
        ("backlog", "mean end"),
        ("cells", "arrived departed dropped queued out_of_order"),
    ] {
        assert!(keys.split(' ').all(|key| result[part][key].is_number()), "{part}");
    }
    assert!(result["counters"]["iterations"].is_number());
    for result in &results {
        let cells = |key: &str| result["cells"][key].as_u64().unwrap();
        assert_eq!(cells("arrived"), cells("departed") + cells("dropped") + cells("queued"));
    }
    // The same arrivals for both, and twice the same arrivals for the same seed.
    assert_eq!(results[0]["cells"]["arrived"], results[1]["cells"]["arrived"]);
}

/// Absent unless asked for; no lag at all where output queueing is emulated, and some at a speedup
/// of 1.
#[test]
fn lags_behind_output_queueing() {
    let specs = ["cioq(policy=ccf-dtc,speedup=2)", "cioq(policy=ccf-dtc,speedup=1)"];
    let rest = ["--ports", "4", "--load", "0.9", "--slots", "3000", "--replications", "2"];
    let arguments = [&["run"], &specs[..], &rest[..]].concat();
    assert!(json(&arguments).iter().all(|result| result.get("oq_lag").is_none()));
    let arguments = [&arguments[..], &["--oq-lag"]].concat();
    let results = json(&arguments);
    let [emulates, fails] = [&results[0]["oq_lag"], &results[1]["oq_lag"]];
    assert_eq!(emulates["cells"], results[0]["cells"]["departed"]);
    for key in ["mean", "min", "max", "late", "early"] {
        assert_eq!(emulates[key].as_f64(), Some(0.0), "{key}");
    }
    assert!(fails["late"].as_u64() > Some(0) && fails["max"].as_i64() > Some(0), "{fails}");
    let text = stdout(&arguments);
    assert!(text.contains("lag behind oq: none") && text.contains("lag behind oq: mean"), "{text}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let arguments = ["run", "pim", "islip", "fifo", "--ports", "8", "--load", "0.6", "--slots", "3000", "--json"];
    let with = |threads: &str| stdout(&[&arguments[..], &["--threads", threads]].concat());
    let one = with("1");
    assert_eq!(one, with("1"));
    assert_eq!(one, with("2"));
    assert_eq!(one, with("7"));
    assert_eq!(one, stdout(&arguments));
    assert_ne!(one, stdout(&[&arguments[..], &["--seed", "2"]].concat()));
}

#[test]
fn a_trace_without_ports_or_load() {
    let folder = tempfile::tempdir().unwrap();
    let trace = file(folder.path(), "t.csv", b"slot,input,output,note\n0,0,0,x\n0,1,0,y\n1,0,1,z\n5,2,2,w\n");
    let departures = folder.path().join("d.csv");
    let spec = format!("trace(file={trace})");
    let results = json(&["run", "islip", "--traffic", &spec, "--departures", departures.to_str().unwrap()]);
    // Both want output 0 in slot 0; input 0 is first, and input 1 follows with a delay of 1.
    assert_eq!(
        std::fs::read_to_string(&departures).unwrap(),
        "slot,output,input,birth\n0,0,0,0\n1,0,1,0\n1,1,0,1\n5,2,2,5\n"
    );
    assert_eq!((&results[0]["ports"], &results[0]["slots"], &results[0]["warmup"]), (&3.into(), &6.into(), &0.into()));
    assert_eq!(results[0]["delay"]["mean"], 0.25);
    assert_eq!(results[0]["replications"], 1);
    // The run lasts until the switch is empty; --slots cuts it off, and what is inside is queued.
    let late = file(folder.path(), "late.csv", b"slot,input,output\n0,0,0\n0,1,0\n0,2,0\n");
    let spec = format!("trace(file={late})");
    assert_eq!(json(&["run", "oq", "--traffic", &spec, "--slots", "1"])[0]["cells"]["queued"], 2);
    let drained = &json(&["run", "oq", "--traffic", &spec])[0];
    assert_eq!((&drained["cells"]["queued"], &drained["cells"]["departed"]), (&0.into(), &3.into()));
}

/// First-fit with one memory too few, by hand: in slot 0 both cells are for output 0, and are due
/// in slots 0 and 1, in memories 0 and 1. In slot 1 the cell for output 0 is due in slot 2 and
/// takes memory 0; that for output 1 is due at once and does not fit memory 1.
#[test]
fn a_switch_that_stops_is_a_finding() {
    let folder = tempfile::tempdir().unwrap();
    let trace = file(folder.path(), "t.csv", b"slot,input,output\n0,0,0\n0,1,0\n1,0,0\n1,1,1\n");
    let traffic = format!("trace(file={trace})");
    let run = |switch: &str| switchlab(&["run", switch, "--traffic", &traffic, "--json"]);
    let stopped = run("psm(memories=2,capacity=4)").assert().code(1);
    let text = String::from_utf8_lossy(&stopped.get_output().stderr).into_owned();
    assert!(stopped.get_output().stdout.is_empty());
    assert!(text.contains("slot 1: the cell from input 1 to output 1, due in slot 1, has no memory"), "{text}");
    assert!(text.contains("first-fit gave the 1 memories that it fits (0) to other cells"), "{text}");
    run("psm(memories=2,capacity=4,matcher=maximum)").assert().code(0);
    run("psm(capacity=4)").assert().code(0);
    let refused = error(&["run", "psm(matcher=halving,placement=random)", "--traffic", &traffic]);
    assert!(refused.contains("leave placement out"), "{refused}");
}

/// A random trace through the program, and through the naive twin: the whole departure file is the
/// same.
#[test]
fn a_trace_departs_as_its_naive_twin_says() {
    let (ports, slots) = (5u16, 400u32);
    let mut rng = Seed { seed: 99, replication: 0 }.stream(Purpose::Fabric, 0);
    let arrivals: Vec<Vec<Port>> = (0..slots)
        .map(|_| (0..ports).map(|_| if rng.below(10) < 8 { rng.below(5) as Port } else { NONE }).collect())
        .collect();
    let mut trace = "slot,input,output\n".to_string();
    for (slot, row) in arrivals.iter().enumerate() {
        for (input, output) in row.iter().enumerate().filter(|(_, output)| **output != NONE) {
            trace += &format!("{slot},{input},{output}\n");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let trace = file(folder.path(), "t.csv", trace.as_bytes());
    let path = folder.path().join("d.csv");
    for (switch, name, iterations) in [
        ("islip", "islip", 1),
        ("islip(iterations=3)", "islip", 3),
        ("ilqf", "ilqf", 1),
        ("oq", "oq", 1),
        ("uform", "uform", 1),
        ("ufpim", "ufpim", 1),
        ("pim", "pim", 1),
    ] {
        let mut twin = naive::twin(name, usize::from(ports), iterations, Seed { seed: 1, replication: 0 });
        let mut expected = "slot,output,input,birth\n".to_string();
        for (slot, row) in (0u32..).zip(&arrivals) {
            let mut departures = vec![Cell::IDLE; usize::from(ports)];
            twin.slot(slot, row, &mut departures);
            for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                expected += &format!("{slot},{output},{},{}\n", cell.input, cell.born);
            }
        }
        let traffic = format!("trace(file={trace})");
        let slots = slots.to_string();
        stdout(&["run", switch, "--traffic", &traffic, "--slots", &slots, "--departures", path.to_str().unwrap()]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "{switch}");
    }
}

#[test]
fn departures_are_in_the_order_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv");
    let path = path.to_str().unwrap();
    stdout(&["run", "islip", "--ports", "5", "--load", "0.7", "--slots", "500", "--departures", path]);
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("slot,output,input,birth"));
    let rows: Vec<Vec<u64>> = lines.map(|line| line.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert!(rows.len() > 1500);
    assert!(rows.windows(2).all(|pair| (pair[0][0], pair[0][1]) < (pair[1][0], pair[1][1])));
    assert!(rows.iter().all(|row| row[3] <= row[0] && row[1] < 5 && row[2] < 5));
}

#[test]
fn an_unstable_switch_has_no_delay_but_a_throughput() {
    let arguments = ["run", "pim", "--ports", "16", "--load", "1", "--slots", "20000", "--replications", "4"];
    let table = stdout(&arguments);
    let line = table.lines().find(|line| line.starts_with("pim")).unwrap();
    assert!(line.contains("unstable") && line.contains("0.64"), "{line}");
    let result = &json(&arguments)[0];
    assert_eq!(result["verdict"], "unstable");
    assert!(result["delay"]["mean"].as_f64().unwrap() > 1000.0);
}

#[test]
fn memory_is_bounded_and_the_end_is_told() {
    let arguments = [
        "run",
        "pim",
        "--ports",
        "16",
        "--load",
        "1",
        "--slots",
        "1000000",
        "--replications",
        "2",
        "--memory",
        "1MiB",
        "--json",
    ];
    let output = switchlab(&arguments).assert().success().get_output().clone();
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(warning.contains("ended early") && warning.contains("--memory"), "{warning}");
    let results: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let ended = results[0]["ended_early"].as_u64().unwrap();
    assert!(ended > 1000 && ended < 100_000, "{ended}");
    assert_eq!(results[0]["verdict"], "unstable");
    // It ended within the warm-up, and reports what it has.
    assert!((results[0]["throughput"]["mean"].as_f64().unwrap() - 0.64).abs() < 0.02);
}

#[test]
fn until_runs_on_until_the_mean_is_known() {
    let short = ["run", "oq", "--ports", "8", "--load", "0.8", "--slots", "2000"];
    for (more, key) in [(&[][..], "replications"), (&["--replications", "1"], "slots")] {
        let arguments = [&short[..], more, &["--until", "2%"]].concat();
        let result = &json(&arguments)[0];
        let (mean, width) = (result["delay"]["mean"].as_f64().unwrap(), result["delay"]["ci95"].as_f64().unwrap());
        assert!(width / mean <= 0.02, "{width} of {mean}");
        assert!(result[key].as_u64().unwrap() > if key == "slots" { 2000 } else { 10 });
        // (N-1)/N rho / (2 (1 - rho)); three half-widths: a false alarm in some 10^6 fixed seeds.
        assert!((mean - 7.0 / 8.0 * 2.0).abs() < 3.0 * width, "{mean}");
    }
}

/// Delays that are all 0 are known exactly after the first round: at one port nothing waits, and
/// with one cell in thousands of slots neither.
#[test]
fn until_stops_where_every_delay_is_zero() {
    let sure = ["run", "oq", "islip", "--ports", "1", "--load", "0.5", "--slots", "3000", "--until", "1%"];
    let rare = ["run", "oq", "--ports", "2", "--load", "0.0005", "--slots", "20000", "--until", "1%"];
    for arguments in [&sure[..], &rare] {
        for (more, replications) in [(&[][..], 10), (&["--replications", "4"], 4)] {
            let output = switchlab(&[arguments, more, &["--json"]].concat()).output().unwrap();
            let results: Value = serde_json::from_slice(&output.stdout).unwrap();
            for result in results.as_array().unwrap() {
                assert_eq!(result["delay"]["mean"], 0.0);
                assert_eq!(result["delay"]["ci95"], 0.0);
                assert_eq!(result["replications"], replications, "{arguments:?}");
            }
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("was not reached"), "{said}");
        }
    }
    let long = [&sure[..], &["--replications", "1", "--json"]].concat();
    let output = switchlab(&long).output().unwrap();
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(results[0]["slots"], 3000);
}

#[test]
fn a_warm_up_is_found() {
    let result = &json(&["run", "islip", "--ports", "8", "--load", "0.8", "--slots", "20000", "--warmup", "auto"])[0];
    let warmup = result["warmup"].as_u64().unwrap();
    assert!(warmup <= 10_000, "{warmup}");
    assert_eq!(result["slots"], 20_000);
}

#[test]
fn list_and_explain_cover_everything() {
    let list = stdout(&["list"]);
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")).map(|line| line.split(' ').next().unwrap());
    // A sentence that goes on in the next line begins with blanks there.
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names {
        let page = stdout(&["explain", name]);
        assert!(page.starts_with(&format!("{name} (")) && page.lines().count() > 5, "{page}");
    }
    assert!(stdout(&["explain", "islip(iterations=4)"]).contains("McKeown"));
    assert!(error(&["explain", "islipp"]).contains("did you mean islip?"));
}

#[test]
fn explain_resolves_an_experiment() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("small.toml");
    let file = path.to_str().unwrap();
    std::fs::write(
        &path,
        "title = 'T'\nswitches = ['oq', 'pim']\nports = 4\nloads = [0.5, 0.9]\n[quick]\nslots = 1000\n",
    )
    .unwrap();
    let full = stdout(&["explain", file]);
    assert!(full.contains("small (experiment): T"), "{full}");
    assert!(full.contains("4 points, 40 units of 240000 slots each: 9600000 slots in all"), "{full}");
    assert!(full.lines().any(|line| line.split_whitespace().eq(["seed", "default", "1"])), "{full}");
    assert!(full.lines().any(|line| line.split_whitespace().eq(["ports", "given", "4"])), "{full}");
    let quick = stdout(&["explain", file, "--quick"]);
    assert!(quick.contains("given for quick runs  1000") && quick.contains("units of 1200 slots"), "{quick}");
    std::fs::write(&path, "title = 'T'\nswitchs = ['oq', 'pim']\n").unwrap();
    assert!(error(&["explain", file]).contains("small.toml:2:1: "));
    assert!(error(&["explain", "nowhere.toml"]).contains("cannot read nowhere.toml"));
}

#[test]
fn completions_for_shells() {
    assert!(stdout(&["completions", "bash"]).contains("--departures"));
    assert!(stdout(&["completions", "fish"]).contains("departures"));
}

#[test]
fn bench_reports_every_switch_against_the_floor() {
    let speeds = json(&["bench", "islip", "oq", "--ports", "8,70", "--turns", "3", "--turn", "1"]);
    let named: Vec<(&str, u64)> =
        speeds.iter().map(|s| (s["switch"].as_str().unwrap(), s["ports"].as_u64().unwrap())).collect();
    let switches = ["tdm", "islip(iterations=1)", "oq"];
    assert_eq!(named, [8, 70].iter().flat_map(|&n| switches.map(|s| (s, n))).collect::<Vec<_>>());
    assert!(speeds.iter().all(|speed| speed["nanoseconds_per_slot"].as_f64().unwrap() > 0.0));
    assert_eq!(speeds[0]["times_floor"], 1.0);
    // For people, as they were named, and every column below its title.
    let table = stdout(&["bench", "islip", "o-serenade", "--ports", "8", "--turns", "3", "--turn", "1"]);
    assert!(table.starts_with("speed of the simulator on "), "{table}");
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
    assert_eq!(
        lines.iter().map(|line| line.split(' ').next().unwrap()).collect::<Vec<_>>(),
        ["switch", "tdm", "islip", "o-serenade"]
    );
    assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{table}");
}

#[test]
fn bad_input_is_told_and_ends_with_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, content: &[u8]| file(folder.path(), name, content);
    let binary: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let (empty, binary) = (path("empty.csv", b""), path("binary.csv", &binary));
    let heavy = path("heavy.csv", b"0.9,0.9\n0,0\n");
    let spec = |kind: &str, file: &str| format!("{kind}(file={file})");
    let traffic = |traffic: &str| error(&["run", "oq", "--load", "0.5", "--traffic", traffic]);
    for file in [&empty, &binary, "/nonexistent/x.csv", "/"] {
        traffic(&spec("trace", file));
        traffic(&spec("matrix", file));
    }
    assert!(traffic(&spec("matrix", &heavy)).contains("row 0 sums to 1.8"));
    assert!(error(&["run", "islp", "--ports", "4", "--load", "0.5"]).contains("did you mean islip?"));
    assert!(error(&["run", "islip(iteration=2)", "--ports", "4", "--load", "0.5"]).contains("iterations"));
    assert!(error(&["run", "oq", "--ports", "0", "--load", "0.5"]).contains("1 to 4096"));
    assert!(error(&["run", "oq", "--ports", "4", "--load", "NaN"]).contains("0 to 1"));
    assert!(error(&["run", "oq", "--ports", "4", "--load", "1.5"]).contains("0 to 1"));
    assert!(error(&["run", "oq", "--ports", "4", "--load", "-1"]).contains("0 to 1"));
    assert!(error(&["run", "oq", "--ports", "4"]).contains("--load"));
    assert!(error(&["run", "oq", "--load", "0.4"]).contains("--ports"));
    assert!(error(&["run", "oq", "--ports", "1", "--traffic", "chang", "--load", "0.4"]).contains("2 ports"));
    assert!(
        error(&["run", "oq", "islip", "--ports", "4", "--load", "0.4", "--departures", "d.csv"]).contains("one switch")
    );
    let unwritable = "/nonexistent/d.csv";
    assert!(error(&["run", "oq", "--ports", "4", "--load", "0.4", "--departures", unwritable]).contains(unwritable));
    assert!(
        error(&["run", "oq", "--ports", "4", "--load", "0.4", "--plot", "/nonexistent/p.svg", "--slots", "10"])
            .contains("p.svg")
    );
    error(&["run"]);
    error(&["frobnicate"]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let program = assert_cmd::cargo::cargo_bin!("switchlab");
    let script = format!("set -o pipefail; '{}' list | head -n 1", program.display());
    Command::new("bash").args(["-c", &script]).assert().success().stdout("Switches\n");
}

/// The picture in the README is what its first command draws with `--plot`.
#[test]
fn the_picture_of_the_readme_is_drawn_by_its_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let command = readme.lines().find_map(|line| line.strip_prefix("$ cargo run --release -- run "));
    let mut arguments = vec!["run"];
    arguments.extend(command.expect("the README begins with a comparison").split(' '));
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("delay.svg");
    arguments.extend(["--plot", picture.to_str().unwrap()]);
    stdout(&arguments);
    let drawn = std::fs::read_to_string(picture).unwrap();
    assert!(drawn == std::fs::read_to_string(root.join("docs/delay.svg")).unwrap(), "draw docs/delay.svg anew");
}

#[test]
fn stable_matchings_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name, content: &str| file(folder.path(), name, content.as_bytes());
    let circle = file("circle.csv", "rows: order\n0,1\n1,0\ncolumns: ranks\n2,1\n1,2\n");
    let dot = folder.path().join("graph.dot").to_str().unwrap().to_string();
    let report: Value = serde_json::from_str(&stdout(&["match", &circle, "--json", "--dot", &dot])).unwrap();
    assert_eq!((&report["rooted"], &report["stable"]), (&Value::Bool(false), &Value::Bool(true)));
    assert_eq!(report["cycle"].as_array().unwrap().len(), 4);
    assert_eq!(report["matching"][1], serde_json::json!({"row": 1, "column": 1}));
    assert!(std::fs::read_to_string(&dot).unwrap().contains("v0_0 -> v0_1;"));
    let proposed: Value =
        serde_json::from_str(&stdout(&["match", &circle, "--json", "--algorithm", "gale-shapley"])).unwrap();
    assert_eq!(proposed["matching"], report["matching"]);
    assert_eq!(proposed["rounds"].as_array().unwrap().len(), 1);

    let bad = file("bad.csv", "rows: ranks\n1,2\n2,x\ncolumns: ranks\n1,2\n2,1\n");
    assert!(error(&["match", &bad]).contains("bad.csv: line 3, field 2: \"x\" is not a rank"));
    assert!(error(&["match", &file("bad.json", "{\n \"rows\": 1}")]).contains("line 2"));
    assert!(error(&["match", "nowhere.csv"]).contains("cannot read nowhere.csv"));
    assert!(error(&["match", &circle, "--dot", "/nowhere/graph.dot"]).contains("cannot write"));
    assert!(error(&["match", &circle, "--algorithm", "roots"]).contains("find-roots"));
}
