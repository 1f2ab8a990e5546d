use super::*;
use crate::memory::CText;
use crate::platform::FileError;

/// Returns a system with two manifests, and a snapshot of it.
fn learned() -> (&'static Imaginary, Snapshot) {
    let system = Imaginary::new();
    system.set("HOME", "/h");
    system.file("/etc/vulkan/icd.d/a.json", manifest("/lib/a.so")).file("/lib/a.so", "");
    system.file("/usr/share/vulkan/icd.d/b.json", manifest("b.so"));
    let mut snapshot = Snapshot::new();
    let plan =
        discover(&system.platform(), &POLICY, &REQUEST, &KnownSettings::default(), &mut snapshot).unwrap();
    assert_eq!(used(&plan), ["/lib/a.so", "b.so"]);
    system.calls();
    (system, snapshot)
}

fn holds(system: &'static Imaginary, snapshot: &Snapshot) -> bool {
    snapshot.still_true(&system.platform()).unwrap()
}

#[test]
fn an_unchanged_state_is_recognised_without_opening_files() {
    let (system, snapshot) = learned();
    assert!(holds(system, &snapshot));
    let calls = system.calls();
    assert!(!calls.iter().any(|call| call.starts_with("read")), "{calls:?}");
    let listed: StdVec<_> = calls.iter().filter(|call| call.starts_with("list")).collect();
    assert_eq!(listed.len(), 5, "only folders that are missing: {listed:?}");
    let on_files = calls.iter().filter(|call| !call.starts_with("variable")).count();
    assert_eq!(on_files, 7 + 2 + 1, "one for each folder, manifest and library");
}

#[test]
fn every_change_shows() {
    type Change = fn(&Imaginary) -> &Imaginary;
    let changes: [(&str, Change); 12] = [
        ("a variable is set", |system| system.set("VK_DRIVER_FILES", "/x.json")),
        ("a variable is unset", |system| system.unset("HOME")),
        ("a variable changes", |system| system.set("HOME", "/g")),
        ("privileges are raised", |system| system.elevate()),
        ("a manifest changes", |system| system.file("/etc/vulkan/icd.d/a.json", manifest("c.so"))),
        ("a manifest comes", |system| system.file("/etc/vulkan/icd.d/c.json", manifest("c.so"))),
        ("a manifest goes", |system| system.remove("/etc/vulkan/icd.d/a.json")),
        ("a folder comes", |system| system.folder("/h/.config/vulkan/icd.d")),
        ("a folder goes", |system| system.remove("/usr/share/vulkan/icd.d")),
        ("the content of a folder goes", |system| system.remove("/usr/share/vulkan/icd.d/b.json")),
        ("a library goes", |system| system.remove("/lib/a.so")),
        ("a library is another file now", |system| system.link("/lib/a.so", "/etc/vulkan/icd.d/a.json")),
    ];
    for (what, change) in changes {
        let (system, snapshot) = learned();
        change(system);
        assert!(!holds(system, &snapshot), "{what}");
    }
}

#[test]
fn what_does_not_matter_does_not_show() {
    let (system, snapshot) = learned();
    system.set("LANG", "C").file("/etc/other", "").file("/lib/b.so", "");
    assert!(holds(system, &snapshot));
}

#[test]
fn indistinguishable_states_count_as_changed() {
    let (system, snapshot) = learned();
    system.blur();
    assert!(!holds(system, &snapshot), "it could be told when it was read");
    let mut snapshot = Snapshot::new();
    discover(&system.platform(), &POLICY, &REQUEST, &KnownSettings::default(), &mut snapshot).unwrap();
    assert!(!holds(system, &snapshot), "it could not be told when it was read either");
}

#[test]
fn a_failure_holds_only_as_long_as_nothing_is_there() {
    for error in [FileError::NotFound, FileError::Denied] {
        let (system, _) = learned();
        let mut snapshot = Snapshot::new();
        let path = crate::memory::text(&[b"/gone.json"]).unwrap();
        snapshot
            .record(Record { question: Question::File(path), answer: Answer::Content(Err(error), None) })
            .unwrap();
        assert!(holds(system, &snapshot));
        system.file("/gone.json", "");
        assert!(!holds(system, &snapshot));
    }
}

#[test]
fn a_folder_that_was_missing_is_listed_again() {
    let (system, _) = learned();
    let mut snapshot = Snapshot::new();
    let path = || crate::memory::text(&[b"/gone"]).unwrap();
    let answer = Answer::Names(Err(FileError::NotFound), None);
    snapshot.record(Record { question: Question::Listing(path()), answer }).unwrap();
    system.calls();
    assert!(holds(system, &snapshot));
    assert_eq!(system.calls(), ["list /gone"], "a program may answer for opendir alone");
    system.folder("/gone");
    assert!(!holds(system, &snapshot));
}

#[test]
fn a_snapshot_alone_gives_the_same_plan_again() {
    let (_, snapshot) = learned();
    let Step::Ready(plan) = plan(&snapshot, &REQUEST, &POLICY, &KnownSettings::default()).unwrap() else {
        panic!("everything was asked")
    };
    assert_eq!(used(&plan), ["/lib/a.so", "b.so"]);
}

#[test]
fn a_recorded_answer_is_not_asked_for() {
    let (system, _) = learned();
    let mut snapshot = Snapshot::new();
    let select = |value: &[u8]| Record {
        question: Question::Variable(
            CText::new(c"VK_LOADER_DRIVERS_SELECT").unwrap(),
            crate::platform::Reader::Secure,
        ),
        answer: Answer::Value(Some(crate::memory::text(&[value]).unwrap())),
    };
    snapshot.record(select(b"b.json")).unwrap();
    snapshot.record(select(b"the first answer stays")).unwrap();
    let plan =
        discover(&system.platform(), &POLICY, &REQUEST, &KnownSettings::default(), &mut snapshot).unwrap();
    assert_eq!(used(&plan), ["b.so"]);
    assert!(!system.calls().contains(&"variable VK_LOADER_DRIVERS_SELECT".to_string()));
}

#[test]
fn a_question_is_asked_once_in_a_search() {
    let (system, _) = learned();
    plan_of(system);
    let mut calls = system.calls();
    calls.retain(|call| !call.starts_with("fingerprint"));
    let all = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!(calls.len(), all);
}
