//! What an element costs, by how flows are merged (section 3).
//!
//! A flow group on a link needs a buffer at both ends of the link. So an element with P links in
//! and P links out has P queues for the groups of each of its links in, and P for those of each
//! link out.

/// How flows are merged into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Not at all: a flow for each input and output.
    None,
    /// All flows for the same output, and split again one by one on the way out: what the fabric
    /// here does.
    PerOutput,
    /// All flows for the same output, all the way; resequencing at the exit only.
    PerOutputToTheExit,
    /// All flows that leave a sub-network by the same output, level by level.
    Hierarchical,
}

/// The cost of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Flow groups on a link into the element.
    pub groups_in: u64,
    /// Flow groups on a link out of it.
    pub groups_out: u64,
    /// Queues in the element.
    pub queues: u64,
    /// Cells that these have room for, so that links can be used fully.
    pub cells: u64,
    /// Levels of backpressure, one inside the other, in the fabric.
    pub backpressure_levels: u64,
}

impl Cost {
    /// The same with this many priority levels, each with queues and credits of its own (section
    /// 2.3: N^2 flows for each level). None if the numbers are beyond all bounds.
    pub fn with_priorities(self, levels: u64) -> Option<Self> {
        Some(Self {
            groups_in: self.groups_in.checked_mul(levels)?,
            groups_out: self.groups_out.checked_mul(levels)?,
            queues: self.queues.checked_mul(levels)?,
            cells: self.cells.checked_mul(levels)?,
            ..self
        })
    }
}

/// The cost of an element of a stage, from 0 to 2 K - 1, of a fabric with P^K ports. None if there
/// is no such stage, or the numbers are beyond all bounds.
///
/// Every buffer holds one cell where credits come back within a cell time. With hierarchical
/// merging credits come from the end of a sub-network and take up to 2 K cell times, so that
/// buffers have room for 2 K cells (section 3.1).
pub fn element(merging: Merging, radix: u64, levels: u32, stage: u32) -> Option<Cost> {
    if stage >= levels.checked_mul(2)? || radix < 2 {
        return None;
    }
    let groups = |link: u32| groups(merging, radix, levels, link);
    let (groups_in, groups_out) = match merging {
        // The state for the inputs and outputs of a sub-network is that of its outermost stages, on
        // both of their sides.
        Merging::Hierarchical => {
            let level = stage.min(2 * levels - 1 - stage);
            let own = radix.checked_pow(levels - level)?;
            (own, own)
        }
        _ => (groups(stage)?, groups(stage + 1)?),
    };
    let queues = radix.checked_mul(groups_in.checked_add(groups_out)?)?;
    let hierarchical = merging == Merging::Hierarchical;
    let depth = if hierarchical { 2 * u64::from(levels) } else { 1 };
    let backpressure_levels = if hierarchical { u64::from(levels) } else { 1 };
    Some(Cost { groups_in, groups_out, queues, cells: queues.checked_mul(depth)?, backpressure_levels })
}

/// Flow groups on a link, from 0 to 2 K.
fn groups(merging: Merging, radix: u64, levels: u32, link: u32) -> Option<u64> {
    let ports = radix.checked_pow(levels)?;
    match merging {
        // The cells of P^l inputs come over a link into stage l, for all outputs; on the way out
        // likewise, seen from the outputs.
        Merging::None => ports.checked_mul(radix.checked_pow(link.min(2 * levels - link))?),
        Merging::PerOutputToTheExit if link > levels => radix.checked_pow(2 * levels - link),
        _ => Some(ports),
    }
}

/// The largest cost of all stages: what a fabric of equal elements needs in each.
pub fn largest(merging: Merging, radix: u64, levels: u32) -> Option<Cost> {
    let costs = (0..levels.checked_mul(2)?).map(|stage| element(merging, radix, levels, stage));
    costs.collect::<Option<alloc::vec::Vec<Cost>>>()?.into_iter().max_by_key(|cost| cost.queues)
}

/// Queues in a distribution element that distributes before it merges: one for each input, output
/// and group, P^2 N in all. Merging first takes 2 P N (section 3.2).
pub fn queues_if_distributed_first(radix: u64, levels: u32) -> Option<u64> {
    radix.checked_pow(levels.checked_add(2)?)
}

/// Buffers of a resequencer at an output if cells are resequenced only there: one for each input
/// (section 3.1).
pub fn exit_buffers(radix: u64, levels: u32) -> Option<u64> {
    radix.checked_pow(levels)
}
