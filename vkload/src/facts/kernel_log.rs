//! Complaints of the kernel about graphics devices, from its log.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;

/// The messages since the kernel started.
const RING: &str = "/dev/kmsg";
/// The most bytes of it that are read, and the most complaints that are kept.
const LIMIT: usize = 64 << 20;
const MOST: usize = 200;
/// Parts of messages about graphics devices and their drivers, or about modules that are not loaded, separated by `|`.
const CONCERNS: &str = "NVRM|amdgpu|i915|xe |nvidia|nouveau|radeon|virtio_gpu|virtio-pci|drm|panfrost|panthor|v3d|\
    vc4|etnaviv|mali|Loading of |Lockdown: modprobe|Lockdown: insmod";
/// Parts of messages that say what goes wrong, in small letters.
const COMPLAINS: &str = "fail|error|unsupported|ignore|reject|denied|mismatch|refus|invalid|not supported|unable|\
    not properly|timed out|timeout|gpu hang| hung|fallen off|requires|restricted|k_support|i_support|to force|\
    legacy drivers|stuck| lost|unknown chipset";
/// Parts of messages of machines without a fault, or with words of programs, in small letters.
const USUAL: &str = "vgaarb:|module verification failed|securedisplay|audit: type=|]: segfault at|traps: ";

/// Returns the complaints since the kernel started, each in one line. Empty if the kernel does not give its messages to this user.
pub(super) fn complaints() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for message in String::from_utf8_lossy(&ring().unwrap_or_default()).lines().filter_map(message) {
        // NVIDIA's module breaks its sentences into lines.
        let goes_on = |rest: &&str| {
            let is_inside = rest.starts_with(|first: char| first == ' ' || first.is_lowercase());
            (is_inside && !rest.starts_with("loading")) || rest.starts_with("NVIDIA ")
        };
        match (message.strip_prefix("NVRM: ").filter(goes_on), all.last_mut()) {
            (Some(rest), Some(last)) if last.starts_with("NVRM: ") && !last.ends_with('.') => {
                *last += &format!(" {}", one_line(rest));
            }
            _ if has(message, CONCERNS) => all.push(one_line(message)),
            _ => {}
        }
    }
    let is_complaint = |message: &String| {
        let message = message.to_lowercase();
        has(&message, COMPLAINS) && !has(&message, USUAL)
    };
    all.retain(is_complaint);
    all.dedup();
    all.truncate(MOST);
    all
}

fn has(message: &str, parts: &str) -> bool {
    parts.split('|').any(|part| message.contains(part))
}

/// Returns the message in one line. The ring escapes line breaks, and NVIDIA's module begins each line with its name.
fn one_line(message: &str) -> String {
    let message = message.replace("\\x0aNVRM:", " ").replace("\\x0a", " ");
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the messages, one record at a time. `None` if the kernel does not give them to this user.
fn ring() -> Option<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(RING).ok()?;
    let (mut all, mut record) = (Vec::new(), [0; 8192]);
    while all.len() < LIMIT {
        match file.read(&mut record) {
            Ok(count @ 1..) => all.extend(record.iter().take(count)),
            // Older records have gone while it read.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
            Ok(0) | Err(_) => break,
        }
    }
    Some(all)
}

/// Returns the message of a record, `PRIORITY,NUMBER,TIME,FLAGS;MESSAGE`, if the kernel wrote it: programs can write to the ring, too.
fn message(record: &str) -> Option<&str> {
    let (head, message) = record.split_once(';')?;
    let priority: u32 = head.split_once(',')?.0.parse().ok()?;
    (priority < 8).then_some(message)
}
