//! What the counters of switches mean, by name.
//!
//! A switch counts what it likes ([`switchlab_core::switch::Switch::counters`]). Results show the
//! mean of each counter over the measured slots of all replications. A test holds this list to what
//! the switches of the registry count.

/// Names and meanings, in alphabetical order.
pub const MEANINGS: &[(&str, &str)] = &[
    ("agreement", "share of the non-ouroboros cycles that were decided as SERENA decides them"),
    ("augmentations", "augmenting paths of the maximum matching, per slot"),
    ("beyond_two_frames", "share of the cells with a lag of 2 f N slots or more"),
    ("broadcast", "non-ouroboros cycles whose leaders broadcast, per slot"),
    ("bypassed", "share of the departures that have not been in a memory"),
    ("captured_frame", "cells in a frame when it is captured, on average"),
    ("components", "paths and cycles of the union of the two matchings with something to decide, per slot"),
    ("cycles", "cycles of the union of the two matchings, per slot"),
    ("cyclic_phases", "share of the phases whose rankings had a cycle"),
    ("delay_hot", "mean delay of cells for hot outputs, less the stages of a fabric, in slots"),
    ("delay_hot_max", "the same for the hot output whose mean is largest"),
    ("delay_minus_stages", "mean delay less the number of stages, in slots"),
    ("delay_other", "mean delay of cells for the other outputs, less the stages of a fabric, in slots"),
    ("delay_other_max", "the same for the other output whose mean is largest"),
    ("drop_rate", "dropped cells over arrived cells"),
    ("exact_slots", "share of the slots that were decided as SERENA decides them by plan"),
    ("find_roots_iterations", "iterations of FIND_ROOTS in a phase, on average"),
    ("fullest_memory", "cells in the fullest memory, on average"),
    ("gale_shapley_rounds", "rounds of Gale-Shapley in a phase, on average"),
    ("iterations", "iterations in a slot, on average"),
    ("knocked_out", "share of the cells that lost the contention for an output"),
    ("latin_substeps", "share of the sub-steps for which the Latin square was enough"),
    ("long_frames", "share of the frames that took longer than they have time for"),
    ("memories_in_use", "memories that hold a cell at the end of a slot, on average"),
    ("memory_filled", "cells of the fullest memory in a frame over the capacity that always suffices, on average"),
    ("memory_overfilled", "share of the frames in which a memory held more than the capacity that always suffices"),
    ("merged_weight", "weight of the merged matching over that of a merge with full knowledge"),
    ("messages_per_vertex", "messages that a port sends in a slot, on average"),
    ("missed_departures", "cells that did not leave in the slot of the shadow switch, over its departures"),
    ("negative_slackness", "share of the slots in which a cell had a negative slackness"),
    ("non_ouroboros", "cycles that are not ouroboros cycles, per slot"),
    ("numbers_per_message", "numbers that a message carries, 64 bits each"),
    ("on_service_inputs", "inputs that serve a captured frame in a slot, on average: E(m) of paper 001"),
    ("output_memory_filled", "cells of the fullest output memory in a frame over 2 f N, on average"),
    ("phases", "phases of a slot in which cells competed, on average"),
    ("raises", "changes of the dual variables, per slot"),
    ("reads_of_a_memory", "most reads of one memory by one output in a frame, on average"),
    ("resequencing_depth", "cells per output that wait for one before them, on average"),
    ("right_components", "share of the components that all their ports decide as the whole weights say"),
    ("rounds", "rounds of messages in a slot, or steps of the longest walk, on average"),
    ("search_length", "steps of a search for the leader's decision, on average"),
    ("searches", "searches for an augmenting path, per slot"),
    ("speedup_needed", "sub-steps of a frame over those that it has time for, on average"),
    ("split_components", "share of the components whose ports disagree"),
    ("substeps", "sub-steps of a frame, on average"),
    ("unrooted_phases", "share of the phases that needed Gale-Shapley"),
    ("utilisation_hot", "departures per hot output and slot"),
    ("voq_wait", "slots that a cell waits in its VOQ, on average"),
    ("wait_until_exit", "slots that a cell waits until it is out of the last stage, on average"),
    ("work_lag", "slots by which a cell is behind a work-conserving server, on average"),
];

/// What a counter means; None for one that is not in the list.
pub fn meaning(name: &str) -> Option<&'static str> {
    let of_class = || {
        let meanings = [
            ("throughput_class_", "departures of cells of this class per output and slot"),
            ("delay_class_", "mean delay of cells of this class, in slots; max: the longest"),
        ];
        meanings.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, meaning)| meaning)
    };
    let of_stage = name.starts_with("wait_stage_").then_some("slots that a cell waits in this stage, on average");
    MEANINGS.iter().find(|(known, _)| *known == name).map(|(_, meaning)| *meaning).or(of_stage).or_else(of_class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::Seed;
    use switchlab_core::registry::SWITCHES;

    #[test]
    fn every_counter_of_the_registry_has_a_meaning() {
        assert!(MEANINGS.is_sorted_by(|a, b| a.0 < b.0));
        for entry in SWITCHES {
            let Ok(chosen) = switchlab_core::registry::switch(entry.name) else { continue };
            let seed = Seed { seed: 1, replication: 0 };
            let built = [4, 16, 64].iter().find_map(|&ports| chosen.build(ports, seed).ok());
            built.unwrap_or_else(|| panic!("{}", entry.name)).counters(&mut |counter| {
                assert!(meaning(counter.name).is_some(), "{}: {}", entry.name, counter.name);
            });
        }
    }
}
