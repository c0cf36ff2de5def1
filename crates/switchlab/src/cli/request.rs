//! From arguments to the lab's [`Request`], in one place.

use super::shared::{Load, Resources, Workload};
use super::simulate::{AuditArgs, LimitArgs, RunArgs, StepArgs};
use clap::Args;
use switchlab_lab::Request;

impl<L: Args + Into<Load>> Workload<L> {
    /// These switches on this workload, with the lab's defaults for everything else.
    fn request(self, switches: Vec<String>, seed: u64) -> Request {
        Request {
            switches,
            ports: self.ports,
            traffic: self.traffic,
            load: self.load.into().load,
            arrivals: self.arrivals,
            seed,
            ..Request::default()
        }
    }
}

impl Resources {
    fn limit(self, request: Request) -> Request {
        Request { memory: self.memory, threads: self.threads.threads, ..request }
    }
}

impl From<RunArgs> for Request {
    fn from(arguments: RunArgs) -> Self {
        let request = arguments.workload.request(arguments.switches, arguments.seed.seed);
        Self {
            slots: arguments.slots,
            warmup: arguments.warmup,
            replications: arguments.replications,
            until: arguments.until,
            departures: arguments.departures,
            oq_lag: arguments.oq_lag,
            ..arguments.resources.limit(request)
        }
    }
}

impl From<LimitArgs> for Request {
    fn from(arguments: LimitArgs) -> Self {
        let request = arguments.workload.request(arguments.switches, arguments.seed.seed);
        Self { slots: arguments.slots, replications: arguments.replications, ..arguments.resources.limit(request) }
    }
}

impl From<AuditArgs> for Request {
    fn from(arguments: AuditArgs) -> Self {
        let request = arguments.workload.request(arguments.switches, arguments.seed.seed);
        Self { slots: Some(arguments.slots), ..request }
    }
}

impl From<StepArgs> for Request {
    fn from(arguments: StepArgs) -> Self {
        arguments.workload.request(vec![arguments.switch], arguments.seed.seed)
    }
}
