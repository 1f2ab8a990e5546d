//! A call chain drawn with characters, at most 80 columns wide.

use std::env;
use std::io::{self, IsTerminal as _};
use std::iter;

use super::drawing::{Block, Branch, Drawing, FORK, Note, PROBLEM, Role};
use super::model::Model;
use crate::fold::{columns, fold, wrap};

/// The width of the whole picture: odd, so that its middle is a column.
const WIDTH: usize = 79;
/// The width of a driver that shares a row with another.
const HALF: usize = 37;
/// The gap between two of them.
const GAP: usize = WIDTH - 2 * HALF;
/// The width that the boxes of a series have at least.
const LEAST: usize = 41;
/// How many lines a text takes in a box before it is shortened.
const LINES: usize = 3;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// Whether the terminal shows more than ASCII.
    pub(crate) unicode: bool,
    pub(crate) colour: bool,
}

impl Look {
    /// Returns the style for this process's standard output: colour on a terminal unless `NO_COLOR` is set, lines in a UTF-8 locale.
    pub(crate) fn of_stdout() -> Self {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        let is_dumb = set("TERM").is_some_and(|terminal| terminal == "dumb");
        Self {
            unicode: locale.contains("utf-8") || locale.contains("utf8"),
            colour: set("NO_COLOR").is_none() && !is_dumb && io::stdout().is_terminal(),
        }
    }
}

/// Returns the picture, with notes below it.
pub(super) fn render(model: &Model, look: Look) -> String {
    let drawing = Drawing::new(model);
    let mut lines = look.picture(&drawing);
    lines.extend(drawing.notes.iter().flat_map(|note| look.note(note)));
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

impl Look {
    /// Returns this character for lines and corners, or one of ASCII for it.
    fn mark(self, unicode: char) -> char {
        match unicode {
            _ if self.unicode => unicode,
            '─' => '-',
            '│' => '|',
            '▼' => 'v',
            _ => '+',
        }
    }

    fn picture(self, drawing: &Drawing) -> Vec<String> {
        let mut boxes: Vec<Vec<&Block>> = drawing.series.iter().map(|block| vec![block]).collect();
        let is_fork = drawing.branches.len() > 1;
        if let ([only], false) = (&drawing.branches[..], is_fork) {
            boxes.extend(boxes_of(only));
        }
        let width = width_of(&boxes);
        let stack = self.stack(&boxes, width, ['─', if is_fork { '┬' } else { '─' }]);
        let mut lines: Vec<_> = stack.into_iter().map(|line| blanks((WIDTH - width) / 2) + &line).collect();
        if is_fork {
            lines.extend(self.fork(&drawing.branches));
        }
        lines
    }

    /// Returns the drivers in rows of two, with the trunk of the fork between them.
    fn fork(self, branches: &[Branch]) -> Vec<String> {
        let down = self.mark('│');
        let trunk = format!("{}{down}", blanks(WIDTH / 2));
        let mut lines = vec![format!("{trunk}  {FORK}")];
        let mut rows = branches.chunks(2).peekable();
        while let Some(row) = rows.next() {
            let is_last = rows.peek().is_none();
            lines.push(self.crossbar(row.len(), is_last));
            let stack = |branch| self.stack(&boxes_of(branch), HALF, ['▼', '─']);
            let stacks: Vec<_> = row.iter().map(stack).collect();
            let gap = if is_last { blanks(GAP) } else { format!("{0}{down}{0}", blanks(GAP / 2)) };
            let line = |stack: usize, line: usize| {
                stacks.get(stack).and_then(|lines| lines.get(line)).cloned().unwrap_or_else(|| blanks(HALF))
            };
            let height = stacks.iter().map(Vec::len).max().unwrap_or(0);
            lines.extend((0..height).map(|number| line(0, number) + &gap + &line(1, number)));
        }
        lines
    }

    /// Returns the line from the trunk to the middles of the boxes of a row.
    fn crossbar(self, boxes: usize, is_last: bool) -> String {
        let arm: String = iter::repeat_n(self.mark('─'), WIDTH / 2 - HALF / 2 - 1).collect();
        let right_arm = format!("{arm}{}", self.mark('┐'));
        let (middle, right_arm) = match (boxes, is_last) {
            (1, _) => ('┘', String::new()),
            (_, true) => ('┴', right_arm),
            (_, false) => ('┼', right_arm),
        };
        format!("{}{}{arm}{}{right_arm}", blanks(HALF / 2), self.mark('┌'), self.mark(middle))
    }

    /// Boxes below each other, joined by lines, with these marks in the outermost lines. Blocks of one box are alternatives with a rule
    /// between them.
    fn stack(self, boxes: &[Vec<&Block>], width: usize, [first, last]: [char; 2]) -> Vec<String> {
        let mut lines = Vec::new();
        for (index, blocks) in boxes.iter().enumerate() {
            let top = if index == 0 { first } else { '▼' };
            let bottom = if index + 1 == boxes.len() { last } else { '┬' };
            lines.push(self.rule(['┌', top, '┐'], width));
            for (index, block) in blocks.iter().enumerate() {
                if index > 0 {
                    lines.push(self.rule(['├', '─', '┤'], width));
                }
                lines.extend(self.block(block, width));
            }
            lines.push(self.rule(['└', bottom, '┘'], width));
        }
        lines
    }

    fn rule(self, marks: [char; 3], width: usize) -> String {
        let [left, middle, right] = marks.map(|mark| self.mark(mark));
        let arm: String = iter::repeat_n(self.mark('─'), width / 2 - 1).collect();
        format!("{left}{arm}{middle}{arm}{right}")
    }

    /// Returns the words of a box between its sides.
    fn block(self, block: &Block, width: usize) -> Vec<String> {
        let inside = width - FRAME;
        let down = self.mark('│');
        let left_out = if self.unicode { "…" } else { "..." };
        let side = |line: String, style: &str| {
            let padding = blanks(inside.saturating_sub(columns(&line)));
            format!("{down} {}{padding} {down}", self.paint(&line, style))
        };
        let mut lines: Vec<_> =
            wrap(&block.title, inside).into_iter().map(|line| side(line, style(block.role))).collect();
        for (class, text) in &block.details {
            let (folded, style) = match *class {
                PROBLEM => (wrap(text, inside), ALARM),
                _ => (fold(text, inside, LINES, left_out), ""),
            };
            lines.extend(folded.into_iter().map(|line| side(line, style)));
        }
        lines
    }

    fn note(self, note: &Note) -> Vec<String> {
        let mut lines = vec![String::new()];
        let style = if note.is_problem { ALARM } else { TITLE };
        lines.extend(wrap(note.title, WIDTH).iter().map(|line| self.paint(line, style)));
        let wrapped = note.lines.iter().flat_map(|line| wrap(line, WIDTH - 2));
        lines.extend(wrapped.map(|line| format!("  {line}")));
        lines
    }

    /// Returns the words in a style (the number of an escape sequence) if colour is on.
    pub(crate) fn paint(self, words: &str, style: &str) -> String {
        if self.colour && !style.is_empty() {
            format!("\x1b[{style}m{words}\x1b[0m")
        } else {
            words.to_owned()
        }
    }
}

/// The width of a box's two sides.
const FRAME: usize = 4;
/// Bold, and bold and red.
const TITLE: &str = "1";
const ALARM: &str = "1;31";

fn style(role: Role) -> &'static str {
    match role {
        Role::Program | Role::Idle => TITLE,
        Role::Layer => "1;36",
        Role::Driver => "1;32",
        Role::Device => "1;33",
    }
}

/// Returns a driver, and all of its devices in a box.
fn boxes_of(branch: &Branch) -> Vec<Vec<&Block>> {
    let mut boxes = vec![vec![&branch.driver]];
    if !branch.devices.is_empty() {
        boxes.push(branch.devices.iter().collect());
    }
    boxes
}

/// Returns the odd width that boxes below each other have, so that they are as wide as the widest.
fn width_of(boxes: &[Vec<&Block>]) -> usize {
    let needed = |block: &&Block| {
        let details = block.details.iter().map(|(_, text)| columns(text));
        details.chain([columns(&block.title)]).max().unwrap_or(0) + FRAME
    };
    let widest = boxes.iter().flatten().map(needed).max().unwrap_or(0);
    widest.clamp(LEAST, WIDTH) | 1
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}
