//! The command-line options.

use std::env::consts::ARCH;
use std::path::{Path, PathBuf};

use crate::Failure;
use crate::target::Target;

/// The options, with defaults for those not given.
#[derive(Debug)]
pub(crate) struct Options {
    /// The installation prefix on the target system.
    pub(crate) prefix: PathBuf,
    /// The library folder: absolute, or below the prefix.
    pub(crate) libdir: PathBuf,
    /// The folder of the shared library: separate if the package is installed alongside the system's loader.
    pub(crate) shared: PathBuf,
    /// The folder `SYSCONFDIR` that the library searches.
    pub(crate) sysconfdir: PathBuf,
    /// The folder to use as `/`.
    pub(crate) destination: Option<PathBuf>,
    /// The prefix of the names in the static library.
    pub(crate) symbol_prefix: String,
    /// The target, if it is not this machine.
    pub(crate) target: Option<&'static Target>,
    /// The oldest supported glibc. `None`: the version of this machine, or of the target's libraries.
    pub(crate) glibc: Option<&'static str>,
    /// The only drivers that the library will open, a list of paths with colons.
    pub(crate) fixed_drivers: Option<String>,
    /// Whether Debian packages are made.
    pub(crate) deb: bool,
    /// The output folder.
    pub(crate) out: Option<PathBuf>,
}

const USAGE: &str = "options: --prefix DIR, --libdir DIR, --sysconfdir DIR, --destdir DIR, --symbol-prefix NAME, \
                     --target TRIPLE, --fixed-drivers PATH:PATH...; or \
                     --deb [--out DIR] [--symbol-prefix NAME] [--target TRIPLE]; or \
                     --release [PROCESSOR... | --check]";

impl Options {
    /// Returns how a manifest two folders below `share` names a library. In a package it is the name alone: the dynamic linker searches the
    /// folder of the processor for which a program is, and the manifest serves them all.
    pub(crate) fn library_in_manifest(&self, library: &str) -> PathBuf {
        if self.deb {
            return library.into();
        }
        match self.libdir.strip_prefix(&self.prefix) {
            Ok(below) => Path::new("../../..").join(below).join(library),
            Err(_) => self.libdir.join(library),
        }
    }

    pub(crate) fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let (mut prefix, mut libdir, mut sysconfdir, mut destination, mut out) =
            (None, None, None, None, None);
        let (mut symbol_prefix, mut deb) = (String::new(), false);
        let (mut target, mut fixed_drivers) = (None, None);
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (option, joined) = argument
                .split_once('=')
                .map_or((argument.as_str(), None), |(option, value)| (option, Some(value)));
            let mut value = || joined.or_else(|| arguments.next().map(String::as_str)).ok_or(USAGE);
            match option {
                "--prefix" => prefix = Some(PathBuf::from(value()?)),
                "--libdir" => libdir = Some(PathBuf::from(value()?)),
                "--sysconfdir" => sysconfdir = Some(PathBuf::from(value()?)),
                "--destdir" => destination = Some(PathBuf::from(value()?)),
                "--out" => out = Some(PathBuf::from(value()?)),
                "--symbol-prefix" => value()?.clone_into(&mut symbol_prefix),
                "--target" => target = Some(Target::named(value()?)?),
                "--fixed-drivers" => fixed_drivers = Some(value()?.to_owned()),
                "--deb" => deb = true,
                _ => return Err(USAGE.into()),
            }
        }
        if deb && fixed_drivers.is_some() {
            return Err(
                "a package for any Debian finds its drivers by manifests: --fixed-drivers goes without --deb"
                    .into(),
            );
        }
        if deb && (prefix.is_some() || libdir.is_some() || sysconfdir.is_some() || destination.is_some()) {
            return Err(
                "Debian says where the files of a package are: --deb goes with --out, --symbol-prefix and --target"
                    .into(),
            );
        }
        if !symbol_prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || symbol_prefix.starts_with(|first: char| first.is_ascii_digit())
        {
            return Err(format!("--symbol-prefix {symbol_prefix}: no name in C begins like that").into());
        }
        let prefix = prefix.unwrap_or_else(|| if deb { "/usr" } else { "/usr/local" }.into());
        let libdir = match libdir {
            Some(given) => given,
            None if deb => format!("lib/{}", machine(target)?.1).into(),
            None => "lib".into(),
        };
        // The system's own files are configured in /etc, whatever the prefix of the system is.
        let sysconfdir = sysconfdir
            .unwrap_or_else(|| if prefix.as_os_str() == "/usr" { "/etc".into() } else { prefix.join("etc") });
        let libdir = prefix.join(libdir);
        let shared = if deb { libdir.join("vkload") } else { libdir.clone() };
        Ok(Self {
            libdir,
            shared,
            prefix,
            sysconfdir,
            destination,
            symbol_prefix,
            target,
            glibc: None,
            fixed_drivers,
            deb,
            out,
        })
    }
}

/// Returns Debian's name for the target's processor, or for this one, and its library folder.
pub(crate) fn machine(target: Option<&Target>) -> Result<(&'static str, &'static str), Failure> {
    if let Some(target) = target {
        return target.debian();
    }
    match ARCH {
        "x86_64" => Ok(("amd64", "x86_64-linux-gnu")),
        "aarch64" => Ok(("arm64", "aarch64-linux-gnu")),
        "arm" => Ok(("armhf", "arm-linux-gnueabihf")),
        "x86" => Ok(("i386", "i386-linux-gnu")),
        "riscv64" => Ok(("riscv64", "riscv64-linux-gnu")),
        other => Err(format!("what Debian calls a {other} is not known here").into()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn parse(line: &str) -> Result<Options, Failure> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn missing_options_follow_from_the_prefix() {
        let folders = |line: &str| {
            let options = parse(line).unwrap();
            [options.prefix, options.libdir, options.sysconfdir].map(|path| path.to_str().unwrap().to_owned())
        };
        assert_eq!(folders(""), ["/usr/local", "/usr/local/lib", "/usr/local/etc"]);
        assert_eq!(folders("--prefix /usr --libdir lib64"), ["/usr", "/usr/lib64", "/etc"]);
        assert_eq!(folders("--prefix=/opt/v --libdir=/lib --sysconfdir=/c"), ["/opt/v", "/lib", "/c"]);
        assert_eq!(parse("--libdir lib64").unwrap().shared, Path::new("/usr/local/lib64"));
        let package = parse("--deb").unwrap();
        assert_eq!(package.shared, package.libdir.join("vkload"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for line in [
            "--prefix",
            "--nonsense",
            "here",
            "--symbol-prefix 1x",
            "--symbol-prefix a-b",
            "--deb --prefix /x",
            "--deb --fixed-drivers /x.so",
            "--target pdp11-unknown-linux-gnu",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert_eq!(parse("--deb --symbol-prefix my_").unwrap().symbol_prefix, "my_");
    }
}
