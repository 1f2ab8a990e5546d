//! Decisions made without opening a library: settings, drivers and layers, on this machine or on a recorded one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use vkload_core::discovery::{
    Answer, KnownSettings, LayerNote, LayerPlan, LayerScope, Plan, Policy, Question, Record, Request,
    Searched, Snapshot, Step, plan, plan_layers, plan_settings,
};
use vkload_core::memory::{OutOfMemory, TryGrow as _, Vec, text};
use vkload_core::platform::FileError;
use vkload_linux::POLICY;

use crate::facts::{OWN, SETTINGS_FILE, Variables, check_rights, not_read, own_variables};
use crate::lossless;
use crate::own_loader::PLATFORM;

/// The three plans, with all answers that they were made from.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    pub(crate) settings: KnownSettings,
    /// The possible paths of the settings file, in search order.
    pub(crate) searched_settings: Vec<Searched>,
    pub(crate) drivers: Plan,
    pub(crate) layers: LayerPlan,
    pub(crate) snapshot: Snapshot,
}

/// Answers questions, or says why it cannot.
pub(crate) type AnswerQuestions<'a> = &'a dyn Fn(&mut Snapshot, Vec<Question>) -> Result<(), String>;

/// More rounds of questions than any plan needs.
const ROUND_LIMIT: u32 = 32;

impl Planned {
    /// Checks that only root can change the libraries that a loader would open by these plans, if this process acts as root.
    ///
    /// # Errors
    /// The library, and what to do.
    pub(crate) fn check_rights(&self) -> Result<(), String> {
        let libraries = self.libraries().map(|(_, library)| Path::new(OsStr::from_bytes(library)));
        check_rights(&own_variables(), &libraries.collect::<std::vec::Vec<_>>())
    }

    /// Returns the libraries of drivers and layers, each with the manifest that names it.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let drivers = self.drivers.drivers.iter().map(|driver| (&*driver.path, &*driver.library));
        let layers = self.layers.layers.iter().map(|layer| (&*layer.path, &*layer.library));
        drivers.chain(layers).filter(|(_, library)| !library.is_empty())
    }

    pub(crate) fn here() -> Result<Self, String> {
        Self::new(&POLICY, Snapshot::new(), &|snapshot, questions| {
            snapshot.ask(&PLATFORM, questions).map_err(out_of_memory)
        })
    }

    /// Returns the plans for the loader that programs get here.
    pub(crate) fn in_use() -> Result<Self, String> {
        let variables = own_variables();
        let not_read = not_read(None, &variables, None, usize::BITS);
        Self::for_loader(&variables, None, usize::BITS, &not_read)
    }

    /// Returns the plans for a program that has these variables, whose file is `program`, on this machine.
    pub(crate) fn for_program(
        variables: &Variables,
        program: Option<&Path>,
        pointer_width: u32,
    ) -> Result<Self, String> {
        Self::for_loader(variables, program, pointer_width, &[])
    }

    /// Returns the same for a loader that does not read these variables, or the settings file if it is among them.
    pub(crate) fn for_loader(
        variables: &Variables,
        program: Option<&Path>,
        pointer_width: u32,
        not_read: &[String],
    ) -> Result<Self, String> {
        let is_read = |name: &str| !not_read.iter().any(|other| other == name);
        let is_hidden = |path: &[u8]| !is_read(SETTINGS_FILE) && path.ends_with(SETTINGS_FILE.as_bytes());
        let policy = Policy { pointer_width, ..POLICY };
        let mut planned = Self::new(&policy, Snapshot::new(), &|snapshot, questions| {
            let known = |bytes: Option<&[u8]>| {
                bytes.map(|bytes| text(&[bytes])).transpose().map(Answer::Value).map_err(out_of_memory)
            };
            let mut others = Vec::new();
            for question in questions {
                let answer = match (&question, program) {
                    (Question::Exists(path), _) if is_hidden(path) => Answer::Truth(false),
                    (Question::File(path), _) if is_hidden(path) => {
                        Answer::Content(Err(FileError::NotFound), None)
                    }
                    (Question::Variable(name, _), _) => {
                        let name = name.as_c_str().to_string_lossy();
                        let value = variables.get(&*name).filter(|_| is_read(&name));
                        known(value.map(|value| lossless::bytes(value)).as_deref())?
                    }
                    (Question::Executable, Some(program)) => known(Some(program.as_os_str().as_bytes()))?,
                    _ => {
                        others.try_push(question).map_err(out_of_memory)?;
                        continue;
                    }
                };
                snapshot.record(Record { question, answer }).map_err(out_of_memory)?;
            }
            snapshot.ask(&PLATFORM, others).map_err(out_of_memory)
        })?;
        // Other loaders move no layer.
        let is_kept = |note: &mut LayerNote| is_read(OWN) || !matches!(note, LayerNote::Moved { .. });
        planned.layers.notes.retain_mut(is_kept);
        Ok(planned)
    }

    /// Returns the plans that this policy leads to, where `known` holds answers already.
    pub(crate) fn new(policy: &Policy, known: Snapshot, answer: AnswerQuestions<'_>) -> Result<Self, String> {
        let mut planned = Self { snapshot: known, ..Self::default() };
        planned.settings.snapshot = planned.snapshot.copy().map_err(out_of_memory)?;
        planned.settings.plan =
            rounds(&mut planned.settings.snapshot, answer, |snapshot| plan_settings(snapshot, policy))?;
        planned.searched_settings = planned.settings.searched(policy).map_err(out_of_memory)?;
        let (settings, request) = (&planned.settings, Request { portability: true });
        planned.drivers =
            rounds(&mut planned.snapshot, answer, |snapshot| plan(snapshot, &request, policy, settings))?;
        planned.layers = rounds(&mut planned.snapshot, answer, |snapshot| {
            plan_layers(snapshot, policy, LayerScope::All, settings)
        })?;
        Ok(planned)
    }
}

/// Returns the content of a file, if it is among the answers.
pub(crate) fn content<'a>(snapshot: &'a Snapshot, path: &[u8]) -> Option<&'a [u8]> {
    snapshot.records().iter().find_map(|record| match (&record.question, &record.answer) {
        (Question::File(file), Answer::Content(Ok(content), _)) if **file == *path => Some(&**content),
        _ => None,
    })
}

/// Makes a plan: repeats until no questions are left.
fn rounds<T>(
    snapshot: &mut Snapshot,
    answer: AnswerQuestions<'_>,
    plan: impl Fn(&Snapshot) -> Result<Step<T>, OutOfMemory>,
) -> Result<T, String> {
    for _ in 0..ROUND_LIMIT {
        match plan(snapshot).map_err(out_of_memory)? {
            Step::Ready(plan) => return Ok(plan),
            Step::Ask(questions) => answer(snapshot, questions)?,
        }
    }
    Err(format!("the plan needs more than {ROUND_LIMIT} rounds of questions"))
}

fn out_of_memory(_: OutOfMemory) -> String {
    "memory ran out".to_owned()
}
