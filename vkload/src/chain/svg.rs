//! A call chain as an SVG picture, for light and dark backgrounds. It refers to no other file, and its styles apply only to itself, so that
//! it can be embedded in a page.

use std::fmt::Write as _;

use super::drawing::{Block, Branch, Drawing, FORK, Note, PROBLEM, Role};
use super::model::Model;
use crate::fold::{columns, wrap};
use crate::page::escape;

// All lengths are in pixels at the picture's natural size.

/// The width of a driver that shares a row with another, and of the gap between them.
const HALF: usize = 408;
const GAP: usize = 48;
const WIDTH: usize = 2 * HALF + GAP;
/// Around everything.
const MARGIN: usize = 20;
/// The least and the largest width of the boxes of a series.
const SERIES: (usize, usize) = (360, 760);
/// From the side of a box to its words.
const PADDING: usize = 14;
const LINE: usize = 18;
/// From a box to the next one.
const ARROW: usize = 26;
/// A column of text is a bit narrower than this in any font for terminals, of 12 and of 14 pixels. Tenths of pixels.
const COLUMN: usize = 75;
const TITLE_COLUMN: usize = 87;

/// Returns the picture as a standalone document.
pub(crate) fn svg(model: &Model) -> String {
    let drawing = Drawing::new(model);
    let mut pen = Pen::default();
    let bottom = pen.picture(&drawing);
    let bottom = drawing.notes.iter().fold(bottom, |top, note| pen.note(note, top));
    let (width, height) = (WIDTH + 2 * MARGIN, bottom + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"call-chain\" role=\"group\" \
         aria-label=\"Call chain of a Vulkan program\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<title>Call chain of a Vulkan program</title>\n\
         <desc>{}</desc>\n<style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
        escape(&drawing.in_words()),
        pen.out
    )
}

const STYLE: &str = include_str!("picture.css");

/// Draws from the top down. Each drawing function returns the bottom edge of its part.
#[derive(Default)]
struct Pen {
    out: String,
}

/// The left and right edges of a box.
#[derive(Clone, Copy)]
struct Span {
    left: usize,
    width: usize,
}

impl Span {
    fn centred(width: usize) -> Self {
        Self { left: MARGIN + (WIDTH - width) / 2, width }
    }

    fn middle(self) -> usize {
        self.left + self.width / 2
    }
}

impl Pen {
    fn picture(&mut self, drawing: &Drawing) -> usize {
        let only = if let [only] = &drawing.branches[..] { Some(only) } else { None };
        let alone = only.into_iter().flat_map(|branch| branch.devices.iter().chain([&branch.driver]));
        let span = Span::centred(width_of(drawing.series.iter().chain(alone)));
        let mut bottom = MARGIN;
        for (index, block) in drawing.series.iter().enumerate() {
            let top = if index == 0 { bottom } else { self.arrow(span.middle(), bottom) };
            bottom = self.block(block, span, top);
        }
        match only {
            Some(branch) => self.branch(branch, span, bottom),
            None => self.fork(&drawing.branches, span.middle(), bottom),
        }
    }

    /// Draws the drivers in rows of two, with the trunk of the fork between them.
    fn fork(&mut self, branches: &[Branch], trunk: usize, top: usize) -> usize {
        let first = Span { left: MARGIN, width: HALF };
        let spans = [first, Span { left: MARGIN + HALF + GAP, ..first }];
        let words = top + ARROW - LINE / 2;
        self.text(FORK, "why", trunk + PADDING, words);
        let (mut bottom, mut begin) = (words, top);
        for row in branches.chunks(2) {
            let bar = bottom + ARROW / 2;
            // A row makes the trunk as long as it needs.
            self.line(&[(trunk, begin), (trunk, bar)]);
            begin = bar;
            for (branch, span) in row.iter().zip(spans) {
                self.line(&[(trunk, bar), (span.middle(), bar)]);
                bottom = bottom.max(self.branch(branch, span, bar));
            }
        }
        bottom
    }

    /// Draws a driver at the end of an arrow from `top`, and its devices.
    fn branch(&mut self, branch: &Branch, span: Span, top: usize) -> usize {
        let top = self.arrow(span.middle(), top);
        let mut bottom = self.block(&branch.driver, span, top);
        for (index, device) in branch.devices.iter().enumerate() {
            // Devices are alternatives as well, so their boxes touch.
            let top = if index == 0 { self.arrow(span.middle(), bottom) } else { bottom };
            bottom = self.block(device, span, top);
        }
        bottom
    }

    fn block(&mut self, block: &Block, span: Span, top: usize) -> usize {
        let lines = lines(block, span.width);
        let height = lines.len() * LINE + PADDING;
        let is_broken = block.details.iter().any(|(class, _)| *class == PROBLEM);
        let class = if is_broken { "broken" } else { class(block.role) };
        let Span { left, width } = span;
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>"
        );
        for (index, (line, class)) in lines.iter().enumerate() {
            self.text(line, class, left + PADDING, top + PADDING / 2 + (index + 1) * LINE - 5);
        }
        top + height
    }

    fn note(&mut self, note: &Note, top: usize) -> usize {
        let class = if note.is_problem { PROBLEM } else { "name" };
        let inside = WIDTH * 10 / COLUMN;
        let mut bottom = top + LINE / 2;
        let titles = wrap(note.title, WIDTH * 10 / TITLE_COLUMN).into_iter().map(|line| (line, class));
        let lines = note.lines.iter().flat_map(|line| wrap(line, inside)).map(|line| (line, "path"));
        for (line, class) in titles.chain(lines) {
            bottom += LINE;
            self.text(&line, class, MARGIN, bottom);
        }
        bottom
    }

    /// Draws an arrow to a box that begins at the arrow's tip.
    fn arrow(&mut self, x: usize, top: usize) -> usize {
        let end = top + ARROW;
        self.line(&[(x, top), (x, end - 6)]);
        let (left, right, base) = (x - 5, x + 5, end - 8);
        let _ = writeln!(self.out, "<path class=\"head\" d=\"M{left} {base}H{right}L{x} {end}Z\"/>");
        end
    }

    fn line(&mut self, points: &[(usize, usize)]) {
        let points: Vec<_> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
        let _ = writeln!(self.out, "<polyline class=\"way\" points=\"{}\"/>", points.join(" "));
    }

    /// Draws a line of text. Keeps the blanks at its beginning, an indentation.
    fn text(&mut self, words: &str, class: &str, x: usize, y: usize) {
        let indented = words.trim_start();
        let x = x + (words.len() - indented.len()) * COLUMN / 10;
        let _ = writeln!(self.out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(indented));
    }
}

fn class(role: Role) -> &'static str {
    match role {
        Role::Program => "program",
        Role::Layer => "layer",
        Role::Driver => "driver",
        Role::Idle => "driver idle",
        Role::Device => "device",
    }
}

/// Returns the lines of a box of this width, each with its class. Nothing is left out.
fn lines(block: &Block, width: usize) -> Vec<(String, &'static str)> {
    let inside = (width - 2 * PADDING) * 10;
    let titles = wrap(&block.title, inside / TITLE_COLUMN).into_iter().map(|line| (line, "name"));
    let details = block
        .details
        .iter()
        .flat_map(|(class, text)| wrap(text, inside / COLUMN).into_iter().map(|line| (line, *class)));
    titles.chain(details).collect()
}

/// Returns the width that boxes below each other have, so that they are as wide as the widest.
fn width_of<'a>(blocks: impl Iterator<Item = &'a Block>) -> usize {
    let needed = blocks.map(|block| {
        let details = block.details.iter().map(|(_, text)| columns(text) * COLUMN);
        details.chain([columns(&block.title) * TITLE_COLUMN]).max().unwrap_or(0).div_ceil(10)
    });
    (needed.max().unwrap_or(0) + 2 * PADDING).clamp(SERIES.0, SERIES.1)
}
