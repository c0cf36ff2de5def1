//! Edge colourings of bipartite graphs: no two edges at a vertex have the same colour, so that the
//! edges of one colour are a matching.
//!
//! - [`EdgeColouring`], König: as many colours as the largest degree, edge by edge.
//! - [`LevPippengerValiant`]: as many as the next power of two, by halving all degrees at once. A
//!   parallel machine does that in O(log n) steps for each halving; paper 000, section IV-D.

mod koenig;
mod lev_pippenger_valiant;

pub use koenig::EdgeColouring;
pub use lev_pippenger_valiant::LevPippengerValiant;
