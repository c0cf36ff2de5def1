//! From arguments to the lab's [`Request`] or [`Grid`], in one place.

use super::look::Kind;
use super::shared::{Load, Resources, Workload, Workloads};
use super::simulate::{AuditArgs, LimitArgs, RunArgs, StepArgs};
use clap::Args;
use switchlab_lab::Request;
use switchlab_lab::grid::Grid;
use switchlab_lab::port_delays::By;

impl<L: Args + Into<Load>> Workload<L> {
    /// These switches on this workload, with the lab's defaults for everything else.
    fn request(self, switches: Vec<String>, seed: u64) -> Request {
        Request {
            switches,
            ports: self.ports,
            traffic: self.traffic,
            overload: self.overload,
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

impl From<RunArgs> for Grid {
    fn from(arguments: RunArgs) -> Self {
        let Workloads { ports, traffic, load, overload, arrivals } = arguments.workload;
        let request = Request {
            switches: arguments.switches,
            overload,
            slots: arguments.slots,
            warmup: arguments.warmup,
            replications: arguments.replications,
            seed: arguments.seed.seed,
            until: arguments.until,
            departures: arguments.departures,
            oq_lag: arguments.oq_lag,
            occupancy: arguments.occupancy || arguments.look.kind == Some(Kind::Voq),
            port_delays: match (arguments.per_port, arguments.per_pair) {
                (_, true) => Some(By::Pair),
                (true, false) => Some(By::Port),
                (false, false) => None,
            },
            percentiles: arguments.percentiles,
            ..Request::default()
        };
        Self {
            request: arguments.resources.limit(request),
            ports: ports.unwrap_or_default().0,
            traffic: traffic.0,
            arrivals: arrivals.unwrap_or_default().0,
            loads: load.unwrap_or_default().0,
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
        Self { slots: Some(arguments.slots), warmup: arguments.warmup, ..request }
    }
}

impl From<StepArgs> for Request {
    fn from(arguments: StepArgs) -> Self {
        arguments.workload.request(vec![arguments.switch], arguments.seed.seed)
    }
}
