//! `switchlab limit`.

use crate::{cli, output};
use switchlab_lab::limit::Search;
use switchlab_lab::report::limit::{LimitReport, table};
use switchlab_lab::{Progress, Request};

pub(crate) fn limit(arguments: cli::Limit) -> anyhow::Result<()> {
    let search = Search {
        request: Request {
            switches: arguments.switches,
            ports: arguments.ports,
            traffic: arguments.traffic,
            arrivals: arguments.arrivals,
            slots: arguments.slots,
            replications: arguments.replications,
            seed: arguments.seed,
            memory: arguments.memory,
            threads: arguments.threads,
            ..Request::default()
        },
        precision: arguments.precision,
    };
    let limits = search.run(&Progress::new())?;
    for note in &limits.notes {
        output::note(&format!("note: {note}"));
    }
    if arguments.json {
        output::say(&(serde_json::to_string_pretty(&LimitReport::all(&limits))? + "\n"))
    } else {
        output::say(&table(&limits))
    }
}
