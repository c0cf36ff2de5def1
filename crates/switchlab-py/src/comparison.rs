//! Comparisons at one point.

use crate::errors::{defect, raise};
use crate::request::Arguments;
use crate::work::work;
use pyo3::prelude::*;
use switchlab_lab::compare as compare_plan;
use switchlab_lab::compare::Comparison as Compared;
use switchlab_lab::export::Table;
use switchlab_lab::figure::{Kind, of_comparison};
use switchlab_lab::memory::Needs;
use switchlab_lab::picture::Picture;
use switchlab_lab::plan::Plan;
use switchlab_lab::plot::Size;
use switchlab_lab::report::Report;
use switchlab_lab::report::table::{Style, data, table};

/// How a picture looks: what it shows, its title (none if empty), names of lines, width.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Look {
    pub(crate) kind: String,
    pub(crate) y: Option<String>,
    title: Option<String>,
    labels: Vec<(String, String)>,
    width: Option<String>,
}

impl Look {
    pub(crate) fn kind(&self) -> PyResult<Kind> {
        match self.kind.as_str() {
            "curve" => Ok(Kind::Curve),
            "ccdf" => Ok(Kind::Ccdf),
            "backlog" => Ok(Kind::Backlog),
            "matrix" => Ok(Kind::Matrix),
            "voq" => Ok(Kind::Voq),
            other => {
                let kinds = "\"curve\", \"ccdf\", \"backlog\", \"matrix\" or \"voq\"";
                Err(crate::errors::invalid(format!("kind is {kinds}, not {other:?}")))
            }
        }
    }

    /// The picture as SVG.
    pub(crate) fn svg(&self, mut picture: Picture) -> PyResult<String> {
        let size = self
            .width
            .as_deref()
            .map_or(Ok(Size::default()), |width| Size::parse(width).map_err(crate::errors::invalid))?;
        match self.title.as_deref() {
            Some("") => picture.hide_title(),
            Some(title) => picture.set_title(title),
            None => {}
        }
        picture.relabel(&self.labels).map_err(|error| raise(&error))?;
        Ok(picture.to_svg(&size))
    }
}

/// A value as the program prints it with `--json`.
pub(crate) fn json(value: &impl serde::Serialize) -> PyResult<String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| defect(error.to_string()))?;
    Ok(text + "\n")
}

/// A table as JSON, with the names of its columns in order.
pub(crate) fn tidy(table: &Table) -> PyResult<(String, String)> {
    Ok((table.csv_text(), json(&table.json())?))
}

/// Switches compared on the same arrivals.
#[pyclass(frozen)]
pub(crate) struct Comparison {
    plan: Plan,
    compared: Compared,
    per_port: bool,
}

#[pymethods]
impl Comparison {
    /// The reports, as `run --json` prints them.
    fn json(&self) -> PyResult<String> {
        json(&Report::all(&self.plan, &self.compared, self.per_port))
    }

    /// The table, as `run` prints it.
    fn table(&self, width: usize) -> String {
        table(&self.plan, &self.compared, Style { width, ..Style::default() })
    }

    /// The tidy table: CSV and JSON.
    fn tidy(&self) -> PyResult<(String, String)> {
        tidy(&data(&self.plan, &self.compared))
    }

    /// A picture as SVG.
    fn svg(&self, look: Look) -> PyResult<String> {
        look.svg(of_comparison(look.kind()?, &self.plan, &self.compared))
    }

    /// Warnings for the user, and notes that are none.
    fn messages(&self) -> (Vec<String>, Vec<String>) {
        (self.compared.warnings.iter().map(ToString::to_string).collect(), self.plan.notes.clone())
    }
}

/// Compares switches at one point.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    arguments: Arguments,
    per_port: bool,
    watch: Option<Py<PyAny>>,
) -> PyResult<(Comparison, Option<String>)> {
    let request = arguments.request()?;
    let done = work(py, watch.as_ref(), |progress| {
        let plan = request.resolve()?;
        let warning = Needs::of(&plan)?.warning;
        let mut compared = compare_plan(&plan, progress)?;
        match compared.unwritten.take() {
            Some(error) => Err(error),
            None => Ok((plan, compared, warning)),
        }
    });
    let (plan, compared, warning) = done?;
    Ok((Comparison { plan, compared, per_port }, warning))
}
