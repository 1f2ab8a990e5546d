//! Doubles numbers in a compute shader on the first Vulkan device that wgpu offers, and prints them with its name. wgpu finds the system's
//! loader, or with the argument `built-in` gets the loader that this program carries.

use std::error::Error;

use wgpu::util::DeviceExt as _;

const SHADER: &str = "
    @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
    @compute @workgroup_size(4)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        numbers[id.x] = numbers[id.x] * 2u;
    }";

fn main() -> Result<(), Box<dyn Error>> {
    pollster::block_on(run())
}

async fn run() -> Result<(), Box<dyn Error>> {
    let instance = if std::env::args().any(|argument| argument == "built-in") {
        built_in()?
    } else {
        wgpu::Instance::new(&wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..Default::default()
        })
    };
    let adapter = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await?;
    let info = adapter.get_info();
    println!("{} by {} {}", info.name, info.driver, info.driver_info);
    let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;

    let numbers = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("numbers"),
        contents: bytemuck::cast_slice(&[1u32, 2, 3, 4]),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    });
    let results = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("results"),
        size: numbers.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: numbers.as_entire_binding() }],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&numbers, 0, &results, 0, numbers.size());
    queue.submit([encoder.finish()]);
    results.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.expect("the results can be read"));
    device.poll(wgpu::PollType::Wait { submission_index: None, timeout: None })?;
    let doubled: Vec<u32> = bytemuck::cast_slice(&results.slice(..).get_mapped_range()).to_vec();
    println!("{doubled:?}");
    Ok(())
}

/// Returns wgpu's instance on the loader in this program.
fn built_in() -> Result<wgpu::Instance, Box<dyn Error>> {
    use wgpu::hal::{api::Vulkan, vulkan};

    let (entry, flags, version) = (vkload::entry(), wgpu::InstanceFlags::empty(), ash::vk::API_VERSION_1_3);
    let extensions = vulkan::Instance::desired_extensions(&entry, version, flags)?;
    let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let application = ash::vk::ApplicationInfo::default().api_version(version);
    let info =
        ash::vk::InstanceCreateInfo::default().application_info(&application).enabled_extension_names(&names);
    // SAFETY: the create info is valid. The instance is created from `entry` with the version and the extensions that follow, and wgpu owns it.
    unsafe {
        let instance = entry.create_instance(&info, None)?;
        let instance = vulkan::Instance::from_raw(
            entry,
            instance,
            version,
            0,
            None,
            extensions,
            flags,
            wgpu::MemoryBudgetThresholds::default(),
            false,
            None,
        )?;
        Ok(wgpu::Instance::from_hal::<Vulkan>(instance))
    }
}
