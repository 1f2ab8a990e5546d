//! Objects of every kind, recorded and submitted; queries and events have results.

use ash::{Device, vk};

use super::{Context, RANGE, barrier, buffer, image, run, texels, view};

/// Returns a shader that does nothing, for the stage with this number and, for compute, one invocation.
fn shader(stage: u32) -> Vec<u32> {
    const COMPUTE: u32 = 5;
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 5, 0];
    let mut add = |operation: u32, operands: &[u32]| {
        words.push(((operands.len() as u32 + 1) << 16) | operation);
        words.extend(operands);
    };
    add(17, &[1]);
    add(14, &[0, 1]);
    add(15, &[stage, 1, u32::from_le_bytes(*b"main"), 0]);
    if stage == COMPUTE {
        add(16, &[1, 17, 1, 1, 1]);
    }
    add(19, &[2]);
    add(33, &[3, 2]);
    add(54, &[2, 1, 0, 3]);
    add(248, &[4]);
    add(253, &[]);
    add(56, &[]);
    words
}

#[test]
#[ignore = "run by the other tests"]
fn objects() {
    Context::new().run(|context, _| unsafe {
        pipelines_with_descriptors_run(&context.device);
        rendering_is_recorded(&context.device);
        queries_have_results(&context.device);
        events_are_set_by_queues(&context.device);
        private_data_is_kept(&context.device);
    });
}

unsafe fn pipelines_with_descriptors_run(device: &Device) {
    unsafe {
        let code = shader(5);
        let module =
            device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None).unwrap();
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
            .descriptor_count(2)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let mut support = vk::DescriptorSetLayoutSupport::default();
        device.get_descriptor_set_layout_support(&info, &mut support);
        assert_eq!(support.supported, vk::TRUE);
        let layouts = [device.create_descriptor_set_layout(&info, None).unwrap()];
        let layout = device
            .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts), None)
            .unwrap();
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::UNIFORM_BUFFER, descriptor_count: 2 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let sets = device.allocate_descriptor_sets(&info).unwrap();
        device.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()).unwrap();
        let again = device.allocate_descriptor_sets(&info).unwrap();
        assert_eq!(sets.len(), again.len());
        let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
        let uniform =
            device.create_buffer(&vk::BufferCreateInfo::default().size(64).usage(usage), None).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(64);
        let memory = device.allocate_memory(&info, None).unwrap();
        device.bind_buffer_memory(uniform, memory, 0).unwrap();
        let buffers = [vk::DescriptorBufferInfo { buffer: uniform, offset: 0, range: 64 }; 2];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(again[0])
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
            .buffer_info(&buffers);
        device.update_descriptor_sets(&[write], &[]);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let cache = device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None).unwrap();
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let pipeline = device.create_compute_pipelines(cache, &[info], None).unwrap()[0];
        run(device, |commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &again, &[]);
            device.cmd_dispatch(commands, 1, 2, 3);
        });
        let data = device.get_pipeline_cache_data(cache).unwrap();
        assert_eq!(data[..8], [32, 0, 0, 0, 1, 0, 0, 0]);
        assert!(data.len() > 32, "the pipeline is in the cache");
        let known = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        let known = device.create_pipeline_cache(&known, None).unwrap();
        let same = device.create_compute_pipelines(known, &[info], None).unwrap()[0];
        assert_eq!(device.get_pipeline_cache_data(known).unwrap(), data, "it serves the same pipeline again");
        device.destroy_pipeline_cache(known, None);
        device.destroy_pipeline(same, None);
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_cache(cache, None);
        device.destroy_buffer(uniform, None);
        device.free_memory(memory, None);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(layouts[0], None);
        device.destroy_shader_module(module, None);
    }
}

/// A view, a sampler, a pipeline for graphics and dynamic rendering. Nothing is drawn.
unsafe fn rendering_is_recorded(device: &Device) {
    unsafe {
        let size = vk::Extent2D { width: 16, height: 16 };
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let (image, memory) = image(device, texels(size.into()).usage(usage));
        let view = view(device, image);
        let sampler = device.create_sampler(&vk::SamplerCreateInfo::default(), None).unwrap();
        let layout = device.create_pipeline_layout(&Default::default(), None).unwrap();
        let pipeline = graphics(device, layout, vk::Format::R8G8B8A8_UNORM);
        run(device, |commands| {
            let ready = [vk::ImageMemoryBarrier2::default()
                .dst_stage_mask(vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT)
                .dst_access_mask(vk::AccessFlags2::COLOR_ATTACHMENT_WRITE)
                .new_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .image(image)
                .subresource_range(RANGE)];
            let info = vk::DependencyInfo::default().image_memory_barriers(&ready);
            device.cmd_pipeline_barrier2(commands, &info);
            let attachments = [vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)];
            let info = vk::RenderingInfo::default()
                .render_area(size.into())
                .layer_count(1)
                .color_attachments(&attachments);
            device.cmd_begin_rendering(commands, &info);
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_draw(commands, 3, 1, 0, 0);
            device.cmd_end_rendering(commands);
        });
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_sampler(sampler, None);
        device.destroy_image_view(view, None);
        device.destroy_image(image, None);
        device.free_memory(memory, None);
    }
}

/// Creates a graphics pipeline with vertices and no output.
unsafe fn graphics(device: &Device, layout: vk::PipelineLayout, format: vk::Format) -> vk::Pipeline {
    let code = shader(0);
    let info = vk::ShaderModuleCreateInfo::default().code(&code);
    unsafe {
        let module = device.create_shader_module(&info, None).unwrap();
        let stages = [vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::VERTEX)
            .module(module)
            .name(c"main")];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(true)
            .line_width(1.0);
        let formats = [format];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertices)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layout)
            .push_next(&mut rendering);
        let pipeline = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None).unwrap()[0];
        device.destroy_shader_module(module, None);
        pipeline
    }
}

unsafe fn queries_have_results(device: &Device) {
    unsafe {
        let pool = |kind| {
            let info = vk::QueryPoolCreateInfo::default().query_type(kind).query_count(2);
            device.create_query_pool(&info, None).unwrap()
        };
        let (times, counts) = (pool(vk::QueryType::TIMESTAMP), pool(vk::QueryType::OCCLUSION));
        let (target, memory) = buffer(device, 64);
        run(device, |commands| {
            device.cmd_reset_query_pool(commands, times, 0, 2);
            device.cmd_reset_query_pool(commands, counts, 0, 2);
            device.cmd_write_timestamp2(commands, vk::PipelineStageFlags2::ALL_COMMANDS, times, 0);
            device.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, times, 1);
            device.cmd_begin_query(commands, counts, 1, vk::QueryControlFlags::empty());
            device.cmd_end_query(commands, counts, 1);
            barrier(device, commands);
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            device.cmd_copy_query_pool_results(commands, times, 0, 2, target, 16, 8, flags);
        });
        let flags = vk::QueryResultFlags::TYPE_64;
        let mut read = [0u64; 2];
        device.get_query_pool_results(times, 0, &mut read, flags | vk::QueryResultFlags::WAIT).unwrap();
        assert!(read[0] <= read[1] && read[1] > 0, "{read:?}");
        let start = device.map_memory(memory, 0, 64, vk::MemoryMapFlags::empty()).unwrap().cast::<u64>();
        assert_eq!((start.add(2).read(), start.add(3).read()), (read[0], read[1]));
        device.unmap_memory(memory);
        let mut with = [[7u32; 2]; 2];
        let partly = vk::QueryResultFlags::WITH_AVAILABILITY;
        let result = device.get_query_pool_results(counts, 0, &mut with, partly);
        assert_eq!((result, with), (Err(vk::Result::NOT_READY), [[7, 0], [0, 1]]));
        device.reset_query_pool(times, 0, 2);
        assert_eq!(
            device.get_query_pool_results(times, 0, &mut read, flags),
            Err(vk::Result::NOT_READY),
            "after the host's reset"
        );
        device.destroy_query_pool(times, None);
        device.destroy_query_pool(counts, None);
        device.destroy_buffer(target, None);
        device.free_memory(memory, None);
    }
}

unsafe fn events_are_set_by_queues(device: &Device) {
    unsafe {
        let event = device.create_event(&vk::EventCreateInfo::default(), None).unwrap();
        assert!(!device.get_event_status(event).unwrap());
        run(device, |commands| {
            device.cmd_set_event(commands, event, vk::PipelineStageFlags::ALL_COMMANDS);
        });
        assert!(device.get_event_status(event).unwrap());
        device.reset_event(event).unwrap();
        assert!(!device.get_event_status(event).unwrap());
        device.destroy_event(event, None);
    }
}

unsafe fn private_data_is_kept(device: &Device) {
    unsafe {
        let slot = device.create_private_data_slot(&vk::PrivateDataSlotCreateInfo::default(), None).unwrap();
        let event = device.create_event(&vk::EventCreateInfo::default(), None).unwrap();
        device.set_private_data(event, slot, 77).unwrap();
        assert_eq!(device.get_private_data(event, slot), 77);
        device.destroy_event(event, None);
        device.destroy_private_data_slot(slot, None);
    }
}
