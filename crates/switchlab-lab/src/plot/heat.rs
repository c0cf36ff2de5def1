//! Heat maps: a matrix of values as colours, light to dark, with a bar that says what they mean.

use super::Axis;
use super::geometry::{Place, Rect};
use super::layout::{heading, height, number_width};
use super::scale::{Fit, Mapping};
use super::size::{Size, Sizes};
use super::svg::{AXIS, STRONG, Writer, notes_height};
use super::text::{px, width, wrap};
use super::ticks::{Number, Tick, ticks};

/// Cells in a row at most: more cannot be told apart. Larger matrices are drawn as means of blocks.
const MOST: usize = 128;
/// Colours of the bar.
const SHADES: usize = 64;
/// From the fields to the bar, and the width of the bar, in sizes of the numbers.
const GAP: f64 = 1.6;
const BAR: f64 = 1.1;

/// A matrix of values that are not negative: rates from inputs to outputs, occupancies of VOQs.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// What it shows.
    pub title: String,
    /// Whether title and subtitle are drawn.
    pub titled: bool,
    /// The circumstances.
    pub subtitle: Option<String>,
    /// What the columns are, as "output".
    pub columns: String,
    /// What the rows are, as "input".
    pub rows: String,
    /// The values, row by row, the first row on top. Rows of different lengths are filled with
    /// nothing.
    pub values: Vec<Vec<f64>>,
    /// The quantity and its unit.
    pub label: String,
    /// Notes below the picture.
    pub footer: Option<String>,
}

impl HeatMap {
    /// A matrix of values from inputs, its rows, to outputs, its columns.
    pub fn new(title: impl Into<String>, label: impl Into<String>, values: Vec<Vec<f64>>) -> Self {
        Self {
            title: title.into(),
            titled: true,
            subtitle: None,
            columns: "output".to_string(),
            rows: "input".to_string(),
            values,
            label: label.into(),
            footer: None,
        }
    }

    /// The map as a self-contained SVG document. On a screen it is no wider than it needs to be.
    pub fn to_svg_sized(&self, size: &Size) -> String {
        let (cells, block) = blocks(&self.values);
        let values = cells.iter().flatten().copied().filter(|value| value.is_finite());
        // From zero, so that a colour means the same share of the largest value in every picture.
        let scale = Mapping::new(&Axis::linear(&self.label), Fit::Round, values.chain([0.0]));
        let bar_ticks = ticks(&scale, 5);

        let sizes = size.sizes();
        let room = size.width() - 2.0 * sizes.pad;
        let [title, subtitle] = heading(self.titled, &self.title, self.subtitle.as_deref().unwrap_or(""), &sizes, room);
        let mut notes: Vec<String> = self.footer.as_deref().unwrap_or("").lines().map(str::to_string).collect();
        if block > 1 {
            notes.push(format!("Each field is the mean over {block} x {block} ports"));
        }
        let (footer, foot) = notes_height(&notes, &sizes, room);
        let head = sizes.pad + height(&title, sizes.title) + height(&subtitle, sizes.subtitle);
        let legend = wrap(&self.label, sizes.tick, room, 2);
        let numbers = bar_ticks.iter().filter_map(|tick| tick.number.as_ref());
        let bar_numbers = numbers.map(|number| number_width(number, sizes.tick)).fold(0.0, f64::max);
        let row_label = capital(&self.rows);

        // Above the fields: the legend of the bar on the right, and below it on the left what the
        // rows are.
        let top = head + sizes.tick * 2.2 + height(&legend, sizes.tick);
        let left = sizes.pad + width(&(cells.len() * block).to_string(), sizes.tick) + 0.6 * sizes.tick;
        let beside = GAP * sizes.tick + BAR * sizes.tick + 0.5 * sizes.tick + bar_numbers;
        let below = sizes.tick * 3.6 + foot;
        let across = size.width() - left - beside - sizes.pad;
        let down = (size.height() - top - below).max(sizes.tick * 12.0);
        // In print the width is what was asked for.
        let side = if size.is_print() { across } else { across.min(down) }.max(40.0);
        let wide = cells.iter().map(Vec::len).max().unwrap_or(0);
        let count = wide.max(cells.len()).max(1) as f64;
        // Whole pixels where there is room for them, so that fields have sharp edges.
        let cell = if !size.is_print() && side / count >= 3.0 { (side / count).floor() } else { side / count };
        let frame = Rect { left, top, right: left + cell * wide as f64, bottom: top + cell * cells.len() as f64 };
        let lines =
            [(&title, sizes.title * 1.04), (&subtitle, sizes.subtitle), (&footer, sizes.footer), (&legend, sizes.tick)];
        let widest =
            lines.iter().flat_map(|(lines, size)| lines.iter().map(|line| width(line, *size))).fold(0.0, f64::max);
        let needed = (frame.right + beside).max(sizes.pad + widest) + sizes.pad;
        let extent = (if size.is_print() { size.width() } else { needed.min(size.width()) }, frame.bottom + below);

        let most = bar_ticks.iter().rev().find_map(|tick| tick.number.as_ref()).map(Number::plain).unwrap_or_default();
        let description =
            format!("Heat map of {} by {}: {}, from 0 (white) to {most} (dark).", self.rows, self.columns, self.label);
        let mut svg = Writer::begin(size, extent, &self.title, &description);
        svg.heading(&title, &subtitle, &sizes);
        fields(&mut svg, &cells, &scale, (left, top), cell);
        outline(&mut svg, &frame, &sizes);
        let tick = sizes.tick;
        let numbers_across = ports(wide, block, cell, tick * 1.5);
        svg.numbers(&numbers_across, tick, "middle", |place| (left + place * cell, frame.bottom + 1.4 * tick));
        let numbers_down = ports(cells.len(), block, cell, tick);
        svg.numbers(&numbers_down, tick, "end", |place| (left - 0.45 * tick, top + place * cell + 0.35 * tick));
        let strong = format!("fill=\"{STRONG}\"");
        let columns = [capital(&self.columns)];
        let at = (f64::midpoint(left, frame.right), frame.bottom + 2.9 * tick);
        svg.text(&columns, at, tick, &format!("{strong} text-anchor=\"middle\""));
        svg.text(&[row_label], (sizes.pad, top - 0.7 * tick), tick, &strong);
        let own = legend.iter().map(|line| width(line, tick)).fold(0.0, f64::max);
        let end = (frame.right + beside).max(sizes.pad + own);
        svg.text(&legend, (end, head + 1.5 * tick), tick, &format!("{strong} text-anchor=\"end\""));
        bar(&mut svg, &frame, &bar_ticks, &sizes);
        svg.footer(&footer, &sizes, extent.1);
        svg.end()
    }
}

/// The fields; neighbours of the same colour in one piece.
fn fields(svg: &mut Writer, cells: &[Vec<f64>], scale: &Mapping, (left, top): Place, cell: f64) {
    for (r, row) in cells.iter().enumerate() {
        let mut from = 0;
        for run in row.chunk_by(|a, b| shade(scale, *a) == shade(scale, *b)) {
            if let Some(colour) = shade(scale, run[0]) {
                // A hair wider and higher, so that no seam shows between fields.
                let seam = |inner: bool| if inner { 0.3 } else { 0.0 };
                svg.put(&format!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>",
                    px(left + cell * from as f64),
                    px(top + cell * r as f64),
                    px(cell * run.len() as f64 + seam(from + run.len() < row.len())),
                    px(cell + seam(r + 1 < cells.len()))
                ));
            }
            from += run.len();
        }
    }
}

/// The bar to the right of a frame, with its numbers.
fn bar(svg: &mut Writer, frame: &Rect, ticks: &[Tick], sizes: &Sizes) {
    let (left, tick) = (frame.right + GAP * sizes.tick, sizes.tick);
    let bar = Rect { left, right: left + BAR * tick, ..*frame };
    let step = bar.height() / SHADES as f64;
    for k in 0..SHADES {
        svg.put(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
            px(left),
            px(bar.bottom - step * (k + 1) as f64),
            px(bar.width()),
            px(step + if k > 0 { 0.3 } else { 0.0 }),
            colour((k as f64 + 0.5) / SHADES as f64)
        ));
    }
    outline(svg, &bar, sizes);
    svg.numbers(ticks, tick, "start", |place| (bar.right + 0.5 * tick, bar.at((0.0, place)).1 + 0.35 * tick));
}

fn outline(svg: &mut Writer, rect: &Rect, sizes: &Sizes) {
    svg.put(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{AXIS}\"{}/>",
        px(rect.left),
        px(rect.top),
        px(rect.width()),
        px(rect.height()),
        sizes.hairline()
    ));
}

/// The matrix, or the means of square blocks of it, and the side of a block.
fn blocks(values: &[Vec<f64>]) -> (Vec<Vec<f64>>, usize) {
    let longest = values.iter().map(Vec::len).max().unwrap_or(0).max(values.len());
    let block = longest.div_ceil(MOST).max(1);
    let mean = |rows: &[Vec<f64>], column: usize| {
        let cells = rows.iter().flat_map(|row| row.iter().skip(column * block).take(block)).filter(|v| v.is_finite());
        let (sum, count) = cells.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
        if count == 0 { f64::NAN } else { sum / f64::from(count) }
    };
    let row = |rows: &[Vec<f64>]| {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0).div_ceil(block);
        (0..columns).map(|column| mean(rows, column)).collect()
    };
    (values.chunks(block).map(row).collect(), block)
}

/// The numbers of some ports, at the middle of their fields.
fn ports(count: usize, block: usize, cell: f64, apart: f64) -> Vec<Tick> {
    let least = (apart / (cell * 0.7).max(0.1)).ceil().max(1.0) as usize;
    // Powers of two, as sizes of switches are.
    let every = least.next_power_of_two();
    let number = |k: usize| Number { text: (k * block).to_string(), superscript: None };
    (0..count).step_by(every).map(|k| Tick { place: k as f64 + 0.5, number: Some(number(k)) }).collect()
}

fn shade(scale: &Mapping, value: f64) -> Option<String> {
    let place = scale.place(value)?;
    (place > 0.0).then(|| colour(place.min(1.0)))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// From white over green-blue to a dark blue, from 0 to 1. Computed in Oklab (Ottosson 2020): its
/// lightness falls evenly, so that order is seen by any eyes and in a print without colours.
fn colour(place: f64) -> String {
    let lightness = 0.985 - 0.735 * place;
    // Most colourful in the middle, where screen and paper have room for it.
    let chroma = 0.115 * libm::sin(core::f64::consts::PI * (0.05 + 0.83 * place));
    let hue = (150.0 + 120.0 * place).to_radians();
    let (a, b) = (chroma * libm::cos(hue), chroma * libm::sin(hue));
    let cube = |value: f64| value * value * value;
    let [l, m, s] = [
        cube(lightness + 0.396_337_8 * a + 0.215_803_8 * b),
        cube(lightness - 0.105_561_3 * a - 0.063_854_2 * b),
        cube(lightness - 0.089_484_2 * a - 1.291_485_5 * b),
    ];
    let rgb = [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_9 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_1 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ];
    let code = rgb.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * libm::pow(c, 1.0 / 2.4) - 0.055 };
        (c * 255.0).round() as u8
    });
    format!("#{:02x}{:02x}{:02x}", code[0], code[1], code[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn darker_is_always_more() {
        let light = |place: f64| {
            let text = colour(place);
            let code = u32::from_str_radix(&text[1..], 16).unwrap();
            let channel = |shift: u32| f64::from(code >> shift & 255);
            0.299 * channel(16) + 0.587 * channel(8) + 0.114 * channel(0)
        };
        let shades: Vec<f64> = (0..=50).map(|k| light(f64::from(k) / 50.0)).collect();
        assert!(shades.windows(2).all(|pair| pair[1] < pair[0]), "{shades:?}");
        assert!(shades[0] > 245.0 && shades[50] < 60.0, "{shades:?}");
    }

    #[test]
    fn large_matrices_are_drawn_in_blocks() {
        let values: Vec<Vec<f64>> =
            (0..512).map(|i| (0..512).map(|j| f64::from(u32::from(i == j))).collect()).collect();
        let (cells, block) = blocks(&values);
        assert_eq!((cells.len(), cells[0].len(), block), (128, 128, 4));
        assert_eq!((cells[3][3], cells[3][4]), (0.25, 0.0));
        let svg = HeatMap::new("m", "rate", values).to_svg_sized(&Size::default());
        assert!(svg.contains("mean over 4 x 4 ports") && svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn odd_matrices_can_be_drawn() {
        for values in [vec![], vec![vec![]], vec![vec![f64::NAN, 1.0], vec![]], vec![vec![0.0; 3]; 2], vec![vec![5.0]]]
        {
            for size in [Size::default(), Size::print(45.0)] {
                let svg =
                    HeatMap::new("m", "a long label for the bar of a small map", values.clone()).to_svg_sized(&size);
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
