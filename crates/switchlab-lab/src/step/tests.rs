//! Slots that were worked out by hand, and slots as the departure file has them.

use super::*;
use crate::decision::{Move, Pair};
use crate::report::step::{self, StepReport, heading};
use std::path::Path;

fn traced(switch: &str, trace: &str, first: u64, count: u64) -> Steps {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("slot,input,output\n{trace}")).unwrap();
    let traffic = format!("trace(file={})", file.path().display());
    let request = Request { switches: vec![switch.to_string()], traffic, ..Request::default() };
    steps(&request, first, count)
}

fn steps(request: &Request, first: u64, count: u64) -> Steps {
    Steps::new(request, first, count, false).unwrap()
}

/// All slots as the program prints them.
fn text(steps: Steps) -> String {
    let about = steps.about.clone();
    steps.fold(heading(&about, usize::MAX), |text, step| text + &step::text(&about, &step.unwrap(), 100))
}

fn json(steps: Steps) -> serde_json::Value {
    let about = steps.about.clone();
    steps.map(|step| serde_json::to_value(StepReport::new(&about, &step.unwrap())).unwrap()).collect()
}

// By hand. All pointers start at 0.
//
// Slot 0: 0->0, 1->0 and 2->1 arrive. Output 0 is asked by 0 and 1 and grants 0; output 1 grants 2.
// Both accept. The pointers: output 0 to 1, output 1 to 0 (one beyond 2), input 0 to 1, input 2
// to 2. Slot 1: 0->0, 1->2 and 2->1 arrive. Output 0 is asked by 0 and 1, and its pointer is at 1:
// it grants 1. Output 1 grants 2, output 2 grants
// 1. Input 1 has two grants and its pointer at 0: it accepts 0. Output 2 is not accepted and keeps
//    its pointer. Output 0 to 2, input 1 to 1.
// Slot 2: 2->2 arrives. Output 0 is asked by 0 alone: granted. Output 2 is asked by 1 and 2; its
// pointer is at 0: it grants 1. Input 0, pointer at 1, accepts 0; input 1, pointer at 1, accepts 2.
// Input 2 has only asked 2 and waits.
#[test]
fn islip_by_hand() {
    let steps = traced("islip", "0,0,0\n0,1,0\n0,2,1\n1,0,0\n1,1,2\n1,2,1\n2,2,2\n", 0, 3);
    let shown = text(steps);
    let slots = shown.split_once('\n').unwrap().1;
    let expected = "
slot 0
  arrivals: 0->0  1->0  2->1
  queued, by input (down) and output (across); [matched]:
       0   1   2
    0 [1]  .   .
    1  1   .   .
    2  .  [1]  .
  grant pointers, by output: 0  0  0
  accept pointers, by input: 0  0  0
  iteration 1:
    output  requested by  grants   pointer
    0       0 1           0        0 -> 1
    1       2             2        0
    input   granted by    accepts  pointer
    0       0             0        0 -> 1
    2       1             1        0 -> 2
  matching: 0->0  2->1
  departures: 0->0 born 0 (delay 0)  2->1 born 0 (delay 0)
  backlog: 1 cell

slot 1
  arrivals: 0->0  1->2  2->1
  queued, by input (down) and output (across); [matched]:
       0   1   2
    0  1   .   .
    1 [1]  .   1
    2  .  [1]  .
  grant pointers, by output: 1  0  0
  accept pointers, by input: 1  0  2
  iteration 1:
    output  requested by  grants   pointer
    0       0 1           1        1 -> 2
    1       2             2        0
    2       1             1        0
    input   granted by    accepts  pointer
    1       0 2           0        0 -> 1
    2       1             1        2
  matching: 1->0  2->1
  departures: 1->0 born 0 (delay 1)  2->1 born 1 (delay 0)
  backlog: 2 cells

slot 2
  arrivals: 2->2
  queued, by input (down) and output (across); [matched]:
       0   1   2
    0 [1]  .   .
    1  .   .  [1]
    2  .   .   1
  grant pointers, by output: 2  0  0
  accept pointers, by input: 1  1  2
  iteration 1:
    output  requested by  grants   pointer
    0       0             0        2 -> 1
    2       1 2           1        0 -> 2
    input   granted by    accepts  pointer
    0       0             0        1
    1       2             2        1 -> 0
  matching: 0->0  1->2
  departures: 0->0 born 1 (delay 1)  1->2 born 1 (delay 1)
  backlog: 1 cell
";
    assert_eq!(slots, expected);
}

/// The second slot of the same, for programs. A second iteration would find no request: input 0 has
/// no cell for output 2. It is not shown.
#[test]
fn iterations_as_json() {
    let trace = "0,0,0\n0,1,0\n0,2,1\n1,0,0\n1,1,2\n1,2,1\n2,2,2\n";
    let json = json(traced("islip(iterations=3)", trace, 1, 1));
    let expected = serde_json::json!({"iterations": [{
        "iteration": 1,
        "requests": [
            {"output": 0, "inputs": [0, 1]}, {"output": 1, "inputs": [2]}, {"output": 2, "inputs": [1]}
        ],
        "grants": [{"output": 0, "input": 1}, {"output": 1, "input": 2}, {"output": 2, "input": 1}],
        "accepts": [{"input": 1, "output": 0}, {"input": 2, "output": 1}],
        "pointers": {
            "grant": [{"port": 0, "before": 1, "after": 2}],
            "accept": [{"port": 1, "before": 0, "after": 1}]
        }
    }]});
    assert_eq!(json[0]["decision"], expected);
    assert_eq!(json[0]["state"]["grant pointers, by output"], serde_json::json!([1, 0, 0]));
    let oq = self::json(traced("oq", trace, 1, 1));
    assert_eq!(oq[0].get("decision"), None, "a switch that decides nothing has no decision");
}

/// By hand: after four slots each VOQ of two ports has one cell, and both pointers are at 0. Both
/// outputs grant input 0, both pointers move to 1, and one cell leaves. In the next slot both grant
/// input 1. RRM takes four slots for what two matchings could send.
#[test]
fn the_pointers_of_rrm_stay_together() {
    let trace = "0,0,0\n0,1,0\n1,0,0\n1,1,0\n2,0,1\n2,1,1\n3,0,1\n3,1,1\n";
    let steps: Vec<Step> = traced("rrm", trace, 4, 4).collect::<Result<_, _>>().unwrap();
    assert_eq!(steps[0].queues, Some(QueueLengths::Voqs(vec![1; 4])));
    for (step, at) in steps.iter().zip([0, 1]) {
        let [iteration] = &step.decision.iterations[..] else { panic!("one iteration has requests") };
        let granted: Vec<Port> = iteration.grants.iter().map(|grant| grant.input).collect();
        assert_eq!(granted, [at; 2], "slot {}", step.slot);
        let moved = [0, 1].map(|port| Move { port, before: at, after: 1 - at });
        assert_eq!(iteration.pointers.grant, moved, "slot {}", step.slot);
        assert_eq!(iteration.accepts, [Pair { input: at, output: 0 }], "slot {}", step.slot);
    }
    assert_eq!(steps.iter().map(|step| step.backlog).collect::<Vec<_>>(), [3, 2, 1, 0]);
    let islip: Vec<Step> = traced("islip", trace, 4, 2).collect::<Result<_, _>>().unwrap();
    assert_eq!(islip.iter().map(|step| step.backlog).collect::<Vec<_>>(), [1, 0], "its pointers differ");
}

/// Two iterations differ, and the pointers of the second are those that the first has left.
#[test]
fn what_each_scheduler_decides_on_is_shown() {
    let shown = |switch: &str| {
        let request =
            Request { switches: vec![switch.to_string()], ports: Some(6), load: Some(0.9), ..Request::default() };
        text(steps(&request, 30, 12))
    };
    for (switch, parts) in [
        ("islip(iterations=4)", &["iteration 1:", "iteration 2:", "requested by", "granted by", "pointer"][..]),
        ("rrm(iterations=4)", &["iteration 2:", "pointer"]),
        ("pim(iterations=4)", &["iteration 2:", "accepts\n"]),
        ("ilqf(iterations=4)", &["iteration 2:", "accepts\n"]),
        ("gs-lqf", &["iteration 2:"]),
        ("gs-ocf", &["iteration 2:"]),
        ("uform", &["on service: ", "captured frames: ", "iteration 1:"]),
        ("ufpim", &["on service: ", "captured frames: ", "iteration 1:"]),
        ("msm", &["greedy: ", "augmenting path, by its new pairs: "]),
        ("mwm", &["weights of matched VOQs: ", "prices of inputs: ", "total weight: "]),
        ("serena", &["red, R(t): ", "green, S(t-1): ", "cycle of inputs ", "; red is kept", "; green is kept"]),
        ("c-serenade", &["cycle of inputs "]),
    ] {
        let shown = shown(switch);
        for part in parts {
            assert!(shown.contains(part), "{switch} does not show {part:?}:\n{shown}");
        }
    }
}

/// At any size, whatever a switch shows; and what is left out is counted.
#[test]
fn no_line_is_longer_than_the_terminal_is_wide() {
    for entry in switchlab_core::registry::SWITCHES {
        for ports in [4, 16, 64, 256] {
            let seed = Seed { seed: 1, replication: 0 };
            if switchlab_core::registry::switch(entry.name).unwrap().build(ports, seed).is_err() {
                continue;
            }
            let request = Request {
                switches: vec![entry.name.to_string()],
                ports: Some(ports),
                load: Some(0.9),
                ..Request::default()
            };
            for step in steps(&request, 20, 3) {
                let about = steps(&request, 0, 1).about;
                let step = step.unwrap();
                for (columns, most) in [(80, 80), (100, 100), (200, 100)] {
                    let shown = step::text(&about, &step, columns);
                    let longest = shown.lines().max_by_key(|line| line.len()).unwrap_or_default();
                    assert!(longest.len() <= most, "{} of {ports} ports: {longest}", entry.name);
                }
                let shown = step::text(&about, &step, 100);
                assert!(ports < 64 || shown.lines().count() < 150, "{} of {ports} ports:\n{shown}", entry.name);
                assert!(ports < 256 || shown.contains(" more"), "{} of {ports} ports:\n{shown}", entry.name);
            }
        }
    }
}

#[test]
fn first_cells_and_output_queues() {
    let trace = "0,0,0\n0,1,0\n1,0,1\n1,1,1\n";
    let fifo = text(traced("fifo", trace, 1, 1));
    // One of the two cells for output 0 is left, at either input, and blocks what is behind it.
    assert!(
        fifo.contains("queued, by input (the first cell's output): 0: 1 (1)  1: 2 (0)")
            || fifo.contains("queued, by input (the first cell's output): 0: 2 (0)  1: 1 (1)"),
        "{fifo}"
    );
    assert!(fifo.contains("backlog: 1 cell\n") && !fifo.contains("matching"), "{fifo}");
    let oq = text(traced("oq", trace, 1, 2));
    assert!(oq.contains("queued, by output: 0: 1  1: 2\n") && oq.contains("queued, by output: 1: 1\n"), "{oq}");
    assert!(oq.contains("arrivals: none") && oq.contains("backlog: 0 cells"), "{oq}");
}

/// Three cells for an output with room for two: the last one is turned away, and is not in the
/// queue that the decision sees.
#[test]
fn dropped_cells_are_shown() {
    let steps = || traced("oq(capacity=2)", "0,0,0\n0,1,0\n0,2,0\n", 0, 1);
    let shown = text(steps());
    assert!(shown.contains("  dropped: 2->0\n  queued, by output: 0: 2\n"), "{shown}");
    assert!(shown.contains("backlog: 1 cell\n"), "{shown}");
    let json = json(steps());
    assert_eq!(json[0]["dropped"], serde_json::json!([{"input": 2, "output": 0}]));
}

/// What is shown is what `run` does: departures are those of its file, and each is matched and was
/// queued.
#[test]
fn steps_are_those_of_a_run() {
    for entry in switchlab_core::registry::SWITCHES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("d.csv");
        let seed = Seed { seed: 1, replication: 0 };
        let fits = |ports| switchlab_core::registry::switch(entry.name).unwrap().build(ports, seed).is_ok();
        let ports = if fits(5) { 5 } else { 4 };
        let request = |departures: Option<&Path>| Request {
            switches: vec![entry.name.to_string()],
            ports: Some(ports),
            load: Some(0.8),
            slots: Some(60),
            warmup: Some(Warmup::Slots(0)),
            replications: Some(2),
            departures: departures.map(Path::to_path_buf),
            ..Request::default()
        };
        crate::compare(&request(Some(&path)).resolve().unwrap(), &crate::Progress::none()).unwrap();
        let mut file = String::from("slot,output,input,birth\n");
        for step in steps(&request(None), 0, 60) {
            let step = step.unwrap();
            let before = step.queues.as_ref().map(QueueLengths::total);
            let left = step.departures.iter().filter(|cell| !cell.is_idle()).count() as u64;
            assert_eq!(before, Some(step.backlog + left), "{}", entry.name);
            for (output, cell) in step.departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                file += &format!("{},{output},{},{}\n", step.slot, cell.input, cell.born);
                if let (Some(matching), Some(QueueLengths::Voqs(lengths))) = (&step.matching, &step.queues) {
                    let input = usize::from(cell.input);
                    assert_eq!(usize::from(matching[input]), output, "{}", entry.name);
                    assert!(lengths[input * ports + output] > 0);
                }
            }
            if let (Some(matching), Some(QueueLengths::Voqs(lengths))) = (&step.matching, &step.queues) {
                let sent = matching
                    .iter()
                    .enumerate()
                    .filter(|(input, output)| **output != NONE && lengths[input * ports + usize::from(**output)] > 0);
                assert_eq!(sent.count() as u64, left, "{}: every matched queue that is not empty sends", entry.name);
            }
        }
        assert_eq!(file, std::fs::read_to_string(&path).unwrap(), "{}", entry.name);
        // Beginning later shows the same.
        let late = text(steps(&request(None), 40, 2));
        let whole = text(steps(&request(None), 0, 60));
        assert!(whole.contains(late.split_once('\n').unwrap().1.trim()), "{}", entry.name);
    }
}

#[test]
fn many_ports_are_shown_as_a_list() {
    let trace = "0,0,0\n0,1,0\n1,32,5\n";
    let shown = text(traced("islip", trace, 1, 1));
    assert!(shown.contains("queued, by input->output: 1->0: 1  32->5: 1\n"), "{shown}");
    let json = json(traced("islip", trace, 1, 1));
    assert_eq!(
        json[0]["queues"],
        serde_json::json!([{"input":1,"output":0,"length":1},{"input":32,"output":5,"length":1}])
    );
    assert_eq!(
        json[0]["departed"],
        serde_json::json!([{"output":0,"input":1,"birth":0},{"output":5,"input":32,"birth":1}])
    );
    assert_eq!(json[0]["matching"], serde_json::json!([{"input":1,"output":0},{"input":32,"output":5}]));
    assert_eq!(json[0]["backlog"], 0);
}

#[test]
fn nonsense_is_refused() {
    let request = Request { switches: vec!["oq".to_string()], ports: Some(2), load: Some(0.5), ..Request::default() };
    for (first, count) in [(0, 0), (0, MOST_SLOTS + 1), (u64::MAX, 1), (SLOT_LIMIT, 1)] {
        assert!(Steps::new(&request, first, count, false).is_err());
    }
    assert!(Steps::new(&Request { load: None, ..request }, 0, 1, false).is_err());
}

/// The messages lead to the scheduler's matchings, or `steps` fails; the last slots have cycles
/// that need a search.
#[test]
fn messages_lead_to_the_same_matchings() {
    for switch in
        ["c-serenade", "o-serenade(consistency=min-sketch,codewords=3)", "e-serenade", "so-serenade(alpha=0.5)"]
    {
        let request =
            Request { switches: vec![format!("{switch}")], ports: Some(40), load: Some(0.8), ..Request::default() };
        let shown: Vec<Step> = Steps::new(&request, 0, 60, true).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(shown.iter().all(|step| !step.messages.is_empty()), "{switch}");
        let said = |word: &str| shown.iter().flat_map(|step| &step.messages).any(|line| line.contains(word));
        assert!(said("iteration 0, round 1"), "{switch}");
        assert_eq!(said("search at level"), switch.starts_with('e') || switch.starts_with("so"), "{switch}");
    }
    let request =
        Request { switches: vec!["islip".to_string()], ports: Some(4), load: Some(0.5), ..Request::default() };
    let error = Steps::new(&request, 0, 1, true).err().unwrap().to_string();
    assert!(error.contains("e-serenade"), "{error}");
}

/// papers/002/stuck.csv: C-SERENADE stays on the lighter colour of a cycle of 11, and SERENA turns.
#[test]
fn c_serenade_is_stuck_where_serena_turns() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/002/stuck.csv");
    let cycle = |switch: &str| {
        let traffic = format!("trace(file={trace})");
        let request = Request { switches: vec![switch.to_string()], traffic, ports: Some(11), ..Request::default() };
        let step = steps(&request, 3, 1).next().unwrap().unwrap();
        step.decision.cycles[0].clone()
    };
    let stuck = cycle("c-serenade");
    assert_eq!((stuck.inputs.len(), stuck.red, stuck.green, stuck.kept), (11, 11, 10, "green"));
    // On the same arrivals SERENA has sent other cells before, but it is offered the same matching.
    let merged = cycle("serena");
    assert_eq!((merged.inputs.len(), merged.kept), (11, "red"));
}
