//! Sweeps as a user has them: killed, doubled, split, damaged, out of space.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use switchlab_core::Seed;
use switchlab_core::rng::Purpose;

/// Units in the experiment below.
const UNITS: usize = 2 * 2 * 2 * 6;
const THREADS: usize = 2;

const EXPERIMENT: &str = r#"
title = "A grid of a few seconds"
source = "this test"
switches = ["oq", "islip(iterations={k})"]
ports = 16
loads = [0.5, 0.95]
vary = { k = [1, 2] }
slots = SLOTS
replications = 6
"#;

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    fn new(slots: u32) -> Self {
        let lab = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        std::fs::write(lab.path("grid.toml"), EXPERIMENT.replace("SLOTS", &slots.to_string())).unwrap();
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
        command.current_dir(self.folder.path()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    fn sweep(&self, dir: &str) -> Output {
        let output = self.run(&["sweep", "grid.toml", "--out", dir, "--threads", &THREADS.to_string()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        output
    }

    fn tables(&self, dir: &str) -> [Vec<u8>; 2] {
        ["results.csv", "results.parquet"].map(|name| std::fs::read(self.path(dir).join(name)).expect(name))
    }

    fn lines(&self, dir: &str) -> Vec<String> {
        let store = std::fs::read_to_string(self.path(dir).join("units.jsonl")).unwrap_or_default();
        store.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_string).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn keys(lines: &[String]) -> BTreeSet<&str> {
    lines.iter().filter_map(|line| line.split('"').nth(3)).collect()
}

fn units_run(output: &Output) -> usize {
    let said = text(&output.stderr);
    let number = |line: &str| Some(line.strip_suffix(" units run").or(line.strip_suffix(" unit run"))?.to_string());
    said.lines().find_map(number).expect("the number of units run").parse().expect("a number")
}

#[test]
fn killed_ten_times_and_none_the_worse() {
    let lab = Lab::new(60_000);
    let undisturbed = std::time::Instant::now();
    assert_eq!(units_run(&lab.sweep("whole")), distinct());
    let length = undisturbed.elapsed();
    let mut moments = Seed { seed: 7, replication: 0 }.stream(Purpose::Pattern, 0);
    let mut done = 0;
    for kill in 0..10 {
        let mut child = lab.command(&["sweep", "grid.toml", "--out", "killed", "--threads", "2"]).spawn().unwrap();
        // Up to a sixth of the whole, so that most of the ten hit a sweep that is not finished.
        let moment =
            Duration::from_secs_f64(length.as_secs_f64() / 6.0 * (moments.next() >> 11) as f64 / (1u64 << 53) as f64);
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let lines = lab.lines("killed");
        assert_eq!(keys(&lines).len(), lines.len(), "a unit was computed twice by kill {kill}");
        assert!(lines.len() >= done, "results were lost by kill {kill}");
        done = lines.len();
    }
    // What was finished is not run again; what was in flight is.
    assert_eq!(units_run(&lab.sweep("killed")), distinct() - done);
    let lines = lab.lines("killed");
    assert_eq!((lines.len(), keys(&lines).len()), (distinct(), distinct()));
    assert_eq!(lab.tables("killed"), lab.tables("whole"));
    assert_eq!(std::fs::read_dir(lab.path("killed/leases")).unwrap().count(), 0);
    assert_eq!(units_run(&lab.sweep("killed")), 0);
    assert_eq!(lab.tables("killed"), lab.tables("whole"));
    println!("killed ten times, with {done} of {} units done by then", distinct());
}

/// Output queueing does not depend on k, so its units are the same for both values.
fn distinct() -> usize {
    UNITS * 3 / 4
}

#[test]
fn without_locks_processes_write_files_of_their_own() {
    let lab = Lab::new(60_000);
    lab.sweep("alone");
    let apart = ["sweep", "grid.toml", "--out", "apart", "--threads", "1", "--no-locks"];
    let begun: Vec<_> = (0..2).map(|_| lab.command(&apart).spawn().expect("the program starts")).collect();
    for process in begun {
        let output = process.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("a file of units of its own"), "{}", text(&output.stderr));
    }
    assert_eq!(lab.tables("apart"), lab.tables("alone"));
    let names = std::fs::read_dir(lab.path("apart")).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let parts = names.iter().filter(|name| name.starts_with("units.") && *name != "units.jsonl");
    assert_eq!(parts.count(), 2, "{names:?}");
    assert!(lab.lines("apart").is_empty());
    // Where locks hold, the union is there, and nothing is run again.
    let output = lab.sweep("apart");
    assert_eq!(units_run(&output), 0);
    assert_eq!(lab.run(&["status", "apart"]).status.code(), Some(0));
}

#[test]
fn two_processes_share_a_directory() {
    let lab = Lab::new(20_000);
    lab.sweep("whole");
    let start =
        |threads| lab.command(&["sweep", "grid.toml", "--out", "shared", "--threads", threads]).spawn().unwrap();
    let children = [start("1"), start("2")];
    let outputs = children.map(|child| child.wait_with_output().unwrap());
    let ran: Vec<usize> = outputs.iter().map(units_run).collect();
    assert!(outputs.iter().all(|output| output.status.success()));
    assert_eq!(ran.iter().sum::<usize>(), distinct(), "{ran:?}");
    assert_eq!((lab.lines("shared").len(), keys(&lab.lines("shared")).len()), (distinct(), distinct()));
    assert_eq!(lab.tables("shared"), lab.tables("whole"));
    assert_eq!(outputs[0].stdout, outputs[1].stdout);
}

#[test]
fn one_takes_over_what_another_was_killed_at() {
    let lab = Lab::new(60_000);
    let mut first = lab.command(&["sweep", "grid.toml", "--out", "shared"]).spawn().unwrap();
    let second = lab.command(&["sweep", "grid.toml", "--out", "shared"]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    first.kill().unwrap();
    first.wait().unwrap();
    let second = second.wait_with_output().unwrap();
    assert!(second.status.success(), "{}", text(&second.stderr));
    assert_eq!((lab.lines("shared").len(), keys(&lab.lines("shared")).len()), (distinct(), distinct()));
}

#[test]
fn shards_joined_are_the_whole() {
    let lab = Lab::new(5_000);
    lab.sweep("whole");
    for (shard, dir) in [("1/2", "a"), ("2/2", "b")] {
        let output = lab.run(&["sweep", "grid.toml", "--out", dir, "--shard", shard]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(!lab.path(dir).join("results.csv").exists(), "a part has no table");
    }
    assert_eq!(lab.lines("a").len() + lab.lines("b").len(), distinct());
    let early = lab.run(&["merge", "a", "--out", "half"]);
    assert_eq!(early.status.code(), Some(3), "{}", text(&early.stderr));
    assert!(text(&early.stderr).contains("more are needed"), "{}", text(&early.stderr));
    let joined = lab.run(&["merge", "b", "a", "--out", "joined"]);
    assert!(joined.status.success(), "{}", text(&joined.stderr));
    assert_eq!(lab.tables("joined"), lab.tables("whole"));
    // Again, onto itself: nothing is added.
    assert!(lab.run(&["merge", "a", "joined", "--out", "joined"]).status.success());
    assert_eq!(lab.lines("joined").len(), distinct());
}

#[test]
fn how_far_a_sweep_is() {
    let lab = Lab::new(2_000);
    assert_eq!(lab.run(&["status", "nowhere"]).status.code(), Some(2));
    let part = lab.run(&["sweep", "grid.toml", "--out", "a", "--shard", "1/3"]);
    assert!(part.status.success(), "{}", text(&part.stderr));
    let done = lab.lines("a").len();
    let json = |dirs: &[&str]| -> (Option<i32>, serde_json::Value) {
        let output = lab.run(&[&["status"], dirs, &["--json"]].concat());
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    };
    let (code, status) = json(&["a"]);
    assert_eq!((code, &status["all"]["done"], &status["all"]["units"]), (Some(3), &done.into(), &distinct().into()));
    assert_eq!((&status["all"]["running"], &status["all"]["missing"]), (&0.into(), &(distinct() - done).into()));
    assert!(status["seconds_left"].is_u64(), "{status}");
    let words = text(&lab.run(&["status", "a"]).stdout);
    assert!(words.contains("islip(iterations=2)") && words.contains("left"), "{words}");
    for shard in ["2/3", "3/3"] {
        assert!(lab.run(&["sweep", "grid.toml", "--out", "b", "--shard", shard]).status.success());
    }
    let (code, status) = json(&["a", "b"]);
    assert_eq!((code, &status["all"]["done"], &status["seconds_left"]), (Some(0), &distinct().into(), &0.into()));
    // The lease of a process that was killed.
    std::fs::create_dir_all(lab.path("c/leases")).unwrap();
    for file in ["experiment.json", "units.jsonl"] {
        std::fs::copy(lab.path("a").join(file), lab.path("c").join(file)).unwrap();
    }
    let others = lab.lines("b");
    let key = keys(&others).into_iter().next().unwrap().to_string();
    let lease = lab.path("c/leases").join(format!("{key}.switchlab-lease"));
    std::fs::write(&lease, format!("switchlab lease of {key}\n")).unwrap();
    let (_, status) = json(&["c"]);
    assert_eq!((&status["all"]["stopped"], &status["all"]["running"]), (&1.into(), &0.into()));
    let held = std::fs::File::open(&lease).unwrap();
    held.lock().unwrap();
    let (_, status) = json(&["c"]);
    assert_eq!((&status["all"]["stopped"], &status["all"]["running"]), (&0.into(), &1.into()));
    assert_eq!(json(&["a", "c"]).1["all"]["running"], 1);
}

#[test]
fn a_sweep_that_is_told_to_stop_finishes_what_is_in_hand() {
    let lab = Lab::new(60_000);
    lab.sweep("whole");
    let none = lab.run(&["sweep", "grid.toml", "--out", "part", "--time-limit", "0s"]);
    assert_eq!((none.status.code(), lab.lines("part").len()), (Some(3), 0), "{}", text(&none.stderr));
    assert!(text(&none.stderr).contains(&format!("{} units are left", distinct())), "{}", text(&none.stderr));
    for signal in ["-TERM", "-INT"] {
        let before = lab.lines("part").len();
        let child = lab.command(&["sweep", "grid.toml", "--out", "part", "--threads", "2"]).spawn().unwrap();
        while lab.lines("part").len() <= before {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let done = lab.lines("part").len();
        assert!(before < done && done < distinct(), "{done}");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("stopped; {} units are left", distinct() - done)), "{said}");
        assert_eq!(std::fs::read_dir(lab.path("part/leases")).unwrap().count(), 0);
    }
    lab.sweep("part");
    assert_eq!(lab.tables("part"), lab.tables("whole"));
}

#[test]
fn shards_that_contradict_each_other_are_refused() {
    let lab = Lab::new(500);
    lab.sweep("a");
    // The same units with the results of another seed, honestly summed: as from a program that was
    // changed without a new version.
    std::fs::create_dir(lab.path("b")).unwrap();
    std::fs::copy(lab.path("a/units.jsonl"), lab.path("b/units.jsonl")).unwrap();
    let lines = lab.lines("a");
    let forged = lines[0].replacen("\"ended_early\":null", "\"ended_early\":7", 1);
    let body = forged.split(",\"sum\"").next().unwrap();
    let sum = &switchlab_lab::digest::sha256(body.as_bytes())[..16];
    std::fs::write(lab.path("b/units.jsonl"), format!("{body},\"sum\":\"{sum}\"}}\n")).unwrap();
    let output = lab.run(&["merge", "a", "b", "--out", "joined"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("contradicts"), "{}", text(&output.stderr));
    assert_eq!(lab.run(&["merge", "nowhere", "--out", "joined"]).status.code(), Some(2));
}

#[test]
fn a_damaged_line_is_reported_and_its_unit_run_again() {
    let lab = Lab::new(1_000);
    lab.sweep("whole");
    lab.sweep("damaged");
    let mut bytes = std::fs::read(lab.path("damaged/units.jsonl")).unwrap();
    let fifth = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(3).unwrap().0;
    bytes[fifth + 300] ^= 4;
    bytes.extend_from_slice(b"{\"key\":\"torn");
    std::fs::write(lab.path("damaged/units.jsonl"), bytes).unwrap();
    let output = lab.sweep("damaged");
    let said = text(&output.stderr);
    assert!(said.contains("units.jsonl: line 5 does not match its checksum"), "{said}");
    assert!(said.contains(&format!("line {} was cut short", distinct() + 1)), "{said}");
    assert_eq!(units_run(&output), 1);
    assert_eq!(lab.tables("damaged"), lab.tables("whole"));
}

#[test]
fn a_replay_is_the_same_and_a_forgery_is_not() {
    let lab = Lab::new(1_000);
    lab.sweep("whole");
    let manifest = std::fs::read_to_string(lab.path("whole/manifest.json")).unwrap();
    let output = lab.run(&["replay", "whole/manifest.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("the same"));
    assert_eq!(lab.run(&["replay", "whole/manifest.json", "--out", "whole"]).status.code(), Some(2));
    assert_eq!(lab.run(&["replay", "whole/manifest.json", "--out", "again"]).status.code(), Some(0));
    assert_eq!(lab.tables("again"), lab.tables("whole"));

    let replay = |content: &str| {
        std::fs::write(lab.path("m.json"), content).unwrap();
        let output = lab.run(&["replay", "m.json"]);
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = replay(&manifest.replacen("stable", "unstable", 1));
    assert!(code == Some(1) && said.contains("was altered"), "{code:?} {said}");
    let (code, said) = replay("{}");
    assert!(code == Some(2) && said.contains("is not a manifest"), "{code:?} {said}");
    assert_eq!(lab.run(&["replay", "nowhere.json"]).status.code(), Some(2));

    // A forged manifest with a right hash is found by running it.
    let mut forged = switchlab_lab::manifest::Manifest::load(&lab.path("whole/manifest.json")).unwrap();
    assert!(forged.is_unaltered());
    forged.points[1].sha256 = forged.points[0].sha256.clone();
    forged.results_sha256.replace_range(..4, "0000");
    forged.manifest_sha256.clear();
    forged.manifest_sha256 = switchlab_lab::digest::sha256(serde_json::to_string(&forged).unwrap().as_bytes());
    let (code, said) = replay(&serde_json::to_string(&forged).unwrap());
    assert!(code == Some(1) && said.contains("not the same") && said.contains("islip"), "{code:?} {said}");
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let lab = Lab::new(500);
    lab.sweep("whole");
    let before = lab.lines("whole");
    for path in ["whole/leases", "whole/units.jsonl", "whole"] {
        std::fs::set_permissions(lab.path(path), std::fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut command = lab.command(&["sweep", "grid.toml", "--out", "whole"]);
    if std::fs::write(lab.path("whole/probe"), "").is_ok() {
        // Permissions do not bind root: the test runs as the user nobody, with a copy of the
        // program that this user can read.
        std::fs::remove_file(lab.path("whole/probe")).unwrap();
        std::fs::set_permissions(lab.folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::copy(env!("CARGO_BIN_EXE_switchlab"), lab.path("switchlab")).unwrap();
        command = Command::new(lab.path("switchlab"));
        command.current_dir(lab.folder.path()).args(["sweep", "grid.toml", "--out", "whole"]).uid(65534).gid(65534);
    }
    // Busy while another test, in the middle of starting its program, still holds our copy open for
    // writing.
    let tries = std::iter::repeat_with(|| {
        std::thread::sleep(Duration::from_millis(20));
        command.output()
    });
    let busy = |tried: &std::io::Result<Output>| {
        tried.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ExecutableFileBusy)
    };
    match tries.take(500).find(|tried| !busy(tried)).expect("a free copy of the program") {
        Ok(output) => {
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(said.contains("cannot write") && said.contains("whole"), "{said}");
        }
        Err(error) => println!("skipped: cannot run as another user here: {error}"),
    }
    std::fs::set_permissions(lab.path("whole"), std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(lab.lines("whole"), before);
}

/// A file system of a few kilobytes, if we may mount one.
struct Small(PathBuf);

impl Small {
    fn mount(path: PathBuf) -> Option<Self> {
        std::fs::create_dir(&path).ok()?;
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=40k", "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(path))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let lab = Lab::new(1_000);
    lab.sweep("whole");
    if let Some(small) = Small::mount(lab.path("small")) {
        full_disk(&lab, &small.0);
    } else {
        println!("skipped: no small file system can be mounted here");
    }
}

fn full_disk(lab: &Lab, small: &Path) {
    let output = lab.run(&["sweep", "grid.toml", "--out", "small"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write small/") && said.contains("what was written before is kept"), "{said}");
    let kept = lab.lines("small");
    assert!(!kept.is_empty() && kept.len() < distinct(), "{}", kept.len());
    // With more room, it goes on from there.
    let grown = Command::new("mount").args(["-o", "remount,size=8m"]).arg(small).output();
    assert!(grown.is_ok_and(|output| output.status.success()));
    assert_eq!(units_run(&lab.sweep("small")), distinct() - kept.len());
    assert_eq!(lab.tables("small"), lab.tables("whole"));
}

#[test]
fn tables_open_elsewhere() {
    let lab = Lab::new(1_000);
    lab.sweep("whole");
    let [csv, parquet] = lab.tables("whole");
    let csv = text(&csv);
    let header = "experiment,switch,ports,traffic,arrivals,load,k,slots,warmup,seed,replications,verdict,delay,delay_ci95,\
                  delay_p50,delay_p90,delay_p99,delay_p999,delay_p9999,delay_max,throughput,throughput_ci95,backlog,arrived,\
                  departed,dropped,queued,out_of_order,fairness,loss,delay_p50_low,delay_p50_high,delay_p90_low,\
                  delay_p90_high,delay_p99_low,delay_p99_high,delay_p999_low,delay_p999_high,delay_p9999_low,\
                  delay_p9999_high,counters.bits_per_port,counters.iterations";
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().count(), 1 + UNITS / 6);
    assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"));
    let script = "import pandas; p = pandas.read_parquet('whole/results.parquet'); c = pandas.read_csv('whole/results.csv'); \
                  pandas.testing.assert_frame_equal(p, c, check_dtype=False); print(len(p))";
    let output = Command::new("python3").current_dir(lab.folder.path()).args(["-c", script]).output();
    match output {
        Ok(output) if output.status.success() => assert_eq!(text(&output.stdout).trim(), (UNITS / 6).to_string()),
        Ok(output)
            if text(&output.stderr).contains("ModuleNotFoundError") || text(&output.stderr).contains("ImportError") =>
        {
            println!("skipped: pandas and pyarrow are not installed");
        }
        Ok(output) => panic!("{}", text(&output.stderr)),
        Err(error) => println!("skipped: no python3: {error}"),
    }
}
