//! Large switches as the laboratory runs them, all parts together: arrivals in blocks, packed
//! queues, the large form of SERENA and the deferred meter, against a naive switch and counts from
//! the definitions. And the three forms of the meter against each other.

use crate::common::{SEED, source, switch};
use crate::naive::twin;
use std::collections::{BTreeMap, VecDeque};
use switchlab_core::meter::Meter;
use switchlab_core::rng::Purpose;
use switchlab_core::{Block, Cell, NONE, Port, Slot};

/// What a meter counts, from the definitions: one cell at a time, nothing in advance.
#[derive(Default)]
struct NaiveMeter {
    opened: Slot,
    backlog: u64,
    /// By input and output: cells that arrived in the window, and those of them that have left.
    flows: BTreeMap<(Port, Port), (u32, u32)>,
    /// By input and output: the arrival slot of the youngest cell that has left.
    youngest: BTreeMap<(Port, Port), Slot>,
    out_of_order: u64,
    delays: Vec<Slot>,
}

impl NaiveMeter {
    fn open(&mut self, now: Slot) {
        self.opened = now;
        self.flows.clear();
        self.delays.clear();
        self.out_of_order = 0;
    }

    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &[Cell]) {
        for (input, &output) in (0..).zip(arrivals).filter(|(_, output)| **output != NONE) {
            self.backlog += 1;
            self.flows.entry((input, output)).or_default().0 += 1;
        }
        for (output, cell) in (0..).zip(departures).filter(|(_, cell)| !cell.is_idle()) {
            self.backlog -= 1;
            let flow = (cell.input, output);
            if cell.born >= self.opened {
                self.flows.entry(flow).or_default().1 += 1;
                self.delays.push(now - cell.born);
            }
            let youngest = self.youngest.entry(flow).or_insert(cell.born);
            self.out_of_order += u64::from(cell.born < *youngest);
            *youngest = cell.born.max(*youngest);
        }
    }

    fn check(&mut self, meter: &mut Meter, about: &str) {
        assert_eq!(meter.backlog(), self.backlog, "{about}");
        let delays = meter.delays();
        assert_eq!(delays.sum(), self.delays.iter().map(|&delay| u64::from(delay)).sum::<u64>(), "{about}");
        assert_eq!(delays.count(), self.delays.len() as u64, "{about}");
        assert_eq!(delays.max(), self.delays.iter().copied().max().unwrap_or_default(), "{about}");
        let flows = meter.flows();
        assert_eq!(flows.out_of_order(), self.out_of_order, "{about}");
        let served: Vec<(u32, u32)> = flows.served().collect();
        assert_eq!(served, self.flows.values().copied().collect::<Vec<_>>(), "{about}");
        let mut by_input = vec![(0, 0); flows.by_input().len()];
        let mut by_output = by_input.clone();
        for (&(input, output), &(arrived, departed)) in &self.flows {
            for line in [&mut by_input[usize::from(input)], &mut by_output[usize::from(output)]] {
                *line = (line.0 + u64::from(arrived), line.1 + u64::from(departed));
            }
        }
        assert_eq!((flows.by_input(), flows.by_output()), (by_input, by_output), "{about}");
    }
}

/// Runs a switch in its preferred blocks, and beside it its twin slot by slot. The window opens
/// after a quarter of the slots.
fn as_composed(name: &str, ports: usize, (traffic, process, load): (&str, &str, f64), slots: Slot) {
    let about = format!("{name} of {ports} ports, {traffic}, {process}, load {load}");
    let mut real = switch(name, ports, SEED);
    let mut naive = twin(name, ports, 0, SEED);
    let mut source = source(traffic, process, ports, load, SEED);
    let (mut meter, mut counts) = (Meter::new(ports), NaiveMeter::default());
    let block = real.preferred_block();
    assert!(block > 1, "{about}: blocks of one slot");
    let (mut arrivals, mut departures) = (Block::new(ports, block, NONE), Block::new(ports, block, Cell::IDLE));
    let (mut start, mut dropped) = (0, Vec::new());
    while start < slots {
        if start >= slots / 4 && counts.opened == 0 {
            meter.open(start);
            counts.open(start);
        }
        arrivals.start = start;
        source.fill(&mut arrivals);
        real.run_and_log(&arrivals, &mut departures, &mut dropped);
        meter.observe_all(&arrivals, &departures, &dropped);
        for ((now, row), got) in arrivals.rows().zip(departures.data.chunks(ports)) {
            let mut expected = vec![Cell::IDLE; ports];
            naive.slot(now, row, &mut expected);
            assert_eq!(got, expected, "{about}, slot {now}");
            counts.slot(now, row, got);
        }
        start += block as Slot;
    }
    assert!(dropped.is_empty(), "{about}");
    assert_eq!(meter.backlog(), real.census().queued, "{about}");
    counts.check(&mut meter, &about);
    let (flows, departed) = (counts.flows.len(), counts.delays.len());
    assert!(flows > 5 * ports && departed > 10 * ports, "{about}: {flows} flows, {departed} departures");
}

/// The classes of sizes in `scale.rs` beyond one word: cached, large and huge.
#[test]
fn the_whole_composition_is_as_its_twins() {
    as_composed("serena", 200, ("uniform", "bernoulli", 0.9), 1200);
    as_composed("serena", 257, ("uniform", "bursty(mean=12)", 0.9), 1000);
    as_composed("serena", 1024, ("uniform", "bernoulli", 0.95), 200);
    as_composed("serena", 1025, ("uniform", "bursty(mean=12)", 0.9), 400);
    as_composed("serena", 1025, ("log-diagonal", "bernoulli", 0.9), 300);
}

/// The cells of a switch of 64 ports through meters of other sizes, whose other ports are idle: the
/// narrow form counts at 64, the plain one at 65 and 256, the deferred one at 257. Some cells are
/// held back for more than 2^16 slots, beyond what a count of 16 bits says, and depart out of
/// order. The run is long enough for all forms to move their base.
#[test]
fn the_forms_of_the_meter_count_the_same() {
    const PORTS: usize = 64;
    const BLOCK: usize = 60;
    let sizes = [64, 65, 256, 257];
    let mut real = switch("oq", PORTS, SEED);
    let mut source = source("uniform", "bursty(mean=5)", PORTS, 0.6, SEED);
    let mut coin = SEED.stream(Purpose::Scheduler, 9);
    let mut counts = NaiveMeter::default();
    let mut meters = sizes.map(Meter::new);
    let mut blocks = sizes.map(|ports| (Block::new(ports, BLOCK, NONE), Block::new(ports, BLOCK, Cell::IDLE)));
    // By output: the cells held back, and until when.
    let mut held: Vec<VecDeque<(Slot, Cell)>> = vec![VecDeque::new(); PORTS];
    let (mut row, mut sent) = (vec![NONE; PORTS], vec![Cell::IDLE; PORTS]);
    let mut released = 0;
    for start in (0..80_040).step_by(BLOCK) {
        if start == 3000 {
            counts.open(start);
            for meter in &mut meters {
                meter.open(start);
            }
        }
        for (now, slot) in (start..).zip(0..BLOCK) {
            source.slot(now, &mut row);
            sent.fill(Cell::IDLE);
            real.slot(now, &row, &mut sent);
            for (cell, held) in sent.iter_mut().zip(&mut held) {
                if !cell.is_idle() && coin.below(500) == 0 {
                    held.push_back((now + 100 + 67_000 * (now % 2), core::mem::replace(cell, Cell::IDLE)));
                } else if cell.is_idle() && held.front().is_some_and(|held| held.0 <= now) {
                    *cell = held.pop_front().expect("it has a front").1;
                    released += 1;
                }
            }
            counts.slot(now, &row, &sent);
            for (ports, (arrivals, departures)) in sizes.iter().zip(&mut blocks) {
                (arrivals.start, departures.start) = (start, start);
                arrivals.data[slot * ports..][..PORTS].copy_from_slice(&row);
                departures.data[slot * ports..][..PORTS].copy_from_slice(&sent);
            }
        }
        for (meter, (arrivals, departures)) in meters.iter_mut().zip(&blocks) {
            meter.observe(arrivals, departures);
        }
    }
    assert!(counts.out_of_order > 1000 && released > 1000, "{} out of order, {released}", counts.out_of_order);
    assert!(counts.delays.iter().any(|&delay| delay > 1 << 16), "no cell is older than 16 bits say");
    let (timeline, delays) = (meters[0].timeline.clone(), meters[0].delays());
    for (ports, meter) in sizes.iter().zip(&mut meters) {
        counts.check(meter, &format!("{ports} ports"));
        assert_eq!(meter.timeline, timeline, "{ports} ports");
        assert_eq!(meter.delays(), delays, "{ports} ports");
    }
}
