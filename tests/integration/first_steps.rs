//! A program that finds a device and uses it.
use ash::vk;
use vkload_tests::layered::good;
use vkload_tests::{Ask, Scenario};

#[test]
fn a_program_finds_a_device_and_draws_with_it() {
    let run = Scenario::new().driver(good()).run(|vk| {
        let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
        vk.say("devices", instance.names().join(","));
        let device = instance.device(instance.devices()[0], &[]);
        unsafe {
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(2);
            let buffers = device.allocate_command_buffers(&info).unwrap();
            device.begin_command_buffer(buffers[1], &vk::CommandBufferBeginInfo::default()).unwrap();
            device.cmd_draw(buffers[1], 1, 2, 3, 4);
            device.end_command_buffer(buffers[1]).unwrap();
            device.queue_submit(queue, &[vk::SubmitInfo::default()], vk::Fence::null()).unwrap();
            device.free_command_buffers(pool, &buffers);
            device.destroy_command_pool(pool, None);
            device.destroy_device(None);
        }
    });
    run.ok().says("devices", "gpu");
    let trace = run.trace("good");
    assert_eq!(trace.only("vkCmdDraw").get("arguments"), "1,2,3,4");
    assert_eq!(trace.only("vkBeginCommandBuffer").get("index"), "1");
    assert_eq!(trace.only("vkQueueSubmit").get("count"), "1");
    let end = trace.last("unload");
    for kind in ["instances", "devices", "surfaces"] {
        assert_eq!(end.get(kind), "0", "{kind} left over");
    }
}
