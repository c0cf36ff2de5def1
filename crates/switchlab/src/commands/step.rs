//! `switchlab step`.

use crate::{cli, output};
use switchlab_lab::Request;
use switchlab_lab::report::step::{StepReport, heading, text};
use switchlab_lab::step::Steps;

pub(crate) fn step(arguments: cli::StepArgs) -> anyhow::Result<()> {
    let (first, count, messages, json) = (arguments.slot, arguments.slots, arguments.messages, arguments.json);
    let steps = Steps::new(&Request::from(arguments), first, count, messages)?;
    if json { as_json(steps) } else { as_text(steps) }
}

/// Writes each slot when it is known.
fn as_text(steps: Steps) -> anyhow::Result<()> {
    let about = steps.about.clone();
    let width = output::width();
    let mut above = heading(&about, width);
    for step in steps {
        output::say(&(std::mem::take(&mut above) + &text(&about, &step?, width)))?;
    }
    Ok(())
}

/// One array, a slot at a time, as if it were written at once. If the switch stops, it ends with
/// the slot before.
fn as_json(steps: Steps) -> anyhow::Result<()> {
    let about = steps.about.clone();
    let mut shown = false;
    let mut end = Ok(());
    for step in steps {
        match step {
            Ok(step) => {
                // A string in JSON has no line breaks: all of them are between lines.
                let report = serde_json::to_string_pretty(&StepReport::new(&about, &step))?.replace('\n', "\n  ");
                output::say(&format!("{}\n  {report}", if shown { "," } else { "[" }))?;
                shown = true;
            }
            Err(error) => end = Err(error),
        }
    }
    if shown {
        output::say("\n]\n")?;
    }
    Ok(end?)
}
