//! MWM.

use super::{Matching, Needs, Scheduler, View};

/// MWM.
#[derive(Clone, Debug)]
pub struct Mwm;

impl Mwm {
    /// New.
    pub fn new(_ports: usize) -> Self {
        Self
    }
}

impl<const W: usize> Scheduler<W> for Mwm {
    const NEEDS: Needs = Needs { rows: true, columns: false, lengths: true };

    fn schedule(&mut self, _view: &View<'_, W>, _matching: &mut Matching) {}
}
