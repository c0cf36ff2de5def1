//! A picture as PNG.

use super::outline;
use resvg::{tiny_skia, usvg};

/// An SVG of this crate as PNG. `density` is the number of its pixels for each pixel of the SVG.
/// Text has a position and a size; its font is the embedded one, whatever the SVG asks for.
pub(super) fn render(svg: &str, density: f32) -> Result<Vec<u8>, String> {
    let outlined = outline::text_to_paths(svg)?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let size = tree.size();
    let (width, height) = ((size.width() * density).ceil() as u32, (size.height() * density).ceil() as u32);
    let mut picture = tiny_skia::Pixmap::new(width, height).ok_or("the picture has no size")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(density, density), &mut picture.as_mut());
    picture.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Chart, Series};

    fn chart() -> Chart {
        Chart::new("Größe & <x>", Axis::linear("Load ρ"), Axis::log("Delay"))
            .series(Series::new("islip(iterations=4)", [(0.1, 1e-6), (0.5, 3.0), (0.9, 1e6)]))
            .footer("95 % ± ↑ \u{fffd} 漢")
    }

    #[test]
    fn a_picture_of_twice_the_size_with_ink_and_the_same_bytes() {
        let bytes = render(&chart().to_svg(), 2.0).unwrap();
        assert_eq!(bytes, render(&chart().to_svg(), 2.0).unwrap());
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
        assert!(render("<svg xmlns=\"http://www.w3.org/2000/svg\"><text>x</text></svg>", 1.0).is_ok());
    }
}
