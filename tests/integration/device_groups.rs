//! Groups of physical devices, over several drivers and those that know no groups.
use ash::vk;
use vkload_tests::{Ask, Device, Driver, Layer, Scenario, Vk, say_groups, say_groups_1_1};

fn extension(vk: &Vk) {
    let ask = Ask::new().extension("VK_KHR_device_group_creation");
    say_groups(vk, &vk.create(&ask).unwrap(), "vkEnumeratePhysicalDeviceGroupsKHR");
}

fn pair(name: &str) -> Driver {
    let device = |number| Device::new(&format!("{name}{number}"));
    Driver::new(name).device(device(0)).device(device(1)).device(device(2)).group(&[0, 1]).group(&[2])
}

#[test]
fn groups_of_all_drivers_are_added_up_and_one_that_knows_none_has_one_for_each_device() {
    let old = Driver::new("old").api("1.0.0").device(Device::new("old0")).device(Device::new("old1"));
    for (other, groups) in [
        (None, "a0+a1/a2"),
        (Some(Driver::new("b").device(Device::new("b0"))), "b0/a0+a1/a2"),
        (Some(old), "old0/old1/a0+a1/a2"),
    ] {
        let scenario = Scenario::new().env("VK_LOADER_DISABLE_SELECT", "1").driver(pair("a"));
        let run = other.into_iter().fold(scenario, Scenario::driver).run(say_groups_1_1);
        run.ok().says("result", "SUCCESS").says("groups", groups).says("handles of the devices", true);
    }
}

#[test]
fn groups_of_portability_drivers_are_there_if_they_are_asked_for() {
    let scenario = || {
        let part = Driver::new("part").manifest_field("is_portability_driver", "true");
        let scenario = Scenario::new().env("VK_LOADER_DISABLE_SELECT", "1").driver(pair("a"));
        scenario.driver(part.device(Device::new("p0")))
    };
    scenario().run(say_groups_1_1).ok().says("groups", "a0+a1/a2");
    let run = scenario().run(|vk| {
        let ask = Ask::new().api(1, 1).portability_flag().extension("VK_KHR_portability_enumeration");
        let instance = vk.create(&ask).unwrap();
        vk.say("groups", unsafe { instance.enumerate_physical_device_groups_len() }.unwrap());
        vk.say("devices", instance.names().len());
    });
    run.ok().says("groups", 3).says("devices", 4);
}

#[test]
fn the_extensions_command_works_like_the_core_one() {
    let driver = pair("a").api("1.0.0").extension("VK_KHR_device_group_creation");
    let run = Scenario::new().env("VK_LOADER_DISABLE_SELECT", "1").driver(driver).run(extension);
    run.ok().says("groups", "a0+a1/a2").says("handles of the devices", true);
}

#[test]
fn a_small_array_of_groups_is_filled_and_incomplete() {
    let run = Scenario::new().driver(pair("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let mut groups = [vk::PhysicalDeviceGroupProperties::default()];
        let mut count = 1;
        // SAFETY: the array has as many elements as the count.
        let result = unsafe {
            (instance.fp_v1_1().enumerate_physical_device_groups)(
                instance.handle(),
                &mut count,
                groups.as_mut_ptr(),
            )
        };
        vk.say("result", format_args!("{result:?} {count} {}", groups[0].physical_device_count > 0));
    });
    run.ok().says("result", "INCOMPLETE 1 true");
}

#[test]
fn drivers_see_what_hangs_on_the_callers_structures() {
    let run = Scenario::new().driver(pair("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let mut extra =
            vk::BaseOutStructure { s_type: vk::StructureType::from_raw(999), ..Default::default() };
        let mut groups = [vk::PhysicalDeviceGroupProperties::default(); 2];
        groups[0].p_next = (&raw mut extra).cast();
        unsafe { instance.enumerate_physical_device_groups(&mut groups) }.unwrap();
        vk.say("kept", std::ptr::eq(groups[0].p_next, (&raw mut extra).cast()));
    });
    run.ok().says("kept", true);
    let trace = run.trace("a");
    let filled: Vec<_> = trace
        .calls("vkEnumeratePhysicalDeviceGroups")
        .into_iter()
        .filter(|call| call.get("fill") == "1")
        .collect();
    assert!(filled.iter().any(|call| call.get("chain") == "999"), "{filled:?}");
}

#[test]
fn a_group_behind_other_structures_is_found_and_they_are_kept() {
    let run = Scenario::new().driver(pair("a")).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
        let members = [instance.named("a2")];
        let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members);
        let mut before = vk::PhysicalDeviceVulkan11Features::default();
        let mut after = vk::PhysicalDeviceVulkan12Features::default();
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        // push_next puts each in front of the ones before.
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let info = info.push_next(&mut after).push_next(&mut group).push_next(&mut before);
        unsafe { instance.create_device(members[0], &info, None).unwrap().destroy_device(None) };
        let unchanged = group.p_physical_devices == members.as_ptr()
            && std::ptr::eq(before.p_next, &raw const group as *const _)
            && std::ptr::eq(group.p_next, &raw const after as *const _);
        vk.say("unchanged", unchanged);
    });
    let trace = run.ok().says("unchanged", true).trace("a");
    let kinds = [
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        vk::StructureType::DEVICE_GROUP_DEVICE_CREATE_INFO,
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    ];
    assert_eq!(trace.only("vkCreateDevice").list("group"), ["a2"]);
    assert_eq!(trace.only("vkCreateDevice").list("chain"), kinds.map(|kind| kind.as_raw().to_string()));
}

#[test]
fn a_device_of_a_group_is_created_with_the_drivers_handles() {
    let run =
        Scenario::new().driver(pair("a")).driver(Driver::new("b").device(Device::new("b0"))).run(|vk| {
            let instance = vk.create(&Ask::new().api(1, 1)).unwrap();
            let members = [instance.named("a0"), instance.named("a1")];
            let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut group);
            unsafe { instance.create_device(members[0], &info, None).unwrap().destroy_device(None) };
            vk.say(
                "unchanged",
                group.p_physical_devices == members.as_ptr()
                    && members == [instance.named("a0"), instance.named("a1")],
            );
        });
    run.ok().says("unchanged", true);
    assert_eq!(run.trace("a").only("vkCreateDevice").list("group"), ["a0", "a1"]);
}

/// A page of memory that can be read and not be written.
struct ReadOnly(*mut u8, usize);

impl ReadOnly {
    const SIZE: usize = 4096;

    fn new() -> Self {
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, of which the second page can never be accessed.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 2 * Self::SIZE, access, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        assert_eq!(unsafe { libc::mprotect(page.byte_add(Self::SIZE), Self::SIZE, libc::PROT_NONE) }, 0);
        Self(page.cast(), 0)
    }

    /// Puts a value there and gives its address.
    fn put<T: Copy>(&mut self, value: T) -> *mut T {
        let place = self.1.next_multiple_of(16);
        self.1 = place + size_of::<T>();
        assert!(self.1 <= Self::SIZE);
        // SAFETY: the page is large enough there, and is aligned.
        unsafe {
            let place = self.0.add(place).cast::<T>();
            place.write(value);
            place
        }
    }

    fn protect(&self) {
        // SAFETY: the mapping is this value's.
        assert_eq!(unsafe { libc::mprotect(self.0.cast(), Self::SIZE, libc::PROT_READ) }, 0);
    }
}

/// A structure of a type that no registry has.
#[derive(Clone, Copy)]
#[repr(C)]
struct Stranger {
    s_type: vk::StructureType,
    p_next: *mut std::ffi::c_void,
    value: [u64; 8],
}

/// Returns a chain in read-only memory: a structure, the group, and another structure. The first one is unknown, and this many bytes before
/// memory that cannot be read, if that is a number.
fn read_only_chain(
    members: &[vk::PhysicalDevice; 2],
    stranger: &str,
) -> *const vk::BaseOutStructure<'static> {
    let mut page = ReadOnly::new();
    let members = page.put(*members);
    let after = page.put(vk::PhysicalDeviceVulkan12Features::default());
    let group = page.put(vk::DeviceGroupDeviceCreateInfo {
        p_next: after.cast(),
        physical_device_count: 2,
        p_physical_devices: members.cast(),
        ..Default::default()
    });
    let first: *const vk::BaseOutStructure<'static> = if let Ok(before_end) = stranger.parse::<usize>() {
        let (s_type, p_next) = (vk::StructureType::from_raw(9999), group.cast());
        page.1 = ReadOnly::SIZE - before_end;
        page.put(Stranger { s_type, p_next, value: [7; 8] }).cast()
    } else {
        page.put(vk::PhysicalDeviceVulkan11Features { p_next: group.cast(), ..Default::default() }).cast()
    };
    page.protect();
    first
}

/// Creates devices in two threads with one read-only chain.
fn two_threads_with_one_chain(vk: &Vk) {
    let layers = vk.arg("layer");
    let ask = Ask::new().api(1, 1);
    let instance = vk.create(&if layers.is_empty() { ask } else { ask.layer(&layers) }).unwrap();
    let members = [instance.named("a1"), instance.named("a0")];
    let chain = read_only_chain(&members, &vk.arg("stranger")) as usize;
    let raw: &ash::Instance = &instance;
    let results: Vec<_> = std::thread::scope(|scope| {
        let create = || {
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            info.p_next = chain as *const _;
            let results = (0..50).map(|_| {
                // SAFETY: the chain is valid and stays alive; no other code uses the device.
                unsafe {
                    raw.create_device(members[0], &info, None).map(|device| device.destroy_device(None))
                }
            });
            results.map(|result| vkload_tests::code(&result)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(create)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let distinct: std::collections::BTreeSet<_> = results.iter().collect();
    vk.say("results", format_args!("{} {distinct:?}", results.len()));
}

#[test]
fn a_chain_with_a_group_is_never_written_to() {
    for layer in [None, Some("pass"), Some("wrap")] {
        let name = if layer.is_some() { "VK_LAYER_TEST_a" } else { "" };
        let made = Layer::new("VK_LAYER_TEST_a").does("constant_chains").does(layer.unwrap_or("pass"));
        let scenario = Scenario::new().driver(pair("a")).layer(made);
        let run = scenario.argument("layer", name).argument("stranger", "no").run(two_threads_with_one_chain);
        run.ok().says("results", "100 {\"SUCCESS\"}");
        for call in run.trace("a").calls("vkCreateDevice") {
            assert_eq!(call.list("group"), ["a1", "a0"], "{layer:?}");
            let chain = call.list("chain");
            let known = [
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                vk::StructureType::DEVICE_GROUP_DEVICE_CREATE_INFO,
                vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
            ];
            assert_eq!(chain[chain.len() - 3..], known.map(|kind| kind.as_raw().to_string()));
        }
    }
}

/// Its size is not known, and no byte behind it can be read in the second case.
#[test]
fn an_unknown_structure_before_a_group_reaches_the_driver() {
    for (layer, before_end) in
        [("", 2048), ("", size_of::<Stranger>()), ("VK_LAYER_TEST_a", size_of::<Stranger>())]
    {
        let made = Layer::new("VK_LAYER_TEST_a").does("constant_chains");
        let scenario = Scenario::new().driver(pair("a")).layer(made).argument("layer", layer);
        let run = scenario.argument("stranger", &before_end.to_string()).run(two_threads_with_one_chain);
        run.ok().says("results", "100 {\"SUCCESS\"}");
        for call in run.trace("a").calls("vkCreateDevice") {
            assert_eq!(call.list("group"), ["a1", "a0"], "{layer}");
            assert_eq!(call.get("stranger"), "8", "{layer}");
        }
    }
}

/// The driver would follow the other one's handle.
#[test]
fn a_group_of_two_drivers_devices_is_refused_in_words() {
    for layer in ["", "VK_LAYER_TEST_a"] {
        let scenario = Scenario::new().log().argument("layer", layer);
        let scenario = scenario.driver(pair("a")).driver(Driver::new("b").device(Device::new("b0")));
        let run = scenario.layer(Layer::new("VK_LAYER_TEST_a").does("wrap")).run(|vk| {
            let (ask, layer) = (Ask::new().api(1, 1), vk.arg("layer"));
            let instance = vk.create(&if layer.is_empty() { ask } else { ask.layer(&layer) }).unwrap();
            let members = [instance.named("a0"), instance.named("b0")];
            let mut group = vk::DeviceGroupDeviceCreateInfo::default().physical_devices(&members);
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut group);
            // SAFETY: but for the group, which the loader refuses, this is valid.
            let result = unsafe { instance.create_device(members[0], &info, None) };
            vk.say("result", vkload_tests::code(&result.map(|_| ())));
        });
        run.ok().says("result", "ERROR_INITIALIZATION_FAILED");
        run.logs(&["ERROR", "VkDeviceGroupDeviceCreateInfo", "one driver cannot use another's", "one group"]);
        assert!(!run.trace("a").has("vkCreateDevice") && !run.trace("b").has("vkCreateDevice"), "{layer}");
    }
}
