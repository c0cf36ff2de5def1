//! Whether a run can have measured what a record says.
//!
//! A checksum finds damage. It does not find a record that was written by a program with a defect,
//! or by hand. Sums over replications assume that each is possible, and would overflow or be wrong
//! without a message.

use crate::plan::SLOT_LIMIT;
use crate::run::Measured;
use switchlab_core::MAX_PORTS;
use switchlab_core::meter::Timeline;

/// Cells are numbered in 32 bits, so no more are inside at once.
const MOST_CELLS: u64 = 1 << 32;
/// Architectures have fewer counters than this.
const MOST_COUNTERS: usize = 1000;

/// Whether a run can have measured this. Every product below is of numbers whose range was checked
/// before it.
pub(super) fn plausible(measured: &Measured) -> bool {
    let Measured { ports, slots, warmup, .. } = *measured;
    let length = slots.checked_add(warmup).filter(|&length| length < SLOT_LIMIT);
    let Some(length) = length.filter(|_| (1..=MAX_PORTS).contains(&ports)) else {
        return false;
    };
    let fairness = measured.jain.is_none_or(|jain| (0.0..=1.0 + 1e-9).contains(&jain));
    let early = measured.ended_early.is_none_or(|ended| ended == length);
    let counters = measured.counters.len() <= MOST_COUNTERS;
    // A calculation has no slots, and nothing else but counters.
    let inside = measured.backlog_end <= (length * ports as u64).min(MOST_CELLS);
    fairness && early && counters && inside && cells(measured) && timeline(measured) && ports_add_up(measured)
}

fn cells(measured: &Measured) -> bool {
    let cells = measured.cells;
    let known = [cells.departed, cells.dropped, cells.queued].into_iter().try_fold(0, u64::checked_add);
    let delays = &measured.delays;
    known == Some(cells.arrived)
        && cells.arrived <= measured.slots * measured.ports as u64
        && cells.queued <= measured.backlog_end
        && cells.out_of_order <= measured.timeline.total().departures
        && delays.count() == cells.departed
        && u64::from(delays.max()) < measured.slots.max(1)
}

fn timeline(measured: &Measured) -> bool {
    let total = measured.timeline.total();
    is_possible(measured, &measured.timeline)
        && total.arrivals == measured.cells.arrived
        && total.delays == measured.cells.departed
        && total.delay_sum == measured.delays.sum()
        && measured.within.as_ref().is_none_or(|within| {
            let part = within.total();
            is_possible(measured, within) && part.arrivals <= total.arrivals && part.departures <= total.departures
        })
}

fn is_possible(measured: &Measured, timeline: &Timeline) -> bool {
    let (bins, width, _) = timeline.parts();
    let most = width * measured.ports as u64;
    let possible = bins.iter().all(|bin| {
        let delays = u128::from(bin.delays) * u128::from(measured.slots);
        bin.arrivals <= most
            && bin.departures <= most
            && bin.delays <= bin.departures
            && u128::from(bin.delay_sum) <= delays
            && u128::from(bin.backlog_sum) <= u128::from(width) * u128::from(MOST_CELLS)
    });
    possible && timeline.slots() == measured.slots
}

/// Each port has at most one cell in a slot, and all together those of the switch.
fn ports_add_up(measured: &Measured) -> bool {
    let Measured { ports, slots, cells, .. } = *measured;
    if measured.slots == 0 && measured.by_input.is_empty() && measured.by_output.is_empty() {
        return true;
    }
    let adds_up = |list: &[(u64, u64)]| {
        let add = |sum: (u64, u64), more: &(u64, u64)| Some((sum.0.checked_add(more.0)?, sum.1.checked_add(more.1)?));
        let fits = list.iter().all(|&(arrived, left)| left <= arrived && left <= slots);
        list.len() == ports && fits && list.iter().try_fold((0, 0), add) == Some((cells.arrived, cells.departed))
    };
    adds_up(&measured.by_input)
        && adds_up(&measured.by_output)
        && measured.by_input.iter().all(|(arrived, _)| *arrived <= slots)
}

#[cfg(test)]
mod tests;
