use core::ffi::CStr;
use std::collections::HashSet;
use std::ffi::CString;
use std::string::String;
use std::vec::Vec;

use super::{
    COMMAND_COUNT, Class, CommandId, DEVICE_SLOTS, EXTENSION_COUNT, ExtensionId, ExtensionKind, FIRST_DEVICE,
    FIRST_INSTANCE, FIRST_PHYSICAL_DEVICE, HEADER_VERSION, INSTANCE_SLOTS, VulkanPlatform, command,
    extension, find, find_extension,
};

/// Variants of `name` with a letter changed, cut or added, at every position.
fn near_misses(name: &[u8]) -> Vec<Vec<u8>> {
    let mut misses = Vec::new();
    for at in 0..name.len() {
        for letter in [b'a', b'Z', b'2', 0xFF] {
            let mut changed = name.to_vec();
            changed[at] = letter;
            misses.push(changed);
        }
        let mut flipped = name.to_vec();
        flipped[at] ^= 1;
        misses.push(flipped);
        let mut cut = name.to_vec();
        cut.remove(at);
        misses.push(cut);
        let mut added = name.to_vec();
        added.insert(at, b'R');
        misses.push(added);
        misses.push(name[..at].to_vec());
    }
    for suffix in ["KHR", "2", "\u{1}", "x"] {
        misses.push([name, suffix.as_bytes()].concat());
    }
    misses.retain(|miss| !miss.contains(&0));
    misses
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn every_command_is_found_by_its_name() {
    let names: HashSet<&CStr> = CommandId::all().map(CommandId::name).collect();
    assert_eq!(names.len(), COMMAND_COUNT);
    for id in CommandId::all() {
        assert!(id.name().to_bytes().starts_with(b"vk"), "{id:?}");
        assert_eq!(find(id.name()), Some(id));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn a_name_that_is_nearly_a_command_is_none() {
    let names: HashSet<&CStr> = CommandId::all().map(CommandId::name).collect();
    for id in CommandId::all() {
        for miss in near_misses(id.name().to_bytes()) {
            let miss = CString::new(miss).unwrap();
            assert_eq!(find(&miss).is_some(), names.contains(miss.as_c_str()), "{miss:?}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn a_name_of_any_length_is_none() {
    for length in 0..400 {
        let name = CString::new(std::vec![b'v'; length]).unwrap();
        assert_eq!(find(&name), None);
        assert_eq!(find_extension(name.to_bytes()), None);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn every_extension_is_found_by_its_name() {
    let names: HashSet<&[u8]> = ExtensionId::all().map(|id| id.name().to_bytes()).collect();
    assert_eq!(names.len(), EXTENSION_COUNT);
    for id in ExtensionId::all() {
        let name = id.name().to_bytes();
        assert!(name.starts_with(b"VK_") && id.spec_version() > 0, "{id:?}");
        assert_eq!(find_extension(name), Some(id));
        for miss in near_misses(name) {
            assert_eq!(find_extension(&miss).is_some(), names.contains(&miss[..]));
        }
    }
}

#[test]
fn groups_follow_each_other() {
    for id in CommandId::all() {
        let group = match id.index() {
            index if index < FIRST_INSTANCE => Class::Global,
            index if index < FIRST_PHYSICAL_DEVICE => Class::Instance,
            index if index < FIRST_DEVICE => Class::PhysicalDevice,
            _ => Class::Device,
        };
        let below_device =
            matches!(id.class(), Class::Queue | Class::CommandBuffer | Class::ExternalComputeQueue);
        assert_eq!(if below_device { Class::Device } else { id.class() }, group, "{:?}", id.name());
    }
    assert_eq!(FIRST_INSTANCE, 5);
}

#[test]
fn inside_a_group_core_versions_come_first() {
    for start in [
        FIRST_INSTANCE..FIRST_PHYSICAL_DEVICE,
        FIRST_PHYSICAL_DEVICE..FIRST_DEVICE,
        FIRST_DEVICE..COMMAND_COUNT,
    ] {
        let cores = start.map(|index| CommandId::new(index as u16).core().unwrap_or(u8::MAX));
        assert!(cores.is_sorted());
    }
}

#[test]
fn slots_are_the_number_less_the_start_of_the_group() {
    for id in CommandId::all() {
        match id.class() {
            Class::Global => assert_eq!((id.instance_slot(), id.device_slot()), (None, None)),
            Class::Instance | Class::PhysicalDevice => {
                assert_eq!((id.instance_slot(), id.device_slot()), (Some(id.index() - FIRST_INSTANCE), None));
                assert_eq!(id.instance_slot().and_then(CommandId::from_instance_slot), Some(id));
            }
            _ => {
                assert_eq!((id.instance_slot(), id.device_slot()), (None, Some(id.index() - FIRST_DEVICE)));
                assert_eq!(id.device_slot().and_then(CommandId::from_device_slot), Some(id));
            }
        }
    }
    assert_eq!(CommandId::from_instance_slot(INSTANCE_SLOTS), None);
    assert_eq!(CommandId::from_device_slot(DEVICE_SLOTS), None);
    assert_eq!(CommandId::from_device_slot(usize::MAX), None);
}

#[test]
fn a_number_beyond_the_table_is_not_a_command() {
    for index in [COMMAND_COUNT as u16, u16::MAX] {
        let id = CommandId::new(index);
        assert_eq!((id.name(), id.instance_slot(), id.device_slot(), id.core()), (c"", None, None, None));
        assert_eq!((id.alias_of(), id.providers().count()), (None, 0));
    }
    assert_eq!(ExtensionId::new(u16::MAX).name(), c"");
}

#[test]
#[cfg_attr(miri, ignore = "takes long")]
fn every_command_is_core_or_has_an_extension_for_one_platform() {
    for id in CommandId::all() {
        let extensions: Vec<_> = id.providers().collect();
        assert!(id.core().is_some() == extensions.is_empty(), "{:?}", id.name());
        assert!(
            extensions.iter().all(|extension| extension.platform() == id.window_system()),
            "{:?}",
            id.name()
        );
    }
}

#[test]
fn an_alias_is_another_command_of_the_same_class() {
    let aliases = CommandId::all().filter_map(|id| Some((id, id.alias_of()?)));
    for (id, of) in aliases {
        assert_ne!(id, of);
        assert_eq!((id.class(), of.alias_of()), (of.class(), None), "{:?}", id.name());
    }
    assert_eq!(command::CMD_PUSH_DESCRIPTOR_SET_KHR.alias_of(), Some(command::CMD_PUSH_DESCRIPTOR_SET));
    assert_eq!(command::CMD_DRAW.alias_of(), None);
}

#[test]
fn facts_of_the_registry() {
    assert_eq!(HEADER_VERSION, 0x0040_416e);
    let fact = |name: &CStr| find(name).map(|id| (id.class(), id.core()));
    assert_eq!(fact(c"vkGetInstanceProcAddr"), Some((Class::Global, Some(0))));
    assert_eq!(fact(c"vkEnumerateInstanceVersion"), Some((Class::Global, Some(1))));
    assert_eq!(fact(c"vkGetDeviceProcAddr"), Some((Class::Device, Some(0))));
    assert_eq!(fact(c"vkCmdDraw"), Some((Class::CommandBuffer, Some(0))));
    assert_eq!(fact(c"vkQueueSubmit2"), Some((Class::Queue, Some(3))));
    assert_eq!(fact(c"vkGetPhysicalDeviceFeatures2"), Some((Class::PhysicalDevice, Some(1))));
    assert_eq!(fact(c"vkGetPhysicalDeviceFeatures2KHR"), Some((Class::PhysicalDevice, None)));
    assert_eq!(fact(c"vkCmdPushDescriptorSet"), Some((Class::CommandBuffer, Some(4))));
    // Commands of Vulkan SC only, and of an extension that is not supported.
    assert_eq!((fact(c"vkGetFaultData"), fact(c"vkGetSwapchainGrallocUsageANDROID")), (None, None));
    assert_eq!(command::CREATE_XCB_SURFACE_KHR.window_system(), VulkanPlatform::Xcb);
    assert_eq!(command::CREATE_HEADLESS_SURFACE_EXT.window_system(), VulkanPlatform::None);
}

#[test]
fn facts_of_extensions() {
    assert_eq!(extension::KHR_SURFACE.kind(), ExtensionKind::Instance);
    assert_eq!(extension::KHR_SURFACE.spec_version(), 25);
    assert_eq!(extension::KHR_SWAPCHAIN.kind(), ExtensionKind::Device);
    assert_eq!(extension::EXT_ACQUIRE_XLIB_DISPLAY.platform(), VulkanPlatform::XlibXrandr);
    assert_eq!(find_extension(b"VK_ANDROID_native_buffer"), None);
}

#[test]
fn a_device_extension_without_commands_is_for_drivers_alone() {
    assert!(find_extension(b"VK_KHR_maintenance5").is_some(), "its commands are dispatched");
    assert!(find_extension(b"VK_KHR_swapchain_mutable_format").is_some(), "Android's loader provides it");
    assert!(find_extension(b"VK_KHR_portability_enumeration").is_some(), "an instance extension");
    let found = find_extension(b"VK_KHR_shader_float16_int8").is_some();
    assert_eq!(found, cfg!(feature = "every-extension"));
}

#[test]
fn a_command_may_come_with_either_of_two_extensions() {
    let providers: Vec<_> = command::GET_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR.providers().collect();
    assert_eq!(providers, [extension::KHR_SWAPCHAIN, extension::KHR_DEVICE_GROUP]);
}

#[test]
fn constants_are_named_after_their_command() {
    let plain = |text: &str| text.replace('_', "").to_ascii_uppercase();
    let constants = [
        ("CREATE_WIN32_SURFACE_KHR", command::CREATE_WIN32_SURFACE_KHR),
        ("CREATE_IOS_SURFACE_MVK", command::CREATE_IOS_SURFACE_MVK),
        ("GET_RANDR_OUTPUT_DISPLAY_EXT", command::GET_RANDR_OUTPUT_DISPLAY_EXT),
    ];
    for (constant, id) in constants {
        let name = String::from(id.name().to_str().unwrap());
        assert_eq!(plain(constant), plain(&name[2..]));
    }
}
