//! `vkload devices` as a user meets it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use ash::vk::PhysicalDeviceType;
use vkload_tests::{Device, Driver, Sandbox, library_under_test};

fn devices(sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    vkload(sandbox, variables, &[&["devices"], arguments].concat())
}

fn vkload(sandbox: &Sandbox, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).env("PATH", "/usr/bin:/bin");
    vkload.envs(variables.iter().copied()).output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn devices_are_listed_in_the_order_that_programs_see_with_the_reason_and_the_remedy() {
    let sandbox = Sandbox::new();
    let gpu = |name: &str, kind, bus: u32| {
        Device::new(name).kind(kind).api("1.3.0").id(0x10de, bus).pci([0, bus, 0, 0])
    };
    let (discrete, integrated) = (PhysicalDeviceType::DISCRETE_GPU, PhysicalDeviceType::INTEGRATED_GPU);
    let driver = Driver::new("good").api("1.3.0").manifest_api("1.3.0");
    driver.device(gpu("small", integrated, 0x77)).device(gpu("large", discrete, 0x78)).install(&sandbox);
    let output = devices(&sandbox, &[], &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let line =
        |number: &str| said.lines().find(|line| line.trim_start().starts_with(number)).unwrap_or_default();
    assert!(line("1 ").contains("large") && line("1 ").contains("0000:78:00.0"), "{said}");
    assert!(line("2 ").contains("small") && line("2 ").contains("integrated"), "{said}");
    assert!(said.contains("This order: discrete before integrated"), "{said}");
    assert!(said.contains("VK_LOADER_DEVICE_SELECT=10de:0077 PROGRAM  (device 2 first"), "{said}");

    let json: serde_json::Value =
        serde_json::from_slice(&devices(&sandbox, &[], &["--json"]).stdout).expect("JSON");
    assert_eq!(
        (&json["devices"][0]["name"], &json["devices"][1]["bus"]),
        (&"large".into(), &"0000:77:00.0".into())
    );
    assert!(json["reason"].as_str().is_some_and(|reason| reason.starts_with("discrete before")), "{json:#}");

    let first = text(&devices(&sandbox, &[("VK_LOADER_DEVICE_SELECT", "10de:0077")], &[]));
    assert!(first.contains("1  small") && first.contains("names the first one"), "{first}");
}

#[test]
fn cards_of_one_model_are_told_apart() {
    let sandbox = Sandbox::new();
    let card = |bus| Device::new("twin").api("1.3.0").pci([0, bus, 0, 0]);
    let driver = Driver::new("twins").api("1.3.0").manifest_api("1.3.0");
    driver.device(card(0x77)).device(card(0x78)).install(&sandbox);
    for command in ["info", "doctor"] {
        let said = text(&vkload(&sandbox, &[], &[command]));
        assert!(said.contains("twin at 0000:77:00.0") && said.contains("twin at 0000:78:00.0"), "{said}");
    }
    fs::create_dir(sandbox.path("loader")).expect("a folder");
    symlink(library_under_test(), sandbox.path("loader/libvulkan.so.1")).expect("a link");
    let own = sandbox.path("loader");
    let said = text(&devices(&sandbox, &[("LD_LIBRARY_PATH", own.to_str().expect("UTF-8"))], &[]));
    for card in ["0000:77:00.0 PROGRAM  (device 1", "0000:78:00.0 PROGRAM  (device 2"] {
        assert!(said.contains(&format!("VK_LOADER_DEVICE_SELECT={card}")), "{said}");
    }
    let of_name = vkload(&sandbox, &[], &["settings", "--device", "twin"]);
    assert_eq!(of_name.status.code(), Some(2));
    assert!(text(&of_name).contains("name its address or UUID"), "{}", text(&of_name));
    let chosen = vkload(&sandbox, &[], &["settings", "--device", "78:00.0"]);
    assert!(text(&chosen).contains("deviceUUID\": [2, 2"), "{}", text(&chosen));
}

#[test]
fn without_a_device_it_ends_with_1() {
    let sandbox = Sandbox::new();
    let output = devices(&sandbox, &[], &[]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("see no device") && text(&output).contains("vkload doctor"));
}
