//! MSM.

use super::{Matching, Needs, Scheduler, View};
use crate::rng::Rng;

/// MSM.
#[derive(Clone, Debug)]
pub struct Msm<const W: usize>;

impl<const W: usize> Msm<W> {
    /// New.
    pub fn new(_ports: usize, _rng: Rng) -> Self {
        Self
    }
}

impl<const W: usize> Scheduler<W> for Msm<W> {
    const NEEDS: Needs = Needs { rows: true, columns: false, lengths: false };

    fn schedule(&mut self, _view: &View<'_, W>, _matching: &mut Matching) {}
}
