//! Findings about deadlocks, as JSON and as text.

use crate::deadlock::Finding;
use crate::registry::short;
use serde::Serialize;
use switchlab_core::switch::Failure;
use switchlab_core::switch::failure::{Need, Wait};
use switchlab_core::traffic::trace::Arrival;
use switchlab_theory::deadlock::Distribution;
use switchlab_theory::deadlock::search::{Outcome, Pointers};
use switchlab_theory::deadlock::stress::Found;

/// A finding, as JSON.
#[derive(Debug, Serialize)]
pub struct DeadlockReport {
    ports: usize,
    radix: usize,
    distribution: &'static str,
    merge: String,
    distribution_buffer: usize,
    routing_buffer: usize,
    /// Cells in output buffers.
    distribution_output: usize,
    routing_output: usize,
    /// zero, or all: what the pointers of the model begin with.
    pointers: &'static str,
    /// free (every state was visited), deadlock or undecided.
    model: &'static str,
    states: usize,
    depth: usize,
    seconds: f64,
    /// Steps of random walks, where there are more states than were allowed.
    walked: u64,
    /// The steps into the deadlock of the model, and its cycle of waiting cells.
    way: Option<usize>,
    circle: Vec<String>,
    /// free if the model is, deadlock if a trace was found, else undecided.
    fabric: &'static str,
    switch: Option<String>,
    seed: u64,
    stress_slots: u64,
    trace: Option<TraceReport>,
    /// Whether the search was stopped before its end.
    stopped: bool,
}

#[derive(Debug, Serialize)]
struct TraceReport {
    cells: usize,
    /// The slots of a run that sees the deadlock.
    slots: u64,
    circle: Vec<String>,
}

/// The cycle of waiting cells in a deadlock of the fabric.
pub fn circle(found: &Found) -> &[Wait] {
    match &found.failure {
        Failure::Deadlock { waits, .. } => waits,
        _ => &[],
    }
}

/// One line for each cell of a cycle.
fn words(waits: &[Wait], born: &str) -> Vec<String> {
    let line = |(index, wait): (usize, &Wait)| {
        let next = (index + 1) % waits.len() + 1;
        let Wait { input, output, born: when, buffer, need } = wait;
        let what =
            if *need == Need::Room { format!("needs room where {next} is") } else { format!("has to go after {next}") };
        format!("{}: from {input} to {output}, {born} {when}, in {buffer}, {what}", index + 1)
    };
    waits.iter().enumerate().map(line).collect()
}

impl DeadlockReport {
    /// The report of a finding.
    pub fn new(finding: &Finding) -> Self {
        let inquiry = &finding.inquiry;
        let model = match finding.search.outcome {
            Outcome::Free => "free",
            _ if finding.circle.is_some() => "deadlock",
            _ => "undecided",
        };
        let found = finding.fabric.as_ref().and_then(|(_, _, found)| found.as_ref());
        Self {
            ports: inquiry.ports,
            radix: inquiry.radix,
            distribution: if inquiry.distribution == Distribution::RoundRobin { "rr" } else { "ic" },
            merge: inquiry.merge.clone(),
            distribution_buffer: inquiry.distribution_buffer,
            routing_buffer: inquiry.routing_buffer.unwrap_or_default(),
            distribution_output: inquiry.output_buffers.0,
            routing_output: inquiry.output_buffers.1,
            pointers: if inquiry.pointers == Pointers::All { "all" } else { "zero" },
            model,
            states: finding.search.states,
            depth: finding.search.depth,
            seconds: finding.seconds,
            walked: finding.walked,
            way: finding.circle.as_ref().map(|(steps, _)| *steps),
            circle: finding.circle.as_ref().map_or(Vec::new(), |(_, waits)| words(waits, "come in step")),
            fabric: match (model, found) {
                ("free", _) => "free",
                (_, Some(_)) => "deadlock",
                _ => "undecided",
            },
            switch: finding.fabric.as_ref().map(|(spec, ..)| spec.clone()),
            seed: inquiry.seed,
            stress_slots: finding.fabric.as_ref().map_or(0, |(_, slots, _)| *slots),
            trace: found.map(|found| TraceReport {
                cells: found.arrivals.len(),
                slots: u64::from(found.failure.slot()) + 1,
                circle: words(circle(found), "born in slot"),
            }),
            stopped: finding.stopped,
        }
    }

    /// The finding as text; `file` is where the trace is, if it was written.
    pub fn text(&self, file: Option<&str>) -> String {
        let Self { ports, radix, distribution, merge, distribution_buffer, routing_buffer, .. } = self;
        let mut text = format!(
            "{ports} ports of radix {radix}, distribution {distribution}, merge {merge}, input buffers of {distribution_buffer} (distribution) and {routing_buffer} (routing): bD = {}, bR = {}\n",
            distribution_buffer + self.distribution_output,
            routing_buffer + self.routing_output
        );
        let Self { states, depth, seconds, .. } = self;
        text += &match (self.model, self.way, self.walked) {
            ("free", ..) => {
                format!(
                    "No deadlock: all {states} states of the model were searched, up to {depth} steps deep ({seconds:.2} s).\n"
                )
            }
            (_, Some(way), 0) => {
                format!(
                    "The model deadlocks: {way} steps from the empty fabric, found after {states} states ({seconds:.2} s).\n"
                )
            }
            (_, Some(way), walked) => format!(
                "The model deadlocks: {way} steps from the empty fabric, found by {walked} random steps; {states} states before, up to {depth} steps deep, had none ({seconds:.2} s).\n"
            ),
            (.., walked) if self.stopped => format!(
                "Undecided: no deadlock among {states} states searched, up to {depth} steps deep ({seconds:.2} s), nor in {walked} random steps; the search is not finished.\n"
            ),
            (.., walked) => format!(
                "Undecided: {states} states up to {depth} steps deep ({seconds:.2} s) and {walked} random steps have no deadlock, but there are more. Proved: none is less than {depth} steps from the empty fabric. Allow more with --states or --steps.\n"
            ),
        };
        for line in &self.circle {
            text += &format!("  {line}\n");
        }
        let Some(switch) = &self.switch else { return text };
        let name = short(switch);
        let Some(trace) = &self.trace else {
            return text
                + &format!(
                    "The fabric itself, {name}, did not stop in {} slots of hostile arrivals.\n",
                    self.stress_slots
                );
        };
        text += &format!(
            "The fabric itself, {name} with seed {}, stops in slot {} of a trace of {} cells, found in {} slots of hostile arrivals:\n",
            self.seed,
            trace.slots - 1,
            trace.cells,
            self.stress_slots
        );
        for line in &trace.circle {
            text += &format!("  {line}\n");
        }
        if let Some(file) = file {
            text += &format!(
                "Replay: switchlab run '{switch}' --ports {ports} --traffic 'trace(file={file})' --slots {} --seed {}\n",
                trace.slots, self.seed
            );
        }
        text
    }
}

/// A trace as CSV.
pub fn csv(arrivals: &[Arrival]) -> String {
    let lines = arrivals.iter().map(|arrival| format!("{},{},{}\n", arrival.slot, arrival.input, arrival.output));
    "slot,input,output\n".to_string() + &lines.collect::<String>()
}
