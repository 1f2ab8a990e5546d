//! Memory that runs out while a driver is opened.
use vkload_tests::{Ask, Granted, Scarce, Vk};

use ash::vk;

use super::{learn, scenario, start};

/// One request of so many is refused, each in its own process: all 12,000 would take two minutes.
const STEP: usize = 29;

/// Creates a device again and again, each time in a child that is refused one more of the requests for memory.
pub(super) fn refuse_each(vk: &Vk) {
    let scarce = Scarce::watch(vk.symbol("vkGetInstanceProcAddr"));
    let instance = vk.create(&Ask::new().api(1, 3)).unwrap();
    let device = instance.devices()[0];
    vk.say("opened-before", vk.is_loaded("real"));
    let (mut refused, mut failed) = (0, 0);
    for requests in (0..).step_by(STEP) {
        // SAFETY: the process has one thread. The child ends at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            scarce.grant(Some(Granted { requests, once: true }));
            let result = instance.try_device(device, &[]);
            scarce.grant(None);
            // The call succeeds, or fails for want of memory. The next one succeeds, since the driver is still closed.
            let is_right = matches!(
                result,
                Ok(_) | Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY | vk::Result::ERROR_INITIALIZATION_FAILED)
            ) && instance.try_device(device, &[]).is_ok();
            let was_refused = scarce.told().refused > 0;
            let code = i32::from(was_refused) + 2 * i32::from(result.is_err()) + 4 * i32::from(!is_right);
            // SAFETY: as above.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: the child is this process's.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert!(libc::WIFEXITED(status), "request {requests}: status {status:#x}");
        let code = libc::WEXITSTATUS(status);
        assert!(code & 4 == 0, "request {requests}: a wrong result");
        failed += code >> 1 & 1;
        if code & 1 == 0 {
            assert_eq!(code, 0, "with all memory the call succeeds");
            break;
        }
        refused += 1;
    }
    vk.say("refused", refused);
    vk.say("failed", failed);
}

#[test]
fn a_driver_that_is_opened_with_little_memory_fails_one_call() {
    let scenario = scenario().scarce_memory();
    learn(&scenario, "devices");
    let run = start(&scenario, "scarce");
    run.ok().says("opened-before", "false");
    let (refused, failed) = (run.said("refused"), run.said("failed"));
    assert!(refused.parse::<u32>().unwrap() > 10, "{refused} refused");
    assert!(failed.parse::<u32>().unwrap() > 0, "{failed} failed");
}
