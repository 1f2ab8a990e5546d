//! The driver's statements are true, and a scenario's faults have the same consequences as on a GPU.

use std::fs;
use std::process::Command;

use crate::run::{CONTENT, exists};
use crate::scenarios::everywhere;

#[test]
fn a_device_that_is_lost_stays_lost() {
    everywhere(|run| run.content("lost", "fails=vkQueueSubmit@2:VK_ERROR_DEVICE_LOST"));
}

#[test]
fn a_call_with_another_success_code_does_its_work() {
    everywhere(|run| {
        run.content("suboptimal", "surfaces=driver fails=vkAcquireNextImageKHR@2:VK_SUBOPTIMAL_KHR");
    });
}

#[test]
fn a_swapchain_has_no_more_images_than_it_has() {
    everywhere(|run| run.content("two_images", "surfaces=driver"));
}

#[test]
fn an_image_is_not_handed_out_while_work_uses_it() {
    if !exists("mkfifo") {
        return;
    }
    everywhere(|run| {
        let pipe = run.folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let scenario = format!("surfaces=driver queue=async holds=submission@1:{}", pipe.display());
        run.content("image_in_use", &scenario);
    });
}

#[test]
fn the_fence_of_a_presentation_is_signalled() {
    everywhere(|run| {
        run.content("present_fence", "surfaces=driver extension=VK_EXT_swapchain_maintenance1");
    });
}

#[test]
fn a_replaced_swapchain_hands_out_no_images() {
    everywhere(|run| run.content("replaced", "surfaces=driver extension=VK_EXT_memory_budget"));
}

#[test]
fn a_heap_has_its_size() {
    everywhere(|run| run.content("small_heap", "heap=64M extension=VK_EXT_memory_budget"));
}

#[test]
fn budgets_need_their_extension() {
    everywhere(|run| run.content("no_budget", ""));
}

#[test]
fn the_devices_clock_is_that_of_its_timestamps() {
    everywhere(|run| run.content("clocks", "extension=VK_EXT_calibrated_timestamps"));
}

#[test]
fn a_clock_of_readings_gives_every_run_the_same_timestamps() {
    everywhere(|run| run.content("clock_of_readings", "clock=1000"));
}

#[test]
fn the_device_has_the_queue_families_of_the_scenario() {
    everywhere(|run| {
        let scenario = "queues=graphics+compute+transfer:2 queues=compute:1 queues=transfer:3";
        run.content("families", scenario);
    });
}

#[test]
fn calls_fail_by_their_size_and_by_their_object() {
    everywhere(|run| {
        let scenario = "extension=VK_EXT_debug_utils fails=vkAllocateMemory>1M:VK_ERROR_OUT_OF_DEVICE_MEMORY \
            fails=vkGetFenceStatus/bad@2:VK_ERROR_DEVICE_LOST";
        run.content("some_failures", scenario);
    });
}

#[test]
fn the_log_has_every_call_with_its_result() {
    everywhere(|run| {
        let log = run.folder.path().join("the calls");
        let words = format!("fails=vkCreateFence@2:VK_ERROR_OUT_OF_DEVICE_MEMORY log=\"{}\"", log.display());
        run.failure("images", &words);
        let log = fs::read_to_string(log).unwrap();
        let lines: Vec<_> = log.lines().filter(|line| line.starts_with("vkCreateFence")).collect();
        assert_eq!(lines, ["vkCreateFence VK_SUCCESS", "vkCreateFence VK_ERROR_OUT_OF_DEVICE_MEMORY"]);
        for recorded_or_not in ["vkDestroyBuffer", "vkCmdCopyBufferToImage"] {
            assert!(log.lines().any(|line| line == recorded_or_not), "{recorded_or_not}: {log}");
        }
    });
}

#[test]
fn the_log_has_one_frame_only() {
    everywhere(|run| {
        let folder = run.folder.path();
        let log_of = |frame: &str| {
            let path = folder.join(format!("calls of frame {frame}"));
            let words = format!("surfaces=driver frame={frame} log=\"{}\"", path.display());
            let request = folder.join("request");
            let shown =
                run.output(run.command_of("frames", &words).env("VKLOAD_DRIVER_TRACE_FILE", &request));
            assert!(shown.contains(CONTENT) && !request.exists(), "{shown}");
            let log = fs::read_to_string(path).unwrap();
            // Loaders look up and wrap some commands, so only the program's own commands count.
            let own = ["CreateInstance", "Fence", "Event", "Semaphore", "QueuePresent"];
            let is_own = |line: &&str| own.iter().any(|part| line.contains(part));
            log.lines().filter(is_own).map(str::to_owned).collect::<Vec<_>>()
        };
        let fence = ["vkCreateFence VK_SUCCESS", "vkWaitForFences VK_SUCCESS", "vkDestroyFence"];
        let present = "vkQueuePresentKHR VK_SUCCESS";
        let second = [&fence[..], &["vkCreateEvent VK_SUCCESS", "vkDestroyEvent", present]].concat();
        let third = [&fence[..], &["vkCreateSemaphore VK_SUCCESS", "vkDestroySemaphore", present]].concat();
        assert_eq!(log_of("2"), [second, third.clone()].concat());
        assert_eq!(log_of("requested"), third);
        let first = log_of("1");
        assert!(first.starts_with(&["vkCreateInstance VK_SUCCESS".to_owned()]), "{first:?}");
        assert!(first.iter().filter(|line| *line == present).count() == 2, "{first:?}");
    });
}

#[test]
fn memory_is_copied_by_its_address() {
    let scenario = "extension=VK_NV_copy_memory_indirect extension=VK_KHR_copy_memory_indirect \
        extension=VK_KHR_device_address_commands extension=VK_AMD_buffer_marker";
    everywhere(|run| {
        for program in ["copies_by_address", "images_by_address", "events_markers_and_resolves"] {
            run.content(program, scenario);
        }
    });
}

#[test]
fn waits_for_what_extensions_query_end() {
    let scenario = "extension=VK_KHR_acceleration_structure extension=VK_NV_ray_tracing \
        extension=VK_EXT_opacity_micromap extension=VK_EXT_transform_feedback surfaces=driver \
        extension=VK_NV_low_latency2 extension=VK_KHR_device_address_commands";
    everywhere(|run| run.content("queries_of_extensions", scenario));
}

#[test]
fn a_queue_waits_for_an_event_of_the_host() {
    everywhere(|run| run.content("host_event", "queue=async"));
}

#[test]
fn a_presentation_is_waited_for_by_its_number() {
    let scenario = "surfaces=driver extension=VK_KHR_present_id extension=VK_KHR_present_wait \
        extension=VK_KHR_present_id2 extension=VK_KHR_present_wait2";
    everywhere(|run| {
        run.content("present_ids", scenario);
        run.content("present_ids", &format!("{scenario} queue=async"));
    });
}

#[test]
fn a_surface_has_one_swapchain() {
    everywhere(|run| run.content("second_swapchain", "surfaces=driver"));
}

#[test]
fn descriptors_in_buffers_have_sizes() {
    everywhere(|run| run.content("descriptor_buffers", "extension=VK_EXT_descriptor_buffer"));
}

#[test]
fn a_wait_that_is_forgotten_is_seen_on_a_queue_of_its_own() {
    if !exists("mkfifo") {
        return;
    }
    everywhere(|run| {
        let pipe = run.folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let scenario = format!("queue=async delay=1 holds=submission@1:{}", pipe.display());
        run.content("forgotten_wait", &scenario);
    });
}

#[test]
fn a_submission_that_fails_loses_the_device() {
    everywhere(|run| {
        let shown = run.failure("buffers", "queue=async fails=submission@2");
        assert!(shown.contains("ERROR_DEVICE_LOST"), "{shown}");
    });
}

#[test]
fn programs_that_wait_run_on_queues_of_their_own() {
    everywhere(|run| {
        for program in ["buffers", "images", "objects", "surfaces"] {
            run.content(program, "queue=async surfaces=driver");
        }
    });
}

#[test]
fn attachments_are_cleared() {
    everywhere(|run| run.content("cleared", ""));
}
