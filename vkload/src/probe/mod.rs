//! Tries a loader, a driver or a layer in a separate process, so that a crash or a hang affects no other process.
//!
//! [`layers::try_out`] tries layers only up to the point at which the loader would call them; the doctor continues from there.
//!
//! [`parent::try_out`] starts this program again with the argument [`PROBE`], for which [`init_doctor`] calls [`child::run`]. The child writes a line for each step before
//! it takes it; when it crashes, hangs or exits, the last line shows where. A library's output does not mix with these lines, which go to
//! shared memory ([`notes`]).

pub(crate) mod child;
mod crash;
pub(crate) mod layers;
mod many;
mod notes;
pub(crate) mod parent;
mod searches;
mod traced;
mod vulkan;

use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fmt, process};

pub(crate) use many::{Attempt, Progress, try_all};

use serde::{Deserialize, Serialize};

use crate::lossless;
use crate::rights;
use crate::view::Device;

const PROBE: &str = "vkload-probe";
/// The variable with the files that a trial is to do without, one in each line. If it is set, the trial is traced.
pub(crate) const HIDDEN: &str = "vkload-hidden";

/// Whether this program, started again, becomes a probe.
static INITIALISED: AtomicBool = AtomicBool::new(false);

/// Lets [`Doctor`](crate::Doctor) try drivers and layers: in other processes, which are this program with other arguments.
///
/// Call it at the start of `main`, before anything else. In a process that a `Doctor` of this program started, it tries something and exits. In
/// every other process it returns at once. In a program that has more rights than its user, such as a set-user-id program, nothing is tried.
pub fn init_doctor() {
    if rights::is_elevated() {
        return;
    }
    INITIALISED.store(true, Ordering::Relaxed);
    if env::args_os().nth(1).is_some_and(|first| first == PROBE)
        && let Some(subject) = notes::open()
    {
        if let Some(hidden) = env::var_os(HIDDEN) {
            // SAFETY: this process has no other thread yet.
            unsafe { env::remove_var(HIDDEN) };
            traced::start(&lossless::of(hidden).lines().map(str::to_owned).collect::<Vec<_>>());
        }
        process::exit(child::run(&subject));
    }
}

/// Returns whether this program has called [`init_doctor`].
pub(crate) fn is_possible() -> bool {
    INITIALISED.load(Ordering::Relaxed)
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "subject")]
pub(crate) enum Subject {
    /// The loader that is built into this program, with every driver and layer that it finds.
    #[default]
    Own,
    /// A Vulkan loader, with every driver and layer that it finds: a name for the dynamic linker, or a path.
    Loader {
        library: String,
    },
    Driver {
        library: String,
    },
    /// A layer: opened and negotiated with, as the loader does it, and if it is `alone`, then enabled in the loader that is built into this
    /// program. The three functions have the names in its manifest, which are empty if it names none.
    Layer {
        name: String,
        library: String,
        negotiate: String,
        get_instance_proc_addr: String,
        get_device_proc_addr: String,
        alone: bool,
    },
    /// A device file, which is opened as drivers open it and closed again.
    DeviceFile {
        path: String,
    },
}

impl Subject {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Own => "the loader that is built into vkload",
            Self::Loader { library } | Self::Driver { library } => library,
            Self::Layer { name, .. } => name,
            Self::DeviceFile { path } => path,
        }
    }
}

/// The steps of a trial, in order.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Stage {
    #[default]
    Start,
    /// The library is loaded, and its constructors run.
    Open,
    /// The version of the interface is agreed on.
    Negotiate,
    /// The instance's version and extensions are asked for.
    Query,
    CreateInstance,
    EnumerateDevices,
    Properties,
    CreateDevice,
    Submit,
    Wait,
    Destroy,
    /// The library is unloaded, and its destructors run.
    Unload,
    /// The process ends, and what libraries have asked for at its end is run.
    Exit,
    Done,
}

impl Stage {
    /// Returns the step in words that follow "in" or "while".
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Start => "before anything was tried",
            Self::Open => "while its library is loaded",
            Self::Negotiate => "while the loader negotiates with it",
            Self::Query => "in vkEnumerateInstanceExtensionProperties",
            Self::CreateInstance => "in vkCreateInstance",
            Self::EnumerateDevices => "in vkEnumeratePhysicalDevices",
            Self::Properties => "in vkGetPhysicalDeviceProperties",
            Self::CreateDevice => "in vkCreateDevice",
            Self::Submit => "in vkQueueSubmit",
            Self::Wait => "in vkWaitForFences",
            Self::Destroy => "in vkDestroyInstance",
            Self::Unload => "while its library is unloaded",
            Self::Exit => "when the program ends",
            Self::Done => "after everything was done",
        }
    }

    /// Returns the Vulkan command of the step, if it has one.
    pub(crate) fn command(self) -> &'static str {
        self.words().rsplit(' ').next().filter(|word| word.starts_with("vk")).unwrap_or("")
    }
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "ended")]
pub(crate) enum Ending {
    #[default]
    Finished,
    /// A step failed: a command returned this result.
    Result {
        code: i32,
    },
    /// A step failed, and these are the words for it.
    Failed {
        words: String,
        #[serde(default)]
        cause: Cause,
    },
    /// A signal ended the process. The library is the one whose code ran, if that is known.
    Signal {
        number: i32,
        library: Option<String>,
    },
    Exited {
        code: i32,
    },
    /// Time was up. The library is the one whose code waited or ran, if that is known.
    TimedOut {
        seconds: u64,
        library: Option<String>,
    },
}

/// Why a step failed, as far as it matters for the remedy.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Cause {
    #[default]
    Other,
    /// A function that every loader or driver has is missing, so it is none.
    WrongKind,
    LacksCommand,
    /// The system does not permit it: `EPERM`, `EACCES`.
    NotPermitted,
    Denied,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Trial {
    pub(crate) of: Subject,
    pub(crate) stage: Stage,
    pub(crate) ending: Ending,
    /// The file that the library was loaded from.
    pub(crate) file: String,
    /// The version of Vulkan that it has for instances.
    pub(crate) version: String,
    /// The extensions of instances. Not recorded.
    #[serde(skip)]
    pub(crate) extensions: Vec<Extension>,
    /// Its devices, as far as they were reached.
    pub(crate) devices: Vec<Tried>,
    /// How long it took until the instance was destroyed or a step failed. 0 if it did not get as far.
    pub(crate) milliseconds: u64,
    /// The last lines that it printed, cleaned of control characters.
    pub(crate) printed: Vec<String>,
    /// Libraries that it did not find, if it failed without giving a reason.
    pub(crate) not_found: Vec<String>,
    /// Files of the kernel that it did not get, if it was traced.
    pub(crate) refused: Vec<Refused>,
    /// Files that it read, if it was traced.
    #[serde(skip)]
    pub(crate) used: Vec<String>,
    /// Why the loader leaves the layer out, as a name that does not change. The words are in `ending`. Empty for everything else.
    pub(crate) fault: String,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Extension {
    pub(crate) name: String,
    pub(crate) version: u32,
}

/// A file that was asked for in vain.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Refused {
    pub(crate) path: String,
    /// Whether it does not exist. Otherwise there is no permission for it.
    pub(crate) is_absent: bool,
    /// Whether it could be opened, and then not be used by `ioctl`.
    pub(crate) by_ioctl: bool,
}

/// A device, and the result of using it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Tried {
    #[serde(flatten)]
    pub(crate) device: Device,
    /// The stage and kind of a failure while using it. `None` if it works.
    pub(crate) failure: Option<(Stage, Ending)>,
    /// Its extensions, and the features of Vulkan 1.0 by their positions. Not recorded: [`crate::doctor`] keeps only those that a layer hides.
    #[serde(skip)]
    pub(crate) extensions: Vec<String>,
    #[serde(skip)]
    pub(crate) features: u64,
    /// `VkPhysicalDeviceIDProperties::driverUUID`. Zeros for drivers of Vulkan 1.0.
    #[serde(skip)]
    pub(crate) driver_uuid: [u8; 16],
}

impl Trial {
    /// Returns whether a program could use a device. What happens after the instance is gone takes nothing from it.
    pub(crate) fn works(&self) -> bool {
        (self.ending == Ending::Finished || self.stage > Stage::Destroy) && self.usable().next().is_some()
    }

    /// Returns the devices on which a submission ran to its end.
    pub(crate) fn usable(&self) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(|tried| tried.failure.is_none()).map(|tried| &tried.device)
    }

    /// Returns whether it got no device and gave no reason but a number.
    pub(crate) fn fails_silently(&self) -> bool {
        let says_nothing = match &self.ending {
            Ending::Finished | Ending::Result { .. } => true,
            Ending::Failed { cause, .. } => matches!(cause, Cause::WrongKind | Cause::LacksCommand),
            _ => false,
        };
        let fails = |tried: &Tried| matches!(tried.failure, Some((_, Ending::Result { code: -9 | -3 })));
        self.devices.iter().all(fails) && says_nothing
    }

    /// Returns the problem of a layer that was tried only up to the point at which the loader would call it. `None` if none was found.
    pub(crate) fn problem_of_layer(&self) -> Option<String> {
        (self.is_unusable() || (self.has_begun() && self.is_violent())).then(|| self.to_string())
    }

    /// Returns whether this is a layer that the loader leaves out.
    pub(crate) fn is_unusable(&self) -> bool {
        !self.fault.is_empty()
    }

    /// Returns whether it came to the library that was to be tried.
    pub(crate) fn has_begun(&self) -> bool {
        self.stage > Stage::Start
    }

    /// Returns the libraries that it looked for in vain or the last file that it did not get, to follow what happened.
    pub(crate) fn searches(&self) -> String {
        match (&self.not_found[..], self.refused.last()) {
            ([], None) => String::new(),
            ([], Some(Refused { path, is_absent: true, .. })) => {
                format!("; it looked for {path} and did not find it")
            }
            ([], Some(Refused { path, by_ioctl: true, .. })) => {
                format!("; it opened {path}, and has no permission to use it (ioctl)")
            }
            ([], Some(Refused { path, .. })) => format!("; it has no permission for {path}"),
            ([one], _) => format!("; it looked for {one} and did not find it"),
            (some, _) => format!("; it looked for {} and did not find them", some.join(", ")),
        }
    }

    /// Returns whether the process died, hung or ended itself.
    pub(crate) fn is_violent(&self) -> bool {
        self.ending.is_violent()
    }
}

impl Ending {
    pub(crate) fn failed(words: impl Into<String>) -> Self {
        Self::Failed { words: words.into(), cause: Cause::Other }
    }

    /// Returns whether it took the process with it.
    pub(crate) fn is_violent(&self) -> bool {
        matches!(self, Self::Signal { .. } | Self::Exited { .. } | Self::TimedOut { .. })
    }

    /// Returns the step for something that may only take long, if that ended it.
    pub(crate) fn patience(&self) -> Option<String> {
        let Self::TimedOut { seconds, .. } = self else { return None };
        Some(format!("If it only takes long: vkload doctor --timeout {}", seconds.saturating_mul(6)))
    }

    /// Returns the outcome of this step, worded to follow the name of the thing tried: "crashes in vkCreateInstance (SIGSEGV in libx.so)".
    pub(crate) fn tell(&self, stage: Stage) -> String {
        let at = stage.words();
        match self {
            Self::Finished => "works".to_owned(),
            Self::Result { code } if stage.command().is_empty() => {
                format!("fails {at}: {}", result_name(*code))
            }
            Self::Result { code } => format!("{} returns {}", stage.command(), result_name(*code)),
            Self::Failed { words, .. } => words.clone(),
            Self::Signal { number, library } => {
                let verb = match *number {
                    libc::SIGABRT => "aborts",
                    libc::SIGKILL | libc::SIGTERM | libc::SIGHUP | libc::SIGINT | libc::SIGPIPE => {
                        "is killed"
                    }
                    _ => "crashes",
                };
                let library = library.as_deref().map(|library| format!(" in {library}")).unwrap_or_default();
                format!("{verb} {at} ({}{library})", signal_name(*number))
            }
            Self::Exited { code } => format!("ends the program {at}, with exit code {code}"),
            Self::TimedOut { seconds, library } => {
                let library = library.as_deref().map(|library| format!("in {library}, ")).unwrap_or_default();
                let unit = if *seconds == 1 { "second" } else { "seconds" };
                format!("hangs {at} ({library}stopped at the time limit of {seconds} {unit})")
            }
        }
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.ending.tell(self.stage))
    }
}

pub(crate) fn result_name(code: i32) -> String {
    match ash::vk::Result::from_raw(code) {
        ash::vk::Result::SUCCESS => "VK_SUCCESS".to_owned(),
        result => {
            let name = format!("{result:?}");
            if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
                format!("VK_{name}")
            } else {
                format!("the unknown result {code}")
            }
        }
    }
}

const SIGNALS: &[(i32, &str)] = &[
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGTRAP, "SIGTRAP"),
    (libc::SIGSYS, "SIGSYS"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGALRM, "SIGALRM"),
];

pub(crate) fn signal_name(number: i32) -> String {
    SIGNALS
        .iter()
        .find(|row| row.0 == number)
        .map_or_else(|| format!("signal {number}"), |row| row.1.to_owned())
}

/// The child's messages to its parent, one line of JSON each.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Stage(Stage),
    /// The library's file.
    File(String),
    /// The version of Vulkan for instances.
    Version(String),
    InstanceExtensions(Vec<Extension>),
    /// A device was reached. What follows concerns it, until the next.
    Device(Device),
    Failure(Stage, Ending),
    /// The device's extensions and features, its address on the bus, and its driver's UUID.
    Abilities(Vec<String>, u64, String, [u8; 16]),
    /// A file was read.
    Used(String),
    Refused(Refused),
    /// Milliseconds.
    Took(u64),
    /// The loader leaves the layer out, for a reason of this name.
    Fault(String),
    End(Ending),
    /// A signal arrived while code of this library ran; an empty name means that the library is unknown. Written by the handler.
    Signal(String),
}
