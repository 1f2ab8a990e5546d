//! Process-wide state: the platform, the open drivers, the latest search results and the names of unknown
//! commands.

mod fatal;
mod known;
mod unknown;
mod users;

#[cfg(feature = "foreign-handles")]
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::discovery::{Absent, LayerScope, Request};
use crate::drivers::{FoundDrivers, OpenDrivers};
use crate::flavour::{Flavour, Handles};
use crate::layers::FoundLayers;
use crate::log::Filter;
use crate::logger::{FoundSettings, Listeners, Logger};
use crate::memory::{Application, Arc, Cached, OutOfMemory};
use crate::platform::{EventCount, Platform, Turn, Turns, Waiting, variables};

pub use fatal::{LastWords, end_with, fatal, report_bad_handle};
pub use known::{Addresses, KnownObjects};
pub use unknown::{UNKNOWN_DEVICE_COMMANDS, UNKNOWN_PHYSICAL_DEVICE_COMMANDS, UnknownCommands};
pub use users::User;
use users::Users;

/// A loader. A process has only one, a `static` of the platform's crate.
pub struct Loader {
    pub platform: &'static Platform,
    pub flavour: Flavour,
    pub drivers: OpenDrivers,
    /// Commands that the registry does not know and that a driver or layer has.
    pub unknown: UnknownCommands,
    /// Objects that layers receive and drivers refer to.
    pub known: KnownObjects,
    in_layers: Turns,
    /// Devices that threads no longer use.
    pub(crate) unpinned: EventCount,
    found_settings: Cached<FoundSettings>,
    found_drivers: Cached<FoundDrivers>,
    found_layers: Cached<FoundLayers>,
    users: Users,
}

/// The loader of this process, once it has been called.
static CURRENT: AtomicPtr<Loader> = AtomicPtr::new(core::ptr::null_mut());

/// 1 if the loader of this process [looks handles up](Handles::are_looked_up). The stubs of missing device commands read it.
#[cfg(feature = "foreign-handles")]
pub(crate) static LOOKS_UP: AtomicUsize = AtomicUsize::new(0);

impl Loader {
    pub const fn new(platform: &'static Platform, flavour: Flavour) -> Self {
        Self {
            platform,
            flavour,
            drivers: OpenDrivers::new(),
            unknown: UnknownCommands::new(),
            known: KnownObjects::new(),
            in_layers: Turns::new(),
            unpinned: EventCount::new(),
            found_settings: Cached::nothing(),
            found_drivers: Cached::nothing(),
            found_layers: Cached::nothing(),
            users: Users::new(),
        }
    }

    /// Makes this the loader that reports bad handles.
    pub fn make_current(&'static self) {
        let this = core::ptr::from_ref(self).cast_mut();
        // Helgrind takes writes by several threads for a race, even if they write the same.
        if CURRENT.load(Ordering::Relaxed) != this {
            #[cfg(feature = "foreign-handles")]
            LOOKS_UP.store(self.flavour.handles.are_looked_up().into(), Ordering::Relaxed);
            CURRENT.store(this, Ordering::Release);
        }
    }

    /// Counts the caller as a user. Every global command calls this first, and keeps the result until it
    /// returns.
    pub fn enter(&'static self) -> User {
        self.make_current();
        self.users.enter()
    }

    /// Keeps other threads out of all layer commands that create, destroy and enumerate, until the turn is
    /// over: layers have only been used with loaders that admit one thread at a time.
    ///
    /// A thread that is inside a driver does not wait, and gets no turn if another thread has it: that thread
    /// may be waiting for the driver.
    #[must_use]
    pub(crate) fn turn_in_layers(&self) -> Option<Turn<'_>> {
        let waiting = self.platform.waiting;
        if self.drivers.have_this_thread(waiting) {
            return self.in_layers.take_if_free(waiting);
        }
        Some(self.in_layers.take(waiting))
    }

    /// Returns the logger that the settings file or the environment currently configures, without listeners.
    /// It has already received the settings file's messages.
    pub fn logger(&self) -> Result<Logger, OutOfMemory> {
        let logger = self.logger_in(Application::process())?;
        logger.settings.report(logger.sink, &logger);
        Ok(logger)
    }

    /// Returns the same logger, with space for listeners in the memory of `allocator`. It has received no
    /// messages yet.
    pub fn logger_in(&self, allocator: Application) -> Result<Logger, OutOfMemory> {
        let (settings, absent) = self.settings()?;
        let from_variable = || {
            let wanted = self.platform.variable(variables::VK_LOADER_DEBUG).ok().flatten();
            wanted.map_or(Filter::SILENT, |value| Filter::parse(&value))
        };
        Ok(Logger {
            sink: self.platform.log,
            filter: settings.stderr_log().unwrap_or_else(from_variable),
            settings,
            absent,
            listeners: Listeners::new(allocator, self.platform.waiting),
        })
    }

    /// Returns this program's settings file, and the folders beside it that are known to be absent. The previous
    /// result is reused if nothing has changed since.
    fn settings(&self) -> Result<(Arc<FoundSettings>, Absent), OutOfMemory> {
        let waiting = self.platform.waiting;
        if let Some(last) = self.found_settings.last(waiting)
            && let Some(absent) = last.known.snapshot.still_absent(self.platform)?
        {
            return Ok((last, absent));
        }
        let known = self.flavour.source.settings(self.platform)?;
        let found = Arc::try_new(FoundSettings::new(known))?;
        self.found_settings.keep(waiting, &found);
        Ok((found, Absent::default()))
    }

    /// Returns the system's drivers, opened. The previous result is reused if nothing has changed since.
    pub fn discover(&self, request: Request, logger: &Logger) -> Result<Arc<FoundDrivers>, OutOfMemory> {
        let platform = self.platform;
        if let Some(last) = self.found_drivers.last(platform.waiting)
            && last.are_current(request, platform, logger)?
        {
            last.tell(logger);
            return Ok(last);
        }
        let (found, lasting) =
            FoundDrivers::discover(platform, &self.flavour, request, &self.drivers, logger)?;
        let found = Arc::try_new(found)?;
        if lasting {
            self.found_drivers.keep(platform.waiting, &found);
        }
        Ok(found)
    }

    /// Returns the system's layers, or those that are active without an application. The previous result is
    /// reused if nothing has changed since.
    pub fn layers(&self, scope: LayerScope, logger: &Logger) -> Result<Arc<FoundLayers>, OutOfMemory> {
        let (platform, waiting) = (self.platform, self.platform.waiting);
        let mut last = self.found_layers.last(waiting);
        let still_true = match &last {
            Some(last) => last.still_true(scope, platform, logger)?,
            None => false,
        };
        if let Some(last) = last.take_if(|last| still_true && last.covers(scope)) {
            last.tell(logger);
            return Ok(last);
        }
        let source = self.flavour.source;
        let found = FoundLayers::find_after(last.as_deref(), still_true, platform, source, scope, logger)?;
        let found = Arc::try_new(found)?;
        self.found_layers.keep(waiting, &found);
        Ok(found)
    }

    /// Frees the memory that the process owns, unless it is in use; then it stays until the process exits.
    /// Afterwards the loader works as if it had just started. `and_the_keys` frees the memory of other
    /// modules.
    ///
    /// Other threads may enter at any moment. Each value is taken under its lock, while the loader still has
    /// no user, and before the values that it refers to; so no thread has seen a value that is freed.
    pub fn unload(&self, and_the_keys: fn(&dyn Waiting)) {
        let Some(idle) = self.users.idle() else { return };
        let waiting = self.platform.waiting;
        let is_idle = || idle.still_holds();
        self.found_drivers.forget(waiting, is_idle);
        self.found_layers.forget(waiting, is_idle);
        self.found_settings.forget(waiting, is_idle);
        self.unknown.forget(waiting, is_idle);
        self.known.forget(waiting, is_idle);
        if is_idle() {
            and_the_keys(waiting);
        }
        self.drivers.close(self.platform, is_idle);
    }
}

pub fn current() -> Option<&'static Loader> {
    // SAFETY: only `make_current` stores here, and it stores references to statics.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

/// Returns how this process's loader finds the tables of handles.
pub fn handles() -> Handles {
    #[cfg(feature = "foreign-handles")]
    if LOOKS_UP.load(Ordering::Relaxed) != 0 {
        return Handles::LookedUp;
    }
    Handles::Written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::{Policy, Root};
    use crate::platform::Files as _;
    use crate::platform::imaginary::Imaginary;
    use std::boxed::Box;
    use std::string::String;

    const ALL: Request = Request { portability: true };
    const WHOLE: Request = Request { portability: false };

    fn loader_of(system: &'static Imaginary) -> &'static Loader {
        static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");
        static POLICY: Policy = Policy::linux(&ROOTS);
        let platform = Box::leak(Box::new(system.platform()));
        Box::leak(Box::new(Loader::new(platform, Flavour::linux(&POLICY))))
    }

    /// Returns the number of drivers that the search would use, and the number of folders and files it read.
    /// Missing folders are not counted: they are listed each time.
    fn search(loader: &Loader, system: &Imaginary, request: Request) -> (usize, usize) {
        system.calls();
        let found = loader.discover(request, &loader.logger().unwrap()).unwrap();
        let is_read = |call: &&String| {
            call.strip_prefix("list ").is_some_and(|folder| system.exists(folder.as_bytes()))
                || call.starts_with("read ")
        };
        let calls = system.calls();
        (found.plan.used().count(), calls.iter().filter(is_read).count())
    }

    #[test]
    fn one_search_serves_calls_that_want_all_drivers_and_calls_that_want_whole_ones() {
        let system = Imaginary::new();
        system.file("/etc/vulkan/icd.d/broken.json", "{}");
        let loader = loader_of(system);
        assert!(search(loader, system, ALL).1 > 0);
        assert_eq!(search(loader, system, WHOLE), (0, 0));
        assert_eq!(search(loader, system, ALL), (0, 0));
        system.file("/etc/vulkan/icd.d/another.json", "{}");
        assert!(search(loader, system, WHOLE).1 > 0, "a change is seen");
    }

    #[test]
    fn a_library_that_is_missing_is_not_searched_for_again_until_it_comes() {
        let system = Imaginary::new();
        let driver = |library: &str| {
            std::format!(
                r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{library}", "api_version": "1.3.0"}}}}"#
            )
        };
        system.file("/etc/vulkan/icd.d/a.json", driver("/lib/a.so"));
        let loader = loader_of(system);
        assert!(search(loader, system, ALL).1 > 0);
        assert_eq!(search(loader, system, ALL), (1, 0));
        system.file("/lib/a.so", "");
        assert!(search(loader, system, ALL).1 > 0, "it came");
        assert!(
            search(loader, system, ALL).1 > 0,
            "it exists but does not open: a dependency may be missing"
        );
        system.file("/etc/vulkan/icd.d/a.json", driver("a.so"));
        assert!(search(loader, system, ALL).1 > 0);
        assert!(search(loader, system, ALL).1 > 0, "the linker may find a bare name somewhere now");
    }

    #[test]
    fn a_query_looks_once_beside_each_missing_settings_file_and_at_no_explicit_layer() {
        let system = Imaginary::new();
        system.list_what_exists().set("HOME", "/h");
        (0..3).for_each(|layer| {
            _ = system.file(&std::format!("/etc/vulkan/explicit_layer.d/{layer}.json"), "{}")
        });
        let loader = loader_of(system);
        let calls = |scope| {
            system.calls();
            drop(loader.layers(scope, &loader.logger().unwrap()).unwrap());
            let mut calls = system.calls();
            calls.retain(|call| !call.starts_with("variable "));
            calls
        };
        assert_eq!(calls(LayerScope::All).iter().filter(|call| call.starts_with("read ")).count(), 3);
        let expected = [
            "exists /etc/vulkan",
            "exists /etc/vulkan/loader_settings.d/vk_loader_settings.json",
            "exists /etc/xdg/vulkan",
            "exists /h/.config/vulkan",
            "exists /h/.local/share/vulkan",
            "exists /usr/local/etc/vulkan",
            "exists /usr/local/share/vulkan",
            "exists /usr/share/vulkan",
            "list /etc/vulkan/implicit_layer.d",
        ];
        for scope in [LayerScope::Active, LayerScope::Instance] {
            let mut query = calls(scope);
            query.sort();
            assert_eq!(query, expected);
        }
        let reads = |scope| calls(scope).iter().any(|call| call.starts_with("read "));
        system.file("/etc/vulkan/explicit_layer.d/new.json", "{}");
        assert!(!reads(LayerScope::Active) && reads(LayerScope::All) && !reads(LayerScope::All));
        system.file("/h/.config/vulkan/implicit_layer.d/new.json", "{}");
        assert!(reads(LayerScope::Active), "a folder came");
        assert!(!reads(LayerScope::Instance) && reads(LayerScope::All), "contents are read again");
    }

    #[test]
    fn drivers_for_a_part_of_vulkan_are_found_after_a_search_that_leaves_them_out() {
        let system = Imaginary::new();
        system.file(
            "/etc/vulkan/icd.d/part.json",
            r#"{"file_format_version": "1.0.1", "ICD":
                {"library_path": "/part.so", "api_version": "1.3.0", "is_portability_driver": true}}"#,
        );
        let loader = loader_of(system);
        assert_eq!(search(loader, system, WHOLE).0, 0);
        assert_eq!(search(loader, system, ALL).0, 1);
    }
}
