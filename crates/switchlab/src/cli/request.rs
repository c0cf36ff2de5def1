//! From arguments to the lab's [`Request`] or [`Grid`], in one place.

use super::lists::Variable;
use super::look::Kind;
use super::shared::{Pattern, Resources, Workload, Workloads};
use super::simulate::{AuditArgs, LimitArgs, RunArgs, StepArgs};
use switchlab_lab::Request;
use switchlab_lab::grid::Grid;
use switchlab_lab::limit::Search;
use switchlab_lab::port_delays::By;

impl Workload {
    /// These switches on this workload, with the lab's defaults for everything else.
    fn request(self, switches: Vec<String>, seed: u64) -> Request {
        Request {
            switches,
            ports: self.ports,
            traffic: self.traffic,
            overload: self.overload,
            load: self.load,
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
            vary: arguments.variables.into_iter().map(|Variable(name, values)| (name, values)).collect(),
        }
    }
}

impl LimitArgs {
    /// A search for each number of ports.
    pub(crate) fn searches(self) -> Vec<Search> {
        let Pattern { ports, traffic, overload, arrivals } = self.pattern;
        let request = self.resources.limit(Request {
            switches: self.switches,
            traffic,
            overload,
            arrivals,
            slots: self.slots,
            replications: self.replications,
            seed: self.seed.seed,
            ..Request::default()
        });
        let search = |ports| Search { request: Request { ports, ..request.clone() }, precision: self.precision };
        match ports {
            None => vec![search(None)],
            Some(ports) => ports.0.into_iter().map(|ports| search(Some(ports))).collect(),
        }
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
