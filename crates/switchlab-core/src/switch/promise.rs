//! What a switch promises of every slot, for an audit to hold it to.

/// How the weight of the matching may change, with weights Q(t) that are VOQ lengths after the
/// arrivals of slot t. The weight of the matching S(t) is compared with that of S(t-1) on the same
/// Q(t), for t >= 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Promise {
    /// Nothing is promised.
    #[default]
    None,
    /// S(t) weighs at least as much as S(t-1): non-degenerative (paper 002, appendix H, definition
    /// 1).
    NonDegenerative,
    /// S(t) weighs at most this much less: C-degenerative (definition 3).
    Degenerative(u64),
}

impl Promise {
    /// The most weight that may be lost; None if any may.
    pub fn allowed_loss(self) -> Option<u64> {
        match self {
            Self::None => None,
            Self::NonDegenerative => Some(0),
            Self::Degenerative(most) => Some(most),
        }
    }
}
