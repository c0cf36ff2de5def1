//! A chart as text for a terminal.

use super::Chart;

/// Size and manner of a chart in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Characters in a line.
    pub columns: usize,
    /// Lines, without the legend.
    pub rows: usize,
    /// Whether to write ANSI colours.
    pub colour: bool,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { columns: 80, rows: 24, colour: false }
    }
}

pub(super) fn draw(chart: &Chart, _terminal: &Terminal) -> String {
    chart.title.clone()
}
