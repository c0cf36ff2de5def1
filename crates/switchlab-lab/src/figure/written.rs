//! The files of a figure beside the results.

use super::{chart, csv};
use crate::error::LabError;
use crate::experiment::{Figure, ResultPoint};
use crate::files::replace;
use crate::picture::Format;
use crate::plot::Size;
use std::path::Path;

/// The files that were written of a figure.
#[derive(Debug, Default)]
pub struct Written {
    /// Kind and name of each, such as SVG and figure-delay.svg.
    pub files: Vec<(String, String)>,
    /// Formats that could not be made, and why.
    pub warnings: Vec<String>,
}

/// Writes a figure in all formats, and its data, to a directory.
pub fn write(figure: &Figure, results: &[ResultPoint], dir: &Path) -> Result<Written, LabError> {
    let mut written = Written::default();
    // The prefix keeps a figure called "results" from taking the place of the results.
    let name = |extension: &str| format!("figure-{}.{extension}", figure.id);
    let mut write = |kind: &str, extension: &str, content: &[u8]| {
        written.files.push((kind.to_string(), name(extension)));
        replace(&dir.join(name(extension)), content)
    };
    let svg = chart(figure, results).to_svg();
    for format in Format::ALL {
        let extension = format.extension();
        match format.encode(&svg, Size::default().density()) {
            Ok(bytes) => write(&extension.to_uppercase(), extension, &bytes)?,
            Err(problem) => written.warnings.push(format!("{}: {problem}", figure.id)),
        }
    }
    write("CSV", "csv", csv(figure, results).as_bytes())?;
    Ok(written)
}
