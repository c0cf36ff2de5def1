//! Tables as text: aligned columns for terminals, Markdown for documents.

use std::fmt;

/// A first column is not folded to less than this.
const LEAST_FOLDED: usize = 16;

/// To which side the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    Left,
    Right,
}

/// A column: its name, its alignment and its least width.
#[derive(Clone, Debug)]
pub struct Column {
    name: String,
    align: Align,
    least: usize,
    /// Columns of the highest rank are the first that a narrow terminal does not show; 0 is always
    /// shown.
    rank: u8,
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left, least: 0, rank: 0 }
    }

    /// A column of numbers.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Right, least: 0, rank: 0 }
    }

    /// The same column, which a terminal that is too narrow does not show. Those of the highest
    /// rank go first.
    #[must_use]
    pub fn optional(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// The same column, at least this wide.
    #[must_use]
    pub fn at_least(self, width: usize) -> Self {
        Self { least: width, ..self }
    }
}

/// A table: a header, unless no column has a name, and rows. Each column is as wide as its widest
/// cell.
///
/// ```
/// use switchlab_lab::text_table::{Column, TextTable};
///
/// let mut table = TextTable::new([Column::left("switch"), Column::right("delay")]);
/// table.push(["oq", "12.5"]);
/// table.push(["islip", "103"]);
/// assert_eq!(table.to_string(), "switch  delay\noq       12.5\nislip     103\n");
/// ```
#[derive(Clone, Debug)]
pub struct TextTable {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    indent: usize,
    gap: usize,
}

impl TextTable {
    /// A table without rows, with two spaces between columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new(), indent: 0, gap: 2 }
    }

    /// A table whose first column has words and whose others have numbers.
    pub fn of_figures<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let column = |(index, name): (usize, N)| if index == 0 { Column::left(name) } else { Column::right(name) };
        Self::new(names.into_iter().enumerate().map(column))
    }

    /// A table of words.
    pub fn of_words<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::new(names.into_iter().map(Column::left))
    }

    /// The same table, with this many spaces before each line.
    #[must_use]
    pub fn indent(self, indent: usize) -> Self {
        Self { indent, ..self }
    }

    /// The same table, with this many spaces between columns.
    #[must_use]
    pub fn gap(self, gap: usize) -> Self {
        Self { gap, ..self }
    }

    /// Adds a row, which has a cell for each column.
    pub fn push<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(row);
    }

    /// The header as a line, at the widths of the rows so far.
    pub fn header(&self) -> String {
        self.line(self.columns.iter().map(|column| column.name.as_str()))
    }

    /// Cells as a line, at the widths of the rows so far: for a table whose rows are printed one by
    /// one.
    pub fn line<C: AsRef<str>>(&self, cells: impl IntoIterator<Item = C>) -> String {
        let widths = self.columns.iter().enumerate().map(|(index, column)| self.width(index).max(column.least));
        let mut line = " ".repeat(self.indent);
        for (index, ((cell, width), column)) in cells.into_iter().zip(widths).zip(&self.columns).enumerate() {
            if index > 0 {
                line += &" ".repeat(self.gap);
            }
            line += &pad(cell.as_ref(), width, column.align);
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    }

    /// The table in Markdown. It lines up as plain text too.
    pub fn markdown(&self) -> String {
        // The rule below the header takes three characters.
        let widths: Vec<usize> = (0..self.columns.len()).map(|index| self.width(index).max(3)).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.zip(&widths).zip(&self.columns);
            let cells = cells.map(|((cell, &width), column)| format!("| {} ", pad(cell, width, column.align)));
            cells.collect::<String>() + "|\n"
        };
        let rule = widths.iter().zip(&self.columns).map(|(&width, column)| match column.align {
            Align::Left => format!("|{}", "-".repeat(width + 2)),
            Align::Right => format!("|{}:", "-".repeat(width + 1)),
        });
        let header = line(&mut self.columns.iter().map(|column| column.name.as_str()));
        let rows = self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str)));
        header + &rule.collect::<String>() + "|\n" + &rows.collect::<String>()
    }

    /// The same table without the columns that a width has no room for, and the names of these.
    /// What is still too wide has its first column folded over several lines.
    #[must_use]
    pub fn fit(mut self, width: usize) -> (Self, Vec<String>) {
        let names: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        while self.total_width() > width {
            let ranks = self.columns.iter().enumerate().filter(|(_, column)| column.rank > 0);
            let Some((index, _)) = ranks.max_by_key(|(_, column)| column.rank) else { break };
            self.columns.remove(index);
            for row in &mut self.rows {
                row.remove(index);
            }
        }
        self.fold(width);
        let left_out = names.into_iter().filter(|name| self.columns.iter().all(|column| column.name != *name));
        let left_out = left_out.collect();
        (self, left_out)
    }

    /// Folds the cells of a first column of words that is too wide. The other cells of a row stand
    /// beside the first line.
    fn fold(&mut self, width: usize) {
        let excess = self.total_width().saturating_sub(width);
        let is_words = self.columns.first().is_some_and(|column| column.align == Align::Left);
        if excess == 0 || !is_words {
            return;
        }
        let room = self.width(0).saturating_sub(excess).max(LEAST_FOLDED);
        let lines_of = |mut row: Vec<String>| {
            let mut pieces = fold(&row[0], room).into_iter();
            let empty = vec![String::new(); row.len() - 1];
            row[0] = pieces.next().unwrap_or_default();
            let others = pieces.map(move |piece| std::iter::once(piece).chain(empty.iter().cloned()).collect());
            std::iter::once(row).chain(others).collect::<Vec<Vec<String>>>()
        };
        self.rows = std::mem::take(&mut self.rows).into_iter().flat_map(lines_of).collect();
    }

    fn total_width(&self) -> usize {
        let widths = (0..self.columns.len()).map(|index| self.width(index).max(self.columns[index].least));
        self.indent + widths.sum::<usize>() + self.gap * self.columns.len().saturating_sub(1)
    }

    /// The width of the widest cell of a column, its name included.
    fn width(&self, index: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[index].as_str());
        cells.chain([self.columns[index].name.as_str()]).map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.columns.iter().any(|column| !column.name.is_empty()) {
            f.write_str(&self.header())?;
        }
        self.rows.iter().try_for_each(|row| f.write_str(&self.line(row)))
    }
}

/// A spec in lines of at most `width` characters, as far as it has commas and parentheses to break
/// after. Lines after the first are indented.
fn fold(cell: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in cell.split_inclusive([',', '(']) {
        let line = lines.last().map_or(0, |line| line.chars().count());
        let is_begun = lines.last().is_some_and(|line| !line.trim_start().is_empty());
        if is_begun && line + part.chars().count() > width {
            lines.push("  ".to_string());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(part);
        }
    }
    lines
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    match align {
        Align::Left => format!("{cell:<width$}"),
        Align::Right => format!("{cell:>width$}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::of_figures(["switch", "ns"]);
        table.push(["oq", "12"]);
        table.push(["islip", "3456"]);
        assert_eq!(table.to_string(), "switch    ns\noq        12\nislip   3456\n");
        assert_eq!(table.markdown(), "| switch |   ns |\n|--------|-----:|\n| oq     |   12 |\n| islip  | 3456 |\n");
    }

    #[test]
    fn widths_count_characters_and_lines_end_without_spaces() {
        let mut table = TextTable::of_words(["", "", ""]).indent(2);
        table.push(["a", "1 ±2", ""]);
        table.push(["bb", "3", "c"]);
        assert_eq!(table.to_string(), "  a   1 ±2\n  bb  3     c\n");
    }

    #[test]
    fn narrow_terminals_show_less() {
        let columns = [Column::left("switch"), Column::right("p50").optional(1), Column::right("p90").optional(2)];
        let mut table = TextTable::new(columns);
        table.push(["oq", "1", "12345"]);
        assert_eq!(table.clone().fit(18).1, Vec::<String>::new());
        let (narrow, left_out) = table.clone().fit(17);
        assert_eq!((narrow.to_string().as_str(), left_out), ("switch  p50\noq        1\n", vec!["p90".to_string()]));
        assert_eq!(table.fit(1).0.to_string(), "switch\noq\n");
    }

    #[test]
    fn long_names_are_folded_where_nothing_can_be_left_out() {
        let mut table = TextTable::new([Column::left("switch"), Column::right("delay")]);
        table.push(["oq", "1"]);
        table.push(["so-serenade(leader=rotating,populate=random)", "23"]);
        let whole = table.clone().fit(51).0.to_string();
        assert!(whole.contains("so-serenade(leader=rotating,populate=random)     23\n"), "{whole}");
        let lines = |width: usize| -> Vec<String> {
            table.clone().fit(width).0.to_string().lines().map(str::to_string).collect()
        };
        let folded = ["switch", "oq", "so-serenade(leader=rotating,", "  populate=random)"];
        let numbers = ["delay", "1", "23", ""];
        let line = |(word, number): (&str, &str)| format!("{word:<28}  {number:>5}").trim_end().to_string();
        let expected = folded.into_iter().zip(numbers).map(line);
        assert_eq!(lines(50), expected.collect::<Vec<_>>());
        for width in 0..60 {
            let widest = lines(width).iter().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width.max(25)), "{width}: {:?}", lines(width));
            // Nothing of a name is lost.
            let name = |line: &String| line.split("  23").next().unwrap_or_default().trim().to_string();
            let names: String = lines(width).iter().skip(2).map(name).collect();
            assert_eq!(names, "so-serenade(leader=rotating,populate=random)");
        }
    }

    #[test]
    fn rows_can_be_printed_one_by_one() {
        let table = TextTable::new([Column::left("switch").at_least(8), Column::right("ports").at_least(6)]).gap(1);
        assert_eq!(table.header(), "switch    ports\n");
        assert_eq!(table.line(["islip", "64"]), "islip        64\n");
        // A cell that is wider than announced is not cut.
        assert_eq!(table.line(["c-serenade", "64"]), "c-serenade     64\n");
    }
}
