//! Replaces `rows` where the processor lacks its vector instructions: no switch is small enough, so
//! that `halving` always uses its lists.

use super::table::{Due, Table};
use crate::cell::Port;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A type without values: [`Rows::new`] returns none.
#[derive(Clone, Debug)]
pub(super) enum Rows {}

impl Rows {
    /// Always None.
    pub(super) fn new(_ports: usize, _memories: usize) -> Option<Box<Self>> {
        None
    }

    /// Cannot be called, since there is no value.
    pub(super) fn place<const W: usize>(&mut self, _table: &Table<W>, _due: &[Due], _placed: &mut Vec<Port>) -> bool {
        match *self {}
    }
}
