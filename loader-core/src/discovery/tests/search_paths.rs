use super::*;

#[test]
fn the_default_search_paths_come_in_order() {
    let system = Imaginary::new();
    system.set("HOME", "/home/me");
    assert_eq!(
        searched(&plan_of(system)),
        [
            "/home/me/.config/vulkan/icd.d",
            "/etc/xdg/vulkan/icd.d",
            "/usr/local/etc/vulkan/icd.d",
            "/etc/vulkan/icd.d",
            "/home/me/.local/share/vulkan/icd.d",
            "/usr/local/share/vulkan/icd.d",
            "/usr/share/vulkan/icd.d",
        ]
    );
}

#[test]
fn xdg_variables_replace_their_fallbacks() {
    let system = Imaginary::new();
    system.set("HOME", "/h").set("XDG_CONFIG_HOME", "/c").set("XDG_CONFIG_DIRS", "/c1:/c2");
    system.set("XDG_DATA_HOME", "/d").set("XDG_DATA_DIRS", "/d1:/d2");
    let plan = plan_of(system);
    let expected = ["/c", "/c1", "/c2", "/usr/local/etc", "/etc", "/d", "/d1", "/d2"]
        .map(|root| format!("{root}/vulkan/icd.d"));
    assert_eq!(searched(&plan), expected);
    assert_eq!(plan.searched[0].origin, Origin::Variable(c"XDG_CONFIG_HOME"));
    assert_eq!(plan.searched[3].origin, Origin::BuiltIn("SYSCONFDIR"));
}

#[test]
fn an_empty_xdg_variable_counts_as_unset() {
    let system = Imaginary::new();
    system.set("HOME", "").set("XDG_CONFIG_HOME", "").set("XDG_CONFIG_DIRS", "").set("XDG_DATA_DIRS", "");
    let plan = plan_of(system);
    let expected = ["/etc/xdg", "/usr/local/etc", "/etc", "/usr/local/share", "/usr/share"]
        .map(|root| format!("{root}/vulkan/icd.d"));
    assert_eq!(searched(&plan), expected);
    assert_eq!(plan.searched[0].origin, Origin::Fallback(c"XDG_CONFIG_DIRS"));
}

#[test]
fn odd_path_lists_are_tolerated() {
    let system = Imaginary::new();
    system.set("XDG_DATA_DIRS", ":: //opt//my data//: :/usr/share///:/");
    system.file("/opt/my data/vulkan/icd.d/a.json", manifest("a.so"));
    let plan = plan_of(system);
    assert_eq!(
        searched(&plan)[3..],
        ["/opt/my data/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/vulkan/icd.d"]
    );
    assert_eq!(used(&plan), ["a.so"]);
}

#[test]
fn a_path_that_is_named_twice_is_searched_once() {
    let system = Imaginary::new();
    system.set("XDG_DATA_DIRS", "/etc/:/share");
    system.file("/etc/vulkan/icd.d/a.json", manifest("a.so"));
    let plan = plan_of(system);
    assert_eq!(plan.searched[2].result, SearchResult::Folder { manifests: 1 });
    assert_eq!(plan.searched[3].result, SearchResult::Repeated);
    assert_eq!(decisions(&plan), [("/etc/vulkan/icd.d/a.json".to_string(), "use")]);
    assert_eq!(system.calls().iter().filter(|call| *call == "list /etc/vulkan/icd.d").count(), 1);
}

#[test]
fn driver_files_replaces_the_search() {
    let system = Imaginary::new();
    system.file("/etc/vulkan/icd.d/usual.json", manifest("usual.so"));
    system.file("/x/one.json", manifest("one.so")).file("/y/two.json", manifest("two.so"));
    for variable in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"] {
        system.set(variable, "/y:/gone:/x/one.json");
        let plan = plan_of(system);
        assert_eq!(searched(&plan), ["/y", "/gone", "/x/one.json"]);
        assert_eq!(used(&plan), ["two.so", "one.so"]);
        assert!(plan.notes.is_empty());
        system.unset(variable);
    }
}

#[test]
fn driver_files_beats_icd_filenames_and_add_driver_files() {
    let system = Imaginary::new();
    system
        .file("/1.json", manifest("1.so"))
        .file("/2.json", manifest("2.so"))
        .file("/3.json", manifest("3.so"));
    system
        .set("VK_DRIVER_FILES", "/1.json")
        .set("VK_ICD_FILENAMES", "/2.json")
        .set("VK_ADD_DRIVER_FILES", "/3.json");
    let plan = plan_of(system);
    assert_eq!(used(&plan), ["1.so"]);
    assert_eq!(
        notes(&plan),
        [
            "VK_ICD_FILENAMES is ignored, since VK_DRIVER_FILES is set",
            "VK_ADD_DRIVER_FILES is ignored, since VK_DRIVER_FILES is set"
        ]
    );
}

#[test]
fn add_driver_files_comes_before_the_default_search_paths() {
    let system = Imaginary::new();
    system.file("/etc/vulkan/icd.d/usual.json", manifest("usual.so"));
    system.file("/x/b.json", manifest("b.so")).file("/x/a.json", manifest("a.so"));
    system.set("VK_ADD_DRIVER_FILES", "/x/b.json:/x");
    let plan = plan_of(system);
    assert_eq!(used(&plan), ["b.so", "a.so", "usual.so"]);
    assert_eq!(plan.searched[0].origin, Origin::Adding(c"VK_ADD_DRIVER_FILES"));
    assert_eq!(decisions(&plan)[2], ("/x/b.json".to_string(), "manifest-repeated"));
}

#[test]
fn a_bare_name_is_looked_for_on_the_default_search_paths() {
    let system = Imaginary::new();
    system.file("/etc/vulkan/icd.d/v.json", manifest("etc.so"));
    system.file("/usr/share/vulkan/icd.d/v.json", manifest("usr.so"));
    system.file("/usr/share/vulkan/icd.d/w.json", manifest("lib/w.so"));
    system.set("VK_ICD_FILENAMES", "w.json:v.json:gone.json");
    let plan = plan_of(system);
    assert_eq!(
        decisions(&plan),
        [
            ("/usr/share/vulkan/icd.d/w.json".to_string(), "use"),
            ("/etc/vulkan/icd.d/v.json".to_string(), "use"),
            ("gone.json".to_string(), "manifest-not-found"),
        ]
    );
    assert_eq!(used(&plan), ["/usr/share/vulkan/icd.d/lib/w.so", "etc.so"]);

    system.file("v.json", manifest("here.so"));
    assert_eq!(used(&plan_of(system))[1], "here.so", "the folder of the process comes first");
}

#[test]
fn an_empty_replacing_variable_rules_out_every_driver() {
    let system = Imaginary::new();
    system.file("/etc/vulkan/icd.d/usual.json", manifest("usual.so"));
    for value in ["", " : ::"] {
        system.set("VK_DRIVER_FILES", value).set("VK_ICD_FILENAMES", "/etc/vulkan/icd.d");
        let plan = plan_of(system);
        assert!(plan.drivers.is_empty());
        assert_eq!(
            plan.notes.last(),
            Some(&Note::ReplacedByNothing { name: c"VK_DRIVER_FILES", noun: "driver" })
        );
    }
}

#[test]
fn an_elevated_process_ignores_the_user_and_says_so() {
    let system = Imaginary::new();
    system.elevate().set("HOME", "/h").set("XDG_CONFIG_HOME", "/c").set("XDG_DATA_DIRS", "/d");
    system.set("VK_DRIVER_FILES", "/evil.json").set("VK_LOADER_DRIVERS_DISABLE", "*");
    system.file("/evil.json", manifest("evil.so")).file("/etc/vulkan/icd.d/good.json", manifest("good.so"));
    let plan = plan_of(system);
    assert_eq!(used(&plan), ["good.so"]);
    let expected = ["/etc/xdg", "/usr/local/etc", "/etc", "/usr/local/share", "/usr/share"]
        .map(|root| format!("{root}/vulkan/icd.d"));
    assert_eq!(searched(&plan), expected);
    assert_eq!(
        plan.notes.as_slice(),
        [c"VK_DRIVER_FILES", c"VK_LOADER_DRIVERS_DISABLE"]
            .map(|name| Note::VariableIgnored { name, because: IgnoreReason::Elevated })
    );
}

/// Fuchsia has no elevated processes and reads variables plainly; its roots have no fallbacks.
#[test]
fn another_platform_is_another_policy() {
    static ROOTS: [Root; 2] = [
        Root::Variable { name: c"XDG_CONFIG_DIRS", fallback: Fallback::Nothing },
        Root::BuiltIn { name: "EXTRASYSCONFDIR", path: b"/pkg/data" },
    ];
    let policy = Policy { roots: &ROOTS, reader: crate::platform::Reader::Plain, ..POLICY };
    let system = Imaginary::new();
    system.elevate().file("/pkg/data/vulkan/icd.d/0.json", manifest("0-fake.so"));
    let plan =
        discover(&system.platform(), &policy, &REQUEST, &KnownSettings::default(), &mut Snapshot::new())
            .unwrap();
    assert_eq!(searched(&plan), ["/pkg/data/vulkan/icd.d"]);
    assert_eq!(used(&plan), ["0-fake.so"]);
}
