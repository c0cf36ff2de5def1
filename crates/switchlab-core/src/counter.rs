//! What a switch counts of itself.

/// A named count. The core counts in whole numbers; the report divides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The name, as reported.
    pub name: &'static str,
    /// The sum so far.
    pub sum: u64,
    /// What to divide by for the reported figure, also a sum so far (slots, for a mean per slot).
    pub per: u64,
}
