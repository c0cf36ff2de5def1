//! `switchlab list`.

use crate::output;
use switchlab_lab::listing::{Listed, listed};
use switchlab_lab::prose::wrap;

/// Lines are not wider than this, however wide the terminal is.
const WIDEST: usize = 80;

pub(crate) fn list(json: bool) -> anyhow::Result<()> {
    let listed = listed();
    if json {
        return output::say_json(&listed);
    }
    let sections = [
        ("switch", "Switches"),
        ("traffic", "Traffic"),
        ("arrival process", "Arrival processes"),
        ("calculation", "Calculations, for experiments"),
    ];
    let sections = sections.map(|(kind, title)| section(title, listed.iter().filter(|entry| entry.kind == kind)));
    output::say(&(sections.join("\n") + "\nswitchlab explain NAME has the parameters and the page of each.\n"))
}

/// Names and sentences, side by side and wrapped.
fn section<'a>(title: &str, entries: impl Iterator<Item = &'a Listed> + Clone) -> String {
    let longest = entries.clone().map(|entry| entry.name.len()).max().unwrap_or(0);
    let (indent, width) = (longest + 4, output::width().min(WIDEST));
    let line = |entry: &Listed| {
        let about = wrap(entry.about, width.saturating_sub(indent), 0).replace('\n', &format!("\n{:indent$}", ""));
        format!("  {:<longest$}  {about}\n", entry.name)
    };
    format!("{title}\n{}", entries.map(line).collect::<String>())
}
