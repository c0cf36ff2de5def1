//! The general Benes fabric against its naive twin, cell by cell: random settings, random traffic.

use crate::common::{SEED, rows, source, switch};
use crate::naive_hierarchy::{Hierarchy, NaiveHierarchy};
use crate::naive_settings::{Distribution, NaiveFabric, Rule, Settings};
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::{Cell, Labels, registry};

/// The settings without anything new.
fn plain(radices: &[usize]) -> Settings {
    Settings {
        radices: radices.to_vec(),
        distribution: Distribution::Rr,
        merge: Rule::RoundRobin,
        links: Rule::RoundRobin,
        input_buffers: (1, 1),
        output_buffers: (1, 1),
        distribute_first: false,
        stop_and_go: false,
        link_delay: 0,
        credit_delay: 0,
        loss: 0.0,
        patience: 1024,
        one_center: false,
        final_out: false,
        priorities: 1,
        precedence: Rule::Fixed,
        random_pointers: false,
    }
}

const TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("hotspot(count=1)", "bursty(mean=4)", 0.6),
    ("permutation", "bernoulli", 1.0),
    ("uniform", "bursty(mean=12)", 1.0),
];

/// Runs both on the same cells, slot by slot. A fabric that stops as deadlocked is compared up to
/// then. Returns how many cells have left.
fn same(settings: &Settings, traffic: usize, slots: u32) -> u64 {
    let (spec, ports) = (settings.spec(), settings.ports());
    let (name, process, load) = TRAFFIC[traffic % TRAFFIC.len()];
    let classes = registry::traffic("uniform(classes=3)").unwrap().labels(None).replication(SEED);
    let labels = if settings.priorities > 1 { classes } else { Labels::NONE };
    let mut real = switch(&spec, ports, SEED);
    real.use_labels(&labels).unwrap();
    let mut naive = NaiveFabric::new(settings, &labels, SEED);
    let mut arrivals = source(name, process, ports, load, SEED);
    for (now, row) in rows(&mut *arrivals, ports, slots) {
        let mut got = vec![Cell::IDLE; ports];
        real.slot(now, &row, &mut got);
        if real.failure().is_some() {
            break;
        }
        let expected = naive.slot(now, &row);
        assert_eq!(got, expected, "{spec} of {ports} ports, {name}, {process}, slot {now}");
        let census = real.census();
        assert_eq!(census.arrived, census.departed + census.dropped + census.queued, "{spec}, slot {now}");
        assert_eq!((census.dropped, census.queued), (naive.dropped, naive.queued()), "{spec}, slot {now}");
        if now % 32 == 31 {
            naive.check();
            assert_eq!(real.audit(), Ok(()), "{spec} of {ports} ports, slot {now}");
        }
    }
    real.census().departed
}

/// Each new setting alone, and with two levels of unequal radices.
#[test]
fn each_setting_alone() {
    let weighted = || Rule::Weighted(vec![3, 1]);
    let mut departed = 0;
    for radices in [&[2, 2][..], &[2, 3], &[3], &[2, 2, 2]] {
        let base = plain(radices);
        let all = [
            base.clone(),
            Settings { links: weighted(), ..base.clone() },
            Settings { links: Rule::Random, ..base.clone() },
            Settings { links: Rule::Oldest, ..base.clone() },
            Settings { links: Rule::Fixed, ..base.clone() },
            Settings { links: Rule::Redrawn(20), ..base.clone() },
            Settings { merge: weighted(), ..base.clone() },
            Settings { merge: Rule::Random, ..base.clone() },
            Settings { random_pointers: true, ..base.clone() },
            Settings { distribution: Distribution::Random, ..base.clone() },
            Settings { distribution: Distribution::Adaptive, ..base.clone() },
            Settings { output_buffers: (2, 3), ..base.clone() },
            Settings { output_buffers: (0, 1), ..base.clone() },
            Settings { output_buffers: (1, 0), ..base.clone() },
            Settings { output_buffers: (0, 0), input_buffers: (1, 2), ..base.clone() },
            Settings { output_buffers: (0, 0), distribution: Distribution::Ic, input_buffers: (1, 2), ..base.clone() },
            Settings { distribute_first: true, input_buffers: (1, 3), ..base.clone() },
            Settings { link_delay: 2, input_buffers: (2, 2), ..base.clone() },
            Settings { link_delay: 1, credit_delay: 2, input_buffers: (3, 3), ..base.clone() },
            Settings { stop_and_go: true, ..base.clone() },
            Settings { stop_and_go: true, link_delay: 1, credit_delay: 2, input_buffers: (4, 5), ..base.clone() },
            Settings { loss: 0.05, patience: 30, ..base.clone() },
            Settings { loss: 0.05, patience: 30, final_out: true, ..base.clone() },
            Settings { loss: 0.05, patience: 10, output_buffers: (0, 0), input_buffers: (2, 2), ..base.clone() },
            Settings { priorities: 2, ..base.clone() },
            Settings { priorities: 3, precedence: weighted(), ..base.clone() },
            Settings { priorities: 3, precedence: weighted(), final_out: true, ..base.clone() },
        ];
        for (index, settings) in all.iter().enumerate() {
            departed += same(settings, index, 120);
        }
        if radices.len() > 1 {
            departed += same(&Settings { one_center: true, ..base.clone() }, 0, 120);
            departed += same(&Settings { one_center: true, final_out: true, ..base.clone() }, 1, 120);
        }
    }
    assert!(departed > 20_000, "{departed}");
}

/// Random settings; what settings.md excludes is left out.
fn random(rng: &mut Rng) -> Settings {
    let radices: &[&[usize]] = &[&[2, 2], &[2, 3], &[3, 2], &[2, 2, 2], &[3, 3], &[4], &[5], &[2, 4], &[3, 2, 2]];
    let mut settings = plain(radices[rng.below(radices.len())]);
    let rule = |rng: &mut Rng| match rng.below(4) {
        0 => Rule::RoundRobin,
        1 => Rule::Weighted(vec![2, 1, 3]),
        2 => Rule::Random,
        _ => Rule::Fixed,
    };
    settings.merge = rule(rng);
    settings.links = match rng.below(3) {
        0 => rule(rng),
        1 => Rule::Oldest,
        _ => Rule::Redrawn(1 + rng.below(40) as u32),
    };
    let distributions = [Distribution::Rr, Distribution::Ic, Distribution::Random, Distribution::Adaptive];
    settings.distribution = distributions[rng.below(4)];
    settings.final_out = rng.below(3) == 0;
    settings.random_pointers = rng.below(2) == 0;
    settings.link_delay = rng.below(3) as u32;
    settings.credit_delay = rng.below(3) as u32;
    settings.stop_and_go = rng.below(4) == 0;
    let least = if settings.stop_and_go { 1 + (settings.link_delay + settings.credit_delay) as usize } else { 1 };
    settings.input_buffers = (least + rng.below(3), least + rng.below(4));
    settings.output_buffers = (rng.below(4), rng.below(4));
    settings.distribute_first = rng.below(5) == 0;
    if settings.distribute_first {
        settings.output_buffers = (settings.output_buffers.0.max(1), settings.output_buffers.1.max(1));
    } else if rng.below(4) == 0 {
        (settings.loss, settings.patience) = ([0.01, 0.2][rng.below(2)], 1 + rng.below(60) as u32);
    }
    settings.one_center = settings.radices.len() > 1 && !settings.distribute_first && rng.below(4) == 0;
    if settings.one_center {
        settings.output_buffers.1 = settings.output_buffers.1.max(1);
    }
    // The age of a lane is not defined where a random merge has yet to draw.
    let is_bufferless = settings.output_buffers.0 == 0 || settings.output_buffers.1 == 0;
    if settings.links == Rule::Oldest && settings.merge == Rule::Random && is_bufferless {
        settings.merge = Rule::Fixed;
    }
    settings.priorities = 1 + rng.below(3);
    if settings.priorities > 1 && rng.below(2) == 0 {
        settings.precedence = Rule::Weighted(vec![3, 2]);
    }
    settings
}

fn random_settings(stream: usize, count: usize, slots: u32) {
    let mut rng = SEED.stream(Purpose::Pattern, stream);
    let departed: u64 = (0..count).map(|index| same(&random(&mut rng), index, slots)).sum();
    assert!(departed > (count as u64) * u64::from(slots) / 4, "{departed}");
}

/// Hierarchical merging, with both methods, both rules and both kinds of feedback.
#[test]
fn hierarchical_merging() {
    let mut rng = SEED.stream(Purpose::Pattern, 22);
    let mut departed = 0;
    for index in 0..60 {
        let radices: &[&[usize]] = &[&[2, 2], &[2, 3], &[3, 2], &[2, 2, 2], &[4], &[3, 3], &[2, 4]];
        let settings = Hierarchy {
            radices: radices[index % radices.len()].to_vec(),
            counts: rng.below(2) == 0,
            fixed_merge: rng.below(2) == 0,
            fixed_links: rng.below(2) == 0,
            distribution_buffer: 1 + rng.below(3),
            routing_buffer: [None, Some(1 + rng.below(8))][rng.below(2)],
            output_buffers: (1 + rng.below(2), 1 + rng.below(2)),
            credit_delay: rng.below(3) as u32,
            immediate: rng.below(2) == 0,
        };
        let (spec, ports) = (settings.spec(), settings.ports());
        let (name, process, load) = TRAFFIC[index % TRAFFIC.len()];
        let (mut real, mut naive) = (switch(&spec, ports, SEED), NaiveHierarchy::new(&settings));
        let mut arrivals = source(name, process, ports, load, SEED);
        for (now, row) in rows(&mut *arrivals, ports, 150) {
            let mut got = vec![Cell::IDLE; ports];
            real.slot(now, &row, &mut got);
            if real.failure().is_some() {
                break;
            }
            assert_eq!(got, naive.slot(now, &row), "{spec} of {ports} ports, {name}, {process}, slot {now}");
            assert_eq!(real.census().queued, naive.queued(), "{spec}, slot {now}");
            assert!(now % 32 != 31 || real.audit() == Ok(()), "{spec} of {ports} ports, slot {now}");
        }
        departed += real.census().departed;
    }
    assert!(departed > 60 * 150, "{departed}");
}

#[test]
fn random_settings_agree() {
    random_settings(20, 120, 100);
}

#[test]
#[ignore = "minutes; the short form runs above"]
fn long_runs_of_random_settings_agree() {
    random_settings(21, 3000, 400);
}
