//! The text of the recorder layer's file. `docs/recorder-layer.md` describes it.

/// A file of the recorder layer.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) process: &'a str,
    pub(super) thread: &'a str,
    pub(super) reason: Reason<'a>,
    /// How many threads made calls that are not in the file.
    pub(super) threads_not_kept: u64,
    pub(super) threads: Vec<Thread<'a>>,
    pub(super) progress: Vec<Progress<'a>>,
    pub(super) is_cut: bool,
}

/// The event that the file is about.
#[derive(Debug, PartialEq)]
pub(super) enum Reason<'a> {
    Signal { name: &'a str, address: Option<&'a str> },
    DeviceLost { command: &'a str },
    Request,
}

/// The progress of a queue, or of a command buffer that is not complete.
#[derive(Debug)]
pub(super) struct Progress<'a> {
    /// `queue 0x5` or `command buffer 0x7`.
    pub(super) about: &'a str,
    /// The last checkpoint of each stage: the stage, and the command or the marker.
    pub(super) checkpoints: Vec<(&'a str, &'a str)>,
}

#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    /// The oldest first.
    pub(super) calls: Vec<Call<'a>>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    /// The seconds between the call and the report.
    pub(super) ago: f64,
    pub(super) command: &'a str,
    /// Whether it had not returned.
    pub(super) is_running: bool,
    /// Its result, if that is an error.
    pub(super) error: Option<&'a str>,
}

const FORMAT: &str = "vkload recorder ";
const VERSION: &str = "1";

impl<'a> Report<'a> {
    /// Parses a file. The end may be missing, if the process was killed while it wrote.
    pub(super) fn read(text: &'a str) -> Result<Self, String> {
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        match text.lines().next().unwrap_or_default().strip_prefix(FORMAT) {
            None | Some("") => {
                return Err(format!(
                    "not a file of VK_LAYER_VKLOAD_recorder, whose first line is `{FORMAT}{VERSION}`"
                ));
            }
            Some(VERSION) => lines.next(),
            Some(other) => {
                return Err(format!(
                    "version {other} of the recorder layer's format, of which this vkload reads version {VERSION}; use the vkload of the layer"
                ));
            }
        };
        let mut field = |name| lines.next().and_then(|line| line.strip_prefix(name));
        let (process, thread) = (field("process "), field("thread "));
        let reason = field("reason ").and_then(Reason::read);
        let (Some(process), Some(thread), Some(reason)) = (process, thread, reason) else {
            return Err("the file is cut short, or damaged: it does not say why it was written".to_owned());
        };
        let is_cut = !text.ends_with('\n');
        let mut report = Self {
            process,
            thread,
            reason,
            threads_not_kept: 0,
            threads: Vec::new(),
            progress: Vec::new(),
            is_cut,
        };
        for line in lines {
            report.add(line);
        }
        Ok(report)
    }

    /// Adds a line of a section. Unknown ones mean nothing here.
    fn add(&mut self, line: &'a str) {
        if let Some(number) = line.strip_prefix("threads without a record ") {
            self.threads_not_kept = number.parse().unwrap_or(0);
        } else if let Some(thread) = Thread::read(line) {
            self.threads.push(thread);
        } else if let (Some(thread), Some(call)) = (self.threads.last_mut(), Call::read(line)) {
            thread.calls.push(call);
        } else if let Some(progress) = Progress::read(line) {
            self.progress.push(progress);
        } else if let (Some(progress), Some(checkpoint)) = (self.progress.last_mut(), checkpoint(line)) {
            progress.checkpoints.push(checkpoint);
        }
    }

    /// Returns the calls of the thread that wrote the file.
    pub(super) fn own(&self) -> Option<&Thread<'a>> {
        self.threads.iter().find(|thread| thread.id == self.thread)
    }
}

impl<'a> Reason<'a> {
    fn read(text: &'a str) -> Option<Self> {
        if let Some(command) = text.strip_prefix("device lost in ") {
            return Some(Self::DeviceLost { command });
        }
        if let Some(signal) = text.strip_prefix("signal ") {
            let (signal, address) = match signal.split_once(" at ") {
                Some((signal, address)) => (signal, Some(address)),
                None => (signal, None),
            };
            // A signal without a known name has a number only.
            let name = signal.split_once(' ').map_or(signal, |(_, name)| name);
            return Some(Self::Signal { name, address });
        }
        (text == "request").then_some(Self::Request)
    }
}

impl<'a> Thread<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (id, rest) = line.strip_prefix("thread ")?.split_once(' ')?;
        let (name, _) = rest.strip_suffix(" calls, the last ones:")?.rsplit_once(", ")?;
        Some(Self { id, name, calls: Vec::new() })
    }

    /// Returns the innermost call that had not returned.
    pub(super) fn running(&self) -> Option<&Call<'a>> {
        self.calls.iter().rev().find(|call| call.is_running)
    }
}

impl<'a> Progress<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let of_queue =
            line.strip_suffix(", the last checkpoints:").and_then(|it| it.split_once(" of family "));
        let about = of_queue.map(|(about, _)| about).or_else(|| line.strip_suffix(", the last markers:"))?;
        Some(Self { about, checkpoints: Vec::new() })
    }
}

/// Returns the stage of a checkpoint, and the rest.
fn checkpoint(line: &str) -> Option<(&str, &str)> {
    let of_number = line.strip_prefix("stage ");
    of_number.unwrap_or(line).split_once(' ')
}

impl<'a> Call<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (ago, rest) = line.strip_prefix('-')?.split_once(' ')?;
        let (command, rest) = rest.split_once('(')?;
        let (_, end) = rest.rsplit_once(')')?;
        let (result, is_running) = (end.strip_prefix(" = "), end == " has not returned");
        let error = result.filter(|result| result.starts_with("VK_ERROR_"));
        // A line that is cut short says nothing.
        let is_whole = end.is_empty() || is_running || result.is_some();
        is_whole.then_some(Self { ago: ago.parse().ok()?, command, is_running, error })
    }
}
