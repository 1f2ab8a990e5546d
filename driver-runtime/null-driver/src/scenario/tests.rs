//! Scenarios as tests write them.

use vkload_driver_runtime::registry::extension;

use super::*;

fn wrong(text: &str) -> String {
    Scenario::parse(text).err().unwrap_or_default()
}

#[test]
fn a_scenario_is_words_with_values() {
    let text = "api=1.2 devices=3 groups=2,1 # the last one stands alone\n name=gpu interface=5
        extension=VK_KHR_surface without=VK_KHR_device_group_creation surfaces=loader magic=VkQueue:0x17";
    let scenario = Scenario::parse(text).unwrap();
    assert_eq!((scenario.api_version, scenario.devices), (vk::API_VERSION_1_2, 3));
    assert_eq!((scenario.interface, scenario.name.as_str()), (5, "gpu"));
    assert_eq!(scenario.groups, [2, 1]);
    assert!(scenario.instance_extensions.contains(extension::KHR_SURFACE));
    assert!(!scenario.instance_extensions.contains(extension::KHR_DEVICE_GROUP_CREATION));
    assert!(scenario.device_extensions.contains(extension::KHR_SWAPCHAIN));
    assert_eq!(scenario.surfaces, Surfaces::Loader);
    assert_eq!(scenario.magic(vk::ObjectType::QUEUE), Some(0x17));
    assert_eq!(scenario.magic(vk::ObjectType::DEVICE), None);
}

#[test]
fn quotes_keep_spaces_and_number_signs() {
    let scenario =
        Scenario::parse("devices=2 name=\"my #1 gpu\" # the \"second\"\n \"interface=5\"").unwrap();
    assert_eq!((scenario.devices, scenario.interface), (2, 5));
    assert_eq!(scenario.name, "my #1 gpu");
}

#[test]
fn a_clock_goes_by_its_readings_only() {
    let scenario = Scenario::parse("clock=100").unwrap();
    assert_eq!([(); 3].map(|()| scenario.now()), [100, 200, 300]);
}

#[test]
fn the_first_family_of_queues_replaces_the_default() {
    let scenario = Scenario::parse("queues=graphics+compute:2 queues=transfer:1").unwrap();
    let mut device = crate::description::bare(vk::API_VERSION_1_3);
    scenario.identity.write(&mut device);
    let families: std::vec::Vec<_> =
        device.families().iter().map(|family| (family.queue_flags.as_raw(), family.queue_count)).collect();
    assert_eq!(families, [(3, 2), (4, 1)]);
}

#[test]
fn every_mistake_is_named() {
    let rows = [
        ("devices", "`devices`: a word is KEY=VALUE"),
        ("gadget=1", "there is no `gadget`; there are api, interface"),
        ("api=1", "MAJOR.MINOR"),
        ("devices=many", "a number up to 64"),
        ("interface=8", "a number up to 7"),
        ("devices=3 groups=1,1", "the groups have 2 devices, but there are 3"),
        ("extension=VK_XYZ_nothing", "VK_XYZ_nothing is not an extension"),
        ("fails=vkCmdDraw", "vkCmdDraw returns no result"),
        ("magic=VkBuffer:0", "VkBuffer objects have no magic"),
        ("magic=VkQueue:x", "x is not a number"),
        ("surfaces=mine", "none, loader or driver"),
        (
            "extension=VK_NV_memory_decompression",
            "VK_NV_memory_decompression has no effect in this driver: add claims=all",
        ),
        ("claims=some", "claims are effective or all"),
        ("queues=graphics", "a family is USES:COUNT"),
        ("queues=compute:65", "a family is USES:COUNT"),
        ("queues=compute+video:1", "queues are for graphics"),
        ("log=/nowhere/calls", "/nowhere/calls cannot be written"),
        ("clock=fast", "a number up to"),
        ("name=\"my gpu", "`name=\"my gpu`: a quote has no end"),
    ];
    for (text, expected) in rows {
        assert!(wrong(text).contains(expected), "{text}: {}", wrong(text));
    }
}

#[test]
fn extensions_bring_their_dependencies() {
    let scenario = Scenario::parse("extension=VK_KHR_swapchain").unwrap();
    assert!(scenario.instance_extensions.contains(extension::KHR_SURFACE));
    assert_eq!(scenario.surfaces, Surfaces::Loader);
    let scenario = Scenario::parse("without=VK_KHR_surface extension=VK_KHR_swapchain").unwrap();
    assert!(!scenario.instance_extensions.contains(extension::KHR_SURFACE));
    let scenario = Scenario::parse("extension=all without=VK_KHR_ray_query").unwrap();
    assert!(scenario.device_extensions.contains(extension::KHR_RAY_TRACING_PIPELINE));
    assert!(!scenario.device_extensions.contains(extension::KHR_RAY_QUERY));
    let scenario = Scenario::parse("claims=all extension=VK_NV_memory_decompression").unwrap();
    assert!(scenario.device_extensions.contains(extension::NV_MEMORY_DECOMPRESSION));
    let shown = wrong("api=1.0 extension=VK_KHR_spirv_1_4");
    assert!(shown.contains("VK_KHR_spirv_1_4 needs Vulkan 1.1: add api=1.1"), "{shown}");
}

#[test]
fn commands_of_extensions_can_fail_or_wait() {
    let rules = [
        "fails=vkCreateAccelerationStructureKHR",
        "holds=vkGetMicromapBuildSizesEXT:/pipe",
        "fails=submission",
    ];
    for rule in rules {
        assert!(Scenario::parse(rule).is_ok(), "{rule}");
    }
}
