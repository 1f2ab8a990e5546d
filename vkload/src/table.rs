//! Columns of text.

use crate::escape;

/// Rows of cells under a head, each column as wide as its widest cell, two blanks between. The last column is not
/// padded.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table with these words above its columns.
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|word| (*word).to_owned()).collect()] }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [&str; N]) {
        self.rows.push(cells.map(escape::line).to_vec());
    }

    /// Returns the lines, each behind two blanks and ended by a newline.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| count(cell)).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut out = String::new();
        for row in &self.rows {
            let mut line = String::from(" ");
            for (cell, width) in row.iter().zip(&widths) {
                let padding = width - count(cell);
                line.push(' ');
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', padding + 1));
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

pub(crate) fn section(out: &mut String, title: &str, table: Option<Table>) {
    let lines = table.map_or_else(|| "  none\n".to_owned(), |table| table.render());
    out.extend(["\n", title, "\n", &lines]);
}

fn count(cell: &str) -> usize {
    cell.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["NAME", "API"]);
        table.row(["a", "1.3.2"]);
        table.row(["longer", ""]);
        table.row(["\u{e9}", "1"]);
        assert_eq!(table.render(), "  NAME    API\n  a       1.3.2\n  longer\n  \u{e9}       1\n");
    }
}
