//! The options of the Android tasks: ABIs, and an API level.

use crate::Failure;
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

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The level of the installed library of a system image.
    pub(crate) level: u32,
    /// Whether the library is also built for the newest level, and its exports at the others are checked.
    pub(crate) all_levels: bool,
    pub(crate) abis: Vec<Abi>,
}

impl Options {
    pub(crate) fn of(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self { level: DEFAULT, all_levels: true, abis: ABIS.to_vec() };
        for words in arguments.chunks(2) {
            match words {
                [option, level] if option == "--api" => {
                    let level = level.parse().ok().filter(|level| (OLDEST..=NEWEST).contains(level));
                    let levels = || format!("--api: the levels are {OLDEST} to {NEWEST}");
                    (options.level, options.all_levels) = (level.ok_or_else(levels)?, false);
                }
                [option, names] if option == "--abi" => {
                    let abi = |name| ABIS.iter().find(|(abi, _)| *abi == name).copied();
                    let abis = names.split(',').map(abi).collect::<Option<_>>();
                    let known = ABIS.iter().map(|(abi, _)| *abi).collect::<Vec<_>>().join(", ");
                    options.abis = abis.ok_or_else(|| format!("--abi: the ABIs are {known}"))?;
                }
                _ => return Err("the options are --api LEVEL and --abi NAME,NAME".into()),
            }
        }
        Ok(options)
    }

    /// Returns the ABIs with a compiler on this machine, and the targets of the others.
    pub(crate) fn available(&self) -> (Vec<Abi>, Vec<&'static str>) {
        let (found, missing): (Vec<Abi>, Vec<Abi>) =
            self.abis.iter().partition(|(_, target)| is_available(target));
        (found, missing.into_iter().map(|(_, target)| target).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_a_level_and_abis() {
        let of =
            |words: &[&str]| Options::of(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let all = Options { level: DEFAULT, all_levels: true, abis: ABIS.to_vec() };
        assert_eq!(of(&[]).unwrap(), all);
        let some = of(&["--abi", "x86,x86_64", "--api", "33"]).unwrap();
        assert_eq!((some.level, some.all_levels, some.abis), (33, false, vec![ABIS[3], ABIS[2]]));
        for level in ["28", "37"] {
            assert_eq!(of(&["--api", level]).unwrap().level.to_string(), level);
        }
        for wrong in
            [&["--api", "27"][..], &["--api", "38"], &["--api"], &["--abi", "mips"], &["--level", "28"]]
        {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }
}
