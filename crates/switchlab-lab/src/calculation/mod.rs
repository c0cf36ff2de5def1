//! Figures of a paper that need no simulation: theory, counts, algorithms on random instances.
//!
//! An experiment says `calculate = "ouroboros"` where others say `switches`. A calculation is named
//! by a spec and has a value for each of its names at a number of ports, which claims and figures
//! call `counters.NAME`; it is stored, drawn and compared with claims like a measurement. One that
//! draws random instances has a stream for each replication, and so an interval; one that is exact
//! has an interval of no width.

mod adversaries;
mod captured_frames;
mod circuit;
mod deadlock;
mod fabric;
mod flows;
mod memories;
mod ouroboros;
mod promises;
mod stable;
mod stops;

use crate::error::LabError;
use crate::plan::Request;
use crate::run::{Cells, Measured};
use switchlab_core::meter::{Histogram, Timeline};
use switchlab_core::spec::{Args, Kind, Parameter, Preset, Spec};
use switchlab_core::{Counter, Error, MAX_PORTS, Seed, registry};

/// The name in place of a traffic and of an arrival process.
pub const NONE: &str = "none";

/// The result of a calculation: names and values, none of them negative.
pub type Values = Vec<(&'static str, f64)>;

/// A calculation.
pub struct Calculation {
    /// Its name in a spec.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Where it is from.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The source of the file it stands in; its header is the page.
    source: &'static str,
    compute: fn(&Args, usize, Seed) -> Result<Values, LabError>,
}

impl Calculation {
    /// The page: the documentation at the head of its file.
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}

/// All calculations. Their names are not those of switches.
pub static CALCULATIONS: &[Calculation] = &[
    Calculation {
        name: "ouroboros",
        about: "which cycles SERENADE understands, and what the others cost, on a uniform random permutation",
        reference: "paper 002, table 1",
        parameters: &[],
        source: include_str!("ouroboros.rs"),
        compute: |_, ports, _| Ok(ouroboros::values(ports)),
    },
    Calculation {
        name: "captured-frame-bits",
        about: "the bits that captured frames add to a switch: a counter and a flag for each VOQ",
        reference: "paper 001, sections II, VI and VII",
        parameters: &[Parameter {
            name: "frame",
            kind: Kind::Count(1, u32::MAX as u64),
            default: Preset::Value("65535"),
            about: "the largest frame: what a VOQ holds, or a limit",
        }],
        source: include_str!("captured_frames.rs"),
        compute: |args, ports, _| Ok(captured_frames::values(ports, args.count("frame") as u64)),
    },
    Calculation {
        name: "stable-examples",
        about: "FIND_ROOTS and Gale-Shapley on the paper's examples and on the families that are worst for either",
        reference: "paper 003, examples, theorem 2, table I",
        parameters: &[],
        source: include_str!("stable.rs"),
        compute: |_, ports, _| at_most(256, ports).map(|()| stable::examples(ports)),
    },
    Calculation {
        name: "stable-resources",
        about: "processing elements and bits of FIND_ROOTS and of Gale-Shapley, counted in runs",
        reference: "paper 003, table I",
        parameters: &[],
        source: include_str!("stable.rs"),
        compute: |_, ports, _| at_most(256, ports).map(|()| stable::resources(ports)),
    },
    Calculation {
        name: "stable-instances",
        about: "how often random instances of stable matching are rooted or acyclic; all instances up to 3 rows",
        reference: "paper 003, section II",
        parameters: &[Parameter {
            name: "instances",
            kind: Kind::Count(1, 100_000_000),
            default: Preset::Value("10000"),
            about: "how many are drawn in each replication",
        }],
        source: include_str!("stable.rs"),
        compute: |args, ports, seed| Ok(stable::instances(ports, args.count("instances") as u64, seed)),
    },
    Calculation {
        name: "benes-cost",
        about: "flow groups, queues and buffers of an element of a Benes fabric, by how flows are merged",
        reference: "paper 004, section 3",
        parameters: &[
            Parameter {
                name: "radix",
                kind: Kind::Count(2, 32),
                default: Preset::Value("4"),
                about: "P, the ports of an element",
            },
            Parameter {
                name: "priorities",
                kind: Kind::Count(1, 8),
                default: Preset::Absent,
                about: "priority levels, with queues of their own; 1 without it",
            },
            Parameter {
                name: "stage",
                kind: Kind::Count(0, 63),
                default: Preset::Absent,
                about: "a stage, from 0, whose flow groups are told too",
            },
        ],
        source: include_str!("fabric.rs"),
        compute: |args, ports, _| {
            let radix = args.count("radix") as u64;
            let priorities = args.count_if_given("priorities").unwrap_or(1) as u64;
            let stage = args.count_if_given("stage").map(|stage| stage as u32);
            Ok(fabric::values(ports, radix, priorities, stage))
        },
    },
    Calculation {
        name: "find-roots-circuit",
        about: "the gates and the time of FIND_ROOTS as a circuit, synthesized by yosys; no values where it is not installed",
        reference: "paper 003, table II",
        parameters: &[
            Parameter {
                name: "design",
                kind: Kind::Choice(circuit::DESIGNS),
                default: Preset::Value("optimised"),
                about: "as section III has it, the same function with fewer gates, or with two matchings inside",
            },
            Parameter {
                name: "rankings",
                kind: Kind::Choice(&["any", "strict"]),
                default: Preset::Value("any"),
                about: "with equal ranks and absent pairs, as the paper says, or without",
            },
        ],
        source: include_str!("circuit.rs"),
        compute: |args, ports, _| circuit::values(args.word("design"), args.word("rankings"), ports),
    },
    Calculation {
        name: "memories-needed",
        about: "how many memories output queueing needs: by lemma 1, by the parallel scheduler, by first-fit and by any scheduler",
        reference: "paper 000, lemma 1 and section IV",
        parameters: &[Parameter {
            name: "capacity",
            kind: Kind::Count(1, 1000),
            default: Preset::Value("4"),
            about: "how many cells for one output there may be",
        }],
        source: include_str!("memories.rs"),
        compute: |args, ports, _| memories::needed(ports, args.count("capacity")),
    },
    Calculation {
        name: "pram-scheduler",
        about: "steps, processors and cells of the parallel scheduler, by running it",
        reference: "paper 000, theorem 1, figures 2 and 3",
        parameters: &[Parameter {
            name: "capacity",
            kind: Kind::Count(1, 4096),
            default: Preset::Absent,
            about: "how many cells for one output there may be; as many as ports without it",
        }],
        source: include_str!("memories.rs"),
        compute: |args, ports, seed| memories::pram(ports, args.count("capacity"), seed),
    },
    Calculation {
        name: "striped-reads",
        about: "how many cells of one memory an output may have to read in a frame",
        reference: "paper 000, theorem 3",
        parameters: &[
            Parameter {
                name: "flows",
                kind: Kind::Count(1, 256),
                default: Preset::Value("4"),
                about: "flows of the output",
            },
            Parameter {
                name: "stripe",
                kind: Kind::Count(1, 256),
                default: Preset::Absent,
                about: "P, the memories of a stripe; as many as ports without it",
            },
        ],
        source: include_str!("memories.rs"),
        compute: |args, ports, seed| memories::striped_reads(ports, args.count("flows"), args.count("stripe"), seed),
    },
    Calculation {
        name: "memory-adversaries",
        about: "traces on which psm and psm-flows fail with one memory less than is always enough, replayed",
        reference: "paper 000, lemma 1 and theorem 2",
        parameters: &[Parameter {
            name: "stripe",
            kind: Kind::Count(1, 256),
            default: Preset::Absent,
            about: "P, for striped flows; as many as ports without it",
        }],
        source: include_str!("adversaries.rs"),
        compute: |args, ports, _| adversaries::values(ports, args.count("stripe")),
    },
    Calculation {
        name: "pram-flows",
        about: "steps, processors and cells of the parallel scheduler for striped flows, by running it",
        reference: "paper 000, section V-B",
        parameters: &[
            Parameter {
                name: "flows",
                kind: Kind::Count(1, 64),
                default: Preset::Value("2"),
                about: "f, flows of each output",
            },
            Parameter {
                name: "stripe",
                kind: Kind::Count(1, 256),
                default: Preset::Absent,
                about: "P, the memories of a stripe; as many as ports without it",
            },
            Parameter {
                name: "slots",
                kind: Kind::Count(1, 10_000),
                default: Preset::Value("4"),
                about: "random slots that are run",
            },
        ],
        source: include_str!("flows.rs"),
        compute: |args, ports, seed| {
            flows::pram(ports, args.count("flows"), args.count("stripe"), args.count("slots"), seed)
        },
    },
    Calculation {
        name: "weighted-shares",
        about: "what the flows of an output are served by their weights, if all are backlogged",
        reference: "paper 000, section V-A",
        parameters: &[Parameter {
            name: "discipline",
            kind: Kind::ChoiceOrWeights(&["fq"], "wfq"),
            default: Preset::Value("wfq(w=2:1)"),
            about: "the weights of the flows; two of the same weight for fq",
        }],
        source: include_str!("flows.rs"),
        compute: |args, ports, _| flows::shares(ports, &args.weights("discipline").unwrap_or_else(|| vec![1, 1])),
    },
    Calculation {
        name: "audit",
        about: "what a switch promises and what it breaks of it, and how often outputs idle with backlog",
        reference: "paper 002, appendix H; paper 000, section V",
        parameters: &[
            SWITCH,
            TRAFFIC,
            ARRIVALS,
            LOAD,
            slots("10000"),
            Parameter {
                name: "warmup",
                kind: Kind::Count(0, MOST_SLOTS),
                default: Preset::Value("0"),
                about: "slots before those that are counted",
            },
            Parameter {
                name: "patience",
                kind: Kind::Count(0, 100_000),
                default: Preset::Value("0"),
                about: "slots that a cell has been inside for its output to be backlogged",
            },
        ],
        source: include_str!("promises.rs"),
        compute: promises::values,
    },
    Calculation {
        name: "run-to-failure",
        about: "whether runs of a switch stop for ever, by a deadlock or since a cell has no memory, and when",
        reference: "paper 004, section 4; paper 000, lemma 1",
        parameters: &[SWITCH, TRAFFIC, ARRIVALS, LOAD, slots("200000"), runs("5")],
        source: include_str!("stops.rs"),
        compute: stops::to_failure,
    },
    Calculation {
        name: "highest-stable-load",
        about: "the highest load at which a switch is stable, by bisection, and its throughput at load 1",
        reference: "`switchlab limit`",
        parameters: &[
            SWITCH,
            TRAFFIC,
            ARRIVALS,
            slots("60000"),
            runs("2"),
            Parameter {
                name: "precision",
                kind: Kind::Real(0.001, 0.5),
                default: Preset::Value("0.02"),
                about: "how far apart the loads shown stable and unstable may be",
            },
        ],
        source: include_str!("stops.rs"),
        compute: stops::limit,
    },
    Calculation {
        name: "deadlock-search",
        about: "whether a small Benes fabric can deadlock, by all states of its model",
        reference: "paper 004, section 4, theorem 1",
        parameters: &[
            Parameter {
                name: "radix",
                kind: Kind::Choice(&["2", "4"]),
                default: Preset::Value("2"),
                about: "P, the ports of an element",
            },
            Parameter {
                name: "distribution",
                kind: Kind::Choice(&["rr", "ic"]),
                default: Preset::Value("rr"),
                about: "round robin, or any method with a maximum imbalance of 1",
            },
            Parameter {
                name: "merge",
                kind: Kind::Choice(&["any", "fixed", "round-robin"]),
                default: Preset::Value("any"),
                about: "which input buffer of a group is taken from; any covers every rule",
            },
            cells("distribution-buffer", 1, "cells in an input buffer of a distribution element"),
            cells("routing-buffer", 1, "cells in an input buffer of a routing element"),
            cells("distribution-output", 0, "cells in an output buffer of a distribution element"),
            cells("routing-output", 0, "cells in an output buffer of a routing element"),
            Parameter {
                name: "pointers",
                kind: Kind::Choice(&["zero", "all"]),
                default: Preset::Value("zero"),
                about: "the pointers that round robin begins with",
            },
            Parameter {
                name: "states",
                kind: Kind::Count(1, 100_000_000),
                default: Preset::Value("100000"),
                about: "states to keep at most, some 100 bytes each",
            },
            Parameter {
                name: "walk",
                kind: Kind::Count(0, 1_000_000_000),
                default: Preset::Value("0"),
                about: "steps of random walks where there are more states",
            },
        ],
        source: include_str!("deadlock.rs"),
        compute: deadlock::values,
    },
];

/// The most slots of a run within a calculation.
const MOST_SLOTS: u64 = 1_000_000_000;

const SWITCH: Parameter =
    Parameter { name: "switch", kind: Kind::Spec, default: Preset::Value("oq"), about: "the switch" };
const TRAFFIC: Parameter =
    Parameter { name: "traffic", kind: Kind::Spec, default: Preset::Value("uniform"), about: "its traffic" };
const ARRIVALS: Parameter =
    Parameter { name: "arrivals", kind: Kind::Spec, default: Preset::Value("bernoulli"), about: "the arrival process" };
const LOAD: Parameter =
    Parameter { name: "load", kind: Kind::Real(0.0, 1.0), default: Preset::Value("0.9"), about: "the load of a line" };

const fn slots(default: &'static str) -> Parameter {
    let kind = Kind::Count(1, MOST_SLOTS);
    Parameter { name: "slots", kind, default: Preset::Value(default), about: "slots of a run" }
}

const fn runs(default: &'static str) -> Parameter {
    let kind = Kind::Count(1, 1000);
    Parameter { name: "runs", kind, default: Preset::Value(default), about: "independent runs" }
}

const fn cells(name: &'static str, least: u64, about: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Count(least, 7), default: Preset::Value("1"), about }
}

/// The run that the parameters of a calculation describe. Its switch, traffic and process have been
/// checked.
fn of_run(args: &Args, ports: usize, seed: Seed) -> Request {
    Request {
        switches: vec![args.word("switch").to_string()],
        ports: Some(ports),
        traffic: args.word("traffic").to_string(),
        arrivals: Some(args.word("arrivals").to_string()),
        load: if args.declares("load") { args.real("load") } else { None },
        slots: Some(args.count("slots") as u64),
        seed: seed.seed,
        ..Request::default()
    }
}

/// 1 for what is so, 0 for what is not.
fn flag(fact: bool) -> f64 {
    f64::from(u8::from(fact))
}

/// The calculation that a spec names, and its checked arguments.
pub fn choose(text: &str) -> Result<(&'static Calculation, Args), Error> {
    let spec = Spec::parse(text)?;
    let names = || CALCULATIONS.iter().map(|calculation| calculation.name).collect();
    let known = CALCULATIONS.iter().find(|calculation| calculation.name == spec.name);
    let known = known.ok_or_else(|| Error::unknown_name("calculation", &spec.name, names()))?;
    let args = Args::check(known.name, known.parameters, &spec)?;
    for parameter in known.parameters.iter().filter(|parameter| parameter.kind == Kind::Spec) {
        let inner = args.word(parameter.name);
        match parameter.name {
            "switch" => crate::registry::switch(inner).map(drop)?,
            "traffic" => registry::traffic(inner).map(drop)?,
            _ => registry::arrivals(inner).map(drop)?,
        }
    }
    Ok((known, args))
}

/// One replication, in the form of a run without slots.
pub fn measure(text: &str, ports: usize, seed: Seed) -> Result<Measured, LabError> {
    let (calculation, args) = choose(text)?;
    if !(1..=MAX_PORTS).contains(&ports) {
        let problem = format!("{}: {ports} is not a number of ports: from 1 to {MAX_PORTS}", calculation.name);
        return Err(LabError::Request(problem));
    }
    let values = (calculation.compute)(&args, ports, seed)?;
    Ok(Measured {
        ports,
        slots: 0,
        warmup: 0,
        delays: Histogram::new().trimmed(),
        timeline: Timeline::new(),
        cells: Cells::default(),
        backlog_end: 0,
        jain: None,
        by_input: Vec::new(),
        by_output: Vec::new(),
        counters: values.into_iter().map(|(name, value)| counter(name, value)).collect(),
        ended_early: None,
        fingerprint: None,
        oq_lag: None,
        occupancy: None,
        port_delays: None,
        class_delays: None,
        within: None,
        kinds: None,
    })
}

/// An error if there are more ports than this: the calculation would take too long, or too much
/// memory.
fn at_most(most: usize, ports: usize) -> Result<(), LabError> {
    if ports <= most {
        Ok(())
    } else {
        Err(LabError::Request(format!("this is calculated for up to {most} ports, not {ports}")))
    }
}

/// A value as the store keeps it: whole numbers as they are, others to twelve digits behind the
/// point.
fn counter(name: &'static str, value: f64) -> Counter {
    const DIGITS: u64 = 1_000_000_000_000;
    let whole = value.fract() == 0.0;
    let per = if whole { 1 } else { DIGITS };
    Counter { name, sum: (value * per as f64).round() as u64, per }
}

/// The values of the first replication, by name; for the tests of the calculations.
#[cfg(test)]
fn measured(spec: &str, ports: usize) -> impl Fn(&str) -> Option<f64> + use<> {
    let counters = measure(spec, ports, Seed { seed: 1, replication: 0 }).unwrap().counters;
    move |name| counters.iter().find(|own| own.name == name).map(|own| own.sum as f64 / own.per as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_those_of_switches() {
        for calculation in CALCULATIONS {
            assert!(registry::switch(calculation.name).is_err(), "{}", calculation.name);
            assert!(choose(calculation.name).is_ok(), "{}", calculation.name);
        }
        let message = choose("ouroborus").map(drop).unwrap_err().to_string();
        assert!(message.contains("ouroboros"), "{message}");
    }

    /// A calculation gives the same names at every size, and finite values.
    #[test]
    fn every_calculation_calculates() {
        for calculation in CALCULATIONS {
            // A fabric that is searched has a power of 2 or 4.
            let sizes = if calculation.name == "deadlock-search" { [4, 8] } else { [2, 5] };
            for ports in sizes {
                let measured = measure(calculation.name, ports, Seed { seed: 1, replication: 0 }).unwrap();
                // Yosys may be missing.
                assert!(!measured.counters.is_empty() || calculation.name == "find-roots-circuit");
                assert!(measured.counters.iter().all(|counter| counter.per > 0), "{}", calculation.name);
            }
        }
    }

    #[test]
    fn a_number_of_ports_that_cannot_be_is_an_error() {
        for calculation in CALCULATIONS {
            for ports in [0, MAX_PORTS + 1, 1 << 20, 1 << 40, 1 << 63, usize::MAX] {
                let measured = measure(calculation.name, ports, Seed { seed: 1, replication: 0 });
                assert!(matches!(measured, Err(LabError::Request(_))), "{} of {ports}", calculation.name);
            }
        }
        assert!(measure("stable-examples", 257, Seed { seed: 1, replication: 0 }).is_err());
    }

    /// A spec inside a spec is checked before anything runs.
    #[test]
    fn specs_inside_specs_are_checked() {
        for (bad, hint) in [
            ("audit(switch=island)", "islip"),
            ("audit(switch=islip(iterations=0))", "iterations"),
            ("run-to-failure(traffic=unifrom)", "uniform"),
            ("highest-stable-load(arrivals=burst)", "bursty"),
            ("deadlock-search(merge=random)", "round-robin"),
        ] {
            let message = choose(bad).map(drop).unwrap_err().to_string();
            assert!(message.contains(hint), "{message}");
        }
        let canonical = choose("run-to-failure(switch=benes(radix=4,merge=random))").unwrap().1.to_string();
        assert_eq!(choose(&canonical).unwrap().1.to_string(), canonical);
    }

    #[test]
    fn values_come_through_as_counters() {
        let seed = Seed { seed: 1, replication: 0 };
        let measured = measure("ouroboros", 64, seed).unwrap();
        let of = |name| measured.counters.iter().find(|counter| counter.name == name).unwrap();
        assert_eq!((of("numbers").sum, of("numbers").per), (36, 1));
        let probability = of("probability").sum as f64 / of("probability").per as f64;
        assert!((probability - 0.342_098_454_507).abs() < 1e-12);
    }
}
