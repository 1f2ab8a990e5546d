//! An application's choices, and their outcome.

use core::sync::atomic::Ordering;

use ash::vk;
use vkload_core::memory::{Arc, Escaped, OrOutOfMemory, OutOfMemory, Text, TryGrow, Vec, format_into, text};

use super::drivers::Driver;
use super::members::OptionsError;
use super::options::{Choice, DriverSource, Options};
use super::{Apk, package, settings};
use platform_android::layers::{DEBUG_FOLDER, Folder, Found, Origin};

pub struct Configuration {
    pub options: Options,
    /// Its layer settings, as layers get them. They point into the options.
    pub layer_settings: Vec<vk::LayerSettingEXT<'static>>,
    pub drivers: Vec<Driver>,
    pub found: Found,
    pub number: u64,
}

impl Configuration {
    pub fn used(&self) -> impl Iterator<Item = &Driver> {
        self.drivers.iter().filter(|driver| driver.used)
    }
}

impl Apk {
    /// Puts these options into effect from now on. If anything is wrong with them, nothing changes.
    pub fn configure(&'static self, options: &[u8]) -> Result<(), OptionsError> {
        let _turn = self.turns.take(self.system);
        let made = Options::parse(options).and_then(|options| self.make(options));
        let (replaced, refused, result) = match made {
            Ok(made) => {
                made.drivers.iter().for_each(Driver::keep_others);
                let mut state = self.state.lock(self.system);
                (state.number, state.begun) = (made.number, true);
                self.begun.store(true, Ordering::Release);
                (state.configuration.replace(made), state.refused.take(), Ok(()))
            }
            Err(stop) => {
                let refused = self.note_refusal(&stop).ok().flatten();
                (None, refused, Err(stop))
            }
        };
        // The previous configuration is freed without the lock.
        drop((replaced, refused));
        if result.is_ok() {
            // Folders that cannot be removed now are removed the next time.
            let _ = self.remove_old_packages();
        }
        result
    }

    fn remove_old_packages(&self) -> Result<(), OutOfMemory> {
        let Some(configuration) = self.configuration() else { return Ok(()) };
        for (choice, driver) in configuration.options.drivers.iter().zip(&configuration.drivers) {
            if let DriverSource::Package { path, unpack_to } = &choice.source
                && driver.used
            {
                package::remove_others(self.system, path, unpack_to, &driver.library)?;
            }
        }
        Ok(())
    }

    /// Puts the configuration without options into effect before the first use of layers, unless options came first.
    pub(super) fn begin(&self) {
        let _turn = self.turns.take(self.system);
        // A layer that the search calls may call the loader.
        if core::mem::replace(&mut self.state.lock(self.system).begun, true) {
            return;
        }
        let made = system_driver().and_then(|drivers| self.with(Options::default(), drivers));
        if let Ok(made) = made {
            let mut state = self.state.lock(self.system);
            (state.number, state.configuration) = (made.number, Some(made));
        }
        self.begun.store(true, Ordering::Release);
    }

    fn make(&'static self, options: Options) -> Result<Arc<Configuration>, OptionsError> {
        let mut drivers = if options.drivers.is_empty() { system_driver()? } else { Vec::new() };
        for (index, choice) in options.drivers.iter().enumerate() {
            drivers.try_push(self.driver(choice, options.used.is_none_or(|used| used == index))?)?;
        }
        Ok(self.with(options, drivers)?)
    }

    /// Searches for layers: in debuggable applications first where developers put them.
    fn with(&self, options: Options, drivers: Vec<Driver>) -> Result<Arc<Configuration>, OutOfMemory> {
        let mut folders = Vec::new();
        let mut add = |path: &[u8], origin| -> Result<(), OutOfMemory> {
            let is_known = |folder: &Folder| folder.path.as_slice() == path;
            if path.is_empty() || folders.iter().any(is_known) {
                return Ok(());
            }
            folders.try_push(Folder { path: text(&[path])?, origin, only: None })
        };
        let [data, libraries] = self.system.own_folders()?;
        if self.system.debuggable() {
            add(DEBUG_FOLDER.to_bytes(), Origin::DebugFolder)?;
            add(&data, Origin::DebugFolder)?;
        }
        options.folders.iter().try_for_each(|path| add(path, Origin::Application))?;
        add(&libraries, Origin::Application)?;
        let mut found = Found::nothing();
        found.search(&self.host, folders)?;
        let number = self.state.lock(self.system).number.saturating_add(1);
        let layer_settings = settings::structures(&options.layer_settings)?;
        Arc::try_new(Configuration { options, layer_settings, drivers, found, number })
    }

    fn driver(&'static self, choice: &Choice, is_chosen: bool) -> Result<Driver, OptionsError> {
        let mut driver = Driver::named(choice)?;
        if !is_chosen {
            return Ok(driver);
        }
        match driver.prepare(self, choice) {
            Ok(()) => Ok(driver),
            Err(OrOutOfMemory::OutOfMemory) => Err(OptionsError::OutOfMemory),
            Err(OrOutOfMemory::Failed(refusal)) => {
                let path = Escaped(&driver.path);
                Err(OptionsError::mistake(format_args!(
                    "the driver {path} is not used ({}): {refusal}",
                    refusal.id()
                )))
            }
        }
    }

    fn note_refusal(&self, stop: &OptionsError) -> Result<Option<Arc<Text>>, OutOfMemory> {
        let mut words = Text::new();
        format_into(&mut words, format_args!("{stop}"));
        vkload_core::log!(self.host, Error, Loader: "the options do not count: {stop}");
        let words = Arc::try_new(words)?;
        Ok(self.state.lock(self.system).refused.replace(words))
    }
}

fn system_driver() -> Result<Vec<Driver>, OutOfMemory> {
    let mut drivers = Vec::new();
    let driver = Driver::named(&Choice { name: Text::new(), source: DriverSource::System })?;
    drivers.try_push(Driver { used: true, ..driver })?;
    Ok(drivers)
}
