//! What a search knows of a switch between two slots: which memories hold a cell for which
//! departure slot.
//!
//! Nothing else matters. An output with q cells has one for each of the next q slots, so the number
//! of memories with a cell due d slots from now is the number of outputs with more than d cells:
//! the lengths of the queues follow. Outputs of the same length are alike, and to a scheduler that
//! may choose, so are memories that hold the same.

use alloc::format;
use switchlab_core::Error;

/// For a memory: bit d is set if it holds a cell due d slots from now.
pub(super) type Column = u32;

/// The most memories that a search handles.
pub(super) const MOST_MEMORIES: usize = 16;

/// The most ports.
pub(super) const MOST_PORTS: usize = 6;

/// A state, packed: a column for each memory, memory 0 lowest. Between slots a queue holds at most
/// K-1 cells, so that a column has K-1 bits.
pub(super) type State = u128;

/// The columns of a state; those beyond M are not used.
pub(super) type Columns = [Column; MOST_MEMORIES];

/// The lengths of the queues, the longest first; those beyond N are 0.
pub(super) type Lengths = [usize; MOST_PORTS];

/// The size of a switch that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub(super) ports: usize,
    pub(super) memories: usize,
    pub(super) capacity: usize,
}

impl Shape {
    /// N ports, M memories, queues of K cells; an error that says what is possible if a search
    /// cannot handle that.
    pub fn new(ports: usize, memories: usize, capacity: usize) -> Result<Self, Error> {
        let bits = memories.saturating_mul(capacity.saturating_sub(1));
        let problem = if !(1..=MOST_PORTS).contains(&ports) {
            format!("a search handles 1 to {MOST_PORTS} ports, not {ports}")
        } else if !(1..=MOST_MEMORIES).contains(&memories) {
            format!("a search handles 1 to {MOST_MEMORIES} memories, not {memories}")
        } else if capacity == 0 || capacity > 32 || bits > 128 {
            format!("a search handles capacities from 1 to {} with {memories} memories", (128 / memories + 1).min(32))
        } else {
            return Ok(Self { ports, memories, capacity });
        };
        Err(Error::Impossible { name: "psm".into(), problem })
    }

    /// N.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// M.
    pub fn memories(&self) -> usize {
        self.memories
    }

    /// K.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn unpack(&self, state: State) -> Columns {
        let bits = self.capacity - 1;
        let mask = (1u128 << bits) - 1;
        core::array::from_fn(|memory| {
            if memory < self.memories && bits > 0 { (state >> (memory * bits) & mask) as Column } else { 0 }
        })
    }

    /// Packs columns as they are.
    pub(super) fn pack(&self, columns: &Columns) -> State {
        let bits = self.capacity - 1;
        if bits == 0 {
            return 0;
        }
        let columns = columns[..self.memories].iter().rev();
        columns.fold(0, |state, &column| state << bits | State::from(column))
    }

    /// Packs columns in descending order: the same for all states that differ only in the names of
    /// memories.
    pub(super) fn pack_sorted(&self, columns: &Columns) -> State {
        let mut columns = *columns;
        columns[..self.memories].sort_unstable_by(|a, b| b.cmp(a));
        self.pack(&columns)
    }

    /// The lengths of the queues, the longest first.
    pub(super) fn lengths(&self, columns: &Columns) -> Lengths {
        let mut lengths = [0; MOST_PORTS];
        for slot in 0..self.capacity - 1 {
            let holding = columns[..self.memories].iter().filter(|column| *column >> slot & 1 == 1).count();
            for length in &mut lengths[..holding.min(self.ports)] {
                *length += 1;
            }
        }
        lengths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_all() {
        let shape = Shape::new(3, 4, 6).unwrap();
        let mut columns = [0; MOST_MEMORIES];
        columns[..4].copy_from_slice(&[0b10001, 0, 0b11111, 0b00110]);
        assert_eq!(shape.unpack(shape.pack(&columns)), columns);
        let sorted = shape.unpack(shape.pack_sorted(&columns));
        assert_eq!(sorted[..4], [0b11111, 0b10001, 0b00110, 0]);
        let message = format!("{}", Shape::new(2, 4, 33).unwrap_err());
        assert!(message.contains("capacities from 1 to 32"), "{message}");
    }

    #[test]
    fn lengths_follow_from_the_columns() {
        let shape = Shape::new(3, 4, 4).unwrap();
        let mut columns = [0; MOST_MEMORIES];
        // Due at once: three cells. One slot later: two. Then one.
        columns[..4].copy_from_slice(&[0b001, 0b011, 0b101, 0b010]);
        assert_eq!(shape.lengths(&columns)[..3], [3, 2, 1]);
    }

    #[test]
    fn full_width() {
        for (memories, capacity) in [(4, 32), (16, 9), (1, 32), (3, 1)] {
            let shape = Shape::new(2, memories, capacity).unwrap();
            let full = (1u64 << (capacity - 1)) as Column - 1;
            let columns = core::array::from_fn(|memory| if memory < memories { full } else { 0 });
            assert_eq!(shape.unpack(shape.pack(&columns)), columns);
        }
        for (memories, capacity) in [(16, 10), (5, 27), (0, 2), (17, 2), (4, 0), (2, 33)] {
            assert!(Shape::new(2, memories, capacity).is_err(), "{memories} {capacity}");
        }
        assert!(Shape::new(0, 2, 2).is_err() && Shape::new(7, 2, 2).is_err());
    }
}
