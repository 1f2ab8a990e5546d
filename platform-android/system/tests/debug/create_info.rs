//! Callbacks chained to the create info of an instance.

use std::ptr::from_ref;

use android_simulation::Simulation;
use ash::vk::{self, Handle as _};
use platform_android::log::Logger;
use platform_android::objects;
use vkload_core::log::{Level, Topic};
use vkload_core::memory::CopiedCallbacks;

use super::{Heard, Instance};

#[test]
fn a_callback_chained_to_the_create_info_receives_the_loaders_errors_whole() {
    let Simulation { loader, .. } = &Simulation::new();
    let (report, messenger) = (Heard::default(), Heard::default());
    let mut second = messenger.messenger();
    let first = report.report().push_next_of(&mut second);
    let long = "x".repeat(5000);
    let logger = Logger::new(loader, CopiedCallbacks::process());
    // SAFETY: the chain outlives the logger.
    unsafe { logger.listeners.add_chained((&raw const first).cast()).unwrap() };
    logger.log(Level::Error, Topic::Loader, format_args!("{long}"));
    assert_eq!(report.take(), [long.as_str()]);
    assert_eq!(messenger.take(), [long.as_str()]);

    // It listens while the instance is being created and destroyed, but not in between.
    let instance = Instance::new(loader, (&raw const first).cast());
    let known = unsafe { objects::instance_of(instance.0.as_raw()) };
    known.logger.log(Level::Error, Topic::Loader, format_args!("in between"));
    assert_eq!(report.take(), [""; 0]);
    known.logger.listeners.destroying();
    known.logger.log(Level::Error, Topic::Loader, format_args!("at the end"));
    assert_eq!(report.take(), ["at the end"]);
}

/// A chain of two structures.
trait PushNext<'a> {
    fn push_next_of(self, next: &'a mut vk::DebugUtilsMessengerCreateInfoEXT<'static>) -> Self;
}

impl<'a> PushNext<'a> for vk::DebugReportCallbackCreateInfoEXT<'a> {
    fn push_next_of(mut self, next: &'a mut vk::DebugUtilsMessengerCreateInfoEXT<'static>) -> Self {
        self.p_next = from_ref(next).cast();
        self
    }
}
