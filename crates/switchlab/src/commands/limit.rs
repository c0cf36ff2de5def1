//! `switchlab limit`.

use crate::cli::Shape;
use crate::{cli, output};
use switchlab_lab::limit::Search;
use switchlab_lab::report::limit::{LimitReport, data, markdown, table};
use switchlab_lab::{Progress, Request};

pub(crate) fn limit(arguments: cli::LimitArgs) -> anyhow::Result<()> {
    let (precision, shape) = (arguments.precision, arguments.form.shape());
    let search = Search { request: Request::from(arguments), precision };
    let limits = search.run(&Progress::new())?;
    for note in &limits.notes {
        output::note(&format!("note: {note}"));
    }
    match shape {
        Shape::Json => output::say_json(&LimitReport::all(&limits)),
        Shape::Csv => output::say(&data(&limits).csv_text()),
        Shape::Markdown => output::say(&markdown(&limits)),
        Shape::Text => output::say(&table(&limits)),
    }
}
