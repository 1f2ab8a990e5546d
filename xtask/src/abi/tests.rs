//! The checks on libraries that are as they should be, but for one thing.

use super::*;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn complaints(facts: &Facts, listed: &[&str]) -> Vec<String> {
    let exports = set(listed);
    let (soname, list) = ("libvulkan.so.1", "exports.txt");
    let needed = BTreeSet::from(["libc.so.6"]);
    Expected { soname, needed, exports, list, ..Expected::default() }.complaints(facts, LOADER)
}

fn good() -> Facts {
    Facts {
        soname: "libvulkan.so.1".into(),
        needed: vec!["libc.so.6".into()],
        exports: [("vkA".into(), 16), ("vkB".into(), 32)].into(),
        symbols: vec!["vkA".into(), "vkB".into()],
        binds_now: true,
        has_relro: true,
        ..Facts::default()
    }
}

#[test]
fn exports_must_equal_the_list_and_have_addresses_of_their_own() {
    assert_eq!(complaints(&good(), &["vkA", "vkB"]), [""; 0]);
    assert_eq!(complaints(&good(), &["vkA"]), ["vkB is exported but is not in exports.txt"]);
    assert_eq!(complaints(&good(), &["vkA", "vkB", "vkC"]), ["vkC is in exports.txt but is not exported"]);
    let folded = Facts { exports: [("vkA".into(), 16), ("vkB".into(), 16)].into(), ..good() };
    assert_eq!(complaints(&folded, &["vkA", "vkB"]), ["vkB and vkA have one address"]);
}

#[test]
fn names_needed_libraries_relocations_and_aborting_allocations_are_compared() {
    let symbols = vec!["_ZN5alloc5alloc18handle_alloc_error17h0123456789abcdefE".into()];
    for wrong in [
        Facts { symbols, ..good() },
        Facts { symbols: Vec::new(), ..good() },
        Facts { soname: "libvulkan.so".into(), ..good() },
        Facts { needed: vec!["libgcc_s.so.1".into(), "libc.so.6".into()], ..good() },
        Facts { needed: Vec::new(), ..good() },
        Facts { has_relro: false, ..good() },
        Facts { wrong: vec!["it has thread-local storage (PT_TLS)".into()], ..good() },
    ] {
        assert_eq!(complaints(&wrong, &["vkA", "vkB"]).len(), 1);
    }
}

fn freestanding_complaints(facts: &Facts) -> usize {
    Expected::default().complaints(facts, &[freestanding]).len()
}

#[test]
fn an_unwinder_or_landing_pads_are_found() {
    let with = |imports: &[&str], sections: &[&str]| {
        let list = |names: &[&str]| set(names).into_iter().collect();
        freestanding_complaints(&Facts {
            imports: list(imports),
            sections: list(sections),
            ..Facts::default()
        })
    };
    assert_eq!(with(&["memcpy"], &[".text", ".eh_frame"]), 0);
    assert_eq!(with(&["rust_eh_personality", "_Unwind_Resume"], &[]), 2);
    assert_eq!(with(&[], &[".gcc_except_table"]), 1);
    let exports = [("rust_eh_personality".to_owned(), 16)].into();
    assert_eq!(freestanding_complaints(&Facts { exports, ..Facts::default() }), 1);
}

#[test]
fn symbols_of_std_are_found_and_others_not() {
    let of = |name: &str| freestanding_complaints(&Facts { symbols: vec![name.into()], ..Facts::default() });
    assert_eq!(of("_ZN3std2io5stdio6_print17h0123456789abcdefE"), 1);
    assert_eq!(of("_RNvNtCsfLfy6EI15iL_3std2rt10lang_start"), 1);
    assert_eq!(of("_ZN4core3std17h0123456789abcdefE"), 0);
    assert_eq!(of("vkCmdDraw_3std"), 0);
}
