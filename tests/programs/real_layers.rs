//! Layers from Debian packages behave on our library as on the distribution's.
use std::fs;
use std::process::{Child, Command, Stdio};

use vkload_tests::programs::{
    CProgram, DEVICE_SELECT, Library, MANGOHUD, MESA_OVERLAY, Machine, Need, Picture, RENDERDOC, RealLayer,
    Screen, VALIDATION, VKBASALT, lavapipe, run, same_as_distribution,
};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[
    Need::Distribution,
    Need::Lavapipe,
    Need::Compiler,
    Need::Program("Xvfb"),
    Need::Program("vkcube"),
    Need::Program("vulkaninfo"),
    Need::Layer(&VALIDATION),
    Need::Layer(&MESA_OVERLAY),
    Need::Layer(&DEVICE_SELECT),
    Need::Layer(&MANGOHUD),
    Need::Layer(&VKBASALT),
    Need::Layer(&RENDERDOC),
];

/// Far more pictures than a person could wait for; far fewer than would hang a broken test for ever.
const LONGEST_WAIT: u32 = 20_000;

/// Machines with one driver each: Mesa's, and one that moves bytes and draws nothing.
static DRIVERS: [fn() -> Machine; 2] = [|| Machine::with_drivers(&[lavapipe()]), Machine::with_null_driver];

/// The background of `vkcube`.
const GREY: u32 = 0x33_3333;

/// The position of overlays: the upper left corner of `vkcube`'s window, which the cube never reaches.
const CORNER: (usize, usize) = (100, 100);
const CORNER_SIZE: (usize, usize) = (160, 60);

#[test]
fn validation_reports_a_mistake_and_is_silent_on_a_correct_program() {
    skip_unless!(NEEDS);
    let machines = DRIVERS.map(|driver| driver().with_layers(&[&VALIDATION]));
    let libraries = [Library::distribution(), Library::under_test()];
    for (machine, library) in
        machines.iter().flat_map(|machine| libraries.iter().map(move |it| (machine, it)))
    {
        let program = CProgram::compile("validate", library, &[]);
        let said = |what| run(program.command(machine, library).arg(what)).success();
        assert_eq!(said("nothing"), "");
        for (what, identifier) in
            [("mistake", "VUID-VkBufferCreateInfo-size-00912"), ("leak", "VUID-vkDestroyDevice-device-00378")]
        {
            let heard = said(what);
            assert_eq!(heard.lines().next(), Some(identifier), "{heard}");
        }
    }
}

/// Without a messenger the layer writes to the standard output.
#[test]
fn validation_finds_nothing_to_say_about_drawing_and_computing() {
    skip_unless!(NEEDS);
    let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[&VALIDATION]);
    let library = Library::under_test();
    for (name, libraries) in [("draw", &[][..]), ("probe", &["dl"])] {
        let program = CProgram::compile(name, &library, libraries);
        let plain = run(&mut program.command(&machine, &library)).success();
        let checked =
            run(program.command(&machine, &library).env("VK_INSTANCE_LAYERS", VALIDATION.name)).success();
        assert_eq!(checked, plain, "{name}");
    }
}

#[test]
fn device_select_lists_the_devices() {
    skip_unless!(NEEDS);
    for (driver, device) in DRIVERS.into_iter().zip(["10005:0 \"llvmpipe", "0:0 \"null\""]) {
        let machine = driver().with_layers(&[&DEVICE_SELECT]);
        let list = |library: &Library| {
            let mut command = machine.command(library, "vulkaninfo");
            run(command.arg("--summary").env("MESA_VK_DEVICE_SELECT", "list")).stderr
        };
        let (theirs, ours) = (list(&Library::distribution()), list(&Library::under_test()));
        assert!(ours.contains(&format!("selectable devices:\n  GPU 0: {device}")), "{ours}");
        assert_eq!(ours, theirs);
    }
}

/// Drawing does nothing on the null driver, so only the layers' own output can be checked.
#[test]
fn the_overlays_run_on_a_driver_that_draws_nothing() {
    skip_unless!(NEEDS);
    let words = [(&MANGOHUD, "[MANGOHUD]"), (&VKBASALT, "vkBasalt info:  effects = cas")];
    for (layer, words) in words.into_iter().chain([(&RENDERDOC, ""), (&MESA_OVERLAY, "")]) {
        let screen = Screen::start();
        let machine = Machine::with_null_driver().with_layers(&[layer]).with_display(screen.display());
        fs::write(machine.work().join("vkBasalt.conf"), "effects = cas\n").expect("vkBasalt's settings");
        let mut command = machine.command(&Library::under_test(), "vkcube");
        command.args(["--c", "3"]).env("VKBASALT_LOG_LEVEL", "info");
        command.env("VKBASALT_CONFIG_FILE", machine.work().join("vkBasalt.conf"));
        activate(layer, &mut command);
        let output = run(&mut command);
        assert!(
            output.stderr.contains(words) && output.stderr.contains("Selected GPU 0: null"),
            "{output:?}"
        );
    }
}

#[test]
fn without_layers_the_corner_of_the_picture_is_empty() {
    skip_unless!(NEEDS);
    let mut cube = Cube::start(&[], |_| {});
    let picture = cube.wait_for(|picture| picture.lit() > 100_000 && picture.colours() > 100);
    assert_eq!(colours_of_corner(&picture), 1);
    assert!(picture.of_colour(GREY) > 50_000, "{}", picture.of_colour(GREY));
}

#[test]
fn the_overlays_are_in_the_picture() {
    skip_unless!(NEEDS);
    for layer in [&MANGOHUD, &RENDERDOC, &MESA_OVERLAY] {
        let mut cube = Cube::start(&[layer], |_| {});
        let drawn = |picture: &Picture| picture.lit() > 100_000 && colours_of_corner(picture) > 10;
        cube.wait_for(drawn);
    }
}

/// A table of colours that turns each one into its opposite.
#[test]
fn vkbasalt_changes_the_colours() {
    skip_unless!(NEEDS);
    let folder = tempfile::tempdir().expect("a folder for vkBasalt's files");
    let (table, configuration) = (folder.path().join("opposite.cube"), folder.path().join("vkBasalt.conf"));
    let opposites = (0..8).map(|corner| {
        let part = |bit: u32| 1 - (corner >> bit & 1);
        format!("{} {} {}\n", part(0), part(1), part(2))
    });
    fs::write(&table, format!("LUT_3D_SIZE 2\n{}", opposites.collect::<String>())).expect("a table");
    fs::write(&configuration, format!("effects = lut\nlutFile = \"{}\"\n", table.display()))
        .expect("a configuration");
    let mut cube = Cube::start(&[&VKBASALT], |command| {
        command.env("VKBASALT_CONFIG_FILE", &configuration);
    });
    let picture = cube.wait_for(|picture| picture.of_colour(0xff_ffff - GREY) > 50_000);
    assert_eq!(picture.of_colour(GREY), 0);
}

/// Names, versions, descriptions and extensions of all layers.
#[test]
fn vulkaninfo_lists_the_same_layers() {
    skip_unless!(NEEDS);
    let all = [&VALIDATION, &MESA_OVERLAY, &DEVICE_SELECT, &MANGOHUD, &VKBASALT, &RENDERDOC];
    let ours = Library::under_test();
    for (driver, name) in DRIVERS.into_iter().zip(["text-layers", "text-layers-null"]) {
        let machine = driver().with_layers(&all);
        let text = |library: &Library| run(&mut machine.command(library, "vulkaninfo")).success();
        let (theirs, text) = (text(&Library::distribution()), text(&ours));
        for layer in all {
            assert!(text.contains(layer.name), "{} is missing", layer.name);
        }
        same_as_distribution(name, &theirs, &text, &ours);
    }
}

/// Programs' output does not depend on the loader, whichever layer is active.
#[test]
fn programs_print_the_same_with_each_layer_on_both_libraries() {
    skip_unless!(NEEDS);
    let (theirs, ours) = (Library::distribution(), Library::under_test());
    for layer in [&VALIDATION, &MESA_OVERLAY, &DEVICE_SELECT, &MANGOHUD, &VKBASALT] {
        for driver in DRIVERS {
            let machine = driver().with_order_layer().with_layers(&[layer]);
            for name in ["enumerate", "device"] {
                let text = |library: &Library| {
                    let program = CProgram::compile(name, library, &[]);
                    let mut command = program.command(&machine, library);
                    activate(layer, &mut command);
                    (run(&mut command), machine.order())
                };
                let (expected, shown) = (text(&theirs), text(&ours));
                let shown = (shown.0.success(), shown.1);
                // If a driver or layer returns a function for vkCreateInstance although the specification requires NULL, the distribution's
                // library passes it on.
                if !expected.0.status.success() {
                    assert_eq!(name, "device", "{} {:?}", layer.name, expected.0);
                    continue;
                }
                let expected = (expected.0.stdout, expected.1);
                assert_eq!(shown.1, expected.1, "{name} with {}", layer.name);
                assert!(shown.1.contains(layer.library), "{name} with {}: {}", layer.name, shown.1);
                let run = format!("{name}-{}", layer.name);
                same_as_distribution(&run, &expected.0, &shown.0, &ours);
            }
        }
    }
}

fn colours_of_corner(picture: &Picture) -> usize {
    picture.colours_within(CORNER, CORNER_SIZE)
}

fn activate(layer: &RealLayer, command: &mut Command) {
    match layer.switch {
        Some(_) => layer.switch(command, true),
        None => _ = command.env("VK_INSTANCE_LAYERS", layer.name),
    }
}

/// A running `vkcube` on a display of its own, with some layers active.
struct Cube {
    screen: Screen,
    child: Child,
    _machine: Machine,
    _library: Library,
}

impl Cube {
    fn start(layers: &[&RealLayer], settings: impl FnOnce(&mut Command)) -> Self {
        let screen = Screen::start();
        let machine = Machine::with_drivers(&[lavapipe()]).with_layers(layers).with_display(screen.display());
        let library = Library::under_test();
        let mut command = machine.command(&library, "vkcube");
        command.args(["--c", "3000"]).stdout(Stdio::null()).stderr(Stdio::null());
        layers.iter().for_each(|layer| activate(layer, &mut command));
        settings(&mut command);
        let child = command.spawn().expect("install the Debian package vulkan-tools");
        Self { screen, child, _machine: machine, _library: library }
    }

    /// Looks at the display until `enough` says so, or the program ends.
    fn wait_for(&mut self, enough: impl Fn(&Picture) -> bool) -> Picture {
        for _ in 0..LONGEST_WAIT {
            let picture = self.screen.picture();
            if enough(&picture) {
                return picture;
            }
            let ended = self.child.try_wait().expect("the program's state");
            assert!(ended.is_none(), "it ended without that picture: {ended:?}");
        }
        panic!("not in the picture, whose corner has {} colours", colours_of_corner(&self.screen.picture()));
    }
}

impl Drop for Cube {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
