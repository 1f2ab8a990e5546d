//! Landing pads, on an emulated processor that enforces them for libraries with the property.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{SOURCES, System, compiler, has_pads, library};

#[test]
fn every_exported_function_is_called_where_landing_pads_are_enforced() {
    if !has_pads() {
        println!("skipped: these libraries have no landing pads; `tests/run.sh arches` runs those that have");
        return;
    }
    let Some(system) = System::new() else { return };
    let status = compiler("cc")
        .args(["-O1", "-o"])
        .arg(system.path("program"))
        .arg(format!("{SOURCES}/pads.c"))
        .status();
    assert!(status.unwrap().success());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../libvulkan.map.txt");
    let script = fs::read_to_string(script).unwrap();
    let names: Vec<_> = script.split_whitespace().filter_map(|word| word.strip_suffix(';')).collect();
    let names: Vec<_> = names.into_iter().filter(|name| name.starts_with("vk")).collect();
    let list = system.file("names", names.join("\n"));
    let called = format!("enforced: yes\ncalls: {}, arrived: ", names.len());
    for name in ["libvulkan.so", "libvkload.so"] {
        let Some(library) = library(name) else { return };
        let mut program: Command = system.command(&[]);
        let output = program.arg(library).arg(&list).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with(&called) && said.ends_with(", refused: 0\n"), "{name}: {output:?}");
    }
}
