//! Layer settings from the options.

use std::ffi::{CStr, c_char};

use ash::vk;

use super::{Application, tell, told};
use platform_android_apk as apk;

/// A layer that records its settings, and says that it knows them.
fn layer(application: &Application, name: &str) {
    let options = ["-DSETTINGS", "-DINSTANCE_EXTENSIONS=\"VK_EXT_layer_settings\""];
    application.android().layer(&format!("/libs/libVkLayer_{name}.so"), &[name], &options);
}

/// Returns the settings that layers recorded since the last time.
fn noted(application: &Application) -> Vec<String> {
    let mut calls = application.android().layer_calls();
    calls.retain(|call| call.contains(" setting"));
    calls
}

/// Returns how many structures with settings reached the driver with the last instance.
fn reached_the_driver(application: &Application) -> String {
    // SAFETY: the library is the tests' own, which is open already; the function returns a C
    // string.
    unsafe {
        let library = libloading::Library::new(application.android().host_path("/libvulkan.so")).unwrap();
        let last =
            library.get::<unsafe extern "C" fn() -> *const c_char>(b"system_loader_last_call").unwrap();
        let line = CStr::from_ptr(last()).to_str().unwrap().to_owned();
        assert!(line.starts_with("vkCreateInstance"), "{line}");
        line.rsplit(' ').next().unwrap().to_owned()
    }
}

/// Creates an instance with these settings in its chain. The last call of the driver is its
/// vkCreateInstance.
fn make(application: &Application, layers: &[&CStr], own: &[vk::LayerSettingEXT<'_>]) -> ash::Instance {
    let names: Vec<_> = layers.iter().map(|name| name.as_ptr()).collect();
    let mut own = vk::LayerSettingsCreateInfoEXT::default().settings(own);
    let mut info = vk::InstanceCreateInfo::default().enabled_layer_names(&names);
    if own.setting_count > 0 {
        info = info.push_next(&mut own);
    }
    unsafe { application.vulkan().create_instance(&info, None) }.unwrap()
}

fn destroy(instance: &ash::Instance) {
    unsafe { instance.destroy_instance(None) };
}

const EVERY_TYPE: &str = r#"{"layers": ["VK_LAYER_a", "VK_LAYER_b"], "layer_folders": ["/libs"], "layer_settings": [
    {"layer": "VK_LAYER_a", "name": "sync", "type": "bool32", "values": [true]},
    {"layer": "VK_LAYER_a", "name": "low", "type": "int32", "values": [-7, 7]},
    {"layer": "VK_LAYER_a", "name": "lower", "type": "int64", "values": [-9000000000]},
    {"layer": "VK_LAYER_a", "name": "high", "type": "uint32", "values": [4294967295]},
    {"layer": "VK_LAYER_a", "name": "higher", "type": "uint64", "values": [18446744073709551615]},
    {"layer": "VK_LAYER_a", "name": "half", "type": "float32", "values": [0.5]},
    {"layer": "VK_LAYER_a", "name": "great", "type": "float64", "values": [1e300]},
    {"layer": "VK_LAYER_b", "name": "words", "type": "string", "values": ["one", "zwölf"]}]}"#;

#[test]
fn settings_of_every_type_reach_their_layers_and_no_driver() {
    let application = Application::new();
    layer(&application, "VK_LAYER_a");
    layer(&application, "VK_LAYER_b");
    application.configure(EVERY_TYPE).unwrap();
    let instance = make(&application, &[], &[]);
    assert_eq!(reached_the_driver(&application), "0");
    assert_eq!(
        noted(&application),
        [
            "VK_LAYER_a setting sync bool32 1",
            "VK_LAYER_a setting low int32 -7 7",
            "VK_LAYER_a setting lower int64 -9000000000",
            "VK_LAYER_a setting high uint32 4294967295",
            "VK_LAYER_a setting higher uint64 18446744073709551615",
            "VK_LAYER_a setting half float32 0.5",
            "VK_LAYER_a setting great float64 1e+300",
            "VK_LAYER_a settings-enabled",
            "VK_LAYER_b setting words string one zwölf",
            "VK_LAYER_b settings-enabled",
        ]
    );
    destroy(&instance);
    // Other options apply to other instances.
    application.configure(r#"{"layers": ["VK_LAYER_a"], "layer_folders": ["/libs"]}"#).unwrap();
    destroy(&make(&application, &[], &[]));
    assert_eq!(noted(&application), [""; 0]);
}

#[test]
fn what_an_application_says_for_an_instance_comes_first_and_stays() {
    let application = Application::new();
    layer(&application, "VK_LAYER_a");
    application
        .configure(
            EVERY_TYPE
                .split_once(r#", "VK_LAYER_b"]"#)
                .map(|(one, other)| format!("{one}]{other}"))
                .unwrap()
                .as_str(),
        )
        .unwrap();
    let values = [42u32, 3];
    let own = [
        (c"low", vk::LayerSettingTypeEXT::INT32, &values[0]),
        (c"own", vk::LayerSettingTypeEXT::UINT32, &values[1]),
    ]
    .map(|(name, ty, value)| vk::LayerSettingEXT {
        p_layer_name: c"VK_LAYER_a".as_ptr(),
        p_setting_name: name.as_ptr(),
        ty,
        value_count: 1,
        p_values: std::ptr::from_ref(value).cast(),
        ..Default::default()
    });
    let instance = make(&application, &[], &own);
    let noted = noted(&application);
    assert_eq!(
        noted[..3],
        [
            "VK_LAYER_a setting low int32 42",
            "VK_LAYER_a setting own uint32 3",
            "VK_LAYER_a setting sync bool32 1"
        ]
    );
    assert!(!noted.iter().any(|line| line.contains("low int32 -7")), "{noted:?}");
    assert_eq!(reached_the_driver(&application), "1", "what the application passes goes on as it is");
    destroy(&instance);
}

#[test]
fn settings_without_effect_are_reported() {
    let application = Application::new();
    layer(&application, "VK_LAYER_a");
    layer(&application, "VK_LAYER_asleep");
    application.android().layer("/libs/libVkLayer_old.so", &["VK_LAYER_old"], &[]);
    let setting = |layer: &str| {
        format!(r#"{{"layer": "{layer}", "name": "sync", "type": "bool32", "values": [true]}}"#)
    };
    let settings =
        ["VK_LAYER_a", "VK_LAYER_asleep", "VK_LAYER_old", "VK_LAYER_absent"].map(setting).join(",");
    application
        .configure(&format!(
            r#"{{"layers": ["VK_LAYER_a", "VK_LAYER_old"], "layer_folders": ["/libs"], "layer_settings": [{settings}]}}"#
        ))
        .unwrap();
    let report = application.report(0);
    for words in [
        "VK_LAYER_a: sync = [true]: passed on\n",
        "VK_LAYER_asleep: sync = [true]: reaches the layer only in instances that enable it; name the layer in \"layers\"",
        "VK_LAYER_old: sync = [true]: passed on, and perhaps not read: the layer does not list VK_EXT_layer_settings",
        "VK_LAYER_absent: sync = [true]: has no effect: no layer of this name can be used",
    ] {
        assert!(report.contains(words), "{words} is not in\n{report}");
    }
    let json = application.report(1);
    let root = vkload_core::manifest::json::parse(json.as_bytes()).unwrap();
    let ids: Vec<_> = root
        .member("layer_settings")
        .unwrap()
        .items()
        .map(|setting| {
            String::from_utf8(setting.member("decision").unwrap().string().unwrap().as_written().to_vec())
                .unwrap()
        })
        .collect();
    assert_eq!(ids, ["passed-on", "not-active", "perhaps-unread", "no-layer"]);
    // SAFETY: the callback may be called at any time.
    unsafe { apk::set_log(application.apk, 1, Some(tell), std::ptr::without_provenance_mut(42)) };
    destroy(&make(&application, &[c"VK_LAYER_asleep"], &[]));
    let warned: Vec<_> = told().into_iter().filter(|(_, text)| text.contains("have no effect")).collect();
    // SAFETY: NULL only removes the callback.
    unsafe { apk::set_log(application.apk, 1, None, std::ptr::null_mut()) };
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].0 == 1 && warned[0].1.contains("VK_LAYER_absent"), "{warned:?}");
}
