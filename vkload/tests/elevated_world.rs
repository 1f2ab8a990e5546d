//! A set-user-id program of root's, run by another user whose variables and files are hostile, on the library with the null driver and all layers: it
//! runs as without them.

use crate::{two_users, untrusted};

use std::fs;
use std::process::Command;

use serde_json::json;
use two_users::{Machine, OTHER};
use vkload_tests::programs::Library;

const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
#include <sys/auxv.h>
typedef void (*Function)(void);
typedef Function (*Find)(void *, const char *);
int main(int count, char **words) {
    void *loader = dlopen(words[1], RTLD_NOW);
    if (loader == NULL) return puts(dlerror()), 2;
    Find find = (Find)dlsym(loader, "vkGetInstanceProcAddr");
    const char *layers[] = {"VK_LAYER_VKLOAD_faults", "VK_LAYER_VKLOAD_recorder", "VK_LAYER_VKLOAD_statistics"};
    struct { int type; const void *next; int flags; const void *application; int count; const char **layers; int extensions; const void *e; } info = {1};
    info.count = 3;
    info.layers = layers;
    void *instance = NULL, *devices[8];
    unsigned number = 8;
    int created = ((int (*)(const void *, const void *, void **))find(NULL, "vkCreateInstance"))(&info, NULL, &instance);
    if (created == 0) {
        ((int (*)(void *, unsigned *, void **))find(instance, "vkEnumeratePhysicalDevices"))(instance, &number, devices);
        ((void (*)(void *, const void *))find(instance, "vkDestroyInstance"))(instance, NULL);
    }
    printf("elevated %lu, created %d, devices %u\n", getauxval(AT_SECURE), created, number);
    return count - 2;
}
"#;

/// The layers' manifests, in which each library has no folder.
const LAYERS: [&str; 3] = [
    include_str!("../../layers/faults/VkLayer_vkload_faults.json"),
    include_str!("../../layers/recorder/VkLayer_vkload_recorder.json"),
    include_str!("../../layers/statistics/VkLayer_vkload_statistics.json"),
];

/// Gives the system these manifests, and runs the program as the other user.
const SCRIPT: &str = r#"
mount -t tmpfs none /usr/share
cp -r "$1" /usr/share/vulkan
user=$2
shift 2
exec setpriv --reuid="$user" --regid="$user" --clear-groups env --ignore-environment "$@"
"#;

#[test]
fn nothing_of_its_user_changes_an_elevated_program() {
    let Some(machine) = Machine::new() else { return };
    if !Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: no mounts of its own can be made");
        return;
    }
    let tests = std::env::current_exe().unwrap();
    machine.compile("elevated", PROGRAM, &["-Wl,--no-as-needed", "-ldl"]);
    fs::create_dir_all(machine.path("manifests/icd.d")).unwrap();
    fs::create_dir_all(machine.path("manifests/explicit_layer.d")).unwrap();
    for (index, layer) in LAYERS.iter().enumerate() {
        let layer = layer.replace("./lib", &format!("{}/lib", tests.parent().unwrap().display()));
        fs::write(machine.path(&format!("manifests/explicit_layer.d/{index}.json")), layer).unwrap();
    }
    let null_driver = tests.with_file_name("libvkload_null.so");
    let driver = json!({ "file_format_version": "1.0.1", "ICD": { "library_path": null_driver, "api_version": "1.3.0" } });
    fs::write(machine.path("manifests/icd.d/null.json"), driver.to_string()).unwrap();
    fs::write(machine.path("secret"), "root:secret").unwrap();
    machine.mode("secret", 0o600);

    let theirs = |name: &str| machine.path("theirs").join(name).display().to_string();
    let (secret, new) = (machine.path("secret").display().to_string(), theirs("new"));
    let words = [
        (
            "VKLOAD_FAULTS",
            [format!("fails=vkCreateInstance@1:VK_ERROR_DEVICE_LOST \"log={new}\""), format!("@{secret}")],
        ),
        ("VKLOAD_NULL_DRIVER", [format!("devices=2 log={new}"), format!("@{secret}")]),
        ("VKLOAD_STATISTICS", ["table,json,trace".to_owned(), "json".to_owned()]),
        ("VKLOAD_STATISTICS_FILE", [new.clone(), secret.clone()]),
        ("VKLOAD_RECORDER_FILE", [new.clone(), secret.clone()]),
        ("VK_LAYER_SETTINGS_PATH", [secret.clone(), theirs("vk_layer_settings.txt")]),
        ("VK_LOADER_DEBUG", ["all".to_owned(), "error".to_owned()]),
    ];
    fs::write(theirs("vk_layer_settings.txt"), format!("vkload_faults.VKLOAD_FAULTS = @{secret}\n")).unwrap();
    let library = Library::under_test();
    let run = |mode: u32, variables: &[String]| {
        machine.mode("elevated", mode);
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "sh", "-euc", SCRIPT, "sh"])
            .arg(machine.path("manifests"))
            .arg(OTHER.to_string());
        command.args(variables).arg(machine.path("elevated")).arg(library.file());
        let output = command.current_dir(machine.path("theirs")).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    for row in 0..2 {
        let hostile =
            machine.hostile().into_iter().map(|(name, value)| format!("{name}={}", value.display()));
        let own = words.iter().map(|(name, values)| format!("{name}={}", values[row]));
        let others = untrusted::variables().into_iter().map(|(name, value)| format!("{name}={value}"));
        let folders = ["XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_CONFIG_DIRS", "XDG_CONFIG_HOME"];
        let folders = folders.map(|name| format!("{name}={}", theirs("home/.local/share")));
        let variables: Vec<String> = others.chain(own).chain(folders).chain(hostile).collect();
        let files = || two_users::files(&[machine.path("")], &[machine.path("elevated")]);
        let before = files();
        for mode in [0o4755, 0o2755] {
            let text = run(mode, &variables);
            assert!(text.contains("elevated 1, created 0, devices 1\n"), "{mode:o}: {text}");
            assert!(
                untrusted::hidden(&text).is_empty() && !text.contains("root:secret"),
                "{mode:o}: {text:?}"
            );
            assert_eq!(machine.runs(), [""; 0], "{mode:o}: {text}");
            assert_eq!(files(), before, "{mode:o}: {text}");
        }
        // Without more rights, the variables have effects.
        let text = run(0o755, &variables);
        assert!(!text.contains("created 0, devices 1\n") || !machine.runs().is_empty(), "{text}");
        fs::write(machine.path("log"), "").unwrap();
        let _ = fs::remove_file(&new);
    }
}
