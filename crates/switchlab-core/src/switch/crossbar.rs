//! The input-queued crossbar: a virtual output queue (VOQ) for each input and output, and a scheduler.

use super::queues::Queues;
use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::counter::Counter;
use crate::schedule::{Matching, Scheduler, View, bits};
use alloc::vec;
use alloc::vec::Vec;

/// A crossbar with scheduler `S`, for up to `64 * W` ports.
#[derive(Clone, Debug)]
pub struct Crossbar<S, const W: usize> {
    ports: usize,
    scheduler: S,
    voqs: Queues,
    rows: Vec<[u64; W]>,
    columns: Vec<[u64; W]>,
    lengths: Vec<u32>,
    births: Vec<Slot>,
    matching: Matching,
    arrived: u64,
    departed: u64,
}

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// An empty crossbar.
    pub fn new(ports: usize, scheduler: S) -> Self {
        let rows = |wanted| if wanted { vec![bits::empty(); ports] } else { Vec::new() };
        Self {
            ports,
            scheduler,
            voqs: Queues::new(ports * ports),
            rows: rows(S::NEEDS.rows),
            columns: rows(S::NEEDS.columns),
            lengths: if S::NEEDS.lengths { vec![0; ports * ports] } else { Vec::new() },
            births: if S::NEEDS.ages { vec![0; ports * ports] } else { Vec::new() },
            matching: Matching::new(ports),
            arrived: 0,
            departed: 0,
        }
    }

    /// The matching of the last slot.
    pub fn matching(&self) -> &Matching {
        &self.matching
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
        // 1. Arrivals.
        let mut voqs = self.voqs.open(self.ports);
        let (mut arrived, mut departed) = (0, 0);
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            let output = output as usize;
            let voq = input * self.ports + output;
            if S::NEEDS.ages && voqs.is_empty(voq) {
                self.births[voq] = now;
            }
            voqs.push(voq, now);
            arrived += 1;
            // Setting a bit that is set costs less than asking whether it is.
            if S::NEEDS.rows {
                bits::set(&mut self.rows[input], output);
            }
            if S::NEEDS.columns {
                bits::set(&mut self.columns[output], input);
            }
            if S::NEEDS.lengths {
                self.lengths[voq] += 1;
            }
        }
        self.arrived += arrived;
        // 2. Decision.
        self.matching.clear();
        let view = View {
            ports: self.ports,
            now,
            rows: &self.rows,
            columns: &self.columns,
            lengths: &self.lengths,
            births: &self.births,
            arrived: arrivals,
        };
        self.scheduler.schedule(&view, &mut self.matching);
        // 3. Transfer.
        for (input, &output) in self.matching.outputs().iter().enumerate() {
            if output == NONE {
                continue;
            }
            let output = output as usize;
            let voq = input * self.ports + output;
            if voqs.is_empty(voq) {
                continue;
            }
            let (_, born, empty) = voqs.pop(voq);
            departed += 1;
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.lengths {
                self.lengths[voq] -= 1;
            }
            if S::NEEDS.ages && !empty {
                self.births[voq] = voqs.first_born(voq);
            }
            if empty {
                if S::NEEDS.rows {
                    bits::unset(&mut self.rows[input], output);
                }
                if S::NEEDS.columns {
                    bits::unset(&mut self.columns[output], input);
                }
            }
        }
        self.departed += departed;
    }

    fn census(&self) -> Census {
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued: self.voqs.length() }
    }

    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.scheduler.counters(visit);
    }

    fn inspect(&self) -> Option<Inspection> {
        let mut state = Vec::new();
        self.scheduler.state(&mut |name, by_port| state.push((name, by_port.to_vec())));
        Some(Inspection {
            queues: QueueLengths::Voqs(self.voqs.lengths()),
            matching: Some(self.matching.outputs().to_vec()),
            state,
        })
    }
}
