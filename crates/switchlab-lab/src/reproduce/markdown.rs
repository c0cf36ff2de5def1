//! Markdown to safe HTML.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// What a text begins with, as plain text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// The first heading.
    pub(super) title: Option<String>,
    /// The quotation right below it: authors, title, place and year of the paper.
    pub(super) citation: Option<String>,
}

/// The head of a text.
pub(super) fn head(text: &str) -> Head {
    take_head(&mut parse(text))
}

fn parse(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect()
}

/// A text without its head, as HTML.
///
/// HTML in the text is shown as text; pictures are replaced by their descriptions, since the page
/// fetches nothing; links lead to the web, any other is plain text. Words in `code` for which
/// `place` has an anchor lead there. Headings go down one level: the page has its own first.
pub(super) fn render(text: &str, place: impl Fn(&str) -> Option<String>) -> String {
    let mut events = parse(text);
    take_head(&mut events);
    let mut links = Vec::new();
    let mut safe = Vec::with_capacity(events.len());
    for event in events {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => safe.push(Event::Text(html)),
            // A block of HTML becomes a paragraph.
            Event::Start(Tag::HtmlBlock) => safe.push(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => safe.push(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            Event::Start(Tag::Heading { level, id: _, classes: _, attrs: _ }) => {
                let level = deeper(level);
                safe.push(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }));
            }
            Event::End(TagEnd::Heading(level)) => safe.push(Event::End(TagEnd::Heading(deeper(level)))),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let leads = leads_somewhere(&dest_url);
                links.push(leads);
                if leads {
                    safe.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
            }
            Event::End(TagEnd::Link) => {
                if links.pop().unwrap_or(false) {
                    safe.push(Event::End(TagEnd::Link));
                }
            }
            Event::Code(code) => match place(&code).filter(|_| !links.contains(&true)) {
                Some(anchor) => {
                    let (dest_url, none) = (format!("#{anchor}").into(), CowStr::from(""));
                    let link = Tag::Link { link_type: LinkType::Inline, dest_url, title: none.clone(), id: none };
                    safe.extend([Event::Start(link), Event::Code(code), Event::End(TagEnd::Link)]);
                }
                None => safe.push(Event::Code(code)),
            },
            other => safe.push(other),
        }
    }
    // Characters that neither HTML nor XML allow are replaced after the fact: the renderer leaves
    // them as they are.
    let mut out = String::new();
    html::push_html(&mut out, safe.into_iter());
    // A wide table scrolls by itself, not with the page. Text of the file cannot look like these
    // tags: it is escaped.
    out = out.replace("<table>", "<div class=\"scroll\"><table>").replace("</table>", "</table></div>");
    out.replace(|c: char| c.is_control() && !c.is_whitespace(), "\u{fffd}")
}

fn leads_somewhere(link: &CowStr) -> bool {
    ["https://", "http://"].iter().any(|start| link.starts_with(start))
}

fn deeper(level: HeadingLevel) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + 1).unwrap_or(HeadingLevel::H6)
}

/// Takes the first heading away if nothing comes before it, and a quotation that follows.
fn take_head(events: &mut Vec<Event>) -> Head {
    let begins =
        |events: &[Event]| matches!(events.first(), Some(Event::Start(Tag::Heading { level: HeadingLevel::H1, .. })));
    if !begins(events) {
        return Head::default();
    }
    let title = take_until(events, |event| matches!(event, Event::End(TagEnd::Heading(_))));
    let quoted = matches!(events.first(), Some(Event::Start(Tag::BlockQuote(_))));
    let citation = quoted.then(|| take_until(events, |event| matches!(event, Event::End(TagEnd::BlockQuote(_)))));
    Head { title, citation: citation.flatten() }
}

/// Takes the events up to one, and gives their text.
fn take_until(events: &mut Vec<Event>, is_last: impl Fn(&Event) -> bool) -> Option<String> {
    let end = events.iter().position(is_last)?;
    let words = events.drain(..=end).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => Some(text.to_string()),
        Event::SoftBreak | Event::HardBreak => Some(" ".to_string()),
        _ => None,
    });
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_nothing_else() {
        let text = "# A & `b`\n\n> A. Author, *A title*,\n> a journal 1999\n\nText *with* [a link](https://x.org) and [none](javascript:alert(1)).\n\n## More\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let html = render(text, |_| None);
        let Head { title, citation } = head(text);
        assert_eq!(title.as_deref(), Some("A & b"));
        assert_eq!(citation.as_deref(), Some("A. Author, A title, a journal 1999"));
        assert!(!html.contains("Author"), "{html}");
        assert!(html.contains("<em>with</em>") && html.contains("<a href=\"https://x.org\">a link</a>"), "{html}");
        assert!(html.contains("and none.") && !html.contains("javascript"), "{html}");
        assert!(html.contains("<h3>More</h3>") && html.contains("<td>1</td>"), "{html}");
    }

    #[test]
    fn names_in_code_lead_to_their_place() {
        let place = |name: &str| (name == "flows").then(|| "000/flows".to_string());
        let html = render("`flows`, `other`, [`flows`](https://x.org), [a place](#flows)\n", place);
        assert!(html.contains("<a href=\"#000/flows\"><code>flows</code></a>, <code>other</code>"), "{html}");
        assert!(html.contains("<a href=\"https://x.org\"><code>flows</code></a>, a place"), "{html}");
    }

    #[test]
    fn html_is_shown_not_obeyed() {
        let html = render(
            "x <img src=x onerror=alert(1)> y\n\n<script>alert(1)</script>\n\n![alt *text*](https://x.org/p.png)\n",
            |_| None,
        );
        assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("alt <em>text</em>"), "{html}");
        let page = format!("<div>{html}</div>");
        assert!(roxmltree::Document::parse(&page).is_ok(), "{page}");
    }
}
