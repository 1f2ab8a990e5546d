use clap::Parser as _;

use super::*;
use crate::Task;
use crate::elf::Segment;

const CODE: Segment =
    Segment { offset: PAGE, address: 3 * PAGE, align: PAGE, is_readable: false, is_executable: true };

#[test]
fn a_library_for_an_sdk_is_not_built_without_its_level() {
    let level = |line: &str| match Task::try_parse_from(format!("xtask fuchsia-abi {line}").split(' ')) {
        Ok(Task::FuchsiaAbi(options)) => Ok(options.api),
        Ok(_) => Err(String::new()),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(level("--api 27 x86_64-unknown-fuchsia"), Ok(Some("27".into())));
    assert_eq!(level("--api PLATFORM"), Ok(Some("PLATFORM".into())));
    for line in
        ["--api 27 --libraries a:b x86_64-unknown-fuchsia", "--libraries a x86_64-unknown-fuchsia --api 27"]
    {
        assert_eq!(level(line), Ok(Some("27".into())));
    }
    assert!(level("--libraries a:b x86_64-unknown-fuchsia").unwrap_err().contains("--api <LEVEL>"));
    assert!(level("--api next").unwrap_err().contains("or NEXT, HEAD, PLATFORM"));
    assert!(level("--api 27 --libraries a:b x86").unwrap_err().contains("aarch64-unknown-fuchsia"));
}

fn good() -> Facts {
    let imports = Imports::of(IMPORTS).unwrap();
    assert_eq!(Vec::from_iter(imports.libraries()), ["libc.so", "libfdio.so", "libzircon.so"]);
    Facts {
        soname: "libvulkan.so".into(),
        needed: imports.libraries().into_iter().map(str::to_owned).collect(),
        exports: lines(EXPORTS).unwrap().into_iter().zip(1..).collect(),
        imports: vec!["memcpy".into(), "zx_channel_call".into()],
        symbols: vec!["vkCmdDraw".into()],
        segments: vec![CODE],
        binds_now: true,
        has_relro: true,
        ..Facts::default()
    }
}

fn complaints(facts: &Facts) -> Vec<String> {
    check(facts, TARGETS[1]).unwrap()
}

#[test]
fn another_name_or_library_or_import_is_a_complaint() {
    assert_eq!(complaints(&good()), [""; 0]);
    let soname = "libvulkan.so.1".into();
    assert_eq!(complaints(&Facts { soname, ..good() }), [r#"SONAME is "libvulkan.so.1", not libvulkan.so"#]);
    assert_eq!(complaints(&Facts { needed: vec!["libc.so".into()], ..good() }).len(), 1);
    let mut facts = good();
    facts.exports.remove("vkCreateImagePipeSurfaceFUCHSIA");
    assert_eq!(
        complaints(&facts),
        ["vkCreateImagePipeSurfaceFUCHSIA is in platform-fuchsia/exports.txt but is not exported"]
    );
    let imports = vec!["secure_getenv".into()];
    let found = complaints(&Facts { imports, ..good() });
    assert_eq!(found, ["it uses secure_getenv, which its list of imports lacks"]);
}

#[test]
fn segments_begin_with_pages_and_code_for_arm_cannot_be_read() {
    let count = |segment, target| check(&Facts { segments: vec![segment], ..good() }, target).unwrap().len();
    assert_eq!(count(Segment { offset: PAGE + 16, ..CODE }, TARGETS[1]), 1);
    assert_eq!(count(Segment { align: 16, ..CODE }, TARGETS[0]), 1);
    assert_eq!(count(Segment { is_readable: true, ..CODE }, TARGETS[0]), 0);
    assert_eq!(count(Segment { is_readable: true, ..CODE }, TARGETS[1]), 1);
    assert_eq!(complaints(&Facts { segments: Vec::new(), ..good() }), ["it has no segments"]);
}
