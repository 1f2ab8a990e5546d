//! Descriptor update templates, for drivers that write `vkUpdateDescriptorSets` (and `vkCmdPushDescriptorSet`) only.
//!
//! A template is a list of positions in the application's data. Its use builds the described writes, with pointers
//! into the data if that has the layout of an array, and passes them on through the device's table. It takes no
//! memory: the commands cannot fail.

mod batch;
#[cfg(test)]
pub(crate) mod tests;

use core::ffi::c_void;
use core::marker::PhantomData;

use ash::vk;
use vkload_core::memory::OutOfMemory;

use crate::device::Device;
use crate::dispatch::{Forward, forwards};
use crate::driver_types::DriverTypes;
use crate::forward::calls::{call, list};
use crate::object::{Object, Owned, Piece, Plain, VkObject};
use crate::result::code;
use batch::Batch;

struct Template<D> {
    entries: Piece<Entry>,
    bind_point: vk::PipelineBindPoint,
    driver: PhantomData<fn() -> D>,
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

// SAFETY: no other type is behind such handles.
unsafe impl<D: DriverTypes> VkObject for Template<D> {
    type Handle = vk::DescriptorUpdateTemplate;
    type Parent = Device<D>;
}

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

/// # Safety
/// As specified for the command.
unsafe extern "system" fn create<D: DriverTypes>(
    device: vk::Device,
    info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::DescriptorUpdateTemplate,
) -> vk::Result {
    // SAFETY: the caller vouches for handle and pointers.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let template = Template::new(device, &*info, callbacks);
        code(template.map(|template| out.write(template.into_handle())))
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn destroy<D: DriverTypes>(
    _: vk::Device,
    template: vk::DescriptorUpdateTemplate,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller vouches for a live or null handle.
    unsafe { Object::<Template<D>>::destroy(template, callbacks) };
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn update<D: DriverTypes>(
    device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    // SAFETY: the caller vouches for handles and data; the function's requirements are met.
    unsafe {
        let Some(template) = Object::<Template<D>>::from_handle(template) else { return };
        Batch::write(set, template.array(template.entries), data.cast(), |count, writes| {
            let no_copies = core::ptr::null();
            call!(device, UPDATE_DESCRIPTOR_SETS: PFN_vkUpdateDescriptorSets(count, writes, 0, no_copies));
        });
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn push<D: DriverTypes>(
    commands: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) {
    // SAFETY: the caller vouches for handles and data; the function's requirements are met.
    unsafe {
        let Some(template) = Object::<Template<D>>::from_handle(template) else { return };
        let none = vk::DescriptorSet::null();
        Batch::write(none, template.array(template.entries), data.cast(), |count, writes| {
            call!(
                commands,
                CMD_PUSH_DESCRIPTOR_SET_KHR:
                    PFN_vkCmdPushDescriptorSetKHR(template.bind_point, layout, set, count, writes)
            );
        });
    }
}

/// # Safety
/// As specified for the command.
unsafe extern "system" fn push_2<D: DriverTypes>(
    commands: vk::CommandBuffer,
    info: *const vk::PushDescriptorSetWithTemplateInfoKHR<'_>,
) {
    // SAFETY: the caller vouches for handles and data.
    unsafe {
        let info = &*info;
        push::<D>(commands, info.descriptor_update_template, info.layout, info.set, info.p_data);
    }
}

/// The template commands, for a table whose driver has none of its own: all of them use the runtime's objects.
pub(crate) struct Templates<D>(PhantomData<D>);

impl<D: DriverTypes> Templates<D> {
    pub(crate) const FORWARDS: &'static [Forward] = forwards! {
        CREATE_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkCreateDescriptorUpdateTemplate = create::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        DESTROY_DESCRIPTOR_UPDATE_TEMPLATE: PFN_vkDestroyDescriptorUpdateTemplate = destroy::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        UPDATE_DESCRIPTOR_SET_WITH_TEMPLATE: PFN_vkUpdateDescriptorSetWithTemplate = update::<D>
            => UPDATE_DESCRIPTOR_SETS, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_KHR: PFN_vkCmdPushDescriptorSetWithTemplateKHR = push::<D>
            => CMD_PUSH_DESCRIPTOR_SET, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
        CMD_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_2_KHR: PFN_vkCmdPushDescriptorSetWithTemplate2KHR = push_2::<D>
            => CMD_PUSH_DESCRIPTOR_SET, unless CREATE_DESCRIPTOR_UPDATE_TEMPLATE;
    };
}
