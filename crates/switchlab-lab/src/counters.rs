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
    ("bits_common", "bits of SERENADE-common that a port sends in a slot, without leaders, flags and minima"),
    ("bits_controller", "bits of leaders to the controller and of its broadcast to all, per port and slot"),
    ("bits_leader", "bits of the leaders' field in the messages of SERENADE-common, per port and slot"),
    ("bits_merge", "bits of the messages of a merge, per port and slot"),
    ("bits_overweight", "bits of the overweight flag in the messages of SERENADE-common, per port and slot"),
    ("bits_per_port", "bits of all messages for a matching, per port and slot"),
    ("bits_populate", "bits of POPULATE between ports, per port and slot"),
    ("bits_prune", "bits of announcing arrivals and accepting them, per port and slot"),
    ("bits_search", "bits of binary searches, per port and slot"),
    ("bits_shuffle", "bits between free outputs and the controller that shuffles them, per port and slot"),
    ("bits_sketch", "bits of minima in the messages of SERENADE-common, per port and slot"),
    ("broadcast", "non-ouroboros cycles whose leaders broadcast, per slot"),
    ("bypassed", "share of the departures that have not been in a memory"),
    ("captured_frame", "cells in a frame when it is captured, on average"),
    ("components", "paths and cycles of the union of the two matchings with something to decide, per slot"),
    ("cycles", "cycles of the union of the two matchings, per slot"),
    ("cyclic_phases", "share of the phases whose rankings had a cycle"),
    ("delay_hot", "mean delay of cells for hot outputs, less the stages of a fabric, in slots"),
    ("delay_hot_max", "the longest delay of cells for hot outputs, less the stages of a fabric, in slots"),
    ("delay_minus_stages", "mean delay less the number of stages, in slots"),
    ("delay_other", "mean delay of cells for the other outputs, less the stages of a fabric, in slots"),
    ("delay_other_max", "the longest delay of cells for the other outputs, less the stages of a fabric, in slots"),
    ("drop_rate", "dropped cells over arrived cells"),
    ("equation_2", "throughput by equation 2 of paper 001, for the measured E(m) and arrivals"),
    ("exact_slots", "share of the slots that were decided as SERENA decides them by plan"),
    ("find_roots_iterations", "iterations of FIND_ROOTS in a phase, on average"),
    ("fullest_memory", "cells in the fullest memory, on average"),
    ("gale_shapley_rounds", "rounds of Gale-Shapley in a phase, on average"),
    ("iterations", "iterations in a slot, on average"),
    ("knocked_out", "share of the cells that lost the contention for an output"),
    ("late_cells", "share of the cells that came too late for their resequencer and were dropped"),
    ("latin_substeps", "share of the sub-steps for which the Latin square was enough"),
    ("long_captures", "share of the captured frames that have two cells or more"),
    ("long_frames", "share of the frames that took longer than they have time for"),
    ("longest_voq", "cells in the longest VOQ of a fabric at the end; under permutations or with --occupancy"),
    ("lost_on_links", "share of the transmissions over a link that lost their cell"),
    ("memories_in_use", "memories that hold a cell at the end of a slot, on average"),
    ("memory_filled", "cells of the fullest memory in a frame over the capacity that always suffices, on average"),
    ("memory_overfilled", "share of the frames in which a memory held more than the capacity that always suffices"),
    ("merged_weight", "weight of the merged matching over that of a merge with full knowledge"),
    ("messages_common", "messages of SERENADE-common, per port and slot"),
    ("messages_controller", "messages of leaders to the controller and of its broadcast to all, per port and slot"),
    ("messages_per_vertex", "messages that a port sends in a slot, on average"),
    ("messages_populate", "messages of POPULATE between ports, per port and slot"),
    ("messages_prune", "messages that announce arrivals and accept them, per port and slot"),
    ("messages_search", "messages of binary searches, per port and slot"),
    ("messages_shuffle", "messages between free outputs and the controller that shuffles them, per port and slot"),
    ("missed_departures", "cells that did not leave in the slot of the shadow switch, over its departures"),
    ("negative_slackness", "share of the slots in which a cell had a negative slackness"),
    ("non_ouroboros", "cycles that are not ouroboros cycles, per slot"),
    ("numbers_per_message", "numbers that a message carries, 64 bits each"),
    ("on_service_inputs", "inputs that serve a captured frame in a slot, on average: E(m) of paper 001"),
    ("ouroboros_slots", "share of the slots in which all cycles are ouroboros cycles"),
    ("ouroboros_vertices", "share of the inputs that are on ouroboros cycles"),
    ("output_memory_filled", "cells of the fullest output memory in a frame over 2 f N, on average"),
    ("phases", "phases of a slot in which cells competed, on average"),
    ("raises", "changes of the dual variables, per slot"),
    ("reads_of_a_memory", "most reads of one memory by one output in a frame, on average"),
    ("resequencing_depth", "cells per output that wait for one before them, on average"),
    ("right_components", "share of the components that all their ports decide as the whole weights say"),
    ("rounds", "rounds of messages in a slot, or steps of the longest walk, on average"),
    ("rounds_merge", "rounds of messages of the merge, per slot"),
    ("rounds_populate", "rounds of messages of pruning and POPULATE, per slot"),
    ("search_length", "steps of a search for the leader's decision, on average"),
    ("searches", "searches for an augmenting path, per slot"),
    ("share_gap_0", "share of the non-ouroboros cycles whose colours differ by 0 to 1 % of their sum"),
    ("share_gap_1", "share of the non-ouroboros cycles whose colours differ by 1 to 2 % of their sum"),
    ("share_gap_10", "share of the non-ouroboros cycles whose colours differ by 10 to 20 % of their sum"),
    ("share_gap_2", "share of the non-ouroboros cycles whose colours differ by 2 to 5 % of their sum"),
    ("share_gap_20", "share of the non-ouroboros cycles whose colours differ by 20 to 50 % of their sum"),
    ("share_gap_5", "share of the non-ouroboros cycles whose colours differ by 5 to 10 % of their sum"),
    ("share_gap_50", "share of the non-ouroboros cycles whose colours differ by 50 to 100 % of their sum"),
    ("shuffle_steps", "steps of the controller's shuffle, one after the other, per slot"),
    ("speedup_needed", "sub-steps of a frame over those that it has time for, on average"),
    ("split_components", "share of the components whose ports disagree"),
    ("substeps", "sub-steps of a frame, on average"),
    ("unrooted_phases", "share of the phases that needed Gale-Shapley"),
    ("utilisation_hot", "departures per hot output and slot"),
    ("utilisation_other", "departures per other output and slot, where hot outputs are oversubscribed"),
    ("voq_wait", "slots that a cell waits in its VOQ, on average"),
    ("voqs_with_cells", "VOQs of a fabric that are not empty at the end; under permutations or with --occupancy"),
    ("wait_until_exit", "slots that a cell waits until it is out of the last stage, on average"),
    ("wait_until_exit_hot", "the same for cells for hot outputs, where cells are put in order behind that stage"),
    ("wait_until_exit_other", "the same for cells for the other outputs"),
    ("weight_lost", "what wrong decisions lose of the weight of the heavier colours"),
    ("work_lag", "slots by which a cell is behind a work-conserving server, on average"),
    ("wrong_gap_0", "share of the cycles of share_gap_0 that were not decided as SERENA decides them"),
    ("wrong_gap_1", "share of the cycles of share_gap_1 that were not decided as SERENA decides them"),
    ("wrong_gap_10", "share of the cycles of share_gap_10 that were not decided as SERENA decides them"),
    ("wrong_gap_2", "share of the cycles of share_gap_2 that were not decided as SERENA decides them"),
    ("wrong_gap_20", "share of the cycles of share_gap_20 that were not decided as SERENA decides them"),
    ("wrong_gap_5", "share of the cycles of share_gap_5 that were not decided as SERENA decides them"),
    ("wrong_gap_50", "share of the cycles of share_gap_50 that were not decided as SERENA decides them"),
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
