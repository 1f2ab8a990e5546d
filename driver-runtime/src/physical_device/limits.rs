//! The limits that the specification requires, in a description.

use super::{Description, locations};
use crate::properties::{Limit, Scalar, Value, resolve};

/// Sets every limit to the minimum for devices of this version without optional features.
pub(super) fn require(known: &mut Description) {
    let rows = resolve();
    rows.always
        .iter()
        .chain(&rows.unchecked)
        .copied()
        .flatten()
        .for_each(|limit| set(known, limit, limit.value));
    if known.minor_version() >= 4 {
        rows.since_1_4.iter().for_each(|limit| set(known, limit, limit.value));
    }
    rows.with.iter().copied().flatten().for_each(|(_, limit, _)| set(known, limit, limit.value));
}

/// Raises the limits for which the device's features require more, if they still have the minimum for devices without
/// these features.
pub(crate) fn raise(known: &mut Description) {
    for (feature, limit, value) in resolve().with.iter().copied().flatten() {
        if known.features.contains(*feature) && get(known, limit) == Some(limit.value) {
            set(known, limit, *value);
        }
    }
    raise_update_after_bind(known);
}

/// Raises update-after-bind limits to the limits of all other descriptors. These limits count all
/// descriptors; a driver without such updates sets none, but layers read them whatever the features are.
fn raise_update_after_bind(known: &mut Description) {
    let (all, after) = (&known.properties.limits, &mut known.vulkan_1_2);
    macro_rules! raise {
        ($($limit:ident from $all:ident,)*) => {
            $(if after.$limit == 0 {
                after.$limit = all.$all;
            })*
        };
    }
    raise! {
        max_per_stage_descriptor_update_after_bind_samplers from max_per_stage_descriptor_samplers,
        max_per_stage_descriptor_update_after_bind_uniform_buffers from max_per_stage_descriptor_uniform_buffers,
        max_per_stage_descriptor_update_after_bind_storage_buffers from max_per_stage_descriptor_storage_buffers,
        max_per_stage_descriptor_update_after_bind_sampled_images from max_per_stage_descriptor_sampled_images,
        max_per_stage_descriptor_update_after_bind_storage_images from max_per_stage_descriptor_storage_images,
        max_per_stage_descriptor_update_after_bind_input_attachments from max_per_stage_descriptor_input_attachments,
        max_per_stage_update_after_bind_resources from max_per_stage_resources,
        max_descriptor_set_update_after_bind_samplers from max_descriptor_set_samplers,
        max_descriptor_set_update_after_bind_uniform_buffers from max_descriptor_set_uniform_buffers,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic from max_descriptor_set_uniform_buffers_dynamic,
        max_descriptor_set_update_after_bind_storage_buffers from max_descriptor_set_storage_buffers,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic from max_descriptor_set_storage_buffers_dynamic,
        max_descriptor_set_update_after_bind_sampled_images from max_descriptor_set_sampled_images,
        max_descriptor_set_update_after_bind_storage_images from max_descriptor_set_storage_images,
        max_descriptor_set_update_after_bind_input_attachments from max_descriptor_set_input_attachments,
    }
}

fn set(known: &mut Description, limit: &Limit, value: Value) {
    let Some(to) = locations::of_mut(known, limit.location) else { return };
    // SAFETY: the compiler found the location by the member's name and type.
    unsafe {
        match (limit.scalar, value) {
            (Scalar::Bits8, Value::Integer(value)) => to.write(value as u8),
            (Scalar::Bits32, Value::Integer(value)) => to.cast::<u32>().write(value as u32),
            (Scalar::Signed32, Value::Integer(value)) => to.cast::<i32>().write(value as i32),
            (Scalar::Bits64, Value::Integer(value)) => to.cast::<u64>().write(value as u64),
            (Scalar::Size, Value::Integer(value)) => to.cast::<usize>().write(value as usize),
            (Scalar::Real, Value::Real(value)) => to.cast::<f32>().write(value),
            (_, Value::Real(_)) | (Scalar::Real, Value::Integer(_)) => {}
        }
    }
}

pub(crate) fn get(known: &Description, limit: &Limit) -> Option<Value> {
    let from = locations::of(known, limit.location)?;
    // SAFETY: as above.
    Some(unsafe {
        match limit.scalar {
            Scalar::Bits8 => Value::Integer(from.read().into()),
            Scalar::Signed32 => Value::Integer(from.cast::<i32>().read().into()),
            Scalar::Bits32 => Value::Integer(from.cast::<u32>().read().into()),
            Scalar::Bits64 => Value::Integer(i64::try_from(from.cast::<u64>().read()).unwrap_or(i64::MAX)),
            Scalar::Size => Value::Integer(from.cast::<usize>().read() as i64),
            Scalar::Real => Value::Real(from.cast::<f32>().read()),
        }
    })
}
