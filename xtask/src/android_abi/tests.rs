//! The checks on libraries that are as they should be, but for one thing.

use super::*;
use crate::elf::Segment;
use crate::workspace::root;

#[test]
fn the_java_apis_library_exports_one_function_and_uses_listed_ones() {
    let library = &LIBRARIES[2];
    let imports = Imports::of(library.imports).unwrap();
    let complaints = |facts: &Facts| library.complaints(facts, OLDEST).unwrap();
    let good = Facts {
        soname: "libvkload_jni.so".into(),
        needed: imports.libraries().into_iter().map(str::to_owned).collect(),
        exports: [("JNI_OnLoad".into(), 16)].into(),
        versions: [("dlopen".into(), "LIBC".into())].into(),
        imports: vec!["dlopen".into()],
        ..good()
    };
    assert_eq!(complaints(&good), [""; 0]);
    let mut exports = good.exports.clone();
    exports.insert("Java_dev_vkload_Native_open".into(), 32);
    let found = complaints(&Facts { exports, ..good.clone() });
    assert_eq!(found, ["Java_dev_vkload_Native_open is exported but is not in xtask/src/android_abi.rs"]);
    let imports = vec!["pthread_create".into()];
    let found = complaints(&Facts { imports, ..good.clone() });
    assert_eq!(found, ["it uses pthread_create, which its list of imports lacks"]);
    let found = complaints(&Facts { needed: vec!["libc.so".into(), "libc++_shared.so".into()], ..good });
    assert_eq!(found.len(), 1);
}

#[test]
fn each_level_has_as_many_names_as_the_system_of_that_level() {
    let count = |level| commands(level).unwrap().len();
    assert_eq!([28, 31, 33, 34, 35, 36, 37].map(count), [182, 195, 232, 233, 233, 252, 252]);
}

#[test]
fn a_loader_in_an_application_exports_the_same_for_every_level() {
    let exported = |level| LIBRARIES[1].exported(level).unwrap();
    assert_eq!(exported(OLDEST), exported(NEWEST));
    assert!(exported(OLDEST).contains("vkMapMemory2"), "of Vulkan 1.4");
}

/// Returns a library as it should be, which exports the functions of the oldest level.
fn good() -> Facts {
    let names = commands(OLDEST).unwrap();
    let imports: &[&str] = &["memcpy", "dlopen", "__android_log_write"];
    let of_exports = names.iter().map(|name| (name.clone(), COMMANDS.1.to_owned()));
    let of_imports = imports.iter().zip(["LIBC", "LIBC", "LIBLOG"]);
    Facts {
        soname: "libvulkan.so".into(),
        needed: ["libc.so", "libdl.so", "liblog.so"].map(String::from).into(),
        exports: names.iter().cloned().zip((16..).step_by(16)).collect(),
        imports: imports.iter().map(|name| (*name).to_owned()).collect(),
        versions: of_exports
            .chain(of_imports.map(|(name, of)| ((*name).to_owned(), of.to_owned())))
            .collect(),
        symbols: vec!["vkCmdDraw".into()],
        segments: vec![Segment {
            offset: 0,
            address: 0,
            align: PAGE,
            is_readable: true,
            is_executable: true,
        }],
        binds_now: true,
        has_relro: true,
        has_unwind_table: true,
        ..Facts::default()
    }
}

fn complaints(facts: &Facts) -> Vec<String> {
    LIBRARIES[0].complaints(facts, OLDEST).unwrap()
}

#[test]
fn functions_of_other_levels_or_without_the_version_must_not_be_exported() {
    assert_eq!(complaints(&good()), [""; 0]);
    let mut facts = good();
    facts.exports.insert("vkCmdDrawIndirectCount".into(), 8);
    assert_eq!(complaints(&facts).len(), 2, "neither of this level, nor with a version");
    let mut facts = good();
    facts.versions.insert("vkCmdDraw".into(), "LIBC".into());
    assert_eq!(complaints(&facts), ["vkCmdDraw does not have the version LIBVULKAN"]);
}

#[test]
fn small_pages_and_other_libraries_are_found() {
    let small = Segment { offset: 0, address: 0x4000, align: 4096, is_readable: true, is_executable: false };
    let found = complaints(&Facts { segments: vec![small], ..good() });
    assert_eq!(found, ["the segment at 0x4000 cannot be mapped with pages of 16 KiB"]);
    let mut facts = good();
    facts.needed.push("libc++_shared.so".into());
    assert_eq!(complaints(&facts).len(), 1);
    let mut facts = good();
    facts.versions.insert("__android_log_write".into(), "LIBC".into());
    let found = complaints(&facts);
    assert_eq!(found, ["it asks for __android_log_write in the version LIBC, which it does not have"]);
    let mut facts = good();
    facts.imports.push("_Unwind_Resume".into());
    assert_eq!(complaints(&facts).len(), 2, "an unwinder, and not in the list");
}

#[test]
fn a_library_that_ends_backtraces_is_found() {
    let found = complaints(&Facts { has_unwind_table: false, ..good() });
    assert_eq!(found, ["no backtrace goes through it: it lacks PT_GNU_EH_FRAME"]);
}

/// Checks that each stand-in function is named, except those that record nothing.
#[test]
fn the_page_names_what_the_stand_ins_have() {
    let page = fs::read_to_string(root().join("docs/android-apk.md")).unwrap();
    for library in LIBRARIES.iter().filter(|library| library.file != library.soname) {
        let start = format!("| `{}` | `{}` |", library.file, library.soname);
        let line = page.lines().find(|line| line.starts_with(&start)).expect(library.file);
        let named = library.exports.split_whitespace().filter(|name| !name.starts_with("atrace_"));
        let missing: Vec<_> = named.filter(|name| !line.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "{line}: {missing:?}");
    }
}

#[test]
fn the_name_is_the_systems() {
    let soname = "libvkload.so".into();
    assert_eq!(complaints(&Facts { soname, ..good() }), ["SONAME is \"libvkload.so\", not libvulkan.so"]);
}
