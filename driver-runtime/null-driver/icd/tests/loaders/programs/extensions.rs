//! Extensions that the driver has in name, commands and features.

use std::ffi::{CStr, c_char};

use ash::{khr, vk};
use vkload_driver_runtime::registry::{Class, CommandId, ExtensionId, ExtensionKind, find_extension};

use super::{Context, entry};
use crate::run::CONTENT;

const VERSION: u32 = vk::make_api_version(0, 1, 4, 0);

fn known(properties: &[vk::ExtensionProperties]) -> Vec<ExtensionId> {
    let name = |one: &vk::ExtensionProperties| one.extension_name_as_c_str().unwrap().to_bytes().to_vec();
    properties.iter().map(|one| find_extension(&name(one)).unwrap()).collect()
}

/// Every command of every extension is found, each with its extension alone; nothing enabled finds nothing.
#[test]
#[ignore = "run by the other tests"]
fn all_commands() {
    // SAFETY: the driver keeps the specification's promises, and so does this program.
    unsafe {
        let entry = entry();
        let instance_extensions = known(&entry.enumerate_instance_extension_properties(None).unwrap());
        let names: Vec<_> = instance_extensions.iter().map(|id| id.name().as_ptr()).collect();
        let app = vk::ApplicationInfo::default().api_version(VERSION);
        let info = vk::InstanceCreateInfo::default().application_info(&app).enabled_extension_names(&names);
        let instance = entry.create_instance(&info, None).unwrap();
        let physical = instance.enumerate_physical_devices().unwrap()[0];
        let extensions = known(&instance.enumerate_device_extension_properties(physical).unwrap());
        assert!(extensions.contains(&vkload_driver_runtime::registry::extension::KHR_ACCELERATION_STRUCTURE));
        for command in CommandId::all().filter(|id| id.core().is_none()) {
            let of_instance = command.providers().any(|id| instance_extensions.contains(&id));
            let of_device = command.providers().any(|id| extensions.contains(&id));
            let below = !matches!(command.class(), Class::Global | Class::Instance | Class::PhysicalDevice);
            if of_instance || (of_device && !below) {
                let found = entry.get_instance_proc_addr(instance.handle(), command.name().as_ptr());
                assert!(found.is_some(), "{:?}", command.name());
            }
        }
        for id in &extensions {
            let device = device_with(&instance, physical, &[id.name()]);
            for command in CommandId::all().filter(|command| command.core().is_none()) {
                let mut providers = command.providers();
                if providers.any(|provider| provider == *id) && command.class() != Class::PhysicalDevice {
                    let found = instance.get_device_proc_addr(device.handle(), command.name().as_ptr());
                    assert!(found.is_some(), "{:?} of {:?}", command.name(), id.name());
                }
            }
            device.destroy_device(None);
        }
        assert!(extensions.iter().all(|id| id.kind() == ExtensionKind::Device));
        features(&instance, physical);
        instance.destroy_instance(None);
    }
    println!("{CONTENT}");
}

unsafe fn device_with(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    names: &[&CStr],
) -> ash::Device {
    let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
    unsafe { instance.create_device(physical, &info, None).unwrap() }
}

/// Extension structures report their features, and features that the driver lacks remain off.
unsafe fn features(instance: &ash::Instance, physical: vk::PhysicalDevice) {
    let mut structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default();
    let mut meshes = vk::PhysicalDeviceMeshShaderFeaturesEXT::default();
    let mut dynamic = vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut structures)
        .push_next(&mut meshes)
        .push_next(&mut dynamic);
    // SAFETY: a valid chain and a live handle.
    unsafe { instance.get_physical_device_features2(physical, &mut all) };
    assert_eq!(all.features.sparse_binding, vk::FALSE);
    assert_eq!((structures.acceleration_structure, meshes.mesh_shader), (vk::TRUE, vk::TRUE));
    assert_eq!(structures.acceleration_structure_capture_replay, vk::FALSE);
    assert_eq!(dynamic.extended_dynamic_state3_polygon_mode, vk::TRUE);
}

/// Creates an acceleration structure as programs do: sizes, an object, its address, a build that could be deferred.
#[test]
#[ignore = "run by the other tests"]
fn acceleration_structures() {
    let extensions = [
        khr::acceleration_structure::NAME,
        khr::deferred_host_operations::NAME,
        khr::ray_tracing_pipeline::NAME,
    ];
    Context::with(vk::API_VERSION_1_3, &[], &extensions).run(|context, _| unsafe {
        let device = khr::acceleration_structure::Device::new(&context.instance, &context.device);
        let kind = vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL;
        let build = vk::AccelerationStructureBuildGeometryInfoKHR::default().ty(kind);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let host = vk::AccelerationStructureBuildTypeKHR::HOST;
        device.get_acceleration_structure_build_sizes(host, &build, &[], &mut sizes);
        assert!(sizes.acceleration_structure_size > 0 && sizes.build_scratch_size > 0);
        let (buffer, memory) = super::buffer(&context.device, 2 * sizes.acceleration_structure_size);
        let create = |offset| {
            let info = vk::AccelerationStructureCreateInfoKHR::default()
                .buffer(buffer)
                .offset(offset)
                .size(sizes.acceleration_structure_size)
                .ty(kind);
            device.create_acceleration_structure(&info, None).unwrap()
        };
        let both = [create(0), create(sizes.acceleration_structure_size)];
        let [first, second] = both.map(|one| {
            let info = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(one);
            device.get_acceleration_structure_device_address(&info)
        });
        assert!(first != 0 && second != 0 && first != second && first.is_multiple_of(256));
        deferred(context, &device, build.dst_acceleration_structure(both[0]));
        both.into_iter().for_each(|one| device.destroy_acceleration_structure(one, None));
        device.destroy_acceleration_structure(vk::AccelerationStructureKHR::null(), None);
        context.device.destroy_buffer(buffer, None);
        context.device.free_memory(memory, None);
    });
}

/// A build that could be deferred is done at once.
unsafe fn deferred(
    context: &Context,
    device: &khr::acceleration_structure::Device,
    build: vk::AccelerationStructureBuildGeometryInfoKHR<'_>,
) {
    unsafe {
        let operations = khr::deferred_host_operations::Device::new(&context.instance, &context.device);
        let operation = operations.create_deferred_operation(None).unwrap();
        let ranges: &[vk::AccelerationStructureBuildRangeInfoKHR] = &[Default::default()];
        let build_now = device.fp().build_acceleration_structures_khr;
        let of = |operation| build_now(context.device.handle(), operation, 1, &build, &ranges.as_ptr());
        assert_eq!(of(operation), vk::Result::OPERATION_NOT_DEFERRED_KHR);
        assert_eq!(of(vk::DeferredOperationKHR::null()), vk::Result::SUCCESS);
        operations.deferred_operation_join(operation).unwrap();
        operations.get_deferred_operation_result(operation).unwrap();
        operations.destroy_deferred_operation(operation, None);
    }
}
