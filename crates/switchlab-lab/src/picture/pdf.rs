//! A picture as PDF 1.4: one page of paths, compressed. Text is outlines, so no font is embedded.

use super::outline;
use resvg::usvg::tiny_skia_path::{PathSegment, Point};
use resvg::usvg::{self, FillRule, Group, LineCap, LineJoin, Node, Paint, PaintOrder};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Points for each pixel.
const SCALE: f32 = 0.75;

/// An SVG of this crate as PDF.
pub(super) fn render(svg: &str) -> Result<Vec<u8>, String> {
    let outlined = outline::text_to_paths(svg)?;
    let tree = usvg::Tree::from_str(&outlined, &usvg::Options::default()).map_err(|error| error.to_string())?;
    let (width, height) = (tree.size().width() * SCALE, tree.size().height() * SCALE);
    let mut page = Page { content: String::new(), opacities: BTreeSet::new() };
    // PDF counts from the bottom.
    page.operator(&[SCALE, 0.0, 0.0, -SCALE, 0.0, height], "cm");
    page.group(tree.root(), 1.0)?;
    let states = page.opacities.iter().fold(String::new(), |states, percent| {
        let opacity = number(f32::from(*percent) / 100.0);
        states + &format!("/A{percent} << /ca {opacity} /CA {opacity} >> ")
    });
    let stream = miniz_oxide::deflate::compress_to_vec_zlib(page.content.as_bytes(), 9);
    let title = title(svg);
    let mut file = Objects { bytes: b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec(), starts: Vec::new() };
    file.add(b"<< /Type /Catalog /Pages 2 0 R >>");
    file.add(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /ExtGState << {states}>> >> >>",
        number(width),
        number(height)
    );
    file.add(page.as_bytes());
    let head = format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", stream.len());
    file.add(&[head.as_bytes(), &stream, b"\nendstream"].concat());
    file.add(format!("<< /Producer (switchlab) /Title <{title}> >>").as_bytes());
    Ok(file.finish())
}

/// The title of the document in hexadecimal digits of UTF-16.
fn title(svg: &str) -> String {
    let document = roxmltree::Document::parse(svg).ok();
    let text = document.as_ref().and_then(|it| it.descendants().find(|node| node.tag_name().name() == "title")?.text());
    let units = text.unwrap_or("").encode_utf16();
    std::iter::once(0xfeff).chain(units).fold(String::new(), |digits, unit| digits + &format!("{unit:04x}"))
}

/// A number with at most three decimals and no exponent, which PDF does not have.
fn number(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_string() } else { text.to_string() }
}

/// The numbered objects of a file.
struct Objects {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Objects {
    fn add(&mut self, content: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend(format!("{} 0 obj\n", self.starts.len()).bytes());
        self.bytes.extend(content);
        self.bytes.extend(b"\nendobj\n");
    }

    /// The file with its table of objects. The first is the catalogue, the last the information.
    fn finish(mut self) -> Vec<u8> {
        let (table, count) = (self.bytes.len(), self.starts.len() + 1);
        let mut end = format!("xref\n0 {count}\n0000000000 65535 f \n");
        for start in &self.starts {
            let _ = writeln!(end, "{start:010} 00000 n ");
        }
        let _ = write!(
            end,
            "trailer\n<< /Size {count} /Root 1 0 R /Info {} 0 R >>\nstartxref\n{table}\n%%EOF\n",
            count - 1
        );
        self.bytes.extend(end.bytes());
        self.bytes
    }
}

/// The content of the page in the making.
struct Page {
    content: String,
    /// In per cent, as they are named.
    opacities: BTreeSet<u8>,
}

impl Page {
    fn operator(&mut self, numbers: &[f32], name: &str) {
        for value in numbers {
            self.content.push_str(&number(*value));
            self.content.push(' ');
        }
        self.content.push_str(name);
        self.content.push('\n');
    }

    fn group(&mut self, group: &Group, opacity: f32) -> Result<(), String> {
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, opacity)?,
                Node::Path(path) if path.is_visible() => self.path(path, opacity)?,
                Node::Path(_) => {}
                Node::Image(_) | Node::Text(_) => return Err("only paths can be drawn".to_string()),
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &usvg::Path, opacity: f32) -> Result<(), String> {
        let fill_first = path.paint_order() == PaintOrder::FillAndStroke;
        for fills in [fill_first, !fill_first] {
            if fills { self.fill(path, opacity)? } else { self.stroke(path, opacity)? }
        }
        Ok(())
    }

    fn fill(&mut self, path: &usvg::Path, opacity: f32) -> Result<(), String> {
        let Some(fill) = path.fill() else { return Ok(()) };
        self.begin(fill.paint(), opacity * fill.opacity().get(), "rg")?;
        self.segments(path);
        self.operator(&[], if fill.rule() == FillRule::EvenOdd { "f*" } else { "f" });
        self.operator(&[], "Q");
        Ok(())
    }

    fn stroke(&mut self, path: &usvg::Path, opacity: f32) -> Result<(), String> {
        let Some(stroke) = path.stroke() else { return Ok(()) };
        self.begin(stroke.paint(), opacity * stroke.opacity().get(), "RG")?;
        // Our drawings are scaled evenly, if at all.
        let scale = path.abs_transform().get_scale().0;
        self.operator(&[stroke.width().get() * scale], "w");
        let cap = match stroke.linecap() {
            LineCap::Butt => 0.0,
            LineCap::Round => 1.0,
            LineCap::Square => 2.0,
        };
        let join = match stroke.linejoin() {
            LineJoin::Miter | LineJoin::MiterClip => 0.0,
            LineJoin::Round => 1.0,
            LineJoin::Bevel => 2.0,
        };
        self.operator(&[cap], "J");
        self.operator(&[join], "j");
        if let Some(dashes) = stroke.dasharray() {
            let dashes: Vec<String> = dashes.iter().map(|dash| number(dash * scale)).collect();
            let _ = writeln!(self.content, "[{}] {} d", dashes.join(" "), number(stroke.dashoffset() * scale));
        }
        self.segments(path);
        self.operator(&[], "S");
        self.operator(&[], "Q");
        Ok(())
    }

    /// Saves the state and sets colour and opacity.
    fn begin(&mut self, paint: &Paint, opacity: f32, name: &str) -> Result<(), String> {
        let Paint::Color(colour) = paint else { return Err("only plain colours can be drawn".to_string()) };
        self.operator(&[], "q");
        if opacity < 1.0 {
            let percent = (opacity * 100.0).round() as u8;
            self.opacities.insert(percent);
            let _ = writeln!(self.content, "/A{percent} gs");
        }
        self.operator(&[colour.red, colour.green, colour.blue].map(|channel| f32::from(channel) / 255.0), name);
        Ok(())
    }

    fn segments(&mut self, path: &usvg::Path) {
        let transform = path.abs_transform();
        let at = |mut point: Point| {
            transform.map_point(&mut point);
            [point.x, point.y]
        };
        let mut last = Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(p) => self.operator(&at(p), "m"),
                PathSegment::LineTo(p) => self.operator(&at(p), "l"),
                PathSegment::QuadTo(c, p) => {
                    // PDF has cubic curves only.
                    let third = |a: Point| Point::from_xy(a.x + (c.x - a.x) * 2.0 / 3.0, a.y + (c.y - a.y) * 2.0 / 3.0);
                    self.operator(&[at(third(last)), at(third(p)), at(p)].concat(), "c");
                }
                PathSegment::CubicTo(a, b, p) => self.operator(&[at(a), at(b), at(p)].concat(), "c"),
                PathSegment::Close => self.operator(&[], "h"),
            }
            if let PathSegment::MoveTo(p)
            | PathSegment::LineTo(p)
            | PathSegment::QuadTo(_, p)
            | PathSegment::CubicTo(_, _, p) = segment
            {
                last = p;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Chart, Series, Size};

    fn chart() -> Chart {
        Chart::new("Größe (mean)", Axis::linear("Load"), Axis::log("Delay"))
            .series(Series::new("islip", [(0.1, 1.0), (0.5, 3.0), (0.9, 1e3)]))
            .series(Series::new("pim", [(0.1, 2.0), (0.5, 4.0), (0.9, 1e2)]))
    }

    #[test]
    fn a_page_of_the_size_that_was_asked_for() {
        let svg = chart().to_svg_sized(&Size::print(88.0));
        let file = render(&svg).unwrap();
        assert_eq!(file, render(&svg).unwrap());
        let text = String::from_utf8_lossy(&file);
        let size = text.split("/MediaBox [0 0 ").nth(1).unwrap().split(']').next().unwrap();
        let width: f64 = size.split(' ').next().unwrap().parse().unwrap();
        assert!((width - 88.0 / 25.4 * 72.0).abs() < 0.1, "{size}");
        // The table says where each object begins.
        let table: usize = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        assert!(file[table..].starts_with(b"xref\n0 6\n"));
        for (index, line) in String::from_utf8_lossy(&file[table..]).lines().skip(3).take(5).enumerate() {
            let start: usize = line.split(' ').next().unwrap().parse().unwrap();
            assert!(file[start..].starts_with(format!("{} 0 obj", index + 1).as_bytes()), "{line}");
        }
        assert!(text.contains("<feff004700720000") || text.contains("<feff0047007200f600df"), "the title in UTF-16");
    }

    #[test]
    fn numbers_have_no_exponent() {
        assert_eq!([0.0, -0.0001, 1e-7, 12.5, 1e6].map(number), ["0", "0", "0", "12.5", "1000000"]);
    }
}
