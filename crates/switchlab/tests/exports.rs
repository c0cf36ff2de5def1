//! Results in other forms: CSV, Markdown, numbers of pictures, ports and pairs; and the command
//! line for shells and `man`.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Runs the program in a folder: its stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
    (out, err)
}

/// The rows of a CSV text, by column.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} is {:?}", row[column]))
}

fn sum(rows: &[BTreeMap<String, String>], column: &str) -> f64 {
    rows.iter().map(|row| number(row, column)).sum()
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

const RUN: [&str; 10] = ["run", "oq", "islip", "--ports", "4", "--load", "80%", "--slots", "5000", "--replications=3"];

/// The same numbers under the same names as in JSON, and under those of results.csv.
#[test]
fn csv_has_the_figures_of_the_json() {
    let folder = tempfile::tempdir().unwrap();
    let with = |more: &[&str]| switchlab(folder.path(), &[&RUN[..], &["--percentiles", "95"], more].concat()).0;
    let table = rows(&with(&["--csv"]));
    let json: Vec<Value> = serde_json::from_str(&with(&["--json"])).unwrap();
    assert_eq!(table.len(), 2);
    for (row, result) in table.iter().zip(&json) {
        assert_eq!(
            (row["switch"].as_str(), row["verdict"].as_str()),
            (result["switch"].as_str().unwrap(), result["verdict"].as_str().unwrap())
        );
        let delay = &result["delay"];
        for (column, value) in [
            ("delay", &delay["mean"]),
            ("delay_ci95", &delay["ci95"]),
            ("delay_p50", &delay["p50"]),
            ("delay_p99", &delay["p99"]),
            ("delay_p999", &delay["p999"]),
            ("delay_p9999", &delay["p9999"]),
            ("delay_max", &delay["max"]),
            ("delay_p95", &delay["percentiles"][2]["value"]),
            ("delay_p95_low", &delay["percentiles"][2]["ci95"][0]),
            ("delay_p95_high", &delay["percentiles"][2]["ci95"][1]),
            ("throughput", &result["throughput"]["mean"]),
            ("backlog", &result["backlog"]["mean"]),
            ("loss", &result["loss"]),
            ("queued", &result["cells"]["queued"]),
        ] {
            assert_eq!(Some(number(row, column)), value.as_f64(), "{column}");
        }
    }
    assert_eq!(Some(number(&table[1], "versus_first")), json[1]["versus_first"]["mean"].as_f64());
    assert_eq!(table[0]["versus_first"], "");
}

#[test]
fn markdown_has_all_columns() {
    let folder = tempfile::tempdir().unwrap();
    let (text, _) = switchlab(folder.path(), &[&RUN[..], &["--markdown", "--occupancy"]].concat());
    let head = "| switch | mean delay |";
    assert!(text.lines().any(|line| line.starts_with(head) && line.contains("| p90 |")), "{text}");
    assert!(text.contains("\n|--------|-") && text.contains("\n| islip  | VOQ "), "{text}");
    assert!(!text.contains("not shown for want of room"), "{text}");
}

/// Of each cell that leaves, the delay is counted once for its input, its output and its pair.
#[test]
fn ports_and_pairs_add_up_to_all_cells() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "islip", "--ports", "5", "--traffic", "diagonal", "--load", "0.8", "--slots", "9000"];
    let with = |more: &[&str]| switchlab(folder.path(), &[&run[..], &["--replications", "1"], more].concat()).0;
    let json: Vec<Value> = serde_json::from_str(&with(&["--json", "--per-pair", "--per-port"])).unwrap();
    let (departed, mean) = (json[0]["cells"]["departed"].as_f64().unwrap(), json[0]["delay"]["mean"].as_f64().unwrap());
    let (ports, pairs) = (rows(&with(&["--csv", "--per-port"])), rows(&with(&["--csv", "--per-pair"])));
    let (inputs, outputs) = ports.split_at(5);
    assert!(inputs.iter().all(|row| row["side"] == "input") && outputs.iter().all(|row| row["side"] == "output"));
    // Diagonal traffic has two outputs for each input.
    assert_eq!(pairs.len(), 10);
    for part in [inputs, outputs, &pairs[..]] {
        assert_eq!(sum(part, "departed"), departed);
        let total: f64 = part.iter().map(|row| number(row, "delay") * number(row, "departed")).sum();
        assert!(is_near(total / departed, mean), "{total} {mean}");
        let longest = part.iter().map(|row| number(row, "delay_max")).fold(0.0, f64::max);
        assert_eq!(Some(longest), json[0]["delay"]["max"].as_f64());
    }
    // The named figures of the JSON beside the array that was there before.
    for port in 0..5 {
        let (input, old) = (&json[0]["inputs"][port], &json[0]["per_port"][port]);
        assert_eq!((&input["port"], &input["arrived"], &input["departed"]), (&port.into(), &old[0], &old[1]));
        assert_eq!(Some(number(&inputs[port], "delay_p99")), input["delay"]["p99"].as_f64());
    }
    assert_eq!(json[0]["pairs"].as_array().unwrap().len(), 10);
    let bare: Vec<Value> = serde_json::from_str(&with(&["--json"])).unwrap();
    assert!(["inputs", "outputs", "pairs", "per_port"].iter().all(|key| bare[0].get(key).is_none()));
    let text = with(&["--per-port"]);
    assert!(text.contains("\nislip, cells by input\ninput  arrived  departed  mean delay"), "{text}");
}

/// A file that ends in .csv gets the numbers of the picture.
#[test]
fn pictures_have_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = |kind: &str, run: &[&str]| {
        let file = format!("{kind}.csv");
        switchlab(folder.path(), &[run, &["--kind", kind, "--plot", &file]].concat());
        rows(&std::fs::read_to_string(folder.path().join(file)).unwrap())
    };
    let one = ["run", "islip", "--ports", "4", "--load", "0.8", "--slots", "5000", "--occupancy"];
    let json: Vec<Value> =
        serde_json::from_str(&switchlab(folder.path(), &[&one[..], &["--json"]].concat()).0).unwrap();

    let ccdf = numbers("ccdf", &one);
    assert_eq!(Some(sum(&ccdf, "cells")), json[0]["cells"]["departed"].as_f64());
    assert!(ccdf.windows(2).all(|pair| number(&pair[0], "share_longer") > number(&pair[1], "share_longer")));
    assert_eq!((ccdf[0]["delay"].as_str(), number(&ccdf[ccdf.len() - 1], "share_longer")), ("0", 0.0));

    let backlog = numbers("backlog", &one);
    let mean = sum(&backlog, "backlog") / backlog.len() as f64;
    assert!((mean / json[0]["backlog"]["mean"].as_f64().unwrap() - 1.0).abs() < 0.01, "{mean}");

    let voq = numbers("voq", &one);
    assert_eq!(voq.len(), 16);
    assert!(is_near(sum(&voq, "cells"), json[0]["occupancy"]["total"]["mean"].as_f64().unwrap()));
    assert!(is_near(sum(&numbers("matrix", &one), "rate"), 4.0 * 0.8));
    assert_eq!(numbers("curve", &RUN).len(), 2);
    switchlab(folder.path(), &[&one[..], &["--kind", "voq", "--plot", "voq.svg"]].concat());
    let svg = std::fs::read_to_string(folder.path().join("voq.svg")).unwrap();
    assert!(svg.contains("Cells inside by input and output, islip"), "{svg}");
}

/// Queue lengths have columns of their own; percentiles that were asked for, their intervals.
#[test]
fn occupancy_and_percentiles() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "oq", "islip", "--ports", "4", "--load", "0.8", "--slots", "2000", "--replications", "3"];
    let with = |more: &[&str]| switchlab(folder.path(), &[&run[..], more].concat()).0;
    let json: Vec<Value> = serde_json::from_str(&with(&["--occupancy", "--json"])).unwrap();
    let table = rows(&with(&["--occupancy", "--csv"]));
    for (row, json) in table.iter().zip(&json) {
        for queue in ["voq", "input", "output", "total"] {
            let of = &json["occupancy"][queue];
            assert_eq!(Some(number(row, &format!("occupancy_{queue}"))), of["mean"].as_f64(), "{queue}");
            for figure in ["p50", "p99", "p9999", "max"] {
                let cells = number(row, &format!("occupancy_{queue}_{figure}"));
                assert_eq!(Some(cells), of[figure].as_f64(), "{queue} {figure}");
            }
        }
    }
    assert!(!with(&["--csv"]).contains("occupancy"));
    let percentiles = ["--percentiles", "75,99"];
    let json: Vec<Value> = serde_json::from_str(&with(&[&percentiles[..], &["--json"]].concat())).unwrap();
    let known = json[1]["delay"]["percentiles"].as_array().unwrap();
    let p75 = known.iter().find(|it| it["percent"] == 75.0).unwrap();
    let cell = format!("{} ({} to {})", p75["value"], p75["ci95"][0], p75["ci95"][1]);
    let text = with(&percentiles);
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("percentiles of the delay")).collect();
    assert!(lines[1].ends_with("p99") && lines[3].starts_with("islip") && lines[3].contains(&cell), "{text}");
    assert!(!with(&[]).contains("percentiles"));
}

#[test]
fn other_commands_print_tables_in_the_same_forms() {
    let folder = tempfile::tempdir().unwrap();
    let limit = ["limit", "fifo", "--ports", "4", "--slots", "20000", "--csv"];
    let (csv, _) = switchlab(folder.path(), &limit);
    let row = &rows(&csv)[0];
    assert!(number(row, "stable") < number(row, "unstable") && number(row, "saturation_throughput") > 0.6, "{csv}");
    let (csv, _) = switchlab(folder.path(), &["limit", "fifo", "oq", "--ports", "2,4", "--slots", "4000", "--csv"]);
    let sizes: Vec<String> = rows(&csv).iter().map(|row| format!("{} {}", row["switch"], row["ports"])).collect();
    assert_eq!(sizes, ["fifo 2", "oq 2", "fifo 4", "oq 4"]);
    let bench = ["bench", "islip", "--ports", "4,8", "--turns", "1", "--turn", "1"];
    let (csv, _) = switchlab(folder.path(), &[&bench[..], &["--csv"]].concat());
    let sizes: Vec<String> = rows(&csv).iter().map(|row| format!("{} {}", row["switch"], row["ports"])).collect();
    assert_eq!(sizes, ["tdm 4", "islip(iterations=1) 4", "tdm 8", "islip(iterations=1) 8"]);
    assert!(rows(&csv).iter().all(|row| number(row, "slots_per_second") > 0.0), "{csv}");
    let (markdown, _) = switchlab(folder.path(), &[&bench[..], &["--markdown"]].concat());
    assert_eq!(markdown.lines().filter(|line| line.starts_with("| ")).count(), 5, "{markdown}");
    let audit = ["audit", "serena", "islip", "--ports", "4", "--load", "0.9", "--slots", "500"];
    let (csv, _) = switchlab(folder.path(), &[&audit[..], &["--csv"]].concat());
    assert_eq!(rows(&csv).iter().map(|row| row["violations"].as_str()).collect::<Vec<_>>(), ["0", "0"]);
    let (text, _) = switchlab(folder.path(), &audit);
    assert!(text.starts_with("4 ports, traffic uniform, arrivals bernoulli, load 0.9, seed 1; 500 slots"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100) && text.contains("in every slot: "), "{text}");
    let narrow = Command::new(env!("CARGO_BIN_EXE_switchlab")).args(audit).env("COLUMNS", "80").output().unwrap();
    let text = String::from_utf8(narrow.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80) && text.contains("violations"), "{text}");

    let file = "title = 't'\nswitches = ['oq']\nports = 4\nloads = [0.5, 0.6]\nslots = 1000\nreplications = 2\n";
    std::fs::write(folder.path().join("e.toml"), file).unwrap();
    let sweep = |form: &str| switchlab(folder.path(), &["sweep", "e.toml", "--out", "e", form]).0;
    let csv = sweep("--csv");
    assert_eq!(csv, std::fs::read_to_string(folder.path().join("e/results.csv")).unwrap());
    let json: Vec<Value> = serde_json::from_str(&sweep("--json")).unwrap();
    assert_eq!(Some(number(&rows(&csv)[1], "delay")), json[1]["delay"].as_f64());
    assert!(sweep("--markdown").contains("| switch | load |"));
}

/// What is said goes to stderr: the results are the same.
#[test]
fn verbose_tells_of_each_replication() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, _) = switchlab(folder.path(), &RUN);
    let (verbose, said) = switchlab(folder.path(), &[&RUN[..], &["--verbose"]].concat());
    assert_eq!(plain, verbose);
    assert!(said.lines().any(|line| line.starts_with("switch  replication  mean delay")), "{said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("islip  ")).count(), 3, "{said}");
    assert!(said.contains("36000 slots in "), "{said}");
}

/// What bash offers for the last word.
#[cfg(unix)]
fn completed(folder: &Path, words: &[&str]) -> Option<Vec<String>> {
    let script = "source script.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                  _switchlab switchlab \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; \
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    let output = bash.current_dir(folder).args(["-c", script, "bash"]).args(words).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect())
}

#[cfg(unix)]
#[test]
fn bash_completes_names() {
    let folder = tempfile::tempdir().unwrap();
    let (script, _) = switchlab(folder.path(), &["completions", "bash"]);
    std::fs::write(folder.path().join("script.bash"), script).unwrap();
    for (words, offered) in [
        (&["switchlab", "run", "is"][..], &["islip"][..]),
        (&["switchlab", "run", "oq", "is"], &["islip"]),
        (&["switchlab", "run", "islip", "--traffic", "di"], &["diagonal"]),
        (&["switchlab", "limit", "islip", "--arrivals", "be"], &["bernoulli"]),
        (&["switchlab", "explain", "quasi"], &["quasi-diagonal"]),
        (&["switchlab", "reproduce", "001/fig4"], &["001/fig4-uniform"]),
        (&["switchlab", "run", "islip", "--per-p"], &["--per-port", "--per-pair"]),
        (&["switchlab", "comp"], &["completions"]),
    ] {
        let Some(found) = completed(folder.path(), words) else {
            println!("no bash: not tested");
            return;
        };
        assert_eq!(found, offered, "{words:?}");
    }
    for (shell, words) in [("fish", "__fish_seen_subcommand_from run\" -a \"oq "), ("zsh", "islip")] {
        let (script, _) = switchlab(folder.path(), &["completions", shell]);
        assert!(script.contains(words), "{shell}");
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    switchlab(folder.path(), &["man", "--out", "pages"]);
    for (page, words) in [("switchlab.1", "switchlab\\-run(1)"), ("switchlab-run.1", "\\-\\-per\\-pair")] {
        let text = std::fs::read_to_string(folder.path().join("pages").join(page)).unwrap();
        assert!(text.contains(".TH") && text.contains(words), "{page}: {text}");
    }
}
