//! Real work on top of a real loader: Khronos', whose handles begin with words of its own, with
//! Mesa's lavapipe as its driver.

use std::ffi::{CStr, c_void};
use std::path::Path;
use std::sync::Mutex;

use ash::vk;
use ash::{Entry, Instance};
use vkload_tests::programs::{
    Commands, Library, Machine, Need, VALIDATION, compute_on, lavapipe, lavapipe_library, run,
};
use vkload_tests::skip_unless;

use super::{Application, device, entry};

const NEEDS: &[Need] = &[Need::Distribution, Need::Lavapipe, Need::Compiler, Need::Layer(&VALIDATION)];
/// Set in the process that does the work: Khronos' loader reads the environment.
const INSIDE: &str = "VKLOAD_TEST_INSIDE";

static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Runs the test `name` again in an environment in which Khronos' loader finds lavapipe and no
/// layers, and runs the body there.
fn with_lavapipe(name: &str, body: impl FnOnce()) {
    skip_unless!(NEEDS);
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let machine = Machine::with_drivers(&[lavapipe()]);
    let mut command = machine.command(&Library::distribution(), std::env::current_exe().unwrap());
    let said = run(command.env(INSIDE, "1").args(["--exact", name])).success();
    assert!(said.contains("1 passed"), "{said}");
}

/// Returns an application on a system whose loader is Khronos'.
fn application() -> Application {
    let application = Application::new();
    application.android().library("/libvulkan.so", Library::distribution().file());
    application
}

/// Computes on every device, with commands from each source.
fn compute(instance: &Instance, devices: usize) {
    let all = unsafe { instance.enumerate_physical_devices() }.unwrap();
    assert_eq!(all.len(), devices);
    for physical in all {
        for commands in [Commands::OfDevice, Commands::OfInstance(entry::get_instance_proc_addr)] {
            // SAFETY: the instance is alive, and the physical device is one of it.
            unsafe { compute_on(instance, physical, commands) };
        }
    }
}

#[test]
fn a_shader_gives_the_right_values_through_khronos_loader() {
    with_lavapipe("real::a_shader_gives_the_right_values_through_khronos_loader", || {
        let application = application();
        let instance = application.instance(&[]).unwrap();
        compute(&instance, 1);
        unsafe { instance.destroy_instance(None) };
    });
}

#[test]
fn a_shader_gives_the_right_values_through_layers_and_khronos_loader() {
    with_lavapipe("real::a_shader_gives_the_right_values_through_layers_and_khronos_loader", || {
        let application = application();
        let android = application.android();
        android.layer("/libs/libVkLayer_plain.so", &["VK_LAYER_plain"], &[]);
        android.layer("/libs/libVkLayer_new.so", &["VK_LAYER_new"], &["-DNEGOTIATE=2", "-DNO_PLAIN"]);
        application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
        let instance = application.instance(&[c"VK_LAYER_plain", c"VK_LAYER_new"]).unwrap();
        let _ = android.layer_calls();
        compute(&instance, 1);
        let calls = android.layer_calls();
        for layer in ["VK_LAYER_plain", "VK_LAYER_new"] {
            let made = calls.iter().filter(|call| **call == format!("{layer} vkCreateDevice")).count();
            assert_eq!(made, 2, "{calls:?}");
        }
        unsafe { instance.destroy_instance(None) };
    });
}

unsafe extern "system" fn hear(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a complete structure.
    let name = unsafe { CStr::from_ptr((*data).p_message_id_name) };
    SAID.lock().unwrap().push(name.to_str().unwrap().to_owned());
    vk::FALSE
}

/// Returns an instance with the validation layer, which reports errors to [`hear`].
fn validated(vulkan: &Entry) -> (Instance, vk::DebugUtilsMessengerEXT) {
    let extensions = [ash::ext::debug_utils::NAME.as_ptr()];
    let layers = [c"VK_LAYER_KHRONOS_validation".as_ptr()];
    let info =
        vk::InstanceCreateInfo::default().enabled_layer_names(&layers).enabled_extension_names(&extensions);
    let messenger = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(hear));
    unsafe {
        let instance = vulkan.create_instance(&info, None).unwrap();
        let utils = ash::ext::debug_utils::Instance::new(vulkan, &instance);
        let messenger = utils.create_debug_utils_messenger(&messenger, None).unwrap();
        (instance, messenger)
    }
}

#[test]
fn khronos_validation_checks_real_work_from_a_folder_of_the_application() {
    with_lavapipe("real::khronos_validation_checks_real_work_from_a_folder_of_the_application", || {
        let application = application();
        let file = Path::new("/usr/lib/x86_64-linux-gnu").join(VALIDATION.library);
        application.android().library("/libs/libVkLayer_khronos_validation.so", &file);
        application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
        let vulkan = application.vulkan();
        let (instance, messenger) = validated(&vulkan);
        compute(&instance, 1);
        assert_eq!(*SAID.lock().unwrap(), [""; 0]);
        let device = device(&instance);
        // SAFETY: live handles; the layer is to complain about a buffer without bytes.
        unsafe {
            let info = vk::BufferCreateInfo::default().usage(vk::BufferUsageFlags::TRANSFER_DST);
            if let Ok(buffer) = device.create_buffer(&info, None) {
                device.destroy_buffer(buffer, None);
            }
            assert_eq!(*SAID.lock().unwrap(), ["VUID-VkBufferCreateInfo-size-00912"]);
            device.destroy_device(None);
            ash::ext::debug_utils::Instance::new(&vulkan, &instance)
                .destroy_debug_utils_messenger(messenger, None);
            instance.destroy_instance(None);
        }
    });
}

#[test]
fn a_driver_of_the_application_computes_beside_khronos_loader() {
    with_lavapipe("real::a_driver_of_the_application_computes_beside_khronos_loader", || {
        let application = application();
        application.android().library("/own/liblavapipe.so", &lavapipe_library());
        let drivers = r#"{"drivers": [{"name": "system", "system": true}, {"name": "own", "library": "/own/liblavapipe.so"}]}"#;
        application.configure(drivers).unwrap();
        let instance = application.instance(&[]).unwrap();
        compute(&instance, 2);
        unsafe { instance.destroy_instance(None) };
    });
}
