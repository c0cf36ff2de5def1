//! What people could misread: each command here once led to a false conclusion.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use switchlab_core::registry::SWITCHES;

/// Runs the program in a folder: its exit code, stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The words of a text, however it was wrapped.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = switchlab(folder, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

/// A switch that drops more than a quarter of its cells is not shown as the winner.
#[test]
fn lost_cells_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let run = [
        "run",
        "oq(capacity=8)",
        "oq(capacity=16)",
        "oq",
        "--ports",
        "64",
        "--load",
        "0.95",
        "--arrivals",
        "bursty(mean=16)",
        "--slots",
        "20000",
        "--replications",
        "3",
    ];
    let (code, table, warnings) = switchlab(folder.path(), &run);
    assert_eq!(code, 0);
    let head = table.lines().find(|line| line.starts_with("switch")).unwrap();
    assert!(head.contains("loss"), "{head}");
    let row = table.lines().find(|line| line.starts_with("oq(capacity=8)")).unwrap();
    assert!(row.contains("28.7 %"), "{row}");
    assert!(warnings.contains("lose different shares"), "{warnings}");
    let results = json(folder.path(), &run);
    let lost = |index: usize| results[index]["loss"].as_f64().unwrap();
    assert!((lost(0) - 0.287).abs() < 0.001 && lost(1) < lost(0) && lost(2) == 0.0);
}

/// A window that still belongs to the warm-up is not measured in silence.
#[test]
fn short_runs_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "islip", "serena", "--ports", "32", "--load", "0.9", "--replications", "3", "--slots"];
    let (_, _, warnings) = switchlab(folder.path(), &[&run[..], &["20000"]].concat());
    assert!(warnings.contains("warning: islip: its throughput is 0.8982"), "{warnings}");
    assert!(warnings.contains("warning: serena: the warm-up was too short: MSER-5 "), "{warnings}");
    // One that is long enough is not blamed.
    let (_, _, warnings) = switchlab(folder.path(), &[&run[..], &["200000"]].concat());
    assert_eq!(warnings, "");
}

/// A matrix stands as it is written, and a scale is called a scale.
#[test]
fn the_load_that_is_printed_is_that_of_a_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rates.csv"), "0.4,0.4\n0.4,0.3\n").unwrap();
    let run = ["run", "islip(iterations=4)", "--traffic", "matrix(file=rates.csv)", "--slots", "2000"];
    let (code, table, _) = switchlab(folder.path(), &run);
    let table = one_line(&table);
    assert!(code == 0 && table.contains("rates as in the file, busiest input 0.8, busiest output 0.8"), "{table}");
    let scaled = [&run[..], &["--load", "0.9"]].concat();
    let table = one_line(&switchlab(folder.path(), &scaled).1);
    assert!(table.contains("rates x 0.9, busiest input 0.72, busiest output 0.72"), "{table}");
    let result = &json(folder.path(), &scaled)[0];
    let number = |key: &str| result[key].as_f64().unwrap();
    assert!((number("load") - 0.72).abs() < 1e-12 && number("scale") == 0.9);
    assert!((number("busiest_input") - 0.72).abs() < 1e-12);
    // The matrix leaves room for a scale of 1.25, and no more.
    assert_eq!(switchlab(folder.path(), &[&run[..], &["--load", "1.25"]].concat()).0, 0);
    let (code, _, error) = switchlab(folder.path(), &[&run[..], &["--load", "1.3"]].concat());
    assert!(code == 2 && error.contains("scaled by 0 to 1.25"), "{error}");
}

/// The limit on a matrix from a file is searched up to the edge of the capacity region, and is said
/// both as a scale and as the load of a line.
#[test]
fn a_limit_on_a_matrix_is_that_of_a_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rates.csv"), "0.4,0.4\n0.4,0.4\n").unwrap();
    let limit = ["limit", "fifo", "--traffic", "matrix(file=rates.csv)", "--slots", "50000"];
    let found = &json(folder.path(), &limit)[0];
    let end = |end: &str, key: &str| found[end][key].as_f64().unwrap();
    assert!(end("stable", "load") <= 0.75 && 0.75 <= end("unstable", "load"), "{found}");
    assert!((end("stable", "scale") - 1.25 * end("stable", "load")).abs() < 1e-12, "{found}");
    assert_eq!(found["full_scale"], 1.25);
    let (code, text, _) = switchlab(folder.path(), &limit);
    assert!(code == 0 && text.contains("scale of the rates") && text.contains("full at scale 1.25"), "{text}");
}

/// A finite trace has percentiles, whatever its backlog does, and all of its cells leave.
#[test]
fn a_trace_is_drained_and_has_percentiles() {
    let folder = tempfile::tempdir().unwrap();
    // Two inputs send to output 0 in each of 200 slots: half of the cells wait for the end.
    let rows = (0..200).fold(String::new(), |rows, slot| rows + &format!("{slot},0,0\n{slot},1,0\n"));
    std::fs::write(folder.path().join("cells.csv"), format!("slot,input,output\n{rows}")).unwrap();
    let run = ["run", "oq", "--traffic", "trace(file=cells.csv)", "--ports", "2"];
    let (code, table, _) = switchlab(folder.path(), &run);
    let row = table.lines().find(|line| line.starts_with("oq")).unwrap();
    assert!(code == 0 && row.contains("drained") && !row.contains("unstable"), "{table}");
    let result = &json(folder.path(), &run)[0];
    assert_eq!((&result["cells"]["arrived"], &result["cells"]["departed"]), (&400.into(), &400.into()));
    // Of the cells in order of departure, the last waits 200 slots, as a queue that gains one cell
    // a slot; cell k of 400 leaves in slot k and arrived in slot k / 2.
    assert_eq!(result["delay"]["max"], 200);
    assert_eq!(result["delay"]["p99"], 198);
    assert_eq!(result["load"], 1.0);
    // Its chart has lines, of all three, and no axis without a value.
    let several = ["run", "oq", "islip(iterations=4)", "mwm", "--traffic", "trace(file=cells.csv)", "--plot", "tr.svg"];
    let (code, table, _) = switchlab(folder.path(), &several);
    assert!(code == 0 && table.matches("drained").count() == 3, "{table}");
    let chart = std::fs::read_to_string(folder.path().join("tr.svg")).unwrap();
    for name in ["oq", "islip(iterations=4)", "mwm"] {
        assert!(chart.contains(&format!("<title>{name}</title>\n<path d=\"M")), "{name}: {chart}");
    }
    assert!(chart.contains("load 1<"), "{chart}");
    // A number of slots cuts it off, and the table says so.
    let (_, table, warnings) = switchlab(folder.path(), &[&run[..], &["--slots", "200"]].concat());
    assert!(table.contains("200 inside"), "{table}");
    assert!(warnings.contains("200 cells were still inside"), "{warnings}");
}

/// A run that is too short says so: the delays of cells that have left are too small.
#[test]
fn short_runs_say_that_they_are_short() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "islip", "--ports", "32", "--load", "0.9", "--slots", "20000", "--replications", "3"];
    let (code, _, warnings) = switchlab(folder.path(), &run);
    assert!(code == 0 && (warnings.contains("throughput is 0.898")), "{warnings}");
    // Eighty times as long a window of a quick switch raises no doubt.
    let run = ["run", "oq", "--ports", "16", "--load", "0.8", "--slots", "100000", "--replications", "5"];
    assert_eq!(switchlab(folder.path(), &run).2, "");
}

/// A switch that outgrew a small memory is not called unstable for it.
#[test]
fn a_memory_limit_is_no_instability() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "islip", "--ports", "64", "--load", "0.99", "--slots", "2000000", "--memory", "1MiB"];
    let result = &json(folder.path(), &run)[0];
    assert_eq!(result["verdict"], "undecided", "{result}");
    // Longer runs than two million slots would end as early.
    let table = one_line(&switchlab(folder.path(), &run).1);
    assert!(table.contains("10 of 10 runs ended early") && table.contains("only more memory can decide"), "{table}");
}

/// A filling-up transient is neither stable nor unstable. SERENA is stable here.
#[test]
fn filling_up_is_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let run = [
        "run",
        "serena",
        "--ports",
        "64",
        "--load",
        "0.9",
        "--arrivals",
        "bursty(mean=32)",
        "--slots",
        "10000",
        "--warmup",
        "10000",
        "--replications",
        "5",
    ];
    let (code, table, warnings) = switchlab(folder.path(), &run);
    assert!(code == 0 && table.contains("undecided") && !table.contains("unstable"), "{table}");
    assert!(warnings.contains("filling up") && warnings.contains("takes at least some"), "{warnings}");
    assert!(json(folder.path(), &run)[0]["slots_to_decide"].as_u64().unwrap() > 20_000);
}

/// Tables of five switches fit 100 columns, and `list` fits 80.
#[test]
fn tables_fit() {
    let folder = tempfile::tempdir().unwrap();
    let switches = ["benes", "serena(prune=lowest,tie=red)", "islip(iterations=4)", "cioq(policy=ccf,speedup=2)", "oq"];
    let run = [&["run"], &switches[..], &["--ports", "16", "--load", "0.8", "--slots", "2000"]].concat();
    let (code, table, _) = switchlab(folder.path(), &run);
    assert_eq!(code, 0);
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest(&table) <= 100, "{table}");
    // The longest names, and a terminal of 80 columns.
    let long = [
        "so-serenade(leader=rotating,consistency=min-sketch,populate=random)",
        "benes(radix=4,distribution=ic,distribution-buffer=2,resequencing=final)",
        "psm-flows(flows=4,discipline=fq,placement=least-loaded)",
    ];
    let run = [&["run", "oq", "serena"], &long[..], &["--ports", "16", "--load", "0.9", "--slots", "2000"]].concat();
    for columns in [80, 100] {
        let mut command = Command::cargo_bin("switchlab").unwrap();
        let output = command.args(&run).env("COLUMNS", columns.to_string()).output().unwrap();
        let table = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && widest(&table) <= columns, "{table}");
        assert!(table.contains("so-serenade(leader=rotating,") && table.contains("  populate=random)"), "{table}");
    }
    // Any five, by their full specs.
    for five in SWITCHES.chunks(5) {
        let names: Vec<&str> = five.iter().map(|entry| entry.name).collect();
        let run = [&["run"], &names[..], &["--ports", "16", "--load", "0.9", "--slots", "400", "--long"]].concat();
        let (code, table, errors) = switchlab(folder.path(), &run);
        assert!(code == 0 && widest(&table) <= 100, "{table}{errors}");
    }
    assert!(widest(&switchlab(folder.path(), &["list"]).1) <= 80);
    for name in ["islip", "serena", "benes", "cioq", "diagonal", "matrix"] {
        let page = switchlab(folder.path(), &["explain", name]).1;
        assert!(widest(&page) <= 100, "{page}");
        let narrow = Command::cargo_bin("switchlab").unwrap().args(["explain", name]).env("COLUMNS", "80").output();
        let page = String::from_utf8(narrow.unwrap().stdout).unwrap();
        assert!(widest(&page) <= 80, "{page}");
    }
}

/// Names in any case, other names of the field, and a form that needs no quotes.
#[test]
fn switches_are_found_as_people_write_them() {
    let folder = tempfile::tempdir().unwrap();
    let end = ["--ports", "4", "--load", "0.5", "--slots", "100"];
    let specs = [
        ("ISLIP", "islip(iterations=1)"),
        ("islip(4)", "islip(iterations=4)"),
        ("islip:iterations=4", "islip(iterations=4)"),
        ("1slip", "islip(iterations=1)"),
        ("lqf", "ilqf"),
        ("hol", "fifo"),
    ];
    for (written, meant) in specs {
        let result = &json(folder.path(), &[&["run", written][..], &end].concat())[0];
        assert!(result["switch"].as_str().unwrap().starts_with(meant), "{written}: {result}");
    }
    for (written, advice) in [
        ("oq,islip", "with blanks between them"),
        ("uform(4)", "write uform(iterations=...)"),
        ("voq", "named by its scheduler"),
        ("a.toml", "is the name of a file"),
    ] {
        let (code, _, error) = switchlab(folder.path(), &[&["run", written][..], &end].concat());
        assert!(code == 2 && error.contains(advice), "{written}: {error}");
    }
    let (_, _, error) = switchlab(folder.path(), &[&["run", "oq", "--traffic", "ok.csv"][..], &end].concat());
    assert!(error.contains("trace(file=ok.csv)"), "{error}");
}
