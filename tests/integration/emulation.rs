//! Instance-level commands on drivers that lack them: emulated with the commands that the drivers have.
use std::ffi::c_void;

use ash::vk;
use vkload_tests::{Ask, Device, Driver, Instance, Run, Scenario, Vk};

const PROPERTIES2: &str = "VK_KHR_get_physical_device_properties2";

/// Returns how a scenario's driver has what VK_KHR_get_physical_device_properties2 has: not at all, as the extension, as Vulkan 1.1.
fn drivers() -> [(&'static str, Driver); 3] {
    let device = Device::new("gpu").id(5, 6).queue_families(3);
    [
        ("not at all", Driver::new("a").api("1.0.0").device(device.clone())),
        ("as the extension", Driver::new("a").api("1.0.0").extension(PROPERTIES2).device(device.clone())),
        ("as core", Driver::new("a").api("1.1.0").device(device)),
    ]
}

/// Runs on each kind of driver, asking for the core commands and for the extension's.
fn everywhere(body: fn(&Vk), check: fn(&Run, &str)) {
    for (how, driver) in drivers() {
        for suffix in ["", "KHR"] {
            let run = Scenario::new()
                .driver(driver.clone())
                .driver(Driver::new("other").extension(PROPERTIES2).device(Device::new("other")))
                .argument("suffix", suffix)
                .run(body);
            run.ok();
            check(&run, &format!("a driver that has it {how}, suffix '{suffix}'"));
        }
    }
}

/// Returns an instance of version 1.1 with the extension, and the device under test.
fn instance(vk: &Vk) -> (Instance<'_>, vk::PhysicalDevice) {
    let instance = vk.create(&Ask::new().api(1, 1).extension(PROPERTIES2)).unwrap();
    let device = instance.named("gpu");
    (instance, device)
}

/// Returns the command with the suffix that the scenario asks for.
///
/// # Safety
/// `F` has to be its type.
unsafe fn command<F: Copy>(vk: &Vk, instance: &Instance<'_>, name: &str) -> F {
    // SAFETY: the caller's.
    unsafe { instance.command(&format!("{name}{}", vk.arg("suffix"))) }
}

/// Returns a structure that no driver knows, to see that it is left alone.
fn stranger() -> [u64; 4] {
    [0x7fff_ff00, 0, 0x5555_5555_5555_5555, 0x6666_6666_6666_6666]
}

/// They belong to device extensions that are not enabled: no device is needed.
#[test]
fn structures_of_device_extensions_reach_drivers() {
    let driver = |name, id| Driver::new(name).device(Device::new(name).id(5, id).pci([0, id, 3, 4]));
    let run = Scenario::new().driver(driver("a", 1)).driver(driver("b", 2)).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        for name in ["a", "b"] {
            let mut bus = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut out = vk::PhysicalDeviceProperties2::default().push_next(&mut bus).push_next(&mut driver);
            unsafe { instance.get_physical_device_properties2(instance.named(name), &mut out) };
            vk.say(name, format_args!("{} {}", bus.pci_bus, driver.driver_id.as_raw()));
        }
    });
    run.ok().says("a", "1 1").says("b", "2 2");
}

#[test]
fn uuids_of_a_driver_that_says_none_are_zero() {
    everywhere(
        |vk| {
            let (instance, device) = instance(vk);
            let mut stranger = stranger();
            let mut id = vk::PhysicalDeviceIDProperties {
                p_next: (&raw mut stranger).cast::<c_void>(),
                device_uuid: [9; 16],
                driver_uuid: [9; 16],
                device_luid_valid: vk::TRUE,
                ..Default::default()
            };
            let mut out = vk::PhysicalDeviceProperties2 {
                p_next: (&raw mut id).cast::<c_void>(),
                ..Default::default()
            };
            // SAFETY: it is this command; the structures are alive.
            unsafe {
                let function: vk::PFN_vkGetPhysicalDeviceProperties2 =
                    command(vk, &instance, "vkGetPhysicalDeviceProperties2");
                function(device, &mut out);
            }
            vk.say("kept", std::ptr::eq(id.p_next, (&raw mut stranger).cast()));
            vk.say("id", format_args!("{} {}", id.device_uuid[15], id.driver_uuid[15]));
            vk.say("local", id.device_luid_valid);
        },
        |run, how| {
            let none = how.contains("not at all");
            assert_eq!(run.said("kept"), "true", "{how}");
            assert_eq!(run.said("id"), if none { "0 0" } else { "1 5" }, "{how}");
            assert!(!none || run.said("local") == "0", "{how}");
        },
    );
}

#[test]
fn image_formats_that_are_not_supported() {
    let driver = Driver::new("a")
        .api("1.0.0")
        .result("vkGetPhysicalDeviceImageFormatProperties", vk::Result::ERROR_FORMAT_NOT_SUPPORTED)
        .device(Device::new("gpu"));
    let run = Scenario::new().driver(driver).driver(Driver::new("b").device(Device::new("b"))).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let info = vk::PhysicalDeviceImageFormatInfo2::default();
        let mut out = vk::ImageFormatProperties2::default();
        let result = unsafe {
            instance.get_physical_device_image_format_properties2(instance.named("gpu"), &info, &mut out)
        };
        vk.say("result", vkload_tests::code(&result));
    });
    run.ok().says("result", "ERROR_FORMAT_NOT_SUPPORTED");
}

#[test]
fn sparse_image_formats() {
    everywhere(
        |vk| {
            let (instance, device) = instance(vk);
            let info = vk::PhysicalDeviceSparseImageFormatInfo2::default().format(vk::Format::R8G8B8A8_UNORM);
            let mut out = [vk::SparseImageFormatProperties2::default(); 3];
            let (mut counted, mut one, mut all) = (0, 1, 3);
            // SAFETY: the type matches the command; the arrays have as many elements as the counts.
            unsafe {
                let function: vk::PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 =
                    command(vk, &instance, "vkGetPhysicalDeviceSparseImageFormatProperties2");
                function(device, &info, &mut counted, std::ptr::null_mut());
                function(device, &info, &mut one, out.as_mut_ptr());
                vk.say("second after one", out[1].properties.image_granularity.width);
                function(device, &info, &mut all, out.as_mut_ptr());
            }
            vk.say("counts", format_args!("{counted} {one} {all}"));
            vk.say("first", out[0].properties.image_granularity.width);
        },
        |run, how| {
            assert_eq!(run.said("counts"), "2 1 2", "{how}");
            assert_eq!(run.said("first"), "37", "{how}");
            assert_eq!(run.said("second after one"), "0", "{how}");
        },
    );
}

/// Features of external buffers, fences and semaphores on the device `lacks`, whose driver has none of it.
#[test]
fn external_capabilities_that_a_driver_lacks_are_none() {
    for suffix in ["", "KHR"] {
        let has = ["buffer", "fence", "semaphore"];
        let extensions = [
            "VK_KHR_external_memory_capabilities",
            "VK_KHR_external_fence_capabilities",
            "VK_KHR_external_semaphore_capabilities",
        ];
        let driver = extensions
            .iter()
            .fold(Driver::new("has").api("1.1.0").device(Device::new("has")), |driver, name| {
                driver.extension(name)
            });
        let run = Scenario::new()
            .driver(driver)
            .driver(Driver::new("lacks").api("1.0.0").device(Device::new("lacks")))
            .argument("suffix", suffix)
            .run(external);
        run.ok();
        for kind in has {
            run.says(&format!("has {kind}"), 3).says(&format!("lacks {kind}"), 0);
        }
    }
}

fn external(vk: &Vk) {
    let ask = Ask::new()
        .api(1, 1)
        .extension("VK_KHR_external_memory_capabilities")
        .extension("VK_KHR_external_fence_capabilities")
        .extension("VK_KHR_external_semaphore_capabilities");
    let instance = vk.create(&ask).unwrap();
    for name in ["has", "lacks"] {
        let device = instance.named(name);
        // Filled with what must not survive.
        let mut buffer = vk::ExternalBufferProperties::default();
        buffer.external_memory_properties.external_memory_features =
            vk::ExternalMemoryFeatureFlags::from_raw(7);
        let mut fence = vk::ExternalFenceProperties {
            external_fence_features: vk::ExternalFenceFeatureFlags::from_raw(7),
            ..Default::default()
        };
        let mut semaphore = vk::ExternalSemaphoreProperties {
            external_semaphore_features: vk::ExternalSemaphoreFeatureFlags::from_raw(7),
            ..Default::default()
        };
        // SAFETY: these are the commands; the structures are alive.
        unsafe {
            let function: vk::PFN_vkGetPhysicalDeviceExternalBufferProperties =
                command(vk, &instance, "vkGetPhysicalDeviceExternalBufferProperties");
            function(device, &vk::PhysicalDeviceExternalBufferInfo::default(), &mut buffer);
            let function: vk::PFN_vkGetPhysicalDeviceExternalFenceProperties =
                command(vk, &instance, "vkGetPhysicalDeviceExternalFenceProperties");
            function(device, &vk::PhysicalDeviceExternalFenceInfo::default(), &mut fence);
            let function: vk::PFN_vkGetPhysicalDeviceExternalSemaphoreProperties =
                command(vk, &instance, "vkGetPhysicalDeviceExternalSemaphoreProperties");
            function(device, &vk::PhysicalDeviceExternalSemaphoreInfo::default(), &mut semaphore);
        }
        let buffer = buffer.external_memory_properties.external_memory_features.as_raw();
        vk.say(&format!("{name} buffer"), buffer);
        vk.say(&format!("{name} fence"), fence.external_fence_features.as_raw());
        vk.say(&format!("{name} semaphore"), semaphore.external_semaphore_features.as_raw());
    }
}

#[test]
fn tools_are_none_where_the_driver_knows_none() {
    let tools = |vk: &Vk| {
        let instance = vk.create(&Ask::new().api(1, 0)).unwrap();
        for name in ["vkGetPhysicalDeviceToolProperties", "vkGetPhysicalDeviceToolPropertiesEXT"] {
            let mut count = 77;
            // SAFETY: both commands have this type.
            let result = unsafe {
                let function: vk::PFN_vkGetPhysicalDeviceToolProperties = instance.command(name);
                function(instance.devices()[0], &mut count, std::ptr::null_mut())
            };
            vk.say(name, format_args!("{result:?} {count}"));
        }
    };
    let run = Scenario::new().driver(Driver::new("a").api("1.0.0").device(Device::new("a"))).run(tools);
    run.ok().says("vkGetPhysicalDeviceToolProperties", "SUCCESS 0");
    run.says("vkGetPhysicalDeviceToolPropertiesEXT", "SUCCESS 0");
    let has = Driver::new("a").api("1.3.0").device(Device::new("a").extension("VK_EXT_tooling_info"));
    let run = Scenario::new().driver(has).run(tools);
    run.ok().says("vkGetPhysicalDeviceToolProperties", "SUCCESS 1");
    run.says("vkGetPhysicalDeviceToolPropertiesEXT", "SUCCESS 1");
}

#[test]
fn features_that_are_chained_reach_a_driver_that_knows_only_the_older_way() {
    for (how, driver) in drivers() {
        let other = Driver::new("other").extension(PROPERTIES2).device(Device::new("other"));
        let run = Scenario::new().driver(driver).driver(other).run(|vk| {
            let (instance, physical_device) = instance(vk);
            let mut chained = vk::PhysicalDeviceFeatures2::default();
            chained.features.inherited_queries = vk::TRUE;
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let own = vk::PhysicalDeviceFeatures::default();
            let plain = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            // The application's own features count.
            for info in [plain.enabled_features(&own), plain.push_next(&mut chained)] {
                unsafe {
                    instance.create_device(physical_device, &info, None).unwrap().destroy_device(None);
                }
            }
        });
        let trace = run.ok().trace("a");
        let told: Vec<_> = trace.calls("vkCreateDevice").iter().map(|call| call.get("features")).collect();
        let expected = if how == "not at all" { "inheritedQueries" } else { "NULL" };
        assert_eq!(told, ["others", expected], "a driver that has it {how}");
    }
}
