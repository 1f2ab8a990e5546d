//! Files that look as if they were meant to be manifests.

use super::super::case::Case;
use super::super::finding::{Finding, Id, Severity};
use crate::command::Step;
use crate::facts::{Stray, StrayKind};

/// Reports unusual files in and near the manifest folders.
pub(super) fn strays(case: &Case) -> Vec<Finding> {
    case.facts.strays.iter().map(|stray| one(case, stray)).collect()
}

fn one(case: &Case, stray: &Stray) -> Finding {
    let path = stray.path.as_str();
    let of_drivers = path.contains("icd.d") || path.contains("_icd");
    let severity = if of_drivers { case.mention().max(Severity::Warning) } else { Severity::Warning };
    let finding = |id, what: String| Finding::new(case, id, path, what).with_severity(severity);
    match &stray.why {
        StrayKind::DanglingLink { to } => {
            finding(Id::ManifestDangling, format!("this manifest is a link to {to}, which does not exist"))
                .step(case.reinstall(path))
                .step(Step::say("Or remove the link: ").run(case.remove(path)))
        }
        StrayKind::Ending { of } => {
            let name = path
                .strip_suffix(of.as_str())
                .map(|start| format!("{start}.json"))
                .filter(|_| of.starts_with(".json") || of.eq_ignore_ascii_case(".json"));
            let target = name.unwrap_or_else(|| {
                if path.ends_with(".json") { path.to_owned() } else { format!("{path}.json") }
            });
            finding(
                Id::ManifestEnding,
                format!("this file is not read, because its name ends in \"{of}\" and not in \".json\""),
            )
            .step(case.on(path, "sudo cp {} {}", &[&path, &target]))
        }
        StrayKind::Misplaced { belongs } => {
            finding(Id::ManifestMisplaced, format!("this manifest is not read here; it belongs in {belongs}"))
                .step(case.on(
                    path,
                    "sudo mkdir -p {} && sudo mv {} {}",
                    &[belongs, &path, &format!("{}/", belongs.trim_end_matches('/'))],
                ))
        }
        StrayKind::Unreadable { mode, owner } => {
            let noun = if path.ends_with(".json") { "manifest" } else { "folder" };
            Finding::new(
                case,
                Id::ManifestUnreadable,
                path,
                format!("you have no permission to read this {noun} (mode {mode:04o}, owner {owner})"),
            )
            .step(super::library::permit(case, path))
        }
        StrayKind::ByteOrderMark => Finding::new(
            case,
            Id::ManifestByteOrderMark,
            path,
            "this manifest begins with a byte-order mark, which Vulkan loaders before 1.3.240 do not accept",
        )
        .step(case.on(path, "sudo sed -i '1s/^\\xEF\\xBB\\xBF//' {}", &[&path])),
    }
}
