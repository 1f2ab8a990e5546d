//! Each API level lists the same as Android's own loader, and no extension that the level's CTS
//! does not know (`levels.tsv`).

use std::collections::BTreeSet;
use std::ptr::null;

use android_simulation::Simulation;
use android_simulation::hal::Hal;
use ash::vk;
use platform_android::switches::SWITCHES;
use platform_android::{ApiLevel, Switch, Switches, driver};

const LEVELS: std::ops::RangeInclusive<u32> = ApiLevel::OLDEST.0..=ApiLevel::NEWEST.0;

struct Row {
    kind: &'static str,
    name: &'static str,
    /// The first level whose CTS knows the name; `None` if it does not look at such names.
    cts: Option<u32>,
    listed: Vec<bool>,
}

fn rows() -> Vec<Row> {
    let table = include_str!("levels.tsv");
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let levels: Vec<u32> = lines.next().unwrap().split('\t').skip(3).map(|it| it.parse().unwrap()).collect();
    assert!(levels.iter().copied().eq(LEVELS));
    let sources: Vec<_> = lines.next().unwrap().split('\t').skip(3).collect();
    let described = |source: &&str| table.contains(&format!("#   {source} "));
    assert!(sources.len() == levels.len() && sources.iter().all(described), "{sources:?}");
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let (kind, name) = (cells.next().unwrap(), cells.next().unwrap());
        let cts = cells.next().unwrap().parse().ok();
        assert_eq!(cts.is_none(), name.starts_with("VK_EXT_"), "{name}");
        let listed = cells.map(|cell| match cell {
            "+" => true,
            "-" => false,
            other => panic!("{name}: {other}"),
        });
        Row { kind, name, cts, listed: listed.collect() }
    };
    let rows: Vec<_> = lines.map(row).collect();
    assert!(rows.iter().all(|row| row.listed.len() == levels.len()));
    rows
}

/// Returns a driver with everything on which extensions of the loader depend, which lists nothing
/// that a driver lists of itself.
fn complete() -> Hal {
    Hal {
        instance_extensions: Vec::new(),
        shared_image: true,
        image_compression_control: true,
        device_version: vk::make_api_version(0, 1, 4, 0),
        device_extensions: vec![
            (c"VK_ANDROID_native_buffer", 11),
            (c"VK_KHR_external_fence_fd", 1),
            (c"VK_KHR_calibrated_timestamps", 1),
        ],
        ..Hal::default()
    }
}

/// Returns the names that a system lists below its layers: instance and device extensions.
fn listed(simulation: &Simulation) -> [BTreeSet<String>; 2] {
    simulation.android.set("ro.surface_flinger.has_HDR_display", "true");
    simulation.android.set("service.sf.present_timestamp", "true");
    simulation.android.set("ro.vulkan.debug_utils", "false");
    // Its windows have every call.
    simulation.android.set("ro.build.version.sdk", "37");
    simulation.android.install(complete());
    simulation.loader.enter();
    let names = |list: &[vk::ExtensionProperties]| -> BTreeSet<String> {
        let names = list.iter().map(|it| it.extension_name_as_c_str().unwrap().to_str().unwrap().to_owned());
        names
            .filter(|name| !matches!(&**name, "VK_KHR_external_fence_fd" | "VK_KHR_calibrated_timestamps"))
            .collect()
    };
    let mut list = [vk::ExtensionProperties::default(); 64];
    let mut instance = vk::Instance::null();
    let mut device = vk::PhysicalDevice::null();
    // SAFETY: valid structures, handles and counted out-arrays; the instance is destroyed in the end.
    unsafe {
        let mut count = 64;
        let result = driver::enumerate_instance_extension_properties(null(), &mut count, list.as_mut_ptr());
        assert_eq!(result, vk::Result::SUCCESS);
        let of_instances = names(&list[..count as usize]);
        let info = vk::InstanceCreateInfo::default();
        assert_eq!(driver::create_instance(&info, null(), &mut instance), vk::Result::SUCCESS);
        count = 1;
        let _ = driver::enumerate_physical_devices(instance, &mut count, &mut device);
        count = 64;
        let result =
            driver::enumerate_device_extension_properties(device, null(), &mut count, list.as_mut_ptr());
        assert_eq!(result, vk::Result::SUCCESS);
        let of_devices = names(&list[..count as usize]);
        driver::destroy_instance(instance, null());
        [of_instances, of_devices]
    }
}

#[test]
fn each_level_lists_what_its_android_lists() {
    let rows = rows();
    for (index, level) in LEVELS.enumerate() {
        let [of_instances, of_devices] = listed(&Simulation::at(ApiLevel(level)));
        for row in &rows {
            let all = if row.kind == "instance" { &of_instances } else { &of_devices };
            assert_eq!(all.contains(row.name), row.listed[index], "{} at level {level}", row.name);
        }
        let known: BTreeSet<_> = rows.iter().map(|row| row.name.to_owned()).collect();
        let others: Vec<_> = of_instances.union(&of_devices).filter(|name| !known.contains(*name)).collect();
        assert!(others.is_empty(), "{others:?} at level {level} are not in the table");
    }
}

/// `dEQP-VK.api.info.android.no_unknown_extensions` and `dEQP-VK.info.device_extensions`.
#[test]
fn nothing_is_listed_that_the_cts_of_the_level_does_not_know() {
    let rows = rows();
    for level in LEVELS {
        let [of_instances, of_devices] = listed(&Simulation::at(ApiLevel(level)));
        for name in of_instances.iter().chain(&of_devices) {
            let cts = rows.iter().find(|row| row.name == name).and_then(|row| row.cts);
            assert!(cts.is_none_or(|since| since <= level), "{name} at level {level}");
        }
    }
}

#[test]
fn a_switch_lists_its_extension_at_every_level_and_takes_it_away() {
    for (switch, names) in [
        (Switch::MutableFormat, &["VK_KHR_swapchain_mutable_format"][..]),
        (Switch::PresentId, &["VK_KHR_present_id"]),
        (Switch::PresentId2, &["VK_KHR_present_id2"]),
        (Switch::PresentWait2, &["VK_KHR_present_wait2"]),
        (Switch::LatestReady, &["VK_EXT_present_mode_fifo_latest_ready"]),
        (Switch::LatestReadyKhr, &["VK_KHR_present_mode_fifo_latest_ready"]),
        (Switch::PresentTiming, &["VK_EXT_present_timing"]),
        (Switch::Maintenance1Khr, &["VK_KHR_swapchain_maintenance1", "VK_KHR_surface_maintenance1"]),
    ] {
        for level in 33..=37 {
            for is_on in [false, true] {
                let set = |switches: Switches| {
                    if is_on { switches.with(switch) } else { switches.without(switch) }
                };
                let simulation = Simulation::of(ApiLevel(level), set);
                let all = listed(&simulation);
                for name in names {
                    let listed = all.iter().any(|list| list.contains(*name));
                    assert_eq!(listed, is_on, "{name} at level {level}");
                }
            }
        }
    }
}

#[test]
fn switches_are_on_since_their_level() {
    for row in SWITCHES {
        for level in LEVELS {
            let expected = row.since.is_some_and(|since| level >= since.0);
            assert_eq!(Switches::of(ApiLevel(level)).has(row.switch), expected, "{} {level}", row.name);
        }
    }
}

/// The table's rows are cargo's features, and a system tree's.
#[test]
fn each_switch_and_each_level_is_a_feature() {
    let manifest = include_str!("../../Cargo.toml");
    let of_switches = SWITCHES
        .iter()
        .filter(|row| !row.name.is_empty())
        .flat_map(|row| ["with-", "without-"].map(|word| format!("{word}{}", row.name)));
    let expected: BTreeSet<_> = LEVELS.map(|level| format!("api-{level}")).chain(of_switches).collect();
    let features = manifest.lines().filter_map(|line| line.strip_suffix(" = []")).map(str::to_owned);
    assert_eq!(features.collect::<BTreeSet<_>>(), expected);
    assert_eq!(ApiLevel::BUILT, ApiLevel::DEFAULT);
    assert_eq!(Switches::built(ApiLevel::BUILT), Switches::of(ApiLevel::DEFAULT));
}

#[test]
fn the_version_is_that_of_the_level() {
    let of = |minor| vk::make_api_version(0, 1, minor, 0);
    for (level, minor) in [(28, 1), (32, 1), (33, 3), (35, 3), (36, 4), (37, 4)] {
        let simulation = Simulation::at(ApiLevel(level));
        assert_eq!(simulation.loader.api_version(), of(minor), "{level}");
    }
    let simulation = Simulation::of(ApiLevel(36), |switches| switches.without(Switch::Vulkan14));
    assert_eq!(simulation.loader.api_version(), of(3));
}
