//! Markdown to safe HTML.

use crate::plot::escape;
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// A text, parted into its title (the first heading, if the text begins with it) and the rest as
/// HTML.
///
/// HTML in the text is shown as text; pictures are replaced by their descriptions, since the page
/// fetches nothing; links lead to the web or to a place on the page, any other is plain text.
/// Headings go down one level: the page has its own first.
pub(super) fn render(text: &str) -> (Option<String>, String) {
    let mut events: Vec<Event> =
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).collect();
    let title = take_title(&mut events);
    let mut links = Vec::new();
    let safe = events.into_iter().filter_map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        // A block of HTML becomes a paragraph.
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Heading { level, id: _, classes: _, attrs: _ }) => {
            let level = deeper(level);
            Some(Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }))
        }
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(deeper(level)))),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            links.push(leads_somewhere(&dest_url));
            links.last().copied().unwrap_or(false).then_some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        Event::End(TagEnd::Link) => links.pop().unwrap_or(false).then_some(Event::End(TagEnd::Link)),
        other => Some(other),
    });
    // Characters that neither HTML nor XML allow are replaced after the fact: the renderer leaves
    // them as they are.
    let mut out = String::new();
    html::push_html(&mut out, safe);
    // A wide table scrolls by itself, not with the page. Text of the file cannot look like these
    // tags: it is escaped.
    out = out.replace("<table>", "<div class=\"scroll\"><table>").replace("</table>", "</table></div>");
    (title, out.replace(|c: char| c.is_control() && !c.is_whitespace(), "\u{fffd}"))
}

fn leads_somewhere(link: &CowStr) -> bool {
    ["https://", "http://", "#"].iter().any(|start| link.starts_with(start))
}

fn deeper(level: HeadingLevel) -> HeadingLevel {
    HeadingLevel::try_from(level as usize + 1).unwrap_or(HeadingLevel::H6)
}

/// Takes the first heading away if nothing comes before it.
fn take_title(events: &mut Vec<Event>) -> Option<String> {
    matches!(events.first(), Some(Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }))).then_some(())?;
    let end = events.iter().position(|event| matches!(event, Event::End(TagEnd::Heading(_))))?;
    let words = events.drain(..=end).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => Some(escape(&text)),
        Event::SoftBreak => Some(" ".to_string()),
        _ => None,
    });
    Some(words.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_nothing_else() {
        let (title, html) = render(
            "# A & `b`\n\nText *with* [a link](https://x.org) and [none](javascript:alert(1)).\n\n## More\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
        );
        assert_eq!(title.as_deref(), Some("A &amp; b"));
        assert!(html.contains("<em>with</em>") && html.contains("<a href=\"https://x.org\">a link</a>"), "{html}");
        assert!(html.contains("and none.") && !html.contains("javascript"), "{html}");
        assert!(html.contains("<h3>More</h3>") && html.contains("<td>1</td>"), "{html}");
    }

    #[test]
    fn html_is_shown_not_obeyed() {
        let (_, html) = render(
            "x <img src=x onerror=alert(1)> y\n\n<script>alert(1)</script>\n\n![alt *text*](https://x.org/p.png)\n",
        );
        assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("alt <em>text</em>"), "{html}");
        let page = format!("<div>{html}</div>");
        assert!(roxmltree::Document::parse(&page).is_ok(), "{page}");
    }
}
