//! Every allocation of every creating command fails once. `docs/rules/drivers.md` has the rules.

use core::ptr::{null, null_mut};
use std::string::String;
use std::vec::Vec;

use ash::vk::{self, Handle};
use vkload_core::registry::{CommandId, command};

use crate::device::Device;
use crate::device::tests::{make, queues};
use crate::dispatch::DispatchTable;
use crate::driver::{Driver, Search, Tables};
use crate::instance::tests::{make_for, make_with};
use crate::object::{Object, ObjectBase, ParentObject};
use crate::physical_device::Description;
use crate::physical_device::tests::{enumerate, with_device};
use crate::testing::{Fail, Ledger, TestDriver, commands, failing, objects, plan, with_memory};

const TABLE: &DispatchTable = <TestDriver as Tables>::TABLE;

type Callbacks = vk::AllocationCallbacks<'static>;

/// Calls `call`, which destroys the objects that it creates, with each of its allocations failing: alone, and with
/// all later ones. Each call must return the right error and leave no memory allocated.
fn each_fails(name: &str, mut call: impl FnMut() -> vk::Result) -> usize {
    let mut count = 0;
    for fail in [Fail::Only as fn(usize) -> Fail, Fail::From] {
        for number in 0.. {
            let (result, reached, left) = failing(fail(number), &mut call);
            assert_eq!(left, 0, "{name}: blocks left after allocation {number} failed");
            if !reached {
                assert_eq!(result, vk::Result::SUCCESS, "{name}");
                count = number;
                break;
            }
            assert_eq!(result, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "{name}: allocation {number}");
        }
    }
    assert!(count > 0, "{name} allocates nothing");
    count
}

fn describe() -> Description {
    let mut known = Description::new(b"x", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
    known.queue_family_count = 1;
    known.queue_families[0].queue_count = 2;
    known
}

/// Tries a command that creates an object of a device or an instance, and the one that destroys it.
fn try_both<P: Copy, I, H: Handle + Copy>(parent: P, create: CommandId, destroy: CommandId, info: &I) {
    type Create<P, I, H> = unsafe extern "system" fn(P, *const I, *const Callbacks, *mut H) -> vk::Result;
    type Destroy<P, H> = unsafe extern "system" fn(P, H, *const Callbacks);
    // SAFETY: the callers name commands of these types, and live handles are passed.
    unsafe {
        let (create_one, destroy_one): (Create<P, I, H>, Destroy<P, H>) =
            (commands::typed(TABLE.get(create)), commands::typed(TABLE.get(destroy)));
        each_fails(create.name().to_str().unwrap(), || {
            let mut handle = H::from_raw(0);
            let result = create_one(parent, info, null(), &mut handle);
            destroy_one(parent, handle, null());
            result
        });
    }
}

unsafe extern "system" fn silent(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    _: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut core::ffi::c_void,
) -> vk::Bool32 {
    vk::FALSE
}

#[test]
fn instances_without_memory() {
    let messenger = || vk::DebugUtilsMessengerCreateInfoEXT::default().pfn_user_callback(Some(silent));
    let (mut first, mut second) = (messenger(), messenger());
    let app = vk::ApplicationInfo::default().application_name(c"a game").engine_name(c"an engine");
    let info =
        vk::InstanceCreateInfo::default().application_info(&app).push_next(&mut first).push_next(&mut second);
    let count = each_fails("vkCreateInstance", || {
        let mut handle = vk::Instance::null();
        // SAFETY: valid structures; created objects are destroyed.
        unsafe {
            let result = commands::create_instance::<TestDriver>()(&info, null(), &mut handle);
            assert_eq!(handle.is_null(), result != vk::Result::SUCCESS);
            commands::destroy_instance::<TestDriver>()(handle, null());
            result
        }
    });
    assert!(count >= 4, "two names, a list of listeners, the instance");
}

#[test]
fn searches_without_memory_are_repeated() {
    each_fails("vkEnumeratePhysicalDevices", || {
        let made = with_memory(|| {
            plan(|plan| plan.searches = std::vec![(3, Ok(Search::Done)), (3, Ok(Search::Done))]);
            make_for(3, &[]).unwrap()
        });
        let mut count = 0;
        let list = commands::enumerate_physical_devices::<TestDriver>();
        // SAFETY: a live handle and a valid pointer.
        let result = unsafe { list(made.0, &mut count, null_mut()) };
        with_memory(|| {
            assert_eq!(enumerate(&made, 3).1, 3);
            drop(made);
            plan(|plan| plan.searches = Vec::new());
        });
        result
    });
}

#[test]
fn devices_without_memory() {
    let (_made, physical) = with_device(describe);
    let wanted = [queues(0, 2)];
    let mut features = vk::PhysicalDeviceVulkan12Features::default();
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&wanted).push_next(&mut features);
    each_fails("vkCreateDevice", || {
        let mut device = vk::Device::null();
        // SAFETY: a live handle and valid structures; created objects are destroyed.
        unsafe {
            let result = commands::create_device::<TestDriver>()(physical, &info, null(), &mut device);
            commands::destroy_device::<TestDriver>()(device, null());
            result
        }
    });
}

#[test]
fn every_command_that_creates_something_without_memory() {
    let mut tested = std::vec![command::CREATE_INSTANCE, command::CREATE_DEVICE];
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let mut timeline =
        vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE).initial_value(3);
    let timeline = vk::SemaphoreCreateInfo::default().push_next(&mut timeline);
    macro_rules! test {
        ($parent:expr; $create:ident, $destroy:ident, $handle:ty, $info:expr) => {{
            tested.push(command::$create);
            try_both::<_, _, $handle>($parent, command::$create, command::$destroy, &$info);
        }};
    }
    test!(made.0; CREATE_FENCE, DESTROY_FENCE, vk::Fence, vk::FenceCreateInfo::default());
    test!(made.0; CREATE_SEMAPHORE, DESTROY_SEMAPHORE, vk::Semaphore, vk::SemaphoreCreateInfo::default());
    test!(made.0; CREATE_SEMAPHORE, DESTROY_SEMAPHORE, vk::Semaphore, timeline);
    test!(made.0; CREATE_PRIVATE_DATA_SLOT, DESTROY_PRIVATE_DATA_SLOT, vk::PrivateDataSlot,
        vk::PrivateDataSlotCreateInfo::default());
    let instance = vk::Instance::from_raw(made.get().root().base().instance_root().base().address());
    let messenger = vk::DebugUtilsMessengerCreateInfoEXT::default().pfn_user_callback(Some(silent));
    // The list of listeners keeps its capacity, so the first creation uses its own instance.
    {
        let fresh = make_for(3, &[]).unwrap();
        let mut kept = vk::DebugUtilsMessengerEXT::null();
        // SAFETY: a live handle and valid pointers.
        unsafe {
            let create = commands::create_messenger::<TestDriver>();
            let (result, reached, left) =
                failing(Fail::Only(0), || create(fresh.0, &messenger, null(), &mut kept));
            assert_eq!((result, reached, left), (vk::Result::ERROR_OUT_OF_HOST_MEMORY, true, 0));
            let warm = with_memory(|| create(instance, &messenger, null(), &mut kept));
            assert_eq!(warm, vk::Result::SUCCESS);
        }
        test!(instance; CREATE_DEBUG_UTILS_MESSENGER_EXT, DESTROY_DEBUG_UTILS_MESSENGER_EXT,
            vk::DebugUtilsMessengerEXT, messenger);
        test!(instance; CREATE_DEBUG_REPORT_CALLBACK_EXT, DESTROY_DEBUG_REPORT_CALLBACK_EXT,
            vk::DebugReportCallbackEXT, vk::DebugReportCallbackCreateInfoEXT::default());
        // SAFETY: as above.
        unsafe { commands::destroy_messenger::<TestDriver>()(instance, kept, null()) };
    }
    let table = DispatchTable::new(&<TestDriver as Tables>::COMMON);
    let untested: Vec<String> = CommandId::all()
        .filter(|command| command.alias_of().is_none() && table.get(*command).is_some())
        .filter(|command| !tested.contains(command))
        .map(|command| command.name().to_str().unwrap().into())
        .filter(|name: &String| name.starts_with("vkCreate") || name.starts_with("vkAllocate"))
        .collect();
    assert_eq!(untested, <[String; 0]>::default());
}

objects!(Buffer: Buffer of Device<TestDriver>,);

#[test]
fn names_and_private_data_without_memory() {
    let made = make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(0, 1)])).unwrap();
    let device = made.0;
    // SAFETY: live handles and valid structures throughout.
    unsafe {
        let name = commands::set_object_name::<TestDriver>();
        let set = commands::set_private_data::<TestDriver>();
        let create = commands::create_private_data_slot::<TestDriver>();
        let destroy = commands::destroy_private_data_slot::<TestDriver>();
        let mut slot = vk::PrivateDataSlot::null();
        let info = vk::PrivateDataSlotCreateInfo::default();
        assert_eq!(create(device, &info, null(), &mut slot), vk::Result::SUCCESS);
        each_fails("vkSetDebugUtilsObjectNameEXT and vkSetPrivateData", || {
            let buffer = with_memory(|| Object::create(made.get(), null(), Buffer)).unwrap().into_handle();
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(buffer).object_name(c"name");
            let mut result = name(device, &info);
            if result == vk::Result::SUCCESS {
                result = set(device, vk::ObjectType::BUFFER, buffer.as_raw(), slot, 9);
            }
            with_memory(|| Object::<Buffer>::destroy(buffer, null()));
            // The object itself was created and destroyed with memory.
            result
        });
        destroy(device, slot, null());
        assert!(ObjectBase::of(device.as_raw()).is_some());
    }
}

#[test]
fn without_callbacks_memory_is_that_of_the_device_or_else_the_instance() {
    let ledger = Ledger::default();
    let callbacks = ledger.callbacks();
    plan(|plan| {
        plan.searches = std::vec![(1, Ok(Search::Done))];
        plan.device = describe;
    });
    let made = make_with(&callbacks);
    let (_, _, physical) = enumerate(&made, 1);
    let mut device = vk::Device::null();
    let of = |scope: vk::SystemAllocationScope| {
        ledger.scopes().iter().filter(|used| **used == scope.as_raw()).count()
    };
    // SAFETY: live handles and valid structures.
    unsafe {
        let wanted = [queues(0, 1)];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&wanted);
        let (result, _, of_the_process) = failing(Fail::From(usize::MAX), || {
            commands::create_device::<TestDriver>()(physical[0], &info, null(), &mut device)
        });
        assert_eq!(result, vk::Result::SUCCESS);
        // The ledger keeps its books, and gets its blocks, in memory of the process.
        assert!(of_the_process > 0 && of(vk::SystemAllocationScope::DEVICE) > 0);
        let before = of(vk::SystemAllocationScope::OBJECT);
        let parent = Device::<TestDriver>::from_handle(device).unwrap();
        let buffer = Object::create(parent, null(), Buffer).unwrap().into_handle();
        assert_eq!(of(vk::SystemAllocationScope::OBJECT), before + 1);
        let mut families = [vk::QueueFamilyProperties::default()];
        commands::get_queue_family_properties::<TestDriver>()(physical[0], &mut 1, families.as_mut_ptr());
        assert_eq!(of(vk::SystemAllocationScope::COMMAND), 1);
        Object::<Buffer>::destroy(buffer, null());
        commands::destroy_device::<TestDriver>()(device, null());
    }
    drop(made);
    assert_eq!(ledger.live_blocks(), 0);
    assert!(!TestDriver::SYNC_TYPES.is_empty());
}
