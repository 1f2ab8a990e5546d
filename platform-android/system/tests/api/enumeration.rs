//! The lists available before anything is created. Rows 45 to 49.

use std::ffi::{CStr, c_char};
use std::mem::transmute;
use std::ptr::{null, null_mut};

use android_simulation::exported;
use ash::vk;

use super::{System, destroy, physical_device};

/// The exported function of a command, with its type.
macro_rules! function {
    ($name:ident: $type:ident) => {{
        let name = CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()).unwrap();
        let function = exported(name).unwrap();
        // SAFETY: the type is the command's.
        unsafe { transmute::<unsafe extern "system" fn(), vk::$type>(function) }
    }};
}

fn name(array: &[c_char]) -> String {
    // SAFETY: the names are NUL-terminated.
    unsafe { CStr::from_ptr(array.as_ptr()) }.to_str().unwrap().to_owned()
}

fn names(extensions: &[vk::ExtensionProperties]) -> Vec<String> {
    extensions.iter().map(|one| name(&one.extension_name)).collect()
}

fn layers(layers: &[vk::LayerProperties]) -> Vec<String> {
    layers.iter().map(|one| name(&one.layer_name)).collect()
}

impl System {
    fn instance_extensions(&self, layer: Option<&CStr>) -> Result<Vec<String>, vk::Result> {
        // SAFETY: the name is a valid C string.
        unsafe { self.vulkan.enumerate_instance_extension_properties(layer) }.map(|all| names(&all))
    }
}

#[test]
fn extensions_of_the_settings_layers_come_first_and_each_name_once() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DINSTANCE_EXTENSION=\"VK_KHR_surface\""]);
    system.layer("VK_LAYER_two", &["-DINSTANCE_EXTENSION=\"VK_TEST_two\""]);
    system.layer("VK_LAYER_three", &["-DINSTANCE_EXTENSION=\"VK_TEST_three\""]);
    let without = system.instance_extensions(None).unwrap();
    assert!(!without.iter().any(|name| name.starts_with("VK_TEST")));
    let settings = "VK_LAYER_two:VK_LAYER_one";
    system.simulation.android.change().debug_layers = settings.into();
    let with = system.instance_extensions(None).unwrap();
    assert_eq!(with[..2], ["VK_TEST_two", "VK_KHR_surface"]);
    assert_eq!(with.len(), without.len() + 1);
    let all = unsafe { system.vulkan.enumerate_instance_extension_properties(None) }.unwrap();
    assert_eq!(all[1].spec_version, 7, "the layer's");
}

#[test]
fn a_found_layers_extensions_are_listed_whether_it_is_active_or_not() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DINSTANCE_EXTENSION=\"VK_TEST_one\""]);
    system.layer("VK_LAYER_two", &["-DGLOBAL", "-DDEVICE_EXTENSION=\"VK_TEST_two\""]);
    assert_eq!(system.instance_extensions(Some(c"VK_LAYER_one")).unwrap(), ["VK_TEST_one"]);
    assert_eq!(system.instance_extensions(Some(c"VK_LAYER_two")).unwrap(), [""; 0]);
    let absent = Err(vk::Result::ERROR_LAYER_NOT_PRESENT);
    assert_eq!(system.instance_extensions(Some(c"VK_LAYER_absent")), absent);

    let instance = system.instance(&[], &[]).unwrap();
    let enumerate = function!(vkEnumerateDeviceExtensionProperties: PFN_vkEnumerateDeviceExtensionProperties);
    let of_layer = |layer: &CStr| {
        let mut all = [vk::ExtensionProperties::default(); 4];
        let mut count = 4;
        // SAFETY: a valid physical device and name, and a counted out-array.
        match unsafe { enumerate(physical_device(&instance), layer.as_ptr(), &mut count, all.as_mut_ptr()) } {
            vk::Result::SUCCESS => Ok(names(&all[..count as usize])),
            error => Err(error),
        }
    };
    assert_eq!(of_layer(c"VK_LAYER_two").unwrap(), ["VK_TEST_two"]);
    assert_eq!(of_layer(c"VK_LAYER_one").unwrap(), [""; 0]);
    assert_eq!(of_layer(c"VK_LAYER_absent"), absent);
    destroy(instance, None);
}

#[test]
fn a_physical_devices_extensions_come_from_the_chain() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DADD=\"VK_TEST_one\""]);
    let list = |layers: &[&CStr]| {
        let instance = system.instance(layers, &[]).unwrap();
        let all = unsafe { instance.enumerate_device_extension_properties(physical_device(&instance)) };
        destroy(instance, None);
        names(&all.unwrap())
    };
    assert!(!list(&[]).contains(&"VK_TEST_one".to_owned()));
    assert!(list(&[c"VK_LAYER_one"]).contains(&"VK_TEST_one".to_owned()));
}

/// Asks for one element less than exists, and returns the outcome.
fn too_few<T: Default + Clone>(
    all: usize,
    ask: impl Fn(*mut u32, *mut T) -> vk::Result,
) -> (vk::Result, u32) {
    let mut count = 0;
    assert_eq!(ask(&mut count, null_mut()), vk::Result::SUCCESS);
    assert_eq!(count as usize, all);
    count -= 1;
    let mut some = vec![T::default(); all];
    let result = ask(&mut count, some.as_mut_ptr());
    (result, count)
}

#[test]
fn an_array_that_is_too_small_is_filled_and_incomplete() {
    let system = System::new();
    system.layer("VK_LAYER_one", &["-DGLOBAL", "-DDEVICE_EXTENSION=\"VK_TEST_one\""]);
    system.layer("VK_LAYER_two", &["-DGLOBAL", "-DINSTANCE_EXTENSION=\"VK_TEST_two\""]);
    let incomplete = |left: u32| (vk::Result::INCOMPLETE, left);

    let enumerate = function!(vkEnumerateInstanceLayerProperties: PFN_vkEnumerateInstanceLayerProperties);
    assert_eq!(too_few(2, |count, out| unsafe { enumerate(count, out) }), incomplete(1));

    let enumerate =
        function!(vkEnumerateInstanceExtensionProperties: PFN_vkEnumerateInstanceExtensionProperties);
    let all = system.instance_extensions(None).unwrap().len();
    // SAFETY: no name and a counted out-array.
    let any = |count: *mut u32, out: *mut vk::ExtensionProperties| unsafe { enumerate(null(), count, out) };
    assert_eq!(too_few(all, any), incomplete(all as u32 - 1));
    let layer = c"VK_LAYER_two".as_ptr();
    // SAFETY: a valid name and a counted out-array.
    assert_eq!(too_few(1, |count, out| unsafe { enumerate(layer, count, out) }), incomplete(0));

    let instance = system.instance(&[c"VK_LAYER_one", c"VK_LAYER_two"], &[]).unwrap();
    let device = physical_device(&instance);
    let enumerate = function!(vkEnumerateDeviceLayerProperties: PFN_vkEnumerateDeviceLayerProperties);
    // SAFETY: a valid physical device and a counted out-array.
    assert_eq!(too_few(2, |count, out| unsafe { enumerate(device, count, out) }), incomplete(1));
    let enumerate = function!(vkEnumerateDeviceExtensionProperties: PFN_vkEnumerateDeviceExtensionProperties);
    let layer = c"VK_LAYER_one".as_ptr();
    // SAFETY: a valid physical device, a valid name and a counted out-array.
    assert_eq!(too_few(1, |count, out| unsafe { enumerate(device, layer, count, out) }), incomplete(0));
    destroy(instance, None);
}

#[test]
fn the_layers_of_a_device_are_those_of_its_instance() {
    let system = System::new();
    for layer in ["VK_LAYER_one", "VK_LAYER_two", "VK_LAYER_three"] {
        system.layer(layer, &[]);
    }
    system.simulation.android.set("debug.vulkan.layers", "VK_LAYER_three");
    let instance = system.instance(&[c"VK_LAYER_two"], &[]).unwrap();
    let all = unsafe { instance.enumerate_device_layer_properties(physical_device(&instance)) }.unwrap();
    assert_eq!(layers(&all), ["VK_LAYER_three", "VK_LAYER_two"]);
    destroy(instance, None);
}

#[test]
fn layers_of_the_system_image_take_part_and_are_not_listed() {
    let system = System::new();
    system.layer_in("/system/lib64/vulkan", "VK_LAYER_platform", &[]);
    system.layer("VK_LAYER_one", &[]);
    system.simulation.android.set("ro.vulkan.layers.platform", "libVkLayer_VK_LAYER_platform.so");
    let instance = system.instance(&[c"VK_LAYER_one"], &[]).unwrap();
    let names = |told: Vec<String>| -> Vec<String> {
        told.into_iter().filter(|line| line.contains(" vkCreateInstance ")).collect()
    };
    let created =
        ["VK_LAYER_one vkCreateInstance callbacks=0", "VK_LAYER_platform vkCreateInstance callbacks=0"];
    assert_eq!(names(system.noted()), created);
    let of_device =
        unsafe { instance.enumerate_device_layer_properties(physical_device(&instance)) }.unwrap();
    // SAFETY: the command is given memory for its results.
    let of_instance = unsafe { system.vulkan.enumerate_instance_layer_properties() }.unwrap();
    assert_eq!([layers(&of_device), layers(&of_instance)], [["VK_LAYER_one"], ["VK_LAYER_one"]]);
    destroy(instance, None);
}

#[test]
fn what_must_not_be_null_is_named() {
    let system = System::new();
    let version = function!(vkEnumerateInstanceVersion: PFN_vkEnumerateInstanceVersion);
    let layers = function!(vkEnumerateInstanceLayerProperties: PFN_vkEnumerateInstanceLayerProperties);
    let extensions =
        function!(vkEnumerateInstanceExtensionProperties: PFN_vkEnumerateInstanceExtensionProperties);
    let create = function!(vkCreateInstance: PFN_vkCreateInstance);
    let create_device = function!(vkCreateDevice: PFN_vkCreateDevice);
    let of_device = function!(vkEnumerateDeviceLayerProperties: PFN_vkEnumerateDeviceLayerProperties);
    let nothing = vk::PhysicalDevice::null();
    // SAFETY: NULL is not dereferenced.
    let results = unsafe {
        [
            version(null_mut()),
            layers(null_mut(), null_mut()),
            extensions(null(), null_mut(), null_mut()),
            create(null(), null(), null_mut()),
            create(&vk::InstanceCreateInfo::default(), null(), null_mut()),
            create_device(nothing, null(), null(), null_mut()),
            of_device(nothing, null_mut(), null_mut()),
        ]
    };
    assert_eq!(results, [vk::Result::ERROR_INITIALIZATION_FAILED; 7]);
    let parameters = [
        "pApiVersion",
        "pPropertyCount",
        "pPropertyCount",
        "pCreateInfo",
        "pInstance",
        "physicalDevice",
        "physicalDevice",
    ];
    let errors = system.errors();
    assert_eq!(errors.len(), parameters.len());
    for (error, parameter) in errors.iter().zip(parameters) {
        assert!(error.contains(&format!("{parameter} must not be NULL")), "{error}");
    }
}
