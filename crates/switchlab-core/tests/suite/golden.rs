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

fn row(spec: &str, traffic: &str, process: &str, load: f64) -> String {
    const PORTS: usize = 8;
    let mut source = source(traffic, process, PORTS, load, SEED);
    let mut switch = switch(spec, PORTS, SEED);
    let (mut meter, mut dropped) = (Meter::new(PORTS), Vec::new());
    let (mut arrivals, mut departures) = (Block::new(PORTS, 50, NONE), Block::new(PORTS, 50, Cell::IDLE));
    for block in 0..100 {
        arrivals.start = 50 * block as Slot;
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

#[test]
fn first_switches() {
    let mut table = HEADER.to_string();
    for spec in specs().iter().filter(|spec| fits(spec, 8) && !may_stop(spec, 8)) {
        for traffic in ["uniform", "diagonal", "hotspot(count=1)"] {
            for process in ["bernoulli", "bursty(mean=12)"] {
                for load in [0.5, 0.9] {
                    table += &row(spec, traffic, process, load);
                }
            }
        }
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
