//! The switch: departure times, memories, writes, reads.

use super::augmenting::Augmenting;
use super::table::{Due, Table};
use super::{Access, Colouring, Config, Halving, Matcher, Placement};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::counter::Counter;
use crate::observe::{Event, Observer};
use crate::port_set::PortSet;
use crate::switch::{Census, Failure, Inspection, QueueLengths, Switch};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A shared-memory switch with up to `64 * W` memories.
#[derive(Clone, Debug)]
pub struct SharedMemory<const W: usize> {
    capacity: u32,
    matcher: Matcher,
    placement: Placement,
    access: Access,
    table: Table<W>,
    halving: Option<Halving>,
    colouring: Option<Colouring>,
    augmenting: Augmenting<W>,
    /// The slot, mod K.
    place: u32,
    /// By output: its cells inside.
    lengths: Vec<u32>,
    /// The cells of this slot that were not dropped, in the order of inputs.
    due: Vec<Due>,
    /// The cells of this slot that bypass the memories: input and output.
    bypassing: Vec<(Port, Port)>,
    /// The memories of the cells that are due.
    placed: Vec<Port>,
    /// For greedy: how many memories a cell does not fit, and which cell it is.
    order: Vec<(u32, Port)>,
    dropped_now: Vec<Dropped>,
    failure: Option<Box<Failure>>,
    slots: u64,
    arrived: u64,
    departed: u64,
    dropped: u64,
    in_use_sum: u64,
    fullest_sum: u64,
    augmentations: u64,
    bypassed: u64,
}

impl<const W: usize> SharedMemory<W> {
    /// An empty switch. A size of 0 counts as 1, and more memories than `64 * W` as `64 * W`.
    pub fn new(config: Config) -> Self {
        let Config { ports, memories, capacity, matcher, placement, access } = config;
        let (ports, memories, capacity) = (ports.max(1), memories.clamp(1, 64 * W), capacity.max(1));
        Self {
            capacity: capacity as u32,
            matcher,
            placement,
            access,
            table: Table::new(memories, capacity),
            halving: (matcher == Matcher::Halving).then(|| Halving::new(ports, memories)),
            colouring: match matcher {
                Matcher::Colouring => Some(Colouring::koenig(ports, memories)),
                Matcher::Lpv => Some(Colouring::lev_pippenger_valiant(ports, memories)),
                Matcher::FirstFit | Matcher::Greedy | Matcher::Maximum | Matcher::Halving => None,
            },
            augmenting: Augmenting::new(ports, memories),
            place: 0,
            lengths: vec![0; ports],
            due: Vec::with_capacity(ports),
            bypassing: Vec::with_capacity(ports),
            placed: Vec::with_capacity(ports),
            order: Vec::with_capacity(ports),
            dropped_now: Vec::with_capacity(ports),
            failure: None,
            slots: 0,
            arrived: 0,
            departed: 0,
            dropped: 0,
            in_use_sum: 0,
            fullest_sum: 0,
            augmentations: 0,
            bypassed: 0,
        }
    }

    /// For each input the memory that its cell of the last slot was written to, or [`NONE`]. A cell
    /// that bypassed the memories has none.
    pub fn written(&self) -> Vec<Port> {
        let mut memories = vec![NONE; self.lengths.len()];
        for (due, &memory) in self.due.iter().zip(&self.placed) {
            memories[due.input as usize] = memory;
        }
        memories
    }

    /// Departure times, section IV-B as the readings mend it: arrivals before departures, so a cell
    /// may leave at once. If `SINGLE`, such a cell bypasses the memories.
    #[inline(always)]
    fn compute_departures<const SINGLE: bool>(&mut self, now: Slot, arrivals: &[Port]) {
        self.due.clear();
        if SINGLE {
            self.bypassing.clear();
        }
        self.dropped_now.clear();
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            let input = input as Port;
            let length = &mut self.lengths[output as usize];
            if *length == self.capacity {
                self.dropped_now.push(Dropped { slot: now, born: now, input, output });
                continue;
            }
            let place = self.place + *length;
            *length += 1;
            if SINGLE && *length == 1 {
                self.bypassing.push((input, output));
                continue;
            }
            self.due.push(Due {
                input,
                output,
                place: if place < self.capacity { place } else { place - self.capacity },
            });
        }
    }

    /// Assigns memories to the cells; an error is the cell that has none.
    #[inline(always)]
    fn find_memories(&mut self, now: Slot) -> Result<(), usize> {
        self.placed.clear();
        match self.matcher {
            Matcher::FirstFit => {
                let mut written = PortSet::<W>::EMPTY;
                for (cell, due) in self.due.iter().enumerate() {
                    let memory = pick(&mut self.placement, &self.table, *due, &mut written).ok_or(cell)?;
                    self.placed.push(memory);
                }
                Ok(())
            }
            Matcher::Greedy => self.most_constrained_first(),
            Matcher::Maximum => self.maximum(),
            Matcher::Halving => {
                if let Some(halving) = &mut self.halving {
                    halving.place(&self.table, &self.due, &mut self.placed);
                }
                self.all_placed()
            }
            Matcher::Colouring | Matcher::Lpv => {
                if let Some(colouring) = &mut self.colouring {
                    let fits = |cell: usize| self.table.fits(self.due[cell].place);
                    colouring.place(now, self.due.len(), fits, &mut self.placed);
                }
                self.all_placed()
            }
        }
    }

    /// An error is the first cell that has no memory.
    fn all_placed(&self) -> Result<(), usize> {
        self.placed.iter().position(|&memory| memory == NONE).map_or(Ok(()), Err)
    }

    fn most_constrained_first(&mut self) -> Result<(), usize> {
        let mut written = PortSet::<W>::EMPTY;
        self.order.clear();
        let fitting = |due: &Due| self.table.fits(due.place).len() as u32;
        self.order.extend(self.due.iter().zip(0..).map(|(due, cell)| (fitting(due), cell)));
        self.order.sort_unstable();
        self.placed.resize(self.due.len(), NONE);
        for &(_, cell) in &self.order {
            let cell = cell as usize;
            self.placed[cell] = pick(&mut self.placement, &self.table, self.due[cell], &mut written).ok_or(cell)?;
        }
        Ok(())
    }

    fn maximum(&mut self) -> Result<(), usize> {
        let mut written = PortSet::<W>::EMPTY;
        for due in &self.due {
            self.placed.push(pick(&mut self.placement, &self.table, *due, &mut written).unwrap_or(NONE));
        }
        if !self.placed.contains(&NONE) {
            return Ok(());
        }
        self.augmenting.begin(&self.placed);
        for cell in 0..self.due.len() {
            if self.placed[cell] == NONE {
                self.augmentations += 1;
                if !self.augmenting.place(&self.table, &self.due, &mut self.placed, cell) {
                    return Err(cell);
                }
            }
        }
        Ok(())
    }

    /// Undoes the slot, and records why a cell could not be placed.
    #[cold]
    fn fail(&mut self, now: Slot, cell: usize) {
        let mut placed = vec![NONE; self.due.len()];
        self.augmenting.begin(&placed);
        // The cell itself is placed last, so that a violation, if there is one, is likely to
        // contain it.
        let others = (0..self.due.len()).filter(|&other| other != cell);
        let unplaceable =
            others.chain([cell]).find(|&cell| !self.augmenting.place(&self.table, &self.due, &mut placed, cell));
        let due = self.due[cell];
        let waits = (due.place + self.capacity - self.place) % self.capacity;
        let ports = self.lengths.len();
        self.failure = Some(Box::new(Failure::Unplaced {
            slot: now,
            input: due.input,
            output: due.output,
            departs: u64::from(now) + u64::from(waits),
            matcher: self.matcher,
            memories: self.table.memories(),
            needed: self.matcher.memories(ports, self.access),
            first_fit_needs: Matcher::FirstFit.memories(ports, self.access),
            fits: self.table.fits(due.place).iter().map(|memory| memory as Port).collect(),
            hall: unplaceable.map(|_| self.augmenting.violation(&self.due)),
        }));
        let outputs = self.due.iter().map(|due| due.output);
        for output in outputs.chain(self.bypassing.iter().map(|&(_, output)| output)) {
            self.lengths[output as usize] -= 1;
        }
        self.due.clear();
        self.bypassing.clear();
        self.placed.clear();
        self.dropped_now.clear();
    }

    /// A slot of memories that are read or written, not both, if `SINGLE`.
    #[inline(always)]
    fn run_slot<const SINGLE: bool>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.compute_departures::<SINGLE>(now, arrivals);
        if SINGLE {
            self.table.exclude_read(self.place);
        }
        if let Err(cell) = self.find_memories(now) {
            self.fail(now, cell);
            return;
        }
        for (due, &memory) in self.due.iter().zip(&self.placed) {
            self.table.write(*due, memory as usize, now);
        }
        let lengths = &mut self.lengths[..];
        let mut departed = 0;
        self.table.read(self.place, |output, cell| {
            departures[output] = cell;
            lengths[output] -= 1;
            departed += 1;
        });
        if SINGLE {
            for &(input, output) in &self.bypassing {
                departures[output as usize] = Cell { born: now, input };
                lengths[output as usize] -= 1;
            }
            let bypassing = self.bypassing.len() as u64;
            self.arrived += bypassing;
            self.bypassed += bypassing;
            departed += bypassing;
        }
        self.place = if self.place + 1 == self.capacity { 0 } else { self.place + 1 };
        self.slots += 1;
        self.arrived += (self.due.len() + self.dropped_now.len()) as u64;
        self.departed += departed;
        self.dropped += self.dropped_now.len() as u64;
        self.in_use_sum += self.table.in_use() as u64;
        self.fullest_sum += self.table.fullest() as u64;
    }
}

/// A memory that fits the cell and is not yet written in this slot.
#[inline(always)]
fn pick<const W: usize>(
    placement: &mut Placement,
    table: &Table<W>,
    due: Due,
    written: &mut PortSet<W>,
) -> Option<Port> {
    let fits = table.fits(due.place);
    let left = fits.difference(written);
    let memory = placement.pick(&left, table.occupancy())?;
    written.insert(memory);
    Some(memory as Port)
}

impl<const W: usize> Switch for SharedMemory<W> {
    fn ports(&self) -> usize {
        self.lengths.len()
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.failure.is_some() {
            return;
        }
        match self.access {
            Access::ReadWrite => self.run_slot::<false>(now, arrivals, departures),
            Access::Single => self.run_slot::<true>(now, arrivals, departures),
        }
    }

    /// The cells of the slot and their memories are kept until the next one, so that nothing is
    /// done for an observer within a slot.
    #[cold]
    fn slot_observed(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], observer: &mut dyn Observer) {
        let (first, capacity) = (self.place, self.capacity);
        self.slot(now, arrivals, departures);
        for (&Due { input, output, place }, &memory) in self.due.iter().zip(&self.placed) {
            let waits = if place >= first { place - first } else { place + capacity - first };
            let departs = u64::from(now) + u64::from(waits);
            observer.observe(Event::Written { input, output, memory, departs });
        }
    }

    fn census(&self) -> Census {
        let queued = self.lengths.iter().map(|&length| u64::from(length)).sum();
        Census { arrived: self.arrived, departed: self.departed, dropped: self.dropped, queued }
    }

    /// All memory for cells is in the table.
    fn bytes_per_cell(&self) -> usize {
        0
    }

    fn fixed_bytes(&self) -> u64 {
        let by_port = size_of::<(u32, Due, Port, (u32, Port), Dropped, (Port, Port))>() * self.lengths.len();
        let by_memory = 2 * size_of::<Port>() * self.table.memories();
        let matcher =
            self.halving.as_ref().map_or(0, Halving::bytes) + self.colouring.as_ref().map_or(0, Colouring::bytes);
        self.table.bytes() + matcher + (size_of::<Self>() + by_port + by_memory) as u64
    }

    fn reserved_bytes(&self) -> u64 {
        self.table.bytes()
    }

    #[inline]
    fn dropped(&self) -> &[Dropped] {
        &self.dropped_now
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "memories_in_use", sum: self.in_use_sum, per: self.slots });
        visit(Counter { name: "fullest_memory", sum: self.fullest_sum, per: self.slots });
        visit(Counter { name: "drop_rate", sum: self.dropped, per: self.arrived });
        if self.matcher == Matcher::Maximum {
            visit(Counter { name: "augmentations", sum: self.augmentations, per: self.slots });
        }
        if self.access == Access::Single {
            visit(Counter { name: "bypassed", sum: self.bypassed, per: self.departed });
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let cells = self.table.occupancy().iter().map(|&cells| cells.min(u32::from(Port::MAX)) as Port).collect();
        Some(Inspection {
            queues: QueueLengths::Outputs(self.lengths.clone()),
            matching: None,
            state: vec![("cells, by memory", cells)],
        })
    }
}
