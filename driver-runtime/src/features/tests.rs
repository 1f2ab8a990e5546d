//! The check of features. `docs/rules/drivers.md` has the rules.

use std::vec::Vec;

use ash::vk;
use vkload_core::registry::{ExtensionSet, extension};

use vkload_core::memory::CopiedCallbacks;

use super::rows::Row;
use super::{CheckError, Enabled, FILES, Features, UnlistedFeatures, name};

const SUPPORTED: Features =
    Features::NONE.with(name::SHADER_INT_64).with(name::TIMELINE_SEMAPHORE).with(name::SHADER_FLOAT_16);

/// # Safety
/// As for the function that is tested.
unsafe fn check(
    info: &vk::DeviceCreateInfo<'_>,
    minor: u32,
    extensions: &ExtensionSet,
    report: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>),
) -> Result<Enabled, CheckError> {
    // SAFETY: the caller vouches for the structures.
    unsafe { super::check(info, minor, extensions, &[], CopiedCallbacks::process(), report, |_| ()) }
}

fn ask(info: &vk::DeviceCreateInfo<'_>) -> Result<Enabled, CheckError> {
    let extensions = ExtensionSet::new(&[extension::EXT_MESH_SHADER]);
    // SAFETY: the tests make valid structures, and the report writes members only.
    unsafe { check(info, 3, &extensions, |out| SUPPORTED.write(out, 3, &extensions)) }
}

#[test]
fn features_of_vulkan_1_0() {
    let wanted = vk::PhysicalDeviceFeatures::default().shader_int64(true);
    let enabled = ask(&vk::DeviceCreateInfo::default().enabled_features(&wanted)).unwrap();
    assert!(enabled.contains(name::SHADER_INT_64) && !enabled.contains(name::TIMELINE_SEMAPHORE));
    let none = vk::PhysicalDeviceFeatures::default();
    assert_eq!(*ask(&vk::DeviceCreateInfo::default().enabled_features(&none)).unwrap(), Features::NONE);
    let wanted = vk::PhysicalDeviceFeatures::default().shader_int16(true);
    let error = ask(&vk::DeviceCreateInfo::default().enabled_features(&wanted)).unwrap_err();
    assert_eq!(vk::Result::from(error), vk::Result::ERROR_FEATURE_NOT_PRESENT);
}

#[test]
fn an_unsupported_member_of_every_structure_is_named() {
    let mut tried = 0;
    let all: Vec<_> = vkload_core::registry::ExtensionId::all().collect();
    let all = ExtensionSet::new(&all);
    for row in FILES.iter().copied().flatten() {
        for (index, (feature, member)) in row.members.iter().enumerate() {
            let mut memory = std::vec![0u64; Row::Listed(row).words()];
            let start = memory.as_mut_ptr().cast::<vk::BaseOutStructure<'_>>();
            let info = vk::DeviceCreateInfo { p_next: start.cast_const().cast(), ..Default::default() };
            // SAFETY: the memory is as long as the structure.
            let error = unsafe {
                (*start).s_type = vk::StructureType::from_raw(row.s_type);
                super::members(start.cast()).add(index).write(vk::TRUE);
                check(&info, 9, &all, |out| Features::NONE.write(out, 9, &all)).unwrap_err()
            };
            assert_eq!(error, CheckError::NotPresent { structure: row.name, member });
            // SAFETY: as above.
            let enabled =
                unsafe { check(&info, 9, &all, |out| Features::NONE.with(*feature).write(out, 9, &all)) };
            assert_eq!(*enabled.unwrap(), Features::NONE.with(*feature));
            tried += 1;
        }
    }
    assert!(tried > 600, "{tried}");
}

#[test]
fn unknown_and_second_structures_are_ignored_and_loops_end() {
    let mut second = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
    let p_next = (&raw mut second).cast();
    let mut first = vk::PhysicalDeviceTimelineSemaphoreFeatures { p_next, ..Default::default() };
    let unknown = vk::BaseInStructure {
        s_type: vk::StructureType::from_raw(0x7fff_0000),
        p_next: (&raw const first).cast(),
        _marker: core::marker::PhantomData,
    };
    let info = vk::DeviceCreateInfo { p_next: (&raw const unknown).cast(), ..Default::default() };
    assert!(!ask(&info).unwrap().contains(name::TIMELINE_SEMAPHORE));
    let start = &raw mut second;
    // SAFETY: the structure is alive; the chain is read through pointers only.
    unsafe { (*start).p_next = (&raw mut first).cast() };
    assert_eq!(ask(&info).unwrap_err(), CheckError::CyclicChain);
}

#[test]
fn a_loop_through_unknown_structures_ends() {
    let s_type = vk::StructureType::from_raw(0x7fff_0000);
    let mut unknown = vk::BaseOutStructure { s_type, ..Default::default() };
    let start = &raw mut unknown;
    let info = vk::DeviceCreateInfo { p_next: start.cast_const().cast(), ..Default::default() };
    assert_eq!(*ask(&info).unwrap(), Features::NONE);
    // SAFETY: the structure is alive; the chain is read through pointers only.
    unsafe { (*start).p_next = start };
    assert_eq!(ask(&info).unwrap_err(), CheckError::CyclicChain);
}

#[test]
fn enabled_features_that_are_also_in_the_chain_count_once() {
    let both = vk::PhysicalDeviceFeatures2 {
        features: vk::PhysicalDeviceFeatures::default().shader_int64(true),
        ..Default::default()
    };
    let p_next = (&raw const both).cast();
    let info = vk::DeviceCreateInfo { p_next, p_enabled_features: &both.features, ..Default::default() };
    let mut warned = Vec::new();
    let (none, memory) = (ExtensionSet::new(&[]), CopiedCallbacks::process());
    // SAFETY: the structures are valid, and the report writes members only.
    let enabled = unsafe {
        let report = |out: &mut vk::PhysicalDeviceFeatures2<'_>| SUPPORTED.write(out, 3, &none);
        super::check(&info, 3, &none, &[], memory, report, |name| warned.push(name))
    };
    assert!(enabled.unwrap().contains(name::SHADER_INT_64));
    assert_eq!(warned, ["VkPhysicalDeviceFeatures"]);
}

#[test]
fn one_feature_by_two_structures() {
    let mut separate = vk::PhysicalDeviceShaderFloat16Int8Features::default().shader_float16(true);
    let mut gathered = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
    let info = vk::DeviceCreateInfo::default().push_next(&mut separate).push_next(&mut gathered);
    let enabled = ask(&info).unwrap();
    assert!(enabled.contains(name::SHADER_FLOAT_16) && enabled.contains(name::TIMELINE_SEMAPHORE));
}

#[test]
fn structures_that_the_device_does_not_have_are_ignored() {
    let mut mesh = vk::PhysicalDeviceMeshShaderFeaturesEXT::default().mesh_shader(true);
    let mut other = vk::PhysicalDeviceMeshShaderFeaturesNV::default().mesh_shader(true);
    assert!(ask(&vk::DeviceCreateInfo::default().push_next(&mut mesh)).is_err());
    assert!(ask(&vk::DeviceCreateInfo::default().push_next(&mut other)).is_ok());
}

#[test]
fn the_drivers_report_counts() {
    let wanted = vk::PhysicalDeviceFeatures::default().wide_lines(true);
    let info = vk::DeviceCreateInfo::default().enabled_features(&wanted);
    // SAFETY: the structures are valid, and the report writes members only.
    let enabled =
        unsafe { check(&info, 3, &ExtensionSet::default(), |out| out.features.wide_lines = vk::TRUE) };
    assert!(enabled.unwrap().contains(name::WIDE_LINES));
}

const TURBO: vk::StructureType = vk::StructureType::from_raw(2_000_000_001);
const WARP: vk::StructureType = vk::StructureType::from_raw(2_000_000_002);
const OWN: &[UnlistedFeatures] = &[
    UnlistedFeatures::of::<Turbo>("Turbo", &["turbo", "boost"]),
    UnlistedFeatures::of::<Warp>("Warp", &["warp"]),
];

#[repr(C)]
struct Turbo {
    header: vk::BaseOutStructure<'static>,
    members: [vk::Bool32; 2],
}

#[repr(C)]
struct Warp {
    header: vk::BaseOutStructure<'static>,
    members: [vk::Bool32; 1],
}

// SAFETY: the structure begins with its type and the rest of the chain.
unsafe impl vk::TaggedStructure for Turbo {
    const STRUCTURE_TYPE: vk::StructureType = TURBO;
}

// SAFETY: as above.
unsafe impl vk::TaggedStructure for Warp {
    const STRUCTURE_TYPE: vk::StructureType = WARP;
}

/// A structure of features of an application, with more behind it.
#[repr(C)]
struct Own {
    header: vk::BaseOutStructure<'static>,
    members: [vk::Bool32; 3],
}

/// Features that the registry does not list are checked as the others are.
#[test]
fn features_of_the_drivers_own_are_checked() {
    let ask = |asked: [(vk::StructureType, [vk::Bool32; 3]); 2]| {
        let [mut first, mut second] = asked.map(|(s_type, members)| {
            let header = vk::BaseOutStructure { s_type, ..Default::default() };
            Own { header, members }
        });
        second.header.p_next = core::ptr::null_mut();
        first.header.p_next = (&raw mut second).cast();
        let info = vk::DeviceCreateInfo { p_next: (&raw const first).cast(), ..Default::default() };
        let report = |out: &mut vk::PhysicalDeviceFeatures2<'_>| {
            let more = |structure: *mut vk::BaseOutStructure<'static>| {
                // SAFETY: each structure has the form of its type; the rest of the chain is overwritten as well.
                unsafe {
                    (*structure).p_next = core::ptr::null_mut();
                    if (*structure).s_type == TURBO {
                        (*structure.cast::<Turbo>()).members[0] = vk::TRUE;
                    } else {
                        (*structure.cast::<Warp>()).members[0] = vk::TRUE;
                    }
                }
            };
            // SAFETY: the chain is made of valid structures.
            unsafe { Features::NONE.write_and(out, 3, &ExtensionSet::default(), more) };
        };
        // SAFETY: a valid chain.
        unsafe {
            super::check(&info, 3, &ExtensionSet::default(), OWN, CopiedCallbacks::process(), report, |_| ())
        }
    };
    let enabled = ask([(TURBO, [1, 0, 9]), (WARP, [1, 9, 9])]).unwrap();
    assert!(enabled.has_unlisted(TURBO, 0) && enabled.has_unlisted(WARP, 0));
    assert!(
        !enabled.has_unlisted(TURBO, 1) && !enabled.has_unlisted(TURBO, 2) && !enabled.has_unlisted(WARP, 1)
    );
    let refused = ask([(WARP, [0, 9, 9]), (TURBO, [1, 1, 9])]).unwrap_err();
    assert_eq!(refused, CheckError::NotPresent { structure: "Turbo", member: "boost" });
}
