//! Complaints of the kernel about graphics devices, from its log.

use std::fs::OpenOptions;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::files::content;

/// The messages since the kernel started, and files that keep them, which other users may be able to read.
const RING: &str = "/dev/kmsg";
const FILES: &[&str] = &["/var/log/dmesg", "/var/log/kern.log", "/var/log/messages", "/var/log/syslog"];
/// The most bytes of each that are read.
const LIMIT: u64 = 64 << 20;
/// The most characters of a message that are kept.
const LONGEST: usize = 240;
/// Parts of messages about graphics devices and their drivers, or about modules that are not loaded, separated by `|`.
const CONCERNS: &str = "NVRM|amdgpu|i915|xe |nvidia|nouveau|radeon|virtio_gpu|virtio-pci|drm|/dev/dri|panfrost|\
    panthor|v3d|vc4|etnaviv|mali|Loading of |Lockdown: modprobe|Lockdown: insmod";
/// Parts of messages that say what goes wrong, separated in the same way.
const COMPLAINS: &str = "fail|error|unsupported|ignore|reject|denied|DENIED|mismatch|refus|invalid|not supported|\
    not properly supported|timed out|timeout|hang|hung|fallen off|unable|requires|\
    restricted|si_support|cik_support|To force|Legacy drivers|stuck|lost";

/// Returns the complaints since the kernel started, each in one line. Empty if this user may not read the log.
pub(super) fn complaints() -> Vec<String> {
    let kept = || FILES.iter().find_map(|file| content(Path::new(file), LIMIT).ok());
    let log = ring().or_else(kept).unwrap_or_default();
    let mut all: Vec<String> = Vec::new();
    for message in String::from_utf8_lossy(&log).lines().filter_map(message) {
        if message.starts_with("Linux version ") {
            all.clear();
        }
        // NVIDIA's module breaks its sentences into lines.
        match (message.strip_prefix("NVRM: "), all.last_mut()) {
            (Some(rest), Some(last)) if last.starts_with("NVRM: ") && !last.ends_with('.') => {
                *last += &format!(" {}", one_line(rest));
            }
            _ if has(message, CONCERNS) => all.push(one_line(message)),
            _ => {}
        }
    }
    all.retain(|message| has(message, COMPLAINS));
    all.into_iter().map(|message| message.chars().take(LONGEST).collect()).collect()
}

fn has(message: &str, parts: &str) -> bool {
    parts.split('|').any(|part| message.contains(part))
}

/// Returns the message in one line. The ring escapes line breaks.
fn one_line(message: &str) -> String {
    message.replace("\\x0a", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Reads the kernel's messages, one record at a time. `None` if it does not give them to this user.
fn ring() -> Option<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(RING).ok()?;
    let (mut all, mut record) = (Vec::new(), [0; 8192]);
    while (all.len() as u64) < LIMIT {
        match file.read(&mut record) {
            Ok(count @ 1..) => all.extend(record.iter().take(count)),
            // Older records have gone while it read.
            Err(error) if error.raw_os_error() == Some(libc::EPIPE) => {}
            Ok(0) | Err(_) => break,
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Returns the message in a line that the kernel wrote. Programs can write to its ring as well, and `logger` can forge its name in files.
fn message(line: &str) -> Option<&str> {
    let record = line
        .split_once(';')
        .and_then(|(head, text)| Some((head.split_once(',')?.0.parse::<u32>().ok()?, text)));
    if let Some((priority, text)) = record {
        return (priority < 8).then_some(text);
    }
    let (tag, text) = line.split_once(": ")?;
    let text = match tag {
        tag if tag == "kernel" || tag.ends_with(" kernel") => text,
        _ if line.starts_with('[') => line,
        _ => return None,
    };
    Some(text.split_once("] ").filter(|_| text.starts_with('[')).map_or(text, |(_, text)| text))
}
