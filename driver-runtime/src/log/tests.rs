//! Messages as an application receives them. `docs/rules/drivers.md` has the rules.

use core::ffi::c_void;
use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};
use std::string::{String, ToString};
use std::sync::Mutex;
use std::thread;
use std::vec::Vec;

use ash::vk::{self, Handle};

use super::{Label, Level, Topic, failed};
use crate::device::tests::{make, queues};
use crate::instance::tests::Made;
use crate::message;
use crate::object::{Object, ObjectBase, Owned, ParentObject};
use crate::out_array::list;
use crate::physical_device::tests::{enumerate, with_device};
use crate::physical_device::{Description, Physical};
use crate::result::CreateDeviceError;
use crate::testing::{Held, Ledger, TestDevice, TestDriver, commands, live_devices, objects, plan};

type Severity = vk::DebugUtilsMessageSeverityFlagsEXT;
type Types = vk::DebugUtilsMessageTypeFlagsEXT;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heard {
    pub(crate) severity: u32,
    types: u32,
    id: String,
    pub(crate) text: String,
    objects: Vec<(i32, u64, Option<String>)>,
    queue_labels: Vec<(String, [f32; 4])>,
    command_labels: Vec<(String, [f32; 4])>,
    devices_alive: i32,
}

#[derive(Default)]
pub(crate) struct Ear(Mutex<Vec<Heard>>);

impl Ear {
    pub(crate) fn info(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        self.info_for(Severity::from_raw(0x1111), Types::from_raw(7))
    }

    fn info_for(&self, severity: Severity, types: Types) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(severity)
            .message_type(types)
            .pfn_user_callback(Some(hear))
            .user_data(core::ptr::from_ref(self).cast_mut().cast())
    }

    pub(crate) fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.take().into_iter().map(|heard| heard.text).collect()
    }
}

fn string(text: *const c_char) -> String {
    // SAFETY: callbacks receive valid strings.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_string()
}

unsafe extern "system" fn hear(
    severity: Severity,
    types: Types,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the user data is an ear, and the data is valid for a callback.
    let (data, ear) = unsafe { (&*data, &*user.cast::<Ear>()) };
    let labels = |first: *const vk::DebugUtilsLabelEXT<'_>, count| {
        // SAFETY: counted arrays, NULL if empty.
        let labels = unsafe { list(first, count) }.iter();
        labels.map(|label| (string(label.p_label_name), label.color)).collect::<Vec<_>>()
    };
    // SAFETY: a counted array.
    let named = unsafe { list(data.p_objects, data.object_count) };
    let name = |name: *const c_char| (!name.is_null()).then(|| string(name));
    ear.0.lock().unwrap().push(Heard {
        severity: severity.as_raw(),
        types: types.as_raw(),
        id: string(data.p_message_id_name),
        text: string(data.p_message),
        objects: named
            .iter()
            .map(|info| (info.object_type.as_raw(), info.object_handle, name(info.p_object_name)))
            .collect(),
        queue_labels: labels(data.p_queue_labels, data.queue_label_count),
        command_labels: labels(data.p_cmd_buf_labels, data.cmd_buf_label_count),
        devices_alive: live_devices(),
    });
    vk::FALSE
}

pub(crate) fn add(
    instance: vk::Instance,
    info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>,
) -> vk::DebugUtilsMessengerEXT {
    add_in(instance, info, null())
}

fn add_in(
    instance: vk::Instance,
    info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
) -> vk::DebugUtilsMessengerEXT {
    let mut messenger = vk::DebugUtilsMessengerEXT::null();
    // SAFETY: a live handle and valid pointers.
    let result =
        unsafe { commands::create_messenger::<TestDriver>()(instance, info, callbacks, &mut messenger) };
    assert_eq!(result, vk::Result::SUCCESS);
    messenger
}

pub(crate) fn remove(instance: vk::Instance, messenger: vk::DebugUtilsMessengerEXT) {
    // SAFETY: live handles.
    unsafe { commands::destroy_messenger::<TestDriver>()(instance, messenger, null()) };
}

fn describe() -> Description {
    let mut known = Description::new(b"x", vk::API_VERSION_1_2, vk::PhysicalDeviceType::CPU);
    known.queue_family_count = 1;
    known.queue_families[0].queue_count = 1;
    known
}

fn send(base: &ObjectBase, text: &str) {
    message!(Level::Warning, Topic::Driver, [base], "{text}");
}

fn base_of<'a>(instance: vk::Instance) -> &'a ObjectBase {
    // SAFETY: the tests use live handles.
    unsafe { ObjectBase::of(instance.as_raw()) }.unwrap()
}

#[test]
fn chained_messengers_receive_creation_and_destruction() {
    let (chained, late) = (Ear::default(), Ear::default());
    let mut info = chained.info();
    let wrong = [c"VK_XYZ_unheard_of".as_ptr()];
    let create_info = vk::InstanceCreateInfo::default().enabled_extension_names(&wrong).push_next(&mut info);
    let mut instance = vk::Instance::null();
    // SAFETY: valid structures; the ears live longer than the instances.
    unsafe {
        let result = commands::create_instance::<TestDriver>()(&create_info, null(), &mut instance);
        assert_eq!(result, vk::Result::ERROR_EXTENSION_NOT_PRESENT);
        let heard = chained.take();
        assert_eq!((heard.len(), heard[0].severity, &heard[0].objects), (1, 0x100, &Vec::new()));
        assert!(heard[0].text.contains("VK_XYZ_unheard_of (VK_ERROR_EXTENSION_NOT_PRESENT)"), "{heard:?}");
        let create_info = vk::InstanceCreateInfo { enabled_extension_count: 0, ..create_info };
        let result = commands::create_instance::<TestDriver>()(&create_info, null(), &mut instance);
        assert_eq!(result, vk::Result::SUCCESS);
        plan(|plan| plan.searches = std::vec![(2, Ok(crate::driver::Search::Done))]);
        let mut count = 0;
        let list = commands::enumerate_physical_devices::<TestDriver>();
        assert_eq!(list(instance, &mut count, null_mut()), vk::Result::SUCCESS);
        let messenger = add(instance, &late.info());
        send(base_of(instance), "in between");
        assert_eq!((chained.texts(), late.texts()), (Vec::new(), std::vec!["in between".to_string()]));
        remove(instance, messenger);
        // Remaining objects are reported while the instance is destroyed, after its physical devices.
        let memory = Ledger::default();
        let deaf = Ear::default().info_for(Severity::empty(), Types::empty());
        let left = add_in(instance, &deaf, &memory.callbacks());
        assert_eq!(live_devices(), 2);
        commands::destroy_instance::<TestDriver>()(instance, null());
        let heard = chained.take();
        assert_eq!((heard.len(), heard[0].severity, heard[0].devices_alive), (1, 0x1000, 0));
        assert!(heard[0].text.contains("VUID-vkDestroyInstance-instance-00629"), "{heard:?}");
        assert!(!left.is_null() && late.take().is_empty());
        assert_eq!(memory.free_rest(), 1);
    }
}

/// Creates an instance with one physical device and a listener for all messages from here on.
fn listen(ear: &Ear) -> (Made, vk::PhysicalDevice, vk::DebugUtilsMessengerEXT) {
    let (made, physical) = with_device(describe);
    let messenger = add(made.0, &ear.info());
    (made, physical, messenger)
}

fn refused(physical: vk::PhysicalDevice, info: &vk::DeviceCreateInfo<'_>) -> vk::Result {
    let mut device = vk::Device::null();
    // SAFETY: a live handle; the chain is valid but for loops.
    let result = unsafe { commands::create_device::<TestDriver>()(physical, info, null(), &mut device) };
    if result == vk::Result::SUCCESS {
        // SAFETY: the handle is live and no longer in use.
        unsafe { commands::destroy_device::<TestDriver>()(device, null()) };
    }
    result
}

#[test]
fn messages_say_why_a_device_is_not_created() {
    let ear = Ear::default();
    let (made, physical, messenger) = listen(&ear);
    let says = |result: vk::Result, info: &vk::DeviceCreateInfo<'_>, part: &str| {
        assert_eq!(refused(physical, info), result);
        let heard = ear.take();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert!(heard[0].text.contains(part), "{heard:?}");
        let object = if result == vk::Result::ERROR_EXTENSION_NOT_PRESENT {
            (vk::ObjectType::INSTANCE.as_raw(), made.0.as_raw(), None)
        } else {
            (vk::ObjectType::PHYSICAL_DEVICE.as_raw(), physical.as_raw(), None)
        };
        assert_eq!(heard[0].objects, [object]);
        assert!(heard[0].id.contains("device.rs:"));
    };
    let name = [c"VK_EXT_mesh_shader".as_ptr()];
    let info = vk::DeviceCreateInfo::default();
    says(
        vk::Result::ERROR_EXTENSION_NOT_PRESENT,
        &info.enabled_extension_names(&name),
        "VK_EXT_mesh_shader (",
    );
    let wide = vk::PhysicalDeviceFeatures::default().wide_lines(true);
    let part = "VkPhysicalDeviceFeatures.wideLines (VK_ERROR_FEATURE_NOT_PRESENT)";
    says(vk::Result::ERROR_FEATURE_NOT_PRESENT, &info.enabled_features(&wide), part);
    let mut timeline = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    let part = "VkPhysicalDeviceTimelineSemaphoreFeatures.timelineSemaphore";
    says(vk::Result::ERROR_FEATURE_NOT_PRESENT, &info.push_next(&mut timeline), part);
    let two = [queues(0, 2)];
    let part = "2 queues are requested from family 0, which has 1";
    says(vk::Result::ERROR_INITIALIZATION_FAILED, &info.queue_create_infos(&two), part);
    plan(|plan| plan.create_device = Err(CreateDeviceError::TooManyObjects));
    says(vk::Result::ERROR_TOO_MANY_OBJECTS, &info, "the driver failed (VK_ERROR_TOO_MANY_OBJECTS)");
    plan(|plan| plan.create_device = Ok(()));
    let (mut first, mut second) = (
        vk::PhysicalDevice16BitStorageFeatures::default(),
        vk::PhysicalDevice16BitStorageFeatures::default(),
    );
    says(
        vk::Result::SUCCESS,
        &info.push_next(&mut first).push_next(&mut second),
        "VkPhysicalDevice16BitStorageFeatures is in the pNext chain more than once",
    );
    let mut round = vk::PhysicalDevice16BitStorageFeatures::default();
    round.p_next = (&raw mut round).cast();
    let looped = vk::DeviceCreateInfo { p_next: (&raw const round).cast(), ..info };
    assert_eq!(refused(physical, &looped), vk::Result::ERROR_INITIALIZATION_FAILED);
    assert!(ear.texts().last().unwrap().contains("leads back into itself"));
    remove(made.0, messenger);
}

#[test]
fn a_loss_is_logged_once_under_threads() {
    let ear = Ear::default();
    let made = make(&vk::DeviceCreateInfo::default()).unwrap();
    let instance = vk::Instance::from_raw(made.get().root().base().instance_root().base().address());
    let messenger = add(instance, &ear.info());
    let device = made.get();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| device.set_lost("the fan fell off"));
        }
    });
    let heard = ear.take();
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0].severity, heard[0].text.as_str()), (0x1000, "the device is lost: the fan fell off"));
    assert_eq!(heard[0].objects[0].1, made.0.as_raw());
    remove(instance, messenger);
}

#[test]
fn each_messenger_receives_the_types_that_it_enabled() {
    let (errors, slow, all) = (Ear::default(), Ear::default(), Ear::default());
    let (made, _, everything) = listen(&all);
    let first = add(made.0, &errors.info_for(Severity::ERROR, Types::from_raw(7)));
    let second = add(made.0, &slow.info_for(Severity::from_raw(0x1111), Types::PERFORMANCE));
    let levels = [Level::Debug, Level::Info, Level::Warning, Level::Error];
    let topics = [Topic::Driver, Topic::Performance, Topic::Usage];
    let say = || {
        for level in levels {
            for topic in topics {
                message!(level, topic, [base_of(made.0)], "{level:?} {topic:?}");
            }
        }
    };
    say();
    assert_eq!(errors.texts(), ["Error Driver", "Error Performance", "Error Usage"]);
    assert_eq!(
        slow.texts(),
        ["Debug Performance", "Info Performance", "Warning Performance", "Error Performance"]
    );
    let heard = all.take();
    assert_eq!(heard.len(), 12);
    assert_eq!((heard[0].severity, heard[0].types), (0x1, 1));
    assert_eq!((heard[7].severity, heard[7].types), (0x100, 4));
    assert_eq!((heard[11].severity, heard[11].types), (0x1000, 3));
    remove(made.0, first);
    say();
    assert_eq!((errors.take().len(), slow.take().len(), all.take().len()), (0, 4, 12));
    remove(made.0, second);
    remove(made.0, vk::DebugUtilsMessengerEXT::null());
    remove(made.0, everything);
    say();
    assert_eq!(all.take().len(), 0);
}

/// Logs, and makes and destroys messengers, while it is called.
unsafe extern "system" fn calls_back(
    _: Severity,
    _: Types,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the user data is the handle of the instance, the data valid for a callback.
    let (instance, text) = unsafe { (vk::Instance::from_raw(user.addr() as u64), string((*data).p_message)) };
    if text.len() < 5 {
        let other = Ear::default();
        let messenger = add(instance, &other.info());
        send(base_of(instance), &(text.clone() + "+"));
        assert_eq!(other.take().len(), 5 - text.len());
        remove(instance, messenger);
    }
    vk::FALSE
}

#[test]
fn a_callback_may_call_back() {
    let ear = Ear::default();
    let (made, _, messenger) = listen(&ear);
    let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::WARNING)
        .message_type(Types::GENERAL)
        .pfn_user_callback(Some(calls_back))
        .user_data(core::ptr::without_provenance_mut(made.0.as_raw() as usize));
    let own = add(made.0, &info);
    send(base_of(made.0), "+");
    assert_eq!(ear.texts().len(), 5);
    remove(made.0, own);
    remove(made.0, messenger);
}

objects!(Commands: CommandBuffer of crate::device::Device<TestDriver>,);

#[test]
fn objects_that_the_application_has_and_their_labels_are_told() {
    let ear = Ear::default();
    let made = make(&vk::DeviceCreateInfo::default().queue_create_infos(&[queues(0, 1)])).unwrap();
    let instance = vk::Instance::from_raw(made.get().root().base().instance_root().base().address());
    let messenger = add(instance, &ear.info());
    let mut handle = vk::Queue::null();
    // SAFETY: live handles and valid pointers throughout.
    unsafe {
        let early = &made.get().queues()[0];
        message!(Level::Info, Topic::Driver, [early.base()], "nobody has the queue");
        assert_eq!(ear.take()[0].objects, []);
        commands::get_device_queue::<TestDriver>()(made.0, 0, 0, &mut handle);
        let commands = Object::create(made.get(), null(), Commands).unwrap();
        let begin = commands::begin_queue_label::<TestDriver>();
        let insert = commands::insert_label::<TestDriver>();
        let label = |name| vk::DebugUtilsLabelEXT::default().label_name(name).color([1.0, 0.5, 0.25, 0.0]);
        begin(handle, &label(c"frame"));
        begin(handle, &label(c"shadows"));
        let queue = ObjectBase::of(handle.as_raw()).unwrap();
        queue.set_name(Some(b"graphics")).unwrap();
        message!(Level::Info, Topic::Driver, [queue, commands.base()], "not visible yet");
        let commands = commands.into_handle();
        insert(commands, &label(c"here"));
        let base = ObjectBase::of(commands.as_raw()).unwrap();
        message!(Level::Info, Topic::Driver, [queue, base], "visible");
        let heard = ear.take();
        let named = (vk::ObjectType::QUEUE.as_raw(), handle.as_raw(), Some("graphics".to_string()));
        let unnamed = (vk::ObjectType::COMMAND_BUFFER.as_raw(), commands.as_raw(), None);
        assert_eq!(heard[0].objects, core::slice::from_ref(&named));
        assert_eq!(heard[1].objects, [named, unnamed]);
        let names =
            |list: &[(String, [f32; 4])]| list.iter().map(|label| label.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&heard[1].queue_labels), ["shadows", "frame"]);
        assert_eq!(heard[1].queue_labels[0].1, [1.0, 0.5, 0.25, 0.0]);
        assert_eq!(
            (names(&heard[1].command_labels), names(&heard[0].command_labels)),
            (std::vec!["here".to_string()], Vec::new())
        );
        Object::<Commands>::destroy(commands, null());
    }
    remove(instance, messenger);
}

/// Remembers flags, type of the object and text of reports.
unsafe extern "system" fn report(
    flags: vk::DebugReportFlagsEXT,
    kind: vk::DebugReportObjectTypeEXT,
    object: u64,
    _: usize,
    _: i32,
    _: *const c_char,
    text: *const c_char,
    user: *mut c_void,
) -> vk::Bool32 {
    let objects = std::vec![(kind.as_raw(), object, None)];
    let heard = Heard { severity: flags.as_raw(), objects, text: string(text), ..Heard::default() };
    // SAFETY: the user data is an ear.
    unsafe { &*user.cast::<Ear>() }.0.lock().unwrap().push(heard);
    vk::FALSE
}

#[test]
fn report_callbacks_receive_messages_with_their_flags() {
    let ear = Ear::default();
    let (made, physical) = with_device(describe);
    let info = vk::DebugReportCallbackCreateInfoEXT::default()
        .flags(vk::DebugReportFlagsEXT::from_raw(0x1f))
        .pfn_callback(Some(report))
        .user_data(core::ptr::from_ref(&ear).cast_mut().cast());
    let mut callback = vk::DebugReportCallbackEXT::null();
    // SAFETY: live handles and valid pointers.
    unsafe {
        let create = commands::create_report::<TestDriver>();
        assert_eq!(create(made.0, &info, null(), &mut callback), vk::Result::SUCCESS);
        let base = Object::<Physical<TestDriver>>::from_handle(physical).unwrap().base();
        let rows = [
            (Level::Debug, Topic::Driver, vk::DebugReportFlagsEXT::DEBUG),
            (Level::Info, Topic::Driver, vk::DebugReportFlagsEXT::INFORMATION),
            (Level::Warning, Topic::Driver, vk::DebugReportFlagsEXT::WARNING),
            (Level::Warning, Topic::Performance, vk::DebugReportFlagsEXT::PERFORMANCE_WARNING),
            (Level::Error, Topic::Usage, vk::DebugReportFlagsEXT::ERROR),
        ];
        for (level, topic, flags) in rows {
            message!(level, topic, [base], "x");
            let heard = ear.take();
            assert_eq!((heard.len(), heard[0].severity), (1, flags.as_raw()));
            let kind = vk::DebugReportObjectTypeEXT::PHYSICAL_DEVICE.as_raw();
            assert_eq!(heard[0].objects, [(kind, physical.as_raw(), None)]);
        }
        let say = commands::report_message::<TestDriver>();
        let (flags, kind) = (vk::DebugReportFlagsEXT::ERROR, vk::DebugReportObjectTypeEXT::BUFFER);
        say(made.0, flags, kind, 7, 0, 0, c"me".as_ptr(), c"own".as_ptr());
        let submit = commands::submit_message::<TestDriver>();
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(c"me").message(c"mine");
        submit(made.0, Severity::INFO, Types::GENERAL, &data);
        assert_eq!(ear.texts(), ["own", "mine"]);
        commands::destroy_report::<TestDriver>()(made.0, callback, null());
    }
    send(base_of(made.0), "x");
    assert!(ear.take().is_empty());
}

#[test]
fn an_error_is_reported_with_its_object_and_returned() {
    let ear = Ear::default();
    let (made, physical, messenger) = listen(&ear);
    let mut handle = vk::Device::null();
    // SAFETY: a live handle and valid pointers.
    let result = unsafe {
        commands::create_device::<TestDriver>()(
            physical,
            &vk::DeviceCreateInfo::default(),
            null(),
            &mut handle,
        )
    };
    assert_eq!(result, vk::Result::SUCCESS);
    // SAFETY: live handles.
    let commands = unsafe {
        let device = crate::device::Device::<TestDriver>::from_handle(handle).unwrap();
        Object::create(device, null(), Commands).unwrap().into_handle()
    };
    // SAFETY: as above.
    let base = unsafe { ObjectBase::of(commands.as_raw()) }.unwrap();
    let rows = [
        (vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::ObjectType::INSTANCE, made.0.as_raw()),
        (vk::Result::ERROR_LAYER_NOT_PRESENT, vk::ObjectType::INSTANCE, made.0.as_raw()),
        (vk::Result::ERROR_EXTENSION_NOT_PRESENT, vk::ObjectType::INSTANCE, made.0.as_raw()),
        (vk::Result::ERROR_UNKNOWN, vk::ObjectType::INSTANCE, made.0.as_raw()),
        (vk::Result::ERROR_FEATURE_NOT_PRESENT, vk::ObjectType::PHYSICAL_DEVICE, physical.as_raw()),
        (vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::ObjectType::DEVICE, handle.as_raw()),
        (vk::Result::ERROR_MEMORY_MAP_FAILED, vk::ObjectType::DEVICE, handle.as_raw()),
        (vk::Result::ERROR_TOO_MANY_OBJECTS, vk::ObjectType::DEVICE, handle.as_raw()),
        (vk::Result::ERROR_FORMAT_NOT_SUPPORTED, vk::ObjectType::COMMAND_BUFFER, commands.as_raw()),
    ];
    for (error, kind, object) in rows {
        assert_eq!(failed(error, base, c"here", format_args!("no {}", "luck")), error);
        let heard = ear.take();
        assert_eq!(heard[0].text, std::format!("no luck (VK_{error:?})"));
        assert_eq!(heard[0].objects, [(kind.as_raw(), object, None)]);
        assert_eq!((heard[0].severity, heard[0].id.as_str()), (0x100, "here"));
    }
    // SAFETY: the handles are live and no longer in use.
    unsafe {
        Object::<Commands>::destroy(commands, null());
        commands::destroy_device::<TestDriver>()(handle, null());
    }
    remove(made.0, messenger);
    let _ = enumerate(&made, 1);
}

objects!(Queue: Queue of TestDevice,);

#[test]
fn labels_nest_and_those_of_points_end_with_the_next() {
    let device = Held::<TestDevice>::new(None);
    // SAFETY: no callbacks; the parent lives to the end of the test.
    let queue: Owned<Queue> = unsafe { Object::create(&*device, null(), Queue) }.unwrap();
    let base = queue.base();
    let label = |name| Label { name, color: [0.0; 4] };
    let open = || {
        let labels = base.labels().unwrap();
        let names: Vec<_> = labels.iter().map(|label| label.name.to_str().unwrap().to_string()).collect();
        names.join(" ")
    };
    base.end_label();
    assert_eq!(open(), "");
    base.begin_label(&label(c"a"));
    base.begin_label(&label(c"b"));
    assert_eq!(open(), "b a");
    base.insert_label(&label(c"point"));
    assert_eq!(open(), "point b a");
    base.insert_label(&label(c""));
    assert_eq!(open(), " b a");
    base.begin_label(&label(c"c"));
    assert_eq!(open(), "c b a");
    base.insert_label(&label(c"point"));
    base.end_label();
    assert_eq!(open(), "b a");
    for _ in 0..3 {
        base.end_label();
    }
    assert_eq!(open(), "");
    base.begin_label(&label(c"a"));
    base.clear_labels();
    assert_eq!(open(), "");
    let long = [b'x'; 300].into_iter().chain([0]).collect::<Vec<_>>();
    base.begin_label(&label(CStr::from_bytes_with_nul(&long).unwrap()));
    assert_eq!(open().len(), 300);
}

#[test]
fn a_region_without_memory_ends_nothing_else() {
    let ledger = crate::testing::Ledger::failing_at(3);
    {
        let device = Held::<TestDevice>::new(Some(&ledger.callbacks()));
        // SAFETY: as above.
        let queue: Owned<Queue> = unsafe { Object::create(&*device, null(), Queue) }.unwrap();
        let base = queue.base();
        base.begin_label(&Label { name: c"a", color: [0.0; 4] });
        base.begin_label(&Label { name: c"there is no memory for this", color: [0.0; 4] });
        base.end_label();
        assert_eq!(base.labels().unwrap().iter().count(), 1);
        base.end_label();
        assert_eq!(base.labels().unwrap().iter().count(), 0);
    }
    assert_eq!(ledger.live_blocks(), 0);
}
