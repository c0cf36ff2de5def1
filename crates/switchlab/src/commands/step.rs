//! `switchlab step`.

use crate::{cli, output};
use switchlab_lab::Request;
use switchlab_lab::report::step::{StepReport, text};
use switchlab_lab::step::steps;

pub(crate) fn step(arguments: cli::Step) -> anyhow::Result<()> {
    let request = Request {
        switches: vec![arguments.switch],
        ports: arguments.ports,
        traffic: arguments.traffic,
        load: arguments.load,
        arrivals: arguments.arrivals,
        seed: arguments.seed,
        ..Request::default()
    };
    let steps = steps(&request, arguments.slot, arguments.slots, arguments.messages)?;
    if arguments.json {
        output::say(&(serde_json::to_string_pretty(&StepReport::all(&steps))? + "\n"))
    } else {
        output::say(&text(&steps))
    }
}
