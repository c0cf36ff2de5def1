//! papers/004/deadlock.md: its tables are read and computed anew, row by row.

use crate::drawing::draw;
use switchlab_conformance::{SEED, source};
use switchlab_core::registry;
use switchlab_core::rng::Purpose;
use switchlab_core::switch::Failure;
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Cell, NONE, Seed};
use switchlab_theory::deadlock::replay::replay;
use switchlab_theory::deadlock::search::{Outcome, search};
use switchlab_theory::deadlock::stress::{stops, stress};
use switchlab_theory::deadlock::walk::walk;
use switchlab_theory::deadlock::{Distribution, Merge, Model};
use switchlab_theory::watch::unwatched;

const PAGE: &str = include_str!("../../../../papers/004/deadlock.md");

/// The rows of the table whose header begins so, as cells.
fn table(header: &str) -> Vec<Vec<&'static str>> {
    let mut lines = PAGE.lines().skip_while(|line| !line.starts_with(header));
    assert!(lines.next().is_some(), "deadlock.md has no table that begins with {header}");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// A number with commas between thousands, whatever follows it.
fn number(text: &str) -> u64 {
    let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|c| *c != ',').collect();
    digits.parse().unwrap_or_else(|_| panic!("{text:?} does not begin with a number"))
}

fn model(ports: usize, radix: usize, distribution: &str, merge: &str, sizes: (usize, usize)) -> Model {
    let distribution = if distribution == "rr" { Distribution::RoundRobin } else { Distribution::ImbalanceCount };
    let merge = match merge {
        "any" => Merge::Any,
        "fixed" => Merge::Fixed,
        "round robin" => Merge::RoundRobin,
        other => panic!("no merge is called {other:?}"),
    };
    // Output buffers hold one cell, so input buffers are one cell smaller than bD and bR.
    Model::new(ports, radix, distribution, merge, sizes.0 - 1, sizes.1 - 1).unwrap()
}

fn sizes(text: &str) -> (usize, usize) {
    let (first, second) = text.split_once(", ").unwrap();
    (first.parse().unwrap(), second.parse().unwrap())
}

/// Searches the models of two levels, and compares states, steps and answer.
fn two_levels(states: std::ops::Range<u64>) -> usize {
    let rows = table("| distribution | merge | bD, bR | states");
    let rows = rows.iter().filter(|row| states.contains(&number(row[3])));
    let searched = rows.map(|row| {
        let model = model(4, 2, row[0], row[1], sizes(row[2]));
        let found = search(&model, 5_000_000, &mut unwatched);
        let answer = match found.outcome {
            Outcome::Free => "free",
            Outcome::Deadlock(_) => "deadlock",
            Outcome::Undecided => "undecided",
        };
        assert_eq!((found.states as u64, found.depth as u64), (number(row[3]), number(row[4])), "{row:?}");
        assert!(row[5].starts_with(answer), "{row:?}: {answer}");
    });
    searched.count()
}

#[test]
fn states_of_two_levels() {
    assert_eq!(two_levels(0..600_000), 13);
}

#[test]
#[ignore = "half a gigabyte; the test above has the smaller models"]
fn larger_models_of_the_page() {
    assert_eq!(two_levels(600_000..5_000_000), 3);
    let undecided = search(&model(4, 2, "ic", "any", (3, 3)), 3_000_000, &mut unwatched);
    assert_eq!(undecided.outcome, Outcome::Undecided);
    let three = search(&model(8, 2, "rr", "any", (2, 2)), 2_000_000, &mut unwatched);
    assert_eq!((three.outcome, three.depth), (Outcome::Undecided, 15));
}

#[test]
fn random_steps_of_three_levels() {
    for row in table("| merge | distribution | steps") {
        let bigger = usize::from(row[1] == "ic");
        let model = model(8, 2, row[1], row[0], (2, 2 + bigger));
        let (steps, way) = walk(&model, &mut SEED.stream(Purpose::Scheduler, 1), 1_000_000, &mut unwatched);
        assert_eq!(steps, number(row[2]), "{row:?}");
        assert!(replay(&model, &way.unwrap()).unwrap().len() > 2, "{row:?}");
    }
}

/// Elements of 4 x 4 on two levels.
#[test]
fn sixteen_ports_with_elements_of_four() {
    let small = model(16, 4, "rr", "any", (3, 2));
    let (steps, way) = walk(&small, &mut SEED.stream(Purpose::Scheduler, 1), 10_000, &mut unwatched);
    assert_eq!(steps, 799);
    assert_eq!(replay(&small, &way.unwrap()).unwrap().len(), 8);
    let enough = model(16, 4, "rr", "any", (2, 2));
    let (_, way) = walk(&enough, &mut SEED.stream(Purpose::Scheduler, 1), 300_000, &mut unwatched);
    assert!(way.is_none());
    let found = search(&enough, 100_000, &mut unwatched);
    assert_eq!(found.outcome, Outcome::Undecided);
}

#[test]
#[ignore = "seven gigabytes and two minutes"]
fn sixteen_ports_in_seven_gigabytes() {
    let model = model(16, 4, "rr", "any", (2, 2));
    let found = search(&model, 75_000_000, &mut unwatched);
    assert_eq!((found.outcome, found.depth), (Outcome::Undecided, 27));
    let (steps, way) = walk(&model, &mut SEED.stream(Purpose::Scheduler, 1), 10_000_000, &mut unwatched);
    assert_eq!((steps, way), (10_000_000, None));
}

/// A line of a trace: its numbers.
fn numbers(line: &str) -> Vec<u32> {
    line.split(',').map(|field| field.parse().unwrap()).collect()
}

/// The cells of a trace, or of bursts: lines of the slot of the first cell, the input, the output
/// and, for bursts, the number of cells, one in each slot.
fn arrivals(text: &str) -> Vec<Arrival> {
    let mut cells = Vec::new();
    for line in text.lines().skip(1).map(numbers) {
        let slots = line[0]..line[0] + line.get(3).unwrap_or(&1);
        cells.extend(slots.map(|slot| Arrival { slot, input: line[1] as u16, output: line[2] as u16 }));
    }
    cells.sort_by_key(|cell| (cell.slot, cell.input));
    cells
}

/// Compares a file of papers/004 with what is computed, or writes it if asked to.
fn is_shipped(name: &str, text: &str) {
    let file = format!("{FOLDER}{name}");
    if std::env::var("SWITCHLAB_GOLDEN").as_deref() == Ok("write") {
        std::fs::write(&file, text).unwrap();
    }
    let shipped = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(shipped == text, "{name} is another one; SWITCHLAB_GOLDEN=write writes it");
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/004/");

/// The traces that the page tells of stop the fabric as it says, in the circles that are drawn.
#[test]
fn traces_that_stop_the_fabric() {
    let rows = table("| trace | switch");
    assert_eq!(rows.len(), 5);
    for row in rows {
        let name = row[0].trim_start_matches('[').split(']').next().unwrap();
        let trace = arrivals(&std::fs::read_to_string(format!("{FOLDER}{name}")).unwrap());
        let chosen = registry::switch(row[1].trim_matches('`')).unwrap();
        let (ports, seed) = (number(row[2]) as usize, Seed { seed: number(row[3]), ..SEED });
        let stopped = stops(&|| chosen.build(ports, seed), &trace).unwrap();
        let Some(Failure::Deadlock { waits, .. }) = stopped else { panic!("{name} does not stop the fabric") };
        let last = trace.last().map(|arrival| u64::from(arrival.slot));
        assert_eq!((trace.len() as u64, last), (number(row[4]), Some(number(row[5]))), "{name}");
        assert_eq!(waits.len() as u64, number(row[6]), "{name}");
        assert!(waits.iter().all(|wait| wait.output == waits[0].output), "{name}: one destination");
        let radix = if row[1].contains("radix=4") { 4 } else { 2 };
        is_shipped(&name.replace(".csv", ".svg"), &draw(ports, radix, &waits));
    }
}

/// The bursts of 64 ports are the paper's own traffic, slot by slot, and are written from it.
#[test]
fn bursts_of_64_ports_are_the_paper_s_own_traffic() {
    let seed = Seed { seed: 19, ..SEED };
    let mut source = source("uniform", "bursty(mean=12)", 64, 0.8, seed);
    let mut bursts: Vec<[u32; 4]> = Vec::new();
    let mut last = [None; 64];
    for slot in 0..1931 {
        let mut row = vec![NONE; 64];
        source.slot(slot, &mut row);
        for (input, &output) in row.iter().enumerate() {
            let goes_on = last[input].filter(|&burst: &usize| bursts[burst][2] == u32::from(output));
            last[input] = match goes_on {
                _ if output == NONE => None,
                Some(burst) => {
                    bursts[burst][3] += 1;
                    Some(burst)
                }
                None => {
                    bursts.push([slot, input as u32, output.into(), 1]);
                    Some(bursts.len() - 1)
                }
            };
        }
    }
    let lines = bursts.iter().map(|[slot, input, output, cells]| format!("{slot},{input},{output},{cells}\n"));
    let text = format!("first_slot,input,output,cells\n{}", lines.collect::<String>());
    is_shipped("deadlock-64-bursts.csv", &text);
}

/// The drawings of the model: the smallest deadlock of two levels, and one of three levels with
/// round-robin merging.
#[test]
fn drawings_of_the_model() {
    let two = model(4, 2, "ic", "any", (2, 2));
    let Outcome::Deadlock(steps) = search(&two, 600_000, &mut unwatched).outcome else { panic!("no deadlock") };
    is_shipped("deadlock-4-ic-model.svg", &draw(4, 2, &replay(&two, &steps).unwrap()));
    let three = model(8, 2, "rr", "round robin", (2, 2));
    let (_, way) = walk(&three, &mut SEED.stream(Purpose::Scheduler, 1), 100_000, &mut unwatched);
    is_shipped("deadlock-8-round-robin-model.svg", &draw(8, 2, &replay(&three, &way.unwrap()).unwrap()));
}

/// With imbalance counts and three levels hostile arrivals stop the fabric at the theorem's sizes.
#[test]
fn imbalance_counts_of_three_levels() {
    let chosen = registry::switch("benes(radix=2,distribution=ic,routing-buffer=2,merge=fixed,pointers=zero)").unwrap();
    let build = || chosen.build(8, SEED);
    let (_, found) = stress(&build, &mut SEED.stream(Purpose::Pattern, 1), 22_000, &mut unwatched).unwrap();
    assert!(found.is_some());
}

/// The slot in which a run is found to be in a deadlock, if it is within these slots.
fn deadlocked(spec: &str, ports: usize, traffic: &str, seed: u64, slots: u32) -> Option<u32> {
    let seed = Seed { seed, ..SEED };
    let mut switch = registry::switch(spec).unwrap().build(ports, seed).unwrap();
    let mut source = source(traffic, "bursty(mean=12)", ports, 0.8, seed);
    let (mut arrivals, mut departures) = (vec![NONE; ports], vec![Cell::IDLE; ports]);
    for now in 0..slots {
        arrivals.fill(NONE);
        departures.fill(Cell::IDLE);
        source.slot(now, &mut arrivals);
        switch.slot(now, &arrivals, &mut departures);
        if let Some(Failure::Deadlock { slot, .. }) = switch.failure() {
            return Some(*slot);
        }
    }
    None
}

/// The seeds of a range that lead into a deadlock, with the slots in which that is found.
fn seeds(spec: &str, ports: usize, traffic: &str, last: u64) -> Vec<(u64, u32)> {
    (1..=last).filter_map(|seed| Some((seed, deadlocked(spec, ports, traffic, seed, 30_000)?))).collect()
}

#[test]
#[ignore = "minutes: 72 runs of 64 ports"]
fn runs_of_the_paper_s_fabric_at_length() {
    for row in table("| merge, seeds 1 to 24") {
        let found = seeds(&format!("benes(radix=4,merge={})", row[0].replace(' ', "-")), 64, "uniform", 24);
        assert_eq!(found.len() as u64, number(row[1]), "{row:?}");
        if let Some((seed, slot)) = found.iter().min_by_key(|(_, slot)| *slot) {
            assert_eq!(row[2].replace(',', ""), format!("{slot} (seed {seed})"), "{row:?}");
        }
    }
}

/// Four hot outputs, imbalance counts.
#[test]
#[ignore = "seconds: 30,000 slots of 64 ports"]
fn hot_outputs_at_length() {
    for (merge, slot) in [("random", 17_408), ("fixed", 12_288)] {
        let spec = format!("benes(radix=4,distribution=ic,merge={merge})");
        assert_eq!(deadlocked(&spec, 64, "hotspot(count=4)", 1, 20_000), Some(slot), "{merge}");
    }
}

#[test]
#[ignore = "a minute: 16 runs of 16 ports"]
fn unfair_links_at_length() {
    for row in table("| links, 16 ports") {
        let spec = format!("benes(radix=2,links={})", row[0]);
        let found = seeds(&spec, 16, "hotspot(count=2,rate=2)", number(row[1].trim_start_matches("1 to ")));
        let said: Vec<String> = found.iter().map(|(seed, slot)| format!("seed {seed} in slot {slot}")).collect();
        let said = if said.is_empty() { "none".into() } else { format!("{}: {}", said.len(), said.join(", ")) };
        assert_eq!(row[2].replace("slot 11,264", "slot 11264").replace("slot 9,216", "slot 9216"), said, "{row:?}");
    }
}

/// Round-robin merging and links of the fabric itself: hostile arrivals find nothing.
#[test]
#[ignore = "minutes: 41,000,000 slots"]
fn round_robin_merging_at_length() {
    for (spec, ports, slots) in [
        ("benes(radix=2,pointers=zero)", 8, 20_000_000),
        ("benes(radix=2,distribution=ic,pointers=zero)", 8, 20_000_000),
        ("benes(radix=2,distribution=ic,routing-buffer=1,pointers=zero)", 4, 1_000_000),
    ] {
        let chosen = registry::switch(spec).unwrap();
        let seed = Seed { seed: 3, ..SEED };
        let build = || chosen.build(ports, seed);
        let (_, found) = stress(&build, &mut seed.stream(Purpose::Pattern, 1), slots, &mut unwatched).unwrap();
        assert!(found.is_none(), "{spec}");
    }
}
