//! Finding layers: folders, file names, and how libraries describe themselves.

use std::sync::{Barrier, Mutex};
use std::thread;

use android_simulation::{Android, Simulation, exported};
use ash::vk;
use platform_android::layers::{Found, LibraryDecision, LibraryError, Search};
use vkload_core::log::Level;
use vkload_core::memory::Arc;

const DEBUG: &str = "/data/local/debug/vulkan";
const APPLICATION: &str = "/data/app/game/lib";

fn found(simulation: &Simulation) -> Arc<Found> {
    simulation.loader.layers.found(simulation.loader).expect("memory")
}

/// Returns a system whose application has a folder of libraries.
fn with_application() -> Simulation {
    let simulation = Simulation::new();
    simulation.android.change().layer_paths = APPLICATION.into();
    simulation
}

fn layer(android: &Android, file: &str, name: &str, options: &[&str]) {
    android.layer(&format!("{APPLICATION}/{file}"), &[name], options);
}

/// Returns the layer names that applications see.
fn names(found: &Found) -> Vec<String> {
    let name =
        |layer: &vk::LayerProperties| layer.layer_name_as_c_str().unwrap().to_str().unwrap().to_owned();
    found.listed().map(name).collect()
}

/// Returns the reason why the only library is not used.
fn reason(found: &Found) -> &LibraryError {
    match &found.candidates[..] {
        [candidate] => match &candidate.decision {
            LibraryDecision::Refused(refusal) => refusal,
            other => panic!("{other:?}"),
        },
        other => panic!("{} libraries", other.len()),
    }
}

/// Returns the questions to the layers, without their names.
fn questions(android: &Android) -> Vec<String> {
    let all = android.layer_calls();
    all.iter()
        .map(|line| line.split_once(' ').unwrap().1.replace("vkEnumerate", "").replace("Properties", ""))
        .collect()
}

#[test]
fn the_debug_folder_is_only_for_what_may_be_debugged() {
    let prepare = |dumpable, property| {
        let simulation = Simulation::new();
        simulation.android.layer(&format!("{DEBUG}/libVkLayer_a.so"), &["VK_LAYER_a"], &[]);
        simulation.android.change().dumpable = dumpable;
        simulation.android.set("ro.debuggable", property);
        simulation
    };
    let closed = prepare(false, "0");
    let nothing = found(&closed);
    assert_eq!((names(&nothing), &nothing.folders[0].1), (vec![], &Search::NotDebuggable));
    assert!(!closed.android.calls().contains(&format!("list {DEBUG}")), "the folder is not touched");
    drop(closed);
    for (dumpable, property) in [(true, ""), (false, "1")] {
        let open = prepare(dumpable, property);
        assert_eq!(names(&found(&open)), ["VK_LAYER_a"]);
    }
}

#[test]
fn folders_are_searched_in_order_and_the_debug_folder_first() {
    let simulation = Simulation::new();
    let android = simulation.android;
    let folders = ["/data/user/0/game", "/data/app/layers/lib/arm64", APPLICATION];
    android.change().dumpable = true;
    android.change().layer_paths = format!("{}::{}:{}:", folders[0], folders[1], folders[2]);
    for (folder, name) in [DEBUG, folders[0], folders[1], folders[2]].iter().zip(["d", "u", "p", "g"]) {
        android.layer(&format!("{folder}/libVkLayer_{name}.so"), &[&format!("VK_LAYER_{name}")], &[]);
    }
    assert_eq!(names(&found(&simulation)), ["VK_LAYER_d", "VK_LAYER_u", "VK_LAYER_p", "VK_LAYER_g"]);
    let searched: Vec<String> =
        android.calls().iter().filter_map(|call| call.strip_prefix("list ").map(str::to_owned)).collect();
    assert_eq!(searched, [DEBUG, folders[0], folders[1], folders[2]]);
}

#[test]
fn names_begin_with_libvklayer_and_end_with_so() {
    let simulation = with_application();
    let android = simulation.android;
    for file in ["libVkLayer.so", "libVkLayerA.so"] {
        layer(android, file, &format!("VK_LAYER_{}", file.len()), &[]);
    }
    for file in ["VkLayer_x.so", "libvklayer_x.so", "libVkLayer_x.so.1", "libgame.so", "libVkLayer_x.txt"] {
        android.file(&format!("{APPLICATION}/{file}"), "");
    }
    let found = found(&simulation);
    let mut listed = names(&found);
    listed.sort();
    assert_eq!(listed, ["VK_LAYER_13", "VK_LAYER_14"]);
    let mut refused: Vec<&str> = Vec::new();
    for candidate in
        found.candidates.iter().filter(|one| one.decision == LibraryDecision::Refused(LibraryError::Name))
    {
        refused.push(std::str::from_utf8(&candidate.file.name).unwrap());
    }
    refused.sort_unstable();
    // Of files with other names, only those that were probably meant to be layers are mentioned.
    assert_eq!(refused, ["VkLayer_x.so", "libVkLayer_x.so.1", "libvklayer_x.so"]);
}

#[test]
fn the_first_file_of_a_name_counts() {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.change().layer_paths = "/one:/two".into();
    android.layer("/one/libVkLayer_a.so", &["VK_LAYER_first"], &[]);
    android.layer("/two/libVkLayer_a.so", &["VK_LAYER_second"], &[]);
    let found = found(&simulation);
    assert_eq!(names(&found), ["VK_LAYER_first"]);
    assert!(
        matches!(&found.candidates[1].decision, LibraryDecision::Refused(LibraryError::Duplicate { of }) if of.as_slice() == b"/one/libVkLayer_a.so")
    );
    assert!(!android.calls().contains(&"dlopen /two/libVkLayer_a.so".to_owned()));
    let warned = android.logged().into_iter().filter(|(level, _)| *level <= Level::Warning);
    assert_eq!(warned.count(), 0, "nothing is wrong with that");
}

#[test]
fn a_refused_library_does_not_block_its_name() {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.change().layer_paths = "/one:/two".into();
    android.layer("/one/libVkLayer_a.so", &["VK_LAYER_first"], &["-DLAYER_COUNT=0"]);
    android.layer("/two/libVkLayer_a.so", &["VK_LAYER_second"], &[]);
    assert_eq!(names(&found(&simulation)), ["VK_LAYER_second"]);
}

#[test]
fn a_missing_folder_is_passed_over_and_an_unreadable_one_warned_of() {
    let simulation = Simulation::new();
    let android = simulation.android;
    android.file("/a_file", "");
    android.file("/not_an.apk", "not an archive, but long enough to be one");
    android.change().layer_paths = "/missing:/missing.apk!/lib/x86_64:/a_file:/not_an.apk!/lib/x86_64".into();
    let found = found(&simulation);
    let results: Vec<&Search> = found.folders.iter().skip(1).map(|(_, result)| result).collect();
    assert!(matches!(
        results[..],
        [Search::Absent, Search::Archive(_), Search::Unreadable(_), Search::Archive(_)]
    ));
    let warned: Vec<String> = android
        .logged()
        .into_iter()
        .filter(|(level, _)| *level == Level::Warning)
        .map(|(_, text)| text)
        .collect();
    assert_eq!(warned.len(), 3);
    assert!(warned[0].contains("/missing.apk") && warned[0].contains("it does not exist"), "{warned:?}");
    assert!(warned[1].contains("/a_file") && warned[2].contains("it is not a ZIP archive"), "{warned:?}");
}

#[test]
fn two_exports_are_required_and_two_are_not() {
    for (option, missing) in [
        ("-DNO_LAYERS_EXPORT", Some("vkEnumerateInstanceLayerProperties")),
        ("-DNO_EXTENSIONS_EXPORT", Some("vkEnumerateInstanceExtensionProperties")),
        ("-DNO_DEVICE_EXPORTS", None),
    ] {
        let simulation = with_application();
        layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", &[option]);
        let found = found(&simulation);
        match missing {
            Some(name) => {
                assert_eq!(*reason(&found), LibraryError::MissingExport { name });
                let logged = simulation.android.logged();
                assert!(logged.iter().any(|(level, text)| *level == Level::Warning && text.contains(name)));
            }
            None => assert!(!found.layer(c"VK_LAYER_a").unwrap().global),
        }
        assert!(simulation.android.open_libraries().is_empty());
    }
}

#[test]
fn questions_are_asked_in_their_order() {
    let simulation = with_application();
    simulation.android.layer(
        &format!("{APPLICATION}/libVkLayer_a.so"),
        &["VK_LAYER_a", "VK_LAYER_b"],
        &["-DDEVICE_LAYERS=1", "-DINSTANCE_EXTENSIONS=\"VK_EXT_one\""],
    );
    let _ = found(&simulation);
    let expected = [
        "InstanceLayer count",
        "DeviceLayer count",
        "InstanceLayer fill",
        "DeviceLayer fill",
        "InstanceExtension count VK_LAYER_a",
        "InstanceExtension fill VK_LAYER_a",
        "DeviceExtension count VK_LAYER_a",
        // Without any, the second call has no array to fill, so it looks like the first.
        "DeviceExtension count VK_LAYER_a",
        "InstanceExtension count VK_LAYER_b",
        "InstanceExtension count VK_LAYER_b",
    ];
    assert_eq!(questions(simulation.android), expected);
}

#[test]
fn without_device_layers_there_is_nothing_more_to_ask_of_devices() {
    for options in [&["-DDEVICE_LAYERS=0"][..], &["-DNO_DEVICE_EXPORTS"]] {
        let simulation = with_application();
        layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", options);
        let _ = found(&simulation);
        let asked = questions(simulation.android);
        assert!(
            !asked.iter().any(|line| line.starts_with("DeviceLayer fill") || line.contains("DeviceExt")),
            "{asked:?}"
        );
    }
}

#[test]
fn any_failure_refuses_the_whole_library() {
    for (failing, name, about) in [
        (1, "vkEnumerateInstanceLayerProperties", ""),
        (2, "vkEnumerateDeviceLayerProperties", ""),
        (3, "vkEnumerateInstanceLayerProperties", ""),
        (4, "vkEnumerateDeviceLayerProperties", ""),
        (5, "vkEnumerateInstanceExtensionProperties", "VK_LAYER_a"),
        (8, "vkEnumerateDeviceExtensionProperties", "VK_LAYER_a"),
        // After the first layer was complete.
        (9, "vkEnumerateInstanceExtensionProperties", "VK_LAYER_b"),
    ] {
        for result in [vk::Result::INCOMPLETE, vk::Result::ERROR_INITIALIZATION_FAILED] {
            let simulation = with_application();
            let options = [format!("-DFAIL_CALL={failing}"), format!("-DFAIL_WITH={}", result.as_raw())];
            simulation.android.layer(
                &format!("{APPLICATION}/libVkLayer_a.so"),
                &["VK_LAYER_a", "VK_LAYER_b"],
                &[&options[0], &options[1]],
            );
            let found = found(&simulation);
            assert!(names(&found).is_empty());
            let LibraryError::CallFailed { name: of, layer, result: number } = reason(&found) else {
                panic!("{:?}", reason(&found))
            };
            assert_eq!(
                (*of, layer.as_slice(), *number),
                (name, about.as_bytes(), result.as_raw()),
                "{failing}"
            );
            assert!(simulation.android.open_libraries().is_empty());
        }
    }
}

#[test]
fn no_layers_and_answers_that_cannot_be_true_refuse_the_library() {
    let layers = "vkEnumerateInstanceLayerProperties";
    let extensions = "vkEnumerateInstanceExtensionProperties";
    for (options, expected) in [
        (&["-DLAYER_COUNT=0"][..], LibraryError::NoLayers),
        (&["-DGIVES=0"], LibraryError::NoLayers),
        (&["-DLAYER_COUNT=4000000000u"], LibraryError::TooMany { name: layers, count: 4_000_000_000 }),
        (&["-DEXTENSION_COUNT=0xffffffffu"], LibraryError::TooMany { name: extensions, count: u32::MAX }),
        (&["-DUNENDED_LAYER"], LibraryError::Unended { name: layers }),
        (
            &["-DUNENDED_EXTENSION", "-DINSTANCE_EXTENSIONS=\"VK_EXT_one\""],
            LibraryError::Unended { name: extensions },
        ),
    ] {
        let simulation = with_application();
        layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", options);
        assert_eq!(*reason(&found(&simulation)), expected);
    }
}

#[test]
fn fewer_layers_than_were_announced_are_those_that_there_are() {
    let simulation = with_application();
    layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", &["-DLAYER_COUNT=3"]);
    assert_eq!(names(&found(&simulation)), ["VK_LAYER_a"]);
}

#[test]
fn a_layer_is_global_if_its_device_layer_is_the_same_byte_for_byte() {
    for (options, global) in [
        (&[][..], true),
        (&["-DDEVICE_LAYERS=0"], false),
        // Bytes that are never read also matter.
        (&["-DGARBAGE=\"x\""], false),
    ] {
        let simulation = with_application();
        let options = [options, &["-DDEVICE_EXTENSIONS=\"VK_EXT_one\",\"VK_EXT_two\""]].concat();
        layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", &options);
        let found = found(&simulation);
        let layer = found.layer(c"VK_LAYER_a").unwrap();
        assert_eq!((layer.global, layer.device_extensions.len()), (global, if global { 2 } else { 0 }));
    }
}

#[test]
fn a_library_may_have_several_layers() {
    let simulation = with_application();
    let layers = ["VK_LAYER_a", "VK_LAYER_b", "VK_LAYER_c"];
    simulation.android.layer(&format!("{APPLICATION}/libVkLayer_all.so"), &layers, &["-DDEVICE_LAYERS=2"]);
    let found = found(&simulation);
    assert_eq!(names(&found), layers);
    let global = [c"VK_LAYER_a", c"VK_LAYER_b", c"VK_LAYER_c"].map(|name| found.layer(name).unwrap().global);
    assert_eq!(global, [true, true, false]);
    assert_eq!(found.candidates[0].decision, LibraryDecision::Used(3));
}

#[test]
fn a_library_is_closed_when_it_has_been_asked() {
    let simulation = with_application();
    layer(simulation.android, "libVkLayer_a.so", "VK_LAYER_a", &[]);
    let _ = found(&simulation);
    let path = format!("{APPLICATION}/libVkLayer_a.so");
    let calls: Vec<String> =
        simulation.android.calls().into_iter().filter(|call| call.ends_with(&path)).collect();
    assert_eq!(calls, [format!("dlopen {path}"), format!("close {path}")]);
    assert!(simulation.android.open_libraries().is_empty());
}

#[test]
fn the_applications_libraries_are_opened_in_its_namespace() {
    let simulation = with_application();
    let android = simulation.android;
    android.change().application_namespace = true;
    android.change().dumpable = true;
    layer(android, "libVkLayer_a.so", "VK_LAYER_a", &[]);
    android.layer(&format!("{DEBUG}/libVkLayer_d.so"), &["VK_LAYER_d"], &[]);
    let _ = found(&simulation);
    let opened: Vec<String> = android.calls().into_iter().filter(|call| call.contains("open")).collect();
    assert_eq!(
        opened,
        [
            format!("dlopen {DEBUG}/libVkLayer_d.so"),
            format!("open-in-application {APPLICATION}/libVkLayer_a.so")
        ]
    );
}

#[test]
fn layers_are_looked_for_once_and_again_after_a_fork() {
    let simulation = with_application();
    let android = simulation.android;
    layer(android, "libVkLayer_a.so", "VK_LAYER_a", &[]);
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                assert_eq!(names(&found(&simulation)), ["VK_LAYER_a"]);
            });
        }
    });
    let opened = |calls: Vec<String>| calls.iter().filter(|call| call.starts_with("dlopen")).count();
    assert_eq!(opened(android.calls()), 1);

    android.change().process += 1;
    android.change().layer_paths = format!("{APPLICATION}:/more");
    android.layer("/more/libVkLayer_b.so", &["VK_LAYER_b"], &[]);
    let after = found(&simulation);
    assert_eq!(names(&after), ["VK_LAYER_a", "VK_LAYER_b"]);
    assert_eq!(after.candidates[0].decision, LibraryDecision::Known);
    assert_eq!(opened(android.calls()), 1, "what is known is not asked again");
}

#[test]
fn a_library_that_calls_back_while_it_is_examined_gets_the_previous_result() {
    let simulation = with_application();
    let android = simulation.android;
    let vulkan = simulation.vulkan();
    let list = exported(c"vkEnumerateInstanceLayerProperties").expect("an exported command");
    layer(android, "libVkLayer_a.so", "VK_LAYER_a", &[&format!("-DREENTER={:#x}", list as usize)]);
    // SAFETY: the library is loaded.
    let listed = unsafe { vulkan.enumerate_instance_layer_properties() }.expect("layers");
    assert_eq!(listed.len(), 1);
    let noted: Vec<String> =
        android.layer_calls().into_iter().filter(|call| call.contains("listed")).collect();
    assert!(!noted.is_empty() && noted.iter().all(|call| call == "VK_LAYER_a listed 0"), "{noted:?}");
}

/// Replaces vkEnumerateInstanceLayerProperties: forks the process while a library is being
/// examined, and checks what the child finds.
unsafe extern "system" fn fork(count: *mut u32, _: *mut vk::LayerProperties) -> vk::Result {
    // SAFETY: the caller passes a valid count.
    unsafe { count.write(0) };
    let Some(android) = FORKS.lock().unwrap().take() else { return vk::Result::SUCCESS };
    android.change().process += 1;
    let loader = platform_android_system::loader::current().expect("a loader");
    *FOUND_IN_CHILD.lock().unwrap() = names(&loader.layers.found(loader).expect("memory"));
    vk::Result::SUCCESS
}
static FORKS: Mutex<Option<&'static Android>> = Mutex::new(None);
static FOUND_IN_CHILD: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[test]
fn a_child_looks_for_layers_itself_if_its_parent_was_about_it() {
    let simulation = with_application();
    let android = simulation.android;
    layer(
        android,
        "libVkLayer_a.so",
        "VK_LAYER_a",
        &[&format!("-DREENTER={:#x}", fork as *const () as usize)],
    );
    *FORKS.lock().unwrap() = Some(android);
    found(&simulation);
    assert_eq!(*FOUND_IN_CHILD.lock().unwrap(), ["VK_LAYER_a"]);
}
