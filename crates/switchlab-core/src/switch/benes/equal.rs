//! The fabric of equal elements with 2, 4 or 8 ports, whose engines keep one word of state for each
//! flow group; and its state in the terms of the general fabric, for audits and the watchdog.

use super::element::group::{Group, clock};
use super::element::record::{FabricCell, UnitRecord};
use super::engine::Engine;
use super::fabric::{Core, Fabric};
use super::general::audit::ensure;
use super::general::{At, Credit, Filled, Lane, Numbers, Packet, Settings, Site, State, Turn};
use crate::cell::{Cell, Port, Slot};
use crate::rng::{Purpose, Seed};
use crate::switch::failure::Side;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A fabric of P x P elements.
#[derive(Clone, Debug)]
pub(super) struct Equal<const P: usize> {
    pub(super) core: Core,
    pub(super) engine: Engine<P>,
}

impl<const P: usize> Equal<P> {
    /// An empty fabric. The settings have been checked, and their radix is P.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        Self::with_engine(settings, seed, Engine::new)
    }

    /// The same with an engine of choice, which has to serve the settings.
    pub(super) fn with_engine(settings: Settings, seed: Seed, engine: impl FnOnce(&Core, Seed) -> Engine<P>) -> Self {
        let core = Core::new(settings);
        let mut engine = engine(&core, seed);
        if core.draws_pointers() {
            let mut initial = seed.stream(Purpose::Fabric, 0);
            for at in 0..core.topology.at(core.topology.distribution, 0, 0) {
                engine.set_pointer(at, initial.below(P) as u8);
            }
        }
        Self { core, engine }
    }

    /// The index of a lane among those of all elements.
    fn index(&self, At { stage, element, lane }: At) -> usize {
        self.core.topology.at(stage, element, lane)
    }

    /// Every group that has a record, and its state.
    fn open_groups(&self) -> Vec<(At, Group)> {
        let (ports, elements) = (self.core.topology.ports, self.core.topology.elements());
        let mut groups = Vec::new();
        self.engine.state().for_each_open(&mut |at, state| {
            let (stage, element, lane) = (at / ports / elements, at / ports % elements, at % ports);
            groups.push((At { stage, element, lane }, state));
        });
        groups
    }

    fn cells(&self, at: At, side: Side, buffer: usize) -> Vec<FabricCell> {
        self.engine.state().cells(self.index(at), side, buffer, self.core.number_bits)
    }

    /// The cells in a group's input buffers, of one cell each, that wait for a predecessor.
    fn held(&self, at: At, state: Group) -> u32 {
        let routing = self.core.topology.routing(at.stage);
        if routing.distributes || self.core.settings.numbers() != Numbers::Stages || state.waits() != 0 {
            return 0;
        }
        // All of them but the one that is next in sequence, because of which the group is tried.
        let digit = |cell: &FabricCell| u32::from(cell.number >> routing.low) % P as u32;
        let next =
            (0..P).any(|port| self.cells(at, Side::Input, port).iter().any(|cell| state.awaits(port, digit(cell))));
        state.inputs().count_ones() - u32::from(next)
    }
}

impl<const P: usize> Fabric for Equal<P> {
    fn core_mut(&mut self) -> &mut Core {
        &mut self.core
    }

    fn run(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.engine.run(&mut self.core, now, arrivals, departures);
    }

    fn slots_at_a_time(&self) -> usize {
        self.engine.slots_at_a_time()
    }

    /// Words of all groups, request and credit bits of the links, and room for records of groups
    /// that have cells, as overloaded fabrics were seen to need it: 32 for each port of a stage,
    /// old copies included.
    fn bytes(&self) -> usize {
        let (topology, settings) = (&self.core.topology, &self.core.settings);
        let (ports, stages) = (topology.ports, topology.stages());
        let depth = settings.distribution_buffer.max(settings.for_routing());
        let record = size_of::<UnitRecord<P>>() + 8 * P * (1 + depth);
        let records = record * (4096 + 32 * stages * ports);
        4 * stages * topology.elements() * ports + (stages + 1) * ports * ports / 4 + records
    }
}

impl<const P: usize> State for Equal<P> {
    fn core(&self) -> &Core {
        &self.core
    }

    fn buffers(&self) -> Vec<Filled> {
        let (topology, mut buffers) = (&self.core.topology, Vec::new());
        for (at @ At { stage, element, lane }, state) in self.open_groups() {
            let destination = topology.destination(stage, element, lane) as Port;
            let packets = |side: Side, buffer: usize| {
                let packet = |FabricCell { born, source, number }| {
                    let mut cell = Packet { born, source, destination, ..Packet::default() };
                    match &self.core.exit {
                        Some(exit) => cell.numbers[0] = exit.whole_number(destination.into(), source.into(), number),
                        None => {
                            for level in 0..topology.levels() {
                                cell.numbers[level] = u32::from(number >> topology.bits(level)) % P as u32;
                            }
                        }
                    }
                    cell
                };
                self.cells(at, side, buffer).into_iter().map(packet).collect::<Vec<_>>()
            };
            let mut add = |side: Side, port: usize, lane: usize, buffer: usize| {
                let site = Site { stage, side, position: element * P + port, lane, queue: 0 };
                buffers.push((site, packets(side, buffer)));
            };
            let set = |set: u8| (0..P).filter(move |bit| set >> bit & 1 != 0);
            set(state.inputs()).for_each(|port| add(Side::Input, port, lane, port));
            for part in set(state.outputs()) {
                let routing = topology.routing(stage);
                let (port, lane) = if routing.distributes {
                    (part, lane)
                } else {
                    let target = routing.target::<P>(lane, part << routing.low);
                    (target.output, target.at)
                };
                add(Side::Output, port, lane, part);
            }
        }
        buffers
    }

    /// A cell has its number modulo P. Its round follows from its buffer: over each of the P paths
    /// of a level comes a cell of every round, in order, through the buffer at the beginning, the
    /// inner sub-network, which keeps the order of a group, and the buffers at the end.
    fn restore_numbers(&self, buffers: &mut [Filled]) {
        let topology = &self.core.topology;
        if self.core.settings.numbers() != Numbers::Stages {
            return;
        }
        for level in (0..topology.levels()).rev() {
            let exit = topology.stages() - 1 - level;
            // By resequencer, group and path: the order on the path, and where the cell is.
            let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
            for (index, (site, cells)) in buffers.iter().enumerate() {
                let section = match (site.stage, site.side) {
                    (stage, Side::Input) if stage == exit => 0,
                    (stage, Side::Output) if stage + 1 == exit && level + 1 < topology.levels() => 1,
                    (stage, Side::Output) if stage == level => 4,
                    (stage, Side::Input) if stage == level + 1 && stage < exit => 3,
                    (stage, _) if stage > level && stage < exit => 2,
                    _ => continue,
                };
                let network = topology.network(level, site.stage, site.position);
                let path = match section {
                    0 | 4 => site.position % P,
                    _ => topology.network(level + 1, site.stage, site.position) % P,
                };
                for (rank, cell) in cells.iter().enumerate() {
                    let element = network * topology.elements_within(level)
                        + usize::from(cell.destination) / topology.product(level + 1);
                    let key = (element, topology.lane_received(exit, cell), path);
                    let order = if section == 2 { cell.numbers[level + 1] as usize } else { rank };
                    lines.entry(key).or_default().push(([section, order], index, rank));
                }
            }
            for ((element, lane, path), mut line) in lines {
                line.sort_unstable();
                let state = self.engine.state().group(self.index(At { stage: exit, element, lane }));
                for (round, (_, index, rank)) in (u32::from(state.round()) >> path & 1..).zip(line) {
                    buffers[index].1[rank].numbers[level] += round * P as u32;
                }
            }
        }
    }

    fn lane(&self, at: At, _: usize) -> Lane {
        let engine = self.engine.state();
        let state = engine.group(self.index(at));
        Lane {
            number: state.rank(),
            round: state.round().into(),
            since: 0,
            held: if engine.counts_held() { state.held().into() } else { self.held(at, state) },
            pointer: state.pointer() as u8,
            merge: Turn::at(state.merge()),
        }
    }

    fn request(&self, link: usize, end: usize, lane: usize) -> (bool, bool) {
        let (cell, credit) = self.engine.state().request(&self.core.topology, link, end, lane);
        (cell, self.credits(link, end, lane).map_or(credit, |credits| credits > 0))
    }

    fn credits(&self, link: usize, end: usize, _: usize) -> Option<usize> {
        self.core.settings.per_link.then(|| self.engine.state().link_credits(link, end))
    }

    fn returning(&self) -> (Vec<Credit>, Vec<Credit>) {
        let begin = |(stage, position, group): (usize, usize, usize)| {
            (stage, self.core.topology.previous[stage][position].into(), group)
        };
        (self.engine.state().all_returning().into_iter().map(begin).collect(), Vec::new())
    }

    fn is_listed(&self, at: At) -> bool {
        self.engine.state().is_listed(at.stage, at.element * self.core.topology.ports + at.lane)
    }

    fn check_copies(&self) -> Result<(), String> {
        let (topology, engine) = (&self.core.topology, self.engine.state());
        for (link, end) in (0..=topology.stages()).flat_map(|l| (0..topology.ports).map(move |end| (l, end))) {
            let sound = engine.is_sound(topology, link, end);
            ensure(sound, || format!("link {link} from {end}: its summary is wrong"))?;
        }
        let mut returning: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (stage, position, group) in engine.all_returning() {
            *returning.entry((topology.at(stage, position / P, group), position % P)).or_default() += 1;
        }
        for (at, state) in self.open_groups() {
            let index = self.index(at);
            let back = |port: usize| returning.get(&(index, port)).copied().unwrap_or(0);
            let known = (0..P).all(|port| engine.returning(index, port) == back(port));
            ensure(known, || format!("{at:?}: other credits are under way than it knows"))?;
            ensure(!state.is_empty() || (0..P).any(|port| back(port) > 0), || {
                format!("{at:?}: it keeps empty buffers")
            })?;
        }
        Ok(())
    }

    fn is_stale(&self, now: Slot, patience: Slot) -> bool {
        let mut stale = false;
        self.engine.state().for_each_open(&mut |_, group| {
            stale |= Slot::from(clock(now).wrapping_sub(group.touched())) * 256 > patience;
        });
        stale
    }

    fn key(&self) -> u64 {
        self.engine.state().key()
    }
}
