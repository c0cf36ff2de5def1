//! A switch in a process of its own: its caches hold nothing else, and its memory can be measured.
//!
//! A process is run several times, and each piece of its slots counts with the least of its times:
//! it did the same work each time, and other load on the machine can only have added time. The
//! figure of a switch is the mean over all pieces, not the least: some work is deferred for a few
//! hundred slots, and the least piece would be one without it.

use super::{Config, Part, least, parts};
use crate::error::LabError;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The second half of the slots is timed in this many pieces.
const PIECES: u64 = 10;

/// What one process measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The time of a slot, in each piece of the second half of the run.
    pub nanoseconds_per_slot: Vec<f64>,
    /// The most resident memory, less what the process had before.
    pub bytes: Option<u64>,
}

/// Time and memory of a run in a process of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alone {
    /// The time of a slot, over all pieces of the second half of the run, each with the least time
    /// of any process.
    pub nanoseconds_per_slot: f64,
    /// The most resident memory, less what the process had before: arrivals, switch, queues and
    /// meters. None where `/proc` does not tell.
    pub bytes: Option<u64>,
}

impl Alone {
    /// From processes that all did the same work.
    pub(super) fn of(rounds: &[Round]) -> Self {
        let pieces = rounds.iter().map(|round| round.nanoseconds_per_slot.len()).min().unwrap_or(0);
        let times = |piece| rounds.iter().map(|round| round.nanoseconds_per_slot[piece]).collect::<Vec<f64>>();
        let sum: f64 = (0..pieces).map(|piece| least(&times(piece))).sum();
        Self {
            nanoseconds_per_slot: sum / pieces as f64,
            // The same slots take the same memory, but for pages of the program itself.
            bytes: rounds.iter().filter_map(|round| round.bytes).max(),
        }
    }
}

/// Runs the first switch of a plan, or a part of it, for this many slots. To be called in a process
/// that has done nothing else.
pub fn alone(plan: &Plan, slots: u64, part: Part) -> Result<Round, LabError> {
    let before = memory("VmRSS:");
    let nanoseconds_per_slot = if part == Part::Whole {
        let mut run = Run::new(plan, 0, 0)?;
        let time = time(slots, |slots| run.advance(slots, None, &Progress::none()))?;
        if run.ended_early() {
            return Err(LabError::Request(format!("{}: the cells do not fit the memory", plan.switches[0].args)));
        }
        time
    } else {
        let mut advance = parts::without_meters(plan, part)?;
        time(slots, |slots| {
            advance(slots);
            Ok(())
        })?
    };
    let bytes = before.zip(memory("VmHWM:")).map(|(before, most)| most.saturating_sub(before));
    Ok(Round { nanoseconds_per_slot, bytes })
}

/// Runs this many slots. Returns the time of a slot in each piece of the second half.
fn time(slots: u64, mut advance: impl FnMut(u64) -> Result<(), LabError>) -> Result<Vec<f64>, LabError> {
    advance(slots / 2)?;
    let piece = (slots / 2 / PIECES).max(1);
    let mut times = Vec::new();
    for _ in 0..PIECES {
        let begun = Instant::now();
        advance(piece)?;
        times.push(begun.elapsed().as_nanos() as f64 / piece as f64);
    }
    Ok(times)
}

/// A line of `/proc/self/status`, in bytes. A counting allocator was rejected: it would need
/// `unsafe`, and resident pages are what limits a machine.
fn memory(line: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|it| it.strip_prefix(line))?.trim().strip_suffix("kB")?;
    Some(1024 * kilobytes.trim().parse::<u64>().ok()?)
}

/// The command that runs a switch alone in `program`, which is this program.
pub(super) fn command(
    wrapper: &[&str],
    program: &Path,
    switch: &str,
    config: &Config,
    slots: u64,
    part: Part,
) -> Command {
    let mut words: Vec<std::ffi::OsString> = wrapper.iter().map(Into::into).collect();
    words.push(program.into());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).args(["bench", switch, "--alone", &slots.to_string()]);
    command.args(["--ports", &config.ports.to_string(), "--load", &config.load.to_string()]);
    command.args(["--traffic", &config.traffic, "--arrivals", &config.arrivals, "--seed", &config.seed.to_string()]);
    command.args(["--part", part.name()]).stdin(Stdio::null());
    command
}

/// Runs a switch in a process of its own.
pub(super) fn in_a_process(
    program: &Path,
    switch: &str,
    config: &Config,
    slots: u64,
    part: Part,
) -> Result<Round, LabError> {
    let output = command(&[], program, switch, config, slots, part).output();
    let output = output.map_err(|error| LabError::Request(format!("cannot run {}: {error}", program.display())))?;
    if !output.status.success() {
        return Err(LabError::Request(format!("{switch}: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| LabError::Request(format!("{switch}: its process did not give its figures: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_at_its_quickest() {
        let round = |pieces: [f64; 3], bytes| Round { nanoseconds_per_slot: pieces.to_vec(), bytes };
        // The second piece is the longest, whatever load disturbs the others.
        let rounds = [round([4.0, 9.0, 1.0], Some(7)), round([2.0, 12.0, 3.0], None), round([5.0, 6.0, 2.0], Some(8))];
        assert_eq!(Alone::of(&rounds), Alone { nanoseconds_per_slot: 3.0, bytes: Some(8) });
        assert!(Alone::of(&[]).nanoseconds_per_slot.is_nan());
    }
}
