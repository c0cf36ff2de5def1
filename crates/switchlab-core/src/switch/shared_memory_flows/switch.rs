//! The switch: stripes, frames, reads, departures.

use super::discipline::{Discipline, Turn};
use super::frame::{Frame, Read};
use super::limit::Limit;
use super::matching::Matching;
use super::stripes::Stripes;
use super::{Config, FlowsFrom, Speedup};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::counter::Counter;
use crate::error::Error;
use crate::labels::Labels;
use crate::port_set::PortSet;
use crate::switch::queues::{Queues, keep_beside};
use crate::switch::shared_memory::Matcher;
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
    matcher: Matcher,
    /// For matchers of all cells of a slot.
    matching: Option<Matching<W>>,
    stripes: Stripes<W>,
    /// For queues of limited length.
    limit: Option<Limit>,
    /// The labels of cells, if these say which flow a cell is of.
    labels: Option<Labels>,
    /// By input: the flow of its cell of this slot, among those of all outputs.
    flows_now: Vec<u32>,
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
        let Config { ports, stripe, memories, speedup, discipline, placement, matcher, capacity, flows_from } = config;
        let (ports, stripe, memories) = (ports.max(1), stripe.max(1), memories.clamp(1, 64 * W));
        let discipline = if discipline.flows() == 0 { Discipline::fair(1) } else { discipline };
        let (flows, most) = (discipline.flows(), ports * discipline.units());
        let cells = || (0..ports).map(|_| Vec::with_capacity(most)).collect();
        Self {
            ports,
            flows,
            speedup,
            matcher,
            matching: Matching::new(matcher, ports, memories),
            stripes: Stripes::new(ports * flows, stripe, memories, placement),
            limit: capacity.map(|capacity| Limit::new(ports, capacity.max(1), flows, stripe)),
            labels: (flows_from == FlowsFrom::Label).then_some(Labels::NONE),
            flows_now: vec![0; ports],
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

    /// The flow of each cell, among those of all outputs.
    #[inline(always)]
    fn find_flows(&mut self, now: Slot, arrivals: &[Port]) {
        let cells = arrivals.iter().zip(&mut self.flows_now).enumerate().filter(|(_, (output, _))| **output != NONE);
        let flows = self.flows;
        if let Some(labels) = &self.labels {
            for (input, (&output, flow)) in cells {
                let own = usize::from(labels.of(input as Port, now).flow);
                *flow = (output as usize * flows + own) as u32;
            }
        } else {
            for (input, (&output, flow)) in cells {
                *flow = (output as usize * flows + input % flows) as u32;
            }
        }
    }

    /// Finds a memory for each cell, in the order of inputs unless a matcher takes all at once; an
    /// error is an input whose cell has none.
    #[inline(always)]
    fn find_memories(&mut self, now: Slot, arrivals: &[Port]) -> Result<(), usize> {
        if let Some(matching) = &mut self.matching {
            return matching.find(now, arrivals, &self.flows_now, &mut self.stripes, &mut self.placed);
        }
        let mut written = PortSet::<W>::EMPTY;
        self.placed.clear();
        for (input, (&output, &flow)) in arrivals.iter().zip(&self.flows_now).enumerate() {
            if output == NONE {
                self.placed.push(NONE);
                continue;
            }
            let memory = self.stripes.find(flow as usize, &mut written, &self.occupancy).ok_or(input)?;
            self.placed.push(memory);
        }
        Ok(())
    }

    /// Writes the cells, and notes when an ideal output would send one more.
    #[inline(always)]
    fn write(&mut self, now: Slot, arrivals: &[Port]) {
        let (mut queues, mut ideal) = (self.queues.open(self.ports), self.ideal.open(self.ports));
        keep_beside(&mut self.origin, queues.extent(), (NONE, NONE));
        let placed = self.placed.iter().zip(&self.flows_now);
        for (input, (&output, (&memory, &flow))) in arrivals.iter().zip(placed).enumerate() {
            if output == NONE {
                continue;
            }
            let place = queues.push(flow as usize, now);
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
        if let Some(limit) = &mut self.limit {
            limit.end_frame(self.leaving.iter().map(Vec::len), &self.occupancy);
        }
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

    /// A slot, of queues of limited length if `LIMITED`. `arrivals` are cells that are not dropped.
    #[inline]
    fn run_slot<const LIMITED: bool>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.find_flows(now, arrivals);
        if let Err(input) = self.find_memories(now, arrivals) {
            self.fail(now, input, arrivals[input]);
            return;
        }
        self.write(now, arrivals);
        if LIMITED && let Some(limit) = &mut self.limit {
            for &memory in self.placed.iter().filter(|memory| **memory != NONE) {
                limit.written(self.occupancy[memory as usize]);
            }
        }
        if now == self.ends {
            self.begin_frame(now);
        }
        let turns = self.speedup.reads_in(u64::from(now - self.begins) + 1);
        while let Some(read) = self.frame.reads().get(self.done).filter(|read| u64::from(read.turn) < turns) {
            self.occupancy[read.memory as usize] -= 1;
            self.done += 1;
            if LIMITED && let Some(limit) = &mut self.limit {
                limit.read(read.output);
            }
        }
        if LIMITED && let Some(limit) = &mut self.limit {
            limit.look_at_outputs(self.leaving.iter().map(|cells| cells.len().saturating_sub(self.sent)));
        }
        self.depart(now, departures);
    }

    /// Stops: the slot does not take place.
    #[cold]
    fn fail(&mut self, now: Slot, input: usize, output: Port) {
        self.placed.clear();
        let (memories, stripe) = (self.occupancy.len(), self.stripes.stripe());
        let needed = stripe - 1 + self.matcher.degree(self.ports);
        let (input, matcher) = (input as Port, self.matcher);
        let failure = Failure::Unstriped { slot: now, input, output, memories, stripe, needed, matcher };
        self.failure = Some(Box::new(failure));
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
        let Some(limit) = &mut self.limit else {
            return self.run_slot::<false>(now, arrivals, departures);
        };
        limit.admit(now, arrivals);
        let admitted = core::mem::take(&mut limit.admitted);
        self.run_slot::<true>(now, &admitted, departures);
        if let Some(limit) = &mut self.limit {
            limit.admitted = admitted;
            if self.failure.is_some() {
                limit.undo();
            }
        }
    }

    #[inline]
    fn dropped(&self) -> &[Dropped] {
        self.limit.as_ref().map_or(&[], |limit| &limit.dropped_now)
    }

    fn use_labels(&mut self, labels: &Labels) -> Result<(), Error> {
        let Some(own) = &mut self.labels else { return Ok(()) };
        let (flows, most) = (labels.flows(), self.flows);
        if flows > most {
            let problem = alloc::format!("traffic has {flows} flows and the switch {most}; write flows={flows}");
            return Err(Error::Impossible { name: "psm-flows".into(), problem });
        }
        *own = labels.clone();
        Ok(())
    }

    fn census(&self) -> Census {
        let reading = self.reading.iter().map(Vec::len).sum::<usize>();
        let leaving = self.leaving.iter().map(|cells| cells.len().saturating_sub(self.sent)).sum::<usize>();
        let queued = self.queues.length() + (reading + leaving) as u64;
        let dropped = self.limit.as_ref().map_or(0, |limit| limit.dropped);
        Census { arrived: self.arrived + dropped, departed: self.departed, dropped, queued }
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
        let matching = self.matching.as_ref().map_or(0, Matching::bytes);
        let limit = self.limit.as_ref().map_or(0, Limit::bytes);
        self.stripes.bytes() + matching + limit + queues + (own + frame + colours + edges + by_memory) as u64
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
        if let Some(limit) = &self.limit {
            let output_memory = 2 * self.frame_slots() as u64;
            for (name, sum, per) in [
                ("drop_rate", limit.dropped, self.arrived + limit.dropped),
                ("memory_filled", limit.fullest_sum, limit.frames.saturating_mul(limit.bound)),
                ("memory_overfilled", limit.overfilled, limit.frames),
                ("output_memory_filled", limit.fullest_output_sum, limit.frames * output_memory),
            ] {
                visit(Counter { name, sum, per });
            }
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let cells = self.occupancy.iter().map(|&cells| cells.min(u32::from(Port::MAX)) as Port).collect();
        let (queues, state) = (QueueLengths::Outputs(self.ideal.lengths()), vec![("cells, by memory", cells)]);
        Some(Inspection { queues, matching: None, state })
    }
}
