//! The commands of test drivers that no registry knows ([`Driver::unknown_commands`](crate::Driver::unknown_commands)).

use std::ffi::c_void;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Three {
    pub x: u64,
    pub y: u64,
    pub z: u64,
}

/// The type of the unknown commands of test drivers: more arguments of either kind than fit into registers, and a
/// structure by value. Returns a number made of all of them.
pub type Unknown<H> = unsafe extern "system" fn(
    H,
    u32,
    f32,
    u64,
    f64,
    Three,
    i32,
    *const c_void,
    u64,
    u64,
    u64,
    f32,
    f64,
    f32,
    f64,
    f32,
    f64,
    f32,
    u8,
) -> u64;

/// Calls with arguments that all differ.
///
/// # Safety
/// The function has to be one of a test driver's unknown commands, for this kind of handle.
pub unsafe fn call<H>(function: Unknown<H>, handle: H) -> u64 {
    let three = Three { x: 1 << 60, y: 2 << 60, z: 3 };
    // SAFETY: the caller's.
    unsafe {
        function(
            handle,
            11,
            1.5,
            0xfeed_0000_0000_0001,
            2.25,
            three,
            -5,
            std::ptr::without_provenance(0xabc),
            21,
            22,
            23,
            3.5,
            4.5,
            5.5,
            6.5,
            7.5,
            8.5,
            9.5,
            200,
        )
    }
}

/// Returns the result of the driver's command of this number for the arguments of `call`.
pub fn expected(number: u64) -> u64 {
    let float = |value: f64| value.to_bits();
    let arguments = [
        11,
        float(1.5),
        0xfeed_0000_0000_0001,
        float(2.25),
        1 << 60,
        2 << 60,
        3,
        i64::cast_unsigned(-5),
        0xabc,
        21,
        22,
        23,
        float(3.5),
        float(4.5),
        float(5.5),
        float(6.5),
        float(7.5),
        float(8.5),
        float(9.5),
        200,
    ];
    let mix = |hash: u64, value: u64| (hash ^ value).wrapping_mul(0x0100_0000_01b3);
    arguments.into_iter().fold(mix(0xcbf2_9ce4_8422_2325, number), mix)
}

/// Returns the name of the physical-device command with this number.
pub fn physical_device_name(number: u64) -> String {
    format!("vkUnknownPhysicalDevice{number}TEST")
}

/// Returns the name of the device command with this number.
pub fn device_name(number: u64) -> String {
    format!("vkUnknownDevice{number}TEST")
}
