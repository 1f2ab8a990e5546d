use vkload_driver_runtime::features::name;
use vkload_driver_runtime::registry::ExtensionKind;

use super::*;

#[test]
fn all_are_those_of_linux_with_what_they_need() {
    let all = all(4, false, false);
    let count = |kind| all.of_kind(kind).iter().count();
    assert!(count(ExtensionKind::Device) > 360 && count(ExtensionKind::Instance) > 20);
    for there in [
        extension::KHR_ACCELERATION_STRUCTURE,
        extension::KHR_XCB_SURFACE,
        // Promoted, deprecated, obsolete.
        extension::KHR_MAINTENANCE1,
        extension::NV_RAY_TRACING,
        extension::EXT_BUFFER_DEVICE_ADDRESS,
    ] {
        assert!(all.contains(there), "{:?}", there.name());
    }
    for absent in [
        extension::KHR_WIN32_SURFACE,
        // No platform of its own, but it needs one of Android.
        extension::ANDROID_EXTERNAL_FORMAT_RESOLVE,
        extension::KHR_PORTABILITY_SUBSET,
        extension::KHR_PORTABILITY_ENUMERATION,
        extension::EXT_VALIDATION_CACHE,
    ] {
        assert!(!all.contains(absent), "{:?}", absent.name());
    }
    let claims = super::all(4, false, true);
    for id in WITHOUT_EFFECT.iter() {
        assert!(claims.contains(id) && !all.contains(id), "{:?}", id.name());
    }
    for id in all.iter() {
        assert!(has_what_it_needs(id, &all, 4), "{:?}", id.name());
    }
    assert!(super::all(4, true, false).contains(extension::KHR_PORTABILITY_SUBSET));
}

#[test]
fn an_older_version_has_what_needs_no_newer_one() {
    let old = all(0, false, false);
    assert!(old.contains(extension::KHR_TIMELINE_SEMAPHORE));
    assert!(
        !old.contains(extension::KHR_SPIRV_1_4) && all(1, false, false).contains(extension::KHR_SPIRV_1_4)
    );
}

#[test]
fn dependencies_are_added_unless_they_are_excluded() {
    let with = |unwanted: &[ExtensionId], minor| {
        let mut set = ExtensionSet::new(&[extension::KHR_RAY_TRACING_PIPELINE]);
        add_needed(&mut set, &ExtensionSet::new(unwanted), minor).map(|()| set)
    };
    let new = with(&[], 4).unwrap();
    assert!(new.contains(extension::KHR_ACCELERATION_STRUCTURE));
    assert!(new.contains(extension::KHR_DEFERRED_HOST_OPERATIONS));
    assert!(!new.contains(extension::KHR_SPIRV_1_4), "version 1.2 is enough");
    assert!(with(&[], 1).unwrap().contains(extension::KHR_SPIRV_1_4));
    assert!(
        !with(&[extension::KHR_DEFERRED_HOST_OPERATIONS], 4)
            .unwrap()
            .contains(extension::KHR_DEFERRED_HOST_OPERATIONS)
    );
    let wrong = with(&[], 0).unwrap_err();
    assert!(wrong.contains("needs Vulkan 1.1: add api=1.1"), "{wrong}");
}

#[test]
fn features_come_with_their_extensions() {
    let set = ExtensionSet::new(&[extension::KHR_ACCELERATION_STRUCTURE]);
    let features = features(Features::NONE, &set);
    assert!(features.contains(name::ACCELERATION_STRUCTURE));
    assert!(!features.contains(name::ACCELERATION_STRUCTURE_CAPTURE_REPLAY));
    assert!(!features.contains(name::RAY_QUERY) && !features.contains(name::ROBUST_BUFFER_ACCESS));
    assert_eq!(super::features(Features::NONE, &ExtensionSet::default()), Features::NONE);
}
