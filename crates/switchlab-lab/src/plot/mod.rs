//! Charts and heat maps as SVG, charts also as terminal text, without dependencies.
//!
//! ```text
//!   Chart ──► scale, ticks ──► curve (clip, thin) ──► layout, labels ──► svg
//!         │              └──────────────────────────────────────────► terminal
//!         └─ one x only ──► dots ──► svg              HeatMap ──► heat ──► svg
//! ```
//!
//! A chart names each line where it ends, in the line's colour. If one name does not fit beside its
//! line, all names go to a key outside the plot area, each with a sample of its line. Nothing is
//! drawn across the plot area that is not data. Lines also differ in marker and dash, so that a
//! print in black and white can be read.
//!
//! A chart whose points all have the same x is drawn as a dot chart, a row for each series. A chart
//! without a point says so in words and has no axes. The same chart gives the same bytes. Nothing
//! here panics: what cannot be drawn (NaN, infinity, zero on a logarithmic axis) is left out, and
//! the notes below the chart say so.
//!
//! ```
//! use switchlab_lab::plot::{Axis, Chart, Point, Series, Terminal};
//!
//! let loads = (1..=19).map(|i| f64::from(i) / 20.0);
//! let ideal = loads.map(|load| (load, load / (2.0 * (1.0 - load))));
//! let measured = [0.2, 0.5, 0.8];
//! let measured =
//!     measured.map(|load| Point::new(load, 3.0 * load).interval(2.9 * load, 3.1 * load));
//! let chart = Chart::new("Mean delay", Axis::linear("Load"), Axis::log("Delay (slots)"))
//!     .subtitle("32 ports, uniform Bernoulli traffic")
//!     .series(Series::new("islip", measured))
//!     .series(Series::new("output queueing", ideal).reference())
//!     .footer("Whiskers: 95 % confidence intervals");
//! assert!(chart.to_svg().starts_with("<svg"));
//! assert!(chart.to_terminal(&Terminal::default()).contains("Mean delay"));
//! ```

mod curve;
mod dots;
mod geometry;
mod heat;
mod ink;
mod labels;
mod layout;
mod ratio;
mod scale;
mod size;
mod svg;
mod terminal;
mod text;
mod ticks;

#[cfg(test)]
mod tests;

pub use heat::HeatMap;
pub use size::Size;
pub use terminal::Terminal;
#[cfg(feature = "png")]
pub(crate) use text::width as text_width;
pub(crate) use text::{FONTS, escape};

/// A line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// Whether title and subtitle are drawn. A figure in a paper has a caption instead.
    pub titled: bool,
    /// The circumstances, in smaller type below the title.
    pub subtitle: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, the most important first.
    pub series: Vec<Series>,
    /// The name of a series by which the others are divided in a second panel below the first.
    pub ratio: Option<String>,
    /// Notes below the chart.
    pub footer: Option<String>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// The quantity in a word, as in "at load 0.9"; the label if absent.
    pub word: Option<String>,
    /// How values are spread along the axis.
    pub scale: Scale,
    /// The values at both ends; from the data if absent, or if it cannot be an axis (empty, not
    /// finite, not positive on a logarithmic scale).
    pub range: Option<(f64, f64)>,
}

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences take equal lengths.
    Linear,
    /// Equal ratios take equal lengths; values that are not positive cannot be shown.
    Log10,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Written where the line ends.
    pub name: String,
    /// The switch that it belongs to, by its name without parameters: it decides the colour.
    pub switch: Option<String>,
    /// The name in full, where [`Self::name`] is a short form; for the description of the chart.
    pub full: Option<String>,
    /// In any order: they are drawn by increasing `x`.
    pub points: Vec<Point>,
    /// How the points are connected.
    pub style: Style,
}

/// How the points of a series are connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Straight lines, with markers on the points.
    #[default]
    Line,
    /// Each value holds until the next point: an empirical distribution.
    Step,
    /// A dashed grey line without markers: theory to compare a measurement with.
    Reference,
}

/// One value, perhaps with an interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The lower and the upper end of its confidence interval.
    pub interval: Option<(f64, f64)>,
}

impl Chart {
    /// A chart without lines.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        let (title, series) = (title.into(), Vec::new());
        Self { title, titled: true, subtitle: None, x, y, series, ratio: None, footer: None }
    }

    /// Sets the line below the title.
    #[must_use]
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = Some(text.into());
        self
    }

    /// Adds a line.
    #[must_use]
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Sets the notes below the chart.
    #[must_use]
    pub fn footer(mut self, text: impl Into<String>) -> Self {
        self.footer = Some(text.into());
        self
    }

    /// Adds a panel with each series divided by the one of this name.
    #[must_use]
    pub fn ratio(mut self, base: impl Into<String>) -> Self {
        self.ratio = Some(base.into());
        self
    }

    /// The chart as a self-contained SVG document, 800 wide and 500 high.
    pub fn to_svg(&self) -> String {
        self.to_svg_sized(&Size::default())
    }

    /// The chart laid out anew for another size: type keeps its size, so a narrow chart stays
    /// readable. The height grows if titles, names or notes need it.
    pub fn to_svg_sized(&self, size: &Size) -> String {
        svg::draw(self, size)
    }

    /// The one x that all drawable points have, if there is only one.
    fn only_x(&self) -> Option<f64> {
        let measured = self.series.iter().filter(|series| series.style != Style::Reference);
        let mut xs = measured.flat_map(|series| &series.points).filter(|p| p.y.is_finite()).map(|p| p.x);
        let first = xs.next().filter(|x| x.is_finite())?;
        (self.ratio.is_none() && xs.all(|x| x == first)).then_some(first)
    }

    /// The chart as text for a terminal.
    pub fn to_terminal(&self, terminal: &Terminal) -> String {
        terminal::draw(self, terminal)
    }
}

impl Axis {
    /// An axis on which equal differences take equal lengths.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), word: None, scale: Scale::Linear, range: None }
    }

    /// An axis on which equal ratios take equal lengths.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), word: None, scale: Scale::Log10, range: None }
    }

    /// Sets the quantity in a word.
    #[must_use]
    pub fn word(mut self, word: impl Into<String>) -> Self {
        self.word = Some(word.into());
        self
    }

    /// Sets the values at both ends.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }
}

impl Series {
    /// A line with markers through points or `(x, y)` pairs.
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = impl Into<Point>>) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Self { name: name.into(), switch: None, full: None, points, style: Style::Line }
    }

    /// Names the switch, given by its spec, and the full name.
    #[must_use]
    pub fn of_switch(mut self, spec: &str, full: impl Into<String>) -> Self {
        let name = spec.split('(').next().unwrap_or(spec);
        self.switch = Some(name.to_string());
        self.full = Some(full.into());
        self
    }

    /// The same as a [`Style::Step`].
    #[must_use]
    pub fn step(mut self) -> Self {
        self.style = Style::Step;
        self
    }

    /// The same as a [`Style::Reference`].
    #[must_use]
    pub fn reference(mut self) -> Self {
        self.style = Style::Reference;
        self
    }
}

impl Point {
    /// A value without an interval.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, interval: None }
    }

    /// The same value with an interval from `low` to `high`.
    #[must_use]
    pub fn interval(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low, high));
        self
    }
}

impl From<(f64, f64)> for Point {
    fn from((x, y): (f64, f64)) -> Self {
        Self::new(x, y)
    }
}
