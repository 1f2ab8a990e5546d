//! The options of the Android tasks: ABIs, and an API level.

use clap::Args;

use crate::toolchain::is_available;

/// Android's name of a processor, and the compiler's.
pub(crate) type Abi = (&'static str, &'static str);

pub(crate) const ABIS: &[Abi] = &[
    ("arm64-v8a", "aarch64-linux-android"),
    ("armeabi-v7a", "armv7-linux-androideabi"),
    ("x86_64", "x86_64-linux-android"),
    ("x86", "i686-linux-android"),
];

/// The newest level of Android's API that the loader knows, `ApiLevel::NEWEST`.
pub(crate) const NEWEST: u32 = 37;

/// The level of a library that is built without a choice, `ApiLevel::DEFAULT`.
pub(crate) const DEFAULT: u32 = 36;

/// The oldest level whose system image gets a library, `ApiLevel::OLDEST`.
pub(crate) const OLDEST: u32 = 28;

/// The oldest level of a device whose applications bring a loader: the first with Vulkan.
pub(crate) const OLDEST_OF_APPLICATIONS: u32 = 24;

#[derive(Args)]
pub(crate) struct Options {
    /// The only level for which a system image's library is built and its exports are checked
    #[arg(long, value_name = "LEVEL", value_parser = clap::value_parser!(u32).range(i64::from(OLDEST)..=i64::from(NEWEST)))]
    pub(crate) api: Option<u32>,
    /// The only ABIs
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', value_parser = abi)]
    abi: Vec<Abi>,
}

fn abi(name: &str) -> Result<Abi, String> {
    let known = || ABIS.iter().map(|(abi, _)| *abi).collect::<Vec<_>>().join(", ");
    ABIS.iter().find(|(abi, _)| *abi == name).copied().ok_or_else(|| format!("the ABIs are {}", known()))
}

impl Options {
    /// Returns the ABIs with a compiler on this machine, and the targets of the others.
    pub(crate) fn available(&self) -> (Vec<Abi>, Vec<&'static str>) {
        let chosen = if self.abi.is_empty() { ABIS } else { &self.abi };
        let (found, missing): (Vec<Abi>, Vec<Abi>) =
            chosen.iter().partition(|(_, target)| is_available(target));
        (found, missing.into_iter().map(|(_, target)| target).collect())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::Task;

    #[test]
    fn options_are_a_level_and_abis() {
        let of = |words: &str| match Task::try_parse_from(format!("xtask aar {words}").split_whitespace()) {
            Ok(Task::Aar(options)) => Some((options.api, options.abi)),
            _ => None,
        };
        assert_eq!(of(""), Some((None, vec![])));
        assert_eq!(of("--abi x86,x86_64 --api 33"), Some((Some(33), vec![ABIS[3], ABIS[2]])));
        for level in ["28", "37"] {
            assert_eq!(of(&format!("--api {level}")).unwrap().0, level.parse().ok());
        }
        for wrong in ["--api 27", "--api 38", "--api", "--abi mips", "--level 28"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
