//! Graphics buffers, through libnativewindow.

use core::ffi::{c_int, c_void};

use crate::late;
use crate::system::BufferKind;

#[repr(C)]
struct Description {
    width: u32,
    height: u32,
    layers: u32,
    format: u32,
    usage: u64,
    stride: u32,
    reserved: u32,
    reserved_too: u64,
}

const _: () = assert!(size_of::<Description>() == 40);

type IsSupported = unsafe extern "C" fn(*const Description) -> c_int;
type GetHardwareBuffer = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

late! {
    is_supported: IsSupported = c"AHardwareBuffer_isSupported" in c"libnativewindow.so";
    get_hardware_buffer: GetHardwareBuffer = c"ANativeWindowBuffer_getHardwareBuffer" in c"libnativewindow.so";
}

/// Returns whether such buffers can be allocated. If the system cannot answer, returns false.
pub(super) fn supported(kind: BufferKind) -> bool {
    let description = Description {
        width: 1,
        height: 1,
        layers: 1,
        format: kind.format,
        usage: kind.usage,
        stride: 0,
        reserved: 0,
        reserved_too: 0,
    };
    // SAFETY: the description is a local and complete, and the function only reads it.
    is_supported().is_some_and(|is_supported| unsafe { is_supported(&raw const description) } != 0)
}

pub(super) fn hardware_buffer_of(window_buffer: *mut c_void) -> *mut c_void {
    // SAFETY: the caller passes a live `ANativeWindowBuffer` of a window.
    get_hardware_buffer().map_or(core::ptr::null_mut(), |get| unsafe { get(window_buffer) })
}
