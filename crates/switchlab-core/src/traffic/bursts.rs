//! Bursty arrivals: runs of cells to one destination, then silence.
//!
//! Lengths are geometric and so without memory: one coin per slot decides whether a burst goes on,
//! one whether a silence ends. Nothing is looked up or computed with logarithms, and the
//! probabilities are exact to 2^-63.

use super::Arrivals;
use super::destinations::{Destinations, Position};
use super::matrix::LoadMatrix;
use crate::cell::{NONE, Port, Slot};
use crate::rng::{Probability, Purpose, Seed, Streams};
use alloc::vec;
use alloc::vec::Vec;

/// The mean silence that gives `rate` with bursts of mean `burst`; infinite for rate 0.
fn mean_silence(burst: f64, rate: f64) -> f64 {
    if rate > 0.0 { burst * (1.0 - rate.min(1.0)) / rate } else { f64::INFINITY }
}

/// Bursts of at least one cell, geometric; idle periods from 0 slots, geometric (paper 004, section
/// 5).
///
/// A burst of mean B goes on after each cell with probability 1 - 1/B. An idle period of mean I,
/// possibly empty, ends before each slot with probability 1 / (1 + I), where I = B (1 - rate) /
/// rate.
#[derive(Clone, Debug)]
pub struct Bursty<D> {
    destinations: D,
    streams: Streams,
    goes_on: Probability,
    /// By input: that an idle period ends before this slot.
    begins: Vec<Probability>,
    /// By input: the destination of the burst under way, or [`NONE`].
    burst: Vec<Port>,
}

impl<D: Destinations> Bursty<D> {
    /// Bursts of mean length `mean`, at least 1, at `load` times the rates of `matrix`. Every input
    /// begins idle.
    pub fn new(matrix: &LoadMatrix, load: f64, mean: f64, destinations: D, seed: Seed) -> Self {
        let ports = matrix.ports();
        let begins = |input| Probability::new(1.0 / (1.0 + mean_silence(mean, load * matrix.row_sum(input))));
        Self {
            destinations,
            streams: Streams::new(seed, Purpose::Arrivals, ports),
            goes_on: Probability::new(1.0 - 1.0 / mean),
            begins: (0..ports).map(begins).collect(),
            burst: vec![NONE; ports],
        }
    }
}

impl<D: Destinations> Arrivals for Bursty<D> {
    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &mut [Port]) {
        self.destinations.prepare(now);
        let ports = arrivals.len();
        for (input, arrival) in arrivals.iter_mut().enumerate() {
            let burst = &mut self.burst[input];
            if *burst == NONE || !self.streams.chance(input, self.goes_on) {
                *burst = if self.streams.chance(input, self.begins[input]) {
                    self.destinations.pick(input, Position::new(self.streams.next(input), ports))
                } else {
                    NONE
                };
            }
            *arrival = *burst;
        }
    }
}

/// ON and OFF periods, both geometric from 0 slots, one destination for each ON period, nothing in
/// OFF (paper 002, appendix I.1).
///
/// An ON period of mean B goes on for another slot with probability B / (1 + B), an OFF period
/// likewise, where its mean is B (1 - rate) / rate. Periods of length 0 happen: two ON periods may
/// touch.
#[derive(Clone, Debug)]
pub struct OnOff<D> {
    destinations: D,
    streams: Streams,
    stays_on: Probability,
    /// By input: that an OFF period lasts for this slot; None for an input that never sends.
    stays_off: Vec<Option<Probability>>,
    /// By input: the destination of the ON period under way, or [`NONE`] in OFF.
    on: Vec<Port>,
}

impl<D: Destinations> OnOff<D> {
    /// ON periods of mean length `mean`, above 0, at `load` times the rates of `matrix`. Every
    /// input begins in OFF.
    pub fn new(matrix: &LoadMatrix, load: f64, mean: f64, destinations: D, seed: Seed) -> Self {
        let ports = matrix.ports();
        let stays_off = |input| {
            let silence = mean_silence(mean, load * matrix.row_sum(input));
            silence.is_finite().then(|| Probability::new(silence / (1.0 + silence)))
        };
        Self {
            destinations,
            streams: Streams::new(seed, Purpose::Arrivals, ports),
            stays_on: Probability::new(mean / (1.0 + mean)),
            stays_off: (0..ports).map(stays_off).collect(),
            on: vec![NONE; ports],
        }
    }
}

impl<D: Destinations> Arrivals for OnOff<D> {
    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &mut [Port]) {
        self.destinations.prepare(now);
        let ports = arrivals.len();
        for (input, arrival) in arrivals.iter_mut().enumerate() {
            *arrival = NONE;
            let Some(stays_off) = self.stays_off[input] else { continue };
            // Periods of length 0 pass within the slot, until one holds it.
            loop {
                let on = self.on[input];
                if on == NONE {
                    if self.streams.chance(input, stays_off) {
                        break;
                    }
                    self.on[input] = self.destinations.pick(input, Position::new(self.streams.next(input), ports));
                } else if self.streams.chance(input, self.stays_on) {
                    *arrival = on;
                    break;
                } else {
                    self.on[input] = NONE;
                }
            }
        }
    }
}
