//! A compute shader through the Rust bindings `ash`, with every value checked.
use std::ffi::c_void;
use std::slice;

use ash::{Device, Instance, vk};

const VALUES: u32 = 4096;
const GROUP: u32 = 64;
const FACTOR: u32 = 7;

/// The source of the device commands.
#[derive(Clone, Copy, Debug)]
pub enum Commands {
    /// vkGetDeviceProcAddr: the shortest way to each.
    OfDevice,
    /// This vkGetInstanceProcAddr: the loader's export or an equivalent.
    OfInstance(vk::PFN_vkGetInstanceProcAddr),
}

impl Commands {
    /// Returns the commands of `device`, which is of `instance`.
    ///
    /// # Safety
    /// Both are live.
    unsafe fn of(self, instance: &Instance, device: Device) -> Device {
        let Self::OfInstance(find) = self else { return device };
        // SAFETY: the caller's promise; names are C strings.
        let look = |name: &std::ffi::CStr| unsafe { find(instance.handle(), name.as_ptr()) };
        let address = |name: &_| look(name).map_or(std::ptr::null(), |function| function as *const c_void);
        // SAFETY: each function has the type of its name.
        unsafe { Device::load_with(address, device.handle()) }
    }
}

/// Runs a shader on a device and looks at its results.
///
/// # Safety
/// The physical device is of the instance, which is live.
pub unsafe fn compute_on(instance: &Instance, physical_device: vk::PhysicalDevice, commands: Commands) {
    // SAFETY: the caller's promise.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical_device) };
    let family = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE));
    let family = u32::try_from(family.expect("a family that computes")).expect("few families");
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    // SAFETY: the create info is complete; every object below is made from this device, used on this thread only, and
    // destroyed before it, in an order that the specification allows.
    unsafe {
        let device = instance.create_device(physical_device, &info, None).expect("a device");
        let device = commands.of(instance, device);
        let memory_types = instance.get_physical_device_memory_properties(physical_device);
        let input = Buffer::new(&device, &memory_types);
        let output = Buffer::new(&device, &memory_types);
        for (value, index) in input.values().iter_mut().zip(0..) {
            *value = u32::MAX - 3 * index;
        }
        dispatch(&device, family, [input.buffer, output.buffer]);
        for (value, index) in output.values().iter().zip(0_u32..) {
            let expected = (u32::MAX - 3 * index).wrapping_mul(FACTOR).wrapping_add(index);
            assert_eq!(*value, expected, "value {index}");
        }
        input.destroy(&device);
        output.destroy(&device);
        device.destroy_device(None);
    }
}

/// A storage buffer of `VALUES` numbers, and its memory as mapped on the host.
struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut c_void,
}

impl Buffer {
    /// # Safety
    /// The device is live, and the memory types are its own.
    unsafe fn new(device: &Device, types: &vk::PhysicalDeviceMemoryProperties) -> Self {
        let size = u64::from(VALUES) * 4;
        let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the caller's promise; the buffer and memory are bound before use.
        unsafe {
            let buffer = device.create_buffer(&info, None).expect("a buffer");
            let needs = device.get_buffer_memory_requirements(buffer);
            let fits = |index: &u32| {
                let kind = types.memory_types[*index as usize];
                needs.memory_type_bits & (1 << index) != 0 && kind.property_flags.contains(wanted)
            };
            let kind = (0..types.memory_type_count).find(fits).expect("memory that the host sees");
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_buffer_memory(buffer, memory, 0).expect("bound memory");
            let mapped =
                device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty()).expect("mapped memory");
            Self { buffer, memory, mapped }
        }
    }

    /// # Safety
    /// No other slice of it is in use, and the device does not use the buffer meanwhile.
    #[allow(clippy::mut_from_ref)]
    unsafe fn values(&self) -> &mut [u32] {
        // SAFETY: `VALUES` numbers are mapped there until `destroy`; the caller keeps others away.
        unsafe { slice::from_raw_parts_mut(self.mapped.cast(), VALUES as usize) }
    }

    /// # Safety
    /// The buffer is not in use.
    unsafe fn destroy(self, device: &Device) {
        // SAFETY: the caller's promise.
        unsafe {
            device.destroy_buffer(self.buffer, None);
            device.free_memory(self.memory, None);
        }
    }
}

/// Runs the shader once over all values of `buffers`, input and output, and waits for it.
///
/// # Safety
/// The device is live, has a queue of `family`, and the buffers are its own.
unsafe fn dispatch(device: &Device, family: u32, buffers: [vk::Buffer; 2]) {
    // SAFETY: the caller's promise; each object is made from the device here, and destroyed when the queue is idle.
    unsafe {
        let (set_layout, layout, pipeline) = program(device);
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 2 }];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let descriptors = device.create_descriptor_pool(&info, None).expect("a descriptor pool");
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(descriptors);
        let sets =
            device.allocate_descriptor_sets(&info.set_layouts(slice::from_ref(&set_layout))).expect("a set");
        let whole =
            buffers.map(|buffer| [vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }]);
        let writes = [0_u32, 1].map(|binding| {
            vk::WriteDescriptorSet::default()
                .dst_set(sets[0])
                .dst_binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&whole[binding as usize])
        });
        device.update_descriptor_sets(&writes, &[]);

        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        let pool = device.create_command_pool(&info, None).expect("a command pool");
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info).expect("a command buffer")[0];
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("recording");
        device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
        device.cmd_push_constants(commands, layout, vk::ShaderStageFlags::COMPUTE, 0, &FACTOR.to_ne_bytes());
        device.cmd_dispatch(commands, VALUES / GROUP, 1, 1);
        device.end_command_buffer(commands).expect("recorded commands");

        let queue = device.get_device_queue(family, 0);
        let fence = device.create_fence(&vk::FenceCreateInfo::default(), None).expect("a fence");
        let submit = [vk::SubmitInfo::default().command_buffers(slice::from_ref(&commands))];
        device.queue_submit(queue, &submit, fence).expect("submitted work");
        device.wait_for_fences(&[fence], true, u64::MAX).expect("finished work");

        device.destroy_fence(fence, None);
        device.destroy_command_pool(pool, None);
        device.destroy_descriptor_pool(descriptors, None);
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}

/// Returns the compute pipeline, with its layouts.
///
/// # Safety
/// The device is live.
unsafe fn program(device: &Device) -> (vk::DescriptorSetLayout, vk::PipelineLayout, vk::Pipeline) {
    let words = include_str!("../../programs/shaders/sum.comp.words");
    let lines = words.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words = lines.flat_map(|line| line.split(',')).filter_map(|word| word.trim().strip_prefix("0x"));
    let words: Vec<_> = words.map(|word| u32::from_str_radix(word, 16).expect("a word in hex")).collect();
    let bindings = [0_u32, 1].map(|binding| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(binding)
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
    });
    let push = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 4 }];
    // SAFETY: the caller's promise; the words are a module that glslang made, with an entry point called main.
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let set_layout = device.create_descriptor_set_layout(&info, None).expect("a set layout");
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
        let info = info.set_layouts(slice::from_ref(&set_layout));
        let layout = device.create_pipeline_layout(&info, None).expect("a pipeline layout");
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = device.create_shader_module(&info, None).expect("a shader module");
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
        let pipeline = made.map_err(|(_, result)| result).expect("a pipeline")[0];
        device.destroy_shader_module(module, None);
        (set_layout, layout, pipeline)
    }
}
