//! The tool among files that others have made: what is not a regular file is neither opened nor waited for, a recording names nobody and
//! opens nothing, and no step opens a secret.

use std::ffi::{CString, OsStr};
use std::fs::{self, File, OpenOptions};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use vkload_tests::{Device, Driver, Sandbox};

const VKLOAD: &str = env!("CARGO_BIN_EXE_vkload");

fn vkload(sandbox: &Sandbox, more: &[(&str, &OsStr)], arguments: &[&str]) -> Command {
    let mut vkload = Command::new(VKLOAD);
    vkload.args(arguments).env_clear().envs(sandbox.environment()).envs(more.iter().copied());
    vkload.stdin(Stdio::null());
    vkload
}

fn text(mut command: Command) -> String {
    let output = command.output().expect("vkload runs");
    String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
}

fn fifo(path: &Path) -> PathBuf {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let name = CString::new(path.as_os_str().as_bytes()).expect("a name");
    // SAFETY: a valid string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o666) }, 0, "{}", path.display());
    path.to_owned()
}

/// Fails if the command opens one of these FIFOs, which it would do for ever. Returns its output.
fn assert_unopened(mut command: Command, fifos: &[PathBuf]) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("vkload runs");
    while child.try_wait().expect("a state").is_none() {
        for path in fifos {
            // Without a reader this fails.
            let writer = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
            if writer.is_ok() {
                child.kill().and_then(|()| child.wait()).expect("killed");
                panic!("{command:?} opened {}", path.display());
            }
        }
    }
    let output = child.wait_with_output().expect("its output");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn driver_manifest(sandbox: &Sandbox, name: &str, library: &str) {
    let manifest =
        json!({ "file_format_version": "1.0.0", "ICD": { "library_path": library, "api_version": "1.3.0" } });
    sandbox.write(format!("data/vulkan/icd.d/{name}"), manifest.to_string());
}

#[test]
fn what_is_no_regular_file_is_neither_opened_nor_waited_for() {
    let sandbox = Sandbox::new();
    // A library of this process, whose file a FIFO replaces.
    let mapped = sandbox.write("lib/libvulkan.so.1", "no library");
    let file = File::open(&mapped).expect("a file");
    let (length, fd) = (10, file.as_raw_fd());
    // SAFETY: the file is open, and the memory is not used.
    let memory =
        unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0) };
    assert_ne!(memory, libc::MAP_FAILED);
    let path = |relative: &str| sandbox.path(relative);
    let fifos = [
        fifo(&mapped),
        fifo(&path("lib/libdriver.so")),
        fifo(&path("lib/interpreter")),
        fifo(&path("data/vulkan/icd.d/fifo.json")),
        fifo(&path("data/vulkan/icd.d/fifo.json.bak")),
        fifo(&path("data/vulkan/explicit_layer.d/fifo.json")),
        fifo(&path("data/vulkan/loader_settings.d/vk_loader_settings.json")),
        fifo(&path("home/.profile")),
    ];
    driver_manifest(&sandbox, "driver.json", fifos[1].to_str().expect("UTF-8"));
    let script = sandbox.write("lib/script", format!("#!{}\n", fifos[2].display()));
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("a mode");
    let folder = sandbox.path("lib");
    let more = [("LD_LIBRARY_PATH", folder.as_os_str()), ("VK_INSTANCE_LAYERS", OsStr::new("VK_LAYER_x"))];
    let (process, script) = (std::process::id().to_string(), script.to_str().expect("UTF-8"));
    for arguments in [
        &["doctor", "--no-probe"][..],
        &["doctor", "--no-probe", "--pid", &process],
        &["doctor", "--no-probe", "--", script],
        &["paths"],
        &["layers"],
        &["settings"],
    ] {
        assert_unopened(vkload(&sandbox, &more, arguments), &fifos);
    }
}

#[test]
fn replay_and_compare_open_nothing_of_this_machine() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    let layer = |words: &str| {
        let layer = json!({
            "name": "VK_LAYER_a", "type": "GLOBAL", "library_path": "/nowhere.so", "api_version": "1.3.0", "implementation_version": "1",
            "description": "d", "introduction": words,
        });
        let text = json!({ "file_format_version": "1.2.1", "layer": layer }).to_string();
        sandbox.write("data/vulkan/explicit_layer.d/a.json", text)
    };
    let manifest = layer("as it was recorded");
    let file = sandbox.path("out/recording.json");
    let name = file.to_str().expect("UTF-8");
    // Home folders without a name in them: every path stays as it is.
    text(vkload(&sandbox, &[], &["doctor", "--no-probe", "--record", name]));
    let info = sandbox.path("out/info.json");
    text(vkload(&sandbox, &[], &["info", "--record", info.to_str().expect("UTF-8")]));
    layer("as it is, a secret");
    let elsewhere = Sandbox::new();
    for name in [name, info.to_str().expect("UTF-8")] {
        let output = text(vkload(&elsewhere, &[], &["replay", name, "--verbose"]));
        assert!(output.contains("as it was recorded") && !output.contains("secret"), "{output}");
    }
    let mut fifos = vec![fifo(&manifest)];
    for folder in ["data/vulkan/icd.d", "lib"] {
        let files = fs::read_dir(sandbox.path(folder)).expect("files");
        fifos.extend(files.map(|file| fifo(&file.expect("a file").path())));
    }
    for arguments in [
        &["replay", name, "--verbose"][..],
        &["replay", name, "--show", "doctor"],
        &["replay", name, "--show", "chain"],
        &["replay", name, "--show", "paths"],
        &["compare", name, info.to_str().expect("UTF-8")],
    ] {
        let output = assert_unopened(vkload(&elsewhere, &[], arguments), &fifos);
        assert!(!output.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_recording_names_nobody_and_replays() {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new("gpu")).install(&sandbox);
    let home = sandbox.path("home//quinn");
    let data = home.join("data/vulkan");
    let odd = OsStr::from_bytes(b"bad\xff\xfe.json");
    for folder in ["icd.d", "implicit_layer.d"] {
        fs::create_dir_all(data.join(folder)).expect("a folder");
        fs::write(data.join(folder).join(odd), "{}").expect("a file");
    }
    let file = sandbox.path("out/recording.json");
    let name = file.to_str().expect("UTF-8");
    let data = home.join("data");
    let of_user: [(&str, &OsStr); 4] = [
        ("HOME", home.as_os_str()),
        ("LOGNAME", OsStr::new("quinn")),
        ("XDG_DATA_HOME", data.as_os_str()),
        (
            "VK_ADD_DRIVER_FILES",
            OsStr::new("~quinn:/mnt/quinn-disk/x.json:/home/zoe/x.json:/srv/home_quinn/x:/home//zoe.old/lib"),
        ),
    ];
    let mut by_sudo = of_user;
    (by_sudo[0], by_sudo[1]) = (("HOME", OsStr::new("/root")), ("SUDO_USER", OsStr::new("quinn")));
    let mut process = vkload(&sandbox, &of_user, &[]);
    let mut process = Command::new("sleep")
        .arg("600")
        .env_clear()
        .envs(process_variables(&mut process))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sleep");
    let id = process.id().to_string();
    for (variables, arguments) in [
        (&of_user[..], &["doctor", "--no-probe"][..]),
        (&of_user, &["info"]),
        (&by_sudo, &["doctor", "--no-probe"]),
        (&by_sudo[1..2], &["doctor", "--no-probe", "--pid", &id]),
    ] {
        let said = text(vkload(&sandbox, variables, &[arguments, &["--record", name]].concat()));
        let recorded = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {said}"));
        for hidden in ["quinn", "zoe", "7175696e6e"] {
            assert!(
                !recorded.contains(hidden),
                "{arguments:?}: {:?}",
                recorded.lines().find(|line| line.contains(hidden))
            );
        }
        let show = if arguments[0] == "info" { "info" } else { "doctor" };
        let replay =
            vkload(&Sandbox::new(), &[], &["replay", name, "--show", show]).output().expect("vkload runs");
        assert!(replay.status.success() || show == "doctor", "{arguments:?}: {replay:?}");
        assert!(!replay.stdout.is_empty(), "{arguments:?}: {replay:?}");
        fs::remove_file(&file).expect("removed");
    }
    process.kill().and_then(|()| process.wait()).expect("ended");
}

/// Returns the variables that a command would get.
fn process_variables(command: &mut Command) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

#[test]
fn no_step_opens_a_secret() {
    let sandbox = Sandbox::new();
    // Recordings say what a user without rights sees.
    let denied = |of: &str| json!({ "is": "denied", "mode": 0o600, "owner": "root", "of": of });
    driver_manifest(&sandbox, "driver.json", "/etc/shadow");
    let manifest = sandbox.path("data/vulkan/icd.d/driver.json").display().to_string();
    let file = sandbox.path("out/recording.json");
    let name = file.to_str().expect("UTF-8");
    text(vkload(&sandbox, &[], &["doctor", "--no-probe", "--record", name]));
    let recorded: serde_json::Value =
        serde_json::from_slice(&fs::read(&file).expect("a recording")).expect("JSON");
    let steps = |path: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let mut changed = recorded.clone();
        changed["facts"]["user"]["id"] = json!(1000);
        changed["facts"]["place"]["container"] = json!(null);
        changed["facts"]["libraries"] =
            json!([{ "manifest": manifest, "library": path, "path": path, "state": denied(path) }]);
        change(&mut changed);
        fs::write(&file, changed.to_string()).expect("written");
        text(vkload(&sandbox, &[], &["replay", name, "--show", "doctor"])).replace("\n    ", " ")
    };
    let none = |_: &mut serde_json::Value| {};
    for secret in [
        "/etc/shadow",
        "/root/.ssh",
        "/usr/lib/../../etc/shadow",
        "/home/ann/x.so",
        "/tmp/x.so",
        "/usr/share/vulkan/../../../etc/shadow",
    ] {
        let output = steps(secret, &none);
        assert!(
            output.contains(&format!("no permission to read {secret}")) && !output.contains("chmod"),
            "{output}"
        );
        let output = steps("/usr/lib/x.so", &|recording| {
            recording["facts"]["strays"] =
                json!([{ "path": secret, "why": { "kind": "unreadable", "mode": 0, "owner": "root" } }]);
        });
        assert!(!output.contains(&format!("chmod a+rX {secret}")), "{output}");
    }
    let node = |path: &str, kind: &str, group: &str, mode: u32| json!({ "path": path, "kind": kind, "owner": "root", "group": group, "mode": mode });
    for node in [
        node("/etc/shadow", "nvidia", "root", 0o600),
        node("/etc/shadow", "render", "shadow", 0o640),
        node("/dev/../etc/shadow", "render", "root", 0o600),
        node("/dev/dri/renderD128", "render", "docker", 0o660),
        node("/dev/dri/renderD128", "render", "disk", 0o660),
    ] {
        let output = steps("/usr/lib/x.so", &|recording| recording["facts"]["nodes"] = json!([node]));
        let has_command =
            ["chmod a+rw", "chmod 0660", "chgrp", "usermod"].iter().any(|word| output.contains(word));
        assert!(!has_command, "{node}: {output}");
    }
    let of_root = steps("/usr/lib/x.so", &|recording| {
        recording["facts"]["nodes"] = json!([node("/dev/dri/renderD128", "render", "render", 0o660)]);
    });
    assert!(of_root.contains("sudo usermod -aG render"), "{of_root}");
    for (folder, is_shown) in [("/tmp/theirs", false), ("/usr/lib/../../tmp", false), ("/opt/lib", true)] {
        let output = steps("/usr/lib/x.so", &|recording| {
            let missing = json!({ "library": "libx.so.1", "neededBy": "/usr/lib/x.so", "elsewhere": format!("{folder}/libx.so.1") });
            recording["facts"]["libraries"][0]["state"] = json!({ "is": "fine" });
            recording["facts"]["libraries"][0]["missing"] = json!([missing]);
        });
        assert_eq!(output.contains("ld.so.conf.d"), is_shown, "{folder}: {output}");
    }
    let output = steps("/usr/lib/x86_64-linux-gnu/libvulkan_x.so", &none);
    assert!(output.contains("-> sudo chmod a+rX /usr/lib/x86_64-linux-gnu/libvulkan_x.so"), "{output}");
    let output = steps("/usr/lib/x.so", &|recording| {
        recording["facts"]["libraries"][0]["state"] = json!({ "is": "noExecMount", "mount": "/tmp" });
    });
    assert!(output.contains("mounted noexec") && !output.contains("remount"), "{output}");
}

/// Libraries that a driver's manifest names, with a byte of a header or a table changed, cut short, or far larger than the disk: the doctor reads
/// each as far as it can.
#[test]
fn no_library_however_broken_ends_the_doctor() {
    let sandbox = Sandbox::new();
    let good = sandbox.path("lib/good.so");
    let source = sandbox.write("lib/good.c", "#include <stdio.h>\nint vkCreateInstance(void) { return puts(\"\"); }\nint (*table)(void) = vkCreateInstance;\n");
    let cc = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-rpath,/nowhere", "-o"])
        .arg(&good)
        .arg(source)
        .status();
    assert!(cc.expect("cc").success());
    let whole = fs::read(&good).expect("a library");
    let number = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().expect("8 bytes"));
    let (sections, mut broken) = (number(40) as usize, 0);
    let mut install = |change: &dyn Fn(&mut Vec<u8>), size: Option<u64>| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        let library = sandbox.path(format!("lib/{broken}.so"));
        fs::write(&library, bytes).expect("a library");
        if let Some(size) = size {
            File::options()
                .write(true)
                .open(&library)
                .and_then(|file| file.set_len(size))
                .expect("a sparse file");
        }
        driver_manifest(&sandbox, &format!("{broken}.json"), library.to_str().expect("UTF-8"));
        broken += 1;
    };
    // The header, the program headers, and the sections' table.
    for at in (0..64 + 56 * 6).chain(sections..whole.len()) {
        install(&|bytes| bytes[at] = if bytes[at] == 0xff { 1 } else { 0xff }, None);
    }
    for length in (0..whole.len()).step_by(97) {
        install(&|bytes| bytes.truncate(length), None);
    }
    // Each table as large as a quarter of a gigabyte, and larger than memory.
    for (at, size) in (sections..whole.len()).step_by(64).flat_map(|at| [(at, 1u64 << 28), (at, 1 << 40)]) {
        install(&|bytes| bytes[at + 32..at + 40].copy_from_slice(&size.to_le_bytes()), Some(1 << 41));
    }
    let mut command = vkload(&sandbox, &[], &["doctor", "--no-probe", "--json"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("vkload runs");
    let mut output = Vec::new();
    child.stdout.take().expect("a pipe").read_to_end(&mut output).expect("its output");
    // SAFETY: zero is a valid value of the structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the child has not been waited for, and the structure is valid.
    unsafe { libc::wait4(child.id() as i32, std::ptr::null_mut(), 0, &raw mut usage) };
    let _ = child.wait();
    assert!(usage.ru_maxrss < 200 << 10, "{} KiB", usage.ru_maxrss);
    let answer: serde_json::Value =
        serde_json::from_slice(&output).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let findings = answer["findings"].as_array().expect("findings");
    let cut = findings.iter().filter(|finding| finding["id"] == "library-truncated").count();
    assert!(cut > whole.len() / 97 / 2, "{cut} of {broken}");
}
