//! When frames are shown.

use android_simulation::hook;
use std::ptr::null_mut;

use ash::vk;
use platform_android::ApiLevel;
use platform_android::wsi::timing::{RECORDS, Record, past_timing};
use platform_android::wsi::window::FrameTimestamps;

use super::world::{INSTANCE, SUCCESS, World, chain, request};

const PENDING: i64 = -2;
const INVALID: i64 = -1;

fn times(rendered: i64, latched: i64, presented: i64) -> FrameTimestamps {
    FrameTimestamps { requested: 0, rendered, latched, presented, ..FrameTimestamps::default() }
}

#[test]
fn the_reported_times_of_a_frame() {
    let record = Record { present_id: 7, desired: 1000, frame: 3, times: None };
    let told = |times: FrameTimestamps| {
        past_timing(&record, &times, 10).map(|timing| {
            assert_eq!((timing.present_id, timing.desired_present_time), (7, 1000));
            (timing.actual_present_time, timing.earliest_present_time, timing.present_margin)
        })
    };
    // Ready 5 early: less than one refresh.
    assert_eq!(told(times(100, 105, 130)), Some((130, 130, 5)));
    assert_eq!(told(times(100, 110, 140)), Some((140, 140, 10)));
    // Ready 25 early: two refreshes, as long as it would be shown after it was latched.
    assert_eq!(told(times(100, 125, 160)), Some((160, 140, 5)));
    assert_eq!(told(times(100, 125, 140)), Some((140, 130, 15)));
    for pending in [times(PENDING, 1, 1), times(1, PENDING, 1), times(1, 1, PENDING)] {
        assert_eq!(told(pending), None);
    }
    assert_eq!(told(FrameTimestamps { requested: PENDING, ..times(1, 1, 1) }), None);
    for invalid in [times(INVALID, 1, 1), times(1, INVALID, 1), times(1, 1, INVALID)] {
        assert_eq!(told(invalid), Some((0, 0, 0)));
    }
    // A window that does not know its refresh duration.
    let timing = past_timing(&record, &times(100, 200, 300), 0).unwrap();
    assert_eq!((timing.earliest_present_time, timing.present_margin), (300, 100));
}

/// Presents a frame with this id, to be shown at this time.
fn frame(world: &World, swapchain: vk::SwapchainKHR, present_id: u32, desired: u64) {
    let times = [vk::PresentTimeGOOGLE { present_id, desired_present_time: desired }];
    let info = vk::PresentTimesInfoGOOGLE::default().times(&times);
    let image = world.acquire(swapchain);
    assert_eq!(world.present_with(swapchain, image, chain(&info)), SUCCESS);
    assert!(world.window.show());
}

/// Returns the ids of the frames whose times are all known, as many as fit.
fn past(world: &World, swapchain: vk::SwapchainKHR, room: usize) -> (vk::Result, Vec<u32>) {
    let mut timings = vec![vk::PastPresentationTimingGOOGLE::default(); room];
    let mut count = room as u32;
    let result = unsafe {
        hook!(PFN_vkGetPastPresentationTimingGOOGLE)(
            world.device,
            swapchain,
            &mut count,
            timings.as_mut_ptr(),
        )
    };
    timings.truncate(count as usize);
    (result, timings.iter().map(|timing| timing.present_id).collect())
}

fn count(world: &World, swapchain: vk::SwapchainKHR) -> u32 {
    let mut count = 0;
    let result = unsafe {
        hook!(PFN_vkGetPastPresentationTimingGOOGLE)(world.device, swapchain, &mut count, null_mut())
    };
    assert_eq!(result, SUCCESS);
    count
}

/// Sets the times at which the window showed these frames.
fn know(world: &World, frames: std::ops::Range<u64>) {
    for frame in frames {
        let time = 1000 * (frame as i64 + 1);
        world.window.change().timestamps.insert(frame, [time; 9]);
    }
}

#[test]
fn frames_are_reported_once_and_in_order() {
    let (world, _, swapchain) = World::shown();
    for id in 0..6 {
        frame(&world, swapchain, 100 + id, 0);
    }
    assert!(world.window.change().told.remembers);
    assert_eq!(count(&world, swapchain), 0);
    know(&world, 0..3);
    assert_eq!(count(&world, swapchain), 3);
    assert_eq!(past(&world, swapchain, 2), (vk::Result::INCOMPLETE, vec![100, 101]));
    assert_eq!(past(&world, swapchain, 2), (SUCCESS, vec![102]));
    assert_eq!(past(&world, swapchain, 2), (SUCCESS, vec![]));
    // Reporting one makes older unknown ones forgotten.
    know(&world, 4..5);
    assert_eq!(past(&world, swapchain, 9), (SUCCESS, vec![104]));
    know(&world, 0..6);
    assert_eq!(past(&world, swapchain, 9), (SUCCESS, vec![105]));
    let _ = world.window.calls();
    world.destroy_swapchain(swapchain);
    assert_eq!(world.window.calls()[0], "enable-timestamps 0");
}

#[test]
fn times_once_known_stay_known_and_are_not_asked_for_again() {
    let (world, _, swapchain) = World::shown();
    for id in 0..6 {
        frame(&world, swapchain, id, 0);
    }
    know(&world, 0..4);
    assert_eq!(count(&world, swapchain), 4);
    // The window forgets its frames.
    world.window.change().timestamps.clear();
    let _ = world.window.calls();
    assert_eq!(past(&world, swapchain, 9), (SUCCESS, vec![0, 1, 2, 3]));
    let asked = world.window.calls().iter().filter(|call| call.starts_with("timestamps")).count();
    assert_eq!(asked, 2);
}

#[test]
fn ten_frames_are_remembered() {
    let (world, _, swapchain) = World::shown();
    for id in 0..14 {
        frame(&world, swapchain, id, 0);
    }
    know(&world, 0..14);
    let expected: Vec<u32> = (4..14).collect();
    assert_eq!(expected.len(), RECORDS);
    assert_eq!(past(&world, swapchain, 20), (SUCCESS, expected));
}

#[test]
fn before_android_17_four_newer_frames_have_to_be_there() {
    let world = World::with(ApiLevel::ANDROID_15, INSTANCE);
    let surface = world.surface();
    let swapchain = world.swapchain(&request(surface));
    know(&world, 0..20);
    for (frames, expected) in [(4, 0), (5, 1), (6, 2)] {
        while world.window.change().shown.len() < frames {
            frame(&world, swapchain, 1, 0);
        }
        assert_eq!(count(&world, swapchain), expected);
    }
}

#[test]
fn a_time_is_for_one_frame_only() {
    let (world, _, swapchain) = World::shown();
    frame(&world, swapchain, 1, 5_000);
    frame(&world, swapchain, 2, 0);
    let _ = world.window.calls();
    frame(&world, swapchain, 3, 0);
    assert!(!world.window.calls().iter().any(|call| call.starts_with("timestamp ")));
    let shown: Vec<i64> = world.window.change().shown.iter().map(|shown| shown.timestamp).collect();
    assert_eq!(shown, [5_000, i64::MIN, i64::MIN]);
}

#[test]
fn the_refresh_duration_is_the_windows() {
    let (world, surface, old) = World::shown();
    let get = |swapchain| {
        let mut duration = vk::RefreshCycleDurationGOOGLE::default();
        let result =
            unsafe { hook!(PFN_vkGetRefreshCycleDurationGOOGLE)(world.device, swapchain, &mut duration) };
        (result, duration.refresh_duration)
    };
    world.window.change().refresh_duration = 8_333_333;
    assert_eq!(get(old), (SUCCESS, 8_333_333));
    world.window.fail(0, -19);
    assert_eq!(get(old).0, vk::Result::ERROR_SURFACE_LOST_KHR);
    world.window.stop_failing();
    world.swapchain(&request(surface).old_swapchain(old));
    // The command has no error for a retired swapchain.
    assert_eq!(get(old), (SUCCESS, 8_333_333));
    assert_eq!(past(&world, old, 3).0, vk::Result::ERROR_OUT_OF_DATE_KHR);
}

#[test]
fn the_time_of_a_frame_and_remembering_end_with_the_swapchain() {
    let world = World::new();
    let surface = world.surface();
    let told = || {
        let state = world.window.change();
        (state.told.timestamp, state.told.remembers)
    };
    let old = world.swapchain(&request(surface));
    frame(&world, old, 1, 5_000);
    assert_eq!(told(), (5_000, true));
    // A swapchain that another one replaces.
    let new = world.swapchain(&request(surface).old_swapchain(old));
    assert_eq!(told(), (i64::MIN, false));
    let image = world.acquire(new);
    assert_eq!(world.present(new, image), SUCCESS);
    assert!(world.window.show());
    assert_eq!(world.window.change().shown[1].timestamp, i64::MIN);
    // A swapchain that is destroyed.
    frame(&world, new, 1, 6_000);
    world.destroy_swapchain(new);
    assert_eq!(told(), (i64::MIN, false));
    // A retired one leaves the window to the other.
    let newest = world.swapchain(&request(surface));
    frame(&world, newest, 1, 7_000);
    world.destroy_swapchain(old);
    assert_eq!(told(), (7_000, true));
}

#[test]
fn a_window_that_fails_to_enable_timestamps_is_called_again() {
    let (world, _, swapchain) = World::shown();
    let image = world.acquire(swapchain);
    let times = [vk::PresentTimeGOOGLE { present_id: 1, desired_present_time: 0 }];
    let info = vk::PresentTimesInfoGOOGLE::default().times(&times);
    world.window.fail(0, -22);
    // The frame is shown nevertheless.
    assert_eq!(world.present_with(swapchain, image, chain(&info)), SUCCESS);
    world.window.stop_failing();
    assert!(world.window.show() && !world.window.change().told.remembers);
    frame(&world, swapchain, 2, 0);
    assert!(world.window.change().told.remembers);
}
