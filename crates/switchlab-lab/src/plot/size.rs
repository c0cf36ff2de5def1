//! How large a picture is, and how large its type.

/// Pixels in an inch, as CSS defines them.
const PER_INCH: f64 = 96.0;
const PER_MILLIMETRE: f64 = PER_INCH / 25.4;
/// The widths that can be laid out, in pixels. The least one is 45 mm.
const WIDTHS: (f64, f64) = (170.0, 4000.0);
/// The height of a picture whose height is not given, in widths.
const ASPECT: f64 = 0.625;

/// The size of a picture: for screens in pixels, or for print in physical units.
///
/// In print, type is 7 to 8 points high whatever the width, so that a figure can go into a column
/// of a journal as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    width: f64,
    height: f64,
    print: bool,
}

impl Default for Size {
    fn default() -> Self {
        Self::screen(800, 500)
    }
}

impl Size {
    /// A size in pixels, on a screen. The width is kept between 240 and 4000; the height is a least
    /// height.
    pub fn screen(width: u32, height: u32) -> Self {
        Self { width: f64::from(width.clamp(240, 4000)), height: f64::from(height.min(4000)), print: false }
    }

    /// A width in millimetres, in print, from 45 mm to about a metre.
    pub fn print(millimetres: f64) -> Self {
        let width = (millimetres * PER_MILLIMETRE).clamp(WIDTHS.0, WIDTHS.1);
        Self { width, height: width * ASPECT, print: true }
    }

    /// A width with its unit: `88mm`, `8.8cm`, `3.5in`, or `600px` for a screen.
    pub fn parse(text: &str) -> Result<Self, String> {
        let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4), ("px", 1.0 / PER_MILLIMETRE)];
        let found = units.iter().find_map(|(unit, factor)| Some((*unit, text.strip_suffix(unit)?, *factor)));
        let wrong = || "write a width with its unit, such as 88mm, 8.8cm, 3.5in or 600px".to_string();
        let (unit, number, factor) = found.ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let least = if unit == "px" { 240.0 } else { WIDTHS.0 };
        let pixels = number * factor * PER_MILLIMETRE;
        if !(least..=WIDTHS.1).contains(&(pixels + 1e-9)) {
            return Err(format!(
                "the width must be from {:.0} to {:.0} {unit}",
                (least / PER_MILLIMETRE / factor).ceil(),
                (WIDTHS.1 / PER_MILLIMETRE / factor).floor()
            ));
        }
        let height = (pixels * ASPECT).round() as u32;
        Ok(if unit == "px" { Self::screen(pixels.round() as u32, height) } else { Self::print(number * factor) })
    }

    /// The width in pixels.
    pub(super) fn width(&self) -> f64 {
        self.width
    }

    /// The least height in pixels.
    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// The least height of a plot area in pixels. In print it does not shrink for names and notes:
    /// the figure becomes higher.
    pub(super) fn least_frame(&self) -> f64 {
        if self.print { self.width * 0.5 } else { self.sizes().tick * 9.0 }
    }

    /// Whether it is for print.
    pub(super) fn is_print(&self) -> bool {
        self.print
    }

    /// Pixels of a PNG for each of the SVG: sharp on dense screens, and 300 to an inch in print.
    pub fn density(&self) -> f32 {
        if self.print { 300.0 / PER_INCH as f32 } else { 2.0 }
    }

    /// The `width` and `height` of an SVG, from its size in pixels.
    pub(super) fn attributes(&self, (width, height): (f64, f64)) -> String {
        let px = super::text::px;
        let (w, h) = (px(width), px(height));
        let length = |pixels: f64, text: &str| {
            if self.print { format!("{}mm", px(pixels / PER_MILLIMETRE)) } else { text.to_string() }
        };
        format!("width=\"{}\" height=\"{}\" viewBox=\"0 0 {w} {h}\"", length(width, &w), length(height, &h))
    }

    /// The sizes of type.
    pub(super) fn sizes(&self) -> Sizes {
        match (self.print, self.width < 560.0) {
            (true, _) => PRINT,
            (false, true) => NARROW,
            (false, false) => WIDE,
        }
    }
}

/// Sizes of type and strokes in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) title: f64,
    pub(super) subtitle: f64,
    pub(super) label: f64,
    pub(super) tick: f64,
    pub(super) footer: f64,
    pub(super) pad: f64,
    pub(super) marker: f64,
    pub(super) stroke: f64,
    /// Of axes and grids.
    pub(super) hair: f64,
}

impl Sizes {
    /// The attribute of a thin line, after a blank; nothing for one pixel, which is the default.
    pub(super) fn hairline(&self) -> String {
        if self.hair == 1.0 { String::new() } else { format!(" stroke-width=\"{}\"", super::text::px(self.hair)) }
    }

    /// How long a tick is, one with a number or a minor one.
    pub(super) fn tick_length(&self, numbered: bool) -> f64 {
        self.tick * if numbered { 0.45 } else { 0.25 }
    }
}

const WIDE: Sizes = Sizes {
    title: 20.0,
    subtitle: 14.5,
    label: 14.0,
    tick: 13.5,
    footer: 12.0,
    pad: 20.0,
    marker: 3.6,
    stroke: 2.0,
    hair: 1.0,
};
const NARROW: Sizes = Sizes {
    title: 15.5,
    subtitle: 12.0,
    label: 12.0,
    tick: 11.5,
    footer: 10.5,
    pad: 12.0,
    marker: 2.9,
    stroke: 2.0,
    hair: 1.0,
};
/// In points: 8, 7.5, 7.5, 7.5 and 7. A point is 4/3 of a pixel.
const PRINT: Sizes = Sizes {
    title: 10.67,
    subtitle: 10.0,
    label: 10.0,
    tick: 10.0,
    footer: 9.34,
    pad: 4.0,
    marker: 2.2,
    stroke: 1.25,
    hair: 0.6,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_have_units() {
        assert_eq!(Size::parse("88mm"), Ok(Size::print(88.0)));
        assert_eq!(Size::parse("8.8cm"), Ok(Size::print(88.0)));
        assert_eq!(Size::parse("2in"), Ok(Size::print(50.8)));
        assert_eq!(Size::parse("640px"), Ok(Size::screen(640, 400)));
        for bad in ["", "88", "mm", "-3mm", "1mm", "NaNmm", "1e9in", "88pt"] {
            assert!(Size::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn type_in_print_is_seven_to_eight_points() {
        for millimetres in [45.0, 88.0, 180.0] {
            let Sizes { title, subtitle, label, tick, footer, .. } = Size::print(millimetres).sizes();
            let points = [title, subtitle, label, tick, footer].map(|pixels| pixels * 72.0 / PER_INCH);
            assert!(points.iter().all(|points| (7.0..=8.01).contains(points)), "{points:?}");
        }
    }
}
