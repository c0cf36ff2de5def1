//! Second implementations, each there for speed alone, and each of which can be left out.
//!
//! A variant gives the same results as the general form that it stands in for. To measure what it
//! buys, the crate is compiled without it: the environment variable `SWITCHLAB_WITHOUT` holds a
//! list of names, separated by commas, when the crate is compiled. `tools/variants` does so for
//! each name, runs both programs in turns and writes the table of variants in docs/performance.md.
//! CONTRIBUTING.md has the rule: a variant that no longer buys enough is deleted.
//!
//! A constant for each variant was preferred to a Cargo feature: features are for users, and a user
//! has no reason to leave out a variant.

/// The names that are left out.
const WITHOUT: &str = match option_env!("SWITCHLAB_WITHOUT") {
    Some(names) => names,
    None => "",
};

/// Packed queues above 256 ports, and the forms of SERENA and the arbiters that look queues up
/// there. The general form: linked lists.
pub(crate) const PACKED_QUEUES: bool = has("packed-queues");
/// Flow counts in one pass without branches, up to 64 ports.
pub(crate) const NARROW_METER: bool = has("narrow-meter");
/// Flow counts that are deferred, above 256 ports.
pub(crate) const DEFERRED_METER: bool = has("deferred-meter");
/// SERENA's prune, populate and merge on words, up to 64 ports. The general form: lists.
pub(crate) const SERENA_ONE_WORD: bool = has("serena-one-word");
/// Round-robin arbiters on words, up to 64 ports. The general form: distances from the pointer.
pub(crate) const ARBITERS_ONE_WORD: bool = has("arbiters-one-word");
/// Random grants on words, up to 64 ports. The general form: ranks among the grants of an input.
pub(crate) const PIM_ONE_WORD: bool = has("pim-one-word");
/// Output queues as columns of a calendar, up to 64 ports. The general form: linked lists.
pub(crate) const OQ_CALENDAR: bool = has("oq-calendar");
/// The shared-memory switch with first fit as a calendar, up to 64 ports.
pub(crate) const FIRST_FIT_CALENDAR: bool = has("first-fit-calendar");
/// Matching by halving on rows of bits in vectors, up to 64 ports.
pub(crate) const HALVING_ROWS: bool = has("halving-rows");
/// The Benes engine for buffers of one cell. The general form: the reference engine.
pub(crate) const BENES_UNIT_BUFFER: bool = has("benes-unit-buffer");
/// The Benes engine that follows cells through the stages, above 256 ports. The next general form:
/// the engine for buffers of one cell.
pub(crate) const BENES_WAVEFRONT: bool = has("benes-wavefront");

/// Whether a name is not in the list.
const fn has(name: &str) -> bool {
    let (list, name) = (WITHOUT.as_bytes(), name.as_bytes());
    let mut start = 0;
    while start <= list.len() {
        let mut end = start;
        while end < list.len() && list[end] != b',' {
            end += 1;
        }
        let mut length = 0;
        while length < name.len() && start + length < end && list[start + length] == name[length] {
            length += 1;
        }
        if length == name.len() && start + length == end {
            return false;
        }
        start = end + 1;
    }
    true
}
