//! The null driver as a shared library: under our loader, under the distribution's, and without any.
//!
//! The program that uses it runs in processes of its own, since a loader reads its variables once.
use std::env;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ash::{Device, Entry, Instance, vk};
use tempfile::TempDir;

/// Debian's Khronos loader (package libvulkan1).
const DISTRIBUTION: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

/// What the program uses instead of a loader.
const NO_LOADER: &str = "none";

#[test]
fn b77_a_program_gets_the_right_bytes_under_our_loader() {
    with_loader(ours(), |run| run.program());
}

#[test]
fn b77_a_program_gets_the_right_bytes_under_the_distributions_loader() {
    with_loader(distribution(), |run| run.program());
}

#[test]
fn b77_a_program_gets_the_right_bytes_from_the_driver_itself() {
    let run = Run::new(Path::new(NO_LOADER));
    run.program();
}

#[test]
fn b77_interface_version_7_needs_one_exported_function_only() {
    if !exists("cc") {
        return;
    }
    // The distribution's loader is older than interface version 7.
    with_loader(ours(), |run| {
        run.use_library(&shim(run.folder.path()));
        run.program();
    });
}

#[test]
fn vulkaninfo_shows_the_driver() {
    if !exists("vulkaninfo") {
        return;
    }
    for loader in [ours(), distribution()].into_iter().flatten() {
        let run = Run::new(&loader);
        let shown = run.output(
            run.command("vulkaninfo").arg("--summary").env("VKLOAD_NULL_DRIVER", "devices=2 name=gpu"),
        );
        for line in
            ["deviceName         = gpu\n", "deviceName         = gpu 2\n", "conformanceVersion = 0.0.0.0"]
        {
            assert!(shown.contains(line), "{loader:?}: {shown}");
        }
        assert!(run.output(&mut run.command("vulkaninfo")).contains("timelineSemaphore"), "{loader:?}");
    }
}

#[test]
fn ldp_driver_1_a_driver_that_fails_does_not_end_the_program() {
    with_loader(ours(), |run| {
        for scenario in [
            "fails=vkCreateInstance",
            "fails=vkEnumeratePhysicalDevices",
            "fails=vkCreateDevice",
            "devices=0",
        ] {
            let output = run.start(run.command_of_program().env("VKLOAD_NULL_DRIVER", scenario));
            assert_eq!(output.status.code(), Some(101), "{scenario}: {output:?}");
        }
    });
}

#[test]
fn validation_has_nothing_to_say() {
    let layer = Path::new("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json");
    if !layer.exists() {
        println!("skipped: Debian's vulkan-validationlayers is not installed");
        return;
    }
    with_loader(distribution(), |run| {
        let mut command = run.command_of_program();
        let shown = run.output(command.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"));
        assert!(!shown.contains("Validation") && !shown.contains("VUID"), "{shown}");
    });
}

#[test]
fn the_library_exports_what_an_icd_may_and_nothing_else() {
    if !exists("nm") {
        return;
    }
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "--format=just-symbols"])
        .arg(library())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut names: Vec<_> = text.lines().collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "vk_icdGetInstanceProcAddr",
            "vk_icdGetPhysicalDeviceProcAddr",
            "vk_icdNegotiateLoaderICDInterfaceVersion"
        ]
    );
}

/// Not a test: the program that the tests run. It panics where the driver is wrong.
#[test]
#[ignore = "run by the other tests"]
fn program() {
    let path = env::var("TEST_LOADER").unwrap();
    // SAFETY: the loaders and the driver keep the specification's promises, and so does this program.
    unsafe {
        let entry = if path == NO_LOADER { without_loader() } else { Entry::load_from(&path).unwrap() };
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance =
            entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let device = create_device(&instance, physical);
        let bytes = copied(&device);
        assert!(bytes[..16].iter().all(|byte| *byte == 0x5A), "{bytes:?}");
        assert_eq!(bytes[16..24], *b"updated!");
        assert!(bytes[24..].iter().all(|byte| *byte == 0));
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
    println!("the program is content");
}

/// The driver's own function instead of a loader's.
unsafe fn without_loader() -> Entry {
    // SAFETY: the library is a driver; it stays loaded.
    unsafe {
        let file = Box::leak(Box::new(libloading::Library::new(library()).unwrap()));
        let function = file.get::<vk::PFN_vkGetInstanceProcAddr>(b"vk_icdGetInstanceProcAddr").unwrap();
        Entry::from_static_fn(ash::StaticFn { get_instance_proc_addr: *function })
    }
}

unsafe fn create_device(instance: &Instance, physical: vk::PhysicalDevice) -> Device {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0, 1.0])];
    let mut timelines = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    let mut submission = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .push_next(&mut timelines)
        .push_next(&mut submission);
    // SAFETY: valid structures and live handles.
    unsafe {
        let unsupported = vk::PhysicalDeviceFeatures::default().sparse_binding(true);
        if env::var_os("VK_INSTANCE_LAYERS").is_none() {
            let refused = instance.create_device(physical, &info.enabled_features(&unsupported), None);
            assert_eq!(refused.err(), Some(vk::Result::ERROR_FEATURE_NOT_PRESENT));
        }
        instance.create_device(physical, &info.enabled_features(&Default::default()), None).unwrap()
    }
}

/// A buffer with memory of its own.
unsafe fn buffer(device: &Device, size: u64) -> (vk::Buffer, vk::DeviceMemory) {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    // SAFETY: valid structures and live handles.
    unsafe {
        let buffer =
            device.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(usage), None).unwrap();
        let required = device.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::default().allocation_size(required.size);
        let memory = device.allocate_memory(&info, None).unwrap();
        device.bind_buffer_memory(buffer, memory, 0).unwrap();
        (buffer, memory)
    }
}

/// Fills and updates one buffer and copies it to another, on two queues, of which the second is given its work first.
unsafe fn copied(device: &Device) -> Vec<u8> {
    const SIZE: u64 = 64;
    // SAFETY: valid structures and live handles.
    unsafe {
        let (source, target) = (buffer(device, SIZE), buffer(device, SIZE));
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(2);
        let commands = device.allocate_command_buffers(&info).unwrap();
        for commands in &commands {
            device.begin_command_buffer(*commands, &vk::CommandBufferBeginInfo::default()).unwrap();
        }
        device.cmd_fill_buffer(commands[0], source.0, 0, 16, 0x5A5A_5A5A);
        device.cmd_update_buffer(commands[0], source.0, 16, b"updated!");
        device.cmd_copy_buffer(commands[1], source.0, target.0, &[vk::BufferCopy::default().size(SIZE)]);
        for commands in &commands {
            device.end_command_buffer(*commands).unwrap();
        }
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        let line =
            device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None).unwrap();
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
        let point = [vk::SemaphoreSubmitInfo::default()
            .semaphore(line)
            .value(9)
            .stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let work = |index: usize| [vk::CommandBufferSubmitInfo::default().command_buffer(commands[index])];
        let (first, second) = (work(0), work(1));
        let copying = vk::SubmitInfo2::default().command_buffer_infos(&second).wait_semaphore_infos(&point);
        device.queue_submit2(device.get_device_queue(0, 1), &[copying], fence).unwrap();
        assert_eq!(device.wait_for_fences(&[fence], true, 0), Err(vk::Result::TIMEOUT));
        let filling = vk::SubmitInfo2::default().command_buffer_infos(&first).signal_semaphore_infos(&point);
        device.queue_submit2(device.get_device_queue(0, 0), &[filling], vk::Fence::null()).unwrap();
        device.wait_for_fences(&[fence], true, u64::MAX).unwrap();
        device.device_wait_idle().unwrap();
        assert_eq!(device.get_semaphore_counter_value(line), Ok(9));
        let start = device.map_memory(target.1, 0, SIZE, vk::MemoryMapFlags::empty()).unwrap();
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), SIZE as usize).to_vec();
        device.unmap_memory(target.1);
        device.destroy_semaphore(line, None);
        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        for (buffer, memory) in [source, target] {
            device.destroy_buffer(buffer, None);
            device.free_memory(memory, None);
        }
        bytes
    }
}

/// A loader, and a manifest that makes it use the driver.
struct Run {
    loader: PathBuf,
    folder: TempDir,
}

impl Run {
    fn new(loader: &Path) -> Self {
        let run = Self { loader: loader.to_owned(), folder: tempfile::tempdir().unwrap() };
        run.use_library(&library());
        run
    }

    fn use_library(&self, library: &Path) {
        let text = format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
            library.display()
        );
        fs::write(self.folder.path().join("null.json"), text).unwrap();
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let manifest = self.folder.path().join("null.json");
        let mut command = Command::new(program);
        command
            .env("VK_DRIVER_FILES", &manifest)
            .env("VK_ICD_FILENAMES", &manifest)
            .env("VK_LOADER_LAYERS_DISABLE", "~implicit~")
            .env("NODEVICE_SELECT", "1")
            .env("TEST_LOADER", &self.loader)
            .env("LD_LIBRARY_PATH", self.search_path());
        command
    }

    fn command_of_program(&self) -> Command {
        let mut command = self.command(env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "program", "--nocapture"]);
        command
    }

    fn program(&self) {
        let shown = self.output(&mut self.command_of_program());
        assert!(shown.contains("the program is content"), "{:?}: {shown}", self.loader);
    }

    fn start(&self, command: &mut Command) -> Output {
        command.output().unwrap()
    }

    fn output(&self, command: &mut Command) -> String {
        let output = self.start(command);
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {text}", self.loader);
        text
    }

    /// A folder in which the loader has the name that programs look for.
    fn search_path(&self) -> PathBuf {
        let link = self.folder.path().join("libvulkan.so.1");
        if self.loader.exists() && !link.exists() {
            std::os::unix::fs::symlink(&self.loader, link).unwrap();
        }
        self.folder.path().to_owned()
    }
}

fn with_loader(loader: Option<PathBuf>, test: impl FnOnce(&Run)) {
    if let Some(loader) = loader {
        test(&Run::new(&loader));
    }
}

/// The loader of this workspace, if `cargo xtask build` made it.
fn ours() -> Option<PathBuf> {
    let folder = library().parent().unwrap().join("../../release/libvulkan.so.1");
    found(fs::canonicalize(folder).unwrap_or_else(|_| "target/release/libvulkan.so.1".into()))
}

fn distribution() -> Option<PathBuf> {
    found(DISTRIBUTION.into())
}

fn found(path: PathBuf) -> Option<PathBuf> {
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
    }
    path.exists().then_some(path)
}

/// The driver, which cargo puts beside the tests.
fn library() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().join("libvkload_null.so")
}

fn exists(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

/// A library that exports `vk_icdGetInstanceProcAddr` and nothing else.
fn shim(folder: &Path) -> PathBuf {
    const TEXT: &CStr = c"
        #include <dlfcn.h>
        typedef void *(*lookup)(void *, const char *);
        void *vk_icdGetInstanceProcAddr(void *instance, const char *name) {
            static lookup driver;
            if (!driver) driver = (lookup)dlsym(dlopen(DRIVER, RTLD_NOW), \"vk_icdGetInstanceProcAddr\");
            return driver(instance, name);
        }";
    let (source, shim) = (folder.join("shim.c"), folder.join("libshim.so"));
    fs::write(&source, TEXT.to_bytes()).unwrap();
    let define = format!("-DDRIVER=\"{}\"", library().display());
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&shim)
        .arg(define)
        .arg(source)
        .status()
        .unwrap();
    assert!(status.success());
    shim
}
