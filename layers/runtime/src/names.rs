//! Devices that commands name in other places than their first parameter, for layers with handles of their own.

use crate::call::{Call, Command};
use crate::runtime::Exported;
use ash::vk::Handle as _;
use vkload_registry::parameter::In;

/// Returns the next layer's handle of an object of the call's device.
pub(crate) fn real_handle<L: Exported, C: Command>(call: &Call<'_, L, C>, handle: u64) -> u64 {
    match call.dispatch {
        Some(dispatch) if L::WRAPS_DEVICES && handle == C::handle(&call.parameters).addr() as u64 => {
            dispatch.lookup.device.as_raw()
        }
        _ => handle,
    }
}

/// Calls a function with a structure that has the next layer's handle.
///
/// # Safety
/// The structure stays valid with the next layer's handle in the member.
pub(crate) unsafe fn with_real_handle<'c, L: Exported, C: Command, T: Copy, R>(
    call: &Call<'c, L, C>,
    info: In<'c, T>,
    member: impl Fn(&mut T) -> &mut u64,
    then: impl Fn(&Call<'c, L, C>, In<'_, T>) -> R,
) -> R {
    if !L::WRAPS_DEVICES {
        return then(call, info);
    }
    let mut copy = *info;
    let handle = member(&mut copy);
    *handle = real_handle(call, *handle);
    // SAFETY: the copy lives until the end of the call.
    then(call, unsafe { In::new(&raw const copy) })
}
