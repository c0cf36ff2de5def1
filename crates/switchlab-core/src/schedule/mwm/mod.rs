//! MWM, maximum weight matching: the queues served are the longest in total, exactly, in every
//! slot.
//!
//! The weight of a pair is the length of its VOQ, this slot's arrivals included, and no matching
//! has a larger sum of weights. Long queues are served wherever they are, so every admissible load
//! is carried, uniform or not. It is the yardstick for practical schedulers rather than one of
//! them.
//!
//! Every input and every output has a price. No VOQ is longer than the prices of its two ports
//! together; a pair whose VOQ is just as long is tight. If all ports are matched in tight pairs,
//! where an empty VOQ is a pair of weight 0, then the weight is the sum of all prices, and no
//! matching can have more. Each slot finds such prices and pairs from those of the slot before:
//!
//! 1. Price. Outputs keep their prices; an input gets the lowest that its VOQs allow. Pairs that
//!    are not tight are dropped.
//! 2. Match. An input without a pair takes an output without one, if they are tight.
//! 3. Search. Any other input without a pair looks for an augmenting path of least slack, and the
//!    prices along the way change by just as much as makes it tight.
//!
//! Ties: no draws. Which of several matchings of maximum weight is found follows from the slot
//! before and from where choices begin, at port t mod N in slot t, so that no port number is
//! favoured.
//!
//! Matching: of maximum weight, of non-empty VOQs only. It need not be of maximum size: one queue
//! of 3 cells outweighs two of 1. Cost: O(N^3) in the worst case in software, usually a few times N
//! plus the number of non-empty VOQs; too much for hardware.
//!
//! Reference: N. McKeown, A. Mekkittikul, V. Anantharam, J. Walrand, "Achieving 100% throughput
//! in an input-queued switch", IEEE Transactions on Communications 47(8), 1999 (there LQF). The
//! search: R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
//! linear assignment problems", Computing 38(4), 1987.

// Instructions per slot at 64 ports under uniform Bernoulli traffic, crossbar and traffic included
// (8 000 of them), over the first 4096 slots:
//
//   load                                                        0.5     0.9    0.97     1.0
//   as below                                                 24 500  42 100  58 700  91 300
//   output prices kept as they are                           55 700  71 000  72 500  98 300
//   output prices always one lower                           24 500  42 200  58 700 110 600
//   output prices and pairs forgotten (longer queues: worse) 22 700  40 500  59 900 138 000
//   tight sets remade at once for inputs that become cheaper 26 000  49 500  74 300 114 800
//   VOQs always looked at before going through the hub       25 600  45 300  62 100  94 100
//
// The first version searched over lengths alone, without sets of tight outputs, in about twice the
// time. A search that asks for a free output when an input joins the tree, and not when its turn
// comes, was no faster: most searching is done by inputs that find none. Weights are small and ties
// abound, so an augmenting row reduction has little to do.

mod search;
#[cfg(test)]
mod tests;

use super::{Matching, Needs, Scheduler, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent};
use crate::port_set::PortSet;
use crate::switch::{Promise, Side};
use alloc::vec;
use alloc::vec::Vec;

/// Prices and matching, kept from slot to slot, and room for one search.
///
/// Prices are 64 bits wide: the prices of outputs lie within N times the longest queue of each
/// other (were there a gap wider than the longest queue, the inputs matched above it would rather
/// have an output below it), and each slot begins by moving the lowest to 0, so they never run
/// away.
#[derive(Clone, Debug)]
pub struct Mwm<const W: usize> {
    /// By input: its price.
    input_price: Vec<i64>,
    /// By output: its price.
    output_price: Vec<i64>,
    /// The lowest price of an output, and the outputs that have it.
    floor: i64,
    cheapest: PortSet<W>,
    /// By input: the outputs it is tight with, as of the raise `priced`, except those whose price
    /// has risen since.
    tight: Vec<PortSet<W>>,
    priced: Vec<u64>,
    /// By output: the last raise in which its price rose.
    rose: Vec<u64>,
    /// Raises so far.
    raises: u64,
    /// Inputs whose price has fallen since `tight` was made.
    stale: PortSet<W>,
    /// By input: its output. Between searches all pairs are tight; after a slot every port has one.
    output_of: Vec<Port>,
    /// By output: its input.
    input_of: Vec<Port>,
    free_outputs: PortSet<W>,
    /// Whether the last matching left an output idle.
    idle: bool,
    /// Where choices begin in this slot.
    pointer: usize,
    /// The inputs of the search tree, in the order they joined.
    tree: Vec<Port>,
    /// By input in the tree: how far from the root it is.
    joined: Vec<i64>,
    /// By output that is in reach of the tree: how far from the root it is, and by which input.
    distance: Vec<i64>,
    from: Vec<Port>,
    slots: u64,
    searches: u64,
}

impl<const W: usize> Mwm<W> {
    /// All prices 0.
    pub fn new(ports: usize) -> Self {
        Self {
            input_price: vec![0; ports],
            output_price: vec![0; ports],
            floor: 0,
            cheapest: PortSet::all(ports),
            tight: vec![PortSet::EMPTY; ports],
            priced: vec![0; ports],
            rose: vec![0; ports],
            raises: 0,
            stale: PortSet::EMPTY,
            output_of: vec![NONE; ports],
            input_of: vec![NONE; ports],
            free_outputs: PortSet::all(ports),
            idle: false,
            pointer: 0,
            tree: vec![0; ports],
            joined: vec![0; ports],
            distance: vec![0; ports],
            from: vec![0; ports],
            slots: 0,
            searches: 0,
        }
    }

    /// Sets an input's price to the lowest possible, and finds what is tight with it.
    #[inline]
    fn price(&mut self, view: &View<'_, W>, input: usize) {
        let lengths = &view.lengths[input * view.ports..][..view.ports];
        let prices = &self.output_price[..view.ports];
        let mut most = -self.floor;
        let mut tight = PortSet::<W>::EMPTY;
        for word in 0..W {
            let mut left = view.rows[input].words[word];
            while left != 0 {
                let bit = left & left.wrapping_neg();
                let output = word * 64 + left.trailing_zeros() as usize;
                left ^= bit;
                let value = i64::from(lengths[output]) - prices[output];
                if value > most {
                    most = value;
                    tight = PortSet::EMPTY;
                }
                tight.words[word] |= if value == most { bit } else { 0 };
            }
        }
        if most + self.floor == 0 {
            tight.insert_all(&self.cheapest);
        }
        debug_assert!(!self.stale.contains(input) || most == self.input_price[input], "a search breaks no price");
        self.input_price[input] = most;
        self.tight[input] = tight;
        self.priced[input] = self.raises;
    }

    /// Finds the lowest price of an output, and the outputs that have it.
    fn find_floor(&mut self) {
        self.floor = self.output_price.iter().copied().min().unwrap_or(0);
        self.cheapest = PortSet::EMPTY;
        for (output, &price) in self.output_price.iter().enumerate() {
            self.cheapest.assign(output, price == self.floor);
        }
    }

    /// A free output that is tight with the input.
    #[inline]
    fn free_and_tight(&self, input: usize) -> Option<usize> {
        self.tight[input].intersection(&self.free_outputs).first_from(self.pointer)
    }

    /// A free output that an empty VOQ leads to from the hub without further slack.
    #[inline]
    fn free_and_cheapest(&self) -> Option<usize> {
        self.cheapest.intersection(&self.free_outputs).first_from(self.pointer)
    }

    #[inline]
    fn pair(&mut self, input: usize, output: usize) {
        self.output_of[input] = output as Port;
        self.input_of[output] = input as Port;
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let ports = view.ports;
        self.slots += 1;
        self.pointer = view.now as usize % ports;
        // Price. Those of outputs could be anything, as those of inputs are made to fit; good ones
        // save searching. While outputs idle, prices are too high as a rule, and fall; without idle
        // outputs, the old ones are the best guess.
        let fall = self.floor + i64::from(self.idle);
        for price in &mut self.output_price {
            *price = (*price - fall).max(0);
        }
        self.find_floor();
        self.stale = PortSet::EMPTY;
        self.free_outputs = PortSet::all(ports);
        let mut free_inputs = self.free_outputs;
        for input in 0..ports {
            self.price(view, input);
            let output = core::mem::replace(&mut self.output_of[input], NONE);
            if output == NONE {
                continue;
            }
            let output = output as usize;
            if self.tight[input].contains(output) {
                self.output_of[input] = output as Port;
                self.free_outputs.remove(output);
                free_inputs.remove(input);
            } else {
                self.input_of[output] = NONE;
            }
        }
        // Match.
        let mut without = free_inputs;
        while let Some(input) = without.first_from(self.pointer) {
            without.remove(input);
            if let Some(output) = self.free_and_tight(input) {
                self.pair(input, output);
                self.free_outputs.remove(output);
                free_inputs.remove(input);
            }
        }
        // Search.
        while let Some(input) = free_inputs.first_from(self.pointer) {
            free_inputs.remove(input);
            self.search(view, input);
        }
        self.idle = false;
        for (input, &output) in self.output_of.iter().enumerate() {
            if view.rows[input].contains(output as usize) {
                matching.add(input, output as usize);
                let weight = u64::from(view.lengths[input * ports + output as usize]);
                observer.observe(Event::Weight { input: input as Port, output, weight });
            } else {
                self.idle = true;
            }
        }
        if observer.is_watching() {
            for (side, prices) in [(Side::Input, &self.input_price), (Side::Output, &self.output_price)] {
                for (port, &price) in (0..).zip(prices) {
                    observer.observe(Event::Price { side, port, price });
                }
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for Mwm<W> {
    const NEEDS: Needs = Needs::ROWS.and(Needs::LENGTHS);

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn promise(&self) -> Promise {
        Promise::NonDegenerative
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "searches", sum: self.searches, per: self.slots });
        visit(Counter { name: "raises", sum: self.raises, per: self.slots });
    }
}
