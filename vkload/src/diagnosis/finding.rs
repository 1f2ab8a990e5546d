//! The doctor's findings.

use std::fmt;

use serde::{Serialize, Serializer};

use super::case::Case;
use crate::command::Step;
use crate::escape;

/// Something that a user may want to know or do.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub(crate) severity: Severity,
    pub(crate) id: Id,
    /// The file, variable or device concerned. Empty if none is.
    pub(crate) about: String,
    /// The problem, as a sentence without a full stop.
    pub(crate) what: String,
    /// The remedy, one step each: commands are ready to be typed.
    pub(crate) next: Vec<Step>,
    #[serde(skip)]
    pub(crate) evidence: Evidence,
    /// Whether a trial has shown it.
    pub(crate) tried: bool,
}

/// How grave a finding is, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something that should work does not.
    Warning,
    /// Vulkan does not work because of it.
    Error,
}

/// How well a finding explains the problem, the best explanation first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// It was tried: with the culprit things fail, without it they do not.
    Proven,
    Seen,
    /// A decision of the user's that has this effect: a variable, a setting, a layer that fails alone.
    Chosen,
    /// A state of the machine that is known to have this effect.
    Known,
    /// It may have to do with it.
    Likely,
    Missing,
    /// A finding that remains if nothing better is known.
    Rest,
}

/// Declares the severities that a finding may have, the gravest first.
macro_rules! levels {
    ($($name:ident $($severity:ident)*;)*) => {
        $(const $name: &[Severity] = &[$(Severity::$severity),*];)*
    };
}

levels! {
    ERROR Error;
    WARNING Warning;
    NOTE Note;
    ERROR_OR_WARNING Error Warning;
    ERROR_OR_NOTE Error Note;
    WARNING_OR_NOTE Warning Note;
    ANY Error Warning Note;
}

/// Returns the severity unless the rule says another one.
fn usual(levels: &[Severity], case: &Case) -> Severity {
    match levels {
        [Severity::Error, Severity::Warning, ..] => case.blame(),
        [Severity::Error, Severity::Note] => case.mention(),
        _ => levels.first().copied().unwrap_or(Severity::Note),
    }
}

/// Declares the findings: each has a name that does not change, the severities that it may have, its usual evidence, and those that have the
/// same cause and say more about it: it is left out if one of them is reported.
macro_rules! findings {
    ($($id:ident $name:literal $levels:ident $evidence:ident $([$($cause:ident)*])?,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Id {
            $($id,)*
            /// The loader's reason for leaving out a driver or a layer.
            Reason(&'static str),
        }

        impl Id {
            fn row(self) -> (&'static str, &'static [Severity], Evidence, &'static [Id]) {
                match self {
                    $(Self::$id => ($name, $levels, Evidence::$evidence, &[$($(Id::$cause,)*)?]),)*
                    Self::Reason(name) => (name, ANY, Evidence::Likely, &[]),
                }
            }
        }

        /// All findings, except the loader's reasons.
        pub(crate) const FINDINGS: &[Id] = &[$(Id::$id,)*];
    };
}

// Findings up to `ManifestMissing` explain others of the same severity and evidence, and come before them in this order.
findings! {
    NotTried "not-tried" ERROR_OR_WARNING Proven,
    NoLoader "no-loader" ERROR Proven,
    LoaderBroken "loader-broken" ERROR Proven,
    DevicesChosen "devices-chosen" WARNING Likely,
    SettingsBreak "settings-break" ERROR_OR_WARNING Proven,
    FileBreaks "file-breaks" ERROR_OR_WARNING Proven,
    LayerBreaks "layer-breaks" ERROR_OR_WARNING Proven,
    MemoryLimit "memory-limit" ERROR Likely,
    NvidiaVersions "nvidia-versions" ERROR_OR_WARNING Proven,
    NotMounted "not-mounted" ERROR_OR_WARNING Proven,
    LibraryBrought "library-brought" ERROR Proven,
    DriversReplaced "drivers-replaced" ANY Chosen,
    FlatpakDevices "flatpak-devices" ERROR_OR_WARNING Chosen,
    FlatpakExtension "flatpak-extension" ERROR_OR_WARNING Chosen,
    LoaderBesideSystem "loader-beside-system" ERROR_OR_WARNING Proven,
    NoAccess "no-access" ERROR_OR_WARNING Seen,
    DeviceRefused "device-refused" ERROR_OR_WARNING Seen,
    NvidiaDevice "nvidia-device" ERROR_OR_WARNING Seen [NvidiaVersions],
    NvidiaLibraries "nvidia-libraries" ERROR_OR_WARNING Seen,
    DeviceFails "device-fails" ERROR_OR_WARNING Seen [VariableBreaks],
    NoDeviceFile "no-device-file" ERROR_OR_WARNING Known [NotMounted NvidiaVersions NvidiaDevice],
    ManifestMissing "manifest-missing" ERROR_OR_WARNING Proven,
    VariableBreaks "variable-breaks" ERROR_OR_WARNING Proven,
    DriverBreaks "driver-breaks" ERROR_OR_WARNING Proven [NvidiaDevice ProgramVersion],
    DeviceIncomplete "device-incomplete" WARNING Seen,
    NarrowDriver "narrow-driver" WARNING Likely,
    NotRead "not-read" WARNING Chosen,
    LoaderOld "loader-old" WARNING Known,
    LoadersMixed "loaders-mixed" NOTE Likely,
    LoaderDiffers "loader-differs" ERROR Likely [VariableBreaks LoaderBesideSystem],
    Program "program" ERROR Rest [VariableBreaks],
    ProgramLayer "program-layer" ERROR_OR_NOTE Proven,
    ProgramExtension "program-extension" ERROR_OR_NOTE Proven,
    ProgramVersion "program-version" ERROR Proven,
    ProgramFails "program-fails" ERROR_OR_WARNING Rest,
    NoDriver "no-driver" ERROR Known [ManifestMissing GpuWithoutDriver],
    NoGpu "no-gpu" ERROR Missing [GpuRadeon GpuWithoutVulkan GpuWithoutKernelDriver NotMounted NvidiaVersions NvidiaDevice VariableBreaks],
    Software "software" WARNING_OR_NOTE Rest [ContainerWithoutDevice],
    Excluded "excluded" NOTE Seen,
    PortabilityOnly "portability-only" WARNING Known,
    OldVersion "old-version" WARNING Known,
    DriverDoesNotLoad "driver-does-not-load" ERROR_OR_WARNING Seen [NvidiaVersions NvidiaDevice VariableBreaks],
    DriverFails "driver-fails" ERROR_OR_WARNING Seen [NvidiaVersions NvidiaDevice VariableBreaks],
    DriverCrashes "driver-crashes" ERROR_OR_WARNING Proven [VariableBreaks],
    DriverHangs "driver-hangs" ERROR_OR_WARNING Proven [VariableBreaks],
    DriverSlow "driver-slow" WARNING Seen,
    DriverExits "driver-exits" ERROR_OR_WARNING Proven [VariableBreaks],
    LibraryAbsent "library-absent" ERROR_OR_WARNING Seen [NvidiaVersions],
    LibraryDangling "library-dangling" ERROR_OR_WARNING Seen,
    LibraryDenied "library-denied" ERROR_OR_WARNING Seen,
    LibraryNotElf "library-not-elf" ERROR_OR_WARNING Seen,
    LibraryTruncated "library-truncated" ERROR_OR_WARNING Seen,
    LibraryFolder "library-folder" ERROR_OR_WARNING Seen,
    LibraryClass "library-class" ERROR_OR_NOTE Likely [NoDriver],
    LibraryMachine "library-machine" ERROR_OR_WARNING Seen,
    LibraryNoexec "library-noexec" ERROR_OR_WARNING Seen,
    LibraryMissing "library-missing" ERROR_OR_WARNING Seen [NvidiaVersions],
    LibraryTooOld "library-too-old" ERROR_OR_WARNING Seen,
    LibraryMusl "library-musl" ERROR_OR_WARNING Seen,
    LoaderAsDriver "loader-as-driver" ERROR_OR_WARNING Seen,
    ManifestDangling "manifest-dangling" ANY Known,
    ManifestEnding "manifest-ending" ANY Known,
    ManifestMisplaced "manifest-misplaced" ANY Known,
    ManifestUnreadable "manifest-unreadable" ERROR_OR_WARNING Seen,
    ManifestByteOrderMark "manifest-byte-order-mark" ERROR_OR_WARNING Known,
    LayerCrashes "layer-crashes" ERROR_OR_WARNING Proven [VariableBreaks],
    LayerHangs "layer-hangs" ERROR_OR_WARNING Proven [VariableBreaks],
    LayerExits "layer-exits" ERROR_OR_WARNING Proven [VariableBreaks],
    LayerFails "layer-fails" WARNING Chosen [VariableBreaks],
    LayerDoesNotLoad "layer-does-not-load" WARNING Chosen [VariableBreaks],
    LayerNotFound "layer-not-found" WARNING Chosen,
    LayerHidesExtensions "layer-hides-extensions" NOTE Seen,
    LayerSlow "layer-slow" WARNING Seen,
    LayerTwice "layer-twice" WARNING Chosen,
    LayerLeftOn "layer-left-on" WARNING Chosen,
    LayerMoved "layer-moved" NOTE Seen,
    WrongSeparator "wrong-separator" ERROR_OR_WARNING Seen,
    VariableWithoutLayer "variable-without-layer" WARNING Known,
    MisspeltVariable "misspelt-variable" WARNING Chosen,
    SearchFolders "search-folders" WARNING Chosen,
    SettingsUnusable "settings-unusable" WARNING Chosen,
    SettingsWarning "settings-warning" WARNING Chosen,
    SettingsLayers "settings-layers" WARNING Likely,
    GpuWithoutDriver "gpu-without-driver" ERROR_OR_WARNING Known [ManifestMissing FlatpakExtension VariableBreaks],
    GpuWithoutKernelDriver "gpu-without-kernel-driver" ERROR_OR_WARNING Known [NvidiaVersions NvidiaDevice],
    GpuWithoutVulkan "gpu-without-vulkan" ANY Likely,
    GpuNotFound "gpu-not-found" ERROR_OR_WARNING Likely [NoAccess DeviceRefused NotMounted NvidiaVersions NvidiaDevice VariableBreaks],
    GpuNouveau "gpu-nouveau" ERROR_OR_WARNING Known,
    GpuRadeon "gpu-radeon" ERROR_OR_WARNING Known,
    GpuSetAside "gpu-set-aside" ANY Known,
    NvidiaCapabilities "nvidia-capabilities" ERROR_OR_WARNING Proven [ManifestMissing],
    ContainerWithoutDevice "container-without-device" ERROR_OR_NOTE Likely [DriversReplaced],
    SnapInterface "snap-interface" ERROR_OR_WARNING Chosen,
    SteamRuntime "steam-runtime" ERROR_OR_NOTE Likely,
    WslGeneration "wsl-generation" ERROR_OR_WARNING Chosen,
    WslDevice "wsl-device" ERROR_OR_WARNING Chosen,
    WslDriver "wsl-driver" ERROR_OR_WARNING Chosen,
    DisplayDead "display-dead" WARNING Chosen,
    ProcessElsewhere "process-elsewhere" ERROR_OR_WARNING Seen,
    AppImage "app-image" NOTE Likely,
    ProcessLibraries "process-libraries" NOTE Likely,
    CallCrashes "call-crashes" ERROR Seen,
    ProgramCrashes "program-crashes" ERROR Seen,
    DeviceLost "device-lost" ERROR Seen,
    CallFailed "call-failed" WARNING Seen,
    CallWaits "call-waits" WARNING_OR_NOTE Seen,
    QueueProgress "queue-progress" NOTE Likely,
    CallsCut "calls-cut" WARNING Seen,
    ThreadsNotKept "threads-not-kept" NOTE Known,
}

impl Id {
    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the severities that it may have, in the words of docs/doctor.md.
    pub(crate) fn severities(self) -> String {
        let names: Vec<_> = self.row().1.iter().map(|severity| severity.name()).collect();
        names.join(" or ").replacen(" or ", ", ", names.len().saturating_sub(2))
    }

    /// Returns whether it follows from files that no trial can change.
    fn is_fact(self) -> bool {
        use Id::{NotMounted, NvidiaCapabilities, NvidiaDevice, NvidiaLibraries, NvidiaVersions};
        matches!(self, NotMounted | NvidiaCapabilities | NvidiaDevice | NvidiaLibraries | NvidiaVersions)
    }

    pub(super) fn causes(self) -> &'static [Self] {
        self.row().3
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Severity {
    /// Returns `error`, `warning` or `note`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Finding {
    /// Returns how grave it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns its name, which does not change between releases. The book lists them on the page `doctor.md`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id.name()
    }

    /// Returns whether a trial has shown it. Otherwise it is likely.
    #[must_use]
    pub fn is_tried(&self) -> bool {
        self.tried || (self.evidence <= Evidence::Seen && !self.id.is_fact())
    }

    /// Returns the file, variable or device concerned. Empty if none is.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the problem, as a sentence whose subject may be [`about`](Self::about). [`sentence`](Self::sentence) has both.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Returns the remedy, one step each. Commands are ready to be typed.
    #[must_use]
    pub fn next(&self) -> &[Step] {
        &self.next
    }

    /// Returns a finding with its usual severity and evidence.
    pub(super) fn new(case: &Case, id: Id, about: &str, what: impl Into<String>) -> Self {
        Self::of(id, usual(id.row().1, case), about, what)
    }

    pub(crate) fn of(id: Id, severity: Severity, about: &str, what: impl Into<String>) -> Self {
        let (about, what, evidence) = (about.to_owned(), what.into(), id.row().2);
        Self { severity, evidence, id, about, what, next: Vec::new(), tried: false }
    }

    /// Sets another severity than the usual one.
    pub(super) fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    pub(super) fn tried(self, tried: bool) -> Self {
        Self { tried, ..self }
    }

    /// Sets other evidence than the usual one.
    pub(super) fn evidence(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    pub(crate) fn step(mut self, step: impl Into<Step>) -> Self {
        self.next.push(step.into());
        self
    }

    pub(super) fn with_steps(mut self, steps: impl IntoIterator<Item = impl Into<Step>>) -> Self {
        for step in steps.into_iter().map(Into::into) {
            if !self.next.contains(&step) {
                self.next.push(step);
            }
        }
        self
    }

    /// Returns the subject and the problem, as a sentence without a full stop. Control characters are escaped.
    #[must_use]
    pub fn sentence(&self) -> String {
        let continues = PREDICATES.iter().any(|verb| self.what.starts_with(verb));
        escape::line(&match (self.about.as_str(), continues) {
            ("", _) => self.what.clone(),
            (about, true) => format!("{about} {}", self.what),
            (about, false) => format!("{about}: {}", self.what),
        })
    }
}

impl Finding {
    /// Returns the severity, and whether an error or a warning is no more than likely.
    pub(crate) fn label(&self) -> String {
        let is_likely = self.severity != Severity::Note && !self.is_tried();
        format!("{}{}", self.severity, if is_likely { " (likely)" } else { "" })
    }

    /// Returns the sentence behind `label`, and a line for each step.
    pub(crate) fn labelled(&self, label: &str) -> String {
        let steps = self.next.iter().map(|step| format!("\n  -> {step}"));
        format!("{label} {}{}", self.sentence(), steps.collect::<String>())
    }
}

/// The severity, the sentence, and a line for each step.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.labelled(&format!("{}:", self.label())))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Verbs whose subject is the file, variable or device concerned.
const PREDICATES: &[&str] = &["is ", "names ", "has ", "lacks ", "hides ", "leaves ", "cannot ", "makes "];
