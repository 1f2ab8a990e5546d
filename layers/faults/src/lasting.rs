//! Devices and surfaces that stay lost.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, RwLock, RwLockReadGuard};

use ash::vk::{self, Handle as _};
use vkload_fault_rules::is_lost_with_device;
use vkload_layer_runtime::Command;
use vkload_layer_runtime::commands::DeviceWaitIdle;
use vkload_layer_runtime::registry::{CommandId, command};

use crate::device::{self, lock};
use crate::settings;

#[derive(Default)]
struct Surfaces {
    swapchains: HashMap<u64, u64>,
    lost: HashSet<u64>,
}

static SURFACES: LazyLock<Mutex<Surfaces>> = LazyLock::new(Mutex::default);

/// Whether a device or a surface was ever lost.
static IS_ANY_LOST: AtomicBool = AtomicBool::new(false);

/// Threads that submit read; the one that waits until a lost device is idle writes.
static SUBMITTING: RwLock<()> = RwLock::new(());

/// Commands that use a queue, which only one thread may do at a time.
const SUBMISSIONS: [CommandId; 4] =
    [command::QUEUE_SUBMIT, command::QUEUE_SUBMIT_2, command::QUEUE_BIND_SPARSE, command::QUEUE_PRESENT_KHR];

/// Returns whether calls of a command have to be seen.
pub(crate) fn concerns(command: CommandId) -> bool {
    let (command, rules) = (command.canonical(), &settings::get().rules);
    rules.can_return(vk::Result::ERROR_DEVICE_LOST) && is_lost_with_device(command)
        || rules.can_return(vk::Result::ERROR_SURFACE_LOST_KHR)
            && (surfaces_in(command).is_some()
                || [command::DESTROY_SWAPCHAIN_KHR, command::DESTROY_SURFACE_KHR].contains(&command))
}

/// Keeps a device that is lost meanwhile from being waited for during a submission.
pub(crate) fn submitting(command: CommandId) -> Option<RwLockReadGuard<'static, ()>> {
    let is_needed = SUBMISSIONS.contains(&command.canonical())
        && settings::get().rules.can_return(vk::Result::ERROR_DEVICE_LOST);
    is_needed.then(|| SUBMITTING.read().unwrap_or_else(PoisonError::into_inner))
}

/// Returns why a call fails whatever the rules say: its device or surface is lost.
pub(crate) fn failure(command: CommandId, device: vk::Device, numbers: &[u64]) -> Option<vk::Result> {
    if !IS_ANY_LOST.load(Ordering::Acquire) {
        return None;
    }
    if is_lost_with_device(command) && device::with(device, |device| device.is_lost) {
        return Some(vk::Result::ERROR_DEVICE_LOST);
    }
    let surfaces = surfaces_of(command, numbers);
    let known = lock(&SURFACES);
    let is_lost = surfaces.iter().any(|surface| known.lost.contains(surface));
    is_lost.then_some(vk::Result::ERROR_SURFACE_LOST_KHR)
}

/// Loses a device, unless it is NULL. It is idle afterwards, so that its objects can be destroyed.
pub(crate) fn lose_device(device: vk::Device, wait: Option<<DeviceWaitIdle as Command>::Function>) {
    let Some(wait) = wait else { return };
    let _alone = SUBMITTING.write().unwrap_or_else(PoisonError::into_inner);
    IS_ANY_LOST.store(true, Ordering::Release);
    if !device::with(device, |device| core::mem::replace(&mut device.is_lost, true)) {
        // SAFETY: the device is a call's, and no thread submits.
        let _ = unsafe { wait(device) };
    }
}

/// Loses the surfaces of a call, if its result says that they are lost.
pub(crate) fn lose_surface(command: CommandId, result: vk::Result, numbers: &[u64]) {
    if result == vk::Result::ERROR_SURFACE_LOST_KHR {
        let surfaces = surfaces_of(command, numbers);
        lock(&SURFACES).lost.extend(surfaces);
        IS_ANY_LOST.store(true, Ordering::Release);
    }
}

/// Returns whether a presentation with this result still waits for its semaphores.
pub(crate) fn presents_anyway(command: CommandId, result: vk::Result) -> bool {
    const RESULTS: [vk::Result; 2] = [vk::Result::ERROR_OUT_OF_DATE_KHR, vk::Result::ERROR_SURFACE_LOST_KHR];
    command == command::QUEUE_PRESENT_KHR && RESULTS.contains(&result)
}

/// Writes the result of each swapchain of a presentation.
pub(crate) fn write_results(command: CommandId, result: vk::Result, numbers: &[u64]) {
    if command != command::QUEUE_PRESENT_KHR {
        return;
    }
    // SAFETY: the second parameter of this command is its structure, whose array has a result for each swapchain unless it is NULL.
    unsafe {
        let info = structure::<vk::PresentInfoKHR<'_>>(numbers);
        if !info.p_results.is_null() {
            core::slice::from_raw_parts_mut(info.p_results, info.swapchain_count as usize).fill(result);
        }
    }
}

/// Learns about swapchains, and forgets surfaces that are gone.
pub(crate) fn learn(command: CommandId, succeeded: bool, numbers: &[u64]) {
    let second = numbers.get(1).copied().unwrap_or(0);
    match command {
        command::CREATE_SWAPCHAIN_KHR if succeeded => {
            // SAFETY: the second parameter of this command is its structure, and the last one leads to the new handle.
            let (surface, swapchain) = unsafe {
                let out = numbers.last().copied().unwrap_or(0) as usize;
                let surface = structure::<vk::SwapchainCreateInfoKHR<'_>>(numbers).surface;
                (surface.as_raw(), core::ptr::with_exposed_provenance::<u64>(out).read())
            };
            lock(&SURFACES).swapchains.insert(swapchain, surface);
        }
        command::DESTROY_SWAPCHAIN_KHR => _ = lock(&SURFACES).swapchains.remove(&second),
        command::DESTROY_SURFACE_KHR => _ = lock(&SURFACES).lost.remove(&second),
        _ => {}
    }
}

/// The position of the surfaces of a call.
#[derive(Clone, Copy)]
enum Position {
    Surface(usize),
    /// In the first member behind the chain of a structure, which is the second parameter.
    SurfaceOfQuery,
    Creation,
    /// The surface of a swapchain in the second parameter.
    Swapchain,
    SwapchainOfAcquire,
    Presentation,
}

fn surfaces_in(command: CommandId) -> Option<Position> {
    Some(match command {
        command::GET_PHYSICAL_DEVICE_SURFACE_SUPPORT_KHR => Position::Surface(2),
        command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_KHR
        | command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_EXT
        | command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_KHR
        | command::GET_PHYSICAL_DEVICE_SURFACE_PRESENT_MODES_KHR
        | command::GET_DEVICE_GROUP_SURFACE_PRESENT_MODES_KHR => Position::Surface(1),
        command::GET_PHYSICAL_DEVICE_SURFACE_CAPABILITIES_2_KHR
        | command::GET_PHYSICAL_DEVICE_SURFACE_FORMATS_2_KHR => Position::SurfaceOfQuery,
        command::CREATE_SWAPCHAIN_KHR => Position::Creation,
        command::ACQUIRE_NEXT_IMAGE_KHR
        | command::GET_SWAPCHAIN_STATUS_KHR
        | command::WAIT_FOR_PRESENT_KHR
        | command::WAIT_FOR_PRESENT_2_KHR => Position::Swapchain,
        command::ACQUIRE_NEXT_IMAGE_2_KHR => Position::SwapchainOfAcquire,
        command::QUEUE_PRESENT_KHR => Position::Presentation,
        _ => return None,
    })
}

fn surfaces_of(command: CommandId, numbers: &[u64]) -> Vec<u64> {
    let Some(position) = surfaces_in(command.canonical()) else { return Vec::new() };
    let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
    // SAFETY: the second parameter of these commands is the structure.
    let swapchains = unsafe {
        match position {
            Position::Surface(index) => return vec![number(index)],
            Position::SurfaceOfQuery => {
                return vec![structure::<vk::PhysicalDeviceSurfaceInfo2KHR<'_>>(numbers).surface.as_raw()];
            }
            Position::Creation => {
                return vec![structure::<vk::SwapchainCreateInfoKHR<'_>>(numbers).surface.as_raw()];
            }
            Position::Swapchain => vec![number(1)],
            Position::SwapchainOfAcquire => {
                vec![structure::<vk::AcquireNextImageInfoKHR<'_>>(numbers).swapchain.as_raw()]
            }
            Position::Presentation => {
                let info = structure::<vk::PresentInfoKHR<'_>>(numbers);
                let swapchains =
                    core::slice::from_raw_parts(info.p_swapchains, info.swapchain_count as usize);
                swapchains.iter().map(|swapchain| swapchain.as_raw()).collect()
            }
        }
    };
    let known = lock(&SURFACES);
    swapchains.iter().filter_map(|swapchain| known.swapchains.get(swapchain)).copied().collect()
}

/// Returns the structure of a call.
///
/// # Safety
/// The second parameter leads to one of this type.
unsafe fn structure<'a, T>(numbers: &[u64]) -> &'a T {
    let address = numbers.get(1).copied().unwrap_or(0) as usize;
    // SAFETY: the caller vouches for the parameter.
    unsafe { &*core::ptr::with_exposed_provenance::<T>(address) }
}
