//! Matching by edge colouring, section III-B: the edges of one colour.
//!
//! Each cell keeps the first memories that fit it, as many as there are colours: N, or Gamma if the
//! colouring needs a power of two. No memory has more edges than there are cells, and so none has
//! more than there are colours. A cell has as many edges as there are colours, so that it has one
//! of each colour: the edges of any one colour are a matching of all cells. In slot t it is colour
//! t mod the number of colours.

use super::gamma;
use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::switch::edge_colouring::{EdgeColouring, LevPippengerValiant};
use alloc::vec::Vec;

/// How edges are coloured.
#[derive(Clone, Debug)]
enum Method {
    Koenig(EdgeColouring),
    LevPippengerValiant(LevPippengerValiant),
}

/// A matcher; see the module.
#[derive(Clone, Debug)]
pub(in crate::switch) struct Colouring {
    method: Method,
    colours: usize,
    edges: Vec<(Port, Port)>,
    bytes: u64,
}

impl Colouring {
    /// With N colours, as König has them.
    pub(in crate::switch) fn koenig(ports: usize, memories: usize) -> Self {
        let edges = ports * ports;
        let tables = (ports + memories) * (ports + 1) * size_of::<u32>();
        Self {
            method: Method::Koenig(EdgeColouring::new(ports, memories, ports)),
            colours: ports,
            edges: Vec::with_capacity(edges),
            bytes: (tables + edges * size_of::<(u32, Port, Port)>()) as u64,
        }
    }

    /// With Gamma colours, as Lev, Pippenger and Valiant have them.
    pub(in crate::switch) fn lev_pippenger_valiant(ports: usize, memories: usize) -> Self {
        let (colours, edges) = (gamma(ports), ports * gamma(ports));
        let tables = LevPippengerValiant::bytes(ports, memories, colours, edges);
        Self {
            method: Method::LevPippengerValiant(LevPippengerValiant::new(ports, memories, colours, edges)),
            colours,
            edges: Vec::with_capacity(edges),
            bytes: tables + (edges * size_of::<(Port, Port)>()) as u64,
        }
    }

    /// The bytes of all lists. They do not change.
    pub(in crate::switch) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Finds the memory of each cell of a slot, or [`NONE`], which takes fewer memories than are
    /// needed.
    pub(in crate::switch) fn place<const W: usize>(
        &mut self,
        slot: u32,
        cells: usize,
        fits: impl Fn(usize) -> PortSet<W>,
        placed: &mut Vec<Port>,
    ) {
        self.edges.clear();
        for cell in 0..cells {
            let memories = fits(cell);
            self.edges.extend(memories.iter().take(self.colours).map(|memory| (cell as Port, memory as Port)));
        }
        let colours = match &mut self.method {
            Method::Koenig(colouring) => colouring.colour(&self.edges),
            Method::LevPippengerValiant(colouring) => colouring.colour(&self.edges),
        };
        let class = slot % self.colours as u32;
        placed.clear();
        placed.resize(cells, NONE);
        for (&(cell, memory), _) in self.edges.iter().zip(colours).filter(|(_, colour)| **colour == class) {
            placed[usize::from(cell)] = memory;
        }
    }
}
