//! A compute shader through the Rust bindings `ash`, which open our library or have it linked in.
use ash::{Entry, StaticFn, vk};
use vkload_tests::programs::{Commands, Library, Machine, Need, compute_on, lavapipe, lavapipe_copies, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Lavapipe];
/// Set in the process that does the work, which runs with the right environment.
const INSIDE: &str = "VKLOAD_COMPUTE_DEVICES";

#[test]
fn one_driver() {
    in_a_process_of_its_own("one_driver", open, || vec![lavapipe()]);
}

/// The loader is a Rust library in this very program.
#[test]
fn one_driver_linked_in() {
    in_a_process_of_its_own("one_driver_linked_in", linked_in, || vec![lavapipe()]);
}

#[test]
fn three_drivers() {
    let folder = tempfile::tempdir().expect("a folder for drivers");
    in_a_process_of_its_own("three_drivers", open, || lavapipe_copies(folder.path(), 3));
}

/// Runs the test called `name` again, with an environment that only has the drivers given, and there computes on
/// every device: the environment of this process cannot change while other tests run.
fn in_a_process_of_its_own(
    name: &str,
    entry: fn() -> Entry,
    drivers: impl FnOnce() -> Vec<std::path::PathBuf>,
) {
    skip_unless!(NEEDS);
    if let Ok(devices) = std::env::var(INSIDE) {
        compute_everywhere(&entry(), devices.parse().expect("a count of devices"));
        return;
    }
    let drivers = drivers();
    let machine = Machine::with_drivers(&drivers);
    let library = Library::under_test();
    let mut command = machine.command(&library, std::env::current_exe().expect("this program"));
    command.env("VKLOAD_TEST_LIBRARY", library.file()).env(INSIDE, drivers.len().to_string());
    let text = run(command.args(["--exact", &format!("compute::{name}")])).success();
    assert!(text.contains("1 passed"), "{text}");
}

fn open() -> Entry {
    // SAFETY: the library's initialisers run in a process that has just started, on one thread of it.
    unsafe { Entry::load_from(Library::under_test().file()) }.expect("our library opens")
}

fn linked_in() -> Entry {
    let get_instance_proc_addr = vkload_linux::entry::get_instance_proc_addr;
    // SAFETY: the function is vkGetInstanceProcAddr.
    unsafe { Entry::from_static_fn(StaticFn { get_instance_proc_addr }) }
}

fn compute_everywhere(entry: &Entry, expected: usize) {
    let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the create info is complete and lives through the call; so are all those below.
    let instance = unsafe { entry.create_instance(&info, None) }.expect("an instance");
    // SAFETY: the instance is live.
    let devices = unsafe { instance.enumerate_physical_devices() }.expect("devices");
    assert_eq!(devices.len(), expected);
    for device in devices {
        // SAFETY: it is the instance's.
        unsafe { compute_on(&instance, device, Commands::OfDevice) };
    }
    // SAFETY: all that was made from the instance is destroyed.
    unsafe { instance.destroy_instance(None) };
}
