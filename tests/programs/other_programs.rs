//! Larger programs: a video player, video filters, Direct3D 12 and OpenGL on Vulkan, toolkits, a capture that is replayed, a second
//! driver, and a program on wgpu.
use std::fs;
use std::path::Path;
use std::process::Stdio;

use vkload_tests::programs::{
    GFXRECONSTRUCT, Library, Machine, Need, Picture, Running, Screen, lavapipe, run, same_as_distribution,
    swiftshader,
};
use vkload_tests::skip_unless;
use vkload_tests::target_folder;

/// mpv draws a test picture by libplacebo, which takes a device without hardware only if it is named.
#[test]
fn mpv_shows_a_video() {
    let programs = ["mpv", "Xvfb", "vulkaninfo"].map(Need::Program);
    skip_unless!(&programs);
    skip_unless!(&[Need::Lavapipe]);
    let screen = Screen::start();
    let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
    let library = Library::under_test();
    let summary = run(machine.command(&library, "vulkaninfo").arg("--summary")).success();
    let device = summary.lines().find_map(|line| line.trim().strip_prefix("deviceName")?.split_once("= "));
    let mut mpv = machine.command(&library, "mpv");
    mpv.args([
        "--no-config",
        "--vo=gpu",
        "--gpu-api=vulkan",
        "--gpu-context=x11vk",
        "--fs",
        "--osc=no",
        "--ao=null",
    ]);
    mpv.arg(format!("--vulkan-device={}", device.expect("a device").1));
    mpv.arg("av://lavfi:testsrc=size=640x480:rate=10").stdout(Stdio::null()).stderr(Stdio::null());
    // The colours of the test picture, each over a large part of it.
    Running::start(&mut mpv).wait_for_picture(&screen, |picture| {
        [0x00_00ff, 0x00_ff00, 0xff_0000, 0xff_ff00].iter().all(|colour| picture.of_colour(*colour) > 10_000)
    });
}

/// ffmpeg's filters are compute shaders; their results are compared bit by bit.
#[test]
fn ffmpeg_filters_a_video_as_on_the_distributions_loader() {
    skip_unless!(&[Need::Program("ffmpeg"), Need::Lavapipe, Need::Distribution]);
    let machine = Machine::with_drivers(&[lavapipe()]);
    let frames = |library: &Library| {
        let mut ffmpeg = machine.command(library, "ffmpeg");
        ffmpeg.args(["-loglevel", "error", "-init_hw_device", "vulkan=v:0", "-filter_hw_device", "v"]);
        ffmpeg.args(["-f", "lavfi", "-i", "testsrc=size=320x240:rate=5", "-frames:v", "5", "-vf"]);
        ffmpeg.arg("format=yuv420p,hwupload,avgblur_vulkan=sizeX=5,hwdownload,format=yuv420p");
        run(ffmpeg.args(["-f", "framemd5", "-"])).success()
    };
    let ours = frames(&Library::under_test());
    assert_eq!(ours.lines().filter(|line| !line.starts_with('#')).count(), 5, "{ours}");
    assert_eq!(ours, frames(&Library::distribution()));
}

/// vkd3d makes Direct3D 12 of Vulkan.
#[test]
fn vkd3d_draws_by_direct3d() {
    skip_unless!(&["vkd3d-triangle", "vkd3d-gears", "Xvfb"].map(Need::Program));
    skip_unless!(&[Need::Lavapipe]);
    for (program, colours) in [("vkd3d-triangle", 1_000), ("vkd3d-gears", 100)] {
        let screen = Screen::start();
        let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
        let mut command = machine.command(&Library::under_test(), program);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Running::start(&mut command)
            .wait_for_picture(&screen, |picture| picture.lit() > 10_000 && picture.colours() > colours);
    }
}

/// The nightly workflow compiles the program, which takes minutes; if it was not compiled, the test does nothing.
#[test]
fn wgpu_computes() {
    let program = target_folder().join("wgpu/release/vkload-wgpu");
    if !program.exists() || Need::missing(&[Need::Lavapipe]) {
        eprintln!("skipped: compile tests/programs/wgpu first, as .github/workflows/nightly.yml does");
        return;
    }
    let machine = Machine::with_drivers(&[lavapipe()]);
    for arguments in [&[][..], &["built-in"]] {
        let said = run(machine.command(&Library::under_test(), &program).args(arguments)).success();
        assert!(said.starts_with("llvmpipe") && said.ends_with("\n[2, 4, 6, 8]\n"), "{arguments:?}: {said}");
    }
}

/// Makes Mesa's OpenGL draw by Vulkan, on a device without hardware.
const ZINK: [(&str, &str); 2] = [("MESA_LOADER_DRIVER_OVERRIDE", "zink"), ("LIBGL_ALWAYS_SOFTWARE", "1")];

/// All that OpenGL can do there, and pictures of which glmark2 knows some pixels.
#[test]
fn zink_draws_opengl_as_on_the_distributions_loader() {
    skip_unless!(&["glxinfo", "glmark2", "Xvfb"].map(Need::Program));
    skip_unless!(&[Need::Lavapipe, Need::Distribution]);
    let screen = Screen::start();
    let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
    let scenes = ["build", "texture", "shading:shading=phong", "bump", "desktop", "buffer"];
    let said = |library: &Library| {
        let limits = run(machine.command(library, "glxinfo").arg("-l").envs(ZINK)).success();
        let mut glmark2 = machine.command(library, "glmark2");
        glmark2.arg("--validate").envs(ZINK);
        let scenes = run(glmark2.args(scenes.iter().flat_map(|scene| ["-b", scene]))).success();
        (limits, scenes)
    };
    let ours = said(&Library::under_test());
    assert!(ours.0.contains("OpenGL renderer string: zink (llvmpipe"), "{}", ours.0);
    assert_eq!(ours.1.matches(": Validation: Success").count(), scenes.len(), "{}", ours.1);
    assert_eq!(ours, said(&Library::distribution()));
}

/// Its window has one colour, which changes with time.
#[test]
fn sdl_makes_a_window_for_vulkan() {
    const PROGRAM: &str = "/usr/libexec/installed-tests/SDL2/testvulkan";
    skip_unless!(&[Need::Program(PROGRAM), Need::Program("Xvfb"), Need::Lavapipe]);
    let screen = Screen::start();
    let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
    let mut program = machine.command(&Library::under_test(), PROGRAM);
    program.stdout(Stdio::null()).stderr(Stdio::null());
    Running::start(&mut program)
        .wait_for_picture(&screen, |picture| picture.lit() == 640 * 480 && picture.colours() == 1);
}

/// Qt Quick draws by Qt's own layer between it and graphics (RHI), which has Vulkan as one of its ways.
#[test]
fn qt_draws_as_on_the_distributions_loader() {
    const PROGRAM: &str = "/usr/lib/qt6/bin/qml";
    const MODULES: [&str; 3] = [
        "/usr/lib/x86_64-linux-gnu/qt6/qml/QtQuick/qmldir",
        "/usr/lib/x86_64-linux-gnu/qt6/qml/QtQuick/Window/qmldir",
        "/usr/lib/x86_64-linux-gnu/qt6/qml/QtQml/WorkerScript/qmldir",
    ];
    skip_unless!(&[PROGRAM, "Xvfb"].map(Need::Program));
    skip_unless!(&MODULES.map(Need::Program));
    skip_unless!(&[Need::Lavapipe, Need::Distribution]);
    let screens = [Screen::start(), Screen::start()];
    let machines =
        screens.each_ref().map(|screen| Machine::with_drivers(&[lavapipe()]).with_display(screen.display()));
    let log = |machine: &Machine| machine.work().join("log");
    let start = |machine: &Machine, library: &Library| {
        let mut program = machine.command(library, PROGRAM);
        program.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/qml/rectangles.qml"));
        program.env("QSG_RHI_BACKEND", "vulkan").env("QSG_INFO", "1").env("QT_QPA_PLATFORM", "xcb");
        program
            .stdout(Stdio::null())
            .stderr(fs::File::create(log(machine)).expect("a file for its messages"));
        Running::start(&mut program)
    };
    let libraries = [Library::under_test(), Library::distribution()];
    let (mut ours, _theirs) = (start(&machines[0], &libraries[0]), start(&machines[1], &libraries[1]));
    // A picture is not there all at once, so the two are compared until they are equal.
    ours.wait_for_picture(&screens[0], |picture| {
        picture.of_colour(0xff_0000) == 200 * 200
            && picture.colours() > 100
            && *picture == screens[1].picture()
    });
    let log = fs::read_to_string(log(&machines[0])).expect("its messages");
    assert!(log.contains("Using QRhi with backend Vulkan"), "{log}");
}

/// The layer's recording on our library is replayed on both.
#[test]
fn gfxreconstruct_captures_and_replays() {
    skip_unless!(&["gfxrecon-replay", "vkcube", "Xvfb"].map(Need::Program));
    skip_unless!(&[Need::Layer(&GFXRECONSTRUCT), Need::Lavapipe, Need::Distribution]);
    let screen = Screen::start();
    let machine =
        Machine::with_drivers(&[lavapipe()]).with_display(screen.display()).with_layers(&[&GFXRECONSTRUCT]);
    let library = Library::under_test();
    let mut cube = machine.command(&library, "vkcube");
    cube.args(["--c", "20"]);
    cube.env("VK_INSTANCE_LAYERS", GFXRECONSTRUCT.name);
    cube.env("GFXRECON_CAPTURE_FILE", "cube.gfxr").env("GFXRECON_CAPTURE_FILE_TIMESTAMP", "false");
    let _ = run(&mut cube).success();
    let replay = |library: &Library| {
        let mut replay = machine.command(library, "gfxrecon-replay");
        let said = run(replay.args(["--screenshots", "15", "cube.gfxr"])).success();
        assert!(said.contains(" 20 frames,"), "{said}");
        let picture = machine.work().join("screenshot_frame_15.bmp");
        let bytes = fs::read(&picture).expect("a picture");
        fs::remove_file(picture).expect("a picture");
        bytes
    };
    let picture = replay(&library);
    assert!(picture.len() > 500 * 500 * 3, "{} bytes", picture.len());
    assert!(picture == replay(&Library::distribution()), "the pictures differ");
}

/// Alone as on the distribution's loader; together with lavapipe, with which vulkaninfo crashes on that loader, each makes its own
/// surfaces.
#[test]
fn swiftshader_is_a_second_driver() {
    let programs = ["vulkaninfo", "vkcube", "Xvfb"].map(Need::Program);
    skip_unless!(&programs);
    skip_unless!(&[Need::SwiftShader, Need::Lavapipe, Need::Distribution]);
    let screen = Screen::start();
    let ours = Library::under_test();
    let alone = Machine::with_drivers(&[swiftshader()]).with_display(screen.display());
    let theirs = run(&mut alone.command(&Library::distribution(), "vulkaninfo")).success();
    let text = run(&mut alone.command(&ours, "vulkaninfo")).success();
    same_as_distribution("text-swiftshader", &theirs, &text, &ours);

    let both = Machine::with_drivers(&[swiftshader(), lavapipe()]).with_display(screen.display());
    let text = run(&mut both.command(&ours, "vulkaninfo")).success();
    for device in ["GPU id : 0 (SwiftShader", "GPU id : 1 (llvmpipe"] {
        assert!(text.contains(device), "{device}\n{text}");
    }
    for number in ["0", "1"] {
        let screen = Screen::start();
        let both = Machine::with_drivers(&[swiftshader(), lavapipe()]).with_display(screen.display());
        let mut cube = both.command(&ours, "vkcube");
        cube.args(["--c", "100000", "--gpu_number", number]).stdout(Stdio::null()).stderr(Stdio::null());
        Running::start(&mut cube).wait_for_picture(&screen, has_a_cube);
    }
}

fn has_a_cube(picture: &Picture) -> bool {
    picture.lit() > 100_000 && picture.colours() > 100
}
