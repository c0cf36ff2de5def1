//! The input-queued crossbar: a virtual output queue (VOQ) for each input and output, and a scheduler.
//!
//! Up to 256 ports the queues are linked lists, which take the fewest instructions, and up to 64 ports they have 16-bit links (`crossbar/few.rs`); beyond, where a slot's time is that of its cache
//! misses, they are as small as they can be (`voqs/`). Where very much is queued, cells lie side by side (`crossbar/crowded.rs`).

use super::queues::Queues;
use super::voqs::Voqs;
use super::{Census, Inspection, Promise, QueueLengths, Switch, allocated};
use crate::cell::{Cell, Port, Slot};
use crate::counter::Counter;
use crate::schedule::{Joined, Matching, Scheduler, View, bits};
use alloc::vec;
use alloc::vec::Vec;

/// What a scheduler `S` wants to know of an arrival. Text and no function, which costs registers where lists are in a loop; setting a bit that is set costs less than asking
/// whether it is.
macro_rules! joins {
    ($scheduler:ident, $notes:ident, $rows:ident, $columns:ident, $lengths:ident, $input:ident, $output:ident, $voq:expr) => {
        if S::NEEDS.rows {
            bits::set(&mut $rows[$input], $output);
        }
        if S::NEEDS.columns {
            bits::set(&mut $columns[$output], $input);
        }
        if S::NEEDS.lengths {
            let length = &mut $lengths[$voq];
            *length += 1;
            if S::NEEDS.joins {
                $scheduler.joins($input, $output, *length);
            }
        }
        if S::NEEDS.notes && !Self::COMPACT {
            $notes[$voq].length += 1;
        }
    };
}

/// What it wants to know of a departure, and whether the VOQ is empty then.
macro_rules! leaves {
    ($scheduler:ident, $notes:ident, $rows:ident, $columns:ident, $lengths:ident, $input:ident, $output:ident, $voq:expr, $empty:expr) => {
        if S::NEEDS.lengths {
            $lengths[$voq] -= 1;
        }
        if S::NEEDS.notes && !Self::COMPACT {
            let Note { length, note } = &mut $notes[$voq];
            *note = $scheduler.leaves($input, $output, *length, *note);
            *length -= 1;
        }
        empties!($rows, $columns, $input, $output, $empty);
    };
}

/// A VOQ that is empty is asked for no more.
macro_rules! empties {
    ($rows:ident, $columns:ident, $input:ident, $output:ident, $empty:expr) => {
        if S::NEEDS.rows {
            bits::unset_if(&mut $rows[$input], $output, $empty);
        }
        if S::NEEDS.columns {
            bits::unset_if(&mut $columns[$output], $input, $empty);
        }
    };
}

/// The lists of what a scheduler wants to know, where ports are few: rows, columns, lengths and notes, each in a place of its own for the compiler.
macro_rules! wanted_of_few {
    ($crossbar:ident) => {
        (
            wanted::<_, PORTS>(S::NEEDS.rows, &mut $crossbar.rows),
            wanted::<_, PORTS>(S::NEEDS.columns, &mut $crossbar.columns),
            wanted::<_, QUEUES>(S::NEEDS.lengths, &mut $crossbar.lengths),
            wanted::<_, QUEUES>(S::NEEDS.notes, &mut $crossbar.notes),
        )
    };
}

mod chunks;
// Below the text that they use.
mod compact;
mod crowded;
mod few;
mod few_crowded;

use chunks::Chunks;
use few::Few;

/// How long a VOQ is, and what the scheduler has noted of it.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    length: u32,
    note: u32,
}

/// A crossbar with scheduler `S`, for up to `64 * W` ports.
#[derive(Clone, Debug)]
pub struct Crossbar<S, const W: usize> {
    ports: usize,
    scheduler: S,
    voqs: Queues,
    /// Instead of them, where ports are few.
    few: Option<Few>,
    /// Where the cells are instead while they are many, if they are.
    crowd: Chunks,
    /// So many cells are many, and so many in lists: 0 where they already are a crowd.
    limit: usize,
    many: usize,
    /// The queues of a large switch, which has no others.
    compact: Voqs,
    rows: Vec<[u64; W]>,
    columns: Vec<[u64; W]>,
    lengths: Vec<u32>,
    /// In a large switch, they are with its queues.
    notes: Vec<Note>,
    births: Vec<Slot>,
    /// Of the last slot that many.
    joined: Vec<Joined>,
    joining: usize,
    left: Vec<u32>,
    matching: Matching,
    arrived: u64,
    departed: u64,
}

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Whether the queues are compact, which do not tell ages quickly.
    const COMPACT: bool = View::<W>::LARGE && !S::NEEDS.ages;
    /// Whether ports are few.
    const FEW: bool = 64 * W <= few::PORTS;
    /// Whether it is kept how long the queues are that were just joined and left.
    const RECENT: bool = Self::COMPACT && S::NEEDS.recent;

    /// An empty crossbar.
    pub fn new(ports: usize, scheduler: S) -> Self {
        // Where ports are few, there is room for as many as few ports can be, wanted or not.
        let size = |wanted, ports: usize| if Self::FEW { few::PORTS } else { ports * usize::from(wanted) };
        let rows = |wanted| vec![bits::empty(); size(wanted, ports)];
        let (voqs, few) = Self::lists(ports);
        Self {
            ports,
            scheduler,
            voqs,
            few,
            crowd: Chunks::none(),
            limit: crowded::limit(ports),
            many: crowded::limit(ports),
            compact: Voqs::new(if Self::COMPACT { ports } else { 0 }),
            rows: rows(S::NEEDS.rows),
            columns: rows(S::NEEDS.columns),
            lengths: vec![0; size(S::NEEDS.lengths, ports).pow(2)],
            notes: vec![Note::default(); size(S::NEEDS.notes && !Self::COMPACT, ports).pow(2)],
            births: if S::NEEDS.ages { vec![0; ports * ports] } else { Vec::new() },
            joined: if Self::RECENT { vec![Joined::default(); ports] } else { Vec::new() },
            joining: 0,
            left: if Self::RECENT { vec![0; ports] } else { Vec::new() },
            matching: Matching::new(ports),
            arrived: 0,
            departed: 0,
        }
    }

    /// Empty lists.
    fn lists(ports: usize) -> (Queues, Option<Few>) {
        (Queues::new(if Self::COMPACT || Self::FEW { 0 } else { ports * ports }), Self::FEW.then(Few::new))
    }

    /// Appends the arrivals of a slot.
    #[inline(always)]
    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.ports;
        if Self::COMPACT {
            self.arrive_compact(now, arrivals);
            return;
        }
        let mut voqs = self.voqs.open(ports);
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        // Who sends is random: a walk over a set has no branch for it.
        let sending = bits::named::<W>(arrivals);
        for input in bits::ports(&sending) {
            let output = arrivals[input] as usize;
            let voq = input * ports + output;
            if S::NEEDS.ages && voqs.is_empty(voq) {
                self.births[voq] = now;
            }
            voqs.push_uncounted(voq, now);
            joins!(scheduler, notes, rows, columns, lengths, input, output, voq);
        }
        let arrived = bits::count(&sending);
        voqs.count(arrived, 0);
        self.arrived += arrived as u64;
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(always)]
    fn transfer(&mut self, now: Slot, departures: &mut [Cell]) {
        let ports = self.ports;
        if Self::COMPACT {
            self.transfer_compact(now, departures);
            return;
        }
        let mut voqs = self.voqs.open(0);
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let departures = &mut departures[..ports];
        let outputs = &self.matching.outputs()[..ports];
        // Who is matched is as good as random, and so is whose VOQ is empty where everybody is: a walk over a set has no branch for it.
        let sending = if S::FULL { voqs.waiting::<W>(outputs) } else { bits::named::<W>(outputs) };
        let mut departed = bits::count(&sending);
        for input in bits::ports(&sending) {
            let output = outputs[input] as usize;
            let voq = input * ports + output;
            if !S::FULL && voqs.is_empty(voq) {
                departed -= 1;
                continue;
            }
            let (_, born, empty) = voqs.pop_uncounted(voq);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty {
                self.births[voq] = voqs.first_born(voq);
            }
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, empty);
        }
        voqs.count(0, departed);
        self.departed += departed as u64;
    }

    /// The matching of the last slot.
    pub fn matching(&self) -> &Matching {
        &self.matching
    }

    /// What the scheduler has noted of each VOQ; nothing if it takes no notes.
    pub fn notes(&self) -> Vec<u32> {
        if !S::NEEDS.notes {
            Vec::new()
        } else if Self::COMPACT {
            self.compact.notes()
        } else {
            self.notes.iter().map(|note| note.note).take(self.ports * self.ports).collect()
        }
    }

    /// The scheduler, to look at.
    pub fn scheduler(&self) -> &S {
        &self.scheduler
    }
}

impl<S: Scheduler<W> + Send, const W: usize> Switch for Crossbar<S, W> {
    fn ports(&self) -> usize {
        self.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let crowded = !Self::COMPACT && self.is_crowded();
        if crowded {
            self.arrive_crowded(now, arrivals);
        } else if Self::FEW {
            self.arrive_few(now, arrivals);
        } else {
            self.arrive(now, arrivals);
        }
        // A full matching takes the place of the last one.
        if !S::FULL {
            self.matching.clear();
        }
        let ports = self.ports;
        let view = View {
            ports,
            now,
            rows: &self.rows[..ports.min(self.rows.len())],
            columns: &self.columns[..ports.min(self.columns.len())],
            lengths: &self.lengths[..(ports * ports).min(self.lengths.len())],
            births: &self.births,
            arrived: arrivals,
            records: self.compact.records(),
            joined: if Self::RECENT { &self.joined[..self.joining] } else { &[] },
            left: &self.left,
        };
        self.scheduler.schedule(&view, &mut self.matching);
        if crowded {
            self.transfer_crowded(departures);
        } else if Self::FEW {
            self.transfer_few(departures);
        } else {
            self.transfer(now, departures);
        }
    }

    fn census(&self) -> Census {
        Census {
            arrived: self.arrived,
            departed: self.departed,
            dropped: 0,
            queued: (self.in_lists() + self.crowd.length()) as u64 + self.compact.cells(),
        }
    }

    fn bytes_per_cell(&self) -> usize {
        if Self::COMPACT { Voqs::BYTES_PER_CELL } else { Queues::BYTES_PER_CELL }
    }

    /// Of a scheduler's own lists, those that grow with the ports are covered by 1 KiB for each.
    fn fixed_bytes(&self) -> u64 {
        let voqs = self.ports * self.ports;
        let heads = if Self::COMPACT { (voqs * size_of::<u64>()) as u64 } else { Queues::fixed_bytes(voqs, 0) };
        let few = if Self::FEW { 1 << 20 } else { 0 };
        let sets = allocated(&self.rows) + allocated(&self.columns);
        let lists = allocated(&self.lengths) + allocated(&self.notes) + allocated(&self.births);
        heads + few + sets + lists + (size_of::<Self>() + 1024 * self.ports) as u64
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.scheduler.counters(visit);
    }

    fn promise(&self) -> Promise {
        self.scheduler.promise()
    }

    fn inspect(&self) -> Option<Inspection> {
        let mut state = Vec::new();
        self.scheduler.state(&mut |name, by_port| state.push((name, by_port.to_vec())));
        let lengths = match (&self.few, self.many) {
            _ if Self::COMPACT => self.compact.lengths(),
            (_, 0) => self.crowd_lengths(),
            (Some(few), _) => few.lengths(self.ports),
            (None, _) => self.voqs.lengths(),
        };
        Some(Inspection {
            queues: QueueLengths::Voqs(lengths),
            matching: Some(self.matching.outputs().to_vec()),
            state,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::NONE;
    use crate::rng::{Purpose, Seed};
    use crate::schedule::{gs_ocf::GsOcf, ilqf::Ilqf, islip::Islip, pim::Pim, serena, uform::Uform, ufpim::Ufpim};
    use crate::serenade::Rules;
    use crate::traffic::{Arrivals, Bernoulli, LoadMatrix, destinations::Uniform};

    const SEED: Seed = Seed { seed: 3, replication: 0 };
    const PORTS: usize = 70;

    /// What leaves in so many slots of an overload that stops half-way, so that queues fill, become old and drain; and the lengths from time to time.
    fn trail<S: Scheduler<W> + Send, const W: usize>(scheduler: S) -> (Vec<Cell>, Vec<Vec<u32>>) {
        let mut crossbar = Crossbar::<S, W>::new(PORTS, scheduler);
        let mut source = Bernoulli::new(&LoadMatrix::uniform(PORTS), 1.0, Uniform, SEED);
        let (mut cells, mut lengths) = (Vec::new(), Vec::new());
        let mut arrivals = vec![NONE; PORTS];
        for now in 0..3000 {
            source.slot(now, &mut arrivals);
            // A hot output, and then silence.
            for (input, arrival) in arrivals.iter_mut().enumerate() {
                *arrival = if now > 2000 { NONE } else { (*arrival).min(40 + (input % 3) as Port) };
            }
            let mut departures = vec![Cell::IDLE; PORTS];
            crossbar.slot(now, &arrivals, &mut departures);
            cells.extend(departures);
            if now % 250 == 0 {
                let Some(Inspection { queues: QueueLengths::Voqs(voqs), .. }) = crossbar.inspect() else { panic!() };
                assert_eq!(voqs.iter().map(|&length| u64::from(length)).sum::<u64>(), crossbar.census().queued);
                lengths.push(voqs);
            }
        }
        (cells, lengths)
    }

    /// The same with lists and with compact queues.
    macro_rules! alike {
        ($W:ident => $scheduler:expr) => {{
            let lists = {
                const $W: usize = 2;
                trail::<_, $W>($scheduler)
            };
            let compact = {
                const $W: usize = 16;
                trail::<_, $W>($scheduler)
            };
            assert!(lists == compact, "{}", stringify!($scheduler));
        }};
    }

    #[test]
    fn compact_queues_change_nothing() {
        let rng = || SEED.stream(Purpose::Scheduler, 0);
        let make = || serena::Make { rules: Rules::default(), variant: None, coin: None, rng: rng(), key: 1 };
        alike!(W => Islip::<W>::new(PORTS, 2));
        alike!(W => Pim::<W>::new(PORTS, 1, rng()));
        alike!(W => Ilqf::<W>::new(PORTS, 1));
        alike!(W => Uform::<W>::new(PORTS, 1, 0));
        alike!(W => Ufpim::<W>::new(PORTS, 1, 0, rng()));
        alike!(W => GsOcf::<W>::new(PORTS));
        alike!(W => serena::Serena::new(PORTS, make()));
    }
}
