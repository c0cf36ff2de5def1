//! Engines: programs that run the slots of a fabric. All of them give the same results.
//!
//! ```text
//!   Reference    any configuration with P = 2, 4 or 8: transfers and sends cell by cell
//!   UnitBuffer   default buffers and round robin: batches of cells, transfers ahead of time
//!   Wavefront    the same beyond 256 ports, where memory is the limit: several slots at a time
//! ```

mod reference;
mod unit_buffer;
mod wavefront;

use super::element::group::Group;
use super::element::record::FabricCell;
use super::fabric::Core;
use super::general::{Distribution, Topology};
use crate::cell::{Cell, Port, Slot};
use crate::rng::Seed;
use crate::switch::failure::Side;
use crate::variants;
use alloc::boxed::Box;
use alloc::vec::Vec;
use reference::Reference;
use unit_buffer::UnitBuffer;
use wavefront::Wavefront;

/// The engine of a fabric, with the state of its elements and links.
#[derive(Clone, Debug)]
pub(super) enum Engine<const P: usize> {
    Reference(Box<Reference<P>>),
    UnitBuffer(Box<UnitBuffer<P>>),
    Wavefront(Box<Wavefront<P>>),
}

impl<const P: usize> Engine<P> {
    /// The fastest engine for a configuration.
    pub(super) fn new(core: &Core, seed: Seed) -> Self {
        let topology = &core.topology;
        if !has_unit_buffers(core) {
            Self::Reference(Box::new(Reference::new(core, seed)))
        } else if variants::BENES_WAVEFRONT && Wavefront::<P>::serves(topology) {
            Self::Wavefront(Box::new(Wavefront::new(topology)))
        } else {
            Self::UnitBuffer(Box::new(UnitBuffer::new(topology)))
        }
    }

    /// Runs no more slots than [`Self::slots_at_a_time`]. Both slices have a row for each.
    pub(super) fn run(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        match self {
            Self::Reference(engine) => engine.slot(core, now, arrivals, departures),
            Self::UnitBuffer(engine) => engine.slot(core, now, arrivals, departures),
            Self::Wavefront(engine) => engine.run(core, now, arrivals, departures),
        }
    }

    pub(super) fn slots_at_a_time(&self) -> usize {
        if matches!(self, Self::Wavefront(_)) { wavefront::SLOTS } else { 1 }
    }

    /// Where the round-robin pointer of a group of a distribution element begins.
    pub(super) fn set_pointer(&mut self, at: usize, pointer: u8) {
        match self {
            Self::Reference(engine) => engine.buffers.groups.set_pointer(at, pointer),
            Self::UnitBuffer(engine) => engine.groups.set_pointer(at, pointer),
            Self::Wavefront(engine) => engine.set_pointer(at, pointer),
        }
    }

    /// The state, for audits and the watchdog.
    pub(super) fn state(&self) -> &dyn GroupState {
        match self {
            Self::Reference(engine) => &**engine,
            Self::UnitBuffer(engine) => &**engine,
            Self::Wavefront(engine) => &**engine,
        }
    }
}

/// Whether the fast engines serve a configuration: buffers of one cell and immediate credits for
/// each group, round robin, and cells that fit into the 56 bits of a record.
fn has_unit_buffers(core: &Core) -> bool {
    let Core { settings, topology, number_bits, .. } = core;
    variants::BENES_UNIT_BUFFER
        && matches!(settings.distribution, None | Some(Distribution::RoundRobin))
        && settings.merges_in_turns()
        && topology.stage.iter().all(|stage| stage.input == 1)
        && settings.credit_delay == 0
        && !settings.per_link
        && number_bits + topology.ports.trailing_zeros() <= 24
}

/// The state of elements and links, for audits and the watchdog. A group is named by its
/// index `(stage * elements + element) * ports + group`.
pub(super) trait GroupState {
    /// Visits every group that has a record.
    fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group));

    /// The state of a group.
    fn group(&self, at: usize) -> Group;

    /// The cells of an input buffer, head of line first, or of an output buffer. Engines may store
    /// numbers of cells in `number_bits`.
    fn cells(&self, at: usize, side: Side, port: usize, number_bits: u32) -> Vec<FabricCell>;

    /// Whether a group has a cell at the beginning of a link, and whether it has a credit.
    fn request(&self, topology: &Topology, link: usize, end: usize, group: usize) -> (bool, bool);

    /// Whether the summary at the beginning of a link agrees with its groups.
    fn is_sound(&self, topology: &Topology, link: usize, end: usize) -> bool;

    /// Whether a group is on the worklist of its stage. The index is that in its stage.
    fn is_listed(&self, stage: usize, at: usize) -> bool;

    /// Whether the state of a group has the number of its cells that wait for a predecessor.
    fn counts_held(&self) -> bool {
        false
    }

    /// Credits for an input buffer that are on their way back.
    fn returning(&self, _at: usize, _port: usize) -> usize {
        0
    }

    /// Credits on their way back, each with the stage, input position and group of its buffer.
    fn all_returning(&self) -> Vec<(usize, usize, usize)> {
        Vec::new()
    }

    /// Credits of a link as a whole, with backpressure per link.
    fn link_credits(&self, _link: usize, _end: usize) -> usize {
        0
    }

    /// The key of the hash.
    fn key(&self) -> u64 {
        0
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::equal::Equal;
    use super::super::fabric::Benes;
    use super::super::general::{Settings, Snapshot};
    use super::super::parameters::{BANYAN, PARAMETERS};
    use super::*;
    use crate::cell::{Block, NONE};
    use crate::rng::Purpose;
    use crate::spec::{Args, Spec};
    use crate::switch::Switch;
    use alloc::{format, vec};

    const SEED: Seed = Seed { seed: 4, replication: 0 };

    pub(crate) fn settings(text: &str, ports: usize) -> Settings {
        let spec = Spec::parse(text).unwrap();
        let parameters = if spec.name == "banyan" { BANYAN } else { PARAMETERS };
        Settings::read(&Args::check("fabric", parameters, &spec).unwrap(), ports).unwrap()
    }

    pub(crate) fn counters(switch: &dyn Switch) -> Vec<(&'static str, u64, u64)> {
        let mut all = Vec::new();
        switch.counters(&mut |counter| all.push((counter.name, counter.sum, counter.per)));
        all
    }

    /// A fast engine against the reference, slot by slot and many slots at a time. Bursts to
    /// outputs with unequal loads, so that cells wait for room, for credits and for each other;
    /// then no arrivals, until all cells have left.
    fn same<const P: usize>(ports: usize, spec: &str, slots: u32) {
        let settings = settings(&format!("{spec}radix={P})"), ports);
        let mut fast = Benes::new(Equal::<P>::new(settings.clone(), SEED));
        assert!(!matches!(fast.fabric.engine, Engine::Reference(_)));
        let reference = |core: &Core, seed| Engine::Reference(Box::new(Reference::new(core, seed)));
        let mut plain = Benes::new(Equal::<P>::with_engine(settings.clone(), SEED, reference));
        let mut rng = SEED.stream(Purpose::Fabric, 2);
        let mut bursts: Vec<Port> = vec![NONE; ports];
        let mut several = Benes::new(Equal::<P>::new(settings, SEED));
        let (mut arrivals, mut departed) = (Block::new(ports, 0, NONE), Vec::new());
        for now in 0..2 * slots {
            for burst in &mut bursts {
                if now >= slots {
                    *burst = NONE;
                } else if rng.below(6) == 0 {
                    let narrow = if rng.below(2) == 0 { ports } else { ports / 2 };
                    *burst = if rng.below(8) == 0 { NONE } else { rng.below(narrow) as Port };
                }
            }
            let mut departures = [vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]];
            fast.slot(now, &bursts, &mut departures[0]);
            plain.slot(now, &bursts, &mut departures[1]);
            assert_eq!(departures[0], departures[1], "{ports} ports, radix {P}, slot {now}");
            assert_eq!(counters(&fast), counters(&plain), "{ports} ports, radix {P}, slot {now}");
            arrivals.data.extend(&bursts);
            departed.append(&mut departures[1]);
            // Also across the slots in which the watchdog runs.
            if now % 75 == 74 || now + 1 == 2 * slots {
                let mut all = Block::new(ports, arrivals.data.len() / ports, Cell::IDLE);
                several.run(&arrivals, &mut all);
                assert!(all.data == departed, "{ports} ports, radix {P}, before slot {now}");
                assert_eq!(counters(&several), counters(&plain), "{ports} ports, radix {P}, before slot {now}");
                assert_eq!(several.census(), plain.census());
                arrivals = Block { start: now + 1, ports, data: Vec::new() };
                departed.clear();
            }
            if now == slots {
                Snapshot::new(&fast.fabric).check_buffers().unwrap();
            }
            if ports <= 64 && now % 8 == 0 || now == slots && ports <= 256 {
                fast.audit().unwrap();
            }
        }
        assert!(fast.census().departed > u64::from(slots) * ports as u64 / 4);
        assert_eq!(fast.census(), plain.census());
    }

    fn all<const P: usize>(ports: usize, slots: u32) {
        same::<P>(ports, "benes(", slots);
        // With more ports, numbers of 16 bits do not fit into a record.
        if ports <= 256 {
            same::<P>(ports, "benes(resequencing=final,", slots);
        }
        same::<P>(ports, "banyan(", slots);
    }

    #[test]
    fn sizes_that_are_not_compiled_separately() {
        all::<2>(8, 600);
        all::<4>(16, 600);
        all::<2>(128, 150);
    }

    #[test]
    fn large_sizes() {
        all::<2>(512, 100);
        all::<8>(512, 100);
        all::<4>(1024, 100);
        all::<2>(1024, 40);
    }

    /// Also sizes whose summaries have several words.
    #[test]
    fn the_largest_sizes() {
        same::<2>(2048, "benes(", 40);
        same::<4>(4096, "benes(", 30);
    }

    #[test]
    fn sizes_that_are_compiled_separately() {
        all::<8>(64, 300);
        all::<4>(64, 300);
        all::<4>(256, 120);
        all::<2>(256, 60);
    }
}
