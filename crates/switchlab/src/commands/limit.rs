//! `switchlab limit`.

use crate::cli::Shape;
use crate::{cli, output};
use switchlab_lab::Progress;
use switchlab_lab::limit::search_all;
use switchlab_lab::report::limit::{LimitReport, data, markdown, table};

pub(crate) fn limit(arguments: cli::LimitArgs) -> anyhow::Result<()> {
    let shape = arguments.form.shape();
    let limits = search_all(&arguments.searches(), &Progress::new())?;
    for note in limits.iter().flat_map(|limits| &limits.notes) {
        output::note(&format!("note: {note}"));
    }
    match shape {
        Shape::Json => output::say_json(&LimitReport::all(&limits)),
        Shape::Csv => output::say(&data(&limits).csv_text()),
        Shape::Markdown => output::say(&markdown(&limits)),
        Shape::Text => output::say(&table(&limits, output::width())),
    }
}
