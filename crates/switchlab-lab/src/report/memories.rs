//! How many memories are enough, as JSON and as text.

use crate::text_table::TextTable;
use serde::Serialize;
use switchlab_core::traffic::trace::Arrival;
use switchlab_theory::memory_bound::{Found, Judged, Reason, Scheduler};

/// The result for one number of memories and one scheduler, as JSON.
#[derive(Debug, Serialize)]
pub struct BoundReport {
    ports: usize,
    /// None for striped flows, whose queues have no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<usize>,
    /// P, for striped flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    stripe: Option<usize>,
    memories: usize,
    /// `any` (some scheduler), `first-fit`, `maximum`, `single-access` or `striped`.
    scheduler: &'static str,
    /// `survives`, `fails` or `undecided`.
    verdict: &'static str,
    reason: &'static str,
    /// States that were searched.
    states: usize,
    /// The slot that cannot be completed, the last of the trace.
    fails_in_slot: Option<u32>,
    /// The switch that fails on the trace.
    switch: Option<String>,
    /// The file of the trace, if it was written.
    trace: Option<String>,
}

impl BoundReport {
    /// The report, with the file that its trace was written to.
    pub fn new(ports: usize, capacity: usize, judged: &Judged, trace: Option<String>) -> Self {
        let failing = matches!(judged.found, Found::Fails(_));
        Self {
            ports,
            capacity: stripe(judged.scheduler).is_none().then_some(capacity),
            stripe: stripe(judged.scheduler),
            memories: judged.memories,
            scheduler: judged.scheduler.name(),
            verdict: verdict(judged),
            reason: reason(judged.reason),
            states: judged.states,
            fails_in_slot: last_slot(judged),
            switch: failing.then(|| switch(judged, capacity)),
            trace,
        }
    }
}

/// P of striped flows.
fn stripe(scheduler: Scheduler) -> Option<usize> {
    match scheduler {
        Scheduler::Striped(stripe) => Some(stripe),
        Scheduler::Any | Scheduler::FirstFit | Scheduler::Maximum | Scheduler::SingleAccess => None,
    }
}

fn verdict(judged: &Judged) -> &'static str {
    match judged.found {
        Found::Survives => "survives",
        Found::Fails(_) => "fails",
        Found::Undecided => "undecided",
    }
}

fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Lemma => "lemma 1",
        Reason::LemmaWithReads => "lemma 1 with reads",
        Reason::Theorem2 => "theorem 2",
        Reason::OneSlot => "N cells in one slot",
        Reason::Built => "a trace for any N",
        Reason::Search => "all states searched",
        Reason::Fewer => "fewer are enough",
        Reason::States => "needs more --states",
        Reason::ShortQueues => "queues too short for the trace",
        Reason::Stopped => "stopped",
        Reason::Size => "too large to search",
    }
}

fn last_slot(judged: &Judged) -> Option<u32> {
    let Found::Fails(trace) = &judged.found else { return None };
    trace.last().map(|arrival| arrival.slot)
}

/// The switch that fails on a trace: for `any`, the one that places all cells of a slot whenever
/// that is possible.
pub fn switch(judged: &Judged, capacity: usize) -> String {
    let memories = judged.memories;
    match judged.scheduler {
        Scheduler::Any | Scheduler::Maximum => format!("psm(memories={memories},capacity={capacity},matcher=maximum)"),
        Scheduler::FirstFit => format!("psm(memories={memories},capacity={capacity},matcher=first-fit)"),
        Scheduler::SingleAccess => format!("psm(memories={memories},capacity={capacity},access=single)"),
        Scheduler::Striped(stripe) => format!("psm-flows(flows=1,stripe={stripe},memories={memories})"),
    }
}

/// A trace as a file.
pub fn trace_file(trace: &[Arrival]) -> String {
    let cells = trace.iter().map(|arrival| format!("{},{},{}\n", arrival.slot, arrival.input, arrival.output));
    std::iter::once("slot,input,output\n".to_string()).chain(cells).collect()
}

/// A table for people: a row for each number of memories and scheduler, and what follows.
pub fn table(ports: usize, capacity: usize, all: &[Judged]) -> String {
    let mut table = TextTable::of_words(["memories", "scheduler", "verdict", "shown by", "states searched"]);
    for judged in all {
        let verdict = match last_slot(judged) {
            Some(slot) => format!("fails in slot {slot}"),
            None => verdict(judged).to_string(),
        };
        let states = if judged.states > 0 { judged.states.to_string() } else { "-".to_string() };
        let (memories, why) = (judged.memories.to_string(), reason(judged.reason).to_string());
        table.push([memories, judged.scheduler.name().to_string(), verdict, why, states]);
    }
    let first = all.first().map_or(Scheduler::Any, |judged| judged.scheduler);
    let (of, enough) = match first {
        Scheduler::Any | Scheduler::FirstFit | Scheduler::Maximum => (format!("queues of {capacity} cells"), "2N-1"),
        Scheduler::SingleAccess => (format!("queues of {capacity} cells, one access of a memory in a slot"), "3N-1"),
        Scheduler::Striped(stripe) => (format!("flows striped over {stripe} memories"), "N+P-1"),
    };
    let mut text = format!("{ports} ports, {of}; {enough} = {}\n\n{table}", first.enough(ports));
    let mut schedulers: Vec<Scheduler> = all.iter().map(|judged| judged.scheduler).collect();
    schedulers.sort();
    schedulers.dedup();
    for scheduler in schedulers {
        text += &conclusion(scheduler, all);
    }
    text
}

/// The fewest memories with which the scheduler survives, if that is known from these rows.
fn conclusion(scheduler: Scheduler, all: &[Judged]) -> String {
    let own: Vec<&Judged> = all.iter().filter(|judged| judged.scheduler == scheduler).collect();
    let fewest = own.iter().find(|judged| judged.found == Found::Survives);
    let (Some(fewest), true) = (fewest, own.len() > 1) else { return String::new() };
    let open = own.iter().any(|judged| judged.memories < fewest.memories && judged.found == Found::Undecided);
    let survivor = match scheduler {
        Scheduler::Any => "some scheduler survives",
        Scheduler::FirstFit | Scheduler::SingleAccess | Scheduler::Striped(_) => "first-fit survives",
        Scheduler::Maximum => "maximum survives",
    };
    let rest = if open { "; with fewer it is not known" } else { "" };
    format!("\n{survivor} with {} memories or more{rest}\n", fewest.memories)
}
