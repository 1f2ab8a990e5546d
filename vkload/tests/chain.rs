//! `vkload chain` and `vkload replay --show chain` as a user meets them: the picture in every format.

use std::env;
use std::fs;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::FromRawFd as _;
use std::path::Path;
use std::process::{Command, Output};

use roxmltree::{Document, ParsingOptions};
use serde_json::Value;
use vkload_tests::{Device, Driver, Layer, Sandbox};

/// A name that means something else in XML unless it is escaped.
const WILD: &str = "VK_LAYER_<&\\\">'wild";
/// The name without JSON escapes.
const WILD_NAME: &str = "VK_LAYER_<&\">'wild";

fn command(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut vkload = Command::new(env!("CARGO_BIN_EXE_vkload"));
    vkload.args(arguments).env_clear().envs(sandbox.environment()).env("LC_ALL", "C.UTF-8");
    vkload
}

fn vkload(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    command(sandbox, arguments).output().expect("vkload runs")
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    serde_json::from_slice(&vkload(sandbox, arguments).stdout).expect("JSON")
}

/// Installs a layer whose library is never opened. An implicit one is active.
fn install_layer(sandbox: &Sandbox, kind: &str, file: &str, name: &str, library: &str) {
    let more = if kind == "implicit" { r#", "disable_environment": {"NO_LAYER": "1"}"# } else { "" };
    let manifest = format!(
        r#"{{"file_format_version": "1.2.1", "layer": {{"name": "{name}", "type": "GLOBAL",
        "library_path": "{library}", "api_version": "1.3.0", "implementation_version": "1",
        "description": "a layer" {more}}}}}"#
    );
    sandbox.write(format!("data/vulkan/{kind}_layer.d/{file}.json"), manifest);
}

/// Returns a machine with a driver that works, one that does not, an active layer, and one that waits for being asked for.
fn machine() -> Sandbox {
    let sandbox = Sandbox::new();
    Driver::new("a-good").device(Device::new("gpu")).install(&sandbox);
    Driver::new("b-absent").library_path("/nowhere/libgone.so").install(&sandbox);
    install_layer(&sandbox, "implicit", "always", "VK_LAYER_always", "/nowhere/libalways.so");
    install_layer(&sandbox, "explicit", "wanted", "VK_LAYER_wanted", "/nowhere/libwanted.so");
    sandbox
}

/// Sets up eight layers with long names and paths, one of which has special characters, five drivers, and one driver that is not used.
fn large_machine() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = format!("/a{}/{}", "/rather/long/path".repeat(9), "x".repeat(100));
    for number in 0..7 {
        let name = format!("VK_LAYER_{number}_{}", "with_a_long_name_".repeat(6));
        install_layer(&sandbox, "implicit", &number.to_string(), &name, &format!("{folder}/lib{number}.so"));
    }
    install_layer(&sandbox, "implicit", "wild", WILD, "/nowhere/lib<&>.so");
    for number in 0..5 {
        Driver::new(&format!("driver-{number}"))
            .library_path(&format!("{folder}/driver-{number}.so"))
            .install(&sandbox);
    }
    Driver::new("other").manifest_field("library_arch", "\"32\"").install(&sandbox);
    sandbox
}

// ---- JSON ----

#[test]
fn chain_shows_layers_and_drivers_in_the_order_of_calls() {
    let sandbox = machine();
    let names = |arguments: &[&str]| {
        let chain = json(&sandbox, arguments);
        let of = |list: &str, name: &str| {
            let all = chain[list].as_array().expect("a list").iter();
            all.map(|it| it[name].as_str().unwrap_or("").rsplit('/').next().unwrap_or("").to_owned())
                .collect::<Vec<_>>()
        };
        [of("layers", "name"), of("drivers", "manifest")].concat()
    };
    let drivers = ["a-good.json", "b-absent.json"];
    assert_eq!(names(&["chain", "--json"]), [&["VK_LAYER_always"], &drivers[..]].concat());
    let expected = [&["VK_LAYER_always", "VK_LAYER_wanted"], &drivers[..]].concat();
    assert_eq!(names(&["chain", "--format", "json", "--layer", "VK_LAYER_wanted"]), expected);
}

#[test]
fn json_has_a_format_and_lists_drivers_as_alternatives() {
    let sandbox = machine();
    Driver::new("c-other").manifest_field("library_arch", "\"32\"").install(&sandbox);
    let chain = json(&sandbox, &["chain", "--json"]);
    assert_eq!(chain["format"], 1);
    let drivers = chain["drivers"].as_array().expect("drivers");
    assert_eq!(drivers.len(), 2, "{chain:#}");
    assert_eq!(drivers[1]["library"], "/nowhere/libgone.so");
    assert_eq!(drivers[1]["why"], "found through XDG_DATA_DIRS");
    assert!(drivers[1]["devices"].is_null(), "no library is opened, so nobody knows: {chain:#}");
    let why = chain["layers"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("implicit") && why.contains("NO_LAYER=1"), "{chain:#}");
    let skipped = &chain["skipped"][0];
    assert!(skipped["manifest"].as_str().is_some_and(|path| path.ends_with("c-other.json")), "{chain:#}");
    assert!(skipped["reason"].as_str().is_some_and(|reason| reason.contains("32-bit")), "{chain:#}");
}

// ---- text ----

#[test]
fn a_layer_that_cannot_be_enabled_is_reported_with_exit_code_1() {
    let sandbox = machine();
    let output = vkload(&sandbox, &["chain", "--layer", "VK_LAYER_unheard_of"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("VK_ERROR_LAYER_NOT_PRESENT:\n  VK_LAYER_unheard_of: no layer"), "{said}");
    assert_eq!(vkload(&sandbox, &["chain"]).status.code(), Some(0));
}

#[test]
fn a_layers_box_shows_why_it_is_active() {
    let sandbox = machine();
    let list = "VK_LAYER_always:VK_LAYER_wanted";
    let mut vkload = command(&sandbox, &["chain"]);
    let said = text(&vkload.env("VK_INSTANCE_LAYERS", list).output().expect("vkload runs"));
    assert!(said.contains("enabled by VK_INSTANCE_LAYERS=VK_LAYER_always:VK_LAYER_wanted"), "{said}");
    let said = text(&self::vkload(&sandbox, &["chain", "--layer", "VK_LAYER_wanted"]));
    assert!(said.contains("enabled by the application"), "{said}");
    assert!(said.contains("to turn it off, set NO_LAYER=1"), "{said}");
}

#[test]
fn a_settings_file_and_a_variable_are_named_if_they_decide() {
    let sandbox = machine();
    let manifest = sandbox.path("data/vulkan/explicit_layer.d/wanted.json");
    let settings = sandbox.write(
        "data/vulkan/loader_settings.d/vk_loader_settings.json",
        format!(
            r#"{{"file_format_version": "1.0.0", "settings": {{"layers": [{{"name": "VK_LAYER_wanted",
            "path": "{}", "control": "on"}}]}}}}"#,
            manifest.display()
        ),
    );
    let driver = sandbox.path("data/vulkan/icd.d/a-good.json");
    let mut vkload = command(&sandbox, &["chain", "--own", "--json"]);
    let output = vkload.env("VK_DRIVER_FILES", &driver).output().expect("vkload runs");
    let chain: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let why = |part: &str| chain[part][0]["why"].as_str().unwrap_or_default().to_owned();
    assert_eq!(why("layers"), format!("enabled by the settings file {}", settings.display()), "{chain:#}");
    assert_eq!(why("drivers"), format!("named by VK_DRIVER_FILES={}", driver.display()), "{chain:#}");
}

#[test]
fn a_large_chain_fits_80_columns_and_keeps_names_and_files_whole() {
    let sandbox = large_machine();
    for locale in ["C.UTF-8", "C"] {
        let mut vkload = command(&sandbox, &["chain", "--layer", &"VK_LAYER_unheard_of".repeat(7)]);
        let said = text(&vkload.env("LC_ALL", locale).output().expect("vkload runs"));
        for line in said.lines() {
            assert!(line.chars().count() <= 80, "{} columns: {line}\n{said}", line.chars().count());
        }
        // The text of a box, without its sides and line breaks.
        let words: String =
            said.chars().filter(|it| !it.is_whitespace() && *it != '\u{2502}' && *it != '|').collect();
        for number in 0..7 {
            let name = format!("VK_LAYER_{number}_{}", "with_a_long_name_".repeat(6));
            assert!(words.contains(&name), "{name}: {said}");
            assert!(words.contains(&format!("lib{number}.so")), "{said}");
        }
        assert!(words.contains(WILD_NAME), "{said}");
        for number in 0..5 {
            assert!(said.contains(&format!("driver-{number}.json")), "{said}");
            assert!(said.contains(&format!("driver-{number}.so")), "{said}");
        }
        assert_eq!(said.is_ascii(), locale == "C", "{said}");
    }
}

#[test]
fn drivers_are_drawn_side_by_side_as_alternatives() {
    let sandbox = machine();
    let is_fork = |said: &str| said.contains("one of these");
    let said = text(&vkload(&sandbox, &["chain"]));
    assert!(
        said.lines().any(|line| line.contains("a-good.json") && line.contains("b-absent.json")),
        "{said}"
    );
    assert!(is_fork(&said), "{said}");
    let mut vkload = command(&sandbox, &["chain"]);
    let one = sandbox.path("data/vulkan/icd.d/a-good.json");
    let said = text(&vkload.env("VK_DRIVER_FILES", one).output().expect("vkload runs"));
    assert!(said.contains("a-good.json") && !is_fork(&said), "{said}");
}

#[test]
fn that_there_is_no_driver_is_drawn() {
    let sandbox = Sandbox::new();
    for format in ["text", "svg", "html"] {
        let mut vkload = command(&sandbox, &["chain", "--format", format]);
        let said = text(&vkload.env("VK_DRIVER_FILES", "/nowhere").output().expect("vkload runs"));
        assert!(said.contains("no driver") && said.contains("VK_ERROR_INCOMPATIBLE_DRIVER"), "{said}");
    }
}

#[test]
fn only_a_terminal_gets_colour_and_only_unless_the_user_wants_none() {
    let sandbox = machine();
    let is_coloured = |said: &str| said.contains('\u{1b}');
    assert!(!is_coloured(&text(&vkload(&sandbox, &["chain"]))));
    assert!(is_coloured(&on_a_terminal(&mut command(&sandbox, &["chain"]))));
    assert!(!is_coloured(&on_a_terminal(command(&sandbox, &["chain"]).env("NO_COLOR", "1"))));
}

#[test]
fn tables_fit_the_terminal() {
    let sandbox = large_machine();
    for arguments in [&["layers", "--no-probe"][..], &["paths"]] {
        let widest = |said: &str| said.lines().map(|line| line.chars().count()).max();
        assert!(widest(&text(&vkload(&sandbox, arguments))) > Some(COLUMNS), "{arguments:?}");
        let said = on_a_terminal(&mut command(&sandbox, arguments));
        assert!(widest(&said) <= Some(COLUMNS), "{said}");
    }
}

/// The width of the terminal.
const COLUMNS: usize = 60;

/// Returns the command's output on a terminal.
fn on_a_terminal(command: &mut Command) -> String {
    let (mut ours, mut theirs) = (0, 0);
    let nothing = std::ptr::null_mut();
    let size = libc::winsize { ws_row: 24, ws_col: COLUMNS as u16, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the descriptors are written to two numbers that live, as does the size; name and settings are not asked for.
    let result = unsafe { libc::openpty(&mut ours, &mut theirs, nothing, nothing.cast(), &size) };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
    // SAFETY: both descriptors are open, and no other code owns them.
    let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
    let mut child = command.stdout(theirs).spawn().expect("vkload runs");
    // The command object holds the other end until its output is set again; reading would never finish otherwise.
    command.stdout(std::process::Stdio::null());
    let mut said = Vec::new();
    // Reading returns an error once the other end is closed.
    let _ = ours.read_to_end(&mut said);
    assert!(child.wait().expect("vkload ends").success());
    String::from_utf8(said).expect("UTF-8")
}

// ---- SVG and HTML ----

/// Returns all words of a document, with the words of a line or a cell joined.
fn words_of(document: &Document<'_>) -> Vec<String> {
    let whole = |node: roxmltree::Node<'_, '_>| {
        node.descendants().filter(|it| it.is_text()).filter_map(|it| it.text()).collect::<String>()
    };
    document.descendants().filter(|it| it.is_element()).map(whole).collect()
}

/// Fails if a browser would have to fetch anything, or if the document could run anything.
fn assert_self_contained(document: &Document<'_>, source: &str) {
    for element in document.descendants().filter(|it| it.is_element()) {
        let name = element.tag_name().name();
        assert!(
            !["script", "link", "image", "img", "use", "iframe", "object"].contains(&name),
            "{name}: {source}"
        );
        for attribute in element.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(
                !["href", "src", "srcset", "data"].contains(&name) && !name.starts_with("on"),
                "{name}: {source}"
            );
            assert!(!value.contains("//") && !value.contains("url("), "{value}: {source}");
        }
        let style = if name == "style" { element.text().unwrap_or_default() } else { "" };
        assert!(!style.contains("url(") && !style.contains("@import") && !style.contains("//"), "{style}");
    }
}

#[test]
fn the_svg_picture_is_well_formed_needs_nothing_and_is_for_light_and_dark() {
    let sandbox = large_machine();
    let source = text(&vkload(&sandbox, &["chain", "--format", "svg", "--layer", "VK_LAYER_<unheard>&of"]));
    let document = Document::parse(&source).unwrap_or_else(|error| panic!("{error}: {source}"));
    assert_self_contained(&document, &source);
    assert!(source.contains("prefers-color-scheme: dark"), "{source}");
    // Readers who cannot see the picture get its title and the path of a call as text.
    let described = |name: &str| {
        let children = document.root_element().children();
        children.filter(|it| it.tag_name().name() == name).find_map(|it| it.text()).unwrap_or_default()
    };
    assert_eq!(described("title"), "Call chain of a Vulkan program", "{source}");
    let way = described("desc");
    assert!(way.starts_with("A call goes from application through loader, VK_LAYER_"), "{way}");
    assert!(way.contains("to one of: driver-0.json; driver-1.json"), "{way}");
    let words = words_of(&document);
    for expected in [WILD_NAME, "driver-0.json", "driver-4.json", "one of these, by the call's device"] {
        assert!(words.iter().any(|words| words == expected), "{expected}: {source}");
    }
    assert!(words.iter().any(|words| words.starts_with("VK_LAYER_<unheard>&of: ")), "{source}");
}

/// The sides of something in a picture: left, top, right, bottom.
#[derive(Clone, Copy, Debug)]
struct Sides(i64, i64, i64, i64);

impl Sides {
    fn holds(self, inner: Self) -> bool {
        inner.0 > self.0 && inner.1 > self.1 && inner.2 < self.2 && inner.3 < self.3
    }

    fn is_apart_from(self, other: Self) -> bool {
        self.2 < other.0 || other.2 < self.0 || self.3 < other.1 || other.3 < self.1
    }
}

/// Returns the positions of all elements of this name that have one. A character of a text counts as 7 wide and 9 high.
fn sides(document: &Document<'_>, name: &str) -> Vec<Sides> {
    let named = document.descendants().filter(|it| it.tag_name().name() == name);
    let sides_of = |it: roxmltree::Node<'_, '_>| {
        let number = |name: &str| it.attribute(name)?.parse::<i64>().ok();
        let characters = it.text().map_or(0, |text| text.chars().count()) as i64;
        let (x, y) = (number("x")?, number("y")?);
        let size = number("width").zip(number("height"));
        Some(size.map_or(Sides(x, y - 9, x + 7 * characters, y), |(width, height)| {
            Sides(x, y, x + width, y + height)
        }))
    };
    named.filter_map(sides_of).collect()
}

#[test]
fn nothing_in_the_svg_picture_overlaps_or_leaves_its_box() {
    let source = text(&vkload(&large_machine(), &["chain", "--format", "svg"]));
    let document = Document::parse(&source).expect("XML");
    let size = |name: &str| document.root_element().attribute(name).and_then(|it| it.parse().ok());
    let picture = Sides(0, 0, size("width").expect("a width"), size("height").expect("a height"));
    let (boxes, words) = (sides(&document, "rect"), sides(&document, "text"));
    assert_eq!(boxes.len(), 15, "the application, the loader, 8 layers and 5 drivers: {source}");
    for (index, one) in boxes.iter().enumerate() {
        assert!(picture.holds(*one), "{one:?}");
        assert!(boxes[..index].iter().all(|other| one.is_apart_from(*other)), "{one:?}: {source}");
    }
    for (index, line) in words.iter().enumerate() {
        assert!(picture.holds(*line), "{line:?}");
        let is_free = boxes.iter().all(|it| it.is_apart_from(*line));
        assert!(is_free || boxes.iter().any(|it| it.holds(*line)), "{line:?}: {source}");
        assert!(words[..index].iter().all(|other| line.is_apart_from(*other)), "{line:?}: {source}");
    }
}

#[test]
fn the_html_page_is_well_formed_needs_nothing_and_has_every_path_in_full() {
    let sandbox = large_machine();
    let output = vkload(&sandbox, &["chain", "--format", "html", "--layer", "VK_LAYER_<unheard>&of"]);
    assert_eq!(output.status.code(), Some(1), "as with every format");
    let source = text(&output);
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(&source, options).unwrap_or_else(|error| panic!("{error}: {source}"));
    assert_self_contained(&document, &source);
    assert!(source.contains("default-src 'none'"), "{source}");
    let words = words_of(&document);
    let chain = json(&sandbox, &["chain", "--json"]);
    for (list, keys) in [
        ("layers", &["name", "why", "library", "manifest"][..]),
        ("drivers", &["manifest", "library", "why"]),
        ("skipped", &["manifest", "reason"]),
    ] {
        for entry in chain[list].as_array().expect("a list") {
            for key in keys {
                assert!(words.iter().any(|words| entry[key] == words.as_str()), "{}: {source}", entry[key]);
            }
        }
    }
    assert!(words.iter().any(|words| words == WILD_NAME), "{source}");
    assert!(words.iter().any(|words| words.starts_with("VK_LAYER_<unheard>&of: no layer")), "{source}");
}

// ---- recordings ----

#[test]
fn a_recording_shows_devices_under_their_driver_and_what_did_not_work() {
    let sandbox = machine();
    let file = sandbox.path("out/recording.json");
    let file = file.to_str().expect("UTF-8");
    fs::create_dir_all(sandbox.path("out")).expect("a folder");
    let _ = vkload(&sandbox, &["info", "--record", file]);
    let chain = json(&sandbox, &["replay", file, "--show", "chain", "--json"]);
    assert_eq!(chain["drivers"][0]["devices"][0]["name"], "gpu", "{chain:#}");
    assert_eq!(chain["drivers"][0]["problem"], "");
    assert_ne!(chain["drivers"][1]["problem"], "", "its library is not there: {chain:#}");
    assert_ne!(chain["layers"][0]["problem"], "", "{chain:#}");
    for format in ["text", "svg", "html"] {
        let said = text(&vkload(&sandbox, &["replay", file, "--show", "chain", "--format", format]));
        assert!(said.contains("gpu") && said.contains("problem: "), "{said}");
    }
    let output = vkload(&sandbox, &["replay", file, "--format", "svg"]);
    assert_eq!(output.status.code(), Some(2), "there is a picture of the call chain only");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--show chain"), "{output:?}");
}

#[test]
fn devices_are_listed_with_their_drivers_and_idle_drivers_are_fine() {
    let sandbox = Sandbox::new();
    Driver::new("a").device(Device::new("first gpu")).install(&sandbox);
    Driver::new("b").device(Device::new("second gpu")).install(&sandbox);
    Driver::new("c-empty").install(&sandbox);
    let file = sandbox.write("recording.json", "");
    let file = file.to_str().expect("UTF-8");
    let _ = vkload(&sandbox, &["info", "--record", file]);
    let chain = json(&sandbox, &["replay", file, "--show", "chain", "--json"]);
    assert_eq!(chain["drivers"][1]["devices"][0]["name"], "second gpu", "{chain:#}");
    assert_eq!(chain["drivers"][2]["devices"], serde_json::json!([]), "{chain:#}");
    assert_eq!(chain["drivers"][2]["problem"], "");
    let said = text(&vkload(&sandbox, &["replay", file, "--show", "chain"]));
    assert!(said.contains("first gpu") && said.contains("it finds no device here"), "{said}");
}

/// `VKLOAD_BLESS=1` draws it again.
#[test]
fn the_picture_in_the_book_is_current() {
    let sandbox = Sandbox::new();
    let gpu = Device::new("AMD Radeon RX 6700").kind(ash::vk::PhysicalDeviceType::DISCRETE_GPU);
    Driver::new("radeon_icd").device(gpu).install(&sandbox);
    Driver::new("intel_icd").install(&sandbox);
    Layer::new("VK_LAYER_MANGOHUD_overlay").implicit().install(&sandbox);
    Layer::new("VK_LAYER_KHRONOS_validation").install(&sandbox);
    let recording = sandbox.path("out/recording.json");
    let file = recording.to_str().expect("UTF-8");
    let mut info = command(&sandbox, &["info", "--record", file]);
    let output = info.env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation").output().expect("vkload runs");
    assert!(output.status.success(), "{output:?}");
    // The files of a machine instead of the test's.
    let root = sandbox.path("");
    let root = root.to_str().expect("UTF-8");
    let text_of = fs::read_to_string(&recording).expect("a recording");
    let elsewhere = text_of.replace(&format!("{root}data"), "/usr/share").replace(root, "/usr/");
    fs::write(&recording, elsewhere).expect("written");
    let picture = text(&vkload(&sandbox, &["replay", file, "--show", "chain", "--format", "svg"]));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures/chain.svg");
    if env::var_os("VKLOAD_BLESS").is_some() {
        fs::write(&page, &picture).expect("written");
    }
    let current = fs::read_to_string(&page).expect("the picture");
    assert!(
        picture == current,
        "`VKLOAD_BLESS=1 cargo test -p vkload --test commands picture` draws it again"
    );
}
