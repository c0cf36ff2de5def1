//! Naive uFORM and uFPIM, written from sections II, III, IV and VI of paper 001.
//!
//! All requests are listed, granted and accepted in every slot, those on service too: that an
//! on-service VOQ is matched in every slot is a consequence, and no use is made of it here. What
//! the paper takes for granted is asserted.

use crate::naive::{Lengths, Pairs, Scheduler, round_robin};
use switchlab_core::Slot;
use switchlab_core::rng::Rng;
use switchlab_core::schedule::captured_readings::{Capture, Empty, Reading};

/// A request, or a grant: the input, the output, and whether their VOQ is on service.
pub(crate) type Ask = (usize, usize, bool);

/// How ports choose.
pub(crate) enum Arbiters {
    /// Round robin, with the pointers of the outputs and of the inputs.
    RoundRobin { grant: Vec<usize>, accept: Vec<usize> },
    /// At random.
    Random(Rng),
}

impl Arbiters {
    /// One of the on-service partners if there is one, else one of the others; both ascending, and
    /// not both empty.
    fn choose(&mut self, on: &[usize], off: &[usize], pointer: impl Fn(&[usize], &[usize]) -> usize) -> (usize, bool) {
        let among = if on.is_empty() { off } else { on };
        let chosen = match self {
            Self::RoundRobin { grant, accept } => round_robin(among, pointer(grant, accept)),
            // What is on service and stands alone draws nothing.
            Self::Random(_) if on.len() == 1 => on[0],
            Self::Random(rng) => among[rng.below(among.len())],
        };
        (chosen, !on.is_empty())
    }
}

/// Captured frames, by input and output.
pub(crate) struct Frames {
    iterations: usize,
    /// The largest frame; 0 if unlimited.
    frame: usize,
    /// CF.
    pub(crate) sizes: Vec<Vec<usize>>,
    /// F: whether the VOQ is on service.
    pub(crate) flags: Vec<Vec<bool>>,
    pub(crate) arbiters: Arbiters,
    reading: Reading,
}

impl Frames {
    /// The same by another reading of the paper.
    pub(crate) fn read(mut self, reading: Reading) -> Self {
        self.reading = reading;
        if reading.empty == Empty::Skip {
            self.sizes.iter_mut().for_each(|row| row.fill(1));
        }
        self
    }

    fn new(ports: usize, iterations: usize, frame: usize, arbiters: Arbiters) -> Self {
        let (sizes, flags) = (vec![vec![0; ports]; ports], vec![vec![false; ports]; ports]);
        Self { iterations, frame, sizes, flags, arbiters, reading: Reading::default() }
    }

    pub(crate) fn uform(ports: usize, iterations: usize, frame: usize) -> Self {
        let arbiters = Arbiters::RoundRobin { grant: vec![0; ports], accept: vec![0; ports] };
        Self::new(ports, iterations, frame, arbiters)
    }

    pub(crate) fn ufpim(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Self {
        Self::new(ports, iterations, frame, Arbiters::Random(rng))
    }

    /// An input serves one frame at a time, and a frame on service has cells.
    fn check(&self, lengths: &Lengths) {
        if self.reading.capture == Capture::Before {
            return;
        }
        for (input, (flags, lengths)) in self.flags.iter().zip(lengths).enumerate() {
            let on_service = flags.iter().filter(|&&flag| flag).count();
            assert!(on_service <= 1, "input {input} has {on_service} VOQs on service");
            let empty = flags.iter().zip(lengths).position(|(&flag, &length)| flag && length == 0);
            assert_eq!(empty, None, "a VOQ of input {input} is on service and empty");
        }
    }

    /// Step 1: a non-empty on-service VOQ asks; a non-empty off-service one asks if its input is
    /// off service. Ports that are matched are left out.
    pub(crate) fn requests(&self, lengths: &Lengths, pairs: &Pairs) -> Vec<Ask> {
        let ports = lengths.len();
        let mut taken = vec![false; ports];
        pairs.iter().flatten().for_each(|&output| taken[output] = true);
        let mut requests = Vec::new();
        for input in (0..ports).filter(|&input| pairs[input].is_none()) {
            let on_service = self.flags[input].contains(&true);
            for output in (0..ports).filter(|&output| !taken[output]) {
                let flag = self.flags[input][output];
                let is_out = self.reading.empty == Empty::Skip && self.sizes[input][output] == 0;
                if lengths[input][output] > 0 && !is_out && (flag || !on_service) {
                    requests.push((input, output, flag));
                }
            }
        }
        requests
    }

    /// Step 2: what each output grants, by output, ascending.
    pub(crate) fn grants(&mut self, requests: &[Ask]) -> Vec<Ask> {
        let ports = self.flags.len();
        let mut asking = vec![(Vec::new(), Vec::new()); ports];
        for &(input, output, on) in requests {
            let (ons, offs) = &mut asking[output];
            if on { ons.push(input) } else { offs.push(input) }
        }
        let mut grants = Vec::new();
        for (output, (ons, offs)) in asking.iter().enumerate() {
            if !ons.is_empty() || !offs.is_empty() {
                let (input, on) = self.arbiters.choose(ons, offs, |grant, _| grant[output]);
                grants.push((input, output, on));
            }
        }
        grants
    }

    /// Step 3, the choice: what each input accepts, by input, ascending.
    pub(crate) fn accepts(&mut self, grants: &[Ask]) -> Vec<Ask> {
        let ports = self.flags.len();
        let mut granting = vec![(Vec::new(), Vec::new()); ports];
        for &(input, output, on) in grants {
            let (ons, offs) = &mut granting[input];
            if on { ons.push(output) } else { offs.push(output) }
        }
        let mut accepts = Vec::new();
        for (input, (ons, offs)) in granting.iter().enumerate() {
            if !ons.is_empty() || !offs.is_empty() {
                let (output, on) = self.arbiters.choose(ons, offs, |_, accept| accept[input]);
                accepts.push((input, output, on));
            }
        }
        accepts
    }

    /// Step 3, the updates: pointers one beyond the partner; a frame goes on, or ends and the next
    /// one is captured.
    ///
    /// A CF of 0 is an empty capture, and the next match ends it, as it does a CF of 1. `lengths`
    /// count the departing cell.
    pub(crate) fn update(&mut self, lengths: &Lengths, accepts: &[Ask]) {
        let ports = lengths.len();
        for &(input, output, _) in accepts {
            if let Arbiters::RoundRobin { grant, accept } = &mut self.arbiters {
                grant[output] = (input + 1) % ports;
                accept[input] = (output + 1) % ports;
            }
            let size = &mut self.sizes[input][output];
            let limit = |cells: usize| if self.frame == 0 { cells } else { cells.min(self.frame) };
            if *size == 0 && self.reading.empty == Empty::Occupancy {
                // The frame that begins now is all that is there.
                *size = limit(lengths[input][output]);
            }
            if *size > 1 {
                *size -= 1;
                self.flags[input][output] = true;
            } else {
                let departing = usize::from(self.reading.capture == Capture::After);
                *size = limit(lengths[input][output] - departing);
                self.flags[input][output] = false;
            }
        }
    }
}

impl Scheduler for Frames {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        self.check(lengths);
        let mut pairs = vec![None; lengths.len()];
        for _ in 0..self.iterations {
            let requests = self.requests(lengths, &pairs);
            if requests.is_empty() {
                break;
            }
            let grants = self.grants(&requests);
            let accepts = self.accepts(&grants);
            for &(input, output, _) in &accepts {
                assert!(
                    pairs[input].is_none() && !pairs.contains(&Some(output)),
                    "{input} or {output} is matched twice"
                );
                pairs[input] = Some(output);
            }
            self.update(lengths, &accepts);
        }
        pairs
    }
}
