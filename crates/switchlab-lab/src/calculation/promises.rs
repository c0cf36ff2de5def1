//! Promises of a switch, held against it slot by slot: the audit as a computed point.
//!
//! The switch is run on `traffic` with `arrivals` at `load`, `slots` slots after `warmup`. Rules
//! are checked from the empty switch on, counts begin after the warm-up. Each replication has
//! arrivals of its own.
//!
//! Values: `violations`, broken rules of any kind, and of each kind: `lost_cells`, arrived =
//! departed + dropped + queued is broken; `broken_state`, by the switch's own check;
//! `out_of_order`, cells of a flow; `wrong_matching`, a port matched twice, or a departure without
//! its match; `broken_promise`, the weight of the matching fell by more than the switch promises,
//! or exceeds the maximum. For switches that show a matching: `losses`, the share of the slots in
//! which its weight fell, and `largest_loss`; `promised_loss` where one is promised; up to 64 ports
//! `at_maximum`, the share of the slots with a matching of maximum weight, and `weight_of_maximum`,
//! all weights over all maxima.
//!
//! `idle_with_backlog` is the share of the slots of an output in which it sends nothing, of those
//! in which a cell for it arrived `patience` slots ago or before: 0 if the switch is work
//! conserving. `stopped` is 1 if the switch stopped for ever, by a deadlock or for want of a
//! memory.

use super::{Values, flag, of_run};
use crate::Progress;
use crate::audit::{Audit, Rule, audit_switch, plan};
use crate::error::LabError;
use crate::plan::{Request, Warmup};
use switchlab_core::Seed;
use switchlab_core::spec::Args;

pub(super) fn values(args: &Args, ports: usize, seed: Seed) -> Result<Values, LabError> {
    let warmup = Some(Warmup::Slots(args.count("warmup") as u64));
    let plan = plan(&Request { warmup, ..of_run(args, ports, seed) })?;
    let audit = audit_switch(&plan, 0, seed, args.count("patience"), &Progress::none())?;
    Ok(of_audit(&audit))
}

fn of_audit(audit: &Audit) -> Values {
    let slots = audit.slots.max(1) as f64;
    let mut values = vec![("violations", audit.broken.iter().sum::<u64>() as f64)];
    for rule in Rule::ALL {
        let name = match rule {
            Rule::Conservation => "lost_cells",
            Rule::State => "broken_state",
            Rule::Order => "out_of_order",
            Rule::Matching => "wrong_matching",
            Rule::Weight => "broken_promise",
        };
        values.push((name, audit.broken[rule as usize] as f64));
    }
    if let Some((times, most)) = audit.losses {
        values.extend([("losses", times as f64 / slots), ("largest_loss", most as f64)]);
    }
    if let Some(allowed) = audit.promise.allowed_loss() {
        values.push(("promised_loss", allowed as f64));
    }
    if let Some((times, share)) = audit.maximum {
        values.extend([("at_maximum", times as f64 / slots), ("weight_of_maximum", share)]);
    }
    let (backlogged, idle) = audit.backlogged;
    values.push(("idle_with_backlog", idle as f64 / backlogged.max(1) as f64));
    values.push(("stopped", flag(audit.stopped.is_some())));
    values
}

#[cfg(test)]
mod tests {
    use super::super::measured;
    use crate::audit::{audit, plan};
    use crate::{Progress, Request};

    /// The point is what the command says of the same run.
    #[test]
    fn as_the_command_has_it() {
        let request = Request {
            switches: vec!["o-serenade".to_string()],
            ports: Some(16),
            load: Some(0.9),
            slots: Some(2000),
            ..Request::default()
        };
        let audit = audit(&plan(&request).unwrap(), &Progress::none()).unwrap().remove(0);
        let of = measured("audit(switch=o-serenade,load=0.9,slots=2000)", 16);
        assert!(audit.losses.unwrap().0 > 0);
        assert_eq!(of("losses"), Some(audit.losses.unwrap().0 as f64 / 2000.0));
        assert_eq!(of("largest_loss"), Some(audit.losses.unwrap().1 as f64));
        assert_eq!(of("at_maximum"), Some(audit.maximum.unwrap().0 as f64 / 2000.0));
        assert_eq!((of("violations"), of("promised_loss")), (Some(0.0), None));
    }

    #[test]
    fn promises_and_backlogs() {
        let of = measured("audit(switch=so-serenade(cow=5),load=0.9,slots=500)", 16);
        assert_eq!((of("promised_loss"), of("broken_promise")), (Some(80.0), Some(0.0)));
        assert!(of("idle_with_backlog") > Some(0.0));
        let of = measured("audit(switch=oq,load=0.9,slots=500)", 16);
        assert_eq!((of("idle_with_backlog"), of("losses")), (Some(0.0), None));
        // Cells of a frame leave two frames later: an output idles with young cells, not with old
        // ones.
        let of = measured("audit(switch=psm-flows(flows=2),load=0.9,slots=2000)", 4);
        assert!(of("idle_with_backlog") > Some(0.0));
        let of = measured("audit(switch=psm-flows(flows=2),load=0.9,slots=2000,patience=16)", 4);
        assert_eq!(of("idle_with_backlog"), Some(0.0));
        let of = measured("audit(switch=psm(memories=4),traffic=hotspot(count=1),load=0.9,slots=5000)", 4);
        assert_eq!(of("stopped"), Some(1.0));
    }
}
