//! Single slots as JSON and as text.

use super::decision;
use crate::decision::{Decision, Pair};
use crate::numbers::significant;
use crate::prose::wrap;
use crate::registry::short;
use crate::step::{About, Step};
use crate::text_table::{Column, TextTable};
use serde::Serialize;
use std::collections::BTreeMap;
use switchlab_core::switch::QueueLengths;
use switchlab_core::{Cell, Labels, NONE, Port};

/// Lines are not longer, however wide the terminal is, and not shorter, however narrow.
const WIDEST: usize = 100;
const NARROWEST: usize = 60;

/// From this many ports on a slot is abbreviated.
const MANY: usize = 64;

/// The most lines of a list, and rows of a table, that are shown.
const FEW_LINES: usize = 4;
const FEW_ROWS: usize = 5;

/// What a slot has to fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The ports of the switch: of many, not all is shown.
    pub(super) ports: usize,
    /// No line is longer, but for one that has no blank where it could be broken.
    pub(super) width: usize,
}

impl Frame {
    fn new(about: &About, width: usize) -> Self {
        Self { ports: about.ports, width: width.clamp(NARROWEST, WIDEST) }
    }

    /// How many rows of a table are shown.
    pub(super) fn rows_shown(self) -> usize {
        if self.ports < MANY { usize::MAX } else { FEW_ROWS }
    }
}

/// One slot, as JSON.
#[derive(Debug, Serialize)]
pub struct StepReport {
    switch: String,
    ports: usize,
    traffic: String,
    arrivals: String,
    load: f64,
    seed: u64,
    slot: u64,
    arrived: Vec<Arrived>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<Pair>,
    /// The non-empty queues before the decision.
    queues: Vec<Queue>,
    state: BTreeMap<&'static str, Vec<Port>>,
    #[serde(skip_serializing_if = "Decision::is_empty")]
    decision: Decision,
    matching: Option<Vec<Pair>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<String>,
    departed: Vec<Departure>,
    backlog: u64,
}

#[derive(Debug, Serialize)]
struct Arrived {
    input: Port,
    output: Port,
    #[serde(flatten)]
    label: LabelFigures,
}

/// The class and the flow of a cell, where it has some.
#[derive(Debug, Serialize)]
struct LabelFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<u16>,
}

impl LabelFigures {
    /// Of the cell that arrived at an input in a slot.
    fn of(labels: &Labels, input: Port, slot: u32) -> Self {
        let label = labels.of(input, slot);
        let (class, flow) = (labels.has_classes().then_some(label.class), labels.has_flows().then_some(label.flow));
        Self { class, flow }
    }

    /// As text behind a cell.
    fn text(&self) -> String {
        let class = self.class.map(|class| format!(" class {class}"));
        let flow = self.flow.map(|flow| format!(" flow {flow}"));
        class.unwrap_or_default() + &flow.unwrap_or_default()
    }
}

#[derive(Debug, Serialize)]
struct Queue {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Port>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Port>,
    length: u32,
    /// The output of the head-of-line cell, where that is not the queue's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<Port>,
}

#[derive(Debug, Serialize)]
struct Departure {
    output: Port,
    input: Port,
    birth: u32,
    #[serde(flatten)]
    label: LabelFigures,
}

impl StepReport {
    /// The report of one slot.
    pub fn new(about: &About, step: &Step) -> Self {
        Self {
            switch: about.spec.clone(),
            ports: about.ports,
            traffic: about.traffic.clone(),
            arrivals: about.arrivals.clone(),
            load: about.load,
            seed: about.seed,
            slot: step.slot,
            arrived: arrived(about, step),
            dropped: step.dropped.iter().map(|cell| Pair { input: cell.input, output: cell.output }).collect(),
            queues: step.queues.as_ref().map(|queues| list(queues, about.ports)).unwrap_or_default(),
            state: step.state.iter().cloned().collect(),
            decision: step.decision.clone(),
            matching: step.matching.as_deref().map(pairs),
            messages: step.messages.clone(),
            departed: departures(about, step),
            backlog: step.backlog,
        }
    }
}

/// For each input an output, without those that have none.
fn pairs(outputs: &[Port]) -> Vec<Pair> {
    let pairs = (0..).zip(outputs).filter(|(_, output)| **output != NONE);
    pairs.map(|(input, &output)| Pair { input, output }).collect()
}

fn arrived(about: &About, step: &Step) -> Vec<Arrived> {
    let label = |input| LabelFigures::of(&about.labels, input, step.slot as u32);
    let cells = pairs(&step.arrivals).into_iter();
    cells.map(|Pair { input, output }| Arrived { input, output, label: label(input) }).collect()
}

fn departures(about: &About, step: &Step) -> Vec<Departure> {
    let label = |cell: &Cell| LabelFigures::of(&about.labels, cell.input, cell.born);
    let cells = (0..).zip(&step.departures).filter(|(_, cell)| !cell.is_idle());
    cells.map(|(output, cell)| Departure { output, input: cell.input, birth: cell.born, label: label(cell) }).collect()
}

/// The queues that are not empty.
fn list(queues: &QueueLengths, ports: usize) -> Vec<Queue> {
    if let QueueLengths::VoqsAndOutputs { voqs, outputs } = queues {
        let mut both = list(&QueueLengths::Voqs(voqs.clone()), ports);
        both.extend(list(&QueueLengths::Outputs(outputs.clone()), ports));
        return both;
    }
    let queue = |index: usize, length: u32| match queues {
        QueueLengths::Inputs { first, .. } => {
            Queue { input: Some(index as Port), output: None, length, first: Some(first[index]) }
        }
        QueueLengths::Outputs(_) => Queue { input: None, output: Some(index as Port), length, first: None },
        _ => Queue { input: Some((index / ports) as Port), output: Some((index % ports) as Port), length, first: None },
    };
    let lengths: &[u32] = match queues {
        QueueLengths::Voqs(lengths) | QueueLengths::Inputs { lengths, .. } | QueueLengths::Outputs(lengths) => lengths,
        _ => &[],
    };
    lengths.iter().enumerate().filter(|(_, length)| **length > 0).map(|(index, &length)| queue(index, length)).collect()
}

/// The heading of the slots, for a terminal of this width.
pub fn heading(about: &About, width: usize) -> String {
    let heading = format!(
        "{}, {} ports, traffic {}, arrivals {}, load {}, seed {}",
        short(&about.spec),
        about.ports,
        about.traffic,
        about.arrivals,
        significant(about.load),
        about.seed
    );
    wrap(&heading, width, 2) + "\n"
}

/// One slot as text, without the heading.
pub fn text(about: &About, step: &Step, width: usize) -> String {
    let frame = Frame::new(about, width);
    let mut text = format!("\nslot {}\n", step.slot);
    let arrivals = arrived(about, step);
    let arrivals = arrivals.iter().map(|cell| format!("{}->{}{}", cell.input, cell.output, cell.label.text()));
    text += &line("arrivals", &arrivals.collect::<Vec<_>>(), frame);
    if !step.dropped.is_empty() {
        let dropped = step.dropped.iter().map(|cell| format!("{}->{}", cell.input, cell.output));
        text += &line("dropped", &dropped.collect::<Vec<_>>(), frame);
    }
    if let Some(queues) = &step.queues {
        text += &picture(queues, frame, step.matching.as_deref());
    }
    for (name, by_port) in &step.state {
        let numbers: Vec<String> = by_port.iter().map(ToString::to_string).collect();
        text += &line(name, &numbers, frame);
    }
    text += &decision::text(&step.decision, &step.state, frame);
    if let Some(matching) = &step.matching {
        text += &line("matching", &arrows(matching), frame);
    }
    for message in &step.messages {
        text += &wrapped("    ", &message.split(' ').collect::<Vec<_>>(), " ", frame.width, usize::MAX);
    }
    let left = departures(about, step).into_iter().map(|cell| {
        let delay = step.slot - u64::from(cell.birth);
        let label = cell.label.text();
        format!("{}->{}{label} born {} (delay {delay})", cell.input, cell.output, cell.birth)
    });
    text += &line("departures", &left.collect::<Vec<_>>(), frame);
    text + &format!("  backlog: {} cell{}\n", step.backlog, if step.backlog == 1 { "" } else { "s" })
}

/// `input->output` for each input that has one.
fn arrows(outputs: &[Port]) -> Vec<String> {
    pairs(outputs).iter().map(|pair| format!("{}->{}", pair.input, pair.output)).collect()
}

/// A name and its items, broken where a line is full. Of many ports, the first lines.
pub(super) fn line(name: &str, items: &[String], frame: Frame) -> String {
    let none = ["none".to_string()];
    let items = if items.is_empty() { &none[..] } else { items };
    let most = if frame.ports < MANY { usize::MAX } else { FEW_LINES };
    wrapped(&format!("  {name}: "), items, "  ", frame.width, most)
}

/// Items between a beginning and the end of a line, and as many more lines as it takes, up to
/// `most` lines; then how many items are left out.
fn wrapped(beginning: &str, items: &[impl AsRef<str>], gap: &str, width: usize, most: usize) -> String {
    let (count, mut text, mut lines) = (items.len(), String::new(), 1);
    let (mut row, mut in_row) = (beginning.to_string(), 0);
    for (index, item) in items.iter().map(AsRef::as_ref).enumerate() {
        // The last line has room for what is left out.
        let room = width - if lines == most { "  ... and 16777216 more".len() } else { 0 };
        if in_row > 0 && row.len() + gap.len() + item.len() > room {
            if lines == most {
                row += &format!("{gap}... and {} more", count - index);
                return text + row.trim_end() + "\n";
            }
            text = text + row.trim_end() + "\n";
            (row, in_row, lines) = ("      ".to_string(), 0, lines + 1);
        }
        row = row + if in_row > 0 { gap } else { "" } + item;
        in_row += 1;
    }
    text + row.trim_end() + "\n"
}

/// As many items as fit the width, and how many are left out.
pub(super) fn abbreviated(items: &[String], gap: &str, width: usize) -> String {
    let whole = items.join(gap);
    if whole.len() <= width {
        return whole;
    }
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        let rest = format!("... and {} more", items.len() - index);
        if text.len() + item.len() + gap.len() + rest.len() > width {
            return text + &rest;
        }
        text = text + item + gap;
    }
    text
}

/// The queues before the decision: a matrix or a row for few ports, a list for many.
fn picture(queues: &QueueLengths, frame: Frame, matching: Option<&[Port]>) -> String {
    match queues {
        QueueLengths::Voqs(lengths) if frame.ports < MANY => {
            let head = match matching {
                Some(_) => "queued, by input (down) and output (across); [matched]",
                None => "queued, by input (down) and output (across)",
            };
            let matrix = matrix(lengths, frame.ports, matching);
            if matrix.lines().all(|line| line.len() <= frame.width) {
                format!("  {head}:\n{matrix}")
            } else {
                line("queued, by input->output", &items(queues, frame.ports), frame)
            }
        }
        QueueLengths::Inputs { .. } => {
            line("queued, by input (the first cell's output)", &items(queues, frame.ports), frame)
        }
        QueueLengths::Outputs(_) => line("queued, by output", &items(queues, frame.ports), frame),
        QueueLengths::VoqsAndOutputs { voqs, outputs } => {
            let (voqs, outputs) = (QueueLengths::Voqs(voqs.clone()), QueueLengths::Outputs(outputs.clone()));
            picture(&voqs, frame, matching) + &line("at the outputs", &items(&outputs, frame.ports), frame)
        }
        _ => line("queued, by input->output", &items(queues, frame.ports), frame),
    }
}

fn items(queues: &QueueLengths, ports: usize) -> Vec<String> {
    let item = |queue: &Queue| match (queue.input, queue.output, queue.first) {
        (Some(input), Some(output), _) => format!("{input}->{output}: {}", queue.length),
        (Some(input), None, Some(first)) => format!("{input}: {} ({first})", queue.length),
        (port, other, _) => format!("{}: {}", port.or(other).unwrap_or(NONE), queue.length),
    };
    list(queues, ports).iter().map(item).collect()
}

/// Right-aligned, an empty queue as a dot, a matched one in brackets.
fn matrix(lengths: &[u32], ports: usize, matching: Option<&[Port]>) -> String {
    let entry = |input: usize, output: usize| {
        let length = lengths[input * ports + output];
        let length = if length == 0 { ".".to_string() } else { length.to_string() };
        let matched = matching.is_some_and(|matching| usize::from(matching[input]) == output);
        if matched { format!("[{length}]") } else { format!("{length} ") }
    };
    let rows: Vec<Vec<String>> =
        (0..ports).map(|input| (0..ports).map(|output| entry(input, output)).collect()).collect();
    let name = |output: usize| format!("{output} ");
    let widest = rows.iter().flatten().map(String::len).chain([name(ports - 1).len()]).max().unwrap_or(0);
    let outputs = (0..ports).map(|output| Column::right(name(output)).at_least(widest));
    let mut table = TextTable::new([Column::right("")].into_iter().chain(outputs)).indent(4).gap(1);
    for (input, row) in rows.into_iter().enumerate() {
        table.push([input.to_string()].into_iter().chain(row));
    }
    table.to_string()
}
