//! The switch: stripes, frames, reads, departures.

use super::discipline::{Discipline, Turn};
use super::frame::{Frame, Read};
use super::stripes::Stripes;
use super::{Config, Speedup};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::counter::Counter;
use crate::port_set::PortSet;
use crate::switch::queues::{Queues, keep_beside};
use crate::switch::{Census, Failure, Inspection, QueueLengths, Switch};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A switch that stripes flows over up to `64 * W` memories.
#[derive(Clone, Debug)]
pub struct StripedFlows<const W: usize> {
    ports: usize,
    flows: usize,
    speedup: Speedup,
    discipline: Discipline,
    stripes: Stripes<W>,
    /// By output and flow: its cells that are not yet being read.
    queues: Queues,
    /// By place in the queues: input and memory of the cell.
    origin: Vec<(Port, Port)>,
    /// By memory: its cells.
    occupancy: Vec<u32>,
    /// By output: whose turn it is.
    turns: Vec<Turn>,
    frame: Frame,
    /// The first slot of the frame, and of the next one.
    begins: Slot,
    ends: Slot,
    /// How many of the frame's reads are done.
    done: usize,
    /// By output: what is being read, in the order in which it will leave; and what is leaving,
    /// from `sent` on.
    reading: Vec<Vec<Cell>>,
    leaving: Vec<Vec<Cell>>,
    sent: usize,
    /// By output: the slots in which an ideal output sends, of the cells inside; and the first slot
    /// in which it has nothing to send.
    ideal: Queues,
    ideal_idle: Vec<Slot>,
    /// The memories of this slot's cells.
    placed: Vec<Port>,
    failure: Option<Box<Failure>>,
    arrived: u64,
    departed: u64,
    tally: Tally,
}

/// What is counted.
#[derive(Clone, Debug, Default)]
struct Tally {
    frames: u64,
    substeps: u64,
    most_of_a_memory: u64,
    long_frames: u64,
    latin: u64,
    fullest: u64,
    lag: u64,
    beyond: u64,
    most_substeps: usize,
    most_lag: Slot,
}

impl<const W: usize> StripedFlows<W> {
    /// An empty switch, with as many flows as the discipline has. A size of 0 counts as 1, and more
    /// memories than `64 * W` as `64 * W`.
    pub fn new(config: Config) -> Self {
        let Config { ports, stripe, memories, speedup, discipline, placement } = config;
        let (ports, stripe, memories) = (ports.max(1), stripe.max(1), memories.clamp(1, 64 * W));
        let discipline = if discipline.flows() == 0 { Discipline::fair(1) } else { discipline };
        let (flows, most) = (discipline.flows(), ports * discipline.units());
        let cells = || (0..ports).map(|_| Vec::with_capacity(most)).collect();
        Self {
            ports,
            flows,
            speedup,
            stripes: Stripes::new(ports * flows, stripe, memories, placement),
            queues: Queues::new(ports * flows),
            origin: Vec::new(),
            occupancy: vec![0; memories],
            turns: vec![discipline.first_turn(); ports],
            discipline,
            frame: Frame::new(ports, memories, most),
            begins: 0,
            ends: 0,
            done: 0,
            reading: cells(),
            leaving: cells(),
            sent: 0,
            ideal: Queues::new(ports),
            ideal_idle: vec![0; ports],
            placed: Vec::with_capacity(ports),
            failure: None,
            arrived: 0,
            departed: 0,
            tally: Tally::default(),
        }
    }

    /// For each input the memory of its cell of the last slot, or [`NONE`].
    pub fn written(&self) -> &[Port] {
        &self.placed
    }

    /// The reads of the frame under way.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The most sub-steps of any frame so far.
    pub fn most_substeps(&self) -> usize {
        self.tally.most_substeps
    }

    /// The longest that an output was behind an ideal one with its k-th cell, for any k.
    pub fn most_lag(&self) -> Slot {
        self.tally.most_lag
    }

    /// The length of a frame that does not need longer.
    pub fn frame_slots(&self) -> usize {
        self.ports * self.discipline.units()
    }

    /// Finds a memory for each cell, in the order of inputs; an error is an input whose cell has
    /// none.
    #[inline(always)]
    fn find_memories(&mut self, arrivals: &[Port]) -> Result<(), usize> {
        let mut written = PortSet::<W>::EMPTY;
        self.placed.clear();
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                self.placed.push(NONE);
                continue;
            }
            let flow = output as usize * self.flows + input % self.flows;
            let memory = self.stripes.find(flow, &mut written, &self.occupancy).ok_or(input)?;
            self.placed.push(memory);
        }
        Ok(())
    }

    /// Writes the cells, and notes when an ideal output would send one more.
    #[inline(always)]
    fn write(&mut self, now: Slot, arrivals: &[Port]) {
        let (mut queues, mut ideal) = (self.queues.open(self.ports), self.ideal.open(self.ports));
        keep_beside(&mut self.origin, queues.extent(), (NONE, NONE));
        for (input, (&output, &memory)) in arrivals.iter().zip(&self.placed).enumerate() {
            if output == NONE {
                continue;
            }
            let place = queues.push(output as usize * self.flows + input % self.flows, now);
            self.origin[place] = (input as Port, memory);
            self.occupancy[memory as usize] += 1;
            let idle = &mut self.ideal_idle[output as usize];
            let sends = now.max(*idle);
            *idle = sends + 1;
            ideal.push(output as usize, sends);
            self.arrived += 1;
        }
    }

    /// Begins a frame: what was read leaves, and each output decides what to read.
    fn begin_frame(&mut self, now: Slot) {
        core::mem::swap(&mut self.reading, &mut self.leaving);
        self.sent = 0;
        let most = self.frame_slots();
        self.frame.clear();
        let mut queues = self.queues.open(0);
        for (output, reading) in self.reading.iter_mut().enumerate() {
            reading.clear();
            while reading.len() < most {
                let is_empty = |flow| queues.is_empty(output * self.flows + flow);
                let Some(flow) = self.discipline.next(&mut self.turns[output], is_empty) else { break };
                let (place, born, _) = queues.pop(output * self.flows + flow);
                let (input, memory) = self.origin[place];
                reading.push(Cell { born, input });
                self.frame.want(output, memory);
            }
        }
        drop(queues);
        self.frame.plan();
        self.done = 0;
        let slots = self.speedup.slots_for((self.frame.substeps() * self.ports) as u64).max(most as u64);
        (self.begins, self.ends) = (now, now.saturating_add(Slot::try_from(slots).unwrap_or(Slot::MAX)));
        let tally = &mut self.tally;
        tally.frames += 1;
        tally.substeps += self.frame.substeps() as u64;
        tally.most_substeps = tally.most_substeps.max(self.frame.substeps());
        tally.most_of_a_memory += self.frame.most_of_a_memory() as u64;
        tally.latin += self.frame.latin_substeps() as u64;
        tally.long_frames += u64::from(slots > most as u64);
        tally.fullest += u64::from(self.occupancy.iter().max().copied().unwrap_or(0));
    }

    #[inline(always)]
    fn depart(&mut self, now: Slot, departures: &mut [Cell]) {
        let mut ideal = self.ideal.open(0);
        let frames = 2 * (self.ports * self.discipline.units()) as Slot;
        for (output, (departure, leaving)) in departures.iter_mut().zip(&self.leaving).enumerate() {
            if let Some(&cell) = leaving.get(self.sent) {
                *departure = cell;
                self.departed += 1;
                let (_, sends, _) = ideal.pop(output);
                let lag = now - sends;
                self.tally.lag += u64::from(lag);
                self.tally.beyond += u64::from(lag >= frames);
                self.tally.most_lag = self.tally.most_lag.max(lag);
            }
        }
        self.sent += 1;
    }
}

impl<const W: usize> Switch for StripedFlows<W> {
    fn ports(&self) -> usize {
        self.ports
    }

    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.failure.is_some() {
            return;
        }
        if let Err(input) = self.find_memories(arrivals) {
            self.placed.clear();
            let (memories, stripe) = (self.occupancy.len(), self.stripes.stripe());
            let (input, output, needed) = (input as Port, arrivals[input], self.ports + stripe - 1);
            let failure = Failure::Unstriped { slot: now, input, output, memories, stripe, needed };
            self.failure = Some(Box::new(failure));
            return;
        }
        self.write(now, arrivals);
        if now == self.ends {
            self.begin_frame(now);
        }
        let turns = self.speedup.reads_in(u64::from(now - self.begins) + 1);
        while let Some(read) = self.frame.reads().get(self.done).filter(|read| u64::from(read.turn) < turns) {
            self.occupancy[read.memory as usize] -= 1;
            self.done += 1;
        }
        self.depart(now, departures);
    }

    fn census(&self) -> Census {
        let reading = self.reading.iter().map(Vec::len).sum::<usize>();
        let leaving = self.leaving.iter().map(|cells| cells.len().saturating_sub(self.sent)).sum::<usize>();
        let queued = self.queues.length() + (reading + leaving) as u64;
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued }
    }

    /// A cell is in a queue or in a frame, whose places are there from the beginning, and an ideal
    /// output has its slot.
    fn bytes_per_cell(&self) -> usize {
        2 * Queues::BYTES_PER_CELL + 3 * size_of::<(Port, Port)>()
    }

    /// Frames are as long as the settings say: an output reads and sends `most` cells in one. The
    /// edges of a sub-step are at most `ports` for each output.
    fn fixed_bytes(&self) -> u64 {
        let (ports, memories, most) = (self.ports, self.occupancy.len(), self.frame_slots());
        let frame = ports * most * (2 * size_of::<Cell>() + size_of::<Port>() + size_of::<Read>());
        let colours = (ports + memories) * ports * size_of::<u32>();
        let edges = ports * ports * (size_of::<(Port, Port)>() + size_of::<u32>());
        let by_memory = memories * (size_of::<u32>() + size_of::<Port>());
        let queues = Queues::fixed_bytes(ports * self.flows, size_of::<(Port, Port)>()) + Queues::fixed_bytes(ports, 0);
        let own = size_of::<Self>() + ports * size_of::<[usize; 16]>();
        self.stripes.bytes() + queues + (own + frame + colours + edges + by_memory) as u64
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Tally { frames, substeps, most_of_a_memory, long_frames, latin, fullest, lag, beyond, .. } = self.tally;
        for (name, sum, per) in [
            ("substeps", substeps, frames),
            ("reads_of_a_memory", most_of_a_memory, frames),
            ("speedup_needed", substeps, frames * self.discipline.units() as u64),
            ("long_frames", long_frames, frames),
            ("latin_substeps", latin, substeps),
            ("fullest_memory", fullest, frames),
            ("work_lag", lag, self.departed),
            ("beyond_two_frames", beyond, self.departed),
        ] {
            visit(Counter { name, sum, per });
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let cells = self.occupancy.iter().map(|&cells| cells.min(u32::from(Port::MAX)) as Port).collect();
        let (queues, state) = (QueueLengths::Outputs(self.ideal.lengths()), vec![("cells, by memory", cells)]);
        Some(Inspection { queues, matching: None, state })
    }
}
