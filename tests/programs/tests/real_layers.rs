//! Layers that Debian packages do on our library what they do on the distribution's.
use std::fs;
use std::process::{Child, Command, Stdio};

use vkload_programs::{
    CProgram, DEVICE_SELECT, Library, MANGOHUD, MESA_OVERLAY, Machine, Need, Picture, RENDERDOC, RealLayer,
    Screen, VALIDATION, VKBASALT, lavapipe, run, same_as_distribution,
};

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

/// The background of `vkcube`.
const GREY: u32 = 0x33_3333;

/// Where overlays begin: the upper left corner of `vkcube`'s window, where the cube never gets to.
const CORNER: (usize, usize) = (100, 100);
const CORNER_SIZE: (usize, usize) = (160, 60);

#[test]
fn validation_reports_a_mistake_and_is_silent_on_a_correct_program() {
    if Need::missing(NEEDS) {
        return;
    }
    let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[&VALIDATION]);
    for library in [Library::distribution(), Library::under_test()] {
        let program = CProgram::compile("validate", &library, &[]);
        let said = |what| run(program.command(&machine, &library).arg(what)).success();
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
    if Need::missing(NEEDS) {
        return;
    }
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
    if Need::missing(NEEDS) {
        return;
    }
    let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&[&DEVICE_SELECT]);
    let list = |library: &Library| {
        let mut command = machine.command(library, "vulkaninfo");
        run(command.arg("--summary").env("MESA_VK_DEVICE_SELECT", "list")).stderr
    };
    let (theirs, ours) = (list(&Library::distribution()), list(&Library::under_test()));
    assert!(ours.contains("selectable devices:\n  GPU 0: 10005:0 \"llvmpipe"), "{ours}");
    assert_eq!(ours, theirs);
}

#[test]
fn without_layers_the_corner_of_the_picture_is_empty() {
    if Need::missing(NEEDS) {
        return;
    }
    let mut cube = Cube::start(&[], |_| {});
    let picture = cube.wait_for(|picture| picture.lit() > 100_000 && picture.colours() > 100);
    assert_eq!(colours_of_corner(&picture), 1);
    assert!(picture.of_colour(GREY) > 50_000, "{}", picture.of_colour(GREY));
}

#[test]
fn the_overlays_are_in_the_picture() {
    if Need::missing(NEEDS) {
        return;
    }
    for layer in [&MANGOHUD, &RENDERDOC, &MESA_OVERLAY] {
        let mut cube = Cube::start(&[layer], |_| {});
        let drawn = |picture: &Picture| picture.lit() > 100_000 && colours_of_corner(picture) > 10;
        cube.wait_for(drawn);
    }
}

/// A table of colours that turns each one into its opposite.
#[test]
fn vkbasalt_changes_the_colours() {
    if Need::missing(NEEDS) {
        return;
    }
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
    if Need::missing(NEEDS) {
        return;
    }
    let all = [&VALIDATION, &MESA_OVERLAY, &DEVICE_SELECT, &MANGOHUD, &VKBASALT, &RENDERDOC];
    let machine = Machine::with_drivers(&[lavapipe()]).with_layers(&all);
    let ours = Library::under_test();
    let text = |library: &Library| run(&mut machine.command(library, "vulkaninfo")).success();
    let (theirs, text) = (text(&Library::distribution()), text(&ours));
    for layer in all {
        assert!(text.contains(layer.name), "{} is missing", layer.name);
    }
    same_as_distribution("text-layers", &theirs, &text, &ours);
}

fn colours_of_corner(picture: &Picture) -> usize {
    picture.colours_within(CORNER, CORNER_SIZE)
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
        for layer in layers {
            match layer.switch {
                Some(_) => layer.switch(&mut command, true),
                None => _ = command.env("VK_INSTANCE_LAYERS", layer.name),
            }
        }
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
