//! Programs compute on the example of a driver as they do on lavapipe (`driver-runtime/examples/compute`).
use vkload_programs::{CProgram, Library, Machine, Need, VALIDATION, example_driver, lavapipe, run};

const NEEDS: &[Need] = &[Need::Distribution, Need::Compiler, Need::Lavapipe, Need::Layer(&VALIDATION)];

const LIBRARIES: [fn() -> Library; 2] = [Library::distribution, Library::under_test];

#[test]
fn submissions_timelines_and_events_keep_their_order() {
    if Need::missing(NEEDS) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for a manifest");
    let drivers = [lavapipe(), example_driver(folder.path())];
    for (driver, library) in drivers.iter().flat_map(|driver| LIBRARIES.map(|library| (driver, library()))) {
        let machine = Machine::with_drivers(std::slice::from_ref(driver)).with_layers(&[&VALIDATION]);
        let program = CProgram::compile("timelines", &library, &[]);
        for what in ["", "validate"] {
            let text = run(program.command(&machine, &library).arg(what)).success();
            assert_eq!(
                text, "1000 submissions in order\nevents both ways\n1807 steps in all\n",
                "{driver:?}"
            );
        }
    }
}

#[test]
fn a_program_that_finds_everything_by_name_computes() {
    if Need::missing(NEEDS) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for a manifest");
    let machine = Machine::with_drivers(&[example_driver(folder.path())]);
    for library in LIBRARIES.map(|library| library()) {
        let program = CProgram::compile("probe", &library, &[]);
        let text = run(&mut program.command(&machine, &library)).success();
        assert!(text.contains("compute: 1000 values right, last 4991004"), "{text}");
    }
}

#[test]
fn a_shader_without_an_end_loses_the_device() {
    if Need::missing(NEEDS) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder for a manifest");
    let machine = Machine::with_drivers(&[example_driver(folder.path())]);
    for library in LIBRARIES.map(|library| library()) {
        let program = CProgram::compile("timelines", &library, &[]);
        let text = run(program.command(&machine, &library).arg("endless")).success();
        assert!(text.contains("the device is lost: a shader does not come to an end"), "{text}");
    }
}
