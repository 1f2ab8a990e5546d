//! Types of synchronisation objects that a physical device has, found at run time.

use std::ptr::{null, null_mut};
use std::vec::Vec;

use ash::vk;

use super::bench::Bench;
use super::{BINARY, TIMELINE};
use crate::driver::Search;
use crate::log::tests::Ear;
use crate::physical_device::Description;
use crate::sync_object::{Ability, SyncType, SyncTypes, TimelineMode};
use crate::testing::{TestDriver, commands, plan};

fn device(list: &[SyncType]) -> Description {
    let mut known = Description::new(b"odd one", vk::API_VERSION_1_3, vk::PhysicalDeviceType::CPU);
    known.queue_family_count = 1;
    known.queue_families[0].queue_count = 4;
    known.sync_types = Some(SyncTypes::new(list));
    known
}

#[test]
fn the_types_of_a_physical_device_are_those_that_it_lists() {
    plan(|plan| {
        plan.device = || device(&[BINARY]);
        plan.searches = std::vec![(1, Ok(Search::Done))];
    });
    let bench = Bench::<TestDriver>::new();
    // The driver has timelines, this device has none.
    assert_eq!(bench.get().sync_types().timeline_mode(), TimelineMode::None);
    let made = bench.try_semaphore(vk::SemaphoreType::TIMELINE, Default::default());
    assert_eq!(made, Err(vk::Result::ERROR_UNKNOWN));
    bench.destroy(&[bench.binary()], &[bench.fence()]);
}

#[test]
fn types_that_cannot_work_fail_the_search_with_a_reason() {
    plan(|plan| {
        plan.device = || {
            let blind = SyncType::new(Ability::BINARY.and(Ability::GPU_WAIT).and(Ability::CPU_RESET));
            device(&[SyncType::new(TIMELINE.and(Ability::WAIT_PENDING)), blind])
        };
        plan.searches = std::vec![(1, Ok(Search::Done))];
    });
    let ear = Ear::default();
    let mut messenger = ear.info();
    let names = [c"VK_EXT_debug_utils".as_ptr()];
    let info = vk::InstanceCreateInfo::default().enabled_extension_names(&names).push_next(&mut messenger);
    let mut instance = vk::Instance::null();
    // SAFETY: valid structures and pointers; the instance is destroyed last.
    let found = unsafe {
        assert_eq!(
            commands::create_instance::<TestDriver>()(&info, null(), &mut instance),
            vk::Result::SUCCESS
        );
        let messenger = crate::log::tests::add(instance, &ear.info());
        let found = commands::enumerate_physical_devices::<TestDriver>()(instance, &mut 0, null_mut());
        crate::log::tests::remove(instance, messenger);
        found
    };
    assert_eq!(found, vk::Result::ERROR_INITIALIZATION_FAILED);
    let texts: Vec<_> = ear.take().into_iter().map(|heard| heard.text).collect();
    assert!(texts.iter().any(|text| text.contains("odd one") && text.contains("needs WAIT_PENDING: add it")));
    unsafe { commands::destroy_instance::<TestDriver>()(instance, null()) };
}
