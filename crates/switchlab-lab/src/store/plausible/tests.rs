use super::super::line::{read, sealed, write};
use super::super::{Unit, result_text};
use crate::Progress;
use crate::experiment::{PointSpec, ResultPoint};
use crate::sweep::measure;
use proptest::prelude::*;
use std::sync::OnceLock;
use switchlab_core::registry::SWITCHES;

fn point(switch: &str, traffic: &str) -> PointSpec {
    PointSpec {
        switch: switch.to_string(),
        ports: 4,
        traffic: traffic.to_string(),
        arrivals: "bernoulli".to_string(),
        load: 0.7,
        vary: [].into(),
        slots: 700,
        warmup: 60,
        seed: 1,
        drains: false,
    }
}

/// The line of the first replication, without its newline.
fn line(point: &PointSpec) -> String {
    let unit = &Unit::of(point, 1).unwrap()[0];
    let measured = measure(point, 0, &Progress::none()).unwrap();
    write(&unit.engine(), unit, &measured).trim_end().to_string()
}

#[test]
fn what_a_switch_measures_is_possible() {
    for entry in SWITCHES {
        for traffic in ["uniform", "hotspot(count=1)"] {
            let point = point(entry.name, traffic);
            // A switch that stops, or that cannot have four ports, measures nothing.
            if let Ok(measured) = measure(&point, 0, &Progress::none()) {
                let unit = &Unit::of(&point, 1).unwrap()[0];
                let line = write(&unit.engine(), unit, &measured);
                assert!(read(line.trim_end().as_bytes()).is_some(), "{} {traffic}: {line}", entry.name);
            }
        }
    }
}

#[test]
fn a_run_that_ended_early_or_dropped_cells_is_possible() {
    let overloaded = PointSpec { load: 1.0, ports: 64, slots: 400_000, ..point("fifo", "uniform") };
    let text = line(&overloaded);
    assert!(!text.contains("\"ended_early\":null"), "the memory of a unit should be too small for this");
    assert!(read(text.as_bytes()).is_some());
    let dropping = PointSpec { load: 1.0, ..point("oq(capacity=1)", "uniform") };
    let text = line(&dropping);
    assert!(!text.contains("\"dropped\":0"));
    assert!(read(text.as_bytes()).is_some());
}

/// Each by itself, with a right checksum: none may pass.
#[test]
fn impossible_counts_are_refused() {
    let text = line(&point("islip(iterations=1)", "uniform"));
    let number = |key: &str| {
        let begin = text.rfind(key).unwrap() + key.len();
        let digits = text[begin..].find(|c: char| !c.is_ascii_digit()).unwrap();
        (begin..begin + digits, text[begin..begin + digits].parse::<u64>().unwrap())
    };
    for key in ["\"arrived\":", "\"departed\":", "\"dropped\":", "\"queued\":", "\"delays\":{\"sum\":", "\"width\":"] {
        let (place, value) = number(key);
        for other in [value + 1, value + 1000, u64::MAX, 1 << 62] {
            let mut forged = text.clone();
            forged.replace_range(place.clone(), &other.to_string());
            assert!(read(sealed(&forged).as_bytes()).is_none(), "{key} {value} -> {other}");
        }
    }
    assert!(read(sealed(&text).as_bytes()).is_some());
}

/// The numbers of a result, by their place in the line.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let (begin, end) = (text.find("\"result\"").unwrap(), text.rfind(",\"sum\"").unwrap());
    let (mut found, mut place) = (Vec::new(), begin);
    while place < end {
        let length = text[place..end].bytes().take_while(u8::is_ascii_digit).count();
        if length > 0 {
            found.push(place..place + length);
        }
        place += length.max(1);
    }
    found
}

fn lines() -> &'static [String] {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    LINES.get_or_init(|| {
        ["islip(iterations=1)", "oq(capacity=2)", "benes(radix=2)"].map(|switch| line(&point(switch, "uniform"))).into()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Whatever numbers a line has, it is refused or can be summed: tests run with overflow checks.
    #[test]
    fn mutated_numbers_are_refused_or_summed(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0..6), 1..4),
    ) {
        let mut text = lines()[which.index(lines().len())].clone();
        for (place, random, kind) in changes {
            let places = numbers(&text);
            let place = places[place.index(places.len())].clone();
            let old: u64 = text[place.clone()].parse().unwrap_or(0);
            let new = match kind {
                0 => random,
                1 => random % 100,
                2 => u64::MAX - random % 3,
                3 => old.wrapping_add(1),
                4 => old.saturating_sub(1),
                _ => 1 << (random % 64),
            };
            text.replace_range(place, &new.to_string());
        }
        if let Some((_, measured)) = read(sealed(&text).as_bytes()) {
            let result = ResultPoint::new(point("oq", "uniform"), &[measured.clone(), measured.clone(), measured]);
            for metric in ResultPoint::METRICS {
                result.metric(metric);
            }
            let cells = result.outcome.cells();
            prop_assert_eq!(cells.arrived, cells.departed + cells.dropped + cells.queued);
            result.outcome.counters();
            result.outcome.per_port(4);
            result.outcome.runs.iter().for_each(|run| drop(result_text(run)));
        }
    }
}
