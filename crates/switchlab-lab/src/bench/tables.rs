//! The tables of a record, as Markdown that is also readable as plain text. They are made from the
//! record alone.

use super::record::Growth;
use super::{Entry, Part, PartCost, Record};
use crate::text_table::{Column, TextTable};
use indicatif::HumanCount;

/// A limit, and whether it is kept.
struct Held {
    what: String,
    limit: String,
    /// The measured value, and whether it keeps the limit; None if it was not measured.
    measured: Option<(String, bool)>,
}

/// Every table by its name, in the order to read them.
pub fn tables(record: &Record) -> Vec<(&'static str, String)> {
    vec![
        ("machine", machine(record)),
        ("limits", limits(record)),
        ("speed", speed(record)),
        ("parts", parts(record)),
        ("public", public(record)),
        ("time", time(record)),
        ("memory", memory(record)),
        ("hops", hops(record)),
    ]
}

fn machine(record: &Record) -> String {
    let Record { recorded, note, version, machine, .. } = record;
    let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
    format!(
        "Recorded {recorded} UTC{note} with version {version}, on one core of {} with {} cores.\n",
        machine.processor, machine.cores
    )
}

fn limits(record: &Record) -> String {
    let benchmarks = record.benchmarks.iter().flat_map(held_by_benchmark);
    let growth = record.scaling.iter().flat_map(|growth| held_by_growth(growth, record.fit_from));
    let hops = record.hops.iter().filter_map(|growth| held_by_hops(growth, record.hops_load));
    let rows = benchmarks.chain(growth).chain(hops).map(|held| {
        let (measured, result) = match held.measured {
            Some((measured, true)) => (measured, "kept"),
            Some((measured, false)) => (measured, "**not kept**"),
            None => ("-".to_string(), "not measured"),
        };
        vec![held.what, held.limit, measured, result.to_string()]
    });
    table(&["what", "limit", "measured", ""], &rows.collect::<Vec<_>>())
}

fn held_by_benchmark(entry: &Entry) -> Vec<Held> {
    let what = &entry.benchmark.switch;
    let floor = entry.benchmark.limits.times_floor.map(|limit| Held {
        what: what.clone(),
        limit: format!("at most {limit} x floor"),
        measured: Some((format!("{:.3}", entry.speed.times_floor), entry.speed.times_floor <= limit)),
    });
    let public = entry.benchmark.public.as_ref().and_then(|public| {
        let times = entry.speed.slots_per_second / public.slots_per_second;
        public.wanted.map(|wanted| Held {
            what: what.clone(),
            limit: format!("at least {wanted} times the slots per second of {}", public.simulator),
            measured: Some((format!("{times:.1}"), times >= wanted)),
        })
    });
    [floor, public].into_iter().flatten().collect()
}

fn held_by_growth(growth: &Growth, fit_from: usize) -> Vec<Held> {
    let exponent = exponent(growth, fit_from);
    let largest = growth.sizes.last().map_or(0, |size| size.ports);
    let exponent = growth.switch.most_exponent.map(|limit| Held {
        what: growth.switch.switch.clone(),
        limit: format!("time per slot grows with an exponent of at most {limit}, N = {fit_from} to {largest}"),
        measured: Some((format!("{exponent:.2}"), exponent <= limit)),
    });
    let memory = growth.switch.most_bytes.map(|(ports, limit)| {
        let bytes = growth.sizes.iter().find(|size| size.ports == ports).and_then(|size| size.alone.bytes);
        Held {
            what: growth.switch.switch.clone(),
            limit: format!("under {} at N = {ports}", megabytes(limit)),
            measured: bytes.map(|bytes| (megabytes(bytes), bytes < limit)),
        }
    });
    [exponent, memory].into_iter().flatten().collect()
}

fn held_by_hops(growth: &Growth, load: f64) -> Option<Held> {
    let (first, last, times) = hop_growth(growth, load)?;
    growth.switch.most_growth.map(|limit| Held {
        what: growth.switch.switch.clone(),
        limit: format!("time per cell and stage grows at most {limit} times, N = {first} to {last}"),
        measured: Some((format!("{times:.2}"), times <= limit)),
    })
}

/// The first and the last size, and the ratio of their times per cell and stage.
fn hop_growth(growth: &Growth, load: f64) -> Option<(usize, usize, f64)> {
    let (first, last) = (growth.sizes.first()?, growth.sizes.last()?);
    Some((first.ports, last.ports, last.nanoseconds_per_hop(load) / first.nanoseconds_per_hop(load)))
}

fn speed(record: &Record) -> String {
    let row = |entry: &Entry| {
        let Entry { benchmark, speed, instructions_per_slot } = entry;
        let instructions =
            |per: usize| instructions_per_slot.map_or("-".to_string(), |count| whole(count / per as f64));
        let [low, high] = speed.times_floor_quartiles;
        vec![
            benchmark.switch.clone(),
            benchmark.config.ports.to_string(),
            benchmark.config.load.to_string(),
            whole(speed.nanoseconds_per_slot),
            whole(speed.slots_per_second),
            format!("{:.2}", speed.times_floor),
            format!("{low:.2} - {high:.2}"),
            instructions(1),
            instructions(benchmark.config.ports),
        ]
    };
    let head = ["switch", "N", "load", "ns/slot", "slots/s", "x floor", "quartiles", "instructions/slot", "per input"];
    table(&head, &record.benchmarks.iter().map(row).collect::<Vec<_>>())
}

/// The cost of each part, less that of the part before it, which it includes.
fn parts(record: &Record) -> String {
    let name = |part: Part| match part {
        Part::Arrivals => "arrivals",
        Part::Switch => "switch",
        Part::Whole => "meters",
    };
    let ports = record.benchmarks.first().map_or(1, |entry| entry.benchmark.config.ports) as f64;
    let (mut time, mut count) = (0.0, Some(0.0));
    let row = |cost: &PartCost| {
        let before = (time, count);
        (time, count) = (cost.nanoseconds_per_slot, cost.instructions_per_slot);
        let count = count.zip(before.1).map(|(count, before): (f64, f64)| count - before);
        let shown = |per: f64| count.map_or("-".to_string(), |count| whole(count / per));
        vec![name(cost.part).to_string(), whole((time - before.0).max(0.0)), shown(1.0), shown(ports)]
    };
    let rows: Vec<_> = record.parts.iter().map(row).collect();
    table(&["part", "ns/slot", "instructions/slot", "per input"], &rows)
}

fn public(record: &Record) -> String {
    let row = |entry: &Entry| {
        let public = entry.benchmark.public.as_ref()?;
        Some(vec![
            public.simulator.clone(),
            whole(public.slots_per_second),
            entry.benchmark.switch.clone(),
            entry.benchmark.config.load.to_string(),
            whole(entry.speed.slots_per_second),
            format!("{:.1}", entry.speed.slots_per_second / public.slots_per_second),
        ])
    };
    let head = ["public simulator of", "slots/CPU-s", "ours", "load", "slots/s", "times"];
    table(&head, &record.benchmarks.iter().filter_map(row).collect::<Vec<_>>())
}

fn time(record: &Record) -> String {
    let row = |growth: &Growth| {
        let times = growth.sizes.iter().map(|size| whole(size.alone.nanoseconds_per_slot));
        let exponent = format!("{:.2}", exponent(growth, record.fit_from));
        std::iter::once(growth.switch.switch.clone()).chain(times).chain([exponent]).collect()
    };
    by_size(&record.scaling, "ns/slot", Some("exponent"), row)
}

fn hops(record: &Record) -> String {
    let row = |growth: &Growth| {
        let times = growth.sizes.iter().map(|size| format!("{:.1}", size.nanoseconds_per_hop(record.hops_load)));
        let grown = hop_growth(growth, record.hops_load).map_or("-".to_string(), |(_, _, times)| format!("{times:.2}"));
        std::iter::once(growth.switch.switch.clone()).chain(times).chain([grown]).collect()
    };
    by_size(&record.hops, "ns per cell and stage", Some("growth"), row)
}

fn memory(record: &Record) -> String {
    let row = |growth: &Growth| {
        let bytes = growth.sizes.iter().map(|size| size.alone.bytes.map_or("-".to_string(), megabytes));
        std::iter::once(growth.switch.switch.clone()).chain(bytes).collect()
    };
    by_size(&record.scaling, "memory", None, row)
}

fn by_size(growths: &[Growth], what: &str, last: Option<&str>, row: impl Fn(&Growth) -> Vec<String>) -> String {
    let sizes = growths.first().map(|growth| growth.sizes.iter().map(|size| format!("N = {}", size.ports)));
    let head: Vec<String> =
        [what.to_string()].into_iter().chain(sizes.into_iter().flatten()).chain(last.map(str::to_string)).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, &growths.iter().map(row).collect::<Vec<_>>())
}

/// The exponent of the time per slot in the number of ports: least squares in logarithms.
fn exponent(growth: &Growth, fit_from: usize) -> f64 {
    let fitted = growth.sizes.iter().filter(|size| size.ports >= fit_from);
    let points: Vec<(f64, f64)> =
        fitted.map(|size| (libm::log(size.ports as f64), libm::log(size.alone.nanoseconds_per_slot))).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let products = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    products / points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum::<f64>()
}

fn whole(number: f64) -> String {
    HumanCount(number.round() as u64).to_string()
}

fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 10.0 { format!("{megabytes:.1} MB") } else { format!("{megabytes:.0} MB") }
}

/// A table in Markdown. A column with a word in any row is one of words.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let is_word = |cell: &str| cell.starts_with(|first: char| first.is_ascii_alphabetic() || first == '*');
    let column = |(index, name): (usize, &&str)| {
        if rows.iter().any(|row| is_word(&row[index])) { Column::left(*name) } else { Column::right(*name) }
    };
    let mut table = TextTable::new(head.iter().enumerate().map(column));
    for row in rows {
        table.push(row);
    }
    table.markdown()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{Alone, Scaled, Size};

    fn growth(times: &[(usize, f64)]) -> Growth {
        let size = |&(ports, nanoseconds_per_slot): &(usize, f64)| {
            let alone = Alone { nanoseconds_per_slot, bytes: Some(70_000_000) };
            Size { ports, slots: 100, stages: 6, alone }
        };
        let switch = Scaled {
            switch: "serena".to_string(),
            most_exponent: Some(1.2),
            most_bytes: Some((256, 64_000_000)),
            most_growth: Some(1.5),
        };
        Growth { switch, sizes: times.iter().map(size).collect() }
    }

    #[test]
    fn exponents_are_fitted_from_where_it_is_said() {
        let quadratic = growth(&[(16, 9999.0), (64, 1.0), (256, 16.0), (1024, 256.0)]);
        assert!((exponent(&quadratic, 64) - 2.0).abs() < 1e-12);
        assert!(exponent(&quadratic, 16) < 1.0);
    }

    #[test]
    fn hops_are_cells_times_stages() {
        // Per cell and stage: 1920 / (.5 * 64 * 6) = 10 and 9216 / (.5 * 256 * 6) = 12 ns.
        let growth = growth(&[(64, 1920.0), (256, 9216.0)]);
        assert_eq!(growth.sizes[0].nanoseconds_per_hop(0.5), 10.0);
        let held = held_by_hops(&growth, 0.5).unwrap();
        assert_eq!(held.measured, Some(("1.20".to_string(), true)));
        assert!(held.limit.ends_with("at most 1.5 times, N = 64 to 256"), "{}", held.limit);
    }

    #[test]
    fn limits_are_kept_or_not() {
        let held = held_by_growth(&growth(&[(64, 1.0), (256, 4.0)]), 64);
        let kept: Vec<(&str, bool)> = held
            .iter()
            .map(|held| held.measured.as_ref().map(|(shown, kept)| (shown.as_str(), *kept)).unwrap())
            .collect();
        assert_eq!(kept, [("1.00", true), ("70 MB", false)]);
    }
}
