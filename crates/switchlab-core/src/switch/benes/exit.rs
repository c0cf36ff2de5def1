//! The resequencers behind the last stage (`resequencing=final`): one for each output, unbounded.
//!
//! Cells that are ahead of an earlier one of their flow are kept in a list for the flow, in order. One cell leaves per slot: round robin over the sources whose next
//! cell is there.

use super::links::{Links, UNCOUNTED};
use super::record::Inner;
use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Flow {
    /// The number of the next cell to leave.
    expected: u16,
    /// The first cell that is here, or [`NIL`].
    first: u32,
}

const NIL: u32 = u32::MAX;

/// The resequencers of all outputs.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    ports: usize,
    /// By output and source.
    flows: Vec<Flow>,
    nodes: Vec<(Inner, u32)>,
    free: Vec<u32>,
    /// By output: sources whose next cell is here.
    turns: Links,
    /// Cells that are here.
    pub(super) held: u64,
}

impl Exit {
    /// Nothing is here.
    pub(super) fn new(ports: usize) -> Self {
        Self {
            ports,
            flows: vec![Flow { expected: 0, first: NIL }; ports * ports],
            nodes: Vec::new(),
            free: Vec::new(),
            turns: Links::new(ports, false, [UNCOUNTED]),
            held: 0,
        }
    }

    /// A cell comes out of the last stage.
    #[inline]
    pub(super) fn take(&mut self, output: usize, cell: Inner) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.nodes.push((cell, NIL));
            self.nodes.len() as u32 - 1
        });
        let flow = &mut self.flows[output * self.ports + cell.source as usize];
        // Births ascend within a flow as numbers do, and never wrap around.
        let (mut before, mut after) = (NIL, flow.first);
        while after != NIL && self.nodes[after as usize].0.born < cell.born {
            before = after;
            after = self.nodes[after as usize].1;
        }
        self.nodes[place as usize] = (cell, after);
        match before {
            NIL => flow.first = place,
            _ => self.nodes[before as usize].1 = place,
        }
        self.held += 1;
        if cell.number == flow.expected {
            self.turns.section::<0>(0).fill(output, cell.source as usize);
        }
    }

    /// The cell that leaves, if one is next in its flow.
    #[inline]
    pub(super) fn send(&mut self, output: usize) -> Option<Inner> {
        let mut turns = self.turns.section::<0>(0);
        let source = turns.send_one(output, false)?;
        let flow = &mut self.flows[output * self.ports + source];
        let place = flow.first;
        let (cell, next) = self.nodes[place as usize];
        flow.first = next;
        flow.expected = flow.expected.wrapping_add(1);
        if next != NIL && self.nodes[next as usize].0.number == flow.expected {
            self.turns.section::<0>(0).fill(output, source);
        }
        self.free.push(place);
        self.held -= 1;
        Some(cell)
    }

    /// The cells of a flow that are here, in order, and the number that is expected.
    pub(super) fn flow(&self, output: usize, source: usize) -> (u16, Vec<Inner>) {
        let flow = self.flows[output * self.ports + source];
        let (mut cells, mut place) = (Vec::new(), flow.first);
        while place != NIL {
            let (cell, next) = self.nodes[place as usize];
            cells.push(cell);
            place = next;
        }
        (flow.expected, cells)
    }
}
