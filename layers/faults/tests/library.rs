//! The layer, opened as loaders do, on the null driver and on lavapipe.

use std::fs;
use std::process::Command;

use tempfile::TempDir;
use vkload_tests::programs::{CProgram, Library, Machine, Need, Output, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Compiler, Need::Distribution];

struct Faulty {
    folder: TempDir,
    program: CProgram,
    machine: Machine,
    library: Library,
}

impl Faulty {
    fn new(library: Library, machine: Machine) -> Self {
        Self::of(CProgram::compile("planted", &library, &[]), library, machine)
    }

    fn of(program: CProgram, library: Library, machine: Machine) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let tests = std::env::current_exe().expect("the path of this test");
        let layer = tests.with_file_name("libVkLayer_vkload_faults.so");
        assert!(layer.exists(), "there is no {}", layer.display());
        let manifest = include_str!("../VkLayer_vkload_faults.json")
            .replace("./libVkLayer_vkload_faults.so", layer.to_str().expect("a path in UTF-8"));
        fs::write(folder.path().join("layer.json"), manifest).expect("a manifest");
        Self { folder, program, machine, library }
    }

    fn on_null_driver() -> Self {
        Self::new(Library::under_test(), Machine::with_null_driver())
    }

    fn command(&self, mistake: &str, faults: &str) -> Command {
        let mut command = self.program.command(&self.machine, &self.library);
        self.enable(command.arg(mistake), faults);
        command
    }

    fn enable(&self, command: &mut Command, faults: &str) {
        command
            .env("VK_ADD_LAYER_PATH", self.folder.path())
            .env("VK_INSTANCE_LAYERS", "VK_LAYER_VKLOAD_faults")
            .env("VKLOAD_FAULTS", faults);
    }

    fn run(&self, faults: &str) -> Output {
        run(&mut self.command("nothing", faults))
    }
}

/// Checks the first failure that the program prints.
#[track_caller]
fn fails(output: &Output, first: &str) {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let line = output.stdout.lines().find(|line| !line.starts_with("heap")).unwrap_or_default();
    assert!(line.starts_with(first.split(':').next().unwrap()), "{output:?}");
    assert!(line.ends_with(first.rsplit(':').next().unwrap()), "{output:?}");
}

#[test]
fn calls_fail_under_both_loaders_and_drivers() {
    skip_unless!(NEEDS);
    let systems = [
        (Library::under_test(), Machine::with_null_driver()),
        (Library::distribution(), Machine::with_null_driver()),
        (Library::under_test(), Machine::with_default_search()),
    ];
    for (library, machine) in systems {
        let faulty = Faulty::new(library, machine);
        let healthy = faulty.run("");
        assert!(healthy.status.success() && healthy.stdout.ends_with("done\n"), "{healthy:?}");
        for (faults, first) in [
            ("fails=vkCreateInstance:VK_ERROR_INCOMPATIBLE_DRIVER", "vkCreateInstance: -9"),
            (
                "fails=vkEnumeratePhysicalDevices:VK_ERROR_OUT_OF_HOST_MEMORY",
                "vkEnumeratePhysicalDevices: -1",
            ),
            ("fails=vkCreateDevice", "vkCreateDevice: -3"),
            ("fails=vkAllocateMemory>32K:VK_ERROR_OUT_OF_DEVICE_MEMORY", "vkAllocateMemory: -2"),
            ("fails=vkAllocateCommandBuffers:VK_ERROR_OUT_OF_HOST_MEMORY", "vkAllocateCommandBuffers: -1"),
            ("fails=vkEndCommandBuffer@1:VK_ERROR_OUT_OF_DEVICE_MEMORY", "vkEndCommandBuffer: -2"),
            ("fails=vkQueueSubmit:VK_ERROR_DEVICE_LOST", "vkQueueSubmit: -4"),
            ("heap=32K heap=32K:host", "vkAllocateMemory: -2"),
        ] {
            fails(&faulty.run(faults), first);
        }
        for harmless in [
            "fails=vkAllocateMemory@2",
            "fails=vkAllocateMemory>64M",
            "heap=1M",
            "seed=7 fails=vkCreateBuffer%0",
        ] {
            let output = faulty.run(harmless);
            assert!(output.status.success(), "{harmless}: {output:?}");
        }
    }
}

#[test]
fn a_lost_device_stays_lost() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    let log = faulty.folder.path().join("log");
    let faults = format!("fails=vkQueueSubmit@1:VK_ERROR_DEVICE_LOST log={}", log.display());
    fails(&faulty.run(&faults), "vkQueueSubmit: -4");
    let log = fs::read_to_string(log).expect("a log");
    let end: Vec<_> = log.lines().skip_while(|line| !line.starts_with('!')).collect();
    assert_eq!(
        end,
        [
            "! vkQueueSubmit VK_ERROR_DEVICE_LOST",
            "vkQueueSubmit VK_ERROR_DEVICE_LOST",
            "vkDeviceWaitIdle VK_ERROR_DEVICE_LOST"
        ]
    );
}

#[test]
fn a_lost_surface_stays_lost_and_another_one_works() {
    skip_unless!(NEEDS);
    let library = Library::under_test();
    let program = CProgram::compile("surface", &library, &["xcb", "X11"]);
    let faulty = Faulty::of(program, library, Machine::with_null_driver());
    let lost = -1_000_000_000;
    for (faults, expected) in [
        ("fails=vkAcquireNextImageKHR@1:VK_ERROR_SURFACE_LOST_KHR", format!("{lost}\n{lost}\n{lost}\n0\n")),
        ("fails=vkAcquireNextImageKHR@1:VK_ERROR_OUT_OF_DATE_KHR", "-1000001004\n0\n0\n0\n".to_owned()),
    ] {
        let mut command = faulty.command("lost", faults);
        let output = run(command.env("VKLOAD_NULL_DRIVER", "surfaces=driver"));
        assert!(output.status.success() && output.stdout == expected, "{output:?}");
    }
}

#[test]
fn device_extensions_are_missing_in_lists() {
    skip_unless!(&[Need::Program("vulkaninfo"), Need::Lavapipe]);
    let faulty = Faulty::new(Library::under_test(), Machine::with_default_search());
    let lists = |faults| {
        let mut vulkaninfo = faulty.machine.command(&faulty.library, "vulkaninfo");
        faulty.enable(&mut vulkaninfo, faults);
        let output = run(&mut vulkaninfo);
        assert!(output.status.success(), "{output:?}");
        let has = |name: &str| output.stdout.contains(&format!("\t{name} "));
        ["VK_KHR_swapchain", "VK_KHR_maintenance1"].map(has)
    };
    assert_eq!(lists(""), [true, true]);
    assert_eq!(lists("without=VK_KHR_maintenance1"), [true, false]);
}

#[test]
fn success_codes_come_after_the_work_and_others_instead_of_it() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    let incomplete = faulty.run("fails=vkEnumeratePhysicalDevices:VK_INCOMPLETE");
    assert!(incomplete.status.success(), "{incomplete:?}");
    let late = faulty.run("fails=vkWaitForFences@1:VK_TIMEOUT fails=vkGetFenceStatus@1:VK_NOT_READY");
    assert!(late.status.success(), "{late:?}");
    assert!(late.stdout.matches("not yet").count() >= 2, "{late:?}");
}

#[test]
fn objects_can_be_named() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    for (mistake, result) in [("name", "vkBindBufferMemory: -2"), ("nothing", "")] {
        let rule = "fails=vkBindBufferMemory/staging:VK_ERROR_OUT_OF_DEVICE_MEMORY";
        let output = run(&mut faulty.command(mistake, rule));
        match result {
            "" => assert!(output.status.success(), "{output:?}"),
            result => fails(&output, result),
        }
    }
}

#[test]
fn heaps_have_the_limits() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    let output = faulty.run("heap=5M heap=7M:host");
    let heaps: Vec<_> = output.stdout.lines().filter(|line| line.starts_with("heap")).collect();
    assert!(!heaps.is_empty(), "{output:?}");
    for heap in heaps {
        assert!(["heap 5242880", "heap 7340032"].contains(&heap), "{output:?}");
    }
}

#[test]
fn submissions_end_late() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    // Longer than the time-out of the program's wait.
    let output = faulty.run("delay=1500");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.contains("not yet"), "{output:?}");
}

#[test]
fn extensions_and_commands_are_missing() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    let output = run(&mut faulty.command("name", "without=VK_EXT_debug_utils"));
    fails(&output, "vkCreateInstance: -7");
    // The name cannot be set without the command, so that the rule never applies.
    let faults = "lacks=vkSetDebugUtilsObjectNameEXT fails=vkBindBufferMemory/staging";
    let output = run(&mut faulty.command("name", faults));
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_cannot_be_understood_is_named_and_no_instance_is_created() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    let output = faulty.run("fails=vkAllocateMemroy");
    fails(&output, "vkCreateInstance: -3");
    let expected = "VK_LAYER_VKLOAD_faults: VKLOAD_FAULTS: `fails=vkAllocateMemroy`: vkAllocateMemroy is not a command; no instance is created";
    assert_eq!(output.stderr.lines().next(), Some(expected));
}

#[test]
fn objects_that_are_left_are_in_the_log() {
    skip_unless!(NEEDS);
    let faulty = Faulty::on_null_driver();
    for (mistake, left) in [("leak", &["left vkAllocateMemory 1"][..]), ("nothing", &[])] {
        let log = faulty.folder.path().join(mistake);
        let faults = format!("fails=vkBindBufferMemory log={}", log.display());
        fails(&run(&mut faulty.command(mistake, &faults)), "vkBindBufferMemory: -3");
        let log = fs::read_to_string(log).expect("a log");
        let found: Vec<_> = log.lines().filter(|line| line.starts_with("left")).collect();
        assert_eq!(found, left, "{log}");
    }
}
