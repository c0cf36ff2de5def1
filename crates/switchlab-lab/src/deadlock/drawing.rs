//! A fabric with the cells that wait for each other, as SVG.

use std::cmp::Ordering;
use switchlab_core::switch::failure::{Need, Side, Wait};

const COLUMN: usize = 130;
const BOX: usize = 50;
/// The height of a port, and that in a fabric of more than [`LARGE`] ports.
const PORT: usize = 34;
const LOW_PORT: usize = 14;
const LARGE: usize = 16;
const GAP: usize = 22;
const TOP: usize = 68;
const LEFT: usize = 60;

struct Fabric {
    ports: usize,
    radix: usize,
    levels: usize,
}

impl Fabric {
    fn port_height(&self) -> usize {
        if self.ports > LARGE { LOW_PORT } else { PORT }
    }

    fn port(&self, stage: usize, element: usize, port: usize, right: bool) -> (usize, usize) {
        let x = LEFT + stage * COLUMN + if right { BOX } else { 0 };
        let height = self.port_height();
        (x, TOP + element * (self.radix * height + GAP) + port * height + height / 2)
    }

    /// Where an output of a stage leads to in the next one.
    fn end(&self, stage: usize, element: usize, port: usize) -> (usize, usize) {
        let p = self.radix;
        let inside = |level: usize| self.ports / p.pow(level as u32 + 1);
        match (stage + 1).cmp(&self.levels) {
            Ordering::Less => {
                let (c, e) = (element / inside(stage), element % inside(stage));
                ((c * p + port) * inside(stage + 1) + e / p, e % p)
            }
            Ordering::Equal => (element, port),
            Ordering::Greater => {
                let level = 2 * self.levels - 1 - stage;
                let (c, f) = (element / inside(level), element % inside(level));
                (c / p * inside(level - 1) + f * p + port, c % p)
            }
        }
    }
}

/// Draws the elements and links of a fabric, the buffers of a circle with their numbers, and an
/// arrow from each to the one it waits for.
pub fn draw(ports: usize, radix: usize, waits: &[Wait]) -> String {
    let levels = (ports.max(2).ilog(radix.max(2)) as usize).max(1);
    let fabric = Fabric { ports, radix, levels };
    let stages = 2 * levels;
    let height_of_port = fabric.port_height();
    let bottom = TOP + ports / radix * (radix * height_of_port + GAP);
    let (width, height) = (2 * LEFT + (stages - 1) * COLUMN + BOX, bottom + 24 + 18 * waits.len() + 50);
    let title = format!("Benes fabric of {ports} ports, radix {radix}: {} cells wait for each other", waits.len());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"14\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n\
         <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"15\" font-weight=\"bold\" fill=\"#1f2328\">{title}</text>\n"
    );
    for stage in 0..stages {
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#57606a\">stage {stage}</text>\n",
            LEFT + stage * COLUMN + BOX / 2,
            TOP - 16
        );
        for element in 0..ports / radix {
            let (x, y) = fabric.port(stage, element, 0, false);
            let top = y - height_of_port / 2;
            svg += &format!(
                "<rect x=\"{x}\" y=\"{top}\" width=\"{BOX}\" height=\"{}\" fill=\"#f6f8fa\" stroke=\"#8c959f\"/>\n<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#8c959f\">{element}</text>\n",
                radix * height_of_port,
                x + BOX / 2,
                top + radix * height_of_port / 2 + 4
            );
            for port in (0..radix).filter(|_| stage + 1 < stages) {
                let (element_after, port_after) = fabric.end(stage, element, port);
                let (from, to) =
                    (fabric.port(stage, element, port, true), fabric.port(stage + 1, element_after, port_after, false));
                svg += &format!(
                    "<path d=\"M{} {}L{} {}\" stroke=\"#d0d7de\" fill=\"none\"/>\n",
                    from.0, from.1, to.0, to.1
                );
            }
        }
    }
    let places: Vec<(usize, usize)> =
        waits.iter().enumerate().map(|(index, wait)| place(&fabric, waits, index, wait)).collect();
    for (index, wait) in waits.iter().enumerate() {
        let (from, to) = (places[index], places[(index + 1) % places.len()]);
        let (colour, dash) =
            if wait.need == Need::Room { ("#0969da", "") } else { ("#cf222e", " stroke-dasharray=\"5 3\"") };
        // Bent upwards, so that the two ways between two buffers do not fall together.
        let bend = (usize::midpoint(from.0, to.0), usize::midpoint(from.1, to.1).saturating_sub(26));
        svg += &format!(
            "<path d=\"M{} {}Q{} {} {} {}\" stroke=\"{colour}\" stroke-width=\"1.6\" fill=\"none\"{dash} marker-end=\"url(#tip)\"/>\n",
            from.0, from.1, bend.0, bend.1, to.0, to.1
        );
    }
    for (index, &(x, y)) in places.iter().enumerate() {
        svg += &format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"9\" fill=\"#ffffff\" stroke=\"#1f2328\"/><text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{}</text>\n",
            y + 4,
            index + 1
        );
    }
    for (index, wait) in waits.iter().enumerate() {
        let Wait { input, output, born, buffer, need } = wait;
        let next = (index + 1) % waits.len() + 1;
        let what =
            if *need == Need::Room { format!("needs room where {next} is") } else { format!("has to go after {next}") };
        svg += &format!(
            "<text x=\"{LEFT}\" y=\"{}\" fill=\"#1f2328\">{}: cell {input} to {output} born in {born}, group {}; {what}</text>\n",
            bottom + 24 + 18 * index,
            index + 1,
            buffer.group
        );
    }
    svg += &format!(
        "<text x=\"{LEFT}\" y=\"{}\" fill=\"#57606a\">blue: waits for room; red, dashed: waits for the cell with the next number</text>\n</svg>\n",
        bottom + 24 + 18 * waits.len() + 14
    );
    svg
}

/// Where a buffer is drawn: beside its port, and below others of the same port.
fn place(fabric: &Fabric, waits: &[Wait], index: usize, wait: &Wait) -> (usize, usize) {
    let same = |other: &&Wait| {
        let (a, b) = (other.buffer, wait.buffer);
        (a.side, a.stage, a.element, a.port) == (b.side, b.stage, b.element, b.port)
    };
    let above = waits[..index].iter().filter(same).count();
    let right = wait.buffer.side == Side::Output;
    let (x, y) = fabric.port(wait.buffer.stage, wait.buffer.element, wait.buffer.port, right);
    (if right { x + 2 + 19 * above } else { (x - 2).saturating_sub(19 * above) }, y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::switch::failure::Buffer;

    #[test]
    fn a_circle_of_two() {
        let buffer = Buffer { side: Side::Input, stage: 3, element: 1, port: 0, group: 2 };
        let wait = Wait { input: 0, output: 3, born: 7, buffer, need: Need::Room };
        let other = Wait { buffer: Buffer { stage: 2, side: Side::Output, ..buffer }, need: Need::Predecessor, ..wait };
        let svg = draw(4, 2, &[wait, other]);
        assert_eq!((svg.matches("<circle").count(), svg.matches("marker-end").count()), (2, 2));
        assert!(svg.contains("1: cell 0 to 3 born in 7, group 2; needs room where 2 is"));
        assert!(svg.contains(">Benes fabric of 4 ports, radix 2: 2 cells wait for each other<"));
        assert!(svg.contains("has to go after 1") && svg.ends_with("</svg>\n"));
        assert!(draw(8, 2, &[]).ends_with("</svg>\n"));
    }
}
