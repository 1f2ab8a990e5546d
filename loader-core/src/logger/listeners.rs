//! The listeners of an instance: messengers of VK_EXT_debug_utils and report callbacks of
//! VK_EXT_debug_report.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ash::vk;

use super::message::{LOADER, Message, Report, kind_of_report, severity_and_types};
use crate::abi::chain;
use crate::log::{Level, Topic};
use crate::memory::{Allocator, Application, OutOfMemory, SharedList};
use crate::platform::Waiting;

/// The listeners of one instance, from before it is created until after it is destroyed.
///
/// Callbacks run without a lock: each is copied out of the list before it is called, so a callback may create
/// and destroy messengers, including its own. A message reaches the listeners that exist both when it is sent
/// and when their turn comes.
pub struct Listeners<A: Allocator = Application> {
    list: SharedList<Listener, A>,
    waiting: &'static dyn Waiting,
    /// The number of listeners that have ever existed: the number of the latest.
    count: AtomicUsize,
    /// Whether the instance is being created or destroyed: listeners chained to vkCreateInstance receive
    /// messages only then.
    beginning_or_ending: AtomicBool,
    /// The application's current or future handle for the instance.
    instance: AtomicUsize,
}

#[derive(Clone, Copy)]
pub struct Listener {
    number: usize,
    chained: bool,
    callback: Callback,
    user_data: *mut c_void,
}

#[derive(Clone, Copy)]
enum Callback {
    Messenger(
        vk::DebugUtilsMessageSeverityFlagsEXT,
        vk::DebugUtilsMessageTypeFlagsEXT,
        vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    ),
    Report(vk::DebugReportFlagsEXT, vk::PFN_vkDebugReportCallbackEXT),
}

// SAFETY: the user data is only handed back to the callback, which by the specification may be called from
// any thread that calls Vulkan.
unsafe impl Send for Listener {}
// SAFETY: the user data is only handed back to the callback, which may be called from any thread that calls
// Vulkan.
unsafe impl Sync for Listener {}

impl<A: Allocator + Clone> Listeners<A> {
    /// Creates an empty list, which grows in memory of `allocator`.
    pub fn new(allocator: A, waiting: &'static dyn Waiting) -> Self {
        Self {
            list: SharedList::new_in(allocator),
            waiting,
            count: AtomicUsize::new(0),
            beginning_or_ending: AtomicBool::new(true),
            instance: AtomicUsize::new(0),
        }
    }

    /// Adds the callbacks chained to the create info of an instance. They receive messages while the instance
    /// is created or destroyed.
    ///
    /// # Safety
    /// `first` begins a pNext chain; callbacks in it may be called until the instance is destroyed.
    pub unsafe fn add_chained(&self, first: *const c_void) -> Result<(), OutOfMemory> {
        // SAFETY: by this function's `# Safety` `first` begins a pNext chain.
        for structure in unsafe { chain::pointers(first.cast_mut()) } {
            // SAFETY: by this function's `# Safety` the structure is part of a pNext chain, and its type
            // states its layout.
            let listener = unsafe {
                match (*structure).s_type {
                    vk::StructureType::DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT => {
                        Listener::messenger(&*structure.cast())
                    }
                    vk::StructureType::DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT => {
                        Listener::report(&*structure.cast())
                    }
                    _ => continue,
                }
            };
            self.add(Listener { chained: true, ..listener })?;
        }
        Ok(())
    }

    /// Adds a listener. Returns its number.
    pub fn add(&self, listener: Listener) -> Result<usize, OutOfMemory> {
        let number = self.count.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        self.list.insert(self.waiting, Listener { number, ..listener })?;
        Ok(number)
    }

    pub fn remove(&self, number: usize) {
        self.list.remove(self.waiting, |listener| listener.number == number);
    }

    pub fn expect_instance(&self, handle: u64) {
        self.instance.store(handle as usize, Ordering::Relaxed);
    }

    pub fn created(&self, handle: u64) {
        self.expect_instance(handle);
        self.beginning_or_ending.store(false, Ordering::Relaxed);
    }

    pub fn destroying(&self) {
        self.beginning_or_ending.store(true, Ordering::Relaxed);
    }

    pub fn is_empty(&self) -> bool {
        // Most programs never listen, and every call checks this.
        if self.count.load(Ordering::Relaxed) == 0 {
            return true;
        }
        let begins_or_ends = self.beginning_or_ending.load(Ordering::Relaxed);
        self.list.read(self.waiting, |list| !list.iter().any(|one| begins_or_ends || !one.chained))
    }

    pub fn want(&self, level: Level, topic: Topic) -> bool {
        let (severity, types) = severity_and_types(level, topic);
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default();
        // SAFETY: the data names no object, and the text is not read.
        let report = unsafe { Report::of(severity, types, &data) };
        self.next(usize::MAX, &Message { severity, types, data: &data, report }).is_some()
    }

    /// Passes a message of the loader to every listener that wants it.
    pub fn tell(&self, level: Level, topic: Topic, text: &CStr) {
        let object = vk::DebugUtilsObjectNameInfoEXT {
            object_type: vk::ObjectType::INSTANCE,
            object_handle: self.instance.load(Ordering::Relaxed) as u64,
            ..Default::default()
        };
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
            .message_id_name(LOADER)
            .message(text)
            .objects(core::slice::from_ref(&object));
        let (severity, types) = severity_and_types(level, topic);
        // SAFETY: the data lives until the end of the call.
        unsafe { self.submit(severity, types, &data) };
    }

    /// Passes a message of VK_EXT_debug_utils to every listener that wants it.
    ///
    /// # Safety
    /// The data is valid for a callback.
    pub unsafe fn submit(
        &self,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        types: vk::DebugUtilsMessageTypeFlagsEXT,
        data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        // SAFETY: by this function's `# Safety` the data is valid for a callback.
        unsafe {
            let report = Report::of(severity, types, data);
            self.call(&Message { severity, types, data, report });
        }
    }

    /// Passes a message of VK_EXT_debug_report to every listener that wants it.
    ///
    /// # Safety
    /// The report's pointers come from a valid call of `vkDebugReportMessageEXT`.
    pub unsafe fn report(&self, report: Report) {
        let object = vk::DebugUtilsObjectNameInfoEXT {
            object_type: kind_of_report(report.kind),
            object_handle: report.object,
            ..Default::default()
        };
        let data = vk::DebugUtilsMessengerCallbackDataEXT {
            p_message_id_name: report.prefix,
            message_id_number: report.code,
            p_message: report.text,
            ..Default::default()
        }
        .objects(core::slice::from_ref(&object));
        let (severity, types) = report.severity_and_types();
        // SAFETY: by this function's `# Safety` the report's pointers come from a valid call; the rest
        // lives until the end of the call.
        unsafe { self.call(&Message { severity, types, data: &data, report }) };
    }

    /// Calls back, the latest listener first. Listeners added meanwhile have higher numbers than any still to
    /// be called.
    ///
    /// # Safety
    /// The message is valid.
    unsafe fn call(&self, message: &Message<'_>) {
        let mut before = usize::MAX;
        while let Some(listener) = self.next(before, message) {
            before = listener.number;
            // SAFETY: by this function's `# Safety` the message is valid.
            unsafe { listener.call(message) };
        }
    }

    /// Returns the last listener with a number below `before` that receives this message.
    fn next(&self, before: usize, message: &Message<'_>) -> Option<Listener> {
        let begins_or_ends = self.beginning_or_ending.load(Ordering::Relaxed);
        let listens =
            |one: &&Listener| one.number < before && (begins_or_ends || !one.chained) && one.wants(message);
        self.list.read(self.waiting, |list| list.iter().filter(listens).max_by_key(|one| one.number).copied())
    }
}

impl Listener {
    /// Returns the listener for a messenger with this create info.
    pub fn messenger(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Self {
        let callback = Callback::Messenger(info.message_severity, info.message_type, info.pfn_user_callback);
        Self { number: 0, chained: false, callback, user_data: info.p_user_data }
    }

    /// Returns the listener for a report callback with this create info.
    pub fn report(info: &vk::DebugReportCallbackCreateInfoEXT<'_>) -> Self {
        let callback = Callback::Report(info.flags, info.pfn_callback);
        Self { number: 0, chained: false, callback, user_data: info.p_user_data }
    }

    fn wants(&self, message: &Message<'_>) -> bool {
        match self.callback {
            Callback::Messenger(severities, types, function) => {
                function.is_some()
                    && severities.intersects(message.severity)
                    && types.intersects(message.types)
            }
            Callback::Report(flags, function) => function.is_some() && flags.intersects(message.report.flags),
        }
    }

    /// Calls back. The result concerns only layers: it makes them refuse the call that the message is about.
    ///
    /// # Safety
    /// The message is valid.
    unsafe fn call(&self, message: &Message<'_>) {
        let Report { flags, kind, object, location, code, prefix, text } = message.report;
        // SAFETY: by this function's `# Safety` the message is valid; the callback has the type that its
        // structure states.
        unsafe {
            match self.callback {
                Callback::Messenger(_, _, Some(function)) => {
                    function(message.severity, message.types, message.data, self.user_data);
                }
                Callback::Report(_, Some(function)) => {
                    function(flags, kind, object, location, code, prefix, text, self.user_data);
                }
                Callback::Messenger(_, _, None) | Callback::Report(_, None) => {}
            }
        }
    }
}
