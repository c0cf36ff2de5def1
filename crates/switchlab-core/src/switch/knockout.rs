//! The knockout switch: output queueing in which at most k cells of a slot enter an output.
//!
//! Every input broadcasts its cell to all outputs. Each output has a filter for its own cells and a
//! concentrator with N inputs and k outputs: of the cells that arrive for the output in one slot at
//! most k win a place in its queue, and the others are knocked out, that is dropped. So the memory
//! behind an output need be only k + 1 times as fast as a line instead of N + 1 times. Few cells
//! are lost, because seldom many cells arrive for one output at once. Under uniform Bernoulli
//! traffic of load rho the number of arrivals for an output is Binomial(N, rho / N), and the share
//! of cells that is knocked out is
//!
//! ```text
//!   1/rho * sum over n from k + 1 to N of (n - k) C(N, n) (rho/N)^n (1 - rho/N)^(N - n)
//! ```
//!
//! With k = 8 and rho = 0.9 it is below 10^-6 for every N. Cells that are not uniform, or not
//! independent of each other, are lost more often.
//!
//! Which cells win: with `choice=random` every set of k of the cells for an output is equally
//! likely, as in the paper, whose tournament decides each pair by chance. With `choice=lowest` the
//! k lowest inputs win, which favours them, and nothing is drawn. Winners enter the queue in the
//! order of their inputs, and each output sends the first cell of its queue in every slot.
//!
//! With `buffer=K` the queue of an output holds K cells; a winner that finds it full is dropped. As
//! in `oq`, arrivals come before departures and a cell may leave in the slot it came in: with q
//! cells in a queue at the start of a slot, the r-th winner is dropped exactly if q + r > K. The
//! paper builds this queue of k memories behind a shifter that fills them cyclically, which is the
//! same first-come, first-served queue.
//!
//! Random choices, with `choice=random`: cells are decided inputs ascending. With c cells for the
//! output not yet decided, this one among them, and p places left, it wins without a draw if c is
//! at most p; otherwise it wins if one draw below c is below p (selection sampling).
//!
//! Counters: `drop_rate` is the share of arrived cells that are dropped, by either cause, and
//! `knocked_out` the share that the concentrators drop.
//!
//! Reference: Y. S. Yeh, M. Hluchyj, A. Acampora, "The knockout switch: a simple, modular
//! architecture for high-performance packet switching", IEEE Journal on Selected Areas in
//! Communications 5(8), 1987.

use super::output_queued::OutputQueued;
use super::{Census, Inspection, Switch};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::counter::Counter;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

/// Which of more than k cells win.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Any k of them, with the same probability, by draws from this stream.
    Random(Rng),
    /// Those of the lowest inputs.
    Lowest,
}

/// Concentrators in front of an output-queued switch.
#[derive(Clone, Debug)]
pub struct Knockout<const BOUNDED: bool = false> {
    queues: OutputQueued<BOUNDED>,
    choice: Choice,
    most: u32,
    /// By output: the cells of this slot that are not yet decided. 0 between slots.
    contenders: Vec<u32>,
    /// By output: how many more cells it admits in this slot. `most` between slots.
    places: Vec<u32>,
    /// By input: the output of its cell if that has won, or [`NONE`].
    admitted: Vec<Port>,
    /// What was dropped in this slot.
    dropped_now: Vec<Dropped>,
    knocked_out: u64,
}

impl Knockout {
    /// An empty switch with unlimited queues, of which each admits at most `most` cells in a slot.
    pub fn new(ports: usize, most: u32, choice: Choice) -> Self {
        Self::before(OutputQueued::new(ports), most, choice)
    }
}

impl Knockout<true> {
    /// The same with queues that hold `buffer` cells each.
    pub fn bounded(ports: usize, most: u32, choice: Choice, buffer: u32) -> Self {
        Self::before(OutputQueued::bounded(ports, buffer), most, choice)
    }
}

impl<const BOUNDED: bool> Knockout<BOUNDED> {
    fn before(queues: OutputQueued<BOUNDED>, most: u32, choice: Choice) -> Self {
        let ports = queues.ports();
        Self {
            queues,
            choice,
            most,
            contenders: vec![0; ports],
            places: vec![most; ports],
            admitted: vec![NONE; ports],
            dropped_now: Vec::with_capacity(ports),
            knocked_out: 0,
        }
    }

    /// Decides which cells win.
    #[inline(always)]
    fn concentrate(&mut self, now: Slot, arrivals: &[Port]) {
        for &output in arrivals.iter().filter(|&&output| output != NONE) {
            self.contenders[output as usize] += 1;
        }
        for (input, &output) in arrivals.iter().enumerate() {
            self.admitted[input] = output;
            if output == NONE {
                continue;
            }
            let (contenders, places) = (&mut self.contenders[output as usize], &mut self.places[output as usize]);
            let wins = *contenders <= *places
                || match &mut self.choice {
                    Choice::Random(rng) => rng.below(*contenders as usize) < *places as usize,
                    Choice::Lowest => *places > 0,
                };
            *contenders -= 1;
            *places -= u32::from(wins);
            if !wins {
                self.admitted[input] = NONE;
                self.dropped_now.push(Dropped { slot: now, born: now, input: input as Port, output });
            }
        }
        for &output in arrivals.iter().filter(|&&output| output != NONE) {
            self.places[output as usize] = self.most;
        }
    }
}

impl<const BOUNDED: bool> Switch for Knockout<BOUNDED> {
    fn ports(&self) -> usize {
        self.queues.ports()
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.dropped_now.clear();
        self.concentrate(now, arrivals);
        self.knocked_out += self.dropped_now.len() as u64;
        self.queues.slot(now, &self.admitted, departures);
        self.dropped_now.extend_from_slice(self.queues.dropped());
    }

    #[inline(always)]
    fn dropped(&self) -> &[Dropped] {
        &self.dropped_now
    }

    fn census(&self) -> Census {
        let admitted = self.queues.census();
        Census {
            arrived: admitted.arrived + self.knocked_out,
            dropped: admitted.dropped + self.knocked_out,
            ..admitted
        }
    }

    fn bytes_per_cell(&self) -> usize {
        self.queues.bytes_per_cell()
    }

    fn fixed_bytes(&self) -> u64 {
        let by_port = size_of::<(u32, u32, Port, Dropped)>();
        self.queues.fixed_bytes() + (size_of::<Self>() + by_port * self.ports()) as u64
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Census { arrived, dropped, .. } = self.census();
        visit(Counter { name: "drop_rate", sum: dropped, per: arrived });
        visit(Counter { name: "knocked_out", sum: self.knocked_out, per: arrived });
    }

    fn inspect(&self) -> Option<Inspection> {
        self.queues.inspect()
    }
}
