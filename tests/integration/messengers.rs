//! Messengers and report callbacks: the messages that each receives, and how often.
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk::{self, Handle as _};
use vkload_tests::listening::{
    Debug, EVERYTHING, HEARD, Severity, Types, all_flags, ask, forget_heard, messenger, plain, report,
    say_heard, several, with_both,
};
use vkload_tests::{Device, Driver, Layer, Scenario, Vk, code};

// ---- messages from the application ----

#[test]
fn a_submitted_message_arrives_once_with_any_drivers() {
    let body = |vk: &Vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let messenger = debug.listen(1, EVERYTHING);
        let callback = debug.listen_to_reports(2, all_flags());
        debug.submit(Severity::WARNING, Types::GENERAL, c"hello");
        say_heard(vk, "utils");
        debug.send_report(vk::DebugReportFlagsEXT::ERROR, c"hello");
        say_heard(vk, "report");
        debug.stop(messenger);
        debug.submit(Severity::WARNING, Types::PERFORMANCE, c"later");
        say_heard(vk, "one left");
        debug.stop_reports(callback);
        debug.submit(Severity::WARNING, Types::GENERAL, c"nobody");
        debug.send_report(vk::DebugReportFlagsEXT::ERROR, c"nobody");
        say_heard(vk, "none left");
    };
    for scenario in
        [several(), Scenario::new().driver(plain("none")), Scenario::new().driver(with_both("one"))]
    {
        scenario
            .run(body)
            .ok()
            .says("utils", "2 report 2 id: hello ; 1 utils 100 1 id: hello")
            .says("report", "2 report 8 prefix: hello ; 1 utils 1000 1 prefix: hello")
            .says("one left", "2 report 4 id: later")
            .says("none left", "");
    }
    let run = several().run(body);
    for (name, count) in [("one", 1), ("none", 0), ("two", 1)] {
        let trace = run.trace(name);
        for command in ["vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT"] {
            assert_eq!(trace.calls(command).len(), count, "{command} of {name}");
        }
        assert_eq!(trace.last("unload").get("messengers"), "0");
    }
}

#[test]
fn a_submitted_message_arrives_as_it_was_sent() {
    unsafe extern "system" fn compare(
        _: Severity,
        _: Types,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        user: *mut c_void,
    ) -> vk::Bool32 {
        HEARD.lock().unwrap().push(format!("same {}", std::ptr::addr_eq(data, user)));
        vk::FALSE
    }
    let run = several().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let queues = [vk::DebugUtilsLabelEXT::default().label_name(c"queue")];
        let device = instance.named("none");
        let objects = [vk::DebugUtilsObjectNameInfoEXT::default().object_handle(device)];
        let data = vk::DebugUtilsMessengerCallbackDataEXT::default()
            .message(c"all of it")
            .queue_labels(&queues)
            .objects(&objects);
        let info = messenger(0, EVERYTHING)
            .pfn_user_callback(Some(compare))
            .user_data((&raw const data).cast_mut().cast());
        unsafe {
            let messenger = debug.utils.create_debug_utils_messenger(&info, None).unwrap();
            debug.utils.submit_debug_utils_message(Severity::INFO, Types::GENERAL, &data);
            debug.stop(messenger);
        }
        say_heard(vk, "heard");
    });
    run.ok().says("heard", "same true");
}

#[test]
fn each_receives_only_its_types() {
    let run = several().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        _ = debug.listen(1, (Severity::ERROR, Types::from_raw(7)));
        _ = debug.listen(2, (Severity::from_raw(0x1111), Types::PERFORMANCE));
        _ = debug.listen(3, (Severity::INFO | Severity::VERBOSE, Types::GENERAL | Types::VALIDATION));
        _ = debug.listen(4, (Severity::empty(), Types::GENERAL));
        _ = debug.listen_to_reports(5, vk::DebugReportFlagsEXT::DEBUG);
        _ = debug.listen_to_reports(6, vk::DebugReportFlagsEXT::empty());
        forget_heard();
        for (key, severity, types) in [
            ("error", Severity::ERROR, Types::GENERAL),
            ("slow", Severity::WARNING, Types::PERFORMANCE),
            ("slow error", Severity::ERROR, Types::PERFORMANCE | Types::VALIDATION),
            ("info", Severity::INFO, Types::VALIDATION),
            ("verbose", Severity::VERBOSE, Types::GENERAL),
            ("warning", Severity::WARNING, Types::GENERAL),
        ] {
            debug.submit(severity, types, c"m");
            let heard = std::mem::take(&mut *HEARD.lock().unwrap());
            let labels: Vec<_> = heard.iter().map(|entry| &entry[..1]).collect();
            vk.say(key, labels.join(","));
        }
        instance.leak();
    });
    run.ok().says("error", "1").says("slow", "2").says("slow error", "2,1");
    run.says("info", "3").says("verbose", "5,3").says("warning", "");
}

// ---- messages from drivers ----

#[test]
fn a_drivers_own_message_arrives_once() {
    let scenario = Scenario::new().driver(with_both("one").speaks()).driver(with_both("two"));
    let run = scenario.run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let messenger = debug.listen(1, (Severity::INFO, Types::GENERAL));
        _ = instance.devices();
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        vk.say("heard", heard.iter().filter(|entry| entry.contains("driver: from the driver")).count());
        debug.stop(messenger);
    });
    // ash counts the devices once; the loader counts them for that call and for the one that gives them.
    assert_eq!(
        run.ok().said("heard"),
        run.trace("one")
            .calls("vkEnumeratePhysicalDevices")
            .iter()
            .filter(|call| call.get("fill") == "0")
            .count()
            .to_string()
    );
}

// ---- messages from the loader ----

/// Asks for a device extension that is not there.
fn provoke(vk: &Vk, instance: &vkload_tests::Instance<'_>) {
    let device = instance.devices()[0];
    forget_heard();
    vk.say("result", code(&instance.try_device(device, &["VK_nobody_has"]).map(|_| ())));
}

#[test]
fn loader_messages_arrive_in_both_forms_until_the_callback_is_destroyed() {
    let run = several().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        provoke(vk, &instance);
        say_heard(vk, "before");
        let messenger = debug.listen(1, (Severity::ERROR, Types::GENERAL));
        let callback = debug.listen_to_reports(2, vk::DebugReportFlagsEXT::ERROR);
        provoke(vk, &instance);
        say_heard(vk, "between");
        debug.stop(messenger);
        debug.stop_reports(callback);
        provoke(vk, &instance);
        say_heard(vk, "after");
    });
    run.ok().says("before", "").says("after", "").says("result", "ERROR_EXTENSION_NOT_PRESENT");
    let heard: Vec<_> = run.said("between").split(" ; ").collect();
    let [report, utils] = heard[..] else { panic!("{heard:?}") };
    assert!(report.starts_with("2 report 8 Loader Message: "), "{report}");
    assert!(utils.starts_with("1 utils 1000 1 Loader Message: "), "{utils}");
    assert!(utils.contains("VK_nobody_has"), "{utils}");
    assert_eq!(run.stderr, "");
}

#[test]
fn messages_are_about_the_instance() {
    static INSTANCE: AtomicU64 = AtomicU64::new(0);
    unsafe extern "system" fn check(
        _: Severity,
        _: Types,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
        _: *mut c_void,
    ) -> vk::Bool32 {
        // SAFETY: the loader passes valid data with one object.
        let (data, object) = unsafe { (&*data, &*(*data).p_objects) };
        // The first message gives the handle of the future instance.
        _ = INSTANCE.compare_exchange(0, object.object_handle, Ordering::Relaxed, Ordering::Relaxed);
        let known = object.object_handle == INSTANCE.load(Ordering::Relaxed);
        let entry = format!("{} {} {known}", data.object_count, object.object_type.as_raw());
        HEARD.lock().unwrap().push(entry);
        vk::FALSE
    }
    let run = several().run(|vk| {
        let chained = messenger(0, EVERYTHING).pfn_user_callback(Some(check));
        let instance = vk.create(&ask().next(&chained)).unwrap();
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        vk.say("creation", !heard.is_empty() && heard.iter().all(|entry| entry == "1 1 true"));
        vk.say("handle", INSTANCE.load(Ordering::Relaxed) == instance.handle().as_raw());
        let debug = Debug::new(vk, &instance);
        let later = unsafe { debug.utils.create_debug_utils_messenger(&chained, None) }.unwrap();
        provoke(vk, &instance);
        say_heard(vk, "later");
        debug.stop(later);
        drop(instance);
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        vk.say("destruction", !heard.is_empty() && heard.iter().all(|entry| entry == "1 1 true"));
    });
    run.ok().says("creation", true).says("handle", true).says("later", "1 1 true").says("destruction", true);
}

#[test]
fn a_call_against_the_rules_is_reported_as_validation() {
    let run = several().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let messenger = debug.listen(1, (Severity::ERROR, Types::VALIDATION));
        // SAFETY: the test is about NULL.
        let result = unsafe {
            (instance.fp_v1_0().enumerate_physical_devices)(
                instance.handle(),
                std::ptr::null_mut(),
                std::ptr::null_mut(),
            )
        };
        vk.say("result", code(&result.result()));
        say_heard(vk, "heard");
        debug.stop(messenger);
    });
    run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
    let heard = run.said("heard");
    assert!(heard.starts_with("1 utils 1000 3 Loader Message: "), "{heard}");
    assert!(heard.contains("pPhysicalDeviceCount"), "{heard}");
    run.logs(&["ERROR", "pPhysicalDeviceCount"]);
}

// ---- chained to vkCreateInstance ----

fn missing() -> Driver {
    Driver::new("missing").library_path("/nonexistent/libmissing.so")
}

#[test]
fn both_kinds_can_be_chained() {
    let run = Scenario::new().driver(with_both("one")).driver(missing()).run(|vk| {
        let instance = {
            // The create info need not outlive the call.
            let chained = messenger(1, EVERYTHING);
            let mut first = report(2, all_flags());
            first.p_next = (&raw const chained).cast();
            vk.create(&ask().next(&first)).unwrap()
        };
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        let about = |start: &str| heard.iter().any(|one| one.starts_with(start) && one.contains("missing"));
        vk.say("creation", about("1 utils") && about("2 report"));
        let debug = Debug::new(vk, &instance);
        debug.submit(Severity::ERROR, Types::GENERAL, c"not for them");
        provoke(vk, &instance);
        say_heard(vk, "between");
        drop(instance);
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        let about = |start: &str| heard.iter().any(|one| one.starts_with(start) && one.contains("libone.so"));
        vk.say("destruction", about("1 utils 1 ") && about("2 report 10 "));
    });
    run.ok().says("creation", true).says("between", "").says("destruction", true);
}

#[test]
fn a_late_caller_gets_the_earlier_result() {
    let refusing = plain("refusing")
        .result("vk_icdNegotiateLoaderICDInterfaceVersion", vk::Result::ERROR_INCOMPATIBLE_DRIVER);
    let broken = "data/vulkan/icd.d/broken.json";
    let run = Scenario::new().driver(plain("one")).driver(refusing).file(broken, "{").run(|vk| {
        drop(vk.create(&ask()).unwrap());
        let chained = messenger(1, EVERYTHING);
        for key in ["first", "second"] {
            let instance = vk.create(&ask().next(&chained)).unwrap();
            let heard = std::mem::take(&mut *HEARD.lock().unwrap());
            let about = |what: &str| heard.iter().filter(|entry| entry.contains(what)).count();
            vk.say(key, format!("{} {}", about("librefusing.so: "), about("broken.json: ")));
            drop(instance);
            forget_heard();
        }
    });
    run.ok().says("first", "1 1").says("second", "1 1");
    assert_eq!(run.stderr, "");
}

#[test]
fn a_chained_messenger_without_interest_does_not_silence_the_line_about_drivers() {
    let run = Scenario::new().driver(missing()).run(|vk| {
        let chained = messenger(1, (Severity::VERBOSE, Types::from_raw(7)));
        vk.say("result", code(&vk.create(&ask().next(&chained)).map(|_| ())));
    });
    run.ok().says("result", "ERROR_INCOMPATIBLE_DRIVER").logs(&["ERROR", "missing"]);
}

#[test]
fn callbacks_that_are_null_are_not_called() {
    let run = several().run(|vk| {
        let chained = messenger(1, EVERYTHING).pfn_user_callback(None);
        let instance = vk.create(&ask().next(&chained)).unwrap();
        vk.say("devices", instance.devices().len());
    });
    run.ok().says("devices", 3);
}

// ---- with layers ----

#[test]
fn layers_change_nothing() {
    let body = |vk: &Vk| {
        let chained = messenger(1, EVERYTHING);
        let asking = ask().layer("VK_LAYER_TEST_a").layer("VK_LAYER_TEST_b").next(&chained);
        let instance = vk.create(&asking).unwrap();
        vk.say("creation", HEARD.lock().unwrap().iter().any(|entry| entry.contains("VK_LAYER_TEST_b")));
        let debug = Debug::new(vk, &instance);
        let messenger = debug.listen(2, (Severity::ERROR, Types::GENERAL));
        provoke(vk, &instance);
        vk.say(
            "loader",
            HEARD.lock().unwrap().iter().filter(|entry| entry.starts_with("2 utils 1000 1")).count(),
        );
        forget_heard();
        debug.submit(Severity::ERROR, Types::GENERAL, c"hello");
        say_heard(vk, "submitted");
        debug.stop(messenger);
        debug.submit(Severity::ERROR, Types::GENERAL, c"hello");
        say_heard(vk, "after");
        drop(instance);
        vk.say("destruction", !HEARD.lock().unwrap().is_empty());
    };
    let run = several().layer(Layer::new("VK_LAYER_TEST_a")).layer(Layer::new("VK_LAYER_TEST_b")).run(body);
    run.ok().says("creation", true).says("loader", 1).says("submitted", "2 utils 1000 1 id: hello");
    run.says("after", "").says("destruction", true);
    assert_eq!(run.trace("one").last("unload").get("messengers"), "0");
}

/// A driver may know one physical device for all instances.
#[test]
fn a_message_about_a_command_that_the_driver_lacks_goes_to_the_instance_whose_device_it_is() {
    let lacking = with_both("lacking")
        .device(Device::new("gpu"))
        .shares_devices()
        .extension("VK_KHR_surface")
        .extension("VK_KHR_xcb_surface")
        .without("vkGetPhysicalDeviceXcbPresentationSupportKHR");
    let run = Scenario::new().driver(lacking).run(|vk| {
        let ask = || ask().extension("VK_KHR_surface").extension("VK_KHR_xcb_surface");
        let instances = [vk.create(&ask()).unwrap(), vk.create(&ask()).unwrap(), vk.create(&ask()).unwrap()];
        let debugs: Vec<_> = instances.iter().map(|instance| Debug::new(vk, instance)).collect();
        let listening: Vec<_> = debugs
            .iter()
            .enumerate()
            .map(|(label, debug)| debug.listen(label, (Severity::ERROR, Types::GENERAL)))
            .collect();
        for (place, instance) in instances.iter().enumerate() {
            let device = instance.devices()[0];
            forget_heard();
            // SAFETY: the command has this type, and the driver does not have it.
            let supports = unsafe {
                let command: unsafe extern "system" fn(vk::PhysicalDevice, u32, *mut c_void, u32) -> u32 =
                    instance.command("vkGetPhysicalDeviceXcbPresentationSupportKHR");
                command(device, 0, std::ptr::null_mut(), 0)
            };
            assert_eq!(supports, vk::FALSE);
            let heard = std::mem::take(&mut *HEARD.lock().unwrap());
            let labels: Vec<_> = heard.iter().map(|entry| entry.split(' ').next().unwrap()).collect();
            vk.say(&place.to_string(), labels.join(","));
        }
        debugs.iter().zip(listening).for_each(|(debug, messenger)| debug.stop(messenger));
    });
    run.ok().says("0", "0").says("1", "1").says("2", "2");
}
