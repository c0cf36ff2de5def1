//! Heat maps: a matrix of values as colours, light to dark, with a bar that says what they mean.

use super::layout::{heading, height, number_width};
use super::scale::{Fit, Mapping};
use super::size::Size;
use super::svg::{AXIS, STRONG, Writer, notes_height};
use super::text::{px, width, wrap};
use super::ticks::{Tick, ticks};
use super::{Axis, Scale};

/// Cells in a row at most: more cannot be told apart. Larger matrices are drawn as means of blocks.
const MOST: usize = 128;
/// Colours of the bar.
const SHADES: usize = 64;

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

    /// The map as a self-contained SVG document.
    pub fn to_svg_sized(&self, size: &Size) -> String {
        let (cells, block) = blocks(&self.values);
        let sizes = size.sizes();
        let (whole, room) = (size.width(), size.width() - 2.0 * sizes.pad);
        let wide = cells.iter().map(Vec::len).max().unwrap_or(0);
        let values = || cells.iter().flatten().copied().filter(|value| value.is_finite());
        let axis = Axis::linear(&self.label);
        // From zero, so that a colour means the same share of the largest value in every picture.
        let scale = Mapping::new(&axis, Fit::Round, values().chain([0.0]));

        let [title, subtitle] = heading(self.titled, &self.title, self.subtitle.as_deref().unwrap_or(""), &sizes, room);
        let mut notes: Vec<String> = self.footer.as_deref().unwrap_or("").lines().map(str::to_string).collect();
        if block > 1 {
            notes.push(format!("Each field is the mean over {block} x {block} ports"));
        }
        let (footer, foot) = notes_height(&notes, &sizes, room);
        let head = sizes.pad + height(&title, sizes.title) + height(&subtitle, sizes.subtitle);
        let row_label = format!("{} (first on top)", capital(&self.rows));
        let top = head + sizes.tick * 2.9;
        let bar_ticks = ticks(&scale, 5);
        let numbers = bar_ticks.iter().filter_map(|tick| tick.number.as_ref());
        let bar_numbers = numbers.map(|number| number_width(number, sizes.tick)).fold(0.0, f64::max);
        let row_numbers = width(&(cells.len() * block).to_string(), sizes.tick);
        let left = sizes.pad + row_numbers + 10.0;
        // The bar stands to the right: gap, bar, numbers.
        let beside = sizes.tick * 4.2 + bar_numbers;
        let below = sizes.tick * 2.5 + 12.0 + foot;
        let least = size.height() - top - below;
        let side = (whole - left - beside - sizes.pad).min(least.max(sizes.tick * 12.0)).max(40.0);
        let count = wide.max(cells.len()).max(1) as f64;
        // Whole pixels where there is room for them, so that fields have sharp edges.
        let cell = if side / count >= 3.0 { (side / count).floor() } else { side / count };
        let (right, bottom) = (left + cell * wide as f64, top + cell * cells.len() as f64);
        let extent = (whole, bottom + below);

        let description = format!(
            "Heat map of {} by {}: {}, from 0 (white) to {} (dark).",
            self.rows,
            self.columns,
            self.label,
            bar_ticks.iter().filter_map(|tick| tick.number.as_ref()).next_back().map(super::ticks::Number::plain).unwrap_or_default()
        );
        let mut svg = Writer::begin(size, extent, &self.title, &description);
        svg.heading(&title, &subtitle, &sizes);
        for (r, row) in cells.iter().enumerate() {
            let mut from = 0;
            for run in row.chunk_by(|a, b| shade(&scale, *a) == shade(&scale, *b)) {
                if let Some(colour) = shade(&scale, run[0]) {
                    // A hair wider and higher, so that no seam shows between fields.
                    svg.put(&format!(
                        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>",
                        px(left + cell * from as f64),
                        px(top + cell * r as f64),
                        px(cell * run.len() as f64 + if from + run.len() < row.len() { 0.3 } else { 0.0 }),
                        px(cell + if r + 1 < cells.len() { 0.3 } else { 0.0 })
                    ));
                }
                from += run.len();
            }
        }
        let outline = |x: f64, y: f64, w: f64, h: f64| {
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{AXIS}\"/>",
                px(x),
                px(y),
                px(w),
                px(h)
            )
        };
        svg.put(&outline(left, top, right - left, bottom - top));
        let across = ports(wide, block, cell, sizes.tick * 1.5);
        let down = ports(cells.len(), block, cell, sizes.tick);
        svg.numbers(&across, sizes.tick, "middle", |place| (left + place * cell, bottom + 5.0 + sizes.tick));
        svg.numbers(&down, sizes.tick, "end", |place| (left - 6.0, top + place * cell + 0.35 * sizes.tick));
        let strong = format!("fill=\"{STRONG}\"");
        let centred = format!("{strong} text-anchor=\"middle\"");
        let columns = [capital(&self.columns)];
        svg.text(&columns, (f64::midpoint(left, right), bottom + 8.0 + 2.2 * sizes.tick), sizes.tick, &centred);
        svg.text(&[row_label], (sizes.pad, top - 0.6 * sizes.tick), sizes.tick, &strong);

        let (x, thick) = (right + sizes.tick * 2.0, sizes.tick * 1.1);
        let step = (bottom - top) / SHADES as f64;
        for k in 0..SHADES {
            let colour = colour((k as f64 + 0.5) / SHADES as f64);
            let y = bottom - step * (k + 1) as f64;
            svg.put(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{colour}\"/>",
                px(x),
                px(y),
                px(thick),
                px(step + if k > 0 { 0.3 } else { 0.0 })
            ));
        }
        svg.put(&outline(x, top, thick, bottom - top));
        let at = |place: f64| (x + thick + 6.0, bottom - place * (bottom - top) + 0.35 * sizes.tick);
        svg.numbers(&bar_ticks, sizes.tick, "start", at);
        // Right-aligned above the bar and its numbers; in two lines if need be.
        let end = (x + thick + 6.0 + bar_numbers).min(whole - sizes.pad);
        let legend = wrap(&self.label, sizes.tick, whole - 2.0 * sizes.pad, 2);
        let own = legend.iter().map(|line| width(line, sizes.tick)).fold(0.0, f64::max);
        let rows_end = sizes.pad + width(&format!("{} (first on top)", self.rows), sizes.tick);
        // Above the row label if both do not fit side by side.
        let lift = if end - own < rows_end + sizes.tick { 1.3 * sizes.tick } else { 0.0 };
        let end = end.max(sizes.pad + own);
        let first = top - 0.6 * sizes.tick - lift - (height(&legend, sizes.tick) - 1.25 * sizes.tick);
        svg.text(&legend, (end, first), sizes.tick, &format!("{strong} text-anchor=\"end\""));
        svg.footer(&footer, &sizes, extent.1);
        svg.end()
    }
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
    let number = |k: usize| super::ticks::Number { text: (k * block).to_string(), superscript: None };
    (0..count).step_by(every).map(|k| Tick { place: k as f64 + 0.5, number: Some(number(k)) }).collect()
}

fn shade(scale: &Mapping, value: f64) -> Option<String> {
    let place = scale.place(value)?;
    debug_assert_eq!(scale.scale, Scale::Linear);
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
    let chroma = 0.13 * libm::sin(core::f64::consts::PI * (0.12 + 0.72 * place)) * place.min(0.25) / 0.25;
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
        let values: Vec<Vec<f64>> = (0..512).map(|i| (0..512).map(|j| f64::from(u32::from(i == j))).collect()).collect();
        let (cells, block) = blocks(&values);
        assert_eq!((cells.len(), cells[0].len(), block), (128, 128, 4));
        assert_eq!((cells[3][3], cells[3][4]), (0.25, 0.0));
        let svg = HeatMap::new("m", "rate", values).to_svg_sized(&Size::default());
        assert!(svg.contains("mean over 4 x 4 ports") && svg.len() < 60_000, "{}", svg.len());
    }

    #[test]
    fn odd_matrices_can_be_drawn() {
        for values in [vec![], vec![vec![]], vec![vec![f64::NAN, 1.0], vec![]], vec![vec![0.0; 3]; 2], vec![vec![5.0]]] {
            for size in [Size::default(), Size::print(45.0)] {
                let svg = HeatMap::new("m", "a long label for the bar of a small map", values.clone()).to_svg_sized(&size);
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
