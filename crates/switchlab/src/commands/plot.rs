//! `switchlab plot`.

use crate::cli::{self, Logarithmic};
use crate::output;
use std::io::IsTerminal;
use std::path::Path;
use switchlab_lab::LabError;
use switchlab_lab::export::CSV;
use switchlab_lab::files::{check, refuse_input, replace};
use switchlab_lab::plot::{Chart, Terminal};
use switchlab_lab::tabulated::{View, chart};

pub(crate) fn plot(arguments: &cli::PlotArgs) -> anyhow::Result<()> {
    let file = if arguments.results.is_dir() { arguments.results.join(CSV) } else { arguments.results.clone() };
    let grows = arguments.y.starts_with("delay") || arguments.y == "backlog";
    let log = arguments.log.unwrap_or(if grows { Logarithmic::Y } else { Logarithmic::None });
    let view = View {
        x: arguments.x.clone(),
        y: arguments.y.clone(),
        series: arguments.series.clone(),
        only: arguments.only.clone(),
        log_x: matches!(log, Logarithmic::X | Logarithmic::Xy),
        log_y: matches!(log, Logarithmic::Y | Logarithmic::Xy),
    };
    if arguments.term {
        let chart = chart(&file, &view)?;
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(80);
        let terminal = Terminal { columns, colour: std::io::stdout().is_terminal(), ..Terminal::default() };
        return output::say(&chart.to_terminal(&terminal));
    }
    let beside = || file.with_file_name(format!("{}.svg", arguments.y.replace(['/', '\\'], "_")));
    let out = arguments.out.clone().unwrap_or_else(beside);
    refuse_input(&out, &file)?;
    check(&out)?;
    let chart = chart(&file, &view)?;
    replace(&out, &picture(&chart, &out)?)?;
    output::say(&format!("{}\n", out.display()))
}

/// The chart in the format that the file's name asks for.
fn picture(chart: &Chart, out: &Path) -> Result<Vec<u8>, LabError> {
    match out.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => Ok(chart.to_svg().into_bytes()),
        #[cfg(feature = "png")]
        Some("png") => switchlab_lab::png::png(chart).map_err(LabError::Request),
        #[cfg(not(feature = "png"))]
        Some("png") => Err(LabError::Request("this program was built without PNG; write .svg".to_string())),
        _ => Err(LabError::Request(format!("{}: write .svg or .png", out.display()))),
    }
}
