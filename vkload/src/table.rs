//! Columns of text.

use std::mem;

use crate::escape;
use crate::fold::{columns, wrap};

/// How far a column may shrink for a narrow terminal.
const NARROWEST: usize = 8;

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

    pub(crate) fn remove(&mut self, column: usize) {
        self.rows.iter_mut().for_each(|row| _ = row.remove(column));
    }

    /// Returns whether it is only a head.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Returns the lines, each behind two blanks and ended by a newline. On a terminal, cells are wrapped so that lines fit.
    pub(crate) fn render(&self) -> String {
        self.within(terminal_width())
    }

    fn within(&self, limit: usize) -> String {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |column: usize| self.rows.iter().filter_map(move |row| row.get(column));
        let mut widths: Vec<usize> =
            (0..count).map(|at| cells(at).map(|cell| columns(cell)).max().unwrap_or(0)).collect();
        while widths.iter().map(|width| width + 2).sum::<usize>() > limit {
            match widths.iter_mut().max() {
                Some(widest) if *widest > NARROWEST => *widest -= 1,
                _ => break,
            }
        }
        let mut out = String::new();
        for row in &self.rows {
            let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| wrap(cell, *width)).collect();
            for number in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let mut line = String::new();
                for (cell, width) in cells.iter().zip(&widths) {
                    let part = cell.get(number).map_or("", String::as_str);
                    let padding = width.saturating_sub(columns(part));
                    line.extend(["  ", part, &" ".repeat(padding)]);
                }
                out.extend([line.trim_end(), "\n"]);
            }
        }
        out
    }
}

/// Returns the width of the terminal on standard output. A file or a pipe has no limit.
fn terminal_width() -> usize {
    // SAFETY: zeros are a size.
    let mut size: libc::winsize = unsafe { mem::zeroed() };
    // SAFETY: this request writes to a size, which lives.
    let result = unsafe { libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) };
    if result == 0 && size.ws_col > 0 { size.ws_col.into() } else { usize::MAX }
}

pub(crate) fn section(out: &mut String, title: &str, table: &Table) {
    let lines = if table.is_empty() { "  none\n".to_owned() } else { table.render() };
    out.extend(["\n", title, "\n", &lines]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_unless_the_terminal_is_narrow() {
        let mut table = Table::new(&["NAME", "WHY"]);
        table.row(["a", "it is on for every program"]);
        table.row(["longer", ""]);
        table.row(["\u{5c42}", "off"]);
        let whole = "  NAME    WHY\n  a       it is on for every program\n  longer\n  \u{5c42}      off\n";
        assert_eq!(table.within(usize::MAX), whole);
        let narrow = "  NAME    WHY\n  a       it is on for\n            every\n            program\n  longer\n  \u{5c42}      off\n";
        assert_eq!(table.within(22), narrow);
    }
}
