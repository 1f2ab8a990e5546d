//! Messengers do not open a driver, and the driver calls them once it is open.
use ash::vk;
use vkload_tests::listening::{Debug, all_flags, ask, forget_heard, say_heard, with_both};
use vkload_tests::{Scenario, Vk};

use super::{opened, start};

/// Creates messengers, one of which is destroyed before the driver is opened, and then a device.
pub(super) fn listen(vk: &Vk) {
    let instance = vk.create(&ask()).unwrap();
    let debug = Debug::new(vk, &instance);
    let everything = (
        vk::DebugUtilsMessageSeverityFlagsEXT::from_raw(0x1111),
        vk::DebugUtilsMessageTypeFlagsEXT::from_raw(7),
    );
    let messenger = debug.listen(1, everything);
    let gone = debug.listen(2, everything);
    let report = debug.listen_to_reports(3, all_flags());
    debug.stop(gone);
    let devices = instance.devices();
    vk.say("opened-before", vk.is_loaded("real"));
    instance.try_device(devices[0], &[]).unwrap();
    forget_heard();
    let _ = instance.devices();
    say_heard(vk, "heard");
    debug.stop(messenger);
    debug.stop_reports(report);
    forget_heard();
    let _ = instance.devices();
    say_heard(vk, "heard-after");
}

#[test]
fn a_driver_gets_the_messengers_when_it_is_opened() {
    let scenario =
        Scenario::new().driver(with_both("real").speaks()).env("VK_LOADER_X_START_CACHE", "1").log();
    for number in 1..=3 {
        let run = start(&scenario, "messengers");
        assert_eq!(opened(run.ok()), "real");
        run.says("opened-before", number < 3);
        let heard = run.said("heard");
        assert!(heard.contains("from the driver"), "start {number}: {heard}");
        assert!(!heard.split(" ; ").any(|message| message.starts_with("2 ")), "start {number}: {heard}");
        assert!(!run.said("heard-after").contains("from the driver"), "start {number}");
    }
}
