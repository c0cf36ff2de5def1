//! Averages by gossip: ports that name each other take the mean of their weights.

use super::union::Union;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Debug)]
pub(super) struct Gossip {
    /// By port: its red and its green average.
    averages: Vec<[f64; 2]>,
    /// By port: the neighbour that it names, itself if it has none.
    named: Vec<usize>,
}

impl Gossip {
    pub(super) fn new(ports: usize) -> Self {
        Self { averages: vec![[0.0; 2]; 2 * ports], named: vec![0; 2 * ports] }
    }

    /// Starts from the weights of a port's own edges, and runs some rounds.
    pub(super) fn run(&mut self, union: &Union, rounds: u32, rng: &mut Rng) {
        for (port, averages) in self.averages.iter_mut().enumerate() {
            *averages = union.edges(port).map(|edge| edge.map_or(0.0, |edge| f64::from(edge.weight)));
        }
        for _ in 0..rounds {
            self.round(union, rng);
        }
    }

    fn round(&mut self, union: &Union, rng: &mut Rng) {
        for (port, named) in self.named.iter_mut().enumerate() {
            *named = match union.edges(port) {
                [Some(red), Some(green)] => {
                    if rng.below(2) == 0 {
                        red.to
                    } else {
                        green.to
                    }
                }
                [Some(edge), None] | [None, Some(edge)] => edge.to,
                [None, None] => port,
            };
        }
        for port in 0..self.named.len() {
            let other = self.named[port];
            if other > port && self.named[other] == port {
                let (ours, theirs) = (self.averages[port], self.averages[other]);
                let means = [0, 1].map(|colour| 0.5 * (ours[colour] + theirs[colour]));
                (self.averages[port], self.averages[other]) = (means, means);
            }
        }
    }

    /// The red and the green average of a port.
    pub(super) fn averages(&self, port: usize) -> (f64, f64) {
        let [red, green] = self.averages[port];
        (red, green)
    }
}
