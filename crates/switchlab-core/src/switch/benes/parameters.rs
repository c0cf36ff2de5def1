//! The parameters of `benes` and `banyan`. Those that came later have no value unless given, so
//! that the full text of a spec stays what it was.

use crate::spec::{Kind, Parameter, Preset};

/// The deepest buffer, and the longest delay of a credit or a cell.
const MOST: u64 = 64;

/// The longest period and patience, in slots.
const LONGEST: u64 = 65_535;

/// A parameter without a value unless given.
const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, default: Preset::Absent, about }
}

/// Cells in a buffer that may be left out altogether.
const CELLS: Kind = Kind::Count(0, MOST);

const RADIX: Parameter = optional(
    "radix",
    Kind::Radices(2, 32),
    "P, the ports of an element, or those of each level from the outermost in; without it 4 if the number of ports is a power of 4, else 2",
);

const CREDIT_DELAY: Parameter = Parameter {
    name: "credit-delay",
    kind: Kind::Count(0, MOST),
    default: Preset::Value("0"),
    about: "in how many slots a credit is usable; 0: in the slot in which the buffer is freed",
};

const MERGE: Parameter = Parameter {
    name: "merge",
    kind: Kind::ChoiceOrWeights(&["round-robin", "random", "fixed"], "wrr"),
    default: Preset::Value("round-robin"),
    about: "whose turn it is among the P input buffers of a flow group; weights are by input port",
};

const BACKPRESSURE: Parameter = Parameter {
    name: "backpressure",
    kind: Kind::Choice(&["per-group", "per-link"]),
    default: Preset::Value("per-group"),
    about: "whether each flow group has buffers and credits of its own",
};

const LINKS: Parameter = optional(
    "links",
    Kind::ChoiceOrWeights(&["round-robin", "random", "oldest", "fixed", "redrawn"], "wrr"),
    "which flow group a link serves, round-robin without it; weights are by group",
);

const LINK_PERIOD: Parameter = optional(
    "link-period",
    Kind::Count(1, LONGEST),
    "after how many slots links=redrawn draws the group it prefers; 200 without it",
);

const ROUTING_OUTPUT: Parameter =
    optional("routing-output", CELLS, "cells in an output buffer of a routing element; 1 without it, 0 for none");

const FLOW_CONTROL: Parameter = optional(
    "flow-control",
    Kind::Choice(&["credits", "stop-and-go"]),
    "how a buffer tells that it has room; credits without it",
);

const LINK_DELAY: Parameter =
    optional("link-delay", Kind::Count(0, MOST), "slots that a cell spends on a link beyond one; 0 without it");

const LOSS: Parameter =
    optional("loss", Kind::Real(0.0, 1.0), "the probability that a link loses a cell; 0 without it");

const PRIORITIES: Parameter =
    optional("priorities", Kind::Count(1, 8), "priority levels, with queues and credits of their own; 1 without it");

const PRECEDENCE: Parameter = optional(
    "precedence",
    Kind::ChoiceOrWeights(&["strict"], "wrr"),
    "how a link chooses among priority levels, strict without it; weights are by level",
);

/// The parameters of `benes`.
pub(crate) const PARAMETERS: &[Parameter] = &[
    RADIX,
    Parameter {
        name: "distribution",
        kind: Kind::Choice(&["rr", "ic", "random-balanced", "hash", "random", "adaptive"]),
        default: Preset::Value("rr"),
        about: "how a distribution element chooses the output of a cell",
    },
    Parameter {
        name: "resequencing",
        kind: Kind::Choice(&["per-stage", "final"]),
        default: Preset::Value("per-stage"),
        about: "where cells are put into order again",
    },
    Parameter {
        name: "distribution-buffer",
        kind: Kind::Count(1, MOST),
        default: Preset::Value("1"),
        about: "cells in an input buffer of a distribution element",
    },
    optional(
        "routing-buffer",
        Kind::Count(1, MOST),
        "cells in an input buffer of a routing element; without it distribution-buffer, and one more for ic and random-balanced",
    ),
    CREDIT_DELAY,
    MERGE,
    Parameter {
        name: "pointers",
        kind: Kind::Choice(&["random", "zero"]),
        default: Preset::Value("random"),
        about: "where the pointers of round-robin distribution begin; the key of the hash",
    },
    BACKPRESSURE,
    LINKS,
    LINK_PERIOD,
    optional(
        "distribution-output",
        CELLS,
        "cells in an output buffer of a distribution element; 1 without it, 0 for none",
    ),
    ROUTING_OUTPUT,
    optional(
        "order",
        Kind::Choice(&["merge-first", "distribute-first"]),
        "what a distribution element does first; merge-first without it",
    ),
    FLOW_CONTROL,
    LINK_DELAY,
    LOSS,
    optional(
        "patience",
        Kind::Count(1, LONGEST),
        "with a loss, slots after which a resequencer gives a missing cell up; 1024 without it",
    ),
    optional("center", Kind::Choice(&["two", "one"]), "whether the two central stages are one; two without it"),
    optional(
        "merging",
        Kind::Choice(&["per-output", "hierarchical"]),
        "which flows share buffers and credits; per-output without it",
    ),
    optional(
        "feedback",
        Kind::Choice(&["per-hop", "immediate"]),
        "with merging=hierarchical, how fast credits of a level return; per-hop without it",
    ),
    PRIORITIES,
    PRECEDENCE,
];

/// The parameters of `banyan`.
pub(crate) const BANYAN: &[Parameter] = &[
    RADIX,
    Parameter {
        name: "routing-buffer",
        kind: Kind::Count(1, MOST),
        default: Preset::Value("1"),
        about: "cells in an input buffer of an element",
    },
    CREDIT_DELAY,
    MERGE,
    BACKPRESSURE,
    LINKS,
    LINK_PERIOD,
    ROUTING_OUTPUT,
    FLOW_CONTROL,
    LINK_DELAY,
    LOSS,
    PRIORITIES,
    PRECEDENCE,
];
