//! The properties, a function each.

use crate::watched::{Watched, ensure};
use crate::{Idle, SEED, Subject, rows, source};
use switchlab_core::meter::Meter;
use switchlab_core::{Block, Cell, NONE, Port, Slot};

/// A property of a switch with a number of ports; an error says in which slot it does not hold.
pub type Property = fn(&Subject, usize) -> Result<(), String>;

/// All properties, with their names.
pub const PROPERTIES: [(&str, Property); 7] = [
    ("cells are conserved and in order", cells_are_conserved_and_in_order),
    ("it drains", it_drains),
    ("an empty switch sends nothing", an_empty_switch_sends_nothing),
    ("a single cell crosses from anywhere to anywhere", a_single_cell_crosses),
    ("the same seed gives the same departures", the_same_seed_gives_the_same_departures),
    ("blocks of any size give the same", blocks_of_any_size_give_the_same),
    ("no port idles that must not", no_port_idles_that_must_not),
];

const TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("diagonal", "onoff(mean=16)", 0.95),
    ("hotspot(count=1)", "bursty(mean=12)", 0.8),
    ("permutation", "bernoulli", 1.0),
];

/// The traffics for a size, and the number of slots: large switches run for fewer.
fn runs(ports: usize) -> (&'static [(&'static str, &'static str, f64)], Slot) {
    match ports {
        0..=16 => (&TRAFFIC, 3000),
        17..=100 => (&TRAFFIC, 500),
        101..=300 => (&TRAFFIC[..3], 150),
        _ => (&TRAFFIC[..1], 40),
    }
}

/// Every departure is the oldest cell of its flow inside, and the census adds up in every slot.
pub fn cells_are_conserved_and_in_order(subject: &Subject, ports: usize) -> Result<(), String> {
    let (traffic, slots) = runs(ports);
    for &(traffic, process, load) in traffic {
        let mut watched = Watched::new(subject, ports)?;
        let mut source = source(traffic, process, ports, load, SEED);
        for (now, arrivals) in rows(&mut *source, ports, slots) {
            watched.slot(now, &arrivals).map_err(|problem| format!("{traffic}, {process}: {problem}"))?;
        }
    }
    Ok(())
}

/// After the last arrival everything leaves. The bound is one slot for each cell, for a switch that
/// always sends something, plus N slots for each cell of the longest queue, for one that visits
/// every queue in turn.
pub fn it_drains(subject: &Subject, ports: usize) -> Result<(), String> {
    if !subject.expected.drains {
        return Ok(());
    }
    let (traffic, slots) = runs(ports);
    let slots = slots.min(1000);
    for &(traffic, process, load) in traffic.iter().take(3) {
        let mut watched = Watched::new(subject, ports)?;
        let mut source = source(traffic, process, ports, load, SEED);
        for (now, arrivals) in rows(&mut *source, ports, slots) {
            watched.slot(now, &arrivals)?;
        }
        let bound = watched.switch.census().queued + (ports * watched.longest()) as u64;
        let idle = vec![NONE; ports];
        for now in (slots..).take(bound as usize) {
            if watched.switch.census().queued == 0 {
                break;
            }
            watched.slot(now, &idle)?;
        }
        let census = watched.switch.census();
        ensure!(census.queued == 0, "{traffic}: after {bound} more slots: {census:?}");
        ensure!(watched.longest() == 0, "{traffic}: {census:?}, and cells have not come out");
    }
    Ok(())
}

/// Without arrivals there are no departures.
pub fn an_empty_switch_sends_nothing(subject: &Subject, ports: usize) -> Result<(), String> {
    let mut watched = Watched::new(subject, ports)?;
    for now in 0..50 {
        let departures = watched.slot(now, &vec![NONE; ports])?;
        ensure!(departures.iter().all(|cell| cell.is_idle()), "slot {now}: {departures:?}");
    }
    Ok(())
}

/// A cell alone in the switch may take time (a rotation, a pipeline), but it comes out.
pub fn a_single_cell_crosses(subject: &Subject, ports: usize) -> Result<(), String> {
    if !subject.expected.drains {
        return Ok(());
    }
    let pairs_per_side = if ports <= 300 { 9 } else { 3 };
    let step = ports.div_ceil(pairs_per_side);
    let mut watched = Watched::new(subject, ports)?;
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
}

/// Two runs with one seed are equal.
pub fn the_same_seed_gives_the_same_departures(subject: &Subject, ports: usize) -> Result<(), String> {
    let slots = runs(ports).1.min(300);
    let run = || {
        let mut switch = subject.build(ports, SEED).map_err(|error| error.to_string())?;
        let mut source = source("uniform", "bernoulli", ports, 0.8, SEED);
        let departures = rows(&mut *source, ports, slots).map(|(now, arrivals)| {
            let mut row = vec![Cell::IDLE; ports];
            switch.slot(now, &arrivals, &mut row);
            row
        });
        Ok::<_, String>(departures.collect::<Vec<_>>())
    };
    ensure!(run()? == run()?, "two runs differ");
    Ok(())
}

/// All that can be read from a meter.
fn contents(meter: &mut Meter) -> impl PartialEq + use<> {
    let (backlog, dropped, delays) = (meter.backlog(), meter.dropped(), meter.delays());
    let flows = meter.flows();
    let served: Vec<(u32, u32)> = flows.served().collect();
    let lines = (flows.by_input(), flows.by_output());
    let totals = (backlog, dropped, flows.arrived(), flows.departed(), flows.out_of_order());
    (totals, served, lines, delays, meter.timeline.clone())
}

/// Departures and what a meter makes of them do not depend on how a run is cut into blocks.
pub fn blocks_of_any_size_give_the_same(subject: &Subject, ports: usize) -> Result<(), String> {
    let (slots, opens) = if ports <= 300 { (450, 64) } else { (80, 21) };
    let run = |block: usize| {
        let mut switch = subject.build(ports, SEED).map_err(|error| error.to_string())?;
        let mut source = source("hotspot(count=1)", "bursty(mean=5)", ports, 0.7, SEED);
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
        let queued = switch.census().queued;
        ensure!(meter.backlog() == queued, "the meter has a backlog of {}, the switch {queued}", meter.backlog());
        Ok((all, contents(&mut meter)))
    };
    let single = run(1)?;
    for block in [7, 64, 500] {
        ensure!(run(block)? == single, "blocks of {block} differ from blocks of 1");
    }
    Ok(())
}

/// A maximal matcher leaves no cell waiting whose input and output both idle. A work-conserving
/// switch leaves no cell waiting whose output idles.
pub fn no_port_idles_that_must_not(subject: &Subject, ports: usize) -> Result<(), String> {
    if subject.expected.idle == Idle::Unrestricted {
        return Ok(());
    }
    let (traffic, slots) = runs(ports);
    for &(traffic, process, load) in traffic {
        let mut watched = Watched::new(subject, ports)?;
        let mut source = source(traffic, process, ports, load, SEED);
        for (now, arrivals) in rows(&mut *source, ports, slots.min(500)) {
            let departures = watched.slot(now, &arrivals)?;
            let mut sends = vec![false; ports];
            for cell in departures.iter().filter(|cell| !cell.is_idle()) {
                sends[usize::from(cell.input)] = subject.expected.idle == Idle::Maximal;
            }
            // An idle pair sent nothing in this slot, so what waits now waited at the decision.
            let missed = watched.flows().find(|&(input, output)| !sends[input] && departures[output].is_idle());
            if let Some((input, output)) = missed {
                let cells = watched.waiting(input, output);
                return Err(format!("slot {now}, {traffic}: {cells} cells wait from {input} to {output}, both idle"));
            }
        }
    }
    Ok(())
}
