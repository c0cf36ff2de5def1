//! Combined input and output queueing (CIOQ): VOQs at the inputs, buffers at the outputs, and
//! between them a crossbar that is faster than the lines.
//!
//! With a speedup of s the crossbar transfers s matchings in a slot. In each phase inputs and
//! outputs rank each other, and a stable matching of these ranks is transferred: no waiting cell
//! would be preferred by both its input and its output to what they got. Beside the switch runs its
//! shadow, an ideal output-queued switch on the same arrivals; with the right ranks and enough
//! speedup each cell leaves in the very slot in which it leaves the shadow. `missed_departures` is
//! the share of the shadow's departures that came later or not at all: 0 is exact emulation, shown
//! on that run.
//!
//! Policies. Of each VOQ its first cell competes; an output sends the cell in its buffer that is
//! first in the discipline's order (the shadow's cell, if nothing was missed; the one that is most
//! overdue, if something was).
//!
//! - `ccf`, critical cell first. Each input keeps a list of its cells. The output cushion (OC) of a
//!   cell counts the cells in its output's buffer that leave before it, its input thread (IT) the
//!   cells before it in its list, and its slackness is OC - IT. A new cell is inserted at place OC
//!   of the list, or at its end if the list is shorter. Inputs prefer by their list, outputs by the
//!   order in the shadow. Each phase raises the slackness of every cell that stays, by at least 1;
//!   an arrival and a departure lower it by at most 1 each. So at a speedup of 2 it is never
//!   negative after arrivals (`negative_slackness` is the share of slots in which it was), and a
//!   cell that must leave now, whose cushion is 0, heads its list and crosses in the first phase.
//!   For the same reason no new cell belongs before an older one of its VOQ: that one's place is
//!   below its own cushion.
//! - `ccf-dtc`, the same with "delay till critical": only cells without slackness compete. Each of
//!   these has OC = IT, so along a list OC rises, and at an output it does not fall: there is no
//!   cycle. Plain `ccf` has cycles.
//! - `mucfa`, most urgent cell first: both sides prefer the cell that leaves the shadow earliest
//!   (an input, among equally urgent ones, the lowest output). Emulates at a speedup of 4.
//! - `lqf`, longest queue first: both sides prefer the longest VOQ, ties in the order of inputs,
//!   then outputs. Does not emulate.
//!
//! A slot: arrivals, phases, departures, phases. With `ccf` and `ccf-dtc` half of the phases,
//! rounded up, are before the departures, as in the reference (arrivals, schedule, departures,
//! schedule); with `mucfa` and `lqf` all are, cells arriving at the beginning of a slot and leaving
//! at its end. A cell may leave in the slot of its arrival, as in `oq`.
//!
//! Matching. `FIND_ROOTS` matches pairs that are each other's best, again and again. If it gets
//! stuck, which happens with `ccf` only, the rest is matched by Gale-Shapley, inputs proposing;
//! without it plain `ccf` does not emulate. Counted: `phases` in which something competed, per
//! slot; of these the shares `cyclic_phases` and `unrooted_phases` (the ones that needed
//! Gale-Shapley), and the means `find_roots_iterations` and `gale_shapley_rounds`.
//!
//! Disciplines, of the shadow and of the buffers alike. Cells bear no marks here, so they are told
//! apart by input: class = input mod `classes`.
//!
//! - `fifo`: first come, first served, cells of a slot in the order of inputs: the shadow is `oq`.
//! - `priority`: class 0 first, then 1, and so on; within a class first come, first served.
//! - `wfq`: self-clocked fair queueing among the inputs, class k with weight `classes` - k. A
//!   cell's tag is 720720 / weight (which is whole) beyond the larger of the tag of its flow's last
//!   cell and that of the cell that its output sent last; the smallest tag leaves first, among
//!   equal ones that of the lowest input. With `classes=1` all are equal. Tags of a simulated fluid
//!   system would serve as well; these need none.
//!
//! No random choices. In software a phase costs a sort of the competing VOQs, and their number for
//! each iteration; `mucfa` and `lqf` look at all VOQs, `ccf` and `ccf-dtc` walk along the lists.
//!
//! Reference: S.-T. Chuang, A. Goel, N. McKeown, B. Prabhakar, "Matching output queueing with a
//! combined input/output-queued switch", IEEE Journal on Selected Areas in Communications 17(6),
//! 1999 (ccf, ccf-dtc); B. Prabhakar, N. McKeown, "On the speedup required for combined input and
//! output queued switching", Automatica 35(12), 1999 (mucfa); E. Lu, M. Yang, Y. Zhang, S. Q.
//! Zheng, "Design and implementation of an acyclic stable matching scheduler", paper 003, section
//! II (`FIND_ROOTS`); S. J. Golestani, "A self-clocked fair queueing scheme for broadband
//! applications", INFOCOM 1994.

mod inputs;
mod matcher;
mod requests;
mod shadow;

pub use shadow::{Discipline, MOST_CLASSES};

use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::counter::Counter;
use crate::observe::{Event, Observer};
use crate::stable::{Pair, Workspace};
use alloc::vec;
use alloc::vec::Vec;
use inputs::{Inputs, Needs};
use matcher::{Matcher, Ranked};
use requests::Requests;
use shadow::{Held, Ideal, Outputs, Shadow};

/// What inputs and outputs prefer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Critical cell first.
    Ccf,
    /// Critical cell first, delayed till critical.
    CcfDtc,
    /// Most urgent cell first.
    Mucfa,
    /// Longest queue first.
    Lqf,
}

impl Policy {
    /// The words of a spec.
    pub const WORDS: &'static [&'static str] = &["ccf", "ccf-dtc", "mucfa", "lqf"];

    /// The policy that a word names.
    pub fn named(word: &str) -> Self {
        match word {
            "ccf-dtc" => Self::CcfDtc,
            "mucfa" => Self::Mucfa,
            "lqf" => Self::Lqf,
            _ => Self::Ccf,
        }
    }

    fn has_lists(self) -> bool {
        matches!(self, Self::Ccf | Self::CcfDtc)
    }

    /// How many phases come before the departures of a slot.
    fn phases_before_departures(self, speedup: usize) -> usize {
        if self.has_lists() { speedup.div_ceil(2) } else { speedup }
    }
}

/// What a switch is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// What inputs and outputs prefer.
    pub policy: Policy,
    /// Phases in a slot.
    pub speedup: usize,
    /// In what order cells leave.
    pub discipline: Discipline,
    /// Classes of inputs, from 1 to [`MOST_CLASSES`].
    pub classes: usize,
    /// Whether Gale-Shapley goes on where `FIND_ROOTS` is stuck. Without it plain CCF may stay
    /// stuck for ever; tests show it.
    pub fallback: bool,
}

/// Inputs, outputs and the shadow.
#[derive(Clone, Debug)]
pub struct Cioq {
    ports: usize,
    config: Config,
    inputs: Inputs,
    outputs: Outputs,
    shadow: Shadow,
    requests: Requests,
    matcher: Matcher,
    arrived: u64,
    departed: u64,
    tally: Tally,
}

/// An observer of a slot, or none.
type Watcher<'a> = Option<&'a mut dyn Observer>;

/// What the switch counts of itself.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    slots: u64,
    phases: u64,
    cyclic: u64,
    unrooted: u64,
    iterations: u64,
    rounds: u64,
    negative: u64,
    ideal_departures: u64,
    missed: u64,
}

impl Cioq {
    /// An empty switch.
    pub fn new(ports: usize, config: Config) -> Self {
        let policy = config.policy;
        let needs = Needs { lists: policy.has_lists(), lengths: policy == Policy::Lqf, left: policy == Policy::Mucfa };
        Self {
            ports,
            config,
            inputs: Inputs::new(ports, needs),
            outputs: Outputs::new(ports),
            shadow: Shadow::new(ports, config.discipline, config.classes),
            requests: Requests::new(ports),
            matcher: Matcher::new(ports, policy == Policy::Ccf),
            arrived: 0,
            departed: 0,
            tally: Tally::default(),
        }
    }

    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        self.inputs.open();
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            let output = usize::from(output);
            let key = self.shadow.key(now, input, output);
            let cushion = self.outputs.cushion(output, key);
            let place = self.inputs.arrive(now, input, output, key, cushion) as u32;
            self.shadow.insert(output, Ideal { key, born: now, place });
            self.arrived += 1;
        }
        if self.config.policy.has_lists() {
            self.tally.negative += u64::from(!self.inputs.slackness_holds(&self.outputs));
        }
    }

    /// Runs `count` phases. After one without competing cells, there are none in the next either.
    ///
    /// The observer is an option and no type, as it is elsewhere: a second instance of this code
    /// for it made that of runs 4 % slower, since what has one caller is inlined.
    fn phases(&mut self, now: Slot, count: usize, after_departures: bool, mut observer: Watcher<'_>) {
        for _ in 0..count {
            if let Some(observer) = &mut observer {
                self.tell_phase(after_departures, *observer);
            }
            let Self { ports, config, inputs, outputs, shadow, requests, matcher, tally, .. } = self;
            let competing = requests.collect(config.policy, now, inputs, outputs, shadow);
            if competing.is_empty() {
                break;
            }
            tally.cyclic += u64::from(!matcher.is_acyclic(competing));
            let outcome = matcher.find(competing, config.fallback);
            if let Some(observer) = &mut observer {
                tell_matching(*ports, competing, matcher.outputs(), *observer);
            }
            tally.phases += 1;
            tally.iterations += u64::from(outcome.iterations);
            tally.rounds += u64::from(outcome.rounds);
            tally.unrooted += u64::from(!outcome.rooted);
            for (input, &output) in matcher.outputs().iter().enumerate() {
                if output != NONE {
                    let output = usize::from(output);
                    let (key, born) = inputs.take(input, output);
                    outputs.insert(output, Held { key, born, input: input as Port });
                }
            }
        }
    }

    fn depart(&mut self, now: Slot, departures: &mut [Cell]) {
        for (output, departure) in departures.iter_mut().enumerate() {
            let sent = self.outputs.send(output);
            if let Some(Held { born, input, .. }) = sent {
                *departure = Cell { born, input };
                self.departed += 1;
            }
            if let Some(ideal) = self.shadow.send(output) {
                self.inputs.mark_sent(ideal.place, ideal.key, ideal.born, now);
                self.tally.ideal_departures += 1;
                // Keys of an output are all different.
                self.tally.missed += u64::from(sent.is_none_or(|sent| sent.key != ideal.key));
            }
        }
    }
}

impl Cioq {
    #[inline(never)]
    fn run_slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], mut observer: Watcher<'_>) {
        let before = self.config.policy.phases_before_departures(self.config.speedup);
        self.tally.slots += 1;
        self.arrive(now, arrivals);
        let first: Watcher<'_> = match &mut observer {
            Some(observer) => Some(*observer),
            None => None,
        };
        self.phases(now, before, false, first);
        self.depart(now, departures);
        self.phases(now, self.config.speedup - before, true, observer);
    }

    /// Tells that a phase begins, and the slackness of all cells.
    #[cold]
    fn tell_phase(&mut self, after_departures: bool, observer: &mut dyn Observer) {
        observer.observe(Event::Phase { after_departures });
        if self.config.policy.has_lists() {
            self.inputs.tell_slackness(&self.outputs, observer);
        }
    }
}

/// Tells what competed in a phase, and how it was matched: the roots, which are in every stable
/// matching, and what else is in this one.
#[cold]
fn tell_matching(ports: usize, competing: &[Ranked], matching: &[Port], observer: &mut dyn Observer) {
    let (mut row_ranks, mut column_ranks) = (vec![0; ports * ports], vec![0; ports * ports]);
    for &Ranked { input, output, row_rank, column_rank } in competing {
        let place = usize::from(input) * ports + usize::from(output);
        (row_ranks[place], column_ranks[place]) = (row_rank, column_rank);
        observer.observe(Event::Ranked { input, output, row_rank, column_rank });
    }
    let mut workspace = Workspace::new(ports, ports);
    workspace.find_roots_with(&row_ranks, &column_ranks, |iteration, Pair { row, column }| {
        observer.observe(Event::Root { iteration, input: row as Port, output: column as Port });
    });
    for (input, &output) in matching.iter().enumerate() {
        if output != NONE && workspace.by_row()[input] == NONE {
            observer.observe(Event::Proposed { input: input as Port, output });
        }
    }
}

impl Switch for Cioq {
    fn ports(&self) -> usize {
        self.ports
    }

    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.run_slot(now, arrivals, departures, None);
    }

    fn slot_observed(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], observer: &mut dyn Observer) {
        self.run_slot(now, arrivals, departures, Some(observer));
    }

    fn census(&self) -> Census {
        let queued = self.inputs.length() + self.outputs.length();
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued }
    }

    /// A cell waits at an input or in a buffer, and no more cells are in the shadow than in the
    /// switch: an ideal output sends whenever it can. A buffer and a list keep the room they once
    /// needed.
    fn bytes_per_cell(&self) -> usize {
        Inputs::BYTES_PER_CELL + 3 * (size_of::<Held>() + size_of::<Ideal>())
    }

    fn fixed_bytes(&self) -> u64 {
        let flows = (self.ports * self.ports) as u64;
        let own = (size_of::<Self>() + self.ports * size_of::<[usize; 32]>()) as u64;
        // Of the shadow, the tags of a fair discipline.
        own + self.inputs.fixed_bytes() + self.matcher.bytes() + 8 * flows
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Tally { slots, phases, cyclic, unrooted, iterations, rounds, negative, ideal_departures, missed } =
            self.tally;
        let lists = if self.config.policy.has_lists() { slots } else { 0 };
        for (name, sum, per) in [
            ("phases", phases, slots),
            ("cyclic_phases", cyclic, phases),
            ("unrooted_phases", unrooted, phases),
            ("find_roots_iterations", iterations, phases),
            ("gale_shapley_rounds", rounds, phases),
            ("negative_slackness", negative, lists),
            ("missed_departures", missed, ideal_departures),
        ] {
            visit(Counter { name, sum, per });
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let queues =
            QueueLengths::VoqsAndOutputs { voqs: self.inputs.all_lengths(), outputs: self.outputs.lengths().collect() };
        Some(Inspection { queues, matching: None, state: Vec::new() })
    }
}
