//! The effects of scenarios on the driver, as loaders and programs see them.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use vkload_null_driver::scenario::Scenario;

use crate::run::{CONTENT, NO_LOADER, Run, distribution, exists, ours, with_loader};

/// Runs with each available loader, and without any.
pub(crate) fn everywhere(test: impl Fn(&Run)) {
    with_loader(ours(), &test);
    with_loader(distribution(), &test);
    test(&Run::new(Path::new(NO_LOADER)));
}

#[test]
fn the_call_that_is_named_fails_with_the_result_that_is_named() {
    everywhere(|run| {
        let shown = run.failure("images", "fails=vkCreateFence@2:VK_ERROR_OUT_OF_DEVICE_MEMORY");
        assert!(shown.contains("ERROR_OUT_OF_DEVICE_MEMORY"), "{shown}");
        let shown = run.failure("buffers", "fails=vkQueueSubmit2:VK_ERROR_DEVICE_LOST");
        assert!(shown.contains("ERROR_DEVICE_LOST"), "{shown}");
        run.content("images", "fails=vkCreateFence@99");
    });
}

#[test]
fn the_application_gets_the_drivers_reason() {
    everywhere(|run| run.content("messages", "extension=VK_EXT_debug_utils"));
}

#[test]
fn a_command_that_is_missing_is_not_found() {
    everywhere(|run| {
        assert!(
            run.failure("buffers", "lacks=vkCreateSemaphore").contains("Unable to load create_semaphore")
        );
        run.content("buffers", "lacks=vkCreateImage");
    });
}

#[test]
fn objects_begin_with_the_magic_of_the_scenario() {
    let run = Run::new(Path::new(NO_LOADER));
    let kinds = ["VkInstance", "VkPhysicalDevice", "VkDevice", "VkQueue", "VkCommandBuffer"];
    let shown = run.output(&mut run.command_of("first_words", ""));
    assert!(kinds.iter().all(|kind| shown.contains(&format!("{kind} 0x1cdc0de\n"))), "{shown}");
    for kind in kinds {
        let shown = run.output(&mut run.command_of("first_words", &format!("magic={kind}:0xbad")));
        assert!(shown.contains(&format!("{kind} 0xbad\n")), "{shown}");
        assert_eq!(shown.matches("0x1cdc0de").count(), 4, "{shown}");
    }
}

#[test]
fn devices_form_the_groups_of_the_scenario() {
    everywhere(|run| {
        let shown = run.output(&mut run.command_of("groups", "devices=4 groups=1,3"));
        assert!(shown.contains("groups [1, 3]"), "{shown}");
        let shown = run.output(&mut run.command_of("groups", "devices=2"));
        assert!(shown.contains("groups [1, 1]"), "{shown}");
    });
}

#[test]
fn a_queue_keeps_the_last_checkpoints_even_if_the_device_is_lost() {
    everywhere(|run| {
        for queue in ["sync", "async"] {
            let words = "extension=VK_NV_device_diagnostic_checkpoints fails=checkpoint@5";
            run.content("checkpoints", &format!("{words} queue={queue}"));
        }
    });
}

/// Makes a folder that imitates `/dev` and `/sys` of a machine with two GPUs. The nodes are device files that every system has.
fn two_gpus(root: &Path) {
    let gpus =
        [("0000:03:00.0", "0x1002", "amdgpu", "/dev/null"), ("0000:41:00.0", "0x8086", "xe", "/dev/zero")];
    fs::create_dir_all(root.join("dev/dri")).unwrap();
    for (number, (address, vendor, driver, like)) in gpus.into_iter().enumerate() {
        symlink(like, root.join(format!("dev/dri/renderD{}", 128 + number))).unwrap();
        let rdev = fs::metadata(like).unwrap().rdev();
        let device = root.join("sys/devices").join(address);
        fs::create_dir_all(&device).unwrap();
        fs::write(device.join("vendor"), vendor).unwrap();
        fs::write(device.join("device"), "0x744c").unwrap();
        symlink("/nowhere/bus/pci", device.join("subsystem")).unwrap();
        symlink(format!("/nowhere/drivers/{driver}"), device.join("driver")).unwrap();
        let entry = root.join(format!("sys/dev/char/{}:{}", rdev >> 8, rdev & 0xff));
        fs::create_dir_all(&entry).unwrap();
        symlink(device, entry.join("device")).unwrap();
    }
}

#[test]
fn devices_can_be_the_drm_devices_of_the_system() {
    everywhere(|run| {
        let root = run.folder.path().join("root");
        two_gpus(&root);
        let shown = |words: &str| {
            let mut command = run.command_of("nodes", words);
            let shown = run.output(command.env("VKLOAD_DRIVER_DRM_ROOT", &root));
            let mut lines: Vec<_> =
                shown.lines().filter(|line| line.contains("render")).map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        let first = "null amdgpu: 0x1002, has primary 0, render (1, 3), bus 3";
        assert_eq!(shown("devices=drm"), [first, "null xe: 0x8086, has primary 0, render (1, 5), bus 65"]);
        assert_eq!(
            shown("devices=drm vendor=7 name=my")[0],
            first.replace("null", "my").replace("0x1002", "0x7")
        );
    });
}

#[test]
fn a_held_call_goes_on_when_it_is_released() {
    if !exists("mkfifo") {
        return;
    }
    everywhere(|run| {
        let pipe = run.folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let scenario = format!("holds=vkQueueSubmit2@2:{}", pipe.display());
        let mut command = run.command_of("buffers", &scenario);
        let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Opening waits until the driver has opened the other end, in the call.
        let mut release = File::create(&pipe).unwrap();
        assert!(program.try_wait().unwrap().is_none(), "it waits");
        release.write_all(b"!").unwrap();
        let output = program.wait_with_output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains(CONTENT), "{output:?}");
    });
}

#[test]
fn a_scenario_may_be_a_file() {
    let run = Run::new(Path::new(NO_LOADER));
    let path = run.folder.path().join("scenario");
    fs::write(&path, "# two devices\ndevices=2\n  groups=2 # together\n").unwrap();
    let shown = run.output(&mut run.command_of("groups", &format!("@{}", path.display())));
    assert!(shown.contains("groups [2]"), "{shown}");
    let shown = run.failure("groups", "@/nowhere/scenario");
    assert!(shown.contains("VKLOAD_NULL_DRIVER: the file /nowhere/scenario cannot be read"), "{shown}");
}

#[test]
fn a_mistake_in_a_scenario_is_named_once_and_the_driver_refuses() {
    everywhere(|run| {
        let shown = run.failure("buffers", "devices=1 fails=vkCreateDevise");
        let words =
            "vkload null driver: VKLOAD_NULL_DRIVER: `fails=vkCreateDevise`: vkCreateDevise is not a command";
        assert_eq!(shown.matches(words).count(), 1, "{shown}");
        let refused =
            shown.contains("ERROR_INCOMPATIBLE_DRIVER") || shown.contains("ERROR_INITIALIZATION_FAILED");
        assert!(refused, "{shown}");
    });
}

#[test]
fn every_word_is_on_the_page() {
    let page = include_str!("../../../../../docs/null-driver.md");
    let complaint = Scenario::parse("nonsense=1").err().unwrap();
    let keys = complaint.rsplit_once("there are ").unwrap().1;
    for key in keys.split(", ") {
        let has_row = |end| page.contains(&format!("| `{key}{end}"));
        assert!(has_row('=') || has_row('`'), "{key} has no row in docs/null-driver.md");
    }
    let everything = Scenario::parse("extension=all").unwrap().device_extensions.count();
    let row = format!("| device extensions | 0 to {everything}, as requested |");
    assert!(page.contains(&row), "docs/null-driver.md lacks: {row}");
}
