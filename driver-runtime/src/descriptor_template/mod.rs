//! Descriptor update templates, for drivers that write `vkUpdateDescriptorSets` (and `vkCmdPushDescriptorSet`) only.
//!
//! A template is a list of positions in the application's data. Its use builds the described writes, with pointers
//! into the data if that has the layout of an array, and passes them on through the device's table. It takes no
//! memory: the commands cannot fail.

mod batch;
#[cfg(test)]
pub(crate) mod tests;

use core::marker::PhantomData;

use ash::vk;
use vkload_core::memory::OutOfMemory;
use vkload_core::registry::parameter::Array;

use crate::calls;
use crate::device::{Device, device_object};
use crate::dispatch::{Forward, Invariant, forwards};
use crate::driver_types::DriverTypes;
use crate::forward::calls::call;
use crate::object::{Object, Owned, Piece, Plain};
use crate::out_array::list;
use batch::Batch;

struct Template<D> {
    entries: Piece<Entry>,
    bind_point: vk::PipelineBindPoint,
    driver: Invariant<D>,
}

/// The position of descriptors in the data (`VkDescriptorUpdateTemplateEntry`).
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    binding: u32,
    first: u32,
    count: u32,
    kind: i32,
    offset: usize,
    stride: usize,
}

// SAFETY: numbers without gaps between them.
unsafe impl Plain for Entry {}
const _: () = assert!(size_of::<Entry>() == 4 * size_of::<u32>() + 2 * size_of::<usize>());

device_object! { <D: DriverTypes> Template<D> = DescriptorUpdateTemplate }

impl<D: DriverTypes> Template<D> {
    /// # Safety
    /// As specified for `vkCreateDescriptorUpdateTemplate`.
    unsafe fn new(
        device: &Device<D>,
        info: &vk::DescriptorUpdateTemplateCreateInfo<'_>,
        callbacks: *const vk::AllocationCallbacks<'_>,
    ) -> Result<Owned<Self>, OutOfMemory> {
        // SAFETY: the caller vouches for the counted array and the callbacks.
        unsafe {
            let described = list(info.p_descriptor_update_entries, info.descriptor_update_entry_count);
            let mut pieces = Object::<Self>::pieces();
            let entries = pieces.add(described.len())?;
            let template = Self { entries, bind_point: info.pipeline_bind_point, driver: PhantomData };
            let mut template = Object::create_with(device, callbacks, &pieces, template)?;
            for (slot, one) in template.array_mut(entries).iter_mut().zip(described) {
                *slot = Entry {
                    binding: one.dst_binding,
                    first: one.dst_array_element,
                    count: one.descriptor_count,
                    kind: one.descriptor_type.as_raw(),
                    offset: one.offset,
                    stride: one.stride,
                };
            }
            Ok(template)
        }
    }
}

fn create<D: DriverTypes>(call: &calls::CreateDescriptorUpdateTemplate<'_>) -> Result<(), OutOfMemory> {
    // SAFETY: the call obeys the specification.
    let template = unsafe {
        let device = Device::<D>::from_handle(call.device).ok_or(OutOfMemory)?;
        Template::new(device, &call.create_info, call.allocator.as_ptr())?
    };
    call.descriptor_update_template.write(template.into_handle());
    Ok(())
}

fn destroy<D: DriverTypes>(call: &calls::DestroyDescriptorUpdateTemplate<'_>) {
    // SAFETY: the call obeys the specification.
    unsafe { Object::<Template<D>>::destroy(call.descriptor_update_template, call.allocator.as_ptr()) };
}

fn update<D: DriverTypes>(call: &calls::UpdateDescriptorSetWithTemplate<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, and the described writes do.
    unsafe {
        let template = Object::<Template<D>>::from_handle(call.descriptor_update_template)?;
        let entries = template.array(template.entries);
        Batch::write(call.descriptor_set, entries, call.data.cast(), |count, writes| {
            let writes = Array::new(writes);
            call!(call.device, UpdateDescriptorSets(count, writes, 0u32, Array::NONE));
        });
    }
    Some(())
}

fn push<D: DriverTypes>(call: &calls::CmdPushDescriptorSetWithTemplateKHR<'_>) -> Option<()> {
    // SAFETY: the call obeys the specification, and the described writes do.
    unsafe {
        let template = Object::<Template<D>>::from_handle(call.descriptor_update_template)?;
        let none = vk::DescriptorSet::null();
        Batch::write(none, template.array(template.entries), call.data.cast(), |count, writes| {
            let (bind_point, writes) = (template.bind_point, Array::new(writes));
            call!(
                call.command_buffer,
                CmdPushDescriptorSetKHR(bind_point, call.layout, call.set, count, writes)
            );
        });
    }
    Some(())
}

fn push_2<D: DriverTypes>(call: &calls::CmdPushDescriptorSetWithTemplate2KHR<'_>) -> Option<()> {
    let info = &call.push_descriptor_set_with_template_info;
    // SAFETY: the call obeys the specification, and the first form has the same parameters.
    push::<D>(&unsafe {
        calls::CmdPushDescriptorSetWithTemplateKHR::new(
            call.command_buffer,
            info.descriptor_update_template,
            info.layout,
            info.set,
            info.p_data,
        )
    })
}

/// The template commands, for a table whose driver has none of its own: all of them use the runtime's objects.
pub(crate) struct Templates<D>(PhantomData<D>);

impl<D: DriverTypes> Templates<D> {
    pub(crate) const FORWARDS: &'static [Forward] = forwards! {
        CreateDescriptorUpdateTemplate = create::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        DestroyDescriptorUpdateTemplate = destroy::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        UpdateDescriptorSetWithTemplate = update::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        CmdPushDescriptorSetWithTemplateKHR = push::<D>
            => CMD_PUSH_DESCRIPTOR_SET, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        CmdPushDescriptorSetWithTemplate2KHR = push_2::<D>
            => CMD_PUSH_DESCRIPTOR_SET, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
    };
}
