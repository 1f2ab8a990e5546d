//! The tool in a world whose every name, value and description was written by somebody who wants the terminal, the page or the shell to
//! obey: nothing but text is shown, and the commands that it shows do nothing else.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use vkload_tests::{Device, Driver, Sandbox};

const VKLOAD: &str = env!("CARGO_BIN_EXE_vkload");

/// Orders to a terminal, and characters that change the order of others or are not shown.
pub(crate) const ORDERS: &str = "\u{1b}]0;title\u{7}\u{1b}[35m\u{9b}35m\u{202e}\u{2066}\u{200b}\u{e0041}";
/// Orders to a shell, which would make the file `obeyed`.
const SHELL: &str = "$(touch obeyed)`touch obeyed`;touch obeyed;'\"\n touch obeyed\n";
/// Orders to a browser.
const PAGE: &str = "</text></title></style>]]>&<script>alert(1)</script>";

/// Returns the characters that a terminal does not just show.
pub(crate) fn hidden(text: &str) -> Vec<char> {
    let is_hidden = |it: &char| match u32::from(*it) {
        0x09 | 0x0a => false,
        0..0x20 | 0x7f..0xa0 | 0xad | 0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f => true,
        0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe0fff => true,
        _ => false,
    };
    text.chars().filter(is_hidden).collect()
}

pub(crate) fn layer(sandbox: &Sandbox, file: impl AsRef<OsStr>, fields: Value) {
    let mut layer = json!({
        "name": "VK_LAYER_a", "type": "GLOBAL", "library_path": "/nowhere/gone.so", "api_version": "1.3.0", "implementation_version": "1",
        "description": format!("{ORDERS}{PAGE}"), "disable_environment": { "D": "1" },
    });
    for (name, value) in fields.as_object().expect("fields") {
        layer[name] = value.clone();
    }
    layer.as_object_mut().expect("fields").retain(|_, value| !value.is_null());
    let folder = sandbox.path("data/vulkan/implicit_layer.d");
    fs::create_dir_all(&folder).expect("a folder");
    let text = json!({ "file_format_version": "1.2.1", "layer": layer }).to_string();
    fs::write(folder.join(file.as_ref()), text).expect("a manifest");
}

/// Returns a machine with a driver that works, among hostile files.
pub(crate) fn world() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("good").device(Device::new(&format!("gpu{ORDERS}{PAGE}"))).install(&sandbox);
    let name = |what: &str| format!("VK_LAYER_{what}");
    layer(&sandbox, "orders.json", json!({ "name": name(ORDERS) }));
    layer(&sandbox, "page.json", json!({ "name": name(PAGE) }));
    layer(&sandbox, "shell.json", json!({ "name": name(SHELL), "disable_environment": null }));
    layer(
        &sandbox,
        "variable.json",
        json!({ "name": name("b"), "disable_environment": { "X;touch obeyed;Y": "1" } }),
    );
    layer(&sandbox, "value.json", json!({ "name": name("c"), "disable_environment": { "X2": SHELL } }));
    layer(
        &sandbox,
        "preload.json",
        json!({ "name": name("d"), "disable_environment": { "LD_PRELOAD": "/evil.so" } }),
    );
    layer(
        &sandbox,
        "on.json",
        json!({ "name": name("e"), "enable_environment": { "E;touch obeyed;F": "1" } }),
    );
    layer(&sandbox, format!("z{ORDERS}.json"), json!({ "name": name("f") }));
    layer(&sandbox, "z$(touch obeyed);'\"`touch obeyed`\ntouch obeyed\n.json", json!({ "name": name("g") }));
    layer(&sandbox, "-rf.json", json!({ "name": name("h") }));
    layer(&sandbox, OsStr::from_bytes(b"bad\xff\xfe\x9b35m.json"), json!({ "name": name("i") }));
    layer(
        &sandbox,
        "library.json",
        json!({ "name": name("j"), "library_path": format!("/nowhere/l{ORDERS}$(touch obeyed)';.so") }),
    );
    layer(
        &sandbox,
        "o;touch obeyed;.json",
        json!({
            "name": "VK_LAYER_LUNARG_override", "library_path": null, "component_layers": [name("b"), name(ORDERS)],
            "disable_environment": { "OV;touch obeyed;": "1" },
        }),
    );
    let drivers = sandbox.path("data/vulkan/icd.d");
    for file in
        [format!("e{ORDERS}.json"), "i$(touch obeyed);'x'.json".to_owned(), "<script>.json".to_owned()]
    {
        let library = format!("/nowhere/lib{ORDERS}{}.so", PAGE.replace('/', "_"));
        let text = json!({ "file_format_version": "1.0.0", "ICD": { "library_path": library, "api_version": "1.3.0" } });
        fs::write(drivers.join(file), text.to_string()).expect("a manifest");
    }
    fs::write(drivers.join("text.json"), format!("{{ \"a\": {ORDERS}}}")).expect("a file");
    fs::write(drivers.join(format!("old.json{ORDERS}")), "{}").expect("a file");
    fs::write(drivers.join("old.json;touch obeyed"), "{}").expect("a file");
    symlink(format!("/nowhere/{ORDERS}"), drivers.join("dangling.json")).expect("a link");
    symlink("/nowhere/$(touch obeyed)", drivers.join("x;touch obeyed;.json")).expect("a link");
    let settings = json!({
        "file_format_version": "1.0.0",
        "settings": { format!("odd{ORDERS}"): 1, "layers": [{ "name": name(ORDERS), "path": format!("/x{ORDERS}"), "control": "auto" }] },
    });
    sandbox.write(format!("out/settings{ORDERS}.json"), settings.to_string());
    sandbox
}

/// Variables that somebody else has set.
pub(crate) fn variables() -> Vec<(String, String)> {
    [
        ("VK_ADD_DRIVER_FILES", format!("/a.json:~/$(touch obeyed)`touch obeyed`/{ORDERS};/b.json")),
        ("VK_INSTANCE_LAYERS", format!("VK_LAYER_a;touch obeyed;{ORDERS}{PAGE}")),
        ("VK_DRIVERFILES", SHELL.to_owned()),
        ("VK_LAYERPATH;touch obeyed;", ORDERS.to_owned()),
        ("VK_LOADER_DEVICE_SELECT", format!("{ORDERS}{SHELL}")),
        ("VK_LOADER_DRIVERS_DISABLE", format!("{ORDERS}{SHELL}")),
        ("DXVK_FILTER_DEVICE_NAME", format!("{ORDERS}{SHELL}")),
        ("DISPLAY", format!("{ORDERS}:99")),
        ("LD_LIBRARY_PATH", format!("/nowhere/{ORDERS}$(touch obeyed)")),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Returns what the tool prints: standard output and standard error.
fn vkload(sandbox: &Sandbox, arguments: &[&str]) -> (String, String) {
    let mut vkload = Command::new(VKLOAD);
    vkload
        .args(arguments)
        .env_clear()
        .envs(sandbox.environment())
        .envs(variables())
        .current_dir(sandbox.path("out"));
    let output = vkload.output().expect("vkload runs");
    let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    (text(output.stdout), text(output.stderr))
}

/// Fails if a command shows anything but text. Returns its output.
fn assert_text(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let (out, error) = vkload(sandbox, arguments);
    for text in [&out, &error] {
        assert!(hidden(text).is_empty(), "{arguments:?}: {:?}\n{text:?}", hidden(text));
    }
    if out.starts_with('<') {
        assert!(!out.contains("<script") && out.contains("&lt;script"), "{arguments:?}: {out}");
        let markup = out.trim_start_matches("<!DOCTYPE html>");
        assert!(roxmltree::Document::parse(markup).is_ok(), "{arguments:?}: {out}");
    }
    if out.starts_with('{') {
        assert!(serde_json::from_str::<Value>(&out).is_ok(), "{arguments:?}: {out}");
    }
    out
}

/// Returns what the tool prints on a terminal, without its own colours.
fn on_terminal(sandbox: &Sandbox, command: &str) -> String {
    let mut script = Command::new("script");
    script.args(["-qec", &format!("{VKLOAD} {command}"), "/dev/null"]).stdin(Stdio::null());
    script
        .env_clear()
        .envs(sandbox.environment())
        .envs(variables())
        .env("PATH", "/usr/bin:/bin")
        .env("TERM", "xterm");
    let output = script.output().expect("script, of util-linux").stdout;
    let mut text = String::from_utf8(output).expect("UTF-8").replace('\r', "").replace("\u{1b}[K", "");
    for own in ["0", "1", "36", "1;31", "1;32", "1;33", "1;36"] {
        text = text.replace(&format!("\u{1b}[{own}m"), "");
    }
    text
}

/// The commands that show what they find, with the options that change the form.
const COMMANDS: &[&[&str]] = &[
    &[],
    &["info", "--verbose"],
    &["info", "--json"],
    &["doctor", "--no-probe"],
    &["doctor", "--no-probe", "--json"],
    &["doctor", "--no-probe", "--html"],
    &["doctor"],
    &["layers"],
    &["layers", "--json"],
    &["layers", "--disable", "VK_LAYER_c"],
    &["layers", "--enable", "VK_LAYER_e"],
    &["layers", "--only", "--json"],
    &["paths"],
    &["paths", "--json"],
    &["chain"],
    &["chain", "--json"],
    &["chain", "--format", "svg"],
    &["chain", "--format", "html"],
    &["devices"],
    &["devices", "--json"],
    &["settings"],
    &["settings", "--json"],
];

#[test]
fn every_command_shows_text_and_nothing_else() {
    let sandbox = world();
    COMMANDS.iter().for_each(|arguments| _ = assert_text(&sandbox, arguments));
    let settings = format!("settings{ORDERS}.json");
    assert_text(&sandbox, &["settings", &settings]);
    assert_text(&sandbox, &["settings", &settings, "--json"]);
    for command in ["", "info --verbose", "doctor --no-probe", "layers", "chain", "devices"] {
        let text = on_terminal(&sandbox, command);
        assert!(hidden(&text).is_empty(), "{command}: {:?}\n{text:?}", hidden(&text));
    }
}

#[test]
fn errors_show_text_and_nothing_else() {
    let sandbox = world();
    let (gone, program) = (format!("gone{ORDERS}"), format!("./program{ORDERS}"));
    sandbox.write(format!("out/{gone}.json"), format!("{{\"recording\": \"{ORDERS}"));
    sandbox.write(
        format!("out/odd{ORDERS}.json"),
        json!({ "recording": 1, "answers": [{ "x": ORDERS }] }).to_string(),
    );
    sandbox.write(format!("out/calls{ORDERS}"), format!("vkload recorder {ORDERS}\n"));
    // Not written by this process: a child that another thread starts meanwhile would have the open file, and the program would be busy.
    let source = sandbox.write("source", format!("#!/bin/sh\nprintf '{ORDERS}\\n' >&2\nexit 3\n"));
    let installed = Command::new("install").arg(source).arg(sandbox.path("out").join(&program)).status();
    assert!(installed.expect("install").success());
    for arguments in [
        &["replay", &gone][..],
        &["replay", &format!("{gone}.json")],
        &["replay", &format!("odd{ORDERS}.json")],
        &["compare", &gone, &gone],
        &["settings", &gone],
        &["doctor", "--calls", &gone],
        &["doctor", "--calls", &format!("calls{ORDERS}")],
        &["doctor", "--no-probe", "--", &gone],
        &["doctor", "--no-probe", "--", &program],
        &["bisect", "--", &program],
        &["bisect", "--json", "--", &program],
        &["bisect", "--", &gone],
        &["exec", "--", &gone],
        &["layers", "--enable", &gone],
        &["layers", "--disable", &format!("VK_LAYER_{ORDERS}"), "--", &gone],
        &["chain", "--layer", &gone],
        &["doctor", "--no-probe", "--record", &format!("{gone}/x")],
        &[ORDERS],
        &[&format!("--{ORDERS}")],
        &["doctor", "--timeout", ORDERS],
        &["chain", "--format", ORDERS],
    ] {
        assert_text(&sandbox, arguments);
    }
}

/// Appends `more` to each string, except to those with names of a few kinds.
fn change(value: &mut Value, more: &str) {
    const KINDS: &[&str] = &[
        "state", "kind", "by", "bound", "how", "stage", "severity", "of", "why", "setter", "ended",
        "outcome", "subject", "id", "manager",
    ];
    match value {
        Value::Object(fields) => {
            fields
                .iter_mut()
                .filter(|(name, _)| !KINDS.contains(&name.as_str()))
                .for_each(|(_, field)| change(field, more));
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| change(element, more)),
        Value::String(text) => text.push_str(more),
        _ => {}
    }
}

/// Writes recordings whose strings are hostile in different parts. Returns their names.
pub(crate) fn recordings(sandbox: &Sandbox) -> Vec<String> {
    let file = sandbox.path("out/whole.json");
    vkload(sandbox, &["doctor", "--record", file.to_str().expect("UTF-8")]);
    let whole: Value = serde_json::from_slice(&fs::read(&file).expect("a recording")).expect("JSON");
    let mut names = vec!["whole.json".to_owned()];
    for part in ["report", "facts", "target", "trials", "answers"] {
        let mut changed = whole.clone();
        change(&mut changed[part], &format!("{ORDERS}{PAGE}{SHELL}"));
        names.push(format!("{part}.json"));
        sandbox.write(format!("out/{part}.json"), changed.to_string());
    }
    let odd = format!("{ORDERS}{PAGE}\n");
    let mut report = whole;
    ["facts", "target", "trials"]
        .iter()
        .for_each(|part| _ = report.as_object_mut().expect("fields").remove(*part));
    report["report"]["devices"] = json!([{ "name": odd, "kind": odd, "apiVersion": odd, "driverName": odd, "driverInfo": odd, "deviceUuid": odd }]);
    report["report"]["problem"] = json!({ "reason": odd, "advice": [odd] });
    report["report"]["vulkan"] = json!(odd);
    sandbox.write("out/devices.json", report.to_string());
    names.push("devices.json".to_owned());
    names
}

#[test]
fn replayed_and_compared_recordings_show_text_and_nothing_else() {
    let sandbox = world();
    for name in recordings(&sandbox) {
        for show in ["info", "paths", "chain", "doctor"] {
            for format in [&[][..], &["--json"]] {
                assert_text(&sandbox, &[&["replay", &name, "--show", show], format].concat());
            }
        }
        assert_text(&sandbox, &["replay", &name, "--show", "doctor", "--format", "html"]);
        assert_text(&sandbox, &["replay", &name, "--show", "chain", "--format", "svg"]);
        assert_text(&sandbox, &["compare", "whole.json", &name]);
        assert_text(&sandbox, &["compare", "whole.json", &name, "--json"]);
        let text = on_terminal(
            &sandbox,
            &format!("replay {} --show doctor", sandbox.path("out").join(&name).display()),
        );
        assert!(hidden(&text).is_empty(), "{name}: {:?}\n{text:?}", hidden(&text));
    }
}

/// Words with which the commands begin.
const PROGRAMS: &[&str] = &[
    "sudo",
    "unset",
    "export",
    "env",
    "rm",
    "mv",
    "cp",
    "vkload",
    "flatpak",
    "systemctl",
    "apt-get",
    "eval",
];

/// Returns the commands in an answer: lines behind `->`, and what follows a colon there, and lines of `vkload layers`.
fn commands(text: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        let step = line.trim_start_matches([' ', '-', '>']);
        let parts = std::iter::once(step).chain(step.match_indices(": ").map(|(at, _)| &step[at + 2..]));
        let is_command = |part: &&str| PROGRAMS.contains(&part.split(' ').next().unwrap_or_default());
        commands.extend(parts.filter(is_command).take(1));
    }
    commands
}

#[test]
fn the_printed_commands_do_nothing_else() {
    let sandbox = world();
    let mut answers = vec![
        vkload(&sandbox, &["doctor", "--no-probe"]).0,
        vkload(&sandbox, &["doctor", "--all"]).0,
        vkload(&sandbox, &["devices"]).0,
    ];
    for name in ["VK_LAYER_b", "VK_LAYER_c", "VK_LAYER_d", "VK_LAYER_f", "VK_LAYER_g", "VK_LAYER_h"] {
        answers.push(vkload(&sandbox, &["layers", "--disable", name]).0);
    }
    let mut sleep = Command::new("sleep");
    let mut process = sleep
        .arg("600")
        .env_clear()
        .envs(sandbox.environment())
        .envs(variables())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("sleep");
    answers.push(vkload(&sandbox, &["doctor", "--no-probe", "--pid", &process.id().to_string()]).0);
    process.kill().and_then(|()| process.wait()).expect("ended");
    for name in recordings(&sandbox) {
        answers.push(vkload(&sandbox, &["replay", &name, "--show", "doctor", "--verbose"]).0);
    }
    let (count, calls) = execute(&sandbox, &answers);
    assert!(count > 20, "{count}: {answers:#?}");
    let removed = format!("{}\n", sandbox.path("data/vulkan/icd.d/<script>.json").display());
    // Root needs no sudo.
    let calls = ["rm", "sudo"].map(|program| fs::read(calls.join(program)).unwrap_or_default()).concat();
    let calls = String::from_utf8_lossy(&calls);
    assert!(calls.contains(&removed), "{calls}");
}

/// Runs the commands in these answers with programs that note how they are called and do nothing: nothing else may happen. Returns the number of
/// commands, and the folder with the calls of each program.
pub(crate) fn execute(sandbox: &Sandbox, answers: &[String]) -> (usize, PathBuf) {
    for name in PROGRAMS.iter().chain(&["touch", "mkdir", "sed", "dpkg", "cut", "tee", "ldconfig"]) {
        let path =
            sandbox.write(format!("bin/{name}"), "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$CALLS/${0##*/}\"\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let (calls, empty, mut count) = (sandbox.path("calls"), sandbox.path("empty"), 0);
    [&calls, &empty].iter().for_each(|folder| fs::create_dir(folder).expect("a folder"));
    for command in answers.iter().flat_map(|answer| commands(answer)) {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).env_clear().env("PATH", sandbox.path("bin")).env("CALLS", &calls);
        let output = shell.current_dir(&empty).output().expect("sh");
        let is_empty = fs::read_dir(&empty).expect("a folder").next().is_none();
        assert!(is_empty && !calls.join("touch").exists(), "{command}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("yntax error") && !said.contains("not found"), "{command}: {said}");
        assert!(!command.contains("LD_PRELOAD=/evil"), "{command}");
        count += 1;
    }
    (count, calls)
}
