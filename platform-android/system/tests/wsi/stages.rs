//! When frames reach each stage of presentation.

use std::ptr::{null, null_mut};

use android_simulation::graphics::{Graphics, Releases};
use android_simulation::hook;
use ash::vk::{self, TaggedStructure};
use platform_android::wsi::structures::{
    AT_RELATIVE_TIME, CREATE_PRESENT_TIMING, ERROR_PRESENT_TIMING_QUEUE_FULL, PresentId2, PresentTimingInfo,
    PresentTimingSurfaceCapabilities, PresentTimingsInfo,
};
use vkload_core::registry::types::{
    PastPresentationTimingEXT, PastPresentationTimingFlagsEXT, PastPresentationTimingInfoEXT,
    PastPresentationTimingPropertiesEXT, PresentStageFlagsEXT, PresentStageTimeEXT,
    SwapchainTimeDomainPropertiesEXT, SwapchainTimingPropertiesEXT,
};

use super::world::{SUCCESS, World, chain, request};

const PENDING: i64 = -2;
/// VK_TIME_DOMAIN_PRESENT_STAGE_LOCAL_EXT
const STAGE_LOCAL: i32 = 1_000_208_000;
const PARTIAL: u32 = 1;
const ANY_ORDER: u32 = 2;

/// Presents a frame with this id, to be shown at this time, and requests its times at these stages.
fn present(
    world: &World,
    swapchain: vk::SwapchainKHR,
    image: u32,
    id: u64,
    (target, stages): (u64, u32),
) -> vk::Result {
    present_with(world, swapchain, image, id, (target, stages, 0))
}

fn present_with(
    world: &World,
    swapchain: vk::SwapchainKHR,
    image: u32,
    id: u64,
    (target, stages, flags): (u64, u32, u32),
) -> vk::Result {
    let ids = [id];
    let info = PresentId2 {
        s_type: PresentId2::STRUCTURE_TYPE,
        p_next: null(),
        swapchain_count: 1,
        p_present_ids: ids.as_ptr(),
    };
    let timing = PresentTimingInfo {
        s_type: PresentTimingInfo::STRUCTURE_TYPE,
        p_next: null(),
        flags,
        target_time: target,
        time_domain_id: 1,
        present_stage_queries: stages,
        target_time_domain_present_stage: 0,
    };
    let timings = PresentTimingsInfo {
        s_type: PresentTimingsInfo::STRUCTURE_TYPE,
        p_next: chain(&info),
        swapchain_count: 1,
        p_timing_infos: &timing,
    };
    world.present_with(swapchain, image, chain(&timings))
}

fn frame(world: &World, swapchain: vk::SwapchainKHR, id: u64) {
    let image = world.acquire(swapchain);
    assert_eq!(present(world, swapchain, image, id, (0, 7)), SUCCESS);
    assert!(world.window.show());
}

fn resize(world: &World, swapchain: vk::SwapchainKHR, size: u32) -> vk::Result {
    unsafe { hook!(PFN_vkSetSwapchainPresentTimingQueueSizeEXT)(world.device, swapchain, size) }
}

/// A frame with fetched times: its id, its stages with their times, and whether they are complete.
type Fetched = (u64, Vec<(u32, u64)>, bool);

fn fetch(world: &World, swapchain: vk::SwapchainKHR, flags: u32, room: usize) -> (vk::Result, Vec<Fetched>) {
    fetch_stages(world, swapchain, flags, room, 3)
}

/// Fetches with space for this many stages of each frame.
fn fetch_stages(
    world: &World,
    swapchain: vk::SwapchainKHR,
    flags: u32,
    room: usize,
    stage_room: u32,
) -> (vk::Result, Vec<Fetched>) {
    let mut stages = vec![[PresentStageTimeEXT { stage: PresentStageFlagsEXT(0), time: 0 }; 3]; room];
    let mut timings: Vec<_> = stages
        .iter_mut()
        .map(|stages| PastPresentationTimingEXT {
            s_type: PastPresentationTimingEXT::STRUCTURE_TYPE,
            p_next: null_mut(),
            present_id: 0,
            target_time: 0,
            present_stage_count: stage_room,
            p_present_stages: stages.as_mut_ptr(),
            time_domain: vk::TimeDomainKHR::DEVICE,
            time_domain_id: 0,
            report_complete: vk::FALSE,
        })
        .collect();
    let info = PastPresentationTimingInfoEXT {
        s_type: PastPresentationTimingInfoEXT::STRUCTURE_TYPE,
        p_next: null(),
        flags: PastPresentationTimingFlagsEXT(flags),
        swapchain,
    };
    let mut out = PastPresentationTimingPropertiesEXT {
        s_type: PastPresentationTimingPropertiesEXT::STRUCTURE_TYPE,
        p_next: null_mut(),
        timing_properties_counter: 0,
        time_domains_counter: 0,
        presentation_timing_count: room as u32,
        p_presentation_timings: timings.as_mut_ptr(),
    };
    // SAFETY: valid handles, and structures with counted arrays.
    let result = unsafe { hook!(PFN_vkGetPastPresentationTimingEXT)(world.device, &info, &mut out) };
    if result.as_raw() < 0 {
        return (result, Vec::new());
    }
    let fetched = timings.iter().zip(&stages).take(out.presentation_timing_count as usize);
    let fetched = fetched.map(|(timing, stages)| {
        assert_eq!(timing.time_domain.as_raw(), STAGE_LOCAL);
        let stages = stages.iter().take(timing.present_stage_count as usize);
        let stages = stages.map(|stage| (stage.stage.0, stage.time)).collect();
        (timing.present_id, stages, timing.report_complete != vk::FALSE)
    });
    (result, fetched.collect())
}

/// Sets the window's times of a frame: when it was drawn, latched and sent to the display.
fn know(world: &World, frame: u64, rendered: i64, latched: i64, presented: i64) {
    let times = [0, rendered, latched, 0, 0, 0, presented, 0, 0];
    world.window.change().timestamps.insert(frame, times);
}

#[test]
fn times_of_all_stages_are_fetched_once_in_order() {
    let (world, _, swapchain) = World::shown();
    assert_eq!(resize(&world, swapchain, 8), SUCCESS);
    for id in 1..=3 {
        frame(&world, swapchain, id);
    }
    know(&world, 0, 10, 20, 30);
    know(&world, 1, 40, 50, PENDING);
    know(&world, 2, 70, 80, 90);
    let all = |id: u64, times: [u64; 3]| (id, vec![(1, times[0]), (2, times[1]), (4, times[2])], true);
    assert_eq!(fetch(&world, swapchain, 0, 8), (SUCCESS, vec![all(1, [10, 20, 30])]));
    assert_eq!(fetch(&world, swapchain, 0, 8), (SUCCESS, vec![]));
    // The second frame holds the third one back, unless order does not matter.
    assert_eq!(fetch(&world, swapchain, ANY_ORDER, 8), (SUCCESS, vec![all(3, [70, 80, 90])]));
    // Nothing is reported for a stage that is still to come.
    let half = (2, vec![(1, 40), (2, 50)], false);
    assert_eq!(fetch(&world, swapchain, PARTIAL, 8), (SUCCESS, vec![half]));
    know(&world, 1, 40, 50, 60);
    assert_eq!(fetch(&world, swapchain, 0, 8), (SUCCESS, vec![all(2, [40, 50, 60])]));
}

#[test]
fn unknown_times_are_zero() {
    let (world, _, swapchain) = World::shown();
    assert_eq!(resize(&world, swapchain, 8), SUCCESS);
    frame(&world, swapchain, 1);
    frame(&world, swapchain, 2);
    // The first was forgotten.
    know(&world, 1, 10, 20, -1);
    let zeros = (1, vec![(1, 0), (2, 0), (4, 0)], true);
    let fetched = vec![zeros, (2, vec![(1, 10), (2, 20), (4, 0)], true)];
    assert_eq!(fetch(&world, swapchain, 0, 8), (SUCCESS, fetched));
}

#[test]
fn more_frames_than_room_are_incomplete() {
    let (world, _, swapchain) = World::shown();
    assert_eq!(resize(&world, swapchain, 8), SUCCESS);
    for id in 1..=3 {
        frame(&world, swapchain, id);
        know(&world, id - 1, 1, 2, 3);
    }
    let (result, fetched) = fetch(&world, swapchain, 0, 2);
    assert_eq!((result, fetched.len()), (vk::Result::INCOMPLETE, 2));
    let (result, fetched) = fetch(&world, swapchain, 0, 2);
    assert_eq!((result, fetched.len()), (SUCCESS, 1));
    // Nor does each stage fit. Frames without an id from the application have times all the same.
    frame(&world, swapchain, 0);
    know(&world, 3, 1, 2, 3);
    let first = (0, vec![(1, 1), (2, 2)], true);
    assert_eq!(fetch_stages(&world, swapchain, 0, 2, 2), (vk::Result::INCOMPLETE, vec![first]));
}

#[test]
fn a_queue_without_room_presents_nothing() {
    let (world, _, swapchain) = World::shown();
    let image = world.acquire(swapchain);
    assert_eq!(present(&world, swapchain, image, 1, (0, 7)), ERROR_PRESENT_TIMING_QUEUE_FULL);
    assert_eq!(world.status(swapchain), SUCCESS);
    assert!(!world.window.show());
    // No queue is needed if nothing is requested, and the frame is shown at its time.
    assert_eq!(present(&world, swapchain, image, 1, (777, 0)), SUCCESS);
    assert!(world.window.show());
    assert_eq!(world.window.change().shown[0].timestamp, 777);
    // A duration is not a time.
    let image = world.acquire(swapchain);
    assert_eq!(present_with(&world, swapchain, image, 1, (888, 0, AT_RELATIVE_TIME)), SUCCESS);
    assert!(world.window.show());
    assert_eq!(world.window.change().shown[1].timestamp, i64::MIN);
    assert_eq!(resize(&world, swapchain, 1), SUCCESS);
    frame(&world, swapchain, 2);
    assert_eq!(resize(&world, swapchain, 0), vk::Result::NOT_READY);
    assert_eq!(resize(&world, swapchain, 2), SUCCESS);
    frame(&world, swapchain, 3);
    know(&world, 2, 1, 2, 3);
    know(&world, 3, 1, 2, 3);
    assert_eq!(fetch(&world, swapchain, 0, 4).1.len(), 2);
    assert_eq!(resize(&world, swapchain, 0), SUCCESS);
}

#[test]
fn a_present_without_room_for_its_times_has_waited_for_its_semaphores() {
    let (world, _, swapchain) = World::shown();
    Graphics::change().releases = Releases::Later;
    // A driver may find that an image that waits for nothing is idle.
    Graphics::change().idle_without_semaphores = true;
    let image = world.acquire(swapchain);
    assert_eq!(present(&world, swapchain, image, 1, (0, 7)), ERROR_PRESENT_TIMING_QUEUE_FULL);
    assert_eq!(Graphics::change().released, [(1, 1)]);
    // The application still has the image: it presents it again, without semaphores.
    let (swapchains, images) = ([swapchain], [image]);
    let again = vk::PresentInfoKHR::default().swapchains(&swapchains).image_indices(&images);
    // SAFETY: valid handles, and arrays of one element.
    assert_eq!(unsafe { hook!(PFN_vkQueuePresentKHR)(world.queue, &again) }, SUCCESS);
    assert_eq!(Graphics::change().released, [(1, 1), (0, 1)]);
    // The window waits for the drawing: its fence, and the loader's.
    assert_eq!(world.simulation.android.open_fences(), 2);
    Graphics::change().finish();
    assert!(world.window.show());
}

#[test]
fn ten_frames_fit_before_the_application_sets_a_size() {
    let (world, _, swapchain) = World::shown_by(|surface| request(surface).flags(CREATE_PRESENT_TIMING));
    for id in 1..=10 {
        frame(&world, swapchain, id);
    }
    let image = world.acquire(swapchain);
    assert_eq!(present(&world, swapchain, image, 11, (0, 8)), ERROR_PRESENT_TIMING_QUEUE_FULL);
    // The first pixel is visible when it leaves for the display, as far as windows know.
    know(&world, 0, 10, 20, 30);
    assert_eq!(fetch(&world, swapchain, 0, 1).1[0].1, [(1, 10), (2, 20), (4, 30)]);
    assert_eq!(present(&world, swapchain, image, 11, (0, 8)), SUCCESS);
    assert!(world.window.show());
    (1..10).for_each(|number| know(&world, number, 1, 2, 3));
    know(&world, 10, 40, 50, 60);
    assert_eq!(fetch(&world, swapchain, 0, 16).1[9], (11, vec![(8, 60)], true));
}

#[test]
fn a_retired_swapchain_is_out_of_date() {
    let (world, surface, old) = World::shown();
    world.swapchain(&request(surface).old_swapchain(old));
    assert_eq!(fetch(&world, old, 0, 4).0, vk::Result::ERROR_OUT_OF_DATE_KHR);
}

/// Returns the refresh duration, and how often it has changed.
fn refresh(world: &World, swapchain: vk::SwapchainKHR) -> Result<(u64, u64), vk::Result> {
    let mut out = SwapchainTimingPropertiesEXT {
        s_type: SwapchainTimingPropertiesEXT::STRUCTURE_TYPE,
        p_next: null_mut(),
        refresh_duration: 0,
        refresh_interval: 0,
    };
    let mut counter = 0;
    // SAFETY: valid handles, and memory for the results.
    let result = unsafe {
        hook!(PFN_vkGetSwapchainTimingPropertiesEXT)(world.device, swapchain, &mut out, &mut counter)
    };
    assert_eq!(out.refresh_duration, out.refresh_interval);
    if result == SUCCESS { Ok((out.refresh_duration, counter)) } else { Err(result) }
}

#[test]
fn a_change_of_the_refresh_rate_is_counted() {
    let (world, surface, swapchain) = World::shown();
    assert_eq!(refresh(&world, swapchain), Ok((16_666_667, 1)));
    world.window.change().refresh_duration = 8_333_333;
    assert_eq!(refresh(&world, swapchain), Ok((8_333_333, 2)));
    assert_eq!(refresh(&world, swapchain), Ok((8_333_333, 2)));
    let mut past = PastPresentationTimingPropertiesEXT {
        s_type: PastPresentationTimingPropertiesEXT::STRUCTURE_TYPE,
        p_next: null_mut(),
        timing_properties_counter: 0,
        time_domains_counter: 0,
        presentation_timing_count: 7,
        p_presentation_timings: null_mut(),
    };
    let info = PastPresentationTimingInfoEXT {
        s_type: PastPresentationTimingInfoEXT::STRUCTURE_TYPE,
        p_next: null(),
        flags: PastPresentationTimingFlagsEXT(0),
        swapchain,
    };
    assert_eq!(unsafe { hook!(PFN_vkGetPastPresentationTimingEXT)(world.device, &info, &mut past) }, SUCCESS);
    let counters = (past.timing_properties_counter, past.time_domains_counter);
    assert_eq!((counters, past.presentation_timing_count), ((2, 1), 0));
    world.window.fail(0, -19);
    assert_eq!(refresh(&world, swapchain), Err(vk::Result::ERROR_SURFACE_LOST_KHR));
    world.window.stop_failing();
    // A retired one returns the last known values.
    let new = world.swapchain(&request(surface).old_swapchain(swapchain));
    world.window.change().refresh_duration = 11_111_111;
    assert_eq!(refresh(&world, swapchain), Ok((8_333_333, 2)));
    assert_eq!(refresh(&world, new), Ok((11_111_111, 2)));
}

#[test]
fn clock_of_a_swapchain() {
    let (world, surface, swapchain) = World::shown();
    let (mut domain, mut id, mut counter) = (vk::TimeDomainKHR::DEVICE, 0, 0);
    let mut domains = SwapchainTimeDomainPropertiesEXT {
        s_type: SwapchainTimeDomainPropertiesEXT::STRUCTURE_TYPE,
        p_next: null_mut(),
        time_domain_count: 0,
        p_time_domains: null_mut(),
        p_time_domain_ids: null_mut(),
    };
    // SAFETY: valid handles, and memory for the results.
    unsafe {
        assert_eq!(
            hook!(PFN_vkGetSwapchainTimeDomainPropertiesEXT)(
                world.device,
                swapchain,
                &mut domains,
                null_mut()
            ),
            SUCCESS
        );
        assert_eq!(domains.time_domain_count, 1);
        (domains.p_time_domains, domains.p_time_domain_ids) = (&mut domain, &mut id);
        assert_eq!(
            hook!(PFN_vkGetSwapchainTimeDomainPropertiesEXT)(
                world.device,
                swapchain,
                &mut domains,
                &mut counter
            ),
            SUCCESS
        );
        assert_eq!((domain.as_raw(), id, counter), (STAGE_LOCAL, 1, 1));
        domains.time_domain_count = 0;
        let result = hook!(PFN_vkGetSwapchainTimeDomainPropertiesEXT)(
            world.device,
            swapchain,
            &mut domains,
            null_mut(),
        );
        assert_eq!(result, vk::Result::INCOMPLETE);
    }
    let mut can = PresentTimingSurfaceCapabilities {
        s_type: PresentTimingSurfaceCapabilities::STRUCTURE_TYPE,
        p_next: null_mut(),
        present_timing_supported: 0,
        present_at_absolute_time_supported: 0,
        present_at_relative_time_supported: 4711,
        present_stage_queries: 0,
    };
    let mut out = vk::SurfaceCapabilities2KHR { p_next: (&raw mut can).cast(), ..Default::default() };
    let info = vk::PhysicalDeviceSurfaceInfo2KHR::default().surface(surface);
    let result = unsafe {
        hook!(PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)(world.physical_device, &info, &mut out)
    };
    assert_eq!(result, SUCCESS);
    let supported = (
        can.present_timing_supported,
        can.present_at_absolute_time_supported,
        can.present_at_relative_time_supported,
    );
    assert_eq!((supported, can.present_stage_queries), ((vk::TRUE, vk::TRUE, vk::FALSE), 15));
}
