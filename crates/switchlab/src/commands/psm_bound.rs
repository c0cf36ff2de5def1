//! `switchlab psm-bound`.

use crate::cli::{Memories, PsmBound, Survivor};
use crate::output;
use std::path::Path;
use switchlab_core::memory_bound::{Found, Judged, Scheduler, judge, judge_all};
use switchlab_lab::LabError;
use switchlab_lab::report::memories::{BoundReport, switch, table, trace_file};

pub(crate) fn psm_bound(arguments: &PsmBound) -> anyhow::Result<()> {
    let PsmBound { ports, capacity, .. } = *arguments;
    let states = usize::try_from(arguments.states).unwrap_or(usize::MAX);
    let schedulers = match arguments.matcher {
        None => vec![Scheduler::Any, Scheduler::FirstFit],
        Some(Survivor::Any) => vec![Scheduler::Any],
        Some(Survivor::FirstFit) => vec![Scheduler::FirstFit],
    };
    let mut all: Vec<Judged> = Vec::new();
    for scheduler in schedulers {
        match arguments.memories {
            Memories::All => all.extend(judge_all(ports, capacity, scheduler, states)?),
            Memories::Some(memories) => all.push(judge(ports, capacity, memories, scheduler, states)?),
        }
    }
    all.sort_by_key(|judged| (judged.memories, judged.scheduler));
    let mut files = Vec::new();
    for judged in &all {
        files.push(match (&arguments.out, &judged.found) {
            (Some(directory), Found::Fails(trace)) => {
                let name = format!("{}-{}.csv", judged.scheduler.name(), judged.memories);
                Some(write(directory, &name, &trace_file(trace))?)
            }
            _ => None,
        });
    }
    if arguments.json {
        let reports =
            all.iter().zip(&files).map(|(judged, file)| BoundReport::new(ports, capacity, judged, file.clone()));
        return output::say(&(serde_json::to_string_pretty(&reports.collect::<Vec<_>>())? + "\n"));
    }
    let mut text = table(ports, capacity, &all);
    for (judged, file) in all.iter().zip(&files) {
        if let Some(file) = file {
            let switch = switch(judged, capacity);
            text += &format!("\nswitchlab run '{switch}' --ports {ports} --traffic 'trace(file={file})'");
        }
    }
    output::say(&(text.trim_end().to_string() + "\n"))
}

fn write(directory: &Path, name: &str, text: &str) -> Result<String, LabError> {
    let path = directory.join(name);
    let failed = |source| LabError::Write { path: path.clone(), source };
    std::fs::create_dir_all(directory).map_err(failed)?;
    std::fs::write(&path, text).map_err(failed)?;
    Ok(path.display().to_string())
}
