//! Shared by the tests of the statistics: runs of switches, and noise.

use switchlab_core::meter::Meter;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::{Block, Cell, NONE, Seed, Slot, registry};

/// A run to be made.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub switch: &'static str,
    pub ports: usize,
    pub traffic: &'static str,
    pub arrivals: &'static str,
    pub load: f64,
    pub slots: Slot,
}

impl Setup {
    /// Uniform Bernoulli traffic; the load is for the caller to set.
    pub const fn uniform(switch: &'static str, ports: usize, slots: Slot) -> Self {
        Self { switch, ports, traffic: "uniform", arrivals: "bernoulli", load: 0.5, slots }
    }

    /// The warm-up that goes with the slots.
    pub const fn warmup(&self) -> Slot {
        self.slots / 5
    }

    /// Runs with warm-up.
    pub fn run(&self, seed: u64, replication: u32) -> Meter {
        self.after(self.warmup(), seed, replication)
    }

    /// Runs without warm-up.
    pub fn cold(&self, seed: u64, replication: u32) -> Meter {
        self.after(0, seed, replication)
    }

    /// Runs with another warm-up.
    pub fn after(&self, warmup: Slot, seed: u64, replication: u32) -> Meter {
        let seed = Seed { seed, replication };
        let traffic = registry::traffic(self.traffic).unwrap();
        let traffic = traffic.build(Some(self.ports), Some(self.load), &registry::NoFiles).unwrap();
        let mut source = registry::arrivals(self.arrivals).unwrap().build(&traffic, seed);
        let mut switch = registry::switch(self.switch).unwrap().build(self.ports, seed).unwrap();
        let mut meter = Meter::new(self.ports);
        let (mut arrivals, mut departures) = (Block::new(self.ports, 0, NONE), Block::new(self.ports, 0, Cell::IDLE));
        let mut now = 0;
        for end in [warmup, warmup + self.slots] {
            meter.open(now);
            while now < end {
                let slots = (end - now).min(256);
                arrivals.start = now;
                arrivals.resize(slots as usize, NONE);
                departures.resize(slots as usize, Cell::IDLE);
                source.fill(&mut arrivals);
                switch.run(&arrivals, &mut departures);
                meter.observe(&arrivals, &departures);
                now += slots;
            }
        }
        meter
    }
}

/// Normal random numbers.
#[derive(Debug)]
pub struct Noise(Rng);

impl Noise {
    pub fn new(seed: u64) -> Self {
        Self(Seed { seed, replication: 0 }.stream(Purpose::Scheduler, 0))
    }

    fn uniform(&mut self) -> f64 {
        ((self.0.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Mean 0, deviation 1 (Box and Muller; the second of each pair is not used).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * libm::log(self.uniform())).sqrt() * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// An AR(1) series around `mean` with correlation `memory` and deviation 1, from its stationary
    /// distribution.
    pub fn autoregressive(&mut self, count: usize, mean: f64, memory: f64) -> Vec<f64> {
        let mut state = self.normal();
        let step = (1.0 - memory * memory).sqrt();
        (0..count)
            .map(|_| {
                state = memory * state + step * self.normal();
                mean + state
            })
            .collect()
    }
}
