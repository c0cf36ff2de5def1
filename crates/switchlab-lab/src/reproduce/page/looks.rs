//! The looks of the charts of a page, as classes.
//!
//! A chart by itself says at each element how it is drawn, in a few attributes. A page has some two
//! hundred charts with the same few hundred combinations, which were a quarter of its bytes. So
//! each combination becomes a class, and the page has one rule for it.

use crate::plot::{FONTS, escape};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The attributes that are properties of CSS under the same name. Lengths need a unit there.
const PROPERTIES: [(&str, &str); 12] = [
    ("fill", ""),
    ("fill-opacity", ""),
    ("stroke", ""),
    ("stroke-width", "px"),
    ("stroke-dasharray", ""),
    ("stroke-linecap", ""),
    ("stroke-linejoin", ""),
    ("stroke-opacity", ""),
    ("opacity", ""),
    ("font-size", "px"),
    ("font-weight", ""),
    ("text-anchor", ""),
];

/// The combinations so far, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Looks {
    classes: BTreeMap<String, usize>,
}

impl Looks {
    /// The chart with classes in place of attributes. A chart that is not well-formed stays as it
    /// is.
    pub(super) fn shared(&mut self, svg: &str) -> String {
        let mut out = String::with_capacity(svg.len());
        let mut rest = svg;
        while let Some(open) = rest.find('<') {
            let (text, tag) = rest.split_at(open);
            // No attribute has a '>' in it: it is escaped.
            let Some(close) = tag.find('>') else { break };
            out += text;
            self.tag(&mut out, &tag[..=close]);
            rest = &tag[close + 1..];
        }
        out + rest
    }

    fn tag(&mut self, out: &mut String, tag: &str) {
        // The element of the whole chart has a class of its own, and its fonts are those of all.
        if tag.starts_with("<svg") {
            *out += &tag.replacen(&format!(" font-family=\"{FONTS}\""), "", 1);
            return;
        }
        let mut rules = String::new();
        let mut kept = String::new();
        let mut classes = String::new();
        let mut rest = tag;
        while let Some((before, name, value, after)) = attribute(rest) {
            kept += before;
            rest = after;
            if name == "class" {
                classes = format!("{value} ");
                continue;
            }
            match PROPERTIES.iter().find(|(property, _)| *property == name) {
                Some((property, unit)) => {
                    let _ = write!(rules, "{property}:{value}{unit};");
                }
                None => {
                    let _ = write!(kept, " {name}=\"{value}\"");
                }
            }
        }
        if rules.is_empty() {
            *out += tag;
            return;
        }
        let next = self.classes.len();
        let class = *self.classes.entry(rules).or_insert(next);
        let name = kept.find([' ', '/', '>']).unwrap_or(kept.len());
        let (name, others) = kept.split_at(name);
        let _ = write!(out, "{name} class=\"{classes}c{class}\"{others}{rest}");
    }

    /// The fonts, and the rules of all classes.
    pub(super) fn rules(&self) -> String {
        let mut rules: Vec<(usize, &String)> = self.classes.iter().map(|(rules, &class)| (class, rules)).collect();
        rules.sort_unstable();
        let rule = |(class, rules): (usize, &String)| format!(".c{class}{{{}}}\n", escape(rules.trim_end_matches(';')));
        let fonts = format!("figure svg{{font-family:{FONTS}}}\n");
        std::iter::once(fonts).chain(rules.into_iter().map(rule)).collect()
    }
}

/// The next attribute of a tag: what stands before it, its name, its value, and what follows.
fn attribute(tag: &str) -> Option<(&str, &str, &str, &str)> {
    let equals = tag.find("=\"")?;
    let space = tag[..equals].rfind(' ')?;
    let (value, after) = tag[equals + 2..].split_once('"')?;
    Some((&tag[..space], &tag[space + 1..equals], value, after))
}

#[cfg(test)]
mod tests {
    use super::Looks;

    #[test]
    fn equal_combinations_share_a_class() {
        let mut looks = Looks::default();
        let chart = "<svg role=\"img\"><path d=\"M0,0\" fill=\"none\" stroke=\"#123\"/>\
            <text x=\"1\" font-size=\"12\" fill=\"#000\">a = \"b\"</text><g><path fill=\"none\" stroke=\"#123\" d=\"M1,1\"/></g></svg>";
        assert_eq!(
            looks.shared(chart),
            "<svg role=\"img\"><path class=\"c0\" d=\"M0,0\"/>\
             <text class=\"c1\" x=\"1\">a = \"b\"</text><g><path class=\"c0\" d=\"M1,1\"/></g></svg>"
        );
        assert_eq!(
            looks.rules().split_once('\n').unwrap().1,
            ".c0{fill:none;stroke:#123}\n.c1{font-size:12px;fill:#000}\n"
        );
    }

    #[test]
    fn an_element_keeps_the_classes_it_has() {
        let mut looks = Looks::default();
        let path = "<path d=\"M0,0\" class=\"line\" fill=\"none\"/>";
        assert_eq!(looks.shared(path), "<path class=\"line c0\" d=\"M0,0\"/>");
        assert_eq!(looks.shared("<path class=\"line\"/>"), "<path class=\"line\"/>");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        let mut looks = Looks::default();
        for text in ["", "words", "<desc>a</desc>", "<path d=\"M0,0\"/>", "<path fill=\"none\"", "a < b"] {
            assert_eq!(looks.shared(text), text);
        }
        assert_eq!(looks.rules().lines().count(), 1);
    }
}
