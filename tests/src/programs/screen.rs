//! A display without a screen, and pictures of it.
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

const WIDTH: usize = 640;
const HEIGHT: usize = 480;

/// A running Xvfb, ended when dropped.
#[derive(Debug)]
pub struct Screen {
    server: Child,
    display: String,
    folder: TempDir,
}

/// The content of the display at one time: 0xRRGGBB for each pixel, row by row.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    pixels: Vec<u32>,
}

impl Screen {
    /// Starts a display of 640 by 480 pixels on a number that the server chooses, and waits until it accepts
    /// clients.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("vkload-screen-").tempdir().expect("a folder for Xvfb");
        // Without -noreset it restarts when its last client leaves, and the next one may find it busy.
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-nolisten",
                "tcp",
                "-noreset",
                "-screen",
                "0",
                &format!("{WIDTH}x{HEIGHT}x24"),
            ])
            .arg("-fbdir")
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("install the Debian package xvfb");
        let mut number = String::new();
        let stdout = server.stdout.take().expect("Xvfb's output is piped");
        BufReader::new(stdout).read_line(&mut number).expect("Xvfb's answer");
        let number = number.trim();
        assert!(!number.is_empty(), "Xvfb did not start");
        Self { display: format!(":{number}"), server, folder }
    }

    pub fn display(&self) -> &str {
        &self.display
    }

    /// Returns the current content of the display, read from the server's frame buffer, which is a file in xwd format.
    pub fn picture(&self) -> Picture {
        let file = fs::read(self.folder.path().join("Xvfb_screen0")).expect("Xvfb's picture memory");
        let word = |index: usize| {
            let bytes = file.get(index * 4..index * 4 + 4).and_then(|bytes| bytes.try_into().ok());
            u32::from_be_bytes(bytes.expect("the picture has a header")) as usize
        };
        let (header_size, bits_per_pixel, bytes_per_line, colours) = (word(0), word(11), word(12), word(19));
        assert_eq!((word(4), word(5), bits_per_pixel), (WIDTH, HEIGHT, 32), "the display's format");
        let data = &file[header_size + colours * 12..];
        let pixels = data.chunks_exact(bytes_per_line).take(HEIGHT).flat_map(|line| {
            line[..WIDTH * 4]
                .chunks_exact(4)
                .map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], 0]))
        });
        Picture { pixels: pixels.collect() }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Picture {
    pub fn colours(&self) -> usize {
        let mut colours = self.pixels.clone();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    }

    /// Returns the number of different colours in the part of the display that begins at `from` (x and y, in pixels from the upper left
    /// corner) and has this size.
    pub fn colours_within(&self, from: (usize, usize), size: (usize, usize)) -> usize {
        let rows = self.pixels.chunks_exact(WIDTH).skip(from.1).take(size.1);
        let part = rows.flat_map(|row| &row[from.0..from.0 + size.0]).copied();
        Self { pixels: part.collect() }.colours()
    }

    /// Returns how many pixels are not black.
    pub fn lit(&self) -> usize {
        self.pixels.iter().filter(|pixel| **pixel != 0).count()
    }

    /// Returns how many pixels have exactly the colour 0xRRGGBB.
    pub fn of_colour(&self, colour: u32) -> usize {
        self.pixels.iter().filter(|pixel| **pixel == colour).count()
    }
}
