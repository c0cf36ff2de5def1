//! The input-queued crossbar: a virtual output queue (VOQ) for each input and output, and a
//! scheduler.
//!
//! ```text
//!   arrivals ──► VoqStore ──► Requests ──► Scheduler ──► Matching ──► VoqStore ──► departures
//!               enqueue_all   rows, columns,                       dequeue_matched
//!                             lengths, tags
//! ```
//!
//! The queues are a [`VoqStore`]: linked lists up to 256 ports, packed records beyond.

mod requests;
pub mod voq;

use super::{Census, Failure, Inspection, Promise, QueueLengths, Switch};
use crate::cell::{Cell, Port, Slot};
use crate::counter::Counter;
use crate::observe::Observer;
use crate::schedule::{Matching, Scheduler, View};
use alloc::vec::Vec;
use requests::{Kept, Requests};
use voq::{Dequeued, Enqueued, Matched, Voq, VoqStore};

/// A crossbar with scheduler `S` and queues `Q`, for up to `64 * W` ports.
#[derive(Clone, Debug)]
pub struct Crossbar<S, Q, const W: usize> {
    ports: usize,
    scheduler: S,
    voqs: Q,
    requests: Requests<W>,
    matching: Matching,
    arrived: u64,
    departed: u64,
}

impl<S: Scheduler<W>, Q: VoqStore, const W: usize> Crossbar<S, Q, W> {
    /// What is maintained for the scheduler.
    const KEPT: Kept = Kept::new(S::NEEDS, Q::KEEPS_LENGTHS);

    /// An empty crossbar.
    pub fn new(ports: usize, scheduler: S) -> Self {
        assert!(ports <= 64 * W, "{ports} ports do not fit {W} words");
        Self {
            ports,
            scheduler,
            voqs: Q::new(ports),
            requests: Requests::new(ports, Self::KEPT),
            matching: Matching::new(ports),
            arrived: 0,
            departed: 0,
        }
    }

    /// Enqueues the arrivals of a slot.
    #[inline(always)]
    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let (scheduler, mut requests) = (&mut self.scheduler, self.requests.open());
        let arrived = self.voqs.enqueue_all::<W>(now, arrivals, |Enqueued { voq, length, upcoming }| {
            requests.prefetch_column(Self::KEPT, upcoming);
            let length = requests.enqueue(Self::KEPT, voq, length);
            if S::NEEDS.enqueues {
                scheduler.on_enqueue(voq.input, voq.output, length);
            }
        });
        self.arrived += arrived as u64;
        if S::NEEDS.ages {
            Self::update_ages(&self.voqs, &mut self.requests, now, arrivals);
        }
    }

    /// Lets the scheduler match, by `schedule`.
    #[inline(always)]
    fn decide(&mut self, now: Slot, arrivals: &[Port], schedule: impl FnOnce(&mut S, &View<'_, W>, &mut Matching)) {
        // A perfect matching replaces the last one.
        if !S::PERFECT {
            self.matching.clear();
        }
        let view = View {
            ports: self.ports,
            now,
            rows: &self.requests.rows,
            columns: &self.requests.columns,
            lengths: &self.requests.lengths,
            head_arrivals: &self.requests.head_arrivals,
            arrived: arrivals,
            known_lengths: self.voqs.known_lengths(),
        };
        schedule(&mut self.scheduler, &view, &mut self.matching);
    }

    /// Dequeues the head-of-line cell of each matched VOQ. `on_dequeue` tells the scheduler of it,
    /// with the length of the VOQ and its tag, if it needs tags.
    #[inline(always)]
    fn transfer(
        &mut self,
        now: Slot,
        departures: &mut [Cell],
        mut on_dequeue: impl FnMut(&mut S, Voq, u32, u32) -> u32,
    ) {
        let (scheduler, mut requests) = (&mut self.scheduler, self.requests.open());
        let matched = Matched {
            outputs: self.matching.outputs(),
            perfect: S::PERFECT,
            nonempty: S::MATCHES_ONLY_NONEMPTY,
            recent: S::NEEDS.lookups,
        };
        let departed = self.voqs.dequeue_matched::<W>(now, matched, departures, |dequeued: Dequeued| {
            let voq = dequeued.voq;
            let on_dequeue = |length, tag| if S::NEEDS.tags { on_dequeue(scheduler, voq, length, tag) } else { 0 };
            // A store that keeps lengths reports empty VOQs too.
            let served = !Q::KEEPS_LENGTHS || S::MATCHES_ONLY_NONEMPTY || dequeued.length > 0;
            requests.dequeue(Self::KEPT, dequeued, served, on_dequeue)
        });
        self.departed += departed as u64;
        if S::NEEDS.ages {
            Self::update_ages(&self.voqs, &mut self.requests, now, self.matching.outputs());
        }
    }

    /// Notes the head-of-line cells of the VOQs in a list: for each input an output, or none.
    fn update_ages(voqs: &Q, requests: &mut Requests<W>, now: Slot, outputs: &[Port]) {
        let ports = outputs.len();
        for (input, &output) in outputs.iter().enumerate() {
            let voq = input * ports + usize::from(output);
            if usize::from(output) < ports
                && let Some(head) = voqs.head_arrival(voq, now)
            {
                requests.head_arrivals[voq] = head;
            }
        }
    }

    /// The matching of the last slot.
    pub fn matching(&self) -> &Matching {
        &self.matching
    }

    /// The tag of each VOQ; nothing if the scheduler does not need tags.
    pub fn tags(&self) -> Vec<u32> {
        if S::NEEDS.tags && Q::KEEPS_LENGTHS { self.voqs.tags() } else { self.requests.tags() }
    }

    /// The scheduler.
    pub fn scheduler(&self) -> &S {
        &self.scheduler
    }
}

impl<S: Scheduler<W> + Send, Q: VoqStore, const W: usize> Switch for Crossbar<S, Q, W> {
    fn ports(&self) -> usize {
        self.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.arrive(now, arrivals);
        self.decide(now, arrivals, S::schedule);
        self.transfer(now, departures, |scheduler, voq, length, tag| {
            scheduler.on_dequeue(voq.input, voq.output, length, tag)
        });
    }

    #[cold]
    fn slot_observed(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], observer: &mut dyn Observer) {
        self.arrive(now, arrivals);
        self.decide(now, arrivals, |scheduler, view, matching| scheduler.schedule_observed(view, matching, observer));
        self.transfer(now, departures, |scheduler, voq, length, tag| {
            scheduler.on_dequeue_observed(voq.input, voq.output, length, tag, observer)
        });
    }

    fn census(&self) -> Census {
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued: self.voqs.cells() }
    }

    fn bytes_per_cell(&self) -> usize {
        Q::BYTES_PER_CELL
    }

    /// Of a scheduler's own lists, those that grow with the ports are covered by 1 KiB for each.
    fn fixed_bytes(&self) -> u64 {
        Q::fixed_bytes(self.ports) + self.requests.fixed_bytes() + (size_of::<Self>() + 1024 * self.ports) as u64
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.scheduler.counters(visit);
    }

    fn tags(&self) -> Vec<u32> {
        Self::tags(self)
    }

    fn promise(&self) -> Promise {
        self.scheduler.promise()
    }

    fn failure(&self) -> Option<&Failure> {
        self.scheduler.failure()
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

#[cfg(test)]
mod tests;
