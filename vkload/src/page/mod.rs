//! One HTML page that needs no other files: for light and dark backgrounds, without scripts, and with a policy that forbids the browser to
//! fetch anything. It is made from plain data; everything but pictures is escaped here. It is also well-formed XML, so that tests and other
//! programs can read it.

use std::fmt::Write as _;

use crate::command::Step;
use crate::diagnosis::Severity;
use crate::escape::lines;

/// A problem or a note, with its remedy: shown as a card.
#[derive(Debug)]
pub(crate) struct Card {
    pub(crate) severity: Severity,
    pub(crate) title: String,
    /// More about it. May be empty.
    pub(crate) text: String,
    pub(crate) steps: Vec<Step>,
}

/// A part of a page, under a title unless that is empty.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    Card(Card),
    /// A table: the words above its columns, and its rows.
    Table {
        /// One word or two for each column.
        head: &'static [&'static str],
        /// As many cells in each as the head has.
        rows: Vec<Vec<String>>,
    },
    /// An SVG picture, which goes into the page as it is, and so has to be escaped already.
    Picture(String),
}

/// Returns the whole page: its title, which is also its headline, and its sections.
pub(crate) fn document(title: &str, sections: &[Section]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n\
         <title>{0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n",
        escape(title)
    );
    for section in sections {
        out.push_str("<section>\n");
        if !section.title.is_empty() {
            let _ = writeln!(out, "<h2>{}</h2>", escape(&section.title));
        }
        for part in &section.parts {
            write_part(&mut out, part);
        }
        out.push_str("</section>\n");
    }
    let _ = writeln!(out, "<footer>vkload {}</footer>\n</main>\n</body>\n</html>", env!("CARGO_PKG_VERSION"));
    out
}

const STYLE: &str = include_str!("page.css");

/// Returns the text with everything replaced that means something in HTML or XML, or that XML may not contain, or that a browser does not show.
pub(crate) fn escape(text: &str) -> String {
    let entities = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;"), ('\'', "&#39;")];
    entities.into_iter().fold(lines(text), |text, (mark, entity)| text.replace(mark, entity))
}

fn write_part(out: &mut String, part: &Part) {
    match part {
        Part::Text(text) => _ = writeln!(out, "<p>{}</p>", escape(text)),
        Part::Card(card) => write_card(out, card),
        Part::Table { head, rows } => write_table(out, head, rows),
        Part::Picture(svg) => _ = writeln!(out, "<figure>\n{svg}</figure>"),
    }
}

fn write_card(out: &mut String, card: &Card) {
    let severity = card.severity.name();
    let title = escape(&card.title);
    let _ = writeln!(
        out,
        "<article class=\"card {severity}\">\n<h3><span class=\"severity\">{severity}</span> {title}</h3>"
    );
    if !card.text.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", escape(&card.text));
    }
    for step in &card.steps {
        let text = step.to_string();
        let _ = if step.is_command() {
            // A click selects it as a whole.
            writeln!(out, "<pre class=\"step\"><code>{}</code></pre>", escape(&text))
        } else {
            writeln!(out, "<p class=\"step\">{}</p>", escape(&text))
        };
    }
    out.push_str("</article>\n");
}

/// Cells may be broken after the parts of paths and names.
fn write_table(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    out.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for word in head {
        let _ = write!(out, "<th>{}</th>", escape(word));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (cell, head) in row.iter().zip(head) {
            let parts: Vec<_> = cell.split_inclusive(['/', '_', ':', '=']).map(escape).collect();
            let parts = parts.join("<wbr/>");
            // A narrow window has no columns: there each cell shows its heading.
            let _ = write!(out, "<td data-head=\"{}\">{parts}</td>", escape(head));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n");
}
