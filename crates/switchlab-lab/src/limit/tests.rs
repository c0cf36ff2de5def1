//! Limits that are known.

use super::*;
use crate::report::limit::{LimitReport, data, markdown, table};
use std::slice::from_ref;

fn search(switches: &[&str], ports: usize, traffic: &str) -> Search {
    Search {
        request: Request {
            switches: switches.iter().map(ToString::to_string).collect(),
            ports: Some(ports),
            traffic: traffic.to_string(),
            slots: Some(50_000),
            ..Request::default()
        },
        precision: PRECISION,
    }
}

fn limit(switch: &str, ports: usize, traffic: &str) -> Limit {
    search(&[switch], ports, traffic).run(&Progress::none()).unwrap().switches.remove(0)
}

/// The bracket holds the limit and is no wider than asked for.
fn found(limit: &Limit, exact: f64) {
    let (stable, unstable) = (limit.stable.as_ref().unwrap(), limit.unstable.as_ref().unwrap());
    assert!(stable.load <= exact && exact <= unstable.load, "{exact} in {limit:#?}");
    assert!(unstable.load - stable.load < 0.03, "{limit:#?}");
    assert_eq!((stable.stability.verdict, unstable.stability.verdict), (Verdict::Stable, Verdict::Unstable));
    assert_eq!((stable.slots, unstable.slots), (50_000, 50_000), "the ends are probed at full length");
    let wide = unstable.load - stable.load > PRECISION + 1e-9;
    assert_eq!(limit.conclusion, if wide { Conclusion::Wide } else { Conclusion::Found });
    assert_eq!(wide, !limit.undecided.is_empty(), "a wide bracket says which loads are undecided");
}

#[test]
fn head_of_line_blocking() {
    for (ports, exact) in [(2, 0.75), (4, 325.0 / 496.0)] {
        let limit = limit("fifo", ports, "uniform");
        found(&limit, exact);
        // All queues are symmetric: saturation and the limit are the same number here.
        let Estimate { mean, half_width, .. } = limit.saturated.throughput;
        assert!((mean - exact).abs() < 2.0 * half_width.unwrap(), "{mean} for {exact}");
    }
}

/// A matrix from a file is scaled to the edge of its capacity region, here 1.25, and the load is
/// that of its busiest line: the limit of fifo is that of two ports under uniform traffic.
#[test]
fn a_matrix_is_scaled_to_the_edge_of_its_capacity_region() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rates.csv");
    std::fs::write(&path, "0.4,0.4\n0.4,0.4\n").unwrap();
    let mut search = search(&["fifo", "islip(iterations=4)"], 2, &format!("matrix(file={})", path.display()));
    search.request.ports = None;
    let limits = search.run(&Progress::none()).unwrap();
    assert_eq!(limits.full_scale, Some(1.25));
    found(&limits.switches[0], 0.75);
    let reports = serde_json::to_value(LimitReport::all(from_ref(&limits))).unwrap();
    let stable = &reports[0]["stable"];
    let (load, scale) = (stable["load"].as_f64().unwrap(), stable["scale"].as_f64().unwrap());
    assert!((scale - 1.25 * load).abs() < 1e-12 && load <= 0.75, "{stable}");
    assert!((stable["busiest_input"].as_f64().unwrap() - load).abs() < 1e-12, "{stable}");
    // iSLIP goes on above the rates as they are written: load 0.8 is scale 1.
    assert!(reports[1]["stable"]["load"].as_f64().unwrap() > 0.95, "{}", reports[1]);
    let text = table(from_ref(&limits), 100);
    assert!(text.contains("scale of the rates") && text.contains("full at scale 1.25"), "{text}");
    // Other traffic has no scale.
    let plain = Search {
        request: Request { traffic: "uniform".to_string(), ports: Some(2), ..search.request.clone() },
        ..search.clone()
    };
    let plain = plain.run(&Progress::none()).unwrap();
    assert!(plain.full_scale.is_none() && !table(from_ref(&plain), 100).contains("scale"));
    std::fs::write(&path, "0,0\n0,0\n").unwrap();
    assert!(search.run(&Progress::none()).unwrap_err().to_string().contains("no load to search"));
}

#[test]
fn one_iteration_of_pim() {
    let exact = 1.0 - libm::pow(15.0 / 16.0, 16.0);
    let limit = limit("pim", 16, "uniform");
    let Estimate { mean, .. } = limit.saturated.throughput;
    assert!((mean - exact).abs() < 0.002, "saturation {mean} for {exact}");
    found(&limit, exact);
}

#[test]
fn a_rotation_serves_each_queue_once_in_n_slots() {
    found(&limit("tdm", 4, "diagonal"), 1.5 / 4.0);
    found(&limit("tdm", 8, "diagonal"), 1.5 / 8.0);
}

#[test]
fn no_limit_below_one() {
    // At 0.99 the memory of a queue is long: the default length shows it stable, an eighth of it
    // does not.
    for switch in ["oq", "tdm"] {
        let mut search = search(&[switch], 4, "uniform");
        search.request.slots = None;
        let limit = search.run(&Progress::none()).unwrap().switches.remove(0);
        assert_eq!(limit.conclusion, Conclusion::NoneBelowOne, "{limit:#?}");
        assert!(limit.unstable.is_none() && limit.stable.unwrap().load >= 0.99);
        assert_ne!(limit.saturated.stability.verdict, Verdict::Unstable);
    }
    // A switch of one port never has anything to decide: even load 1 is stable.
    let limit = limit("islip", 1, "uniform");
    assert_eq!((limit.conclusion, limit.stable.unwrap().load), (Conclusion::NoneBelowOne, 1.0));
}

/// Stable below 1, but slow to show it: the bracket may stay open, and must not be wrong.
#[test]
fn islip_under_uniform_traffic() {
    let limit = limit("islip", 4, "uniform");
    assert!(limit.unstable.is_none(), "{limit:#?}");
    assert!(limit.stable.as_ref().unwrap().load >= 0.95, "{limit:#?}");
    assert!(matches!(limit.conclusion, Conclusion::NoneBelowOne | Conclusion::NothingUnstable));
}

#[test]
fn runs_too_short_to_tell_find_nothing() {
    let mut search = search(&["fifo"], 4, "uniform");
    search.request.slots = Some(100);
    let limits = search.run(&Progress::none()).unwrap();
    let limit = &limits.switches[0];
    // Runs under 256 slots are undecided, unless nothing ever waited.
    assert!(limit.unstable.is_none() && limit.stable.as_ref().is_none_or(|probe| probe.load < 0.1), "{limit:#?}");
    assert!(!table(from_ref(&limits), 100).is_empty());
}

/// A coarse search stops early; its ends are still verdicts.
#[test]
fn a_coarse_search() {
    let search = Search { precision: 0.1, ..search(&["fifo"], 4, "uniform") };
    let limit = search.run(&Progress::none()).unwrap().switches.remove(0);
    let (stable, unstable) = (limit.stable.as_ref().unwrap().load, limit.unstable.as_ref().unwrap().load);
    assert!(stable < 0.6552 && 0.6552 < unstable && unstable - stable <= 0.1 + 1e-9, "{stable} {unstable}");
    assert!(unstable - stable > 0.02, "{stable} {unstable}");
}

#[test]
fn neither_threads_nor_other_switches_change_a_limit() {
    let with = |switches: &[&str], threads| {
        let mut search = search(switches, 3, "diagonal");
        search.request.slots = Some(4000);
        search.request.threads = Some(threads);
        let limits = search.run(&Progress::none()).unwrap();
        LimitReport::all(from_ref(&limits))
            .iter()
            .map(|report| serde_json::to_string(report).unwrap())
            .collect::<Vec<_>>()
    };
    let one = with(&["fifo", "pim"], 1);
    assert_eq!(one, with(&["fifo", "pim"], 3));
    assert_eq!(one[1..], with(&["pim"], 2));
}

/// Several numbers of ports are several searches, each as if it were alone.
#[test]
fn several_sizes() {
    let of = |ports| {
        let mut search = search(&["fifo", "pim"], ports, "uniform");
        search.request.slots = Some(4000);
        search
    };
    let both = search_all(&[of(2), of(4)], &Progress::none()).unwrap();
    let json = |limits: &[Limits]| serde_json::to_value(LimitReport::all(limits)).unwrap();
    let alone = json(from_ref(&of(4).run(&Progress::none()).unwrap()));
    let all = json(&both);
    assert_eq!(all.as_array().unwrap()[2..], alone.as_array().unwrap()[..]);
    let ports: Vec<_> = all.as_array().unwrap().iter().map(|row| row["ports"].as_u64().unwrap()).collect();
    assert_eq!(ports, [2, 2, 4, 4]);
    let csv = data(&both).csv_text();
    assert!(csv.lines().count() == 5 && csv.contains("\nfifo,4,uniform,"), "{csv}");
    assert!(markdown(&both).starts_with("| switch | ports | highest"), "{}", markdown(&both));
    for width in [60, 80, 100, 200] {
        let text = table(&both, width);
        assert!(text.contains("2, 4 ports, traffic uniform") && text.contains("fifo, 4 ports: "), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= width.min(100)), "{text}");
    }
    // A search that cannot begin is refused before another one takes its time.
    assert!(search_all(&[of(2), of(0)], &Progress::none()).is_err());
}

#[test]
fn nonsense_is_refused() {
    let ask = |change: fn(&mut Search)| {
        let mut search = search(&["oq"], 4, "uniform");
        search.request.slots = Some(1000);
        change(&mut search);
        search.run(&Progress::none())
    };
    assert!(ask(|search| search.precision = f64::NAN).is_err());
    assert!(ask(|search| search.precision = 0.0).is_err());
    assert!(ask(|search| search.precision = 1.0).is_err());
    assert!(ask(|search| search.request.switches.clear()).is_err());
    assert!(ask(|search| search.request.ports = Some(0)).is_err());
    assert!(ask(|search| search.request.slots = Some(u64::MAX)).is_err());
    let notes = ask(|search| search.request.traffic = "hotspot(count=1)".to_string()).unwrap().notes;
    assert_eq!(notes.len(), 1);
    assert!(ask(|_| ()).unwrap().notes.is_empty());
}
