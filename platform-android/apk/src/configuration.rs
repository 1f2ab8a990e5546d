//! An application's choices, and their outcome.

use ash::vk;
use vkload_core::log::{Level, Topic};
use vkload_core::memory::{Arc, Escaped, OrOutOfMemory, OutOfMemory, Text, TryGrow, Vec, format_into, text};

use super::drivers::Driver;
use super::members::OptionsError;
use super::options::{Choice, DriverSource, Options};
use super::{Apk, package, settings};
use platform_android::layers::{Folder, Found, Origin};

/// A configuration. It never changes, and is used from its creation on.
pub struct Configuration {
    pub options: Options,
    /// Its layer settings, as layers get them. They point into the options.
    pub layer_settings: Vec<vk::LayerSettingEXT<'static>>,
    /// The drivers that it named, or the system's loader.
    pub drivers: Vec<Driver>,
    pub found: Found,
    /// Counts configurations from 1.
    pub number: u64,
}

impl Configuration {
    pub fn used(&self) -> impl Iterator<Item = &Driver> {
        self.drivers.iter().filter(|driver| driver.used)
    }
}

impl Apk {
    /// Puts these options into effect from now on. If anything is wrong with them, nothing changes.
    ///
    /// # Errors
    /// The mistake in the options.
    pub fn configure(&'static self, options: &[u8]) -> Result<(), OptionsError> {
        let _turn = self.turns.take(self.system);
        let made = Options::parse(options).and_then(|options| self.make(options));
        let (replaced, refused, result) = match made {
            Ok(made) => {
                made.drivers.iter().for_each(Driver::keep_others);
                let mut state = self.state.lock(self.system);
                state.number = made.number;
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

    /// Removes the folders of unpacked packages that have changed since.
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

    fn make(&'static self, options: Options) -> Result<Arc<Configuration>, OptionsError> {
        let mut drivers = Vec::new();
        if options.drivers.is_empty() {
            let system = Choice { name: Text::new(), source: DriverSource::System };
            drivers.try_push(self.driver(&system, true)?)?;
        }
        for (index, choice) in options.drivers.iter().enumerate() {
            drivers.try_push(self.driver(choice, options.used.is_none_or(|used| used == index))?)?;
        }
        let mut folders = Vec::new();
        for path in &options.folders {
            folders.try_push(Folder { path: text(&[path])?, origin: Origin::Application, only: None })?;
        }
        let mut found = Found::nothing();
        found.search(&self.host, folders)?;
        let number = self.state.lock(self.system).number.saturating_add(1);
        let layer_settings = settings::structures(&options.layer_settings)?;
        Ok(Arc::try_new(Configuration { options, layer_settings, drivers, found, number })?)
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
        self.host.log(Level::Error, Topic::Loader, format_args!("the options do not count: {stop}"));
        let words = Arc::try_new(words)?;
        Ok(self.state.lock(self.system).refused.replace(words))
    }
}
