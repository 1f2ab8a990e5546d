use super::*;
use crate::view::Device;

fn tried(kind: &'static str, bus: &str) -> Tried {
    let bus = bus.to_owned();
    let device = Device { kind: kind.into(), vendor: 0x10de, device: 0x2684, bus, ..Device::default() };
    Tried { device, ..Tried::default() }
}

#[test]
fn the_simplest_value_that_means_one_device_is_printed() {
    let mut devices =
        [tried("discrete", "0000:01:00.0"), tried("discrete", "0000:02:00.0"), tried("cpu", "")];
    devices[2].device.device = 0;
    let values =
        |devices: &[Tried]| devices.iter().map(|one| values(devices, one).join(" ")).collect::<Vec<_>>();
    assert_eq!(values(&devices), ["0000:01:00.0", "0000:02:00.0", "10de:0000"]);
    devices[1].device.bus = devices[0].device.bus.clone();
    devices[1].device.uuid = "0001".to_owned();
    assert_eq!(values(&devices), ["", "0001", "10de:0000"]);
}

#[test]
fn only_variables_that_put_a_device_first_are_recommended() {
    let (mut one, mut other) = (tried("discrete", "0000:01:00.0"), tried("integrated", "0000:02:00.0"));
    (one.device.device, other.device.device) = (1, 2);
    let devices = [one, other];
    let all =
        |off, attempt: &dyn Fn(&Changes) -> Vec<Tried>| selections(&devices, off, &Variables::new(), attempt);
    let swapped = || devices.iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(all(None, &|_| devices.to_vec()), [None, None], "a variable without effect");
    let loader = |changes: &Changes| match changes[SELECT].as_deref() {
        Some("10de:0002") => swapped(),
        _ => devices.to_vec(),
    };
    let of = |id: &str| Some(format!("{SELECT}=10de:{id}"));
    assert_eq!(all(Some("NO_LAYER"), &loader), [of("0001"), of("0002")]);
    let below_layer = |changes: &Changes| match changes.contains_key("NO_LAYER") {
        true => loader(changes),
        false => devices.to_vec(),
    };
    let second = Some(format!("NO_LAYER=1 {SELECT}=10de:0002"));
    assert_eq!(all(Some("NO_LAYER"), &below_layer)[1], second);
}

#[test]
fn settings_name_one_of_two_equal_cards_by_its_uuid() {
    let mut devices = [tried("discrete", "0000:06:00.0"), tried("discrete", "0000:07:00.0")];
    for (device, uuid) in devices.iter_mut().zip(["0a38", "0ad1"]) {
        (device.device.name, device.device.uuid) = ("NVIDIA H200".to_owned(), uuid.to_owned());
    }
    assert!(remedies(&devices, &[], None).contains("settings --device 0ad1 "));
    let none = remedies(&devices, &[None, None], Some(SettingsSupport::default()));
    assert!(none.contains("VK_LOADER_DEVICE_SELECT=0000:07:00.0 vkload exec PROGRAM"), "{none}");
    devices[0].device.name = "NVIDIA H100".to_owned();
    assert!(remedies(&devices, &[], None).contains("settings --device 'NVIDIA H200' "));
}

#[test]
fn programs_that_keep_one_of_several_gpus_awake_are_shown() {
    let gpu = |address: &str, driver: &str| {
        let (address, driver) = (address.to_owned(), Some(driver.to_owned()));
        (Gpu { address, driver, ..Gpu::default() }, String::new())
    };
    let mut report = Report {
        gpus: vec![gpu("0000:00:02.0", "i915"), gpu("0000:01:00.0", "nvidia")],
        holders: vec![Vec::new(), vec![(7, "game".to_owned())]],
        seen: None,
    };
    let text = report.text();
    assert!(text.contains("game") && text.contains("--only-gpu integrated"), "{text}");
    assert!(report.json().contains("\"process\": 7"));
    report.gpus[0].0.driver = Some("nvidia".to_owned());
    let text = report.text();
    assert!(text.contains("game") && !text.contains("--only-gpu"), "one driver wakes both: {text}");
    report.gpus.remove(0);
    report.holders.remove(0);
    assert!(!report.text().contains("awake"));
}
