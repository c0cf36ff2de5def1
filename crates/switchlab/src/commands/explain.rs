//! `switchlab explain`.

use crate::output;
use switchlab_lab::explained::{Explained, explain as explain_name};
use switchlab_lab::prose::wrap_page;

pub(crate) fn explain(name: &str, quick: bool) -> anyhow::Result<()> {
    match explain_name(name, quick)? {
        Explained::Page(page) => output::say(&wrap_page(&page, output::width().min(100))),
        Explained::Experiment(text) => output::say(&text),
    }
}
