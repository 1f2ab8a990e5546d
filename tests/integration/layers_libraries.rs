//! How long the libraries of layers stay open.
use std::fs;
use std::os::unix::fs::symlink;

use ash::vk;
use vkload_tests::layered::{A, B, good};
use vkload_tests::{Ask, Layer, Run, Scenario, Vk, in_a_copy, wait_for_the_clock_of_files};

fn library(vk: &Vk, layer: &str) -> std::path::PathBuf {
    vk.path(&format!("lib/lib{layer}.so"))
}

fn replace(vk: &Vk, layer: &str) {
    let (file, new) = (library(vk, layer), vk.path("new.so"));
    fs::copy(&file, &new).unwrap();
    fs::rename(&new, &file).unwrap();
}

fn times(run: &Run, layer: &str, event: &str) -> usize {
    run.trace(layer).calls(event).len()
}

fn three_instances(vk: &Vk) {
    wait_for_the_clock_of_files(vk);
    for _ in 0..3 {
        assert_eq!(vk.instance().names(), ["gpu"]);
    }
    vk.say("loaded", vk.is_loaded(A));
}

#[test]
fn the_library_of_a_layer_is_opened_once_and_closed_with_the_loader() {
    let run = Scenario::new().driver(good()).layer(Layer::new(A).implicit()).run(three_instances);
    run.ok().says("loaded", true);
    assert_eq!(times(&run, A, "load"), 1);
    assert_eq!(times(&run, A, "vkCreateInstance"), 3);
    assert_eq!(times(&run, A, "negotiate"), 3, "every instance has a layer that was negotiated with");
    assert_eq!(times(&run, A, "unload"), 1);
}

#[test]
fn a_library_that_the_dynamic_linker_finds_is_opened_once() {
    let layer = Layer::new(A).implicit().library_path(&format!("lib{A}.so"));
    let run = Scenario::new()
        .driver(good())
        .env("LD_LIBRARY_PATH", "SANDBOX/lib")
        .layer(layer.clone())
        .run(three_instances);
    run.ok().says("loaded", true);
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (1, 1));

    let run = Scenario::new().driver(good()).env("LD_LIBRARY_PATH", "SANDBOX/lib").layer(layer).run(|vk| {
        three_instances(vk);
        replace(vk, A);
        wait_for_the_clock_of_files(vk);
        three_instances(vk);
    });
    assert_eq!((times(run.ok(), A, "load"), times(&run, A, "unload")), (2, 2));
}

/// As in the manifests of MangoHud and vkBasalt.
#[test]
fn a_path_with_a_name_that_the_dynamic_linker_replaces_is_opened_once() {
    let layer = Layer::new(A).implicit().library_path(&format!("../../../$LIB/lib{A}.so"));
    let run = Scenario::new()
        .driver(good())
        .layer(layer)
        .with(|sandbox| {
            // The values of $LIB, with and without folders for each processor.
            symlink("lib", sandbox.path("lib64")).unwrap();
            symlink(".", sandbox.path(format!("lib/{}-linux-gnu", std::env::consts::ARCH))).unwrap();
        })
        .run(three_instances);
    run.ok().says("loaded", true);
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (1, 1));
}

#[test]
fn what_changes_the_list_of_layers_closes_no_library_that_is_still_listed() {
    let run = Scenario::new().driver(good()).layer(Layer::new(A).implicit()).layer(Layer::new(B)).run(|vk| {
        wait_for_the_clock_of_files(vk);
        drop(vk.create(&Ask::new().layer(B)).unwrap());
        let manifest = vk.path(&format!("data/vulkan/explicit_layer.d/{B}.json"));
        fs::copy(&manifest, vk.path("data/vulkan/explicit_layer.d/copy.json")).unwrap();
        drop(vk.create(&Ask::new().layer(B)).unwrap());
        fs::remove_file(vk.path("data/vulkan/explicit_layer.d/copy.json")).unwrap();
        fs::remove_file(manifest).unwrap();
        assert_eq!(vk.instance().names(), ["gpu"]);
        // An instance without explicit layers does not look for them.
        let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
        assert_eq!(layers.len(), 1);
        vk.say("loaded", vk.is_loaded(A));
        vk.say("removed", vk.is_loaded(B));
    });
    run.ok().says("loaded", true).says("removed", false);
    assert_eq!((times(&run, A, "load"), times(&run, B, "load")), (1, 1));
}

#[test]
fn a_library_that_was_replaced_is_opened_again_once_nothing_uses_it() {
    let run = Scenario::new().driver(good()).layer(Layer::new(A).implicit()).run(|vk| {
        wait_for_the_clock_of_files(vk);
        let first = vk.instance();
        replace(vk, A);
        wait_for_the_clock_of_files(vk);
        // As long as the first one is alive, the dynamic linker has no other library by this name.
        let second = vk.instance();
        assert_eq!((first.names(), second.names()), (vec!["gpu".to_owned()], vec!["gpu".to_owned()]));
        drop(first);
        vk.say("while the second lives", second.names().join(","));
        drop(second);
        three_instances(vk);
    });
    run.ok().says("while the second lives", "gpu");
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (2, 2));
    assert_eq!(times(&run, A, "vkCreateInstance"), 5);
    assert_eq!(times(&run, A, "vkDestroyInstance"), 5);
    let trace = run.trace(A);
    let second_load = trace.commands().iter().rposition(|command| *command == "load").unwrap();
    let before = trace.commands()[..second_load].iter().filter(|it| **it == "vkDestroyInstance").count();
    assert_eq!(before, 2);
}

/// Says the extensions of layer A before and after an instance with it was created.
fn use_a(vk: &Vk) {
    let layers = || {
        let layers = unsafe { vk.entry.enumerate_instance_layer_properties() }.unwrap();
        let all =
            layers.iter().map(|layer| layer.description_as_c_str().unwrap().to_string_lossy().into_owned());
        all.collect::<Vec<_>>().join(",")
    };
    vk.say("before", layers());
    vk.say("result", vkload_tests::code(&vk.create(&Ask::new().layer(A)).map(drop)));
    vk.say("after", layers());
    let name = std::ffi::CString::new(A).unwrap();
    let extensions = unsafe { vk.entry.enumerate_instance_extension_properties(Some(&name)) };
    vk.say("extensions", vkload_tests::code(&extensions.map(|list| vk.say("count", list.len()))));
}

/// Returns a manifest of layer A that is found first.
fn first_manifest(library: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.2.0", "layer": {{"name": "{A}", "type": "GLOBAL", "library_path": "{library}",
            "api_version": "1.3.0", "implementation_version": "1", "description": "first"}}}}"#
    )
}

const FIRST: &str = "data/vulkan/explicit_layer.d/VK_LAYER_TEST_0.json";

#[test]
fn a_layer_whose_library_does_not_open_gives_way_to_the_next_of_its_name() {
    let mut other_width = fs::read("/proc/self/exe").unwrap();
    other_width[4] = 3 - other_width[4];
    other_width.truncate(4096);
    for library in ["/nonexistent.so", "SANDBOX/other.so"] {
        let layer = Layer::new(A).instance_extension("VK_EXT_layer_only");
        let scenario = Scenario::new().log().driver(good()).layer(layer).file("other.so", &other_width);
        let library = library.replace("SANDBOX", scenario.sandbox().path("").to_str().unwrap());
        let run = scenario.file(FIRST, first_manifest(&library)).run(use_a);
        run.ok()
            .says("before", "first")
            .says("result", "SUCCESS")
            .says("extensions", "SUCCESS")
            .says("count", 1);
        assert_ne!(run.said("after"), "first");
        run.logs(&["WARNING", "VK_LAYER_TEST_a.json", "tried instead"]);
        assert_eq!(times(&run, A, "vkCreateInstance"), 1);
    }
}

#[test]
fn a_layer_is_refused_if_no_library_of_its_name_opens() {
    let second = Layer::new(A).library_path("/nonexistent-either.so");
    let scenario = Scenario::new().log().driver(good()).layer(second);
    let run = scenario.file(FIRST, first_manifest("/nonexistent.so")).run(use_a);
    run.ok()
        .says("result", "ERROR_LAYER_NOT_PRESENT")
        .says("extensions", "ERROR_LAYER_NOT_PRESENT")
        .says("after", "");
    run.logs(&["ERROR", "nonexistent-either.so"]);
}

#[test]
fn a_layer_that_does_not_negotiate_keeps_its_name() {
    let first = Layer::new(B).refuses(vk::Result::ERROR_INITIALIZATION_FAILED).folder("nowhere");
    let scenario = Scenario::new().driver(good()).layer(first).layer(Layer::new(A));
    let library = scenario.sandbox().path(format!("lib/lib{B}.so"));
    let run = scenario.file(FIRST, first_manifest(library.to_str().unwrap())).run(use_a);
    run.ok().says("result", "ERROR_LAYER_NOT_PRESENT");
}

#[test]
fn a_layer_that_was_refused_is_closed() {
    let layer = Layer::new(A).implicit().refuses(vk::Result::ERROR_INITIALIZATION_FAILED);
    let run = Scenario::new().driver(good()).layer(layer).run(|vk| {
        wait_for_the_clock_of_files(vk);
        assert_eq!(vk.instance().names(), ["gpu"]);
        vk.say("loaded", vk.is_loaded(A));
        assert_eq!(vk.instance().names(), ["gpu"]);
    });
    run.ok().says("loaded", false);
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (2, 2));
}

#[test]
fn a_layer_with_pre_instance_functions_stays_open_between_calls() {
    const FUNCTIONS: &str = r#"{"vkEnumerateInstanceVersion": "test_preVersion"}"#;
    let layer = Layer::new(A).implicit().field("pre_instance_functions", FUNCTIONS);
    let run = Scenario::new().driver(good()).layer(layer.does_with("version", 7)).run(|vk| {
        wait_for_the_clock_of_files(vk);
        for _ in 0..2 {
            vk.say("version", unsafe { vk.entry.try_enumerate_instance_version() }.unwrap().unwrap());
        }
        assert_eq!(vk.instance().names(), ["gpu"]);
    });
    run.ok().says("version", 7);
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (1, 1));
}

/// A copy of the process has the libraries open as well, and closes them for itself.
#[test]
fn a_forked_child_goes_on_with_the_open_library() {
    let run = Scenario::new().driver(good()).layer(Layer::new(A).implicit()).run(|vk| {
        wait_for_the_clock_of_files(vk);
        drop(vk.instance());
        vk.say("child", in_a_copy(|| vk.instance().names() == ["gpu"]).0);
        drop(vk.instance());
    });
    run.ok().says("child", 0);
    assert_eq!((times(&run, A, "load"), times(&run, A, "unload")), (1, 1));
}
