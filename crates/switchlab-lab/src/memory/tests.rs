//! How runs share the memory, and what is refused.

use super::*;
use crate::plan::Request;

fn plan(switches: &[&str], ports: usize, memory: u64, replications: u32) -> Plan {
    let request = Request {
        switches: switches.iter().map(ToString::to_string).collect(),
        ports: Some(ports),
        load: Some(0.9),
        memory,
        replications: Some(replications),
        threads: Some(32),
        ..Request::default()
    };
    request.resolve().unwrap()
}

fn cells(plan: &Plan) -> u64 {
    let switch = plan.switches[0].build(plan.ports, Seed { seed: 1, replication: 0 }).unwrap();
    most_cells(plan, switch.as_ref())
}

/// Where the fixed state is small, the whole share is for cells, 20 bytes for each in a crossbar.
#[test]
fn small_switches_have_their_whole_share_for_cells() {
    for ports in [2, 16, 64] {
        for (memory, replications) in [(1 << 20, 1), (16 << 20, 1), (64 << 20, 4), (1 << 30, 10), (1 << 30, 100)] {
            let plan = plan(&["islip"], ports, memory, replications);
            assert_eq!(cells(&plan), memory / u64::from(replications.min(32)) / 20);
            assert_eq!(Needs::of(&plan).unwrap().warning, None);
        }
    }
}

/// Five quarters of the memory hold all runs of all threads, or the fixed state of one run is more
/// than the memory and there is a warning.
#[test]
fn what_runs_at_once_fits() {
    for switches in [&["islip"][..], &["oq", "cioq", "benes"], &["serena"]] {
        for ports in [16, 256, 1024] {
            for memory in [1 << 20, 16 << 20, 64 << 20, 1 << 30] {
                for replications in [1, 2, 10, 100] {
                    let plan = plan(switches, ports, memory, replications);
                    let needs = Needs::of(&plan).unwrap();
                    let of_a_run = plan.switches.iter().map(|chosen| {
                        let switch = chosen.build(ports, Seed { seed: 1, replication: 0 }).unwrap();
                        let cells = most_cells(&plan, switch.as_ref()) * switch.bytes_per_cell() as u64;
                        (fixed_bytes(&plan, switch.as_ref()), cells)
                    });
                    let of_a_run: Vec<(u64, u64)> = of_a_run.collect();
                    let both = of_a_run.iter().map(|(fixed, cells)| fixed + cells);
                    let (taken, fixed) = if replications == 1 {
                        (both.sum(), of_a_run.iter().map(|(fixed, _)| fixed).sum())
                    } else {
                        let runs = needs.threads as u64;
                        (both.max().unwrap() * runs, of_a_run.iter().map(|(fixed, _)| *fixed).max().unwrap())
                    };
                    let promised = memory.max(fixed) + SMALL;
                    let about = format!("{switches:?}, {ports} ports, {memory} bytes, {replications} times");
                    assert!(taken <= promised + promised / 4 + SMALL, "{about}: {taken}");
                    assert_eq!(
                        needs.warning.is_some(),
                        fixed + plan.traffic.shared_bytes() > memory + SMALL,
                        "{about}"
                    );
                    assert!(cells(&plan) * 20 >= memory / 4 / (3 * u64::from(replications.min(32))) / 20, "{about}");
                }
            }
        }
    }
}

/// Fewer threads where runs are large; a sweep's runs have the share that they always had.
#[test]
fn large_switches_run_a_few_at_a_time() {
    let large = Needs::of(&plan(&["islip"], 4096, 1 << 30, 10)).unwrap();
    assert!((1..=2).contains(&large.threads) && large.warning.is_none(), "{large:?}");
    assert_eq!(Needs::of(&plan(&["islip"], 64, 1 << 30, 10)).unwrap().threads, 12);
    let warned = Needs::of(&plan(&["islip"], 4096, 64 << 20, 10)).unwrap();
    let warning = warned.warning.unwrap();
    assert!(
        warned.threads == 1 && warning.contains("4096 ports") && warning.contains("raise --memory to"),
        "{warning}"
    );
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let refused = |switches: &[&str], ports, memory, replications| {
        Needs::of(&plan(switches, ports, memory, replications)).unwrap_err().to_string()
    };
    let error = refused(&["psm(capacity=2000000)"], 16, 64 << 20, 4);
    assert!(error.contains("reserves 496MiB") && error.contains("raise --memory to 496MiB"), "{error}");
    assert!(Needs::of(&plan(&["psm(capacity=2000000)"], 16, 496 << 20, 4)).unwrap().threads == 1);
    let error = refused(&["oq", "psm(capacity=2000000)"], 16, 800 << 20, 1);
    assert!(error.contains("for each of 2 switches") && error.contains("raise --memory to 992MiB"), "{error}");
}
