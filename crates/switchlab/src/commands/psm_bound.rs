//! `switchlab psm-bound`.

use crate::cli::{Memories, MemoryAccess, PsmBoundArgs, Survivor};
use crate::interrupt;
use crate::output::{self, Incomplete};
use switchlab_lab::files::{prepare_folder, replace};
use switchlab_lab::progress::SearchProgress;
use switchlab_lab::report::memories::{BoundReport, switch, table, trace_file};
use switchlab_theory::memory_bound::{Found, Judged, Reason, Scheduler, judge, judge_all};

pub(crate) fn psm_bound(arguments: &PsmBoundArgs) -> anyhow::Result<()> {
    let PsmBoundArgs { ports, .. } = *arguments;
    let capacity = capacity(arguments);
    let states = usize::try_from(arguments.states).unwrap_or(usize::MAX);
    let schedulers = match (arguments.stripe, arguments.access, arguments.matcher) {
        (Some(stripe), ..) => vec![Scheduler::Striped(stripe)],
        (None, MemoryAccess::Single, _) => vec![Scheduler::SingleAccess],
        (None, MemoryAccess::ReadWrite, None) => vec![Scheduler::Any, Scheduler::FirstFit],
        (None, MemoryAccess::ReadWrite, Some(Survivor::Any)) => vec![Scheduler::Any],
        (None, MemoryAccess::ReadWrite, Some(Survivor::FirstFit)) => vec![Scheduler::FirstFit],
        (None, MemoryAccess::ReadWrite, Some(Survivor::Maximum)) => vec![Scheduler::Maximum],
    };
    if let Some(directory) = &arguments.out {
        prepare_folder(directory)?;
    }
    let mut all: Vec<Judged> = Vec::new();
    let announcement = format!(
        "note: searching up to {states} states for each number of memories. Ctrl-C stops with what is known; fewer --ports, --capacity or --states take less time."
    );
    let mut progress = SearchProgress::new(output::for_stderr(&announcement), interrupt::flag());
    for scheduler in schedulers {
        let watch = &mut |reached| {
            progress.goes_on(|| format!("{}: {reached} of at most {states} states of a search", scheduler.name()))
        };
        match arguments.memories {
            Memories::All => all.extend(judge_all(ports, capacity, scheduler, states, watch)?),
            Memories::Some(memories) => all.push(judge(ports, capacity, memories, scheduler, states, watch)?),
        }
    }
    progress.finish();
    all.sort_by_key(|judged| (judged.memories, judged.scheduler));
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for judged in &all {
        let mut file = None;
        if let (Some(directory), Found::Fails(trace)) = (&arguments.out, &judged.found) {
            let path = directory.join(format!("{}-{}.csv", judged.scheduler.name(), judged.memories));
            match replace(&path, trace_file(trace).as_bytes()) {
                Ok(()) => file = Some(path.display().to_string()),
                Err(error) => failed.push(error),
            }
        }
        files.push(file);
    }
    let said = output::say(&report(arguments, &all, &files)?);
    output::all_written(failed).and(said)?;
    if all.iter().any(|judged| judged.reason == Reason::Stopped) {
        return Err(Incomplete("stopped; the searches are not finished".to_string()).into());
    }
    Ok(())
}

/// Queues of striped flows have no limit; no judgement depends on it there.
fn capacity(arguments: &PsmBoundArgs) -> usize {
    arguments.capacity.unwrap_or(1)
}

fn report(arguments: &PsmBoundArgs, all: &[Judged], files: &[Option<String>]) -> anyhow::Result<String> {
    let PsmBoundArgs { ports, .. } = *arguments;
    let capacity = capacity(arguments);
    if arguments.json.json {
        let reports =
            all.iter().zip(files).map(|(judged, file)| BoundReport::new(ports, capacity, judged, file.clone()));
        return Ok(serde_json::to_string_pretty(&reports.collect::<Vec<_>>())? + "\n");
    }
    let mut text = table(ports, capacity, all);
    for (judged, file) in all.iter().zip(files) {
        if let Some(file) = file {
            let switch = switch(judged, capacity);
            text += &format!("\nswitchlab run '{switch}' --ports {ports} --traffic 'trace(file={file})'");
        }
    }
    Ok(text.trim_end().to_string() + "\n")
}
