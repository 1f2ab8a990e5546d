//! Larger programs: a video player, video filters, Direct3D 12 on Vulkan, and a program on wgpu.
use std::path::Path;
use std::process::Stdio;

use vkload_programs::{Library, Machine, Need, Running, Screen, lavapipe, run};

/// mpv draws a test picture by libplacebo, which takes a device without hardware only if it is named.
#[test]
fn mpv_shows_a_video() {
    let programs = ["mpv", "Xvfb", "vulkaninfo"].map(Need::Program);
    if Need::missing(&programs) || Need::missing(&[Need::Lavapipe]) {
        return;
    }
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
    if Need::missing(&[Need::Program("ffmpeg"), Need::Lavapipe, Need::Distribution]) {
        return;
    }
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
    if Need::missing(&["vkd3d-triangle", "vkd3d-gears", "Xvfb"].map(Need::Program))
        || Need::missing(&[Need::Lavapipe])
    {
        return;
    }
    for (program, colours) in [("vkd3d-triangle", 1_000), ("vkd3d-gears", 100)] {
        let screen = Screen::start();
        let machine = Machine::with_drivers(&[lavapipe()]).with_display(screen.display());
        let mut command = machine.command(&Library::under_test(), program);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Running::start(&mut command)
            .wait_for_picture(&screen, |picture| picture.lit() > 10_000 && picture.colours() > colours);
    }
}

/// `test.sh` compiles the program, which takes minutes; where it was not, there is nothing to do.
#[test]
fn wgpu_computes() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/wgpu/release/vkload-wgpu");
    if !program.exists() || Need::missing(&[Need::Lavapipe]) {
        eprintln!("skipped: compile tests/programs/wgpu first, as test.sh does");
        return;
    }
    let machine = Machine::with_drivers(&[lavapipe()]);
    let said = run(&mut machine.command(&Library::under_test(), &program)).success();
    assert!(said.starts_with("llvmpipe") && said.ends_with("\n[2, 4, 6, 8]\n"), "{said}");
}
