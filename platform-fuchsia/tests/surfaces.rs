//! Surfaces on Fuchsia: image pipes, from drivers and from a layer in their place.

use std::ffi::CStr;
use std::mem::{align_of, offset_of, size_of};
use std::ptr::null;

use crate::as_on_fuchsia::{compiled, null_driver, open, open_layer, said_by};
use ash::{Entry, Instance, fuchsia, khr, vk};
use platform_fuchsia::simulation::{LoaderService, Process, Simulation};

/// The handle of the image pipe; nothing uses the object.
const PIPE: u32 = 77;
const COMMAND: &CStr = c"vkCreateImagePipeSurfaceFUCHSIA";
const LAYER: &CStr = c"VK_LAYER_FUCHSIA_imagepipe_swapchain";

// The layout that every driver and program was compiled with.
const _: () = {
    type Info = vk::ImagePipeSurfaceCreateInfoFUCHSIA<'static>;
    assert!(vk::StructureType::IMAGEPIPE_SURFACE_CREATE_INFO_FUCHSIA.as_raw() == 1_000_214_000);
    assert!(offset_of!(Info, s_type) == 0 && offset_of!(Info, p_next) == 8);
    assert!(offset_of!(Info, flags) == 16 && offset_of!(Info, image_pipe_handle) == 20);
    assert!(size_of::<Info>() == 24 && align_of::<Info>() == 8 && size_of::<vk::zx_handle_t>() == 4);
};

/// Returns a process with the driver of `surfaces/driver.c` in its service, and the driver's name
/// there.
fn with_driver(switches: &[&str]) -> (Process, String) {
    let library = compiled("tests/surfaces/driver.c", switches);
    let name = format!("0-{}", library.file_name().unwrap().to_str().unwrap());
    (Process::new(Simulation::new(Some(LoaderService::new().with_driver(&library))), &[]), name)
}

fn create(entry: &Entry, layers: &[&CStr], extensions: &[&CStr]) -> Result<Instance, vk::Result> {
    let layers: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
    let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let info =
        vk::InstanceCreateInfo::default().enabled_layer_names(&layers).enabled_extension_names(&extensions);
    // SAFETY: the create info is valid, and its names are valid C strings.
    unsafe { entry.create_instance(&info, None) }
}

fn is_known(entry: &Entry, instance: vk::Instance, command: &CStr) -> bool {
    // SAFETY: the instance is live or NULL, and the name is a valid C string.
    unsafe { entry.get_instance_proc_addr(instance, command.as_ptr()) }.is_some()
}

fn create_surface(entry: &Entry, instance: &Instance) -> Result<vk::SurfaceKHR, vk::Result> {
    let commands = fuchsia::imagepipe_surface::Instance::new(entry, instance);
    let info = vk::ImagePipeSurfaceCreateInfoFUCHSIA::default().image_pipe_handle(PIPE);
    let mut surface = vk::SurfaceKHR::null();
    // SAFETY: the create info is valid, the instance is live, and the result is writable.
    let result = unsafe {
        (commands.fp().create_image_pipe_surface_fuchsia)(instance.handle(), &info, null(), &raw mut surface)
    };
    result.result().map(|()| surface)
}

/// Creates a surface, asks the first device whether it can present to it, and destroys it.
fn present(entry: &Entry, instance: &Instance) -> Result<bool, vk::Result> {
    let khr = khr::surface::Instance::new(entry, instance);
    // SAFETY: the instance is live, and the surface is destroyed after its last use.
    unsafe {
        let surface = create_surface(entry, instance)?;
        let device = instance.enumerate_physical_devices()?[0];
        let answer = khr.get_physical_device_surface_support(device, 0, surface);
        khr.destroy_surface(surface, None);
        answer
    }
}

/// Presents to an image pipe with a driver that is built with these options. Returns what the driver did.
fn said_when_presenting(options: &[&str]) -> String {
    let (process, name) = with_driver(options);
    process.run(|entry| {
        let names = [c"VK_KHR_surface", c"VK_FUCHSIA_imagepipe_surface"];
        let instance = create(entry, &[], &names).unwrap();
        assert_eq!(present(entry, &instance), Ok(true));
        // SAFETY: the instance and everything created from it are not used any more.
        unsafe { instance.destroy_instance(None) };
    });
    said_by(process.fuchsia, open(process.fuchsia, name).unwrap())
}

#[test]
fn a_driver_gets_the_loaders_surface_with_fuchsias_number() {
    assert_eq!(said_when_presenting(&[]), "VK_KHR_surface, VK_FUCHSIA_imagepipe_surface, platform 15");
}

#[test]
fn a_driver_with_surfaces_of_its_own_gets_the_image_pipe() {
    let expected = "VK_KHR_surface, VK_FUCHSIA_imagepipe_surface, created for 77, type 1000214000, surface abc, destroyed abc";
    assert_eq!(said_when_presenting(&["-DOWN"]), expected);
}

#[test]
fn without_the_extension_the_command_is_unknown() {
    let (process, name) = with_driver(&["-DOWN"]);
    process.run(|entry| {
        assert!(!is_known(entry, vk::Instance::null(), COMMAND));
        let instance = create(entry, &[], &[c"VK_KHR_surface"]).unwrap();
        assert!(!is_known(entry, instance.handle(), COMMAND));
        // SAFETY: the instance and everything created from it are not used any more.
        unsafe { instance.destroy_instance(None) };
    });
    assert_eq!(said_by(process.fuchsia, open(process.fuchsia, name).unwrap()), "VK_KHR_surface");
}

#[test]
fn surfaces_of_other_systems_are_unknown() {
    let (process, _) = with_driver(&[]);
    process.run(|entry| {
        let instance = create(entry, &[], &[]).unwrap();
        for name in [c"vkCreateXcbSurfaceKHR", c"vkCreateAndroidSurfaceKHR", c"vkCreateWaylandSurfaceKHR"] {
            assert!(!is_known(entry, instance.handle(), name), "{name:?}");
        }
        // SAFETY: the instance and everything created from it are not used any more.
        unsafe { instance.destroy_instance(None) };
        let refused = create(entry, &[], &[c"VK_KHR_xcb_surface"]).err();
        assert_eq!(refused, Some(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    });
}

/// Returns the null driver, and a packaged layer with surfaces, swapchains and a manifest like
/// Fuchsia's.
fn with_layer() -> Process {
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&null_driver())));
    simulation
        .add_library("/pkg/lib/VkLayer_image_pipe_swapchain.so", &compiled("tests/surfaces/layer.c", &[]));
    simulation.add_file(
        "/pkg/data/vulkan/explicit_layer.d/VkLayer_image_pipe_swapchain.json",
        r#"{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_FUCHSIA_imagepipe_swapchain", "type": "GLOBAL",
        "library_path": "VkLayer_image_pipe_swapchain.so", "api_version": "1.0.38", "implementation_version": "2",
        "description": "Swapchains", "disable_environment": {"DISABLE_IMAGEPIPE_SWAPCHAIN_LAYER": "1"},
        "instance_extensions": [{"name": "VK_KHR_surface", "spec_version": "25"},
            {"name": "VK_FUCHSIA_imagepipe_surface", "spec_version": "1"}],
        "device_extensions": [{"name": "VK_KHR_swapchain", "spec_version": "68"}]}}"#,
    );
    Process::new(simulation, &[])
}

fn versions(properties: &[vk::ExtensionProperties]) -> Vec<(&str, u32)> {
    properties
        .iter()
        .map(|it| (it.extension_name_as_c_str().unwrap().to_str().unwrap(), it.spec_version))
        .collect()
}

#[test]
fn a_layer_provides_image_pipes_and_swapchains_instead_of_drivers() {
    let process = with_layer();
    let layer = open_layer(process.fuchsia, "VkLayer_image_pipe_swapchain.so").unwrap();
    process.run(|entry| {
        // SAFETY: the layer name is a valid C string.
        let properties = unsafe { entry.enumerate_instance_extension_properties(Some(LAYER)) }.unwrap();
        assert_eq!(versions(&properties), [("VK_KHR_surface", 25), ("VK_FUCHSIA_imagepipe_surface", 1)]);
        let extensions = [c"VK_KHR_surface", c"VK_FUCHSIA_imagepipe_surface"];
        assert!(create(entry, &[], &extensions).is_err(), "no driver has image pipes");
        let instance = create(entry, &[LAYER], &extensions).unwrap();
        assert_eq!(present(entry, &instance), Ok(true));
        swap(entry, &instance);
        // SAFETY: the instance and everything created from it are not used any more.
        unsafe { instance.destroy_instance(None) };
    });
    assert_eq!(
        said_by(process.fuchsia, layer),
        "surface for 77, surface destroyed, surface for 77, swapchain on the surface, swapchain destroyed, surface destroyed"
    );
}

/// Creates a swapchain on a surface, and destroys everything.
fn swap(entry: &Entry, instance: &Instance) {
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let extensions = [c"VK_KHR_swapchain".as_ptr()];
    let info =
        vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
    // SAFETY: the create infos are valid; every handle is live and destroyed after its last use.
    unsafe {
        let physical_device = instance.enumerate_physical_devices().unwrap()[0];
        let surface = create_surface(entry, instance).unwrap();
        let device = instance.create_device(physical_device, &info, None).unwrap();
        let swapchains = khr::swapchain::Device::new(instance, &device);
        let info = vk::SwapchainCreateInfoKHR::default().surface(surface);
        let swapchain = swapchains.create_swapchain(&info, None).unwrap();
        swapchains.destroy_swapchain(swapchain, None);
        device.destroy_device(None);
        khr::surface::Instance::new(entry, instance).destroy_surface(surface, None);
    }
}
