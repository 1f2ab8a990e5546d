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

/// The severities that a finding may have.
#[derive(Clone, Copy, Debug)]
enum Levels {
    Error,
    Warning,
    Note,
    ErrorOrWarning,
    ErrorOrNote,
    WarningOrNote,
    Any,
}

impl Levels {
    /// Returns the severity unless the rule says another one.
    fn usual(self, case: &Case) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning | Self::WarningOrNote => Severity::Warning,
            Self::Note => Severity::Note,
            Self::ErrorOrWarning | Self::Any => case.blame(),
            Self::ErrorOrNote => case.mention(),
        }
    }

    /// Returns the words of docs/doctor.md.
    fn words(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::ErrorOrWarning => "error or warning",
            Self::ErrorOrNote => "error or note",
            Self::WarningOrNote => "warning or note",
            Self::Any => "error, warning or note",
        }
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
            fn row(self) -> (&'static str, Levels, Evidence, &'static [Id]) {
                match self {
                    $(Self::$id => ($name, Levels::$levels, Evidence::$evidence, &[$($(Id::$cause,)*)?]),)*
                    Self::Reason(name) => (name, Levels::Any, Evidence::Likely, &[]),
                }
            }
        }

        /// All findings, except the loader's reasons.
        pub(crate) const FINDINGS: &[Id] = &[$(Id::$id,)*];
    };
}

// Findings up to `NvidiaManifest` explain others of the same severity and evidence, and come before them in this order.
findings! {
    NotTried "not-tried" ErrorOrWarning Proven,
    NoLoader "no-loader" Error Proven,
    LoaderDangling "loader-dangling" Error Proven,
    LoaderTruncated "loader-truncated" Error Proven,
    LoaderNotElf "loader-not-elf" Error Proven,
    LoaderDenied "loader-denied" Error Proven,
    LoaderMachine "loader-machine" Error Proven,
    LoaderClass "loader-class" Error Proven,
    LoaderBroken "loader-broken" Error Proven [VariableBreaks],
    // A variable was set on purpose, although turning off the layer that reads it would help as well.
    DevicesChosen "devices-chosen" Any Likely,
    LayerBreaks "layer-breaks" ErrorOrWarning Proven,
    NoModesetting "no-modesetting" ErrorOrWarning Proven,
    MemoryLimit "memory-limit" Error Likely,
    NvidiaVersions "nvidia-versions" ErrorOrWarning Proven,
    NoProc "no-proc" ErrorOrWarning Proven,
    SettingsDrivers "settings-drivers" Any Chosen,
    DriversReplaced "drivers-replaced" Any Chosen,
    FlatpakDevices "flatpak-devices" ErrorOrWarning Chosen,
    FlatpakExtension "flatpak-extension" ErrorOrWarning Chosen,
    LoaderShadowed "loader-shadowed" ErrorOrNote Chosen [VariableBreaks],
    LoaderBesideSystem "loader-beside-system" ErrorOrWarning Proven,
    NoAccess "no-access" ErrorOrWarning Seen,
    DeviceRefused "device-refused" ErrorOrWarning Seen,
    NvidiaModule "nvidia-module" ErrorOrWarning Seen [NoModesetting],
    NvidiaDevice "nvidia-device" ErrorOrWarning Seen [NvidiaVersions],
    NvidiaLibraries "nvidia-libraries" ErrorOrWarning Seen,
    DeviceFails "device-fails" ErrorOrWarning Seen [VariableBreaks],
    NoDeviceFile "no-device-file" ErrorOrWarning Known [NoModesetting NvidiaModule NvidiaVersions NvidiaDevice],
    NvidiaManifest "nvidia-manifest" ErrorOrWarning Known,
    VariableBreaks "variable-breaks" ErrorOrWarning Proven,
    DriverBreaks "driver-breaks" ErrorOrWarning Proven,
    NotRead "not-read" Warning Chosen,
    LoaderOld "loader-old" Warning Known,
    TwoLoaders "two-loaders" Note Likely,
    LoadersMixed "loaders-mixed" WarningOrNote Seen,
    LoaderDiffers "loader-differs" Error Likely [VariableBreaks LoaderBesideSystem],
    Program "program" Error Rest [VariableBreaks],
    ProgramLayer "program-layer" ErrorOrNote Proven,
    ProgramExtension "program-extension" ErrorOrNote Proven,
    ProgramVersion "program-version" Error Proven,
    ProgramFails "program-fails" ErrorOrWarning Rest,
    NoDriver "no-driver" Error Known,
    NoGpu "no-gpu" Error Missing [GpuWithoutVulkan NvidiaVersions NvidiaDevice VariableBreaks],
    Software "software" WarningOrNote Rest [ContainerWithoutDevice],
    PortabilityOnly "portability-only" Warning Known,
    OldVersion "old-version" Warning Known,
    DriverDoesNotLoad "driver-does-not-load" ErrorOrWarning Seen [NvidiaModule NvidiaVersions NvidiaDevice VariableBreaks],
    DriverFails "driver-fails" ErrorOrWarning Seen [NvidiaModule NvidiaVersions NvidiaDevice VariableBreaks],
    DriverCrashes "driver-crashes" ErrorOrWarning Proven [VariableBreaks],
    DriverHangs "driver-hangs" ErrorOrWarning Proven [VariableBreaks],
    DriverExits "driver-exits" ErrorOrWarning Proven [VariableBreaks],
    LibraryAbsent "library-absent" ErrorOrWarning Seen [NvidiaVersions],
    LibraryDangling "library-dangling" ErrorOrWarning Seen,
    LibraryDenied "library-denied" ErrorOrWarning Seen,
    LibraryNotElf "library-not-elf" ErrorOrWarning Seen,
    LibraryTruncated "library-truncated" ErrorOrWarning Seen,
    LibraryFolder "library-folder" ErrorOrWarning Seen,
    LibraryClass "library-class" ErrorOrNote Likely [NoDriver],
    LibraryMachine "library-machine" ErrorOrWarning Seen,
    LibraryNoexec "library-noexec" ErrorOrWarning Seen,
    LibraryMissing "library-missing" ErrorOrWarning Seen [NvidiaVersions],
    LibraryTooOld "library-too-old" ErrorOrWarning Seen,
    LibraryMusl "library-musl" ErrorOrWarning Seen,
    LoaderAsDriver "loader-as-driver" ErrorOrWarning Seen,
    ManifestDangling "manifest-dangling" Any Known,
    ManifestEnding "manifest-ending" Any Known,
    ManifestMisplaced "manifest-misplaced" Any Known,
    ManifestUnreadable "manifest-unreadable" ErrorOrWarning Seen,
    ManifestByteOrderMark "manifest-byte-order-mark" ErrorOrWarning Known,
    ManifestEmpty "manifest-empty" ErrorOrWarning Known,
    LayerCrashes "layer-crashes" ErrorOrWarning Proven [VariableBreaks],
    LayerHangs "layer-hangs" ErrorOrWarning Proven [VariableBreaks],
    LayerExits "layer-exits" ErrorOrWarning Proven [VariableBreaks],
    LayerFails "layer-fails" Warning Chosen [VariableBreaks],
    LayerDoesNotLoad "layer-does-not-load" Warning Chosen [VariableBreaks],
    LayerNotFound "layer-not-found" Warning Chosen,
    LayerHidesExtensions "layer-hides-extensions" Note Seen,
    LayerSlow "layer-slow" Warning Seen,
    LayerTwice "layer-twice" Warning Chosen,
    LayerLeftOn "layer-left-on" Warning Chosen,
    LayerMoved "layer-moved" Note Seen,
    LayersDisabled "layers-disabled" Note Chosen,
    DriversFiltered "drivers-filtered" Any Chosen,
    WrongSeparator "wrong-separator" ErrorOrWarning Seen,
    MisspeltVariable "misspelt-variable" Warning Chosen,
    SearchFolders "search-folders" ErrorOrWarning Chosen,
    SettingsUnusable "settings-unusable" Warning Chosen,
    SettingsWarning "settings-warning" Warning Chosen,
    SettingsDevices "settings-devices" Any Chosen,
    SettingsLayers "settings-layers" WarningOrNote Likely,
    GpuWithoutDriver "gpu-without-driver" ErrorOrWarning Known,
    GpuWithoutKernelDriver "gpu-without-kernel-driver" ErrorOrWarning Known [NoModesetting NoDeviceFile NvidiaModule NvidiaVersions NvidiaDevice],
    GpuWithoutVulkan "gpu-without-vulkan" Any Likely,
    GpuNotFound "gpu-not-found" ErrorOrWarning Likely [NoAccess DeviceRefused NvidiaModule NvidiaVersions NvidiaDevice VariableBreaks],
    GpuNouveau "gpu-nouveau" ErrorOrWarning Known,
    GpuRadeon "gpu-radeon" ErrorOrWarning Known,
    GpuSetAside "gpu-set-aside" ErrorOrWarning Known,
    NvidiaCapabilities "nvidia-capabilities" ErrorOrWarning Proven,
    ContainerWithoutDevice "container-without-device" ErrorOrNote Likely [DriversReplaced],
    SnapInterface "snap-interface" ErrorOrWarning Chosen,
    SteamRuntime "steam-runtime" ErrorOrNote Likely,
    WslGeneration "wsl-generation" ErrorOrWarning Chosen,
    WslDevice "wsl-device" ErrorOrWarning Chosen,
    WslDriver "wsl-driver" ErrorOrWarning Chosen,
    DisplayDead "display-dead" Warning Chosen,
    ProcessElsewhere "process-elsewhere" Warning Seen,
    AppImage "app-image" Note Likely,
    ProcessLibraries "process-libraries" Note Likely,
    CallCrashes "call-crashes" Error Seen,
    ProgramCrashes "program-crashes" Error Seen,
    DeviceLost "device-lost" Error Seen,
    CallFailed "call-failed" Warning Seen,
    CallWaits "call-waits" WarningOrNote Seen,
    QueueProgress "queue-progress" Note Likely,
    CallsCut "calls-cut" Warning Seen,
    ThreadsNotKept "threads-not-kept" Note Known,
}

impl Id {
    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the severities that it may have, in the words of docs/doctor.md.
    pub(crate) fn severities(self) -> &'static str {
        self.row().1.words()
    }

    /// Returns whether it follows from files that no trial can change.
    fn is_fact(self) -> bool {
        use Id::{
            NoModesetting, NoProc, NvidiaCapabilities, NvidiaDevice, NvidiaLibraries, NvidiaModule,
            NvidiaVersions,
        };
        let facts = [
            NoModesetting,
            NoProc,
            NvidiaCapabilities,
            NvidiaDevice,
            NvidiaLibraries,
            NvidiaModule,
            NvidiaVersions,
        ];
        facts.contains(&self)
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
        Self::of(id, id.row().1.usual(case), about, what)
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
        self.next.extend(steps.into_iter().map(Into::into));
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
