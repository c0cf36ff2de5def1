//! `switchlab-fuzz`: throws hostile input at all targets, and writes down what came of it.

use anyhow::Context;
use clap::Parser;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use switchlab_fuzz::targets::TARGETS;
use switchlab_fuzz::{Budget, Tried, corpus, fuzz};
use switchlab_lab::digest::sha256;

/// Throws hostile input at switchlab, in this process. Exit code 1 if something panicked or hung.
#[derive(Debug, Parser)]
struct Arguments {
    /// Targets [default: all]
    targets: Vec<String>,

    /// Inputs for each target
    #[arg(long, value_name = "N", default_value = "100000", conflicts_with = "seconds")]
    inputs: u64,

    /// Go on for this long with each target instead
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,

    /// The seed of all inputs
    #[arg(long, value_name = "K", default_value = "1")]
    seed: u64,

    /// Write a table in Markdown to this file, too
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    // The message of each panic is kept with its input.
    std::panic::set_hook(Box::new(|_| {}));
    let is_wanted = |name: &str| arguments.targets.is_empty() || arguments.targets.iter().any(|wanted| wanted == name);
    if let Some(unknown) = arguments.targets.iter().find(|name| TARGETS.iter().all(|target| target.name != **name)) {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        anyhow::bail!("there is no target {unknown}; there are: {}", names.join(", "));
    }
    let budget = arguments.seconds.map_or(Budget::Inputs(arguments.inputs), |s| Budget::Time(Duration::from_secs(s)));
    let mut table =
        "| target | inputs | accepted | longest | panics and hangs |\n|---|---:|---:|---:|---:|\n".to_string();
    let (mut all, mut bad) = (0, 0);
    for target in TARGETS.iter().filter(|target| is_wanted(target.name)) {
        let Tried { inputs, accepted, findings, longest } = fuzz(target, budget, arguments.seed)?;
        table += &format!(
            "| {} | {inputs} | {accepted} | {:.2} s | {} |\n",
            target.about,
            longest.as_secs_f64(),
            findings.len()
        );
        (all, bad) = (all + inputs, bad + findings.len());
        eprintln!("{}: {inputs} inputs, {accepted} accepted, {} findings", target.name, findings.len());
        // One of each kind is kept, as a seed of the next runs.
        let mut seen = std::collections::BTreeSet::new();
        for finding in findings.iter().filter(|finding| seen.insert(finding.what.clone())) {
            let folder = corpus(target);
            std::fs::create_dir_all(&folder)?;
            let path = folder.join(format!("found-{}", &sha256(&finding.input)[..16]));
            std::fs::write(&path, &finding.input).with_context(|| format!("cannot write {}", path.display()))?;
            eprintln!("  {}: {}", path.display(), finding.what);
        }
    }
    table += &format!("| all | {all} | | | {bad} |\n");
    println!("{table}");
    if let Some(path) = arguments.record {
        std::fs::write(&path, &table).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
