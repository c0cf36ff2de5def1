//! How a slot was decided, as text.

use super::step::{Frame, abbreviated, line};
use crate::decision::{Cycle, Decision, Iteration, Move, Pair};
use std::collections::BTreeMap;
use switchlab_core::Port;

/// The pointers of one side, by port; none if a scheduler has no pointers.
type Pointers = BTreeMap<Port, Port>;

/// What a decision consists of, in the order in which it is made. `state` is what the scheduler
/// remembered before, by name.
pub(super) fn text(decision: &Decision, state: &[(&'static str, Vec<Port>)], frame: Frame) -> String {
    let mut text = String::new();
    if !decision.on_service.is_empty() {
        text += &line("on service", &arrows(&decision.on_service), frame);
    }
    let [mut grant, mut accept] = ["grant pointers", "accept pointers"].map(|name| -> Pointers {
        let found = state.iter().find(|(known, _)| known.starts_with(name));
        found.map(|(_, by_port)| (0..).zip(by_port.iter().copied()).collect()).unwrap_or_default()
    });
    for iteration in &decision.iterations {
        text += &format!("  iteration {}:\n", iteration.iteration);
        text += &outputs(iteration, &mut grant, frame);
        text += &inputs(iteration, &mut accept, frame);
    }
    if !decision.greedy.is_empty() {
        text += &line("greedy", &arrows(&decision.greedy), frame);
    }
    for path in decision.paths.iter().take(frame.rows_shown()) {
        text += &line("augmenting path, by its new pairs", &arrows(path), frame);
    }
    text += &rest(decision.paths.len(), "paths", "  ", frame);
    text += &weights(decision, frame);
    text += &merge(decision, frame);
    if !decision.captured.is_empty() {
        let frames = decision.captured.iter().map(|it| format!("{}->{}: {}", it.input, it.output, it.cells));
        text += &line("captured frames", &frames.collect::<Vec<_>>(), frame);
    }
    text
}

fn arrows(pairs: &[Pair]) -> Vec<String> {
    pairs.iter().map(|pair| format!("{}->{}", pair.input, pair.output)).collect()
}

/// How many rows are left out, if some are.
fn rest(count: usize, what: &str, indent: &str, frame: Frame) -> String {
    match count.saturating_sub(frame.rows_shown()) {
        0 => String::new(),
        more => format!("{indent}... and {more} more {what}\n"),
    }
}

/// Requests and grants, a row for each output with a request.
fn outputs(iteration: &Iteration, pointers: &mut Pointers, frame: Frame) -> String {
    let grants: BTreeMap<Port, Port> = iteration.grants.iter().map(|grant| (grant.output, grant.input)).collect();
    let rows = iteration.requests.iter().map(|requests| {
        let grant = grants.get(&requests.output).map(ToString::to_string).unwrap_or_default();
        Row { port: requests.output, list: requests.inputs.clone(), choice: grant }
    });
    table(["output", "requested by", "grants"], &rows.collect::<Vec<_>>(), pointers, &iteration.pointers.grant, frame)
}

/// Grants and accepts, a row for each input with a grant.
fn inputs(iteration: &Iteration, pointers: &mut Pointers, frame: Frame) -> String {
    let accepts: BTreeMap<Port, Port> = iteration.accepts.iter().map(|pair| (pair.input, pair.output)).collect();
    let mut granting: BTreeMap<Port, Vec<Port>> = BTreeMap::new();
    for grant in &iteration.grants {
        granting.entry(grant.input).or_default().push(grant.output);
    }
    let rows = granting.into_iter().map(|(port, list)| {
        let choice = accepts.get(&port).map_or_else(|| "-".to_string(), ToString::to_string);
        Row { port, list, choice }
    });
    table(["input", "granted by", "accepts"], &rows.collect::<Vec<_>>(), pointers, &iteration.pointers.accept, frame)
}

/// A port, the ports it chooses from, and its choice.
struct Row {
    port: Port,
    list: Vec<Port>,
    choice: String,
}

/// The rows under their heads, with the pointer of each port if there are pointers: where it is,
/// and where it moves. The pointers are moved.
fn table(heads: [&str; 3], rows: &[Row], pointers: &mut Pointers, moves: &[Move], frame: Frame) -> String {
    const LIST: usize = "requested by".len();
    const CHOICE: usize = 7;
    const POINTER: usize = 12;
    const INDENT: usize = 4;
    let with_pointers = !pointers.is_empty();
    let moved: Pointers = moves.iter().map(|moved| (moved.port, moved.after)).collect();
    let shown = frame.rows_shown();
    let most = frame.width - INDENT - 6 - 2 - 2 - CHOICE - 2 - POINTER;
    let lists: Vec<String> = rows.iter().take(shown).map(|row| abbreviated(&words(&row.list), " ", most)).collect();
    let width = lists.iter().map(String::len).max().unwrap_or(0).max(LIST);
    let mut text = String::new();
    let mut push = |port: &str, list: &str, choice: &str, pointer: &str| {
        let row = format!("    {port:<6}  {list:<width$}  {choice:<CHOICE$}  {pointer}");
        text += row.trim_end();
        text.push('\n');
    };
    push(heads[0], heads[1], heads[2], if with_pointers { "pointer" } else { "" });
    for (row, list) in rows.iter().zip(&lists) {
        let pointer = match (pointers.get(&row.port), moved.get(&row.port)) {
            (Some(before), Some(after)) => format!("{before} -> {after}"),
            (Some(before), None) => before.to_string(),
            (None, _) => String::new(),
        };
        push(&row.port.to_string(), list, &row.choice, &pointer);
    }
    pointers.extend(moved);
    text + &rest(rows.len(), &format!("{}s", heads[0]), "    ", frame)
}

fn words<T: ToString>(numbers: &[T]) -> Vec<String> {
    numbers.iter().map(ToString::to_string).collect()
}

/// What the matched VOQs weigh, and the prices that prove that no matching weighs more.
fn weights(decision: &Decision, frame: Frame) -> String {
    let prices = &decision.prices;
    if prices.is_empty() {
        return String::new();
    }
    let weights = decision.weights.iter().map(|it| format!("{}->{}: {}", it.input, it.output, it.weight));
    let total: u64 = decision.weights.iter().map(|it| it.weight).sum();
    let sum: i64 = prices.inputs.iter().chain(&prices.outputs).sum();
    line("weights of matched VOQs", &weights.collect::<Vec<_>>(), frame)
        + &line("prices of inputs", &words(&prices.inputs), frame)
        + &line("prices of outputs", &words(&prices.outputs), frame)
        + &format!("  total weight: {total}; all prices together: {sum}\n")
}

/// The two matchings, and what becomes of each cycle.
fn merge(decision: &Decision, frame: Frame) -> String {
    let Some(merge) = &decision.merge else { return String::new() };
    let matching = |outputs: &[Port]| -> Vec<String> {
        outputs.iter().enumerate().map(|(input, output)| format!("{input}->{output}")).collect()
    };
    let mut text =
        line("red, R(t)", &matching(&merge.red), frame) + &line("green, S(t-1)", &matching(&merge.green), frame);
    for Cycle { inputs, red, green, kept } in decision.cycles.iter().take(frame.rows_shown()) {
        let (head, tail) = ("  cycle of inputs ", format!(": red weighs {red}, green {green}; {kept} is kept\n"));
        text = text
            + head
            + &abbreviated(&words(inputs), " ", frame.width.saturating_sub(head.len() + tail.len()))
            + &tail;
    }
    text + &rest(decision.cycles.len(), "cycles", "  ", frame)
}
