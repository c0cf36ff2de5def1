//! How many cells are inside, queue by queue: by VOQ, by input, by output and in all.
//!
//! A cell inside belongs to the VOQ of its input and output, whatever queues the switch has: the
//! meter follows arrivals, departures and drops, and does not look into the switch. So the figures
//! of all switches mean the same. For a crossbar they are its queues, for an output-queued switch
//! the outputs are.
//!
//! Occupancy is counted at the end of each slot, as the backlog is. A histogram has the number of
//! slots that queues of a kind spent at each length. Nothing is done for a queue that does not
//! change: it keeps its length and the slot in which it got it, and is counted when it changes or
//! when the histogram is read.

use super::Histogram;
use crate::cell::{Block, Cell, Dropped, NONE, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// A queue that has had its length since the end of a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    length: u32,
    since: Slot,
}

/// Queues of one kind.
#[derive(Clone, Debug)]
struct Kind {
    queues: Vec<Queue>,
    lengths: Histogram,
    /// Of each queue, its lengths summed up over slots; empty if single queues are not of interest.
    sums: Vec<u64>,
}

impl Kind {
    fn new(queues: usize) -> Self {
        Self { queues: vec![Queue::default(); queues], lengths: Histogram::new(), sums: Vec::new() }
    }

    fn with_sums(queues: usize) -> Self {
        Self { sums: vec![0; queues], ..Self::new(queues) }
    }

    /// Counts a queue up to the end of the slot before `now`.
    fn count(&mut self, queue: usize, now: Slot) {
        let Queue { length, since } = self.queues[queue];
        if now > since {
            let slots = u64::from(now - since);
            self.lengths.add(length, slots);
            self.lengths.add_to_sum(u64::from(length) * slots);
            if let Some(sum) = self.sums.get_mut(queue) {
                *sum += u64::from(length) * slots;
            }
            self.queues[queue].since = now;
        }
    }

    fn enqueue(&mut self, queue: usize, now: Slot) {
        self.count(queue, now);
        self.queues[queue].length += 1;
    }

    fn dequeue(&mut self, queue: usize, now: Slot) {
        self.count(queue, now);
        let length = &mut self.queues[queue].length;
        assert!(*length > 0, "a cell left a queue that had none");
        *length -= 1;
    }

    /// Forgets what was counted, but not the lengths.
    fn open(&mut self, now: Slot) {
        self.lengths = Histogram::new();
        self.sums.fill(0);
        for queue in &mut self.queues {
            queue.since = now;
        }
    }

    /// The histogram up to the end of the slot before `now`.
    fn histogram(&mut self, now: Slot) -> Histogram {
        for queue in 0..self.queues.len() {
            self.count(queue, now);
        }
        self.lengths.trimmed()
    }
}

/// Slots spent at each length, by kind of queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// One queue for each input and output.
    pub voq: Histogram,
    /// All cells of an input.
    pub input: Histogram,
    /// All cells for an output.
    pub output: Histogram,
    /// All cells.
    pub total: Histogram,
    /// Of each VOQ, by input, then output: its lengths summed up over slots.
    pub voq_sums: Vec<u64>,
}

impl Lengths {
    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.voq.merge(&other.voq);
        self.input.merge(&other.input);
        self.output.merge(&other.output);
        self.total.merge(&other.total);
        assert_eq!(self.voq_sums.len(), other.voq_sums.len(), "meters of the same size");
        for (sum, more) in self.voq_sums.iter_mut().zip(&other.voq_sums) {
            *sum += more;
        }
    }
}

/// The meter. See the module.
#[derive(Clone, Debug)]
pub struct Occupancy {
    ports: usize,
    /// The slot after the last one observed.
    now: Slot,
    voq: Kind,
    input: Kind,
    output: Kind,
    total: Kind,
}

impl Occupancy {
    /// Of an empty switch.
    pub fn new(ports: usize) -> Self {
        let [input, output, total] = [ports, ports, 1].map(Kind::new);
        Self { ports, now: 0, voq: Kind::with_sums(ports * ports), input, output, total }
    }

    /// The bytes of a meter for a switch with this number of ports.
    pub fn fixed_bytes(ports: usize) -> u64 {
        let sums = (ports * ports * size_of::<u64>()) as u64;
        ((ports * ports + 2 * ports + 1) * size_of::<Queue>()) as u64 + sums + 4 * Histogram::BYTES
    }

    /// Opens the window at slot `now`.
    pub fn open(&mut self, now: Slot) {
        for kind in [&mut self.voq, &mut self.input, &mut self.output, &mut self.total] {
            kind.open(now);
        }
    }

    /// Counts a block of slots, and the cells thrown away in it, ascending by slot.
    pub fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        let mut dropped = dropped.iter().peekable();
        for ((now, arrivals), (_, departures)) in arrivals.rows().zip(departures.rows()) {
            for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
                self.change(input, usize::from(output), now, Kind::enqueue);
            }
            while let Some(cell) = dropped.next_if(|cell| cell.slot == now) {
                self.change(usize::from(cell.input), usize::from(cell.output), now, Kind::dequeue);
            }
            for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                self.change(usize::from(cell.input), output, now, Kind::dequeue);
            }
            self.now = now + 1;
        }
    }

    fn change(&mut self, input: usize, output: usize, now: Slot, change: fn(&mut Kind, usize, Slot)) {
        change(&mut self.voq, input * self.ports + output, now);
        change(&mut self.input, input, now);
        change(&mut self.output, output, now);
        change(&mut self.total, 0, now);
    }

    /// Slots spent at each length since the window was opened.
    pub fn lengths(&mut self) -> Lengths {
        Lengths {
            voq: self.voq.histogram(self.now),
            input: self.input.histogram(self.now),
            output: self.output.histogram(self.now),
            total: self.total.histogram(self.now),
            // After the histogram, which counts every queue up to now.
            voq_sums: self.voq.sums.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use crate::rng::Seed;

    /// Counts every queue after every slot.
    fn naive(ports: usize, slots: &[(Vec<Port>, Vec<Dropped>, Vec<Cell>)], opened: usize) -> Lengths {
        let mut voqs = vec![0_u32; ports * ports];
        let mut lengths = Lengths {
            voq: Histogram::new(),
            input: Histogram::new(),
            output: Histogram::new(),
            total: Histogram::new(),
            voq_sums: vec![0; ports * ports],
        };
        for (slot, (arrivals, dropped, departures)) in slots.iter().enumerate() {
            for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
                voqs[input * ports + usize::from(output)] += 1;
            }
            for cell in dropped {
                voqs[usize::from(cell.input) * ports + usize::from(cell.output)] -= 1;
            }
            for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                voqs[usize::from(cell.input) * ports + output] -= 1;
            }
            if slot < opened {
                continue;
            }
            let count = |histogram: &mut Histogram, length: u32| {
                histogram.add(length, 1);
                histogram.add_to_sum(u64::from(length));
            };
            for (&length, sum) in voqs.iter().zip(&mut lengths.voq_sums) {
                count(&mut lengths.voq, length);
                *sum += u64::from(length);
            }
            for port in 0..ports {
                count(&mut lengths.input, voqs[port * ports..][..ports].iter().sum());
                count(&mut lengths.output, (0..ports).map(|input| voqs[input * ports + port]).sum());
            }
            count(&mut lengths.total, voqs.iter().sum());
        }
        let trimmed = |histogram: &Histogram| histogram.trimmed();
        Lengths {
            voq: trimmed(&lengths.voq),
            input: trimmed(&lengths.input),
            output: trimmed(&lengths.output),
            total: trimmed(&lengths.total),
            voq_sums: lengths.voq_sums.clone(),
        }
    }

    #[test]
    fn lengths_are_those_of_every_queue_after_every_slot() {
        for (switch, ports, load) in
            [("islip", 5, 0.9), ("oq(capacity=3)", 4, 1.0), ("fifo", 3, 0.8), ("benes", 4, 0.7), ("pim", 20, 0.9)]
        {
            let seed = Seed { seed: 5, replication: 0 };
            let traffic = registry::traffic("uniform").unwrap().build(Some(ports), Some(load), &registry::NoFiles);
            let mut source = registry::arrivals("bernoulli").unwrap().build(&traffic.unwrap(), seed);
            let mut switch = registry::switch(switch).unwrap().build(ports, seed).unwrap();
            let mut log = Vec::new();
            let mut meter = Occupancy::new(ports);
            let (blocks, opened) = ([1, 7, 64, 100, 128], 72);
            let mut start = 0;
            for slots in blocks {
                let mut arrivals = Block::new(ports, slots, NONE);
                let mut departures = Block::new(ports, slots, Cell::IDLE);
                let mut dropped = Vec::new();
                arrivals.start = start;
                source.fill(&mut arrivals);
                switch.run_and_log(&arrivals, &mut departures, &mut dropped);
                if start as usize == opened {
                    meter.open(start);
                }
                meter.observe(&arrivals, &departures, &dropped);
                for ((now, arrivals), (_, departures)) in arrivals.rows().zip(departures.rows()) {
                    let dropped = dropped.iter().filter(|cell| cell.slot == now).copied().collect();
                    log.push((arrivals.to_vec(), dropped, departures.to_vec()));
                }
                start += slots as Slot;
            }
            assert_eq!(meter.lengths(), naive(ports, &log, opened));
            assert_eq!(meter.lengths().total.count(), (log.len() - opened) as u64);
            assert_eq!(switch.census().queued > 0, meter.lengths().total.max() > 0);
        }
    }
}
