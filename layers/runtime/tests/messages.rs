//! Messages of a layer to a program that creates an instance.

use std::ffi::{CStr, c_void};
use std::sync::Mutex;

use vkload_layer_runtime::commands::CreateInstance;
use vkload_layer_runtime::exported::ExportedLayer as _;
use vkload_layer_runtime::registry::command;
use vkload_layer_runtime::{Call, Intercept, Layer, MessageSeverity, Returned, export, vk};

struct Refusing;

impl Layer for Refusing {
    const NAME: &CStr = c"VK_LAYER_TEST_refusing";
    const DESCRIPTION: &str = "Refuses instances, and gives the reason";
    type Instance = ();
    type Device = ();
}

impl Intercept<CreateInstance> for Refusing {
    fn intercept<'c>(call: Call<'c, Self, CreateInstance>) -> Returned<'c, CreateInstance> {
        call.message(MessageSeverity::Warning, c"refusing", c"no instance today");
        call.fail_or_next(vk::Result::ERROR_INITIALIZATION_FAILED)
    }
}

export!(Refusing: CreateInstance);

type Notes = Mutex<Vec<(u32, String)>>;

unsafe extern "system" fn note(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    notes: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes a valid structure, and the test the notes.
    unsafe {
        let text = (*data).message_as_c_str().expect("a text").to_string_lossy().into_owned();
        (*notes.cast::<Notes>()).lock().expect("no panic").push((severity.as_raw(), text));
    }
    vk::FALSE
}

#[test]
fn messages_reach_the_messengers_in_the_chain_of_a_new_instance() {
    let mut notes = Notes::default();
    let [warnings, errors] =
        [vk::DebugUtilsMessageSeverityFlagsEXT::WARNING, vk::DebugUtilsMessageSeverityFlagsEXT::ERROR];
    let messenger = |severity, notes: *mut Notes| vk::DebugUtilsMessengerCreateInfoEXT {
        message_severity: severity,
        message_type: vk::DebugUtilsMessageTypeFlagsEXT::GENERAL,
        pfn_user_callback: Some(note),
        p_user_data: notes.cast(),
        ..Default::default()
    };
    let mut others = messenger(errors, &raw mut notes);
    let mut listening = messenger(warnings, &raw mut notes);
    let info = vk::InstanceCreateInfo::default().push_next(&mut listening).push_next(&mut others);
    let create = Refusing::function(command::CREATE_INSTANCE).expect("the layer's function");
    // SAFETY: the function is of this command, which gets valid structures.
    let result = unsafe {
        let create: vk::PFN_vkCreateInstance = std::mem::transmute(create);
        create(&raw const info, std::ptr::null(), &mut vk::Instance::null())
    };
    assert_eq!(result, vk::Result::ERROR_INITIALIZATION_FAILED);
    assert_eq!(notes.into_inner().expect("no panic"), [(warnings.as_raw(), "no instance today".to_owned())]);
}
