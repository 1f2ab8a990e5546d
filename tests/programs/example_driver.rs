//! Programs fill and copy on the example of a driver as they do on lavapipe (`driver-runtime/examples/transfer`).
use vkload_tests::programs::{CProgram, Library, Machine, Need, VALIDATION, example_driver, lavapipe, run};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[Need::Distribution, Need::Compiler, Need::Lavapipe, Need::Layer(&VALIDATION)];

const LIBRARIES: [fn() -> Library; 2] = [Library::distribution, Library::under_test];

#[test]
fn a_compute_shader_has_the_right_results() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for a manifest");
    let driver = example_driver(folder.path());
    for library in LIBRARIES.map(|library| library()) {
        let machine = Machine::with_drivers(std::slice::from_ref(&driver)).with_layers(&[&VALIDATION]);
        let program = CProgram::compile("sum", &library, &[]);
        let text = run(&mut program.command(&machine, &library)).success();
        assert!(!text.contains("VUID") && !text.contains("Validation"), "{text}");
    }
}

#[test]
fn submissions_timelines_and_events_keep_their_order() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for a manifest");
    let drivers = [lavapipe(), example_driver(folder.path())];
    for (driver, library) in drivers.iter().flat_map(|driver| LIBRARIES.map(|library| (driver, library()))) {
        let machine = Machine::with_drivers(std::slice::from_ref(driver)).with_layers(&[&VALIDATION]);
        let program = CProgram::compile("timelines", &library, &[]);
        for what in ["", "validate"] {
            let text = run(program.command(&machine, &library).arg(what)).success();
            assert_eq!(
                text, "1000 submissions in order\nevents both ways\na secondary command buffer\n",
                "{driver:?}"
            );
        }
    }
}
