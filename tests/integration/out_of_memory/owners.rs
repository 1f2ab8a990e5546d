//! Whose memory it is.

use std::cell::Cell;

use ash::vk;
use vkload_tests::allocator::{self, Owner};
use vkload_tests::listening::{EVERYTHING, messenger};
use vkload_tests::{Ask, Scarce, Vk, create_surface_with};

use super::{ASKED, World, everything, scenario};

/// Says how many blocks of the process each step leaves for an application that has callbacks.
fn count_blocks(vk: &Vk, ask: fn() -> Ask<'static>) {
    let scarce = Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
    let own = |owner| Some(allocator::callbacks(owner));
    let steps = |say: &dyn Fn(&str)| {
        let instance = vk.create(&ask().callbacks(own(Owner::Instance))).unwrap();
        say("instance");
        let new = instance.named("new");
        say("physical devices");
        let device = {
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
            unsafe { instance.create_device(new, &info, own(Owner::Device).as_ref()) }.unwrap()
        };
        say("device");
        let surface = create_surface_with(vk, &instance, "xcb", own(Owner::Object).as_ref()).unwrap();
        say("surface");
        let utils = ash::ext::debug_utils::Instance::new(&vk.entry, &instance);
        let (info, callbacks) = (messenger(1, EVERYTHING), own(Owner::Object));
        let messenger = unsafe { utils.create_debug_utils_messenger(&info, callbacks.as_ref()) }.unwrap();
        say("messenger");
        unsafe {
            utils.destroy_debug_utils_messenger(messenger, callbacks.as_ref());
            ash::khr::surface::Instance::new(&vk.entry, &instance)
                .destroy_surface(surface, callbacks.as_ref());
            device.destroy_device(own(Owner::Device).as_ref());
        }
    };
    // The first round fills the memory that the process keeps.
    steps(&|_| ());
    let before = Cell::new(scarce.told().live);
    steps(&|step| {
        let live = scarce.told().live;
        vk.say(step, live - before.replace(live));
    });
    vk.say("all", scarce.told().live - before.get());
    vk.say("left", allocator::live().len());
}

#[test]
fn what_belongs_to_an_instance_is_not_taken_from_the_process() {
    let steps = ["physical devices", "device", "surface", "messenger", "left"];
    let run = scenario(World::Drivers).run(|vk| count_blocks(vk, everything));
    run.ok().says("instance", 0).says("all", 0);
    steps.iter().for_each(|step| _ = run.says(step, 0));
    // As decision 0009 has it: the list of the instance's layers, and of each its name and its extensions.
    let run = scenario(World::Layers).run(|vk| count_blocks(vk, || everything().layer(ASKED)));
    run.ok().says("instance", 5).says("all", -5);
    steps.iter().for_each(|step| _ = run.says(step, 0));
}
