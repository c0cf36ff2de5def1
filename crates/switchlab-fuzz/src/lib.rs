//! Hostile input, in this process. A target takes any bytes where the program takes a file or an
//! argument. It must come back: with a result or with an error. A panic, or ten seconds without an
//! answer, is a mistake of ours.
//!
//! ```text
//!   corpus/TARGET/*  ──mutate──►  target(bytes)  ──►  accepted | refused | panic | slow
//! ```
//!
//! Inputs are made from a corpus by random changes, from a seed: the same seed gives the same
//! inputs. `fuzz/` has the same targets for cargo-fuzz, which is guided by coverage and needs a
//! nightly compiler.

pub mod mutate;
pub mod targets;

use mutate::Generator;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use targets::{Lab, Target};

/// An input that takes longer is a hang.
pub const SLOW: Duration = Duration::from_secs(10);

/// What came of the inputs of one target.
#[derive(Debug, Default)]
pub struct Tried {
    /// How many inputs.
    pub inputs: u64,
    /// How many of them were accepted.
    pub accepted: u64,
    /// Inputs that panicked, or took longer than [`SLOW`].
    pub findings: Vec<Finding>,
    /// The longest time of one input.
    pub longest: Duration,
}

/// An input that should not have done this.
#[derive(Debug)]
pub struct Finding {
    /// The input.
    pub input: Vec<u8>,
    /// What it did.
    pub what: String,
}

/// How long to go on.
#[derive(Clone, Copy, Debug)]
pub enum Budget {
    /// A number of inputs.
    Inputs(u64),
    /// A length of time.
    Time(Duration),
}

/// The corpus beside the sources.
pub fn corpus(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}

/// The seeds of a target: what its generator begins with, and what was found before.
pub fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = (target.seeds)();
    let files = std::fs::read_dir(corpus(target)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = files.map(|file| file.path()).collect();
    paths.sort();
    seeds.extend(paths.iter().filter_map(|path| std::fs::read(path).ok()));
    seeds
}

/// Throws inputs at a target: its seeds first, then changes of them.
pub fn fuzz(target: &Target, budget: Budget, seed: u64) -> std::io::Result<Tried> {
    let lab = Lab::new()?;
    let seeds = seeds(target);
    let mut generator = Generator::new(seeds.clone(), target.words, seed);
    let mut tried = Tried::default();
    let begun = Instant::now();
    let mut first = seeds.into_iter();
    loop {
        let is_over = match budget {
            Budget::Inputs(inputs) => tried.inputs >= inputs,
            Budget::Time(time) => begun.elapsed() >= time,
        };
        if is_over {
            return Ok(tried);
        }
        let input = first.next().unwrap_or_else(|| generator.next());
        attempt(target, &lab, input, &mut tried);
    }
}

/// One input for the target of this name, for a fuzzer that makes the inputs itself.
///
/// # Panics
///
/// If there is no such target or no folder for files; or if the target does.
pub fn once(name: &str, input: &[u8]) -> bool {
    thread_local! {
        static LAB: Lab = Lab::new().expect("a folder for files");
    }
    let target = targets::TARGETS.iter().find(|target| target.name == name).expect("a target");
    LAB.with(|lab| (target.run)(lab, input))
}

/// One input.
fn attempt(target: &Target, lab: &Lab, input: Vec<u8>, tried: &mut Tried) {
    let begun = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(lab, &input)));
    let took = begun.elapsed();
    tried.inputs += 1;
    tried.longest = tried.longest.max(took);
    match outcome {
        Ok(accepted) => tried.accepted += u64::from(accepted),
        Err(panic) => {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            tried.findings.push(Finding { input: input.clone(), what: words.to_string() });
        }
    }
    if took > SLOW {
        tried.findings.push(Finding { input, what: format!("{} s without an answer", took.as_secs()) });
    }
}
