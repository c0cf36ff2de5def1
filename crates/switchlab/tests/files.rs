//! Output files as a user has them: nothing is lost that switchlab did not write, and no result for
//! want of a file.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const EXPERIMENT: &str = r#"
title = "One point"
source = "this test"
switches = ["oq"]
ports = 2
loads = [0.5]
slots = 100
replications = 2

[[figure]]
id = "delay"
title = "Delay"
x = "load"
y = "delay"

[[figure.reference]]
name = "=HYPERLINK(1)"
points = [[0.5, -1]]
[[figure.reference]]
name = "plain, with a comma"
points = [[0.5, 2]]
"#;

struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Self {
        let lab = Self(tempfile::tempdir().expect("a temporary folder"));
        std::fs::create_dir_all(lab.path("papers/000")).unwrap();
        std::fs::write(lab.path("one.toml"), EXPERIMENT).unwrap();
        std::fs::write(lab.path("t.csv"), "slot,input,output\n0,0,1\n1,1,1\n").unwrap();
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
        command.current_dir(self.0.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// The message of a command that must fail as bad input does, and say so once.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.matches("(os error").count() <= 1, "{arguments:?}: {said}");
        said
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const RUN: [&str; 9] = ["run", "oq", "--ports", "2", "--load", "0.5", "--slots", "2000", "--json"];
const TRACE: [&str; 4] = ["run", "oq", "--traffic", "trace(file=t.csv)"];

fn with<'a>(command: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [command, more].concat()
}

#[test]
fn a_folder_of_leases_keeps_what_is_not_a_lease() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.path("h/leases")).unwrap();
    std::fs::write(lab.path("h/leases/flat.pdf"), "x").unwrap();
    for command in [&["sweep", "one.toml", "--out", "h"][..], &["merge", "h", "--out", "h"]] {
        let output = lab.run(command);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(lab.names("h/leases"), ["flat.pdf"]);
    }
    assert_eq!(lab.read("h/leases/flat.pdf"), "x");
    // A link to elsewhere is not a folder of leases.
    std::fs::create_dir_all(lab.path("docs")).unwrap();
    std::fs::write(lab.path("docs/thesis.tex"), "years").unwrap();
    std::fs::create_dir(lab.path("evil")).unwrap();
    symlink("../docs", lab.path("evil/leases")).unwrap();
    for command in [
        &["sweep", "one.toml", "--out", "evil"][..],
        &["merge", "h", "--out", "evil"],
        &["replay", "h/manifest.json", "--out", "evil"],
    ] {
        let said = lab.refused(command);
        assert!(said.contains("evil/leases: it is a link"), "{said}");
        assert_eq!((lab.names("evil"), lab.read("docs/thesis.tex")), (vec!["leases".to_string()], "years".to_string()));
    }
}

#[test]
fn tables_replace_nothing_that_switchlab_did_not_write() {
    let lab = Lab::new();
    for name in ["results.csv", "results.parquet", "manifest.json", "experiment.json"] {
        let dir = format!("of-{name}");
        std::fs::create_dir(lab.path(&dir)).unwrap();
        std::fs::write(lab.path(&dir).join(name), "mine").unwrap();
        let said = lab.refused(&["sweep", "one.toml", "--out", &dir]);
        assert!(said.contains(name) && said.contains("name another directory"), "{said}");
        assert_eq!((lab.names(&dir), lab.read(&format!("{dir}/{name}"))), (vec![name.to_string()], "mine".to_string()));
    }
    // Links in the directory of a store lead nowhere else, and neither do old names of temporary
    // files.
    assert!(lab.run(&["sweep", "one.toml", "--out", "h"]).status.success());
    std::fs::write(lab.path("thesis.tex"), "years").unwrap();
    symlink("../thesis.tex", lab.path("h/results.csv.tmp")).unwrap();
    assert!(lab.run(&["sweep", "one.toml", "--out", "h"]).status.success());
    std::fs::remove_file(lab.path("h/results.csv")).unwrap();
    symlink("../thesis.tex", lab.path("h/results.csv")).unwrap();
    assert!(lab.refused(&["sweep", "one.toml", "--out", "h"]).contains("symbolic link"));
    assert_eq!(lab.read("thesis.tex"), "years");
}

#[test]
fn a_page_from_elsewhere_is_kept_and_references_are_no_formulas() {
    let lab = Lab::new();
    std::fs::write(lab.path("papers/000/figure.toml"), EXPERIMENT).unwrap();
    std::fs::write(lab.path("papers/000/README.md"), "# A paper\n").unwrap();
    std::fs::create_dir(lab.path("web")).unwrap();
    std::fs::write(lab.path("web/index.html"), "<title>My site</title>").unwrap();
    let said = lab.refused(&["reproduce", "--papers", "papers", "--out", "web"]);
    assert!(said.contains("was not written by switchlab"), "{said}");
    assert_eq!(lab.read("web/index.html"), "<title>My site</title>");
    for _ in 0..2 {
        let output = lab.run(&["reproduce", "--quick", "--papers", "papers", "--out", "out"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let csv = lab.read("out/000/figure/figure-delay.csv");
    let mut lines = csv.lines();
    let header = lines.next().unwrap();
    assert!(header.ends_with(",'=HYPERLINK(1),\"plain, with a comma\""), "{header}");
    assert!(lines.next().unwrap().ends_with(",-1,2"), "numbers stay numbers: {csv}");
}

#[test]
fn an_input_is_never_replaced() {
    let lab = Lab::new();
    let trace = lab.read("t.csv");
    symlink("t.csv", lab.path("soft.csv")).unwrap();
    std::fs::hard_link(lab.path("t.csv"), lab.path("hard.csv")).unwrap();
    for option in ["--departures", "--plot"] {
        for name in ["t.csv", "./t.csv", "soft.csv", "hard.csv", lab.path("t.csv").to_str().unwrap()] {
            let said = lab.refused(&with(&TRACE, &[option, name]));
            assert!(said.contains("which is read"), "{said}");
            assert_eq!(lab.read("t.csv"), trace);
        }
    }
    let said = lab.refused(&with(&TRACE, &["--departures", "d.csv", "--plot", "./d.csv"]));
    assert!(said.contains("name another file"), "{said}");
    std::fs::write(lab.path("m.csv"), "1/1,2/2\n2/2,1/1\n").unwrap();
    let rankings = lab.read("m.csv");
    let said = lab.refused(&["match", "m.csv", "--dot", "m.csv"]);
    assert!(said.contains("which is read"), "{said}");
    assert_eq!(lab.read("m.csv"), rankings);
}

#[test]
fn departures_are_whole_and_streams_are_streams() {
    let lab = Lab::new();
    let expected = "slot,output,input,birth\n0,1,0,0\n1,1,1,1\n";
    std::fs::write(lab.path("d.csv"), "older").unwrap();
    assert!(lab.run(&with(&TRACE, &["--departures", "d.csv"])).status.success());
    assert_eq!(lab.read("d.csv"), expected);
    assert!(lab.run(&with(&TRACE, &["--departures", "/dev/null"])).status.success());
    // Before what is printed, also where stdout is a file.
    let output = lab.run(&with(&TRACE, &["--json", "--departures", "/dev/stdout"]));
    let to_pipe = text(&output.stdout);
    assert!(to_pipe.starts_with(expected) && to_pipe.trim_end().ends_with(']'), "{to_pipe}");
    let file = std::fs::File::create(lab.path("out.txt")).unwrap();
    let command = with(&TRACE, &["--json", "--departures", "/dev/stdout"]);
    assert!(lab.command(&command).stdout(file).status().unwrap().success());
    assert_eq!(lab.read("out.txt"), to_pipe);
    assert!(Command::new("mkfifo").arg(lab.path("fifo")).status().unwrap().success());
    let reader = Command::new("cat").arg(lab.path("fifo")).stdout(Stdio::piped()).spawn().unwrap();
    assert!(lab.run(&with(&TRACE, &["--departures", "fifo"])).status.success());
    assert_eq!(text(&reader.wait_with_output().unwrap().stdout), expected);
    let said = {
        symlink("d.csv", lab.path("link.csv")).unwrap();
        lab.refused(&with(&TRACE, &["--departures", "link.csv"]))
    };
    assert!(said.contains("symbolic link"), "{said}");
    assert_eq!(lab.read("d.csv"), expected);
}

/// A run that is killed has reported nothing, and the old departures are as they were.
#[test]
fn a_killed_run_leaves_the_old_departures() {
    let lab = Lab::new();
    std::fs::write(lab.path("d.csv"), "older").unwrap();
    let long = ["run", "oq", "--ports", "16", "--load", "0.9", "--slots", "100000000", "--departures", "d.csv"];
    let mut child = lab.command(&long).spawn().unwrap();
    let begun = |name: &String| {
        Path::new(name).extension().is_some_and(|it| it == "tmp")
            && std::fs::metadata(lab.path(name)).is_ok_and(|it| it.len() > 0)
    };
    for _ in 0..1000 {
        if lab.names(".").iter().any(begun) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(lab.names(".").iter().any(begun), "it was killed while it wrote");
    assert_eq!(lab.read("d.csv"), "older");
}

/// What a switch sent until it stopped is written, as the stop is.
#[test]
fn departures_of_a_switch_that_stops_are_kept() {
    let lab = Lab::new();
    let switch = "psm(memories=2,capacity=8,matcher=maximum)";
    let command = ["run", switch, "--ports", "2", "--load", "1", "--slots", "2000", "--departures", "d.csv"];
    assert_eq!(lab.run(&command).status.code(), Some(1));
    assert!(lab.read("d.csv").lines().count() > 2);
}

#[test]
fn outputs_are_checked_before_the_work() {
    let lab = Lab::new();
    std::fs::write(lab.path("file"), "").unwrap();
    std::fs::write(lab.path("m.csv"), "1/1,2/2\n2/2,1/1\n").unwrap();
    // Work that would take hours.
    let long = ["run", "oq", "--ports", "64", "--load", "0.9", "--slots", "1000000000"];
    let began = std::time::Instant::now();
    for output in ["--plot", "--departures"] {
        let said = lab.refused(&with(&long, &[output, "no/such/file"]));
        assert!(said.contains("no/such") && said.contains("create it first"), "{said}");
        assert!(lab.refused(&with(&long, &[output, "."])).contains("is a folder"));
    }
    for name in ["x.jpg", "x", "x.eps"] {
        let said = lab.refused(&with(&long, &["--plot", name]));
        assert!(said.contains(".svg, .png or .pdf"), "{said}");
    }
    let said = lab.refused(&["match", "m.csv", "--dot", "no/such/graph.dot"]);
    assert!(said.contains("create it first"), "{said}");
    for command in [
        &["deadlock", "--ports", "16", "--out", "file"][..],
        &["psm-bound", "--ports", "6", "--capacity", "8", "--out", "file"],
        &["rtl", "find-roots", "--ports", "2", "--out", "file"],
        &["sweep", "one.toml", "--out", "file"],
        &["bench", "--record", "--document", "no/such/page.md"],
    ] {
        let said = lab.refused(command);
        assert!(said.contains("cannot write"), "{command:?}: {said}");
    }
    assert!(began.elapsed().as_secs() < 60);
    assert!(!lab.names(".").iter().any(|name| name.starts_with("switchlab-")));
}

/// A file system of one page.
struct Small(PathBuf);

impl Small {
    fn mount(path: PathBuf) -> Option<Self> {
        std::fs::create_dir(&path).ok()?;
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4k", "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(path))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_costs_no_result() {
    let lab = Lab::new();
    // A chart of four lines is larger than the small disk. Departures are those of one switch.
    let four = with(&RUN, &["islip", "pim", "fifo"]);
    let runs = [("--plot", four.as_slice()), ("--departures", RUN.as_slice())];
    let results = runs.map(|(_, run)| text(&lab.run(run).stdout));
    let kept = |output: &Output, result: &str, what: &str| {
        let said = text(&output.stderr);
        assert_eq!((output.status.code(), &*text(&output.stdout)), (Some(2), result), "{what}: {said}");
        assert!(said.contains("cannot write") && said.contains("No space left"), "{what}: {said}");
        assert!(!said.contains("is kept") && said.matches("os error").count() == 1, "{what}: {said}");
    };
    if Path::new("/dev/full").exists() {
        for ((option, run), result) in runs.iter().zip(&results) {
            kept(&lab.run(&with(run, &[option, "/dev/full"])), result, option);
        }
    } else {
        println!("skipped: there is no /dev/full here");
    }
    let Some(_small) = Small::mount(lab.path("small")) else {
        println!("skipped: no small file system can be mounted here");
        return;
    };
    let names = [("small/new.svg", "old.svg"), ("small/new", "old")];
    for (((option, run), result), (new, old)) in runs.iter().zip(&results).zip(names) {
        kept(&lab.run(&with(run, &[option, new])), result, option);
        assert!(lab.names("small").is_empty(), "{option} leaves nothing half-written");
        let path = format!("small/{old}");
        std::fs::write(lab.path(&path), "older").unwrap();
        let output = lab.run(&with(run, &[option, &path]));
        assert_eq!((output.status.code(), &text(&output.stdout)), (Some(2), result));
        assert_eq!((lab.names("small"), lab.read(&path)), (vec![old.to_string()], "older".to_string()));
        std::fs::remove_file(lab.path(&path)).unwrap();
    }
}
