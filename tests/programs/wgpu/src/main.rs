//! Doubles numbers in a compute shader on the first Vulkan device that wgpu offers, and prints them with its name.

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
    let instance = wgpu::Instance::new(&wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..Default::default()
    });
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
