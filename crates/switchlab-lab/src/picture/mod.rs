//! Pictures as files: SVG, PNG for slides, PDF for papers, by the extension of the file.
//!
//! ```text
//!   Chart, HeatMap, drawing ──► SVG ──outline (text to paths)──► usvg ──► raster ──► PNG
//!                                                                   └──► pdf ──────► PDF
//! ```
//!
//! PNG and PDF need the feature `png`. No font of the machine is used: letters are drawn from Noto
//! Sans, which the program carries, so that the bytes are the same everywhere. Letting resvg set
//! the type was rejected: its shaping costs three times the build of the rest, and pictures hold
//! nothing that needs shaping. A crate for PDF was rejected: what a chart needs of PDF is paths.

#[cfg(feature = "png")]
mod outline;
#[cfg(feature = "png")]
mod pdf;
#[cfg(feature = "png")]
mod raster;

use crate::error::LabError;
use crate::files::replace;
use crate::plot::{Chart, HeatMap, Size};
use std::path::Path;

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For pages on screens.
    Svg,
    /// For slides, and for those who cannot take SVG.
    Png,
    /// For papers.
    Pdf,
}

impl Format {
    /// The formats that this program can write.
    pub const ALL: &'static [Self] =
        if cfg!(feature = "png") { &[Self::Svg, Self::Png, Self::Pdf] } else { &[Self::Svg] };

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    /// The format that the name of a file asks for. A FIFO or a device has no extension: it gets
    /// SVG. Asked before the work whose result the file takes.
    pub fn of(path: &Path) -> Result<Self, LabError> {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        let named = |format: &&Self| Some(format.extension()) == extension.as_deref();
        if let Some(format) = Self::ALL.iter().find(named) {
            return Ok(*format);
        }
        let stream = std::fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir());
        if stream && extension.is_none() {
            return Ok(Self::Svg);
        }
        let known = [Self::Svg, Self::Png, Self::Pdf];
        Err(LabError::Request(if known.iter().any(|format| named(&format)) {
            format!("{}: this program was built without PNG and PDF; write .svg", path.display())
        } else {
            format!("{}: pictures are written as .svg, .png or .pdf, by the extension of the file", path.display())
        }))
    }

    /// An SVG of this crate in this format. `density` is the number of pixels of a PNG for each
    /// pixel of the SVG.
    pub fn encode(self, svg: &str, density: f32) -> Result<Vec<u8>, LabError> {
        let bytes = match self {
            Self::Svg => return Ok(svg.as_bytes().to_vec()),
            #[cfg(feature = "png")]
            Self::Png => raster::render(svg, density),
            #[cfg(feature = "png")]
            Self::Pdf => pdf::render(svg),
            #[cfg(not(feature = "png"))]
            Self::Png | Self::Pdf => Err(format!("built without the feature png (density {density})")),
        };
        let failed =
            |problem| LabError::Request(format!("the picture cannot be written as {}: {problem}", self.extension()));
        bytes.map_err(failed)
    }
}

/// A picture of results.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Lines or dots.
    Chart(Chart),
    /// A matrix.
    HeatMap(HeatMap),
}

impl Picture {
    /// As SVG.
    pub fn to_svg(&self, size: &Size) -> String {
        match self {
            Self::Chart(chart) => chart.to_svg_sized(size),
            Self::HeatMap(map) => map.to_svg_sized(size),
        }
    }

    /// In a format.
    pub fn encode(&self, format: Format, size: &Size) -> Result<Vec<u8>, LabError> {
        format.encode(&self.to_svg(size), size.density())
    }

    /// Writes a file, in the format that its name asks for.
    pub fn write(&self, path: &Path, size: &Size) -> Result<(), LabError> {
        replace(path, &self.encode(Format::of(path)?, size)?)
    }

    /// Another title.
    pub fn set_title(&mut self, text: &str) {
        match self {
            Self::Chart(chart) => chart.title = text.to_string(),
            Self::HeatMap(map) => map.title = text.to_string(),
        }
    }

    /// Without title and subtitle, for a figure with a caption.
    pub fn hide_title(&mut self) {
        match self {
            Self::Chart(chart) => chart.titled = false,
            Self::HeatMap(map) => map.titled = false,
        }
    }

    /// Other names for series, which are given by what they are called or by the spec of their
    /// switch. A switch that is only named in the notes, because it is unstable, is renamed there.
    /// An error if there is no such name.
    pub fn relabel(&mut self, labels: &[(String, String)]) -> Result<(), LabError> {
        let Self::Chart(chart) = self else {
            return if labels.is_empty() {
                Ok(())
            } else {
                Err(LabError::Request("a heat map has no series to label".to_string()))
            };
        };
        let before: Vec<(String, Option<String>)> =
            chart.series.iter().map(|series| (series.name.clone(), series.full.clone())).collect();
        for (spec, text) in labels {
            let canonical = crate::registry::switch(spec).map_or_else(|_| spec.clone(), |it| it.args.to_string());
            let mut found = false;
            for (series, (name, full)) in chart.series.iter_mut().zip(&before) {
                let full = full.as_deref().unwrap_or(name);
                if [spec, &canonical].iter().any(|wanted| *wanted == name || *wanted == full) {
                    let base = chart.ratio.as_ref() == Some(&series.name);
                    series.name.clone_from(text);
                    if base {
                        chart.ratio = Some(text.clone());
                    }
                    found = true;
                }
            }
            if let Some(footer) = &mut chart.footer {
                let full = before.iter().find(|(_, full)| full.as_ref() == Some(&canonical)).map(|(name, _)| name);
                let wanted: Vec<&str> =
                    [Some(spec), Some(&canonical), full].into_iter().flatten().map(|it| &**it).collect();
                found |= rename_in_notes(footer, &wanted, text);
            }
            if !found {
                let names: Vec<_> = before.iter().map(|(name, _)| name.as_str()).collect();
                let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
                return Err(LabError::Request(format!("--label {spec}: there is no such series; there is: {names}")));
            }
        }
        Ok(())
    }
}

/// Renames a switch in the lists of names at the ends of notes, "unstable at load 0.9: pim, rrm".
/// Whether it was there.
fn rename_in_notes(footer: &mut String, wanted: &[&str], text: &str) -> bool {
    let mut found = false;
    let rename = |line: &str| match line.rsplit_once(": ") {
        Some((what, names)) => {
            let separator = if names.contains("; ") { "; " } else { ", " };
            let renamed =
                names.split(separator).map(|name| if wanted.contains(&name) { (text, true) } else { (name, false) });
            let (names, hits): (Vec<&str>, Vec<bool>) = renamed.unzip();
            found |= hits.contains(&true);
            format!("{what}: {}", names.join(separator))
        }
        None => line.to_string(),
    };
    let lines: Vec<String> = footer.lines().map(rename).collect();
    *footer = lines.join("\n");
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Series};

    #[test]
    fn a_switch_in_the_notes_is_renamed_there() {
        let mut footer = "Whiskers: 95 % intervals\nunstable from load 0.8 on: pim, rrm".to_string();
        assert!(rename_in_notes(&mut footer, &["pim", "pim(iterations=1)"], "PIM"));
        assert_eq!(footer, "Whiskers: 95 % intervals\nunstable from load 0.8 on: PIM, rrm");
        assert!(!rename_in_notes(&mut footer, &["oq"], "ideal"));
        assert_eq!(footer, "Whiskers: 95 % intervals\nunstable from load 0.8 on: PIM, rrm");
    }

    #[test]
    fn extensions_decide() {
        assert_eq!(Format::of(Path::new("a/b.svg")).unwrap(), Format::Svg);
        for bad in ["x", "x.jpg", "x.svg.gz", "svg", ".svg"] {
            assert!(Format::of(Path::new(bad)).unwrap_err().to_string().contains(".svg, .png or .pdf"), "{bad}");
        }
        #[cfg(feature = "png")]
        assert_eq!(["x.PNG", "x.pdf"].map(|name| Format::of(Path::new(name)).unwrap()), [Format::Png, Format::Pdf]);
        #[cfg(unix)]
        assert_eq!(Format::of(Path::new("/dev/null")).unwrap(), Format::Svg);
    }

    #[test]
    fn labels_replace_names() {
        let chart = Chart::new("t", Axis::linear("x"), Axis::linear("y"))
            .series(
                Series::new("islip", [(0.0, 1.0), (1.0, 2.0)]).of_switch("islip(iterations=1)", "islip(iterations=1)"),
            )
            .ratio("islip");
        let mut picture = Picture::Chart(chart);
        picture.relabel(&[("islip".to_string(), "iSLIP".to_string())]).unwrap();
        let Picture::Chart(chart) = &picture else { panic!("still a chart") };
        assert_eq!((chart.series[0].name.as_str(), chart.ratio.as_deref()), ("iSLIP", Some("iSLIP")));
        assert!(picture.relabel(&[("pim".to_string(), String::new())]).unwrap_err().to_string().contains("iSLIP"));
    }
}
