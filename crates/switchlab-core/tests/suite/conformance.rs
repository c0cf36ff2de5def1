//! What holds for any switch, over the whole registry: what is added there is tested before its author writes a test.

use crate::common::{SEED, departures, fits, may_stop, rows, source, specs, switch};
use std::collections::VecDeque;
use switchlab_core::meter::Meter;
use switchlab_core::switch::Switch;
use switchlab_core::{Block, Cell, NONE, Port, Seed, Slot};

const PORTS: [usize; 7] = [1, 2, 5, 16, 64, 65, 200];

const TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("diagonal", "onoff(mean=16)", 0.95),
    ("hotspot(count=1)", "bursty(mean=12)", 0.8),
    ("permutation", "bernoulli", 1.0),
];

/// The traffics for a size, and for how many slots: the largest switches see less.
fn runs(ports: usize) -> (&'static [(&'static str, &'static str, f64)], Slot) {
    match ports {
        0..=16 => (&TRAFFIC, 3000),
        17..=100 => (&TRAFFIC, 500),
        _ => (&TRAFFIC[..3], 150),
    }
}

/// Calls `check` for every switch of the registry and every size that it can be had in, and reports all that fail.
fn for_all(check: impl Fn(&str, usize) -> Result<(), String>) {
    let mut failures = Vec::new();
    for spec in specs() {
        let sizes: Vec<usize> = PORTS.into_iter().filter(|&ports| fits(&spec, ports)).collect();
        let sizes: Vec<usize> = sizes.into_iter().filter(|&ports| !may_stop(&spec, ports)).collect();
        if sizes.is_empty() && spec != "benes(backpressure=per-link)" {
            failures.push(format!("{spec}: it fits none of {PORTS:?}"));
        }
        for ports in sizes {
            if let Err(problem) = check(&spec, ports) {
                failures.push(format!("{spec} of {ports} ports: {problem}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}

/// A switch, and beside it a record of what went in and has not come out.
struct Watched {
    switch: Box<dyn Switch>,
    ports: usize,
    /// Only a switch with queues behind its inputs, or one that behaves as if it had, may send several cells of an input in one slot.
    one_per_input: bool,
    /// By input and output: when the cells inside were born, oldest first.
    inside: Vec<VecDeque<Slot>>,
    arrived: u64,
    departed: u64,
    dropped: u64,
}

/// What is, or emulates, output queueing.
fn is_output_queued(spec: &str) -> bool {
    ["oq", "psm"].contains(&spec.split('(').next().unwrap_or_default())
}

impl Watched {
    fn new(spec: &str, ports: usize) -> Self {
        Self {
            switch: switch(spec, ports, SEED),
            ports,
            one_per_input: !is_output_queued(spec)
                && !["cioq", "benes", "banyan", "psm-flows"].iter().any(|name| spec.starts_with(name)),
            inside: vec![VecDeque::new(); ports * ports],
            arrived: 0,
            departed: 0,
            dropped: 0,
        }
    }

    /// Runs a slot. Each departing cell must be the oldest of its flow inside: so it was an arrival of this input, for this
    /// output, born then, has not left before, and no older one of its flow is overtaken.
    fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Result<Vec<Cell>, String> {
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            self.inside[input * self.ports + usize::from(output)].push_back(now);
            self.arrived += 1;
        }
        let mut departures = vec![Cell::IDLE; self.ports];
        self.switch.slot(now, arrivals, &mut departures);
        ensure!(self.switch.failure().is_none(), "it stopped: {:?}", self.switch.failure());
        for cell in self.switch.dropped() {
            ensure!(cell.slot == now, "slot {now}: {cell:?} was dropped at another time");
            let flow = &mut self.inside[usize::from(cell.input) * self.ports + usize::from(cell.output)];
            let place = flow.iter().position(|&born| born == cell.born);
            ensure!(place.and_then(|place| flow.remove(place)).is_some(), "slot {now}: {cell:?} was not inside");
            self.dropped += 1;
        }
        let mut sent = vec![0; self.ports];
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            let input = usize::from(cell.input);
            ensure!(input < self.ports, "slot {now}: output {output} sends a cell of input {input}");
            let oldest = self.inside[input * self.ports + output].pop_front();
            ensure!(oldest == Some(cell.born), "slot {now}: {cell:?} leaves by {output}, the oldest is {oldest:?}");
            sent[input] += 1;
            self.departed += 1;
        }
        let most = sent.iter().max().copied().unwrap_or_default();
        ensure!(!self.one_per_input || most <= 1, "slot {now}: an input sends {most} cells");
        let census = self.switch.census();
        ensure!(census.arrived == census.departed + census.dropped + census.queued, "slot {now}: {census:?}");
        ensure!(census.arrived == self.arrived && census.departed == self.departed, "slot {now}: {census:?}");
        ensure!(census.dropped == self.dropped, "slot {now}: {census:?}, and {} were told of", self.dropped);
        let inside = self.inside.iter().map(|flow| flow.len() as u64);
        // Counting N^2 queues in every slot of the largest switches would take longer than simulating them.
        if self.ports <= 16 || now.is_multiple_of(16) {
            ensure!(census.queued == inside.sum::<u64>(), "slot {now}: {census:?}");
        }
        Ok(departures)
    }
}

#[test]
fn cells_are_conserved_and_in_order() {
    for_all(|spec, ports| {
        let (traffic, slots) = runs(ports);
        for &(traffic, process, load) in traffic {
            let mut watched = Watched::new(spec, ports);
            ensure!(watched.switch.ports() == ports, "it says that it has {} ports", watched.switch.ports());
            let mut source = source(traffic, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, slots) {
                watched.slot(now, &arrivals).map_err(|problem| format!("{traffic}, {process}: {problem}"))?;
            }
        }
        Ok(())
    });
}

/// After the last arrival everything leaves: within as many slots as there are cells for a switch that always sends
/// something, and within N slots for each cell of the longest queue for one that visits every queue in turn.
#[test]
fn every_switch_drains() {
    for_all(|spec, ports| {
        if moved_by_arrivals(spec) {
            return Ok(());
        }
        let (traffic, slots) = runs(ports);
        for &(traffic, process, load) in &traffic[..3] {
            let mut watched = Watched::new(spec, ports);
            let mut source = source(traffic, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, slots.min(1000)) {
                watched.slot(now, &arrivals)?;
            }
            let longest = watched.inside.iter().map(VecDeque::len).max().unwrap_or_default();
            let bound = watched.switch.census().queued + (ports * longest) as u64;
            let idle = vec![NONE; ports];
            for now in (slots.min(1000)..).take(bound as usize) {
                if watched.switch.census().queued == 0 {
                    break;
                }
                watched.slot(now, &idle)?;
            }
            let census = watched.switch.census();
            ensure!(census.queued == 0, "{traffic}: after {bound} more slots: {census:?}");
            ensure!(watched.inside.iter().all(VecDeque::is_empty), "{traffic}: {census:?}");
        }
        Ok(())
    });
}

#[test]
fn an_empty_switch_sends_nothing() {
    for_all(|spec, ports| {
        let mut watched = Watched::new(spec, ports);
        for now in 0..50 {
            let departures = watched.slot(now, &vec![NONE; ports])?;
            ensure!(departures.iter().all(|cell| cell.is_idle()), "slot {now}: {departures:?}");
        }
        Ok(())
    });
}

/// SERENA and its variants look for new matchings among arrivals only. A cell that arrived while its input was matched elsewhere may wait for
/// the next arrivals for ever, if none come: they keep the matching they have. So they promise neither to drain nor to let a lone cell through.
fn moved_by_arrivals(spec: &str) -> bool {
    spec.starts_with("serena") || spec.contains("-serenade")
}

/// A cell alone in the switch may take time (a rotation, a pipeline), but it comes out.
#[test]
fn a_single_cell_crosses_from_anywhere_to_anywhere() {
    for_all(|spec, ports| {
        if moved_by_arrivals(spec) {
            return Ok(());
        }
        let step = ports.div_ceil(9);
        let mut watched = Watched::new(spec, ports);
        let mut now = 0;
        for (input, output) in (0..ports).step_by(step).flat_map(|i| (0..ports).step_by(step).map(move |o| (i, o))) {
            let mut arrivals = vec![NONE; ports];
            arrivals[input] = output as Port;
            watched.slot(now, &arrivals)?;
            now += 1;
            for _ in 0..8 * ports + 64 {
                if watched.switch.census().queued == 0 {
                    break;
                }
                watched.slot(now, &vec![NONE; ports])?;
                now += 1;
            }
            ensure!(watched.departed == watched.arrived, "a cell from {input} to {output} is stuck");
        }
        Ok(())
    });
}

#[test]
fn the_same_seed_gives_the_same_departures() {
    for_all(|spec, ports| {
        let slots = runs(ports).1.min(300);
        let run = |seed: Seed| {
            let mut source = source("uniform", "bernoulli", ports, 0.8, seed);
            departures(&mut *switch(spec, ports, seed), &mut *source, slots)
        };
        ensure!(run(SEED) == run(SEED), "two runs differ");
        let other = Seed { replication: 1, ..SEED };
        let arrivals =
            |seed| -> Vec<_> { rows(&mut *source("uniform", "bernoulli", ports, 0.8, seed), ports, slots).collect() };
        ensure!(arrivals(SEED) != arrivals(other), "two replications have the same arrivals");
        Ok(())
    });
}

/// All that a meter holds, as far as anyone can ask it.
fn contents(meter: &mut Meter) -> impl PartialEq + use<> {
    let (backlog, dropped, delays) = (meter.backlog(), meter.dropped(), meter.delays());
    let flows = meter.flows();
    let served: Vec<(u32, u32)> = flows.served().collect();
    let lines = (flows.by_input(), flows.by_output());
    let totals = (backlog, dropped, flows.arrived(), flows.departed(), flows.out_of_order());
    (totals, served, lines, delays, meter.timeline.clone())
}

#[test]
fn blocks_of_any_size_give_the_same() {
    for_all(|spec, ports| {
        let (slots, opens) = (450, 64);
        let run = |block: usize| {
            let mut source = source("hotspot(count=1)", "bursty(mean=5)", ports, 0.7, SEED);
            let mut switch = switch(spec, ports, SEED);
            let mut meter = Meter::new(ports);
            let (mut arrivals, mut departures) = (Block::new(ports, block, NONE), Block::new(ports, block, Cell::IDLE));
            let (mut all, mut dropped) = (Vec::new(), Vec::new());
            let mut from = 0;
            while from < slots {
                // A block never reaches beyond the end of the warm-up; blocks of 7 are cut there.
                let to = (from + block).min(if from < opens { opens } else { slots });
                if from == opens {
                    meter.open(opens as Slot);
                }
                arrivals.start = from as Slot;
                arrivals.resize(to - from, NONE);
                departures.resize(to - from, Cell::IDLE);
                source.fill(&mut arrivals);
                dropped.clear();
                switch.run_and_log(&arrivals, &mut departures, &mut dropped);
                meter.observe_all(&arrivals, &departures, &dropped);
                all.extend_from_slice(&departures.data);
                from = to;
            }
            assert_eq!(meter.backlog(), switch.census().queued, "{spec} of {ports} ports");
            (all, contents(&mut meter))
        };
        let single = run(1);
        for block in [7, 64, 500] {
            ensure!(run(block) == single, "blocks of {block} differ from blocks of 1");
        }
        Ok(())
    });
}

/// With N iterations these are maximal; the others always are.
const MAXIMAL: [&str; 7] = ["islip", "pim", "ilqf", "gs-lqf", "gs-ocf", "mwm", "msm"];

/// A maximal matcher leaves no cell waiting whose input and output both idle; output queueing leaves no output idle.
#[test]
fn maximal_matchers_leave_nothing_to_match() {
    for_all(|spec, ports| {
        let name = spec.split('(').next().unwrap_or_default();
        if !is_output_queued(spec) && !MAXIMAL.contains(&name) {
            return Ok(());
        }
        let iterated = MAXIMAL.contains(&name) && spec != name;
        let spec = if iterated { format!("{name}(iterations={ports})") } else { spec.to_string() };
        let (traffic, slots) = runs(ports);
        for &(traffic, process, load) in traffic {
            let mut watched = Watched::new(&spec, ports);
            let mut source = source(traffic, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, slots.min(500)) {
                let departures = watched.slot(now, &arrivals)?;
                let mut busy = vec![false; ports];
                for cell in departures.iter().filter(|cell| !cell.is_idle()) {
                    busy[usize::from(cell.input)] = !is_output_queued(name);
                }
                // An idle pair sent nothing in this slot, so what is inside now was there for the decision.
                for input in (0..ports).filter(|&input| !busy[input]) {
                    for output in (0..ports).filter(|&output| departures[output].is_idle()) {
                        let waiting = watched.inside[input * ports + output].len();
                        ensure!(waiting == 0, "slot {now}, {traffic}: {input} and {output} could be matched");
                    }
                }
            }
        }
        Ok(())
    });
}

/// The arrivals are the same whatever switch they go to: comparisons are paired.
#[test]
fn every_switch_sees_the_same_arrivals() {
    let seen = |spec: &str| {
        let mut switch = switch(spec, 8, SEED);
        let mut source = source("log-diagonal", "onoff(mean=4)", 8, 0.8, SEED);
        let mut all = Vec::new();
        for now in 0..500 {
            let (mut arrivals, mut departures) = ([NONE; 8], [Cell::IDLE; 8]);
            source.slot(now, &mut arrivals);
            switch.slot(now, &arrivals, &mut departures);
            all.push(arrivals);
        }
        all
    };
    let expected = seen("oq");
    for spec in specs().iter().filter(|spec| fits(spec, 8)) {
        assert_eq!(seen(spec), expected, "{spec}");
    }
}
