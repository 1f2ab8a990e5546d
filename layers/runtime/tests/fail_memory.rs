//! The layer that fails calls, and the exports of a layer's library.

use std::ffi::{CStr, CString, c_char, c_void};

use vkload_layer_runtime::vk;
use vkload_tests::programs::{CProgram, Machine, Need, VALIDATION, run};
use vkload_tests::skip_unless;

mod common;
#[path = "../examples/fail_memory.rs"]
mod layer;

#[test]
fn every_third_allocation_fails_with_a_message_to_the_program() {
    skip_unless!(&[Need::Compiler, Need::Distribution]);
    for library in common::LOADERS.map(|library| library()) {
        let (program, machine) =
            (CProgram::compile("failing_memory", &library, &[]), Machine::with_null_driver());
        let mut command = program.command(&machine, &library);
        let _folder = common::install(&mut command, &[common::example("fail_memory")]);
        let output = run(&mut command);
        let message = "fail_memory: an allocation fails\n";
        assert_eq!(output.stdout, format!("0\n0\n{message}-2\n0\n0\n{message}-2\n"), "{output:?}");
        let lines: Vec<_> = output.stderr.lines().collect();
        let line =
            |number| format!("VK_LAYER_EXAMPLE_fail_memory: allocation {number}, of 4096 bytes, fails");
        assert_eq!(lines, [line(3), line(6)]);
    }
}

#[test]
fn a_program_without_messengers_is_not_made_to_call_what_it_has_not_enabled() {
    skip_unless!(&[Need::Compiler, Need::Distribution, Need::Layer(&VALIDATION)]);
    for library in common::LOADERS.map(|library| library()) {
        let (program, machine) =
            (CProgram::compile("failing_memory", &library, &[]), Machine::with_null_driver());
        let mut command = program.command(&machine, &library);
        let layers = [common::example("fail_memory"), common::other(VALIDATION.manifest)];
        let _folder = common::install(&mut command, &layers);
        let output = run(command.arg("silent").env("EXAMPLE_FAIL_MEMORY_EVERY", "4"));
        // Validation would write here.
        assert_eq!(output.stdout, "0\n0\n0\n-2\n0\n0\n", "{output:?}");
    }
}

/// `VkNegotiateLayerInterface`
#[repr(C)]
struct Negotiation {
    s_type: u32,
    next: *const c_void,
    version: u32,
    functions: [*const c_void; 3],
}

fn function(name: &CStr) -> *const c_void {
    let path = common::library_of("fail_memory").into_os_string().into_string().expect("a path in UTF-8");
    let path = CString::new(path).expect("a path");
    // SAFETY: the parameters are strings.
    let (library, function) = unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        assert!(!library.is_null(), "{path:?} does not open");
        (library, libc::dlsym(library, name.as_ptr()))
    };
    assert!(!library.is_null() && !function.is_null(), "{name:?} is not exported");
    function
}

#[test]
fn a_loader_gets_the_newest_version_that_both_have() {
    type Negotiate = unsafe extern "system" fn(*mut Negotiation) -> vk::Result;
    // SAFETY: the function has this type.
    let negotiate: Negotiate =
        unsafe { std::mem::transmute(function(c"vkNegotiateLoaderLayerInterfaceVersion")) };
    for (theirs, agreed) in [(0, 0), (1, 1), (2, 2), (3, 2)] {
        let mut negotiation = Negotiation {
            s_type: 1,
            next: std::ptr::null(),
            version: theirs,
            functions: [std::ptr::null(); 3],
        };
        // SAFETY: the structure is as the layer interface has it.
        let result = unsafe { negotiate(&raw mut negotiation) };
        assert_eq!((result, negotiation.version), (vk::Result::SUCCESS, agreed));
        let expected = agreed == 2;
        assert!(negotiation.functions.iter().all(|function| function.is_null() != expected), "{theirs}");
    }
    // SAFETY: NULL is an error.
    assert_eq!(unsafe { negotiate(std::ptr::null_mut()) }, vk::Result::ERROR_INITIALIZATION_FAILED);
}

#[test]
fn older_loaders_and_androids_find_everything_by_name() {
    for name in [c"vkGetInstanceProcAddr", c"vkGetDeviceProcAddr", c"vk_layerGetPhysicalDeviceProcAddr"] {
        function(name);
    }
    type Layers = unsafe extern "system" fn(*mut u32, *mut vk::LayerProperties) -> vk::Result;
    type Extensions =
        unsafe extern "system" fn(*const c_char, *mut u32, *mut vk::ExtensionProperties) -> vk::Result;
    // SAFETY: the functions have these types, and the parameters are valid.
    unsafe {
        let layers: Layers = std::mem::transmute(function(c"vkEnumerateInstanceLayerProperties"));
        let (mut count, mut layer) = (1, vk::LayerProperties::default());
        assert_eq!(layers(&raw mut count, &raw mut layer), vk::Result::SUCCESS);
        assert_eq!((count, layer.layer_name_as_c_str()), (1, Ok(c"VK_LAYER_EXAMPLE_fail_memory")));
        let extensions: Extensions = std::mem::transmute(function(c"vkEnumerateInstanceExtensionProperties"));
        let name = c"VK_LAYER_EXAMPLE_fail_memory".as_ptr();
        assert_eq!(extensions(name, &raw mut count, std::ptr::null_mut()), vk::Result::SUCCESS);
        assert_eq!(count, 1, "VK_EXT_layer_settings");
        let other = extensions(c"VK_LAYER_other".as_ptr(), &raw mut count, std::ptr::null_mut());
        assert_eq!(other, vk::Result::ERROR_LAYER_NOT_PRESENT);
    }
}
