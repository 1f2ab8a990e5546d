//! `vkload info` as on Fuchsia: its report on a loader over a simulated system, whose loader service hands out the null
//! driver as memory.

use std::path::PathBuf;

use fuchsia_simulation::{LoaderService, Process, Simulation};
use serde_json::{Value, json};

/// Returns the null driver, which cargo puts next to the tests.
fn null_driver() -> PathBuf {
    std::env::current_exe().expect("a test").parent().expect("a folder").join("libvkload_null.so")
}

/// Returns the output of `vkload info`, for people and for programs.
fn shown(simulation: &'static Simulation) -> (String, Value) {
    let process = Process::new(simulation, &[]);
    process.run(|entry| {
        let text = vkload::report(process.loader, entry, false, false);
        let json = vkload::report(process.loader, entry, true, true);
        (text, serde_json::from_str(&json).expect("JSON"))
    })
}

#[test]
fn info_shows_the_driver_of_the_service_and_its_device() {
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&null_driver())));
    let (text, report) = shown(simulation);
    for line in [
        "/svc/fuchsia.vulkan.loader.Loader/manifests/0-libvkload_null.so.json  1.3.0   yes, devices: 1\n",
        "  null  other",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let driver = &report["drivers"][0];
    assert_eq!(driver["foundBy"], "the loader service", "{report:#}");
    assert_eq!(driver["library"], "0-libvkload_null.so");
    assert_eq!((&driver["used"], &driver["devices"]), (&json!(true), &json!(1)), "{report:#}");
    assert_eq!(report["devices"].as_array().map(Vec::len), Some(1), "{report:#}");
    assert_eq!(report["devices"][0]["name"], "null");
    let extensions = report["instanceExtensions"].as_array().expect("extensions");
    assert!(extensions.iter().any(|one| one["name"] == "VK_EXT_debug_utils"), "{report:#}");
    let searched = report["searched"].as_array().expect("a list");
    assert_eq!(searched.len(), 1, "the service replaces the folders: {report:#}");
    assert_eq!(simulation.open_handles(), ["devices", "loader"]);
    assert_eq!(simulation.open_files(), ["manifests"]);
}

#[test]
fn info_shows_the_folders_that_are_searched_without_the_service() {
    let simulation = Simulation::new(None);
    simulation.add_library("/pkg/lib/libvkload_null.so", &null_driver());
    simulation.add_file(
        "/pkg/data/vulkan/icd.d/null.json",
        r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "libvkload_null.so", "api_version": "1.3.0"}}"#,
    );
    let (_, report) = shown(simulation);
    let searched: Vec<_> = report["searched"].as_array().expect("a list").iter().collect();
    let path_and_content: Vec<_> =
        searched.iter().map(|folder| (folder["path"].as_str(), folder["found"].as_str())).collect();
    assert_eq!(
        path_and_content,
        [
            ("/svc/fuchsia.vulkan.loader.Loader/manifests", "nothing"),
            ("/vulkan-loader-configuration/vulkan/icd.d", "nothing"),
            ("/pkg/data/vulkan/icd.d", "1 manifest"),
        ]
        .map(|(path, found)| (Some(path), Some(found)))
    );
    assert_eq!(report["drivers"][0]["used"], true, "{report:#}");
    assert_eq!(report["devices"].as_array().map(Vec::len), Some(1), "{report:#}");
}

#[test]
fn info_says_why_a_library_from_the_service_is_not_a_driver() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = folder.path().join("libbroken.so");
    std::fs::write(&broken, "no library").expect("a file");
    let simulation =
        Simulation::new(Some(LoaderService::new().with_driver(&broken).with_driver(&null_driver())));
    let (_, report) = shown(simulation);
    let drivers = &report["drivers"];
    assert_eq!(drivers[0]["outcome"], "does-not-open", "{report:#}");
    assert_eq!((&drivers[1]["used"], &drivers[1]["devices"]), (&json!(true), &json!(1)), "{report:#}");
}

#[test]
fn info_shows_the_layers_of_the_package() {
    let simulation = Simulation::new(Some(LoaderService::new().with_driver(&null_driver())));
    simulation.add_file(
        "/pkg/data/vulkan/explicit_layer.d/layer.json",
        r#"{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_of_package", "type": "GLOBAL",
        "library_path": "liblayer.so", "api_version": "1.0.38", "implementation_version": "2",
        "description": "of the package", "introduction": "Read from the simulated files."}}"#,
    );
    let (_, report) = shown(simulation);
    let layer = &report["layers"][0];
    assert_eq!(layer["name"], "VK_LAYER_of_package", "{report:#}");
    assert_eq!(layer["outcome"], "not-asked-for");
    assert_eq!(layer["introduction"], "Read from the simulated files.");
}
