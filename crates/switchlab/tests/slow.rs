//! No command is slow without a message: large inputs are quick, long work is announced and can be
//! stopped.

use assert_cmd::Command;
use std::fmt::Write;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

fn switchlab(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(dir).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A program at work, and the lines of its stderr as they come.
struct AtWork {
    child: Child,
    lines: Receiver<String>,
}

impl AtWork {
    fn start(dir: &Path, arguments: &[&str]) -> Self {
        let program = assert_cmd::cargo::cargo_bin("switchlab");
        let mut command = std::process::Command::new(program);
        command.current_dir(dir).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// The next line of stderr, for which there is plenty of time.
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_mins(1)).expect("a line on stderr")
    }

    /// Ctrl-C; the exit code and what was printed.
    fn interrupt(mut self) -> (Option<i32>, String) {
        let killed = std::process::Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        (self.child.wait().unwrap().code(), printed)
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const ROWS: usize = 100_000;

/// results.csv with 100,000 rows: `lines` switches of equally many loads.
fn results(dir: &Path, lines: usize, verdict: &str) {
    let mut text = "experiment,switch,ports,traffic,arrivals,load,slots,verdict,delay,delay_ci95\n".to_string();
    for row in 0..ROWS {
        let (line, x) = (row % lines, row / lines);
        let load = x as f64 / (ROWS / lines) as f64;
        let delay = 1.0 + load * (line + 1) as f64 + f64::from((row * 7919 % 1000) as u32) / 1e3;
        let switch = format!("cioq(speedup={line})");
        writeln!(text, "e,{switch},8,uniform,bernoulli,{load},9,{verdict},{delay},{}", delay / 20.0).unwrap();
    }
    std::fs::write(dir.join("results.csv"), text).unwrap();
}

/// Time that grows with the square of the rows would be minutes here.
#[test]
fn charts_of_a_hundred_thousand_rows_take_seconds() {
    let dir = tempfile::tempdir().unwrap();
    for (lines, verdict) in [(1, "stable"), (10, "stable"), (2000, "stable"), (1, "unstable"), (2000, "unstable")] {
        results(dir.path(), lines, verdict);
        let begun = Instant::now();
        let (code, _, err) = switchlab(dir.path(), &["plot", "results.csv", "--out", "d.svg"]);
        assert_eq!(code, Some(0), "{lines} lines, {verdict}: {err}");
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(20), "{lines} lines, {verdict}: {took:?}");
        let svg = std::fs::read_to_string(dir.path().join("d.svg")).unwrap();
        assert_eq!(svg.matches("class=\"label\"").count() >= lines, verdict == "stable", "{lines} lines, {verdict}");
    }
    results(dir.path(), 10_000, "stable");
    let (code, _, err) = switchlab(dir.path(), &["plot", "results.csv", "--out", "d.svg"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("10000 lines") && err.contains("--where"), "{err}");
}

#[test]
fn what_is_no_number_is_refused_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let head = "experiment,switch,ports,traffic,arrivals,load,slots,verdict,delay,delay_ci95\n";
    let good = "e,oq,8,uniform,bernoulli,0.5,9,stable,1.5,0.1\n";
    for (row, column) in [
        ("e,oq,8,uniform,bernoulli,NaN,9,stable,1.5,0.1\n", "load"),
        ("e,oq,8,uniform,bernoulli,0.6,9,stable,inf,0.1\n", "delay"),
        ("e,oq,8,uniform,bernoulli,0.6,9,stable,1.5,-inf\n", "delay_ci95"),
        ("e,oq,nan,uniform,bernoulli,0.5,9,stable,1.5,0.1\n", "ports"),
        ("e,oq,8,uniform,bernoulli,1e999,9,stable,1.5,0.1\n", "load"),
    ] {
        std::fs::write(dir.path().join("results.csv"), format!("{head}{good}{row}")).unwrap();
        for x in ["load", "ports"] {
            let (code, _, err) = switchlab(dir.path(), &["plot", "results.csv", "--x", x, "--out", "d.svg"]);
            assert_eq!(code, Some(2), "{row}");
            assert!(err.contains(&format!("line 3, column {column} is ")), "{row}: {err}");
            assert!(!dir.path().join("d.svg").exists());
        }
    }
    // A cell without a number, and one that no chart shows, are as they were.
    let row = "e,oq,8,uniform,bernoulli,0.6,NaN,stable,,\n";
    std::fs::write(dir.path().join("results.csv"), format!("{head}{good}{row}")).unwrap();
    let (code, _, err) = switchlab(dir.path(), &["plot", "results.csv", "--out", "d.svg"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(!std::fs::read_to_string(dir.path().join("d.svg")).unwrap().contains("NaN"));
}

/// With a dense matrix for each of the 90 points, this takes more than a minute.
#[test]
fn an_experiment_is_explained_without_its_matrices() {
    let dir = tempfile::tempdir().unwrap();
    let experiment = "title = \"Hot spots\"\nswitches = [\"oq\", \"fifo\", \"islip\"]\nports = 4096\n\
        traffic = \"hotspot(count={c})\"\nvary = { c = [1, 4, 16] }\nloads = { from = 0.05, to = 0.5, step = 0.05 }\n";
    std::fs::write(dir.path().join("hot.toml"), experiment).unwrap();
    let begun = Instant::now();
    let (code, out, err) = switchlab(dir.path(), &["explain", "hot.toml"]);
    let took = begun.elapsed();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("90 points"), "{out}");
    assert!(took < Duration::from_secs(2), "{took:?}");
}

/// A file of rates is checked once, not for each switch and load.
#[test]
fn a_matrix_file_is_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let row = vec!["0.001"; 1000].join(",") + "\n";
    std::fs::write(dir.path().join("m.csv"), row.repeat(1000)).unwrap();
    let experiment = "title = \"File\"\nswitches = [\"oq\", \"fifo\", \"islip\", \"pim\"]\nports = 1000\n\
        traffic = \"matrix(file=m.csv)\"\nloads = { from = 0.01, to = 0.99, step = 0.01 }\n";
    std::fs::write(dir.path().join("file.toml"), experiment).unwrap();
    let begun = Instant::now();
    let (code, out, err) = switchlab(dir.path(), &["explain", "file.toml"]);
    let took = begun.elapsed();
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("396 points"), "{out}");
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[cfg(unix)]
#[test]
fn a_search_for_deadlocks_stops_with_what_it_knows() {
    let dir = tempfile::tempdir().unwrap();
    let long = ["deadlock", "--ports", "16", "--states", "1000000000"];
    let search = AtWork::start(dir.path(), &long);
    assert!(search.line().contains("searching up to 1,000,000,000 states"));
    let (code, printed) = search.interrupt();
    assert_eq!(code, Some(3), "{printed}");
    assert!(printed.contains("Undecided: no deadlock among ") && printed.contains("not finished"), "{printed}");

    let search = AtWork::start(dir.path(), &[&long[..], &["--json"]].concat());
    search.line();
    let (code, printed) = search.interrupt();
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((code, &json["model"], &json["stopped"]), (Some(3), &"undecided".into(), &true.into()));
    assert!(json["states"].as_u64().unwrap() > 1000 && json["switch"].is_null(), "{json}");

    // The random steps and the slots that follow are stopped as well.
    let walk = &["deadlock", "--ports", "8", "--states", "10", "--steps", "1000000000000"][..];
    let stress = &["deadlock", "--ports", "8", "--states", "10", "--steps", "1", "--slots", "1000000000000"][..];
    for later in [walk, stress] {
        let search = AtWork::start(dir.path(), later);
        search.line();
        assert_eq!(search.interrupt().0, Some(3), "{later:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_search_for_memories_stops_with_what_it_knows() {
    let dir = tempfile::tempdir().unwrap();
    let search = AtWork::start(dir.path(), &["psm-bound", "--ports", "6", "--capacity", "8"]);
    assert!(search.line().contains("searching up to 200000 states"));
    let (code, printed) = search.interrupt();
    assert_eq!(code, Some(3), "{printed}");
    // What needs no search is known.
    assert!(printed.contains("stopped") && printed.contains("with 11 memories or more"), "{printed}");

    let search = AtWork::start(dir.path(), &["psm-bound", "--ports", "6", "--capacity", "8", "--json"]);
    search.line();
    let (code, printed) = search.interrupt();
    let json: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let of = |reason: &str| json.as_array().unwrap().iter().filter(|one| one["reason"] == reason).count();
    assert_eq!((code, of("lemma 1")), (Some(3), 2));
    assert!(of("stopped") > 0, "{json}");
}

/// Its first block takes a minute and more.
#[test]
fn a_slow_first_block_is_announced() {
    let dir = tempfile::tempdir().unwrap();
    let switch = "o-serenade(consistency=min-sketch,codewords=65536)";
    let arguments = ["run", switch, "--ports", "1024", "--load", "0.9", "--slots", "200", "--replications", "1"];
    let run = AtWork::start(dir.path(), &arguments);
    let line = run.line();
    assert!(line.contains("nothing was finished within 5 s") && line.contains("codewords=65536"), "{line}");
    assert!(line.contains("at 1024 ports, 240 slots") && line.contains("Ctrl-C"), "{line}");
}

#[test]
fn long_runs_and_sweeps_are_announced() {
    let dir = tempfile::tempdir().unwrap();
    let run = AtWork::start(dir.path(), &["run", "islip", "--ports", "64", "--load", "0.9", "--slots", "1000000000"]);
    let line = run.line();
    assert!(line.contains("slots are left, about ") && line.contains(" slots/s"), "{line}");
    drop(run);
    let experiment = "title = \"Large\"\nswitches = \"psm\"\nports = 4096\nloads = 0.9\nslots = 1000000\n";
    std::fs::write(dir.path().join("large.toml"), experiment).unwrap();
    let sweep = AtWork::start(dir.path(), &["sweep", "large.toml"]);
    let line = sweep.line();
    assert!(line.contains("note: "), "{line}");
    drop(sweep);
    let audit = AtWork::start(dir.path(), &["audit", "oq", "--ports", "512", "--load", "0.9", "--slots", "100000000"]);
    assert!(audit.line().contains("slots are left"));
}
