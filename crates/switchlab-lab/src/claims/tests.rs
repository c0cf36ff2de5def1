use super::*;
use crate::experiment::{Expected, PointSpec, Select};
use crate::run::{Cells, Measured};
use crate::statistics::Verdict;
use crate::statistics::testing::Noise;
use proptest::prelude::*;
use switchlab_core::Counter;
use switchlab_core::meter::{Histogram, Timeline};

/// A point whose `counters.x` has these values, one per replication; also its fingerprint, so that
/// equal values are equal departures.
fn point(switch: &str, ports: usize, load: f64, values: &[f64]) -> ResultPoint {
    let spec = PointSpec {
        switch: switch.to_string(),
        ports,
        traffic: "uniform".to_string(),
        arrivals: "bernoulli".to_string(),
        load,
        vary: [].into(),
        slots: 1,
        warmup: 0,
        seed: 1,
        drains: false,
    };
    let run = |&value: &f64| Measured {
        ports,
        slots: 1,
        warmup: 0,
        delays: Histogram::new().trimmed(),
        timeline: Timeline::new(),
        cells: Cells::default(),
        backlog_end: 0,
        jain: None,
        by_input: vec![],
        by_output: vec![],
        counters: vec![Counter { name: "x", sum: (value * 1e9).round() as u64, per: 1_000_000_000 }],
        ended_early: None,
        fingerprint: Some(value.to_bits()),
        oq_lag: None,
        occupancy: None,
        port_delays: None,
        class_delays: None,
        within: None,
        kinds: None,
    };
    let mut point = ResultPoint::new(spec, &values.iter().map(run).collect::<Vec<_>>());
    point.outcome.stability.verdict = Verdict::Stable;
    point
}

fn with_verdict(mut point: ResultPoint, verdict: Verdict) -> ResultPoint {
    point.outcome.stability.verdict = verdict;
    point
}

fn select(pairs: &[(&str, &str)]) -> Select {
    Select(pairs.iter().map(|(axis, value)| (axis.to_string(), vec![value.to_string()])).collect())
}

fn claim(predicate: Predicate, pairs: &[(&str, &str)]) -> Claim {
    Claim {
        id: "c".to_string(),
        text: String::new(),
        source: String::new(),
        printed: None,
        metric: "counters.x".to_string(),
        select: select(pairs),
        predicate,
        why: None,
        expected: Expected::Holds,
    }
}

fn ruling(predicate: Predicate, results: &[ResultPoint]) -> Ruling {
    evaluate(&claim(predicate, &[]), results).ruling
}

use Ruling::{DoesNotHold, Holds, Undecided};

#[test]
fn bounds() {
    // Mean 10, half width 0.30.
    let results = [point("oq", 4, 0.5, &[9.5, 10.0, 10.5, 9.8, 10.2, 9.3, 10.7, 10.0, 9.9, 10.1])];
    let within = |value, tolerance| ruling(Predicate::Within { value, tolerance }, &results);
    assert_eq!([within(10.2, 1.0), within(12.0, 1.0), within(10.2, 0.2)], [Holds, DoesNotHold, Undecided]);
    let least = |bound| ruling(Predicate::AtLeast(bound), &results);
    assert_eq!([least(9.0), least(11.0), least(10.1)], [Holds, DoesNotHold, Undecided]);
    let most = |bound| ruling(Predicate::AtMost(bound), &results);
    assert_eq!([most(11.0), most(9.0), most(10.1)], [Holds, DoesNotHold, Undecided]);
}

#[test]
fn every_point_counts_and_bonferroni_widens() {
    // Half width 0.30 at 95 %, and more for several.
    let values = [9.5, 10.0, 10.5, 9.8, 10.2, 9.3, 10.7, 10.0, 9.9, 10.1];
    let one = [point("oq", 4, 0.5, &values)];
    assert_eq!(ruling(Predicate::AtLeast(9.65), &one), Holds);
    let many: Vec<_> = (1..=20).map(|ports| point("oq", ports, 0.5, &values)).collect();
    assert_eq!(ruling(Predicate::AtLeast(9.65), &many), Undecided);
    assert_eq!(ruling(Predicate::AtLeast(9.3), &many), Holds);
    let mut one_bad = many;
    one_bad.push(point("oq", 64, 0.5, &[1.0, 1.1, 0.9]));
    let evaluation = evaluate(&claim(Predicate::AtLeast(9.3), &[]), &one_bad);
    assert_eq!((evaluation.ruling, evaluation.evidence.len(), evaluation.points.len()), (DoesNotHold, 21, 21));
    assert!(evaluation.evidence[20].ends_with("does not hold"), "{:?}", evaluation.evidence[20]);
}

#[test]
fn what_has_no_interval_decides_nothing() {
    let one = [point("oq", 4, 0.5, &[10.0])];
    assert_eq!(ruling(Predicate::AtLeast(1.0), &one), Undecided);
    assert_eq!(ruling(Predicate::AtLeast(100.0), &one), Undecided);
    let mut missing = claim(Predicate::AtLeast(1.0), &[]);
    missing.metric = "counters.nothing".to_string();
    assert_eq!(evaluate(&missing, &one).ruling, Undecided);
    let nowhere = evaluate(&claim(Predicate::AtLeast(1.0), &[("ports", "5")]), &one);
    assert_eq!((nowhere.ruling, nowhere.points.len()), (Undecided, 0));
    assert!(nowhere.measured.contains("selects no point"));
    assert_eq!(evaluate(&claim(Predicate::Stable(true), &[]), &[]).ruling, Undecided);
}

/// A common part with a deviation of 10, and differences of 1 known to 0.1: by themselves the two
/// are the same.
fn paired() -> (Vec<f64>, Vec<f64>) {
    let mut noise = Noise::new(5);
    let low: Vec<f64> = (0..10).map(|_| 100.0 + 10.0 * noise.normal()).collect();
    let high = low.iter().map(|value| value + 1.0 + 0.1 * noise.normal()).collect();
    (low, high)
}

#[test]
fn an_order_is_evaluated_by_pairs() {
    let (low, high) = paired();
    let results = [point("mwm", 4, 0.5, &low), point("pim", 4, 0.5, &high), point("tdm", 4, 0.5, &high)];
    let own = |bound| evaluate(&claim(Predicate::AtLeast(bound), &[("switch", "mwm")]), &results).ruling;
    assert_eq!(own(101.0), Undecided, "the intervals overlap");
    let rising = |order: &[&str]| {
        let order = order.iter().map(ToString::to_string).collect();
        ruling(Predicate::Rising { axis: "switch".to_string(), order, to: None }, &results)
    };
    assert_eq!(rising(&["mwm", "pim"]), Holds);
    assert_eq!(rising(&["pim", "mwm"]), DoesNotHold);
    assert_eq!(rising(&["mwm", "pim", "tdm"]), Holds, "equal in every replication is not falling");
    let shuffled: Vec<f64> = high.iter().rev().copied().collect();
    let results = [point("mwm", 4, 0.5, &low), point("pim", 4, 0.5, &shuffled)];
    let order = vec!["mwm".to_string(), "pim".to_string()];
    assert_eq!(ruling(Predicate::Rising { axis: "switch".to_string(), order, to: None }, &results), Undecided);
}

/// A ratio that falls although both of its parts rise.
#[test]
fn a_ratio_is_followed_along_an_axis() {
    let results = [
        point("mwm", 4, 0.5, &[10.0, 11.0, 9.0]),
        point("pim", 4, 0.5, &[30.0, 33.0, 27.5]),
        point("mwm", 4, 0.9, &[100.0, 110.0, 90.0]),
        point("pim", 4, 0.9, &[200.0, 221.0, 181.0]),
    ];
    let along = |falling: bool, to: Option<&str>| {
        let (axis, order) = ("load".to_string(), vec!["0.5".to_string(), "0.9".to_string()]);
        let to = to.map(|switch| Select([("switch".to_string(), vec![switch.to_string()])].into()));
        let predicate =
            if falling { Predicate::Falling { axis, order, to } } else { Predicate::Rising { axis, order, to } };
        evaluate(&claim(predicate, &[("switch", "pim")]), &results).ruling
    };
    assert_eq!((along(false, None), along(true, None)), (Holds, DoesNotHold));
    assert_eq!((along(false, Some("mwm")), along(true, Some("mwm"))), (DoesNotHold, Holds));
    assert_eq!(along(true, Some("oq")), Undecided, "there is nothing to divide by");
}

#[test]
fn falling_is_rising_the_other_way() {
    let (low, high) = paired();
    let results = [point("mwm", 4, 0.5, &low), point("pim", 4, 0.5, &high)];
    let falling = |order: [&str; 2]| {
        let order = order.map(ToString::to_string).to_vec();
        ruling(Predicate::Falling { axis: "switch".to_string(), order, to: None }, &results)
    };
    assert_eq!((falling(["pim", "mwm"]), falling(["mwm", "pim"])), (Holds, DoesNotHold));
}

/// 1.5 log2 N at 16, 64 and 256 ports, with a little noise.
#[test]
fn growth_as_a_logarithm_has_its_constant() {
    let of = |ports: usize| {
        let value = 1.5 * libm::log2(ports as f64);
        point("e-serenade", ports, 0.9, &[value - 0.01, value, value + 0.01])
    };
    let results = [of(16), of(64), of(256)];
    let per_log = |least, most| {
        ruling(Predicate::PerLog { axis: "ports".to_string(), less: 0.0, power: 1, least, most }, &results)
    };
    assert_eq!(per_log(1.4, 1.6), Holds);
    assert_eq!(per_log(f64::NEG_INFINITY, 1.45), DoesNotHold);
    assert_eq!(per_log(1.5, f64::INFINITY), Undecided, "the truth is on the bound");
    let alone = [point("oq", 1, 0.9, &[1.0, 1.0])];
    let any = Predicate::PerLog { axis: "ports".to_string(), less: 0.0, power: 1, least: 0.0, most: 9.0 };
    assert_eq!(ruling(any, &alone), Undecided);
}

/// 3 + 2 log2^2 N, counted.
#[test]
fn a_constant_and_a_power_of_the_logarithm() {
    let of = |ports: usize| {
        let logarithm = libm::log2(ports as f64);
        point("e-serenade", ports, 0.9, &[3.0 + 2.0 * logarithm * logarithm; 2])
    };
    let results = [of(4), of(16), of(256)];
    let per_log = |less, power, least, most| {
        ruling(Predicate::PerLog { axis: "ports".to_string(), less, power, least, most }, &results)
    };
    assert_eq!(per_log(3.0, 2, 2.0, 2.0), Holds);
    assert_eq!(per_log(0.0, 2, 2.0, 2.0), DoesNotHold);
    assert_eq!(per_log(3.0, 1, f64::NEG_INFINITY, 8.0), DoesNotHold);
}

/// Delays over those of another switch: 8, 4 and 4.1 times.
#[test]
fn a_ratio_falls_along_an_axis() {
    let base = [10.0, 11.0, 9.0, 10.5];
    let times = |factor: f64| base.map(|value| value * factor);
    let at = |load: f64, factor: f64| [point("b", 4, load, &base), point("a", 4, load, &times(factor))];
    let results: Vec<ResultPoint> = [at(0.1, 8.0), at(0.5, 4.0), at(0.9, 4.1)].into_iter().flatten().collect();
    let falling = |order: &[&str], other: &str| {
        let order = order.iter().map(ToString::to_string).collect();
        let other = select(&[("switch", other)]);
        let predicate = Predicate::Falling { axis: "load".to_string(), order, to: Some(other) };
        evaluate(&claim(predicate, &[("switch", "a")]), &results)
    };
    let evaluation = falling(&["0.1", "0.5"], "b");
    assert_eq!((evaluation.ruling, evaluation.points.len(), evaluation.evidence.len()), (Holds, 4, 1));
    assert_eq!(falling(&["0.1", "0.9"], "b").ruling, Holds);
    assert_eq!(falling(&["0.1", "0.5", "0.9"], "b").ruling, DoesNotHold);
    assert_eq!(falling(&["0.1", "0.5"], "c").ruling, Undecided, "nothing to compare with");
}

/// A figure of all replications: half a width of 0.05 over a mean of 1 is known to 5 %.
#[test]
fn the_precision_of_a_delay_is_one_figure_without_a_width() {
    let delays = |slots: &[u32]| {
        let mut result = point("oq", 4, 0.5, &vec![1.0; slots.len()]);
        for (run, &slots) in result.outcome.runs.iter_mut().zip(slots) {
            run.delays = Histogram::from_parts(&[(slots, 1)], u64::from(slots), slots).unwrap();
        }
        result
    };
    let results = [delays(&[98, 100, 102])];
    let precision = |result: &ResultPoint| result.metric(ResultPoint::PRECISION).unwrap();
    let expected = 4.302_652_7 * (4.0_f64 / 3.0).sqrt() / 100.0;
    assert!((precision(&results[0]).mean - expected).abs() < 1e-6, "{:?}", precision(&results[0]));
    let at_most = |most, results: &[ResultPoint]| {
        let mut claim = claim(Predicate::AtMost(most), &[]);
        claim.metric = ResultPoint::PRECISION.to_string();
        evaluate(&claim, results).ruling
    };
    assert_eq!((at_most(0.05, &results), at_most(0.04, &results)), (Holds, DoesNotHold));
    let [result] = results;
    assert_eq!(at_most(0.05, &[with_verdict(result, Verdict::Undecided)]), Undecided);
}

/// Stable at 0.7, unstable at 0.74, undecided between: the limit is in this bracket.
#[test]
fn the_highest_stable_load_is_bracketed_by_verdicts() {
    let at = |load, verdict| with_verdict(point("pim", 30, load, &[1.0, 1.0]), verdict);
    let results = [
        at(0.74, Verdict::Unstable),
        at(0.6, Verdict::Stable),
        at(0.7, Verdict::Stable),
        at(0.72, Verdict::Undecided),
        at(0.8, Verdict::Unstable),
    ];
    let up_to = |least, most| ruling(Predicate::StableUpTo { least, most }, &results);
    assert_eq!((up_to(0.7, 0.74), up_to(0.69, 0.75)), (Holds, Holds));
    assert_eq!((up_to(0.71, 0.73), up_to(0.72, f64::INFINITY)), (Undecided, Undecided));
    assert_eq!((up_to(0.74, f64::INFINITY), up_to(0.0, 0.69)), (DoesNotHold, DoesNotHold));
    let measured = evaluate(&claim(Predicate::StableUpTo { least: 0.7, most: 0.74 }, &[]), &results).measured;
    assert_eq!(measured, "0.7 to 0.74");
    // A stable verdict above an unstable one does not raise the limit; without an unstable one the
    // limit may be 1.
    let odd = [at(0.5, Verdict::Unstable), at(0.9, Verdict::Stable)];
    assert_eq!(evaluate(&claim(Predicate::StableUpTo { least: 0.6, most: 1.0 }, &[]), &odd).ruling, DoesNotHold);
    let all = [at(0.5, Verdict::Stable), at(0.99, Verdict::Stable)];
    assert_eq!(evaluate(&claim(Predicate::StableUpTo { least: 0.99, most: 1.0 }, &[]), &all).ruling, Holds);
}

#[test]
fn a_ratio_is_evaluated_by_pairs() {
    let (low, high) = paired();
    let results = [point("mwm", 4, 0.5, &low), point("pim", 4, 0.5, &high)];
    let ratio = |least, most| {
        let other = select(&[("switch", "mwm")]);
        evaluate(&claim(Predicate::Ratio { other, least, most }, &[("switch", "pim")]), &results)
    };
    assert_eq!(ratio(1.005, 1.02).ruling, Holds);
    assert_eq!(ratio(f64::NEG_INFINITY, 1.005).ruling, DoesNotHold);
    assert_eq!(ratio(1.02, f64::INFINITY).ruling, DoesNotHold);
    assert_eq!(ratio(1.0101, f64::INFINITY).ruling, Undecided);
    assert_eq!(ratio(1.005, 1.02).points, [0, 1]);
    // Without counterpart there is nothing to say; the denominator itself is not a numerator.
    let other = select(&[("switch", "mwm")]);
    let everywhere = Predicate::Ratio { other, least: 1.0, most: 2.0 };
    assert_eq!(evaluate(&claim(everywhere.clone(), &[]), &results).evidence.len(), 1);
    assert_eq!(evaluate(&claim(everywhere, &[]), &[point("pim", 4, 0.5, &high)]).ruling, Undecided);
}

/// Neither an unstable side nor an undecided one has a delay: no kind of claim about it is decided.
/// Its throughput and its counters are measurements.
#[test]
fn a_side_that_is_not_stable_decides_nothing() {
    let values = [9.5, 10.0, 10.5, 9.8, 10.2];
    let delays = |switch: &str, ports: usize, delay: u32| {
        let mut point = point(switch, ports, 0.9, &values);
        for run in &mut point.outcome.runs {
            run.delays = Histogram::from_parts(&[(delay, 100)], u64::from(delay) * 100, delay).unwrap();
        }
        point
    };
    let order = vec!["oq".to_string(), "pim".to_string()];
    let predicates = [
        Predicate::Within { value: 20.0, tolerance: 15.0 },
        Predicate::AtLeast(1.0),
        Predicate::AtLeast(1e9),
        Predicate::AtMost(1e9),
        Predicate::AtMost(1.0),
        Predicate::Ratio { other: select(&[("switch", "oq")]), least: 0.0, most: 9.0 },
        Predicate::Ratio { other: select(&[("switch", "oq")]), least: 1e9, most: f64::INFINITY },
        Predicate::Rising { axis: "switch".to_string(), order, to: None },
        Predicate::Slope { axis: "ports".to_string(), least: -9.0, most: 9.0 },
    ];
    let of = |metric: &str, predicate: &Predicate, oq: Verdict, pim: Verdict| {
        let results: Vec<_> = [2, 4]
            .into_iter()
            .flat_map(|ports| {
                [
                    with_verdict(delays("oq", ports, 10 + ports as u32), oq),
                    with_verdict(delays("pim", ports, 30 + ports as u32), pim),
                ]
            })
            .collect();
        evaluate(&Claim { metric: metric.to_string(), ..claim(predicate.clone(), &[]) }, &results)
    };
    for predicate in &predicates {
        let stable = of("delay", predicate, Verdict::Stable, Verdict::Stable).ruling;
        assert_ne!(stable, Undecided, "{predicate:?}");
        for side in [Verdict::Unstable, Verdict::Undecided] {
            for (oq, pim) in [(side, Verdict::Stable), (Verdict::Stable, side), (side, side)] {
                let found = of("delay", predicate, oq, pim);
                // A side that is stable may refute a claim about both by itself.
                let alone = matches!(predicate, Predicate::AtLeast(_) | Predicate::AtMost(_)) && oq != pim;
                let expected = if alone && stable == DoesNotHold { DoesNotHold } else { Undecided };
                assert_eq!(found.ruling, expected, "{predicate:?} of {oq} and {pim}: {found:?}");
                assert!(!found.measured.starts_with("0 "), "{found:?}");
                assert_eq!(
                    of("counters.x", predicate, oq, pim),
                    of("counters.x", predicate, Verdict::Stable, Verdict::Stable)
                );
            }
        }
    }
    // Departures are compared cell by cell, and stability is what the verdict is about.
    let same = Predicate::SameDepartures { other: select(&[("switch", "oq")]) };
    assert_eq!(of("delay", &same, Verdict::Unstable, Verdict::Undecided).ruling, Holds);
    // Delays of other outputs do not grow with a hot spot's, and those of a trace are finite.
    let mut unstable = with_verdict(delays("pim", 4, 30), Verdict::Unstable);
    assert!(unstable.is_unbounded("delay") && !unstable.is_unbounded("delay.other"));
    unstable.spec.arrivals = "trace".to_string();
    assert!(!unstable.needs_stability("delay"));
}

#[test]
fn slopes() {
    let mut noise = Noise::new(2);
    let mut results = Vec::new();
    for ports in [2_usize, 4, 8, 16] {
        let values: Vec<f64> = (0..10).map(|_| libm::pow(ports as f64, 1.5) * (1.0 + 0.02 * noise.normal())).collect();
        results.push(point("oq", ports, 0.5, &values));
    }
    let slope = |least, most| ruling(Predicate::Slope { axis: "ports".to_string(), least, most }, &results);
    assert_eq!([slope(1.4, 1.6), slope(1.6, 2.0), slope(1.5, 2.0)], [Holds, DoesNotHold, Undecided]);
    results.truncate(1);
    let alone = ruling(Predicate::Slope { axis: "ports".to_string(), least: 0.0, most: 9.0 }, &results);
    assert_eq!(alone, Undecided);
}

#[test]
fn a_variable_in_a_spec_is_not_a_difference_of_switch() {
    let with = |k: f64, value: f64| {
        let mut point = point(&format!("islip(iterations={k})"), 4, 0.5, &[value, value + 0.1]);
        point.spec.vary = [("k".to_string(), k)].into();
        point
    };
    let results = [with(1.0, 5.0), with(2.0, 7.0), with(4.0, 9.0)];
    let order = ["1", "2", "4"].map(str::to_string).to_vec();
    assert_eq!(ruling(Predicate::Rising { axis: "k".to_string(), order, to: None }, &results), Holds);
    assert_eq!(ruling(Predicate::Slope { axis: "k".to_string(), least: 0.0, most: 1.0 }, &results), Holds);
    let other = select(&[("k", "1")]);
    assert_eq!(ruling(Predicate::Ratio { other, least: 1.0, most: 3.0 }, &results), Holds);
}

#[test]
fn only_the_opposite_of_a_firm_ruling_is_unexpected() {
    let rulings = [Holds, DoesNotHold, Undecided];
    let compatible = |expected: Expected| rulings.map(|ruling| ruling.is_as(expected));
    assert_eq!(compatible(Expected::Holds), [true, false, true]);
    assert_eq!(compatible(Expected::Fails), [false, true, true]);
    assert_eq!(compatible(Expected::Undecided), [true, true, true]);
}

#[test]
fn stability_is_the_verdicts_word() {
    let with = |verdict| [with_verdict(point("oq", 4, 0.5, &[1.0]), verdict)];
    for (verdict, rulings) in [
        (Verdict::Stable, [Holds, DoesNotHold]),
        (Verdict::Unstable, [DoesNotHold, Holds]),
        (Verdict::Undecided, [Undecided, Undecided]),
    ] {
        let found = [true, false].map(|stable| ruling(Predicate::Stable(stable), &with(verdict)));
        assert_eq!(found, rulings, "{verdict}");
    }
}

#[test]
fn departures_are_equal_or_not() {
    let same = || Predicate::SameDepartures { other: select(&[("switch", "oq")]) };
    let oq = || point("oq", 4, 0.5, &[1.0, 2.0]);
    assert_eq!(ruling(same(), &[oq(), point("psm", 4, 0.5, &[1.0, 2.0])]), Holds);
    assert_eq!(ruling(same(), &[oq(), point("psm", 4, 0.5, &[1.0, 3.0])]), DoesNotHold);
    assert_eq!(ruling(same(), &[oq(), point("psm", 4, 0.6, &[1.0, 2.0])]), Undecided);
    let mut unknown = point("psm", 4, 0.5, &[1.0]);
    unknown.outcome.runs[0].fingerprint = None;
    assert_eq!(ruling(same(), &[oq(), unknown]), Undecided);
    assert_eq!(ruling(same(), &[oq()]), Undecided);
}

/// A claim whose truth lies on the bound, 1000 times: "holds" in 2.5 %, one tail, so 25 with a
/// deviation of 4.9; "does not hold" likewise. The bound of 43 is 3.6 deviations away: a false
/// alarm in 3000, were the seed not fixed. The same for a ratio; and for ten points at once, 250
/// times, where one interval in 20 experiments misses: 12.5 with a deviation of 3.4.
#[test]
fn errs_as_rarely_as_it_says() {
    let mut noise = Noise::new(11);
    let (mut mean, mut ratio, mut joint) = ([0; 2], [0; 2], [0; 2]);
    let count = |found: Ruling, counts: &mut [i32; 2]| match found {
        Holds => counts[0] += 1,
        DoesNotHold => counts[1] += 1,
        Undecided => {}
    };
    for round in 0..1000 {
        let common: Vec<f64> = (0..10).map(|_| 100.0 + 5.0 * noise.normal()).collect();
        let mut about = |scale: f64| common.iter().map(|c| scale * c + noise.normal()).collect::<Vec<_>>();
        let results = [point("a", 4, 0.5, &about(1.0)), point("b", 4, 0.5, &about(2.0))];
        count(evaluate(&claim(Predicate::AtLeast(100.0), &[("switch", "a")]), &results).ruling, &mut mean);
        let other = select(&[("switch", "a")]);
        count(ruling(Predicate::Ratio { other, least: 2.0, most: f64::INFINITY }, &results), &mut ratio);
        if round % 4 > 0 {
            continue;
        }
        let ten: Vec<_> = (1..=10)
            .map(|ports| point("a", ports, 0.5, &(0..10).map(|_| 100.0 + noise.normal()).collect::<Vec<_>>()))
            .collect();
        count(ruling(Predicate::Within { value: 100.0, tolerance: 0.0 }, &ten), &mut joint);
    }
    assert!(mean[0] < 43 && mean[1] < 43 && mean[0] + mean[1] > 20, "{mean:?}");
    assert!(ratio[0] < 43 && ratio[1] < 43 && ratio[0] + ratio[1] > 20, "{ratio:?}");
    assert!(joint[0] == 0 && (2..25).contains(&joint[1]), "{joint:?}");
}

proptest! {
    #[test]
    fn never_panics(values in prop::collection::vec(0.0..1e6_f64, 0..5), other in prop::collection::vec(0.0..1e6_f64, 0..5)) {
        let results = [point("a", 2, 0.0, &values), point("b", 4, 0.0, &other)];
        let order = vec!["a".to_string(), "b".to_string()];
        for predicate in [
            Predicate::Within { value: f64::NAN, tolerance: 0.0 },
            Predicate::AtLeast(3.0),
            Predicate::Ratio { other: select(&[("switch", "a"), ("ports", "2")]), least: 0.0, most: 1.0 },
            Predicate::Rising { axis: "switch".to_string(), order: order.clone(), to: None },
            Predicate::Rising { axis: "nothing".to_string(), order: order.clone(), to: None },
            Predicate::Falling { axis: "load".to_string(), order: order.clone(), to: None },
            Predicate::Falling { axis: "ports".to_string(), order: order.clone(), to: Some(select(&[("switch", "a")])) },
            Predicate::Falling { axis: "switch".to_string(), order: order.clone(), to: Some(select(&[])) },
            Predicate::PerLog { axis: "ports".to_string(), less: 1.0, power: 2, least: 0.0, most: f64::INFINITY },
            Predicate::PerLog { axis: "switch".to_string(), less: 0.0, power: 1, least: 0.0, most: 1.0 },
            Predicate::StableUpTo { least: 0.0, most: f64::INFINITY },
            Predicate::Slope { axis: "load".to_string(), least: 0.0, most: 1.0 },
            Predicate::Slope { axis: "ports".to_string(), least: 0.0, most: 1.0 },
            Predicate::Stable(true),
            Predicate::SameDepartures { other: select(&[]) },
        ] {
            evaluate(&claim(predicate, &[]), &results);
        }
    }
}
