//! A reviewed table of results, in whole numbers: a change to it is a decision, not noise.

use crate::common::{SEED, fits, may_stop, source, specs, switch};
use std::path::Path;
use switchlab_core::meter::Meter;
use switchlab_core::{Block, Cell, NONE, Slot};

const HEADER: &str = "\
# SWITCHLAB_GOLDEN=write cargo test -p switchlab-core --test suite golden
# 8 ports, 5000 slots, seed 1, no warm-up; delays in slots
switch,traffic,arrivals,load,arrived,departed,queued,delay_sum,delay_max,p50,p99,out_of_order
";

/// The sizes of the second part of the table: with 8 ports all cycles of SERENADE are ouroboros, so
/// that its variants decide alike.
const LARGER: [usize; 2] = [20, 33];

/// The traffic of the second part.
const LARGER_TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("uniform", "bursty(mean=12)", 0.7),
    ("diagonal", "bernoulli", 0.9),
    ("hotspot(count=1)", "bernoulli", 0.5),
];

/// Slots in a block.
const BLOCK: usize = 50;

/// Blocks of a run of the second part. In 5000 slots the hybrids toss about 50 times in favour of
/// E-SERENADE; in 1000 slots they decided as their other half does.
const LARGER_BLOCKS: usize = 100;

/// Whether a switch is a crossbar, with queues at its inputs only.
fn is_crossbar(spec: &str) -> bool {
    let name = spec.split('(').next().unwrap_or_default();
    !["oq", "psm", "psm-flows", "cioq", "benes", "banyan"].contains(&name)
}

fn row(spec: &str, ports: usize, blocks: usize, (traffic, process, load): (&str, &str, f64)) -> String {
    let mut source = source(traffic, process, ports, load, SEED);
    let mut switch = switch(spec, ports, SEED);
    let (mut meter, mut dropped) = (Meter::new(ports), Vec::new());
    let (mut arrivals, mut departures) = (Block::new(ports, BLOCK, NONE), Block::new(ports, BLOCK, Cell::IDLE));
    for block in 0..blocks {
        arrivals.start = (BLOCK * block) as Slot;
        source.fill(&mut arrivals);
        dropped.clear();
        switch.run_and_log(&arrivals, &mut departures, &mut dropped);
        meter.observe_all(&arrivals, &departures, &dropped);
    }
    let (census, delays) = (switch.census(), meter.delays());
    format!(
        "{spec},{traffic},{process},{load},{},{},{},{},{},{},{},{}\n",
        census.arrived,
        census.departed,
        census.queued,
        delays.sum(),
        delays.max(),
        delays.quantile(500).unwrap_or_default(),
        delays.quantile(990).unwrap_or_default(),
        meter.flows().out_of_order()
    )
}

/// The rows of every crossbar for a size of the second part: 5000 slots each.
fn larger(ports: usize) -> String {
    let mut table = format!("# {ports} ports, 5000 slots, seed 1, no warm-up; every crossbar\n");
    for spec in specs().iter().filter(|spec| is_crossbar(spec)) {
        for traffic in LARGER_TRAFFIC {
            table += &row(spec, ports, LARGER_BLOCKS, traffic);
        }
    }
    table
}

#[test]
fn first_switches() {
    let mut table = HEADER.to_string();
    // Fabrics that may stop in some size have no rows.
    let has_rows = |spec: &&String| fits(spec, 8) && ![8, 64].iter().any(|&ports| may_stop(spec, ports));
    for spec in specs().iter().filter(has_rows) {
        for traffic in ["uniform", "diagonal", "hotspot(count=1)"] {
            for process in ["bernoulli", "bursty(mean=12)"] {
                for load in [0.5, 0.9] {
                    table += &row(spec, 8, 100, (traffic, process, load));
                }
            }
        }
    }
    for ports in LARGER {
        table += &larger(ports);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/first-switches.csv");
    if std::env::var_os("SWITCHLAB_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&path, &table).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    for (number, (kept, made)) in kept.lines().zip(table.lines()).enumerate() {
        assert_eq!(
            made,
            kept,
            "line {} of golden/first-switches.csv; its first line says how to rewrite it",
            number + 1
        );
    }
    assert_eq!(kept.lines().count(), table.lines().count(), "golden/first-switches.csv lacks lines or has too many");
}

/// All rows of a spec in the second part of the table, without its name.
fn figures(spec: &str) -> Vec<String> {
    let of = |ports| LARGER_TRAFFIC.map(|traffic| row(spec, ports, LARGER_BLOCKS, traffic).replacen(spec, "", 1));
    LARGER.into_iter().flat_map(of).collect()
}

/// The second part tells all members of the SERENADE suite apart, and says that E-SERENADE decides
/// as SERENA does.
#[test]
fn variants_of_serenade_differ() {
    assert_eq!(figures("serena"), figures("e-serenade"));
    let variants = [
        "c-serenade",
        "e-serenade",
        "sc-serenade",
        "so-serenade",
        "o-serenade",
        "o-serenade(leader=rotating)",
        "o-serenade(consistency=min-sketch)",
    ];
    let figures = variants.map(figures);
    for (index, one) in figures.iter().enumerate() {
        for (other, name) in figures.iter().zip(variants).take(index) {
            assert_ne!(one, other, "{} and {name}", variants[index]);
        }
    }
}
