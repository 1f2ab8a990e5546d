//! The permitted actions of messenger callbacks, and the behaviour if memory for another messenger runs out.
use std::sync::{Mutex, OnceLock};

use ash::ext::{debug_report, debug_utils};
use ash::vk;
use vkload_tests::allocator::{self, Owner};
use vkload_tests::listening::{
    ACTION, Debug, HEARD, Severity, Types, ask, forget_heard, messenger, plain, several,
};
use vkload_tests::{Granted, Run, Scenario, Vk};

// ---- what callbacks do ----

static DEBUG: OnceLock<Debug> = OnceLock::new();
static HANDLES: Mutex<Vec<vk::DebugUtilsMessengerEXT>> = Mutex::new(Vec::new());

/// Creates messengers, the last of which acts on the message `go`, and submits `go` and `again`.
fn act(vk: &Vk, listening: usize, action: fn(&str)) {
    let instance = vk.create(&ask()).unwrap();
    let debug = DEBUG.get_or_init(|| Debug::new(vk, &instance));
    let all: Vec<_> =
        (0..listening).map(|label| debug.listen(label, (Severity::WARNING, Types::GENERAL))).collect();
    *HANDLES.lock().unwrap() = all;
    assert!(ACTION.set(action).is_ok());
    for (key, text) in [("go", c"go"), ("again", c"again")] {
        debug.submit(Severity::WARNING, Types::GENERAL, text);
        let heard = std::mem::take(&mut *HEARD.lock().unwrap());
        let labels: Vec<_> = heard.iter().map(|entry| entry.split(' ').next().unwrap()).collect();
        vk.say(key, labels.join(","));
    }
    std::mem::take(&mut *HANDLES.lock().unwrap()).into_iter().for_each(|messenger| debug.stop(messenger));
}

fn once(text: &str) -> bool {
    static DONE: Mutex<bool> = Mutex::new(false);
    text == "go" && !std::mem::replace(&mut *DONE.lock().unwrap(), true)
}

#[test]
fn a_callback_may_destroy_its_own_messenger() {
    let run = several().run(|vk| {
        act(vk, 3, |text| {
            if once(text) {
                let own = HANDLES.lock().unwrap().pop().unwrap();
                DEBUG.get().unwrap().stop(own);
            }
        });
    });
    run.ok().says("go", "2,1,0").says("again", "1,0");
}

#[test]
fn a_callback_may_destroy_a_messenger_whose_turn_is_to_come() {
    let run = several().run(|vk| {
        act(vk, 4, |text| {
            if once(text) {
                let next = HANDLES.lock().unwrap().remove(2);
                DEBUG.get().unwrap().stop(next);
            }
        });
    });
    run.ok().says("go", "3,1,0").says("again", "3,1,0");
}

#[test]
fn a_callback_may_create_messengers_that_receive_the_next_message() {
    let run = several().run(|vk| {
        act(vk, 2, |text| {
            if once(text) {
                for label in 2..40 {
                    let new = DEBUG.get().unwrap().listen(label, (Severity::WARNING, Types::GENERAL));
                    HANDLES.lock().unwrap().push(new);
                }
            }
        });
    });
    run.ok().says("go", "1,0");
    let expected: Vec<_> = (0..40).rev().map(|label| label.to_string()).collect();
    assert_eq!(run.list("again"), expected);
}

#[test]
fn a_callback_may_send_messages() {
    let run = several().run(|vk| {
        act(vk, 2, |text| {
            if once(text) {
                DEBUG.get().unwrap().submit(Severity::WARNING, Types::GENERAL, c"inner");
            }
        });
    });
    run.ok().says("go", "1,1,0,0").says("again", "1,0");
}

#[test]
fn messengers_come_and_go_while_other_threads_send() {
    let run = several().run(|vk| {
        let instance = vk.create(&ask()).unwrap();
        let debug = Debug::new(vk, &instance);
        let lasting = debug.listen(7, (Severity::WARNING, Types::GENERAL));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        debug.submit(Severity::WARNING, Types::GENERAL, c"m");
                    }
                });
                scope.spawn(|| {
                    for _ in 0..200 {
                        let own: Vec<_> = (0..20)
                            .map(|label| debug.listen(label, (Severity::ERROR, Types::GENERAL)))
                            .collect();
                        own.into_iter().for_each(|messenger| debug.stop(messenger));
                    }
                });
            }
        });
        vk.say("heard", std::mem::take(&mut *HEARD.lock().unwrap()).len());
        debug.stop(lasting);
    });
    run.ok().says("heard", 1000);
}

// ---- memory ----

/// Creates something with ever more memory until it succeeds. Each failure says so and leaks nothing.
fn until_it_succeeds<T>(mut create: impl FnMut() -> Result<T, vk::Result>) -> (T, i64) {
    let before = allocator::live().len();
    for enough in 0.. {
        allocator::grant(Some(Granted { requests: enough, once: false }));
        let made = create();
        allocator::grant(None);
        match made {
            Ok(made) => return (made, enough),
            Err(error) => {
                assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY);
                assert_eq!(allocator::live().len(), before, "leaked after {enough}");
            }
        }
    }
    unreachable!()
}

fn run_with_little_memory(scenario: Scenario) -> Run {
    scenario.run(|vk| {
        let callbacks = allocator::callbacks(Owner::Instance);
        let extensions = [debug_utils::NAME.as_ptr(), debug_report::NAME.as_ptr()];
        let mut chained = messenger(99, (Severity::ERROR, Types::GENERAL));
        let info =
            vk::InstanceCreateInfo::default().enabled_extension_names(&extensions).push_next(&mut chained);
        unsafe {
            let (instance, _) = until_it_succeeds(|| vk.entry.create_instance(&info, Some(&callbacks)));
            let debug = Debug::new(vk, &instance);
            let info = messenger(1, (Severity::ERROR, Types::GENERAL));
            let mut all = Vec::new();
            for live in 0..40 {
                let (made, enough) = until_it_succeeds(|| {
                    let made = debug.utils.create_debug_utils_messenger(&info, Some(&callbacks));
                    allocator::grant(None);
                    forget_heard();
                    debug.submit(Severity::ERROR, Types::GENERAL, c"still there?");
                    let heard = HEARD.lock().unwrap().len();
                    assert_eq!(heard, live + usize::from(made.is_ok()));
                    made
                });
                assert!(enough >= 1, "memory is the application's");
                all.push(made);
            }
            for messenger in all {
                debug.utils.destroy_debug_utils_messenger(messenger, Some(&callbacks));
            }
            instance.destroy_instance(Some(&callbacks));
        }
        vk.say("left", allocator::live().len());
        vk.say("faults", allocator::faults().join("; "));
    })
}

#[test]
fn no_memory_for_one_more_leaves_those_that_listen_alone() {
    run_with_little_memory(Scenario::new().driver(plain("none"))).ok().says("left", 0).says("faults", "");
    let run = run_with_little_memory(several());
    run.ok().says("left", 0).says("faults", "");
    for name in ["one", "two"] {
        assert_eq!(run.trace(name).last("unload").get("messengers"), "0", "{name}");
    }
}
