//! `switchlab limit`.

use crate::{cli, output};
use switchlab_lab::limit::Search;
use switchlab_lab::report::limit::{LimitReport, table};
use switchlab_lab::{Progress, Request};

pub(crate) fn limit(arguments: cli::LimitArgs) -> anyhow::Result<()> {
    let (precision, json) = (arguments.precision, arguments.json.json);
    let search = Search { request: Request::from(arguments), precision };
    let limits = search.run(&Progress::new())?;
    for note in &limits.notes {
        output::note(&format!("note: {note}"));
    }
    if json { output::say_json(&LimitReport::all(&limits)) } else { output::say(&table(&limits)) }
}
