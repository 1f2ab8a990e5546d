//! Checkpoints of queues.

use std::env;

use ash::{nv, vk};

use super::{Context, record, run};

/// Returns the last checkpoints of a queue: stages, each with its marker.
unsafe fn reached(context: &Context, queue: u32) -> Vec<(u32, usize)> {
    // SAFETY: live handles, and arrays of this length.
    unsafe {
        let device = nv::device_diagnostic_checkpoints::Device::new(&context.instance, &context.device);
        let get = device.fp().get_queue_checkpoint_data_nv;
        let queue = context.device.get_device_queue(0, queue);
        let mut count = 0;
        get(queue, &mut count, std::ptr::null_mut());
        let mut all = vec![vk::CheckpointDataNV::default(); count as usize];
        get(queue, &mut count, all.as_mut_ptr());
        all.iter().map(|one| (one.stage.as_raw(), one.p_checkpoint_marker.addr())).collect()
    }
}

/// Sets three checkpoints in a command buffer, and submits it twice. At the fifth checkpoint, the device is lost.
#[test]
#[ignore = "run by the other tests"]
fn checkpoints() {
    Context::with(vk::API_VERSION_1_3, &[], &[nv::device_diagnostic_checkpoints::NAME]).run(
        |context, _| unsafe {
            let device = nv::device_diagnostic_checkpoints::Device::new(&context.instance, &context.device);
            let checkpoints = |commands| {
                for marker in [10, 20, 30] {
                    device.cmd_set_checkpoint(commands, std::ptr::without_provenance(marker));
                }
            };
            assert_eq!(reached(context, 0), []);
            run(&context.device, checkpoints);
            let top = vk::PipelineStageFlags::TOP_OF_PIPE.as_raw();
            let bottom = vk::PipelineStageFlags::BOTTOM_OF_PIPE.as_raw();
            assert_eq!(reached(context, 0), [(top, 30), (bottom, 30)]);
            let queue = context.device.get_device_queue(0, 0);
            let pool = context.device.create_command_pool(&Default::default(), None).unwrap();
            let commands = record(&context.device, pool, checkpoints);
            let work = [vk::SubmitInfo::default().command_buffers(&commands)];
            let lost = Err(vk::Result::ERROR_DEVICE_LOST);
            let submitted = context.device.queue_submit(queue, &work, vk::Fence::null());
            let is_later = env::var("VKLOAD_NULL_DRIVER").is_ok_and(|words| words.contains("queue=async"));
            assert!(submitted == lost || is_later, "{submitted:?}");
            assert_eq!(context.device.queue_wait_idle(queue), lost);
            assert_eq!(reached(context, 0), [(top, 20), (bottom, 10)]);
            assert_eq!(reached(context, 1), []);
            context.device.destroy_command_pool(pool, None);
        },
    );
}
