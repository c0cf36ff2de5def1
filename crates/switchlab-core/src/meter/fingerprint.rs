//! A fingerprint of departures: equal departures, equal fingerprints.

use crate::cell::{Block, Cell, Slot};

/// A hash of all departures so far: multiply and rotate, twice for each departure: slot and
/// arrival slot, output and input.
///
/// Not cryptographic, which it need not be: it distinguishes simulations, and is no protection
/// against forgery. It does not depend on how a run is cut into blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Adds a block of slots.
    pub fn add(&mut self, departures: &Block<Cell>) {
        for (slot, row) in departures.rows() {
            self.add_slot(slot, row);
        }
    }

    /// Adds a slot.
    #[inline]
    pub fn add_slot(&mut self, slot: Slot, departures: &[Cell]) {
        let add = |state: u64, word: u64| (state.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            self.0 = add(self.0, u64::from(slot) << 32 | u64::from(cell.born));
            self.0 = add(self.0, (output as u64) << 16 | u64::from(cell.input));
        }
    }

    /// The value.
    pub fn value(self) -> u64 {
        self.0
    }
}
