//! Memory as the system sees it: the peak resident set of the program stays within what `--memory`
//! promises.
//!
//! Promised are five quarters of `--memory`, or of the state before the first cell where the
//! program announces that this alone is more, beside what the program takes for a trivial run (its
//! code, and pages of the allocator).

use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use switchlab_core::registry;

const MIB: u64 = 1 << 20;

/// What a program took, how it ended, and what it said.
struct Ended {
    /// The peak resident set in bytes; None where the system does not tell.
    peak: Option<u64>,
    code: Option<i32>,
    stderr: String,
}

/// The peak of the resident set so far.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kib| kib << 10)
}

/// Runs the program, and looks at its peak until it ends or `until` has passed. What it prints is
/// thrown away.
fn watch(arguments: &[&str], until: Duration) -> Ended {
    let folder = tempfile::tempdir().expect("a folder");
    let errors = folder.path().join("errors");
    let mut child = Command::new(env!("CARGO_BIN_EXE_switchlab"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&errors).expect("a file"))
        .spawn()
        .expect("the program starts");
    let (mut most, began) = (None, Instant::now());
    let code = loop {
        most = peak(child.id()).max(most);
        if let Some(status) = child.try_wait().expect("the program can be waited for") {
            break status.code();
        }
        if began.elapsed() > until {
            child.kill().expect("the program can be stopped");
            child.wait().expect("the program can be waited for");
            break None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    Ended { peak: most, code, stderr: std::fs::read_to_string(errors).expect("text") }
}

fn run(arguments: &[&str]) -> Ended {
    watch(arguments, Duration::from_mins(5))
}

/// What the program takes for next to nothing. None if the system does not tell: then nothing is
/// measured, and the test says so.
fn baseline() -> Option<u64> {
    let ended = run(&["run", "oq", "--ports", "2", "--load", "0.5", "--slots", "1000", "--replications", "1"]);
    if ended.peak.is_none() {
        eprintln!("skipped: /proc does not tell the peak resident set");
    }
    ended.peak
}

/// The state before the first cell, where the program says that it is more than the memory.
fn announced(stderr: &str) -> u64 {
    let size = stderr.split_once(" takes ").and_then(|(_, rest)| rest.split_once("MiB before the first cell"));
    size.and_then(|(size, _)| size.parse::<u64>().ok()).map_or(0, |mib| mib * MIB)
}

/// All switches of the registry, filled until the memory ends their run. With bursts that outlast
/// the run, each input sends to one output all the time, and a third of the outputs gets nothing:
/// cells pile up in every switch but psm, which drops them.
#[test]
fn every_switch_stays_within_its_memory() {
    let Some(baseline) = baseline() else { return };
    let (mut failures, mut ended_early, memory) = (String::new(), 0, 16 * MIB);
    for (ports, slots) in [("16", "200000"), ("64", "50000"), ("1024", "1500")] {
        for entry in registry::SWITCHES {
            let ended = run(&[
                &["run", entry.name, "--ports", ports, "--load", "1", "--arrivals", "bursty(mean=100000)"][..],
                &["--slots", slots, "--warmup", "0", "--replications", "1", "--memory", "16MiB", "--threads", "1"],
            ]
            .concat());
            let promised = memory.max(announced(&ended.stderr)) * 5 / 4;
            let most = ended.peak.expect("it was told before");
            if ended.code != Some(0) || most > promised + baseline {
                let (most, promised, baseline) = (most >> 10, promised >> 10, baseline >> 10);
                let about = format!("{most} KiB, {promised} promised beside {baseline}, exit code {:?}", ended.code);
                writeln!(failures, "{}, {ports} ports: {about}, {}", entry.name, ended.stderr).expect("a string");
            }
            ended_early += usize::from(ended.stderr.contains("ended early"));
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
    assert!(ended_early >= 3 * (registry::SWITCHES.len() - 1), "only {ended_early} runs reached their limit");
}

/// As many threads as there are runs: they share the memory.
#[test]
fn runs_at_once_share_the_memory() {
    let Some(baseline) = baseline() else { return };
    let ended = run(&[
        "run",
        "pim",
        "fifo",
        "--ports",
        "64",
        "--load",
        "1",
        "--slots",
        "100000",
        "--warmup",
        "0",
        "--replications",
        "8",
        "--memory",
        "32MiB",
        "--threads",
        "16",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stderr.contains("pim: 8 runs ended early"), "{}", ended.stderr);
    let most = ended.peak.expect("it was told before");
    assert!(most <= 40 * MIB + baseline, "{} KiB", most >> 10);
}

/// Tables that a capacity makes larger than the memory are refused before they are touched.
#[test]
fn tables_larger_than_the_memory_are_refused() {
    let psm = |memory: &str, slots: &str| {
        run(&[
            "run",
            "psm(capacity=2000000)",
            "--ports",
            "16",
            "--load",
            "0.9",
            "--slots",
            slots,
            "--warmup",
            "0",
            "--replications",
            "4",
            "--memory",
            memory,
            "--threads",
            "1",
        ])
    };
    let ended = psm("64MiB", "2500000");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("reserves 496MiB") && ended.stderr.contains("raise --memory to 496MiB"),
        "{}",
        ended.stderr
    );
    assert!(ended.peak.is_none_or(|most| most < 64 * MIB));
    // And the advice is good.
    let ended = psm("496MiB", "100");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

/// Slots are printed and forgotten. One of 2048 ports shows 16 MiB of queues, one of 4096 shows 64.
#[test]
fn steps_are_not_kept() {
    let Some(baseline) = baseline() else { return };
    let slots = |count: &str, json: &[&str]| {
        let arguments = ["step", "islip", "--ports", "2048", "--load", "0.9", "--slots", count];
        let ended = run(&[&arguments[..], json].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.peak.expect("it was told before")
    };
    for json in [&[][..], &["--json"]] {
        let (few, many) = (slots("2", json), slots("20", json));
        // A slot's view of the queues is 16 MiB.
        assert!(many < few + 24 * MIB + baseline / 4, "{} and {} KiB", few >> 10, many >> 10);
    }
    // The largest switch, for as long as a test may take.
    let ended =
        watch(&["step", "islip", "--ports", "4096", "--load", "0.9", "--slots", "10000"], Duration::from_secs(8));
    assert!(ended.code.is_none() || ended.code == Some(0), "{}", ended.stderr);
    let most = ended.peak.expect("it was told before");
    assert!(most < 512 * MIB, "{} KiB", most >> 10);
}
