//! What `rows` is where there are no vectors for it: nothing.

use super::table::{Due, Table};
use crate::cell::Port;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// There is none.
#[derive(Clone, Debug)]
pub(super) enum Rows {}

impl Rows {
    /// All switches are too large.
    pub(super) fn new(_ports: usize, _memories: usize) -> Option<Box<Self>> {
        None
    }

    /// Never called.
    pub(super) fn place<const W: usize>(&mut self, _table: &Table<W>, _due: &[Due], _placed: &mut Vec<Port>) -> bool {
        match *self {}
    }
}
