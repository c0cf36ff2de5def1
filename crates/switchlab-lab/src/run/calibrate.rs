//! A quick estimate of the time per slot, for predictions.

use super::Run;
use crate::plan::Plan;
use crate::progress::Progress;
use std::time::{Duration, Instant};

/// All switches of a calibration together: too short to be noticed.
const BUDGET: Duration = Duration::from_millis(200);
/// Slots between two readings of the clock.
const PIECE: u64 = 16;

/// Gives a progress bar the time per slot of each switch, named by its plan and its index there.
/// The first slots of an empty switch are cheaper than later ones, so the estimate counts only
/// until the run itself has begun. A switch that cannot be built or stops is left out here; its run
/// reports the error.
pub(crate) fn calibrate<'a>(switches: impl ExactSizeIterator<Item = (&'a Plan, usize)>, progress: &Progress) {
    let budget = BUDGET / switches.len().max(1) as u32;
    for (plan, switch) in switches {
        if let Some(nanoseconds) = nanoseconds_per_slot(plan, switch, budget) {
            progress.calibrate(&plan.switches[switch].args.to_string(), plan.ports, nanoseconds);
        }
    }
}

/// None if the switch stops, or its cells do not fit the memory.
fn nanoseconds_per_slot(plan: &Plan, switch: usize, budget: Duration) -> Option<f64> {
    let mut run = Run::new(plan, switch, 0).ok()?;
    let mut begun = Instant::now();
    run.advance(PIECE, None, &Progress::none()).ok()?;
    let mut slots = PIECE;
    // The first slots touch memory for the first time. They count only if they take the whole
    // budget.
    if begun.elapsed() < budget {
        (begun, slots) = (Instant::now(), 0);
    }
    while slots == 0 || begun.elapsed() < budget {
        run.advance(PIECE, None, &Progress::none()).ok()?;
        slots += PIECE;
    }
    (!run.ended_early()).then(|| begun.elapsed().as_nanos() as f64 / slots as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Request;

    #[test]
    fn a_calibration_finds_a_time_or_says_nothing() {
        let request = |memory: u64| Request {
            switches: vec!["tdm".to_string()],
            ports: Some(8),
            load: Some(1.0),
            replications: Some(1),
            memory,
            ..Request::default()
        };
        let budget = Duration::from_millis(1);
        let time = nanoseconds_per_slot(&request(1 << 30).resolve().unwrap(), 0, budget).unwrap();
        assert!(time > 1.0 && time < 1e9, "{time}");
        let mut plan = request(1 << 30).resolve().unwrap();
        plan.memory_per_run = 100;
        assert_eq!(nanoseconds_per_slot(&plan, 0, budget), None);
    }
}
