//! A picture of growing costs, as SVG for light and dark backgrounds. Both axes are logarithmic. It refers to no other file, and its text
//! is legible at a width of 400 pixels.
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The folder of the data behind the pictures.
const RESULTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/results");
const STYLE: &str = include_str!("curve.css");

// All lengths are in pixels at the picture's natural size.
const WIDTH: f64 = 480.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 458.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 278.0;
const ROW: f64 = 22.0;

#[derive(Debug)]
pub(crate) struct Picture<'a> {
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) noun: &'a str,
    /// The numbers, the same for all lines.
    pub(crate) numbers: &'a [u32],
    pub(crate) lines: Vec<Line>,
}

/// A line through the costs of one loader.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Its loader's place: 0 is ours.
    pub(crate) loader: usize,
    /// Its place among the lines of its loader.
    pub(crate) place: usize,
    pub(crate) costs: Vec<f64>,
}

/// Writes a picture as `NAME.svg` into a folder, and its data to `NAME.json` in the folder of results.
pub(crate) fn write(folder: &Path, name: &str, picture: &str, data: &Value) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::create_dir_all(RESULTS)?;
    fs::write(folder.join(format!("{name}.svg")), picture)?;
    fs::write(Path::new(RESULTS).join(format!("{name}.json")), format!("{data:#}\n"))
}

/// The scales of the axes: powers of ten.
struct Scales {
    x: (f64, f64),
    y: (f64, f64),
}

impl Picture<'_> {
    /// Returns the picture as a standalone document.
    pub(crate) fn svg(&self) -> String {
        let scales = self.scales();
        let mut out = String::new();
        self.axes(&scales, &mut out);
        for line in &self.lines {
            line.draw(self.numbers, &scales, &mut out);
        }
        let height = self.legend(&mut out);
        let title = escape(self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"curve\" role=\"img\" aria-label=\"{title}\" \
             width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n<title>{title}</title>\n\
             <desc>{}</desc>\n<style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{out}</svg>\n",
            escape(&self.in_words())
        )
    }

    /// Returns the costs as text, for readers who cannot see the picture.
    fn in_words(&self) -> String {
        let mut words = format!("{} by number of {}.", self.unit, self.noun);
        for line in &self.lines {
            let costs = self.numbers.iter().zip(&line.costs);
            let costs: Vec<_> = costs.map(|(number, cost)| format!("{cost:.0} with {number}")).collect();
            let _ = write!(words, " {}: {}.", line.name, costs.join(", "));
        }
        words
    }

    fn scales(&self) -> Scales {
        let logarithms: Vec<_> =
            self.lines.iter().flat_map(|line| &line.costs).map(|cost| logarithm(*cost)).collect();
        let low = logarithms.iter().copied().fold(f64::MAX, f64::min).floor();
        let high = logarithms.iter().copied().fold(0.0, f64::max).ceil().max(low + 1.0);
        let number = |number: Option<&u32>| logarithm(f64::from(number.copied().unwrap_or(1)));
        Scales { x: (number(self.numbers.first()), number(self.numbers.last())), y: (low, high) }
    }

    fn axes(&self, scales: &Scales, out: &mut String) {
        text(out, "title", LEFT - 46.0, 24.0, self.title);
        text(out, "unit", LEFT - 46.0, 44.0, self.unit);
        let (low, high) = (scales.y.0 as i32, scales.y.1 as i32);
        for power in low..=high {
            let y = scales.y(f64::from(power));
            straight(out, "grid", (LEFT, y), (RIGHT, y));
            text(out, "number", LEFT - 9.0, y + 4.5, &short(power));
        }
        for number in self.numbers {
            let x = scales.x(logarithm(f64::from(*number)));
            straight(out, "axis", (x, BOTTOM), (x, BOTTOM + 5.0));
            text(out, "middle", x, BOTTOM + 19.0, &grouped(*number));
        }
        text(out, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 40.0, self.noun);
        straight(out, "axis", (LEFT, BOTTOM), (RIGHT, BOTTOM));
        // Proportional growth is as steep as this line.
        let rise = (scales.x.1 - scales.x.0).min(scales.y.1 - scales.y.0);
        let end = (scales.x(scales.x.0 + rise), scales.y(scales.y.0 + rise));
        straight(out, "guide", (LEFT, BOTTOM), end);
    }

    /// Draws the lines' names below the axis, each loader's in a column, and the guide's. Returns the bottom edge.
    fn legend(&self, out: &mut String) -> f64 {
        let mut bottom = BOTTOM + 48.0;
        for line in &self.lines {
            let x = if line.loader == 0 { 16.0 } else { 246.0 };
            let y = BOTTOM + 66.0 + ROW * line.place as f64;
            straight(out, &line.class(), (x, y), (x + 32.0, y));
            line.point(x + 16.0, y, out);
            text(out, "name", x + 40.0, y + 4.5, &line.name);
            bottom = f64::max(bottom, y);
        }
        let y = bottom + ROW;
        straight(out, "guide", (16.0, y), (48.0, y));
        text(out, "name", 56.0, y + 4.5, "growth in proportion");
        y + 18.0
    }
}

impl Line {
    fn class(&self) -> String {
        let loader = if self.loader == 0 { "ours" } else { "theirs" };
        let place = if self.place == 0 { "" } else { " second" };
        format!("{loader}{place}")
    }

    fn draw(&self, numbers: &[u32], scales: &Scales, out: &mut String) {
        let points: Vec<_> = numbers
            .iter()
            .zip(&self.costs)
            .map(|(number, cost)| (scales.x(logarithm(f64::from(*number))), scales.y(logarithm(*cost))))
            .collect();
        let way: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(out, "<polyline class=\"{}\" points=\"{}\"/>", self.class(), way.join(" "));
        for (x, y) in points {
            self.point(x, y, out);
        }
    }

    /// Draws a disc for our loader and a square for the other one, so that they differ without colours.
    fn point(&self, x: f64, y: f64, out: &mut String) {
        let _ = if self.loader == 0 {
            writeln!(out, "<circle class=\"ours point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>")
        } else {
            let (left, top) = (x - 3.5, y - 3.5);
            writeln!(
                out,
                "<rect class=\"theirs point\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"7\" height=\"7\"/>"
            )
        };
    }
}

impl Scales {
    fn x(&self, logarithm: f64) -> f64 {
        LEFT + (RIGHT - LEFT) * (logarithm - self.x.0) / (self.x.1 - self.x.0)
    }

    fn y(&self, logarithm: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * (logarithm - self.y.0) / (self.y.1 - self.y.0)
    }
}

fn logarithm(number: f64) -> f64 {
    number.max(1.0).log10()
}

fn straight(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(out: &mut String, class: &str, x: f64, y: f64, words: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(words));
}

/// Returns a power of ten as a number with a unit's prefix: 3 is `1 k`, and 7 is `10 M`.
fn short(power: i32) -> String {
    let prefixes = ["", " k", " M", " G", " T"];
    let (prefix, zeros) = (power / 3, power % 3);
    let prefix = usize::try_from(prefix).ok().and_then(|place| prefixes.get(place)).unwrap_or(&"");
    format!("1{}{prefix}", "0".repeat(zeros.max(0) as usize))
}

fn grouped(number: u32) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", number / 1000, number % 1000) }
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
