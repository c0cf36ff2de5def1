//! Small real results, for tests of reports, figures and claims.

use crate::experiment::{Experiment, Figure, PointSpec, ResultPoint, Results, Select};
use crate::progress::Progress;
use crate::run::Run;
use std::collections::BTreeMap;

/// Short runs on 8 ports.
pub(crate) fn results(switches: &[&str], loads: &[f64], replications: u32) -> Results {
    results_on("uniform", switches, loads, replications)
}

/// The same on other traffic.
pub(crate) fn results_on(traffic: &str, switches: &[&str], loads: &[f64], replications: u32) -> Results {
    let point = |switch: &str, load: f64| {
        let spec = PointSpec {
            switch: switch.to_string(),
            ports: 8,
            traffic: traffic.to_string(),
            arrivals: "bernoulli".to_string(),
            load,
            vary: BTreeMap::new(),
            slots: 20_000,
            warmup: 2000,
            seed: 1,
            drains: false,
        };
        let plan = spec.plan().unwrap();
        let measure = |replication| {
            let mut run = Run::new(&plan, 0, replication).unwrap();
            run.advance(spec.warmup, None, &Progress::none()).unwrap();
            run.open();
            run.advance(spec.slots, None, &Progress::none()).unwrap();
            run.measured()
        };
        let runs: Vec<_> = (0..replications).map(measure).collect();
        ResultPoint::new(spec, &runs)
    };
    loads.iter().flat_map(|&load| switches.iter().map(move |switch| point(switch, load))).collect()
}

/// A metric against load, by switch.
pub(crate) fn figure(metric: &str) -> Figure {
    Figure {
        id: metric.replace('.', "-"),
        title: format!("{metric} against load"),
        x: "load".to_string(),
        y: metric.to_string(),
        series: "switch".to_string(),
        log_x: false,
        log_y: metric != "throughput",
        x_label: String::new(),
        y_label: String::new(),
        select: Select::default(),
        references: Vec::new(),
        ratio: None,
    }
}

/// An experiment with one figure and no claims.
pub(crate) fn experiment(id: &str, figures: Vec<Figure>) -> Experiment {
    Experiment {
        id: id.to_string(),
        title: format!("What {id} shows"),
        source: "A paper, Fig. 1".to_string(),
        switches: vec!["oq".to_string(), "fifo".to_string()],
        ports: vec![8],
        traffic: vec!["uniform".to_string()],
        arrivals: vec!["bernoulli".to_string()],
        loads: vec![0.3, 0.5, 0.8],
        vary: BTreeMap::new(),
        slots: 20_000,
        lengths: Vec::new(),
        warmup: 2000,
        replications: 3,
        precision: None,
        most_replications: 12,
        seed: 1,
        figures,
        claims: Vec::new(),
    }
}
