//! Images: copied, scaled and cleared texels are in memory.

use ash::{Device, vk};

use super::{Context, RANGE, barrier, buffer, run, texels};

const SIDE: u32 = 8;
/// Bytes of all texels of the largest level.
const SIZE: u64 = (SIDE * SIDE * 4) as u64;

#[test]
#[ignore = "run by the other tests"]
fn images() {
    Context::new().run(|context, _| unsafe {
        copies_arrive(&context.device);
        blits_scale_and_mirror(&context.device);
        clears_write_texels(&context.device);
        depth_and_stencil_are_separate(&context.device);
        planes_have_their_own_texels(&context.device);
    });
}

struct Picture {
    image: vk::Image,
    memory: vk::DeviceMemory,
    aspect: vk::ImageAspectFlags,
}

impl Picture {
    unsafe fn new(device: &Device, format: vk::Format, levels: u32, layers: u32) -> Self {
        let info = texels(extent(SIDE, SIDE)).format(format).mip_levels(levels).array_layers(layers);
        let (image, memory) = unsafe { super::image(device, info) };
        Self { image, memory, aspect: vk::ImageAspectFlags::COLOR }
    }

    fn layers(&self, level: u32, first: u32, count: u32) -> vk::ImageSubresourceLayers {
        vk::ImageSubresourceLayers {
            aspect_mask: self.aspect,
            mip_level: level,
            base_array_layer: first,
            layer_count: count,
        }
    }

    /// Makes the image ready for anything.
    unsafe fn ready(&self, device: &Device, commands: vk::CommandBuffer) {
        let range = vk::ImageSubresourceRange {
            aspect_mask: self.aspect,
            level_count: vk::REMAINING_MIP_LEVELS,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
            ..RANGE
        };
        let barrier = vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(LAYOUT)
            .subresource_range(range)
            .image(self.image);
        let barriers = [barrier];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        unsafe { device.cmd_pipeline_barrier2(commands, &info) };
    }

    unsafe fn destroy(self, device: &Device) {
        unsafe {
            device.destroy_image(self.image, None);
            device.free_memory(self.memory, None);
        }
    }
}

const LAYOUT: vk::ImageLayout = vk::ImageLayout::GENERAL;
const ORIGIN: vk::Offset3D = vk::Offset3D { x: 0, y: 0, z: 0 };

fn extent(width: u32, height: u32) -> vk::Extent3D {
    vk::Extent3D { width, height, depth: 1 }
}

/// A buffer that the program sees into.
struct Bytes(vk::Buffer, vk::DeviceMemory, *mut u8);

impl Bytes {
    unsafe fn new(device: &Device, fill: impl Fn(usize) -> u8) -> Self {
        // SAFETY: live handles; the memory is as large as it was asked for.
        unsafe {
            let (made, memory) = buffer(device, SIZE);
            let start = device.map_memory(memory, 0, SIZE, vk::MemoryMapFlags::empty()).unwrap().cast::<u8>();
            (0..SIZE as usize).for_each(|index| start.add(index).write(fill(index)));
            Self(made, memory, start)
        }
    }

    unsafe fn read(&self) -> &[u8] {
        // SAFETY: the memory is mapped, and nothing writes it now.
        unsafe { std::slice::from_raw_parts(self.2, SIZE as usize) }
    }

    unsafe fn destroy(self, device: &Device) {
        unsafe {
            device.destroy_buffer(self.0, None);
            device.free_memory(self.1, None);
        }
    }
}

fn number(index: usize) -> u8 {
    (index * 7 + 3) as u8
}

/// Buffer to image, image to image between layers and levels, and back, with rows that are longer than the region.
unsafe fn copies_arrive(device: &Device) {
    unsafe {
        let (from, to) = (Bytes::new(device, number), Bytes::new(device, |_| 0));
        let one = Picture::new(device, vk::Format::R8G8B8A8_UNORM, 1, 1);
        let other = Picture::new(device, vk::Format::R8G8B8A8_UNORM, 2, 3);
        run(device, |commands| {
            one.ready(device, commands);
            other.ready(device, commands);
            let whole = vk::BufferImageCopy::default()
                .image_subresource(one.layers(0, 0, 1))
                .image_extent(extent(SIDE, SIDE));
            device.cmd_copy_buffer_to_image(commands, from.0, one.image, LAYOUT, &[whole]);
            barrier(device, commands);
            // The right lower quarter becomes the second level of the last layer.
            let quarter = vk::ImageCopy::default()
                .src_subresource(one.layers(0, 0, 1))
                .src_offset(vk::Offset3D { x: 4, y: 4, z: 0 })
                .dst_subresource(other.layers(1, 2, 1))
                .extent(extent(4, 4));
            device.cmd_copy_image(commands, one.image, LAYOUT, other.image, LAYOUT, &[quarter]);
            barrier(device, commands);
            let back = vk::BufferImageCopy::default()
                .buffer_offset(4)
                .buffer_row_length(SIDE)
                .image_subresource(other.layers(1, 2, 1))
                .image_extent(extent(4, 4));
            device.cmd_copy_image_to_buffer(commands, other.image, LAYOUT, to.0, &[back]);
        });
        for row in 0..4 {
            let source: Vec<u8> = (0..16).map(|byte| number((row + 4) * 32 + 16 + byte)).collect();
            assert_eq!(to.read()[4 + row * 32..][..16], source, "row {row}");
        }
        one.destroy(device);
        other.destroy(device);
        from.destroy(device);
        to.destroy(device);
    }
}

unsafe fn blits_scale_and_mirror(device: &Device) {
    unsafe {
        let (from, to) = (Bytes::new(device, number), Bytes::new(device, |_| 0));
        let one = Picture::new(device, vk::Format::R8G8B8A8_UNORM, 1, 1);
        let other = Picture::new(device, vk::Format::R8G8B8A8_UNORM, 1, 1);
        let corner = |x, y, z| vk::Offset3D { x, y, z };
        run(device, |commands| {
            one.ready(device, commands);
            other.ready(device, commands);
            let whole = vk::BufferImageCopy::default()
                .image_subresource(one.layers(0, 0, 1))
                .image_extent(extent(SIDE, SIDE));
            device.cmd_copy_buffer_to_image(commands, from.0, one.image, LAYOUT, &[whole]);
            barrier(device, commands);
            // Four texels become eight, from right to left.
            let region = vk::ImageBlit::default()
                .src_subresource(one.layers(0, 0, 1))
                .src_offsets([corner(4, 0, 0), corner(0, 4, 1)])
                .dst_subresource(other.layers(0, 0, 1))
                .dst_offsets([ORIGIN, corner(8, 8, 1)]);
            let nearest = vk::Filter::NEAREST;
            device.cmd_blit_image(commands, one.image, LAYOUT, other.image, LAYOUT, &[region], nearest);
            barrier(device, commands);
            device.cmd_copy_image_to_buffer(commands, other.image, LAYOUT, to.0, &[whole]);
        });
        for (y, x) in (0..8).flat_map(|y| (0..8).map(move |x| (y, x))) {
            let source = (y / 2) * 32 + (3 - x / 2) * 4;
            assert_eq!(to.read()[y * 32 + x * 4], number(source), "{x} {y}");
        }
        one.destroy(device);
        other.destroy(device);
        from.destroy(device);
        to.destroy(device);
    }
}

unsafe fn clears_write_texels(device: &Device) {
    unsafe {
        let to = Bytes::new(device, |_| 0);
        let one = Picture::new(device, vk::Format::R8G8B8A8_UNORM, 2, 2);
        run(device, |commands| {
            one.ready(device, commands);
            let range = |base_mip_level, base_array_layer| vk::ImageSubresourceRange {
                base_mip_level,
                base_array_layer,
                ..RANGE
            };
            let value = |float32| vk::ClearColorValue { float32 };
            let (black, white) = (value([0.0; 4]), value([1.0, 0.5, 0.0, 1.0]));
            device.cmd_clear_color_image(
                commands,
                one.image,
                LAYOUT,
                &black,
                &[range(0, 0), range(0, 1), range(1, 0)],
            );
            device.cmd_clear_color_image(commands, one.image, LAYOUT, &white, &[range(1, 1)]);
            barrier(device, commands);
            let back = vk::BufferImageCopy::default()
                .image_subresource(one.layers(1, 0, 2))
                .image_extent(extent(4, 4));
            device.cmd_copy_image_to_buffer(commands, one.image, LAYOUT, to.0, &[back]);
        });
        assert!(to.read()[..64].iter().all(|byte| *byte == 0));
        assert!(to.read()[64..128].chunks(4).all(|texel| texel == [255, 128, 0, 255]));
        one.destroy(device);
        to.destroy(device);
    }
}

unsafe fn depth_and_stencil_are_separate(device: &Device) {
    unsafe {
        let to = Bytes::new(device, |_| 0);
        let mut one = Picture::new(device, vk::Format::D32_SFLOAT_S8_UINT, 1, 1);
        one.aspect = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        run(device, |commands| {
            one.ready(device, commands);
            let range = vk::ImageSubresourceRange { aspect_mask: one.aspect, ..RANGE };
            let value = vk::ClearDepthStencilValue { depth: 0.5, stencil: 9 };
            device.cmd_clear_depth_stencil_image(commands, one.image, LAYOUT, &value, &[range]);
            barrier(device, commands);
            let of = |aspect| vk::ImageSubresourceLayers { aspect_mask: aspect, ..one.layers(0, 0, 1) };
            let regions = [
                vk::BufferImageCopy::default()
                    .image_subresource(of(vk::ImageAspectFlags::DEPTH))
                    .image_extent(extent(4, 4)),
                vk::BufferImageCopy::default()
                    .buffer_offset(64)
                    .image_subresource(of(vk::ImageAspectFlags::STENCIL))
                    .image_extent(extent(SIDE, SIDE)),
            ];
            device.cmd_copy_image_to_buffer(commands, one.image, LAYOUT, to.0, &regions);
        });
        assert!(to.read()[..64].chunks(4).all(|depth| depth == 0.5f32.to_le_bytes()));
        assert_eq!(to.read()[64..128], [9; 64]);
        one.destroy(device);
        to.destroy(device);
    }
}

unsafe fn planes_have_their_own_texels(device: &Device) {
    unsafe {
        let (from, to) = (Bytes::new(device, number), Bytes::new(device, |_| 0));
        let one = Picture::new(device, vk::Format::G8_B8R8_2PLANE_420_UNORM, 1, 1);
        assert_eq!(device.get_image_memory_requirements(one.image).size, 128);
        run(device, |commands| {
            one.ready(device, commands);
            let chroma = vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::PLANE_1,
                ..one.layers(0, 0, 1)
            };
            let region = vk::BufferImageCopy::default().image_subresource(chroma).image_extent(extent(4, 4));
            device.cmd_copy_buffer_to_image(commands, from.0, one.image, LAYOUT, &[region]);
            barrier(device, commands);
            device.cmd_copy_image_to_buffer(commands, one.image, LAYOUT, to.0, &[region]);
        });
        assert_eq!(to.read()[..32], from.read()[..32]);
        assert_eq!(to.read()[32..], [0; SIZE as usize - 32]);
        one.destroy(device);
        from.destroy(device);
        to.destroy(device);
    }
}
