//! POPULATE (appendix A): the parts that inputs and outputs share. Ranks are prefix sums, partners
//! meet through brokers.

use super::message::{Address, Message};
use super::vertex::Outgoing;
use switchlab_core::Port;
use switchlab_core::schedule::serena::accounting::Prefix;

/// One port of a parallel prefix sum: the number of free ports in the stretch that ends here, which
/// grows until it begins at the first port.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Count {
    /// Whether this port is free.
    pub(super) free: bool,
    /// The free ports among those that were heard of, with this one.
    pub(super) sum: u32,
}

impl Count {
    pub(super) fn new(free: bool) -> Self {
        Self { free, sum: u32::from(free) }
    }

    /// To whom this port sends its sum in a step, and the sum.
    pub(super) fn send(self, prefix: Prefix, port: Port, step: u32, ports: usize) -> Option<(Port, u32)> {
        prefix.receiver(port as usize, step, ports).map(|to| (to as Port, self.sum))
    }

    pub(super) fn add(&mut self, count: u32) {
        self.sum += count;
    }

    /// How many free ports are before this one, if it is free. The paper counts ranks from 1, and
    /// ports too.
    pub(super) fn rank(self) -> Option<u32> {
        self.free.then(|| self.sum.saturating_sub(1))
    }
}

/// Who wants to meet at this input port.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Broker {
    pub(super) input: Option<Port>,
    pub(super) output: Option<Port>,
}

impl Broker {
    /// Tells the input about the output.
    pub(super) fn introduce(self) -> Outgoing {
        Some((Address::Input(self.input?), Message::Introduce(self.output?)))
    }
}
