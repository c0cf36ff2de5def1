//! The two plain things that stages exchange: the arrivals of a slot and the departures of a slot.

use alloc::vec;
use alloc::vec::Vec;

/// A slot number, counted from 0. The only clock there is.
///
/// 32 bits: a run is shorter than 2^32 slots, which halves the size of every queued cell.
pub type Slot = u32;

/// A port number, counted from 0.
pub type Port = u16;

/// No port: an idle input in the arrivals of a slot, an unmatched port in a matching.
pub const NONE: Port = Port::MAX;

/// The largest switch that can be built.
pub const MAX_PORTS: usize = 4096;

/// A cell as it leaves the switch; which output it leaves by is its place in the row of departures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// The slot in which the cell arrived.
    pub born: Slot,
    /// The input it arrived at, or [`NONE`] for an idle output.
    pub input: Port,
}

impl Cell {
    /// An output that sends nothing in this slot.
    pub const IDLE: Self = Self { born: 0, input: NONE };

    /// Whether no cell leaves here.
    #[inline]
    pub const fn is_idle(self) -> bool {
        self.input == NONE
    }
}

/// Makes all outputs idle. By copies of eight cells: for single cells the compiler stores the
/// fields one by one and skips the padding between cells.
pub(crate) fn idle(departures: &mut [Cell]) {
    const IDLE_CHUNK: [Cell; 8] = [Cell::IDLE; 8];
    let (chunks, rest) = departures.as_chunks_mut();
    chunks.fill(IDLE_CHUNK);
    rest.fill(Cell::IDLE);
}

/// A cell that was thrown away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// The slot in which it was thrown away.
    pub slot: Slot,
    /// The slot in which it had arrived; the same one where a full queue turns cells away.
    pub born: Slot,
    /// The input it arrived at.
    pub input: Port,
    /// The output it was for.
    pub output: Port,
}

/// `slots x ports` values, row-major by slot.
///
/// Results do not depend on how a run is cut into blocks; blocks exist so that one virtual call
/// serves many slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<T> {
    /// The slot of the first row.
    pub start: Slot,
    /// The length of a row.
    pub ports: usize,
    /// The rows, one after the other.
    pub data: Vec<T>,
}

impl<T: Copy> Block<T> {
    /// A block of `slots` rows, every entry `fill`.
    pub fn new(ports: usize, slots: usize, fill: T) -> Self {
        Self { start: 0, ports, data: vec![fill; ports * slots] }
    }

    /// The number of rows.
    pub fn slots(&self) -> usize {
        self.data.len().checked_div(self.ports).unwrap_or(0)
    }

    /// Changes the number of rows; does not allocate when shrinking or when growing back.
    pub fn resize(&mut self, slots: usize, fill: T) {
        self.data.resize(self.ports * slots, fill);
    }

    /// The rows with their slot numbers.
    pub fn rows(&self) -> impl Iterator<Item = (Slot, &[T])> {
        (self.start..).zip(self.data.chunks_exact(self.ports.max(1)))
    }
}
