//! A call on its way through the layer.

use core::ffi::c_void;
use core::fmt;

use ash::vk;
use vkload_registry::parameter::Out;
use vkload_registry::{CommandId, command};

use crate::arrays;
use crate::dispatch::{DeviceLevel, Dispatch, Function, Level, pointer};
use crate::message::{MessageSeverity, send_to_chained};
use crate::runtime::{ExportedLayer, nowhere_to_go, required};

/// A command of the registry. [`commands`](crate::commands) has a type for each.
///
/// # Safety
/// Everything is as the registry has it.
pub unsafe trait Command: Sized + 'static {
    /// The command.
    const ID: CommandId;
    /// Its parameters, by their names.
    type Parameters<'c>;
    /// Its parameters as numbers.
    type Numbers: AsRef<[u64]>;
    /// Its result.
    type Return: CommandReturn;
    /// Whether it belongs to an instance or to a device.
    type Level: Level;
    /// The type of its functions.
    type Function: Copy;

    #[doc(hidden)]
    fn handle(parameters: &Self::Parameters<'_>) -> *const c_void;

    #[doc(hidden)]
    fn numbers(parameters: &Self::Parameters<'_>) -> Self::Numbers;

    /// Calls the next layer.
    ///
    /// # Safety
    /// The call comes from the chain, and this function is called once for it.
    #[doc(hidden)]
    unsafe fn forward<L: ExportedLayer>(call: &Call<'_, L, Self>) -> Self::Return;

    /// Returns a function as one of this command.
    ///
    /// # Safety
    /// The function is one of this command.
    #[doc(hidden)]
    unsafe fn typed(function: Function) -> Self::Function;
}

/// The result of a command.
pub trait CommandReturn: Copy + Default {
    /// Returns the `VkResult`, if the command has one.
    fn result(self) -> Option<vk::Result> {
        None
    }

    /// Returns the outcome with a `VkResult`; `None` if the command has none.
    fn with_result(_: vk::Result) -> Option<Self> {
        None
    }
}

impl CommandReturn for vk::Result {
    fn result(self) -> Option<vk::Result> {
        Some(self)
    }

    fn with_result(result: vk::Result) -> Option<Self> {
        Some(result)
    }
}

impl CommandReturn for () {}
impl CommandReturn for u32 {}
impl CommandReturn for u64 {}
impl CommandReturn for vk::PFN_vkVoidFunction {}

/// A layer's function for a command. [`export!`](crate::export) must list the command.
#[diagnostic::on_unimplemented(
    message = "`export!` lists `{C}`, which `{Self}` does not intercept",
    note = "implement `Intercept<{C}>`, or remove the command from the list"
)]
pub trait Intercept<C: Command>: Exports<C> {
    /// Handles a call of the command. [`Call::next`] calls the next layer.
    fn intercept<'c>(call: Call<'c, Self, C>) -> Returned<'c, C>;
}

/// A layer's function for every command of the registry. [`export!`](crate::export) must begin with `..`.
#[diagnostic::on_unimplemented(
    message = "`export!` has `..`, and `{Self}` does not implement `InterceptAll`"
)]
pub trait InterceptAll: ExportsAll {
    /// Handles a call of the command. [`Call::next`] calls the next layer.
    fn intercept<C: Command>(call: Call<'_, Self, C>) -> Returned<'_, C>;
}

/// A layer whose [`export!`](crate::export) lists the command.
#[diagnostic::on_unimplemented(
    message = "`{Self}` intercepts `{C}`, and no `export!` lists it",
    label = "this function would never be called",
    note = "add the command: `export!({Self}: {C});`"
)]
pub trait Exports<C: Command>: ExportedLayer {}

/// A layer whose [`export!`](crate::export) begins with `..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` intercepts every command, and no `export!` says so",
    label = "this function would never be called",
    note = "begin the list with two dots: `export!({Self}: ..);`"
)]
pub trait ExportsAll: ExportedLayer {}

/// A function for a command.
#[doc(hidden)]
pub trait Handler<L: ExportedLayer, C: Command> {
    fn handle(call: Call<'_, L, C>) -> Returned<'_, C>;
}

/// Commands that the layer names.
#[doc(hidden)]
pub enum ByCommand {}

/// Every command.
#[doc(hidden)]
pub enum All {}

/// Commands that only the runtime needs.
#[doc(hidden)]
pub enum PassOn {}

impl<L: Intercept<C>, C: Command> Handler<L, C> for ByCommand {
    fn handle(call: Call<'_, L, C>) -> Returned<'_, C> {
        L::intercept(call)
    }
}

impl<L: InterceptAll, C: Command> Handler<L, C> for All {
    fn handle(call: Call<'_, L, C>) -> Returned<'_, C> {
        L::intercept(call)
    }
}

impl<L: ExportedLayer, C: Command> Handler<L, C> for PassOn {
    fn handle(call: Call<'_, L, C>) -> Returned<'_, C> {
        call.next()
    }
}

/// A call that has reached the layer, and not yet the next one.
pub struct Call<'c, L: ExportedLayer, C: Command> {
    pub(crate) dispatch: Option<&'c Dispatch<L>>,
    pub(crate) function: Option<Function>,
    pub(crate) parameters: C::Parameters<'c>,
}

/// A call that has returned from the next layer, or failed in this one.
pub struct Returned<'c, C: Command> {
    parameters: C::Parameters<'c>,
    outcome: C::Return,
    /// Whether the next layer has written the command's output parameters.
    is_written: bool,
}

impl<L: ExportedLayer, C: Command> fmt::Debug for Call<'_, L, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&C::ID.name()).field(&self.numbers().as_ref()).finish()
    }
}

impl<C: Command> fmt::Debug for Returned<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = self.outcome.result();
        f.debug_tuple("Returned").field(&C::ID.name()).field(&self.numbers().as_ref()).field(&result).finish()
    }
}

impl<'c, L: ExportedLayer, C: Command> Call<'c, L, C> {
    /// Returns the parameters.
    pub fn parameters(&self) -> &C::Parameters<'c> {
        &self.parameters
    }

    /// Returns the parameters as numbers: a handle's value, the address in a pointer, the bits of a `float`.
    pub fn numbers(&self) -> C::Numbers {
        C::numbers(&self.parameters)
    }

    /// Returns the layer's data for the instance or device of the call. It can be used after [`Call::next`], even if that destroys the
    /// object.
    pub fn data(&self) -> &'c <C::Level as Level>::Data<L> {
        match C::Level::of(self.dispatch) {
            Some(data) => data,
            None => nowhere_to_go::<L>(C::ID),
        }
    }

    /// Returns the next layer's handle of the device of the call; NULL if the command is one of instances or physical devices.
    pub fn device(&self) -> vk::Device {
        self.dispatch.map_or(vk::Device::null(), |dispatch| dispatch.lookup.device)
    }

    /// Calls the next layer.
    #[inline]
    pub fn next(self) -> Returned<'c, C> {
        // SAFETY: the chain made the call, and `next` consumes it.
        let outcome = unsafe { C::forward(&self) };
        let is_written = match outcome.result() {
            None => true,
            Some(result) => {
                matches!(result, vk::Result::SUCCESS | vk::Result::SUBOPTIMAL_KHR | vk::Result::INCOMPLETE)
            }
        };
        Returned { parameters: self.parameters, outcome, is_written }
    }

    /// Calls the next layer with other parameters. The result has the original ones.
    ///
    /// # Safety
    /// With the changed parameters, the call obeys the specification until the next layer returns.
    pub unsafe fn next_with(mut self, change: impl FnOnce(&mut C::Parameters<'c>)) -> Returned<'c, C> {
        // SAFETY: parameters are numbers, handles and pointers, which can be copied.
        let parameters = unsafe { core::ptr::read(&raw const self.parameters) };
        change(&mut self.parameters);
        Returned { parameters, ..self.next() }
    }

    /// Fails the call instead of calling the next layer, if the command can fail, and calls the next layer otherwise. Arrays of handles
    /// that the specification wants to be NULL then are filled with NULL.
    ///
    /// `VK_ERROR_UNKNOWN` replaces a result that is no error, and one that promises an effect: `VK_ERROR_DEVICE_LOST`, after which a
    /// program may destroy what the device still uses, and the errors of a presentation that has waited for its semaphores.
    /// [`Call::returns`] takes these.
    pub fn fail_or_next(self, error: vk::Result) -> Returned<'c, C> {
        let has_effect = match error {
            vk::Result::ERROR_DEVICE_LOST => true,
            vk::Result::ERROR_OUT_OF_DATE_KHR
            | vk::Result::ERROR_SURFACE_LOST_KHR
            | vk::Result::ERROR_FULL_SCREEN_EXCLUSIVE_MODE_LOST_EXT => C::ID == command::QUEUE_PRESENT_KHR,
            other => other.as_raw() >= 0,
        };
        let error = if has_effect { vk::Result::ERROR_UNKNOWN } else { error };
        match C::Return::with_result(error) {
            // SAFETY: a failed command has written nothing else.
            Some(outcome) => unsafe { self.returns(outcome) },
            None => self.next(),
        }
    }

    /// Returns from the call without calling the next layer, or after other calls in its place. With an outcome other than success, arrays of
    /// handles that the specification wants to be NULL are filled with NULL.
    ///
    /// # Safety
    /// The command's other parameters and the outcome are as if the command had been executed.
    pub unsafe fn returns(self, outcome: C::Return) -> Returned<'c, C> {
        if outcome.result().is_some_and(|result| result != vk::Result::SUCCESS) {
            // SAFETY: the parameters are a call's.
            unsafe { arrays::fill_with_null(C::ID, self.numbers().as_ref()) };
        }
        Returned { parameters: self.parameters, outcome, is_written: false }
    }

    /// Returns the next layer's function of a device command, to call it with [`device`](Self::device). `None` if the next layer does not
    /// have it, or if the call is not one of a device.
    pub fn device_function<D: Command<Level = DeviceLevel>>(&self) -> Option<D::Function> {
        DeviceLevel::of(self.dispatch)?;
        let function = self.dispatch?.function(D::ID)?;
        // SAFETY: the function is one of this command.
        Some(unsafe { D::typed(function) })
    }

    /// Returns the next layer's function of a command on the same instance or device, to call it with parameters of one's own. `None` if
    /// the next layer does not have it, or if the call is the creation of an instance.
    pub fn function<D: Command<Level = C::Level>>(&self) -> Option<D::Function> {
        let function = self.dispatch?.function(D::ID)?;
        // SAFETY: the function is one of this command.
        Some(unsafe { D::typed(function) })
    }

    /// Sends a message to the messengers (`VK_EXT_debug_utils`) of a program that has enabled the extension; while an instance is created, to
    /// those in the chain of its create structure, which need no enabling.
    pub fn message(&self, severity: MessageSeverity, id: &core::ffi::CStr, text: &core::ffi::CStr) {
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(id).message(text);
        if C::ID == command::CREATE_INSTANCE {
            // SAFETY: the parameters are a call's.
            return unsafe { send_to_chained(create_info::<C>(&self.parameters), severity, &data) };
        }
        let Some(instance) = self.dispatch.map(|dispatch| dispatch.lookup.instance) else { return };
        // SAFETY: the instance of a live object exists.
        let dispatch = unsafe { L::runtime().of(pointer(instance)) };
        let dispatch = dispatch.filter(|dispatch| dispatch.lookup.has_messengers);
        let function =
            dispatch.and_then(|dispatch| dispatch.function(command::SUBMIT_DEBUG_UTILS_MESSAGE_EXT));
        let Some(function) = function else { return };
        // SAFETY: the function is one of this command, with a live instance and a valid structure.
        unsafe {
            core::mem::transmute::<Function, vk::PFN_vkSubmitDebugUtilsMessageEXT>(function)(
                instance,
                severity.flags(),
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
                &raw const data,
            );
        }
    }
}

/// Returns the first parameter of vkCreateInstance.
///
/// # Safety
/// The parameters are of a call of this command.
unsafe fn create_info<'c, C: Command>(parameters: &C::Parameters<'c>) -> &'c vk::InstanceCreateInfo<'c> {
    let info = C::numbers(parameters).as_ref().first().copied().unwrap_or(0);
    // SAFETY: the caller vouches for the command, whose parameter is a valid structure.
    unsafe { &*core::ptr::with_exposed_provenance(info as usize) }
}

impl<'c, C: Command> Returned<'c, C> {
    /// Returns the parameters.
    pub fn parameters(&self) -> &C::Parameters<'c> {
        &self.parameters
    }

    /// Returns the parameters as numbers, as [`Call::numbers`] does.
    pub fn numbers(&self) -> C::Numbers {
        C::numbers(&self.parameters)
    }

    /// Returns the command's result.
    pub fn outcome(&self) -> C::Return {
        self.outcome
    }

    /// Replaces `VK_SUCCESS` by another result. The work of the command remains done.
    ///
    /// # Safety
    /// What the specification lets a program do after this result is also allowed after the work. A failed submission, for example, lets
    /// it destroy what the device now uses.
    ///
    /// ```compile_fail,E0133
    /// # use vkload_layer_runtime::{Returned, commands::QueueSubmit, vk};
    /// fn deny(submitted: Returned<'_, QueueSubmit>) -> Returned<'_, QueueSubmit> {
    ///     submitted.with_result(vk::Result::ERROR_OUT_OF_HOST_MEMORY)
    /// }
    /// ```
    #[must_use]
    pub unsafe fn with_result(mut self, result: vk::Result) -> Self {
        if self.outcome.result() == Some(vk::Result::SUCCESS) {
            self.outcome = C::Return::with_result(result).unwrap_or(self.outcome);
        }
        self
    }

    /// Returns whether the command succeeded. A command without a `VkResult` did.
    pub fn succeeded(&self) -> bool {
        self.outcome.result().is_none_or(|result| result.as_raw() >= 0)
    }

    /// Returns the next layer's value of an output parameter: `None` if the command did not return `VK_SUCCESS`,
    /// `VK_SUBOPTIMAL_KHR` or `VK_INCOMPLETE`.
    pub fn output<T: Copy + 'c>(
        &self,
        parameter: impl FnOnce(&C::Parameters<'c>) -> Out<'c, T>,
    ) -> Option<T> {
        // SAFETY: by the specification the command has then written it.
        self.is_written.then(|| unsafe { parameter(&self.parameters).as_ptr().read() })
    }
}

/// Handles a call that has come to the layer.
///
/// # Safety
/// The chain makes the call, which is valid.
#[inline]
pub(crate) unsafe fn enter<L: ExportedLayer, C: Command, H: Handler<L, C>>(
    parameters: C::Parameters<'_>,
) -> C::Return {
    let handle = C::handle(&parameters);
    let (dispatch, function) = match C::ID {
        command::CREATE_INSTANCE => {
            // SAFETY: the caller vouches for the parameters, which are this command's.
            unsafe { L::runtime().read_settings(create_info::<C>(&parameters).p_next) };
            (None, None)
        }
        // Nothing is to be destroyed.
        command::DESTROY_INSTANCE | command::DESTROY_DEVICE if handle.is_null() => {
            return C::Return::default();
        }
        // The layer has these even if nothing below does.
        command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES | command::GET_PHYSICAL_DEVICE_TOOL_PROPERTIES_EXT => {
            // SAFETY: the caller vouches for the handle.
            let dispatch = unsafe { L::runtime().of(handle) };
            (dispatch, dispatch.and_then(|dispatch| dispatch.function(C::ID)))
        }
        _ => {
            // SAFETY: the caller vouches for the handle.
            let (dispatch, function) = unsafe { required(handle, C::ID) };
            (Some(dispatch), Some(function))
        }
    };
    let callbacks = match C::ID {
        command::DESTROY_INSTANCE | command::DESTROY_DEVICE => {
            C::numbers(&parameters).as_ref().get(1).copied()
        }
        _ => None,
    };
    let outcome = H::handle(Call { dispatch, function, parameters }).outcome;
    if let Some(callbacks) = callbacks
        && let Some(removed) = dispatch.and_then(Dispatch::removed)
    {
        // SAFETY: the object is destroyed, so no other call uses it, and its callbacks are this command's second parameter.
        unsafe { Dispatch::free(removed, core::ptr::with_exposed_provenance(callbacks as usize)) };
    }
    outcome
}
