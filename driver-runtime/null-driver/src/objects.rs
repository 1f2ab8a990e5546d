//! Objects that are only created and destroyed.

use vkload_driver_runtime::dispatch::EntryPoints;
use vkload_driver_runtime::{Object, entry_points, vk};

use crate::Null;
use crate::device::device_objects;

macro_rules! objects {
    ($($type:ident($create:ident { $out:ident }, $destroy:ident { $handle:ident }))*) => {
        $(struct $type;)*
        device_objects! { $($type = $type),* }

        /// The commands that create and destroy the objects.
        // SAFETY: each function implements its command, with the objects of this driver.
        const OBJECTS: EntryPoints<Null> = unsafe {
            entry_points! {$(
                $create = |call| {
                    Object::create_command(call.device, call.allocator.as_ptr(), call.$out.as_ptr(), $type)
                },
                $destroy = |call| Object::<$type>::destroy(call.$handle, call.allocator.as_ptr()),
            )*}
        };
    };
}

objects! {
    BufferView(CreateBufferView { view }, DestroyBufferView { buffer_view })
    PipelineLayout(CreatePipelineLayout { pipeline_layout }, DestroyPipelineLayout { pipeline_layout })
    Sampler(CreateSampler { sampler }, DestroySampler { sampler })
    SamplerYcbcrConversion(
        CreateSamplerYcbcrConversion { ycbcr_conversion },
        DestroySamplerYcbcrConversion { ycbcr_conversion }
    )
}

// SAFETY: each function implements its command, with the objects of this driver.
pub(crate) const COMMANDS: EntryPoints<Null> = unsafe {
    entry_points! {
        GetRenderAreaGranularity = |call| call.granularity.write(vk::Extent2D { width: 1, height: 1 }),
        GetRenderingAreaGranularityKHR = |call| call.granularity.write(vk::Extent2D { width: 1, height: 1 }),
    }
}
.and(&OBJECTS);
