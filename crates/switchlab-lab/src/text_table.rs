//! Tables as text: aligned columns for terminals, Markdown for documents.

use std::fmt;

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
}

impl Column {
    /// A column of words.
    pub fn left(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Left, least: 0 }
    }

    /// A column of numbers.
    pub fn right(name: impl Into<String>) -> Self {
        Self { name: name.into(), align: Align::Right, least: 0 }
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
    fn rows_can_be_printed_one_by_one() {
        let table = TextTable::new([Column::left("switch").at_least(8), Column::right("ports").at_least(6)]).gap(1);
        assert_eq!(table.header(), "switch    ports\n");
        assert_eq!(table.line(["islip", "64"]), "islip        64\n");
        // A cell that is wider than announced is not cut.
        assert_eq!(table.line(["c-serenade", "64"]), "c-serenade     64\n");
    }
}
