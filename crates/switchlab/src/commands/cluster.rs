//! `switchlab cluster`.

use super::reproduce::folder;
use crate::{cli, output};
use std::path::Path;
use switchlab_lab::LabError;
use switchlab_lab::cluster::{Job, Pods, Work};
use switchlab_lab::experiment::{Experiment, Mode};
use switchlab_lab::reproduce::{choose, read};

pub(crate) fn cluster(arguments: cli::ClusterArgs) -> anyhow::Result<()> {
    let (work, out) = match &arguments.experiment {
        Some(file) => sweep(file, &arguments)?,
        None => reproduce(&arguments.reproduce)?,
    };
    let job = Job {
        work,
        out: arguments.out.unwrap_or_else(|| Path::new("out").join(out)),
        workers: arguments.workers,
        threads: arguments.threads,
        time: arguments.time,
        memory: arguments.memory,
        shards: arguments.shards,
        program: arguments.program,
        pods: Pods { image: arguments.image, claim: arguments.claim },
    };
    output::say(&job.script(arguments.engine.into())?)
}

/// An experiment's file, checked here: a mistake would otherwise be found by all workers.
fn sweep(file: &Path, arguments: &cli::ClusterArgs) -> Result<(Work, String), LabError> {
    let mode = if arguments.quick { Mode::Quick } else { Mode::Full };
    let experiment = Experiment::load_with(file, mode, &arguments.set)?;
    let text = std::fs::read_to_string(file).map_err(|source| LabError::Read { path: file.to_owned(), source })?;
    let settings = arguments.set.iter().flat_map(|(key, value)| ["--set".to_string(), format!("{key}={value}")]);
    let quick = arguments.quick.then(|| "--quick".to_string());
    let no_locks = arguments.no_locks.then(|| "--no-locks".to_string());
    let options = settings.chain(quick).chain(no_locks).collect();
    let work = Work::Sweep { file: file.to_owned(), text, id: experiment.id.clone(), options };
    Ok((work, experiment.id))
}

/// Papers by name, checked here too; "all" stands for all of them.
fn reproduce(wanted: &[String]) -> Result<(Work, String), LabError> {
    let wanted: Vec<String> = if wanted.iter().any(|name| name == "all") { Vec::new() } else { wanted.to_vec() };
    choose(read(&folder(None)?, Mode::Full)?, &wanted)?;
    Ok((Work::Reproduce { wanted }, "papers".to_string()))
}
