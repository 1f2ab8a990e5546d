//! The search for the driver's module.
//!
//! Sources are tried in order. If no library of a source opens, the search continues with the next
//! source; a library that opens ends it, even if it is not a driver.

use core::ffi::CStr;
use core::ptr::NonNull;

use vkload_core::log::Topic;

use platform_android::ApiLevel;
use platform_android::hal::layout::Module;
use platform_android::hal::{MODULE_ID, ModuleFault, module_of};
use platform_android::host::Host;
use platform_android::system::{Library, Namespace, OpenMethod, PROPERTY_VALUE_MAX, Statistic, System};
use platform_android::trace::slice;

use super::report::{Candidate, FileName, ModuleDecision, Report, Source};

/// The sources of drivers, in search order.
const SOURCES: [Source; 4] = [Source::Updatable, Source::Apex, Source::Vendor, Source::Hardware];

/// The properties whose values name libraries, in the order in which they are tried.
const PROPERTIES: [&CStr; 2] = [c"ro.hardware.vulkan", c"ro.board.platform"];

const APEX: &CStr = c"ro.vulkan.apex";

pub(super) struct Sources<'a> {
    pub host: &'a Host,
    pub report: Report,
}

/// A module for Vulkan in an open library.
pub(super) struct Found {
    /// Its source; to be noted later, with the outcome.
    pub candidate: Candidate,
    pub library: Library,
    pub module: NonNull<Module>,
}

enum Answer {
    NoSource,
    Nothing,
    NoDriver,
    Module(Found),
}

impl Sources<'_> {
    /// Finds the driver's module. Notes and logs every other candidate.
    ///
    /// Aborts the process if the framework has chosen an updatable driver that cannot be loaded:
    /// the application was to run with that driver and no other.
    pub(super) fn module(&mut self) -> Option<Found> {
        for source in SOURCES {
            match self.ask(source) {
                Answer::Module(found) => return Some(found),
                Answer::Nothing | Answer::NoDriver if source == Source::Updatable => self.end_process(),
                Answer::NoDriver => return None,
                // Since Android 17 the APEX replaces the vendor's folder.
                Answer::Nothing if source == Source::Apex && self.host.level >= ApiLevel::ANDROID_17 => {
                    return None;
                }
                Answer::NoSource | Answer::Nothing => {}
            }
        }
        None
    }

    pub(super) fn note(&mut self, candidate: Candidate) {
        self.host.log(candidate.decision.level(), Topic::Driver, format_args!("{candidate}"));
        self.report.note(candidate);
    }

    fn ask(&mut self, source: Source) -> Answer {
        let system = self.host.system;
        let method = match source {
            Source::Updatable => system.updatable_driver().map(OpenMethod::Namespace),
            Source::Apex => apex(system).map(OpenMethod::Namespace),
            Source::Vendor => Some(OpenMethod::Vendor),
            Source::Hardware => return self.ask_libhardware(),
        };
        match method {
            Some(method) => {
                system.count(Statistic::DriverToLoad { updatable: source == Source::Updatable });
                self.open_first(source, method)
            }
            None => self.no_source(source),
        }
    }

    fn no_source(&mut self, source: Source) -> Answer {
        let decision = ModuleDecision::NoSource;
        self.note(Candidate { source, property: None, file: FileName::NONE, decision });
        Answer::NoSource
    }

    fn open_first(&mut self, source: Source, method: OpenMethod) -> Answer {
        let _slice = slice(c"LoadDriver");
        for property in PROPERTIES {
            let value = self.host.system.property(property);
            let candidate = |file, decision| Candidate { source, property: Some(property), file, decision };
            if value.is_empty() {
                self.note(candidate(FileName::NONE, ModuleDecision::PropertyNotSet));
                continue;
            }
            let file = FileName::of(&value);
            match self.host.system.open(file.as_c_str(), method) {
                Ok(library) => return self.check(candidate(file, ModuleDecision::Used), library),
                Err(error) => self.note(candidate(file, ModuleDecision::DoesNotOpen { error })),
            }
        }
        Answer::Nothing
    }

    /// Returns the module of an open library, which is closed if it has none for Vulkan. The
    /// candidate's decision is "used".
    fn check(&mut self, candidate: Candidate, library: Library) -> Answer {
        let system = self.host.system;
        // SAFETY: the symbol `HMI` is by convention a HAL module, and no other code uses this one
        // yet.
        match unsafe { module_of(system, library) } {
            Ok(module) => Answer::Module(Found { candidate, library, module }),
            Err(fault) => {
                // SAFETY: the loader has kept no address in the library.
                unsafe { system.close(library) };
                self.note(Candidate { decision: fault.into(), ..candidate });
                Answer::NoDriver
            }
        }
    }

    /// Asks libhardware, which searches in its own way.
    fn ask_libhardware(&mut self) -> Answer {
        let source = Source::Hardware;
        let Some(answer) = self.host.system.hardware_module(MODULE_ID) else {
            return self.no_source(source);
        };
        let candidate = |decision| Candidate { source, property: None, file: FileName::NONE, decision };
        let module = match answer {
            Ok(module) => module.cast::<Module>(),
            Err(error) => {
                self.note(candidate(ModuleDecision::NoHardwareModule { error }));
                return Answer::Nothing;
            }
        };
        // SAFETY: libhardware has checked the module and written the library's handle into it.
        let Some(handle) = NonNull::new(unsafe { (*module.as_ptr()).dso }) else {
            self.note(candidate(ModuleFault::NoModule.into()));
            return Answer::NoDriver;
        };
        let library = Library { handle, method: OpenMethod::Linker, bridged: false };
        Answer::Module(Found { candidate: candidate(ModuleDecision::Used), library, module })
    }

    fn end_process(&self) -> ! {
        self.host.end_process(
            Topic::Driver,
            format_args!(
                "the updatable driver that is chosen for this application cannot be loaded, so the process ends: \
                 update the driver's package, or choose the system's driver in the developer options"
            ),
        )
    }
}

/// Returns the namespace of the APEX that holds the driver: its name with dots replaced by
/// underscores.
fn apex(system: &dyn System) -> Option<Namespace> {
    let value = system.property(APEX);
    if value.is_empty() {
        return None;
    }
    let mut name = [0; PROPERTY_VALUE_MAX];
    for (to, from) in name.iter_mut().zip(value.as_bytes()) {
        *to = if *from == b'.' { b'_' } else { *from };
    }
    system.exported_namespace(CStr::from_bytes_until_nul(&name).ok()?)
}
