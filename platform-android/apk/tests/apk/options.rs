//! Options that are rejected, and when accepted ones take effect.

use std::collections::BTreeSet;

use platform_android_apk as apk;

use super::layers::went_through;
use super::{Application, tell, told};

#[test]
fn options_with_a_mistake_change_nothing_and_are_reported() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.configure(r#"{"layers": ["VK_LAYER_a"], "layer_folders": ["/libs"]}"#).unwrap();
    let said = application.configure(r#"{"layres": []}"#).unwrap_err();
    assert!(said.contains("layres"), "{said}");
    assert!(application.report(0).contains("The last options do not count"));
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): active"));
    application.configure("{}").unwrap();
    assert!(!application.report(0).contains("do not count"));
    assert!(!application.report(0).contains("VK_LAYER_a"));
}

#[test]
fn the_environment_of_the_options_is_read_before_that_of_the_process() {
    let application = Application::new();
    application.android().layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    application.android().change().variables.insert("VK_LOADER_LAYERS_ENABLE".into(), "*".into());
    application.configure(r#"{"layer_folders": ["/libs"]}"#).unwrap();
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): active"));
    application
        .configure(r#"{"layer_folders": ["/libs"], "environment": {"VK_LOADER_LAYERS_ENABLE": ""}}"#)
        .unwrap();
    assert!(application.report(0).contains("VK_LAYER_a (/libs/libVkLayer_a.so): can be used"));
}

#[test]
fn messages_and_reports_are_cut_where_the_room_ends_and_always_ended() {
    let application = Application::new();
    let options = c"{\"layres\": []}";
    let whole = application.configure(options.to_str().unwrap()).unwrap_err();
    for size in [0, 1, 2, 20, whole.len(), whole.len() + 1, whole.len() + 9] {
        let mut message = vec![b'x'; size + 4];
        // SAFETY: a C string, and a buffer larger than the given size.
        let result =
            unsafe { apk::configure(application.apk, options.as_ptr(), message.as_mut_ptr().cast(), size) };
        assert_eq!(result, -1);
        assert!(message[size..].iter().all(|byte| *byte == b'x'), "{size}");
        let length = whole.len().min(size.saturating_sub(1));
        assert_eq!(&message[..length], &whole.as_bytes()[..length]);
        assert!(size == 0 || message[length] == 0, "{size}");
    }
    // No options are needed: then the system's loader is the driver.
    // SAFETY: NULL is neither read nor written.
    assert_eq!(unsafe { apk::configure(application.apk, std::ptr::null(), std::ptr::null_mut(), 0) }, 0);
    assert!(application.report(0).contains("libvulkan.so: used"));
    // SAFETY: a C string, and NULL, which is not written.
    assert_eq!(unsafe { apk::configure(application.apk, options.as_ptr(), std::ptr::null_mut(), 7) }, -1);
}

#[test]
fn layers_of_a_variable_come_after_those_of_the_options() {
    let (application, android) = Application::start();
    for name in ["a", "b", "c"] {
        android.layer(&format!("/libs/libVkLayer_{name}.so"), &[&format!("VK_LAYER_{name}")], &[]);
    }
    android.change().variables.insert("VK_INSTANCE_LAYERS".into(), "VK_LAYER_a".into());
    application.configure(r#"{"layers": ["VK_LAYER_c", "VK_LAYER_b"], "layer_folders": ["/libs"]}"#).unwrap();
    let instance = application.instance(&[]).unwrap();
    assert_eq!(went_through(&application, "vkCreateInstance"), ["VK_LAYER_c", "VK_LAYER_b", "VK_LAYER_a"]);
    unsafe { instance.destroy_instance(None) };
}

#[test]
fn a_listener_receives_every_library_that_is_not_used() {
    let (application, android) = Application::start();
    android.layer("/libs/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    android.layer("/more/libVkLayer_a.so", &["VK_LAYER_a"], &[]);
    android.file("/libs/libVkLayer_text.so", b"no library");
    let data = std::ptr::without_provenance_mut(42);
    let heard = |level| -> Vec<String> {
        // SAFETY: the callback may be called with `data` at any time.
        unsafe { apk::set_log(application.apk, level, Some(tell), data) };
        let _ = told();
        application.configure(r#"{"layer_folders": ["/libs", "/more"]}"#).unwrap();
        let of_layers = told().into_iter().filter(|(_, text)| text.contains("no layers of it are used"));
        of_layers.map(|(level, text)| format!("{level} {}", text.split(": ").next().unwrap())).collect()
    };
    assert_eq!(heard(1), ["1 /libs/libVkLayer_text.so"]);
    let all = ["1 /libs/libVkLayer_text.so", "3 /more/libVkLayer_a.so"];
    let mut everything = heard(3);
    everything.sort();
    assert_eq!(everything, all);
    let levels = |level| -> BTreeSet<i32> {
        let _ = heard(level);
        let instance = application.instance(&[c"VK_LAYER_a"]).unwrap();
        unsafe { instance.destroy_instance(None) };
        told().into_iter().map(|(level, _)| level).collect()
    };
    assert!(levels(3).contains(&3));
    assert_eq!(levels(2).last(), Some(&2));
    // SAFETY: the callback may be called with `data` at any time.
    unsafe { apk::set_log(application.apk, 0, Some(tell), data) };
    application.configure("{").unwrap_err();
    assert!(told()[0].1.contains("the options do not count"));
    // SAFETY: NULL only removes the callback.
    unsafe { apk::set_log(application.apk, 3, None, data) };
}
