//! Charts as PNG, for slides and programs without SVG.
//!
//! Needs the feature `png`. No font of the machine is used: letters are drawn from Noto Sans, which
//! the program carries, so that the bytes are the same everywhere. Letting resvg set the type was
//! rejected: its shaping costs three times the build of the rest, and charts hold nothing that
//! needs shaping.

mod outline;

use crate::plot::Chart;
use resvg::{tiny_skia, usvg};

/// Pixels of the picture for each unit of the drawing: sharp on dense screens and in print.
const DENSITY: f32 = 2.0;

/// The chart as PNG, at twice the size of its SVG.
pub fn png(chart: &Chart) -> Result<Vec<u8>, String> {
    render(&chart.to_svg())
}

/// An SVG of ours as PNG. Its text may say where it stands and how large it is; fonts it asks for
/// are not looked for.
pub fn render(svg: &str) -> Result<Vec<u8>, String> {
    let outlined = outline::text_to_paths(svg)?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let size = tree.size();
    let (width, height) = ((size.width() * DENSITY).ceil() as u32, (size.height() * DENSITY).ceil() as u32);
    let mut picture = tiny_skia::Pixmap::new(width, height).ok_or("the chart has no size")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(DENSITY, DENSITY), &mut picture.as_mut());
    picture.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Series};

    fn chart() -> Chart {
        Chart::new("Größe & <x>", Axis::linear("Load ρ"), Axis::log("Delay"))
            .series(Series::new("islip(iterations=4)", [(0.1, 1e-6), (0.5, 3.0), (0.9, 1e6)]))
            .footer("95 % ± ↑ \u{fffd} 漢")
    }

    #[test]
    fn a_picture_of_twice_the_size_with_ink_and_the_same_bytes() {
        let bytes = png(&chart()).unwrap();
        assert_eq!(bytes, png(&chart()).unwrap());
        let picture = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
        assert_eq!((picture.width(), picture.height()), (1600, 1000));
        let dark = picture.pixels().iter().filter(|pixel| pixel.red() < 80 && pixel.alpha() == 255).count();
        assert!(dark > 1000, "{dark}");
    }

    #[test]
    fn every_text_becomes_a_path() {
        let svg = chart().to_svg();
        let outlined = outline::text_to_paths(&svg).unwrap();
        assert!(svg.contains("<text") && !outlined.contains("<text") && !outlined.contains("<tspan"));
        assert!(roxmltree::Document::parse(&outlined).is_ok());
        assert!(outline::text_to_paths("<svg").is_err());
        assert!(render("<svg xmlns=\"http://www.w3.org/2000/svg\"><text>x</text></svg>").is_ok());
    }
}
