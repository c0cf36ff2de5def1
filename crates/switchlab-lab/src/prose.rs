//! Prose for a terminal of a given width.

/// Breaks a paragraph at blanks, and words that are wider than a line after their commas, so that
/// no line is wider than `width` unless a piece is. Lines after the first are indented.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let is_wide = indent + word.chars().count() > width;
        let pieces: Vec<&str> = if is_wide { word.split_inclusive(',').collect() } else { vec![word] };
        for (index, piece) in pieces.into_iter().enumerate() {
            let blank = usize::from(index == 0);
            let length = piece.chars().count();
            if used > 0 && used + blank + length > width {
                lines.push('\n');
                lines += &" ".repeat(indent);
                used = indent;
            } else if used > 0 {
                lines += &" "[..blank];
                used += blank;
            }
            lines += piece;
            used += length;
        }
    }
    lines
}

/// A head and a paragraph behind it, whose lines after the first are indented by the width of the
/// head.
pub fn hang(head: &str, text: &str, width: usize) -> String {
    let indent = head.chars().count();
    head.to_string() + &wrap(text, width.saturating_sub(indent), 0).replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// Wraps each paragraph of a text. Indented lines, lists, tables and drawings stay as they are, and
/// so do blank lines between paragraphs.
pub fn wrap_page(text: &str, width: usize) -> String {
    let mut page = String::new();
    let mut paragraph = String::new();
    let mut indent = 0;
    let mut is_verbatim = false;
    let flush = |paragraph: &mut String, page: &mut String, indent: usize| {
        if !paragraph.is_empty() {
            *page += &wrap(paragraph, width, indent);
            page.push('\n');
            paragraph.clear();
        }
    };
    for line in text.lines() {
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```");
        let item = trimmed.starts_with("- ")
            || trimmed.split_once(". ").is_some_and(|(number, _)| {
                !number.is_empty() && number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        let continues = indent > 0 && line.starts_with(&" ".repeat(indent)) && !paragraph.is_empty();
        let stays = is_verbatim
            || fence
            || trimmed.is_empty()
            || trimmed.starts_with(['|', '#', '>'])
            || (line.starts_with("    ") && !continues);
        if stays {
            flush(&mut paragraph, &mut page, indent);
            indent = 0;
            is_verbatim ^= fence;
            page += line;
            page.push('\n');
        } else if item && !line.starts_with(' ') {
            flush(&mut paragraph, &mut page, indent);
            indent = line.len() - trimmed.len() + trimmed.find(' ').map_or(0, |at| at + 1);
            paragraph = line.to_string();
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph += trimmed;
        }
    }
    flush(&mut paragraph, &mut page, indent);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("one two three", 7, 2), "one two\n  three");
        assert_eq!(wrap("one incomprehensible two", 5, 0), "one\nincomprehensible\ntwo");
        assert_eq!(wrap("is s(a=1,b=22,c=3): no", 10, 2), "is s(a=1,\n  b=22,\n  c=3): no");
        assert_eq!(wrap("one,two", 7, 0), "one,two");
        assert_eq!(wrap("", 5, 0), "");
    }

    #[test]
    fn paragraphs_hang_behind_their_heads() {
        assert_eq!(
            hang("  0.5  ", "stable, for it keeps to 3 cells", 20),
            "  0.5  stable, for\n       it keeps to 3\n       cells"
        );
        assert_eq!(hang("head ", "", 20), "head ");
    }

    #[test]
    fn pages_keep_their_lists_and_drawings() {
        let page =
            "A paragraph that\ngoes on here.\n\n- an item of several\n  words\n- another\n\n    drawing   stays\n";
        let wrapped =
            "A paragraph\nthat goes on\nhere.\n\n- an item of\n  several\n  words\n- another\n\n    drawing   stays\n";
        assert_eq!(wrap_page(page, 12), wrapped);
        let code = "Text\n\n```text\n  a -> b     c\n```\nmore\n";
        assert_eq!(wrap_page(code, 80), code);
    }
}
