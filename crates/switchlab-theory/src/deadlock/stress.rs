//! Hostile arrivals for a real switch, and a short trace of those that stop it.

use crate::watch::Watch;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Error;
use switchlab_core::rng::Rng;
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Cell, NONE, Port, Slot};

/// Builds the switch anew for each run.
pub type Build<'a> = &'a dyn Fn() -> Result<Box<dyn Switch>, Error>;

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// A trace that stops the switch.
    pub arrivals: Vec<Arrival>,
    /// How the switch then stops.
    pub failure: Failure,
}

/// Slots with arrivals in a run.
const BUSY: Slot = 400;

/// Slots without arrivals after which a switch that still holds cells and does not stop is given
/// up.
const PATIENCE: Slot = 20_000;

/// Tries random arrivals, run by run, until a run stops the switch or `most` slots with arrivals
/// have passed. Returns these slots too. The watch is told the slots so far, before each run.
pub fn stress(
    build: Build<'_>,
    rng: &mut Rng,
    most: u64,
    watch: &mut Watch<'_>,
) -> Result<(u64, Option<Found>), Error> {
    let ports = build()?.ports();
    let mut slots = 0;
    while slots < most && watch(slots) {
        let arrivals = hostile(ports, rng);
        slots += u64::from(BUSY);
        if let Some(failure) = stops(build, &arrivals)? {
            return Ok((slots, Some(Found { arrivals, failure })));
        }
    }
    Ok((slots, None))
}

/// Phases of random length, in each of which every input has its own load and its own mix of
/// outputs; one to three outputs are hot throughout.
fn hostile(ports: usize, rng: &mut Rng) -> Vec<Arrival> {
    const WEIGHTS: [[usize; 4]; 4] = [[0, 0, 0, 0], [0, 1, 4, 16], [0, 0, 8, 8], [0, 0, 1, 50]];
    let hot: Vec<usize> = (0..=rng.below(3)).map(|_| rng.below(ports)).collect();
    let mut weights = vec![vec![0; ports]; ports];
    let mut loads = vec![0; ports];
    let mut arrivals = Vec::new();
    let mut phase_ends = 0;
    for slot in 0..BUSY {
        if slot == phase_ends {
            let length = [10, 30, 100, 300][rng.below(4)];
            phase_ends = slot + 1 + length + rng.below(length as usize) as Slot;
            let style = WEIGHTS[rng.below(4)];
            for (row, load) in weights.iter_mut().zip(&mut loads) {
                *load = [300, 700, 950, 1000][rng.below(4)];
                for weight in row.iter_mut() {
                    *weight = style[rng.below(4)];
                }
                for &output in &hot {
                    row[output] += [0, 2, 10, 40][rng.below(4)];
                }
            }
        }
        for (input, (row, &load)) in weights.iter().zip(&loads).enumerate() {
            let total = row.iter().sum();
            if rng.below(1000) >= load || total == 0 {
                continue;
            }
            let mut draw = rng.below(total);
            let output = row.iter().position(|&weight| {
                let hit = draw < weight;
                draw = draw.wrapping_sub(weight);
                hit
            });
            arrivals.extend(output.map(|output| Arrival { slot, input: input as Port, output: output as Port }));
        }
    }
    arrivals
}

/// Runs a trace and then no arrivals, until the switch is empty or stops. Whether it stops.
pub fn stops(build: Build<'_>, arrivals: &[Arrival]) -> Result<Option<Failure>, Error> {
    let mut switch = build()?;
    let ports = switch.ports();
    let (mut row, mut out) = (vec![NONE; ports], vec![Cell::IDLE; ports]);
    let mut left = arrivals;
    let mut idle = 0;
    for now in 0.. {
        row.fill(NONE);
        out.fill(Cell::IDLE);
        while let Some((arrival, rest)) = left.split_first().filter(|(arrival, _)| arrival.slot == now) {
            row[usize::from(arrival.input)] = arrival.output;
            left = rest;
        }
        switch.slot(now, &row, &mut out);
        if let Some(failure) = switch.failure() {
            return Ok(Some(failure.clone()));
        }
        if left.is_empty() {
            idle += 1;
            if switch.census().queued == 0 || idle > PATIENCE {
                break;
            }
        }
    }
    Ok(None)
}

/// Leaves out what is not needed: halves, quarters, and so on to single cells, as long as the rest
/// still stops the switch. The watch is told the cells of the trace, before each try; the trace
/// stays as short as it is then when it returns false.
pub fn shrink(build: Build<'_>, found: Found, watch: &mut Watch<'_>) -> Result<Found, Error> {
    let mut found = found;
    let mut size = found.arrivals.len().div_ceil(2).max(1);
    loop {
        let before = found.arrivals.len();
        let mut start = 0;
        while start < found.arrivals.len() {
            if !watch(found.arrivals.len() as u64) {
                return Ok(found);
            }
            let mut rest = found.arrivals.clone();
            rest.drain(start..(start + size).min(found.arrivals.len()));
            match stops(build, &rest)? {
                Some(failure) => found = Found { arrivals: rest, failure },
                None => start += size,
            }
        }
        if size == 1 && found.arrivals.len() == before {
            return Ok(found);
        }
        size = size.div_ceil(2).max(1);
    }
}
