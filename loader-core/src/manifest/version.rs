//! Version strings of manifests.
#![forbid(unsafe_code)]

use core::fmt;

use crate::memory::ascii::trimmed;

/// A Vulkan version, or the version of a file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Version {
    /// 0 for Vulkan itself; other values are other APIs.
    pub variant: u8,
    /// At most 127.
    pub major: u8,
    /// At most 1023.
    pub minor: u16,
    /// At most 4095.
    pub patch: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionError {
    NotAVersion,
    /// A number does not fit into its bits in a Vulkan version.
    OutOfRange,
}

impl Version {
    pub const fn new(major: u8, minor: u16, patch: u16) -> Self {
        Self { variant: 0, major, minor, patch }
    }

    pub const fn encoded(self) -> u32 {
        (self.variant as u32) << 29
            | (self.major as u32) << 22
            | (self.minor as u32) << 12
            | self.patch as u32
    }

    pub const fn from_encoded(number: u32) -> Self {
        Self {
            variant: (number >> 29) as u8,
            major: ((number >> 22) & 0x7f) as u8,
            minor: ((number >> 12) & 0x3ff) as u16,
            patch: (number & 0xfff) as u16,
        }
    }

    /// Reads `major`, `major.minor`, `major.minor.patch` or `variant.major.minor.patch`; missing
    /// parts are 0. Each part is its leading digits: the rest of it (`1.3.230-rc1`) is ignored.
    ///
    /// Returns whether it is well-formed, too: a `v` in front, empty parts, and parts after the first that
    /// do not begin with a digit (`1.3.x`), which are 0, are not.
    pub fn parse(text: &[u8]) -> Result<(Self, bool), VersionError> {
        let mut parts = [0u16; 4];
        let mut count = 0usize;
        let text = trimmed(text);
        let number = text.strip_prefix(b"v").unwrap_or(text);
        let mut well_formed = number.len() == text.len();
        for part in number.split(|byte| *byte == b'.') {
            let is_number = part.first().is_some_and(u8::is_ascii_digit);
            well_formed &= is_number;
            if part.is_empty() {
                continue;
            }
            let known = is_number || count > 0;
            let slot = parts.get_mut(count).filter(|_| known).ok_or(VersionError::NotAVersion)?;
            *slot = leading_number(part)?;
            count = count.saturating_add(1);
        }
        if count == 0 {
            return Err(VersionError::NotAVersion);
        }
        let (variant, [major, minor, patch]) = match parts {
            [variant, major, minor, patch] if count == 4 => (variant, [major, minor, patch]),
            [major, minor, patch, _] => (0, [major, minor, patch]),
        };
        if variant > 7 || major > 127 || minor > 1023 || patch > 4095 {
            return Err(VersionError::OutOfRange);
        }
        let narrow = |number: u16| u8::try_from(number).map_err(|_| VersionError::OutOfRange);
        Ok((Self { variant: narrow(variant)?, major: narrow(major)?, minor, patch }, well_formed))
    }
}

fn leading_number(part: &[u8]) -> Result<u16, VersionError> {
    let mut number = 0u16;
    for digit in part.iter().take_while(|byte| byte.is_ascii_digit()) {
        number = number
            .checked_mul(10)
            .and_then(|tens| tens.checked_add(u16::from(digit.wrapping_sub(b'0'))))
            .ok_or(VersionError::OutOfRange)?;
    }
    Ok(number)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Converted to one type, whose code the library contains anyway.
        let [variant, major] = [self.variant, self.major].map(u32::from);
        let [minor, patch] = [self.minor, self.patch].map(u32::from);
        if variant != 0 {
            write!(f, "{variant}.")?;
        }
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_may_be_missing() {
        assert_eq!(Version::parse(b"1.2.205"), Ok((Version::new(1, 2, 205), true)));
        assert_eq!(Version::parse(b"1.3"), Ok((Version::new(1, 3, 0), true)));
        assert_eq!(Version::parse(b" 1 "), Ok((Version::new(1, 0, 0), true)));
    }

    #[test]
    fn parts_may_be_odd() {
        for (text, minor, patch) in
            [(&b"v1.3.280"[..], 3, 280), (b"1.3.x", 3, 0), (b"1.x.2", 0, 2), (b"1..2", 2, 0), (b"v1.", 0, 0)]
        {
            assert_eq!(Version::parse(text), Ok((Version::new(1, minor, patch), false)), "{text:?}");
        }
    }

    #[test]
    fn four_parts_begin_with_the_variant() {
        let odd = Version::parse(b"1.0.0.0").unwrap().0;
        assert_eq!((odd.variant, odd.major), (1, 0));
        assert_eq!(Version::parse(b"0.1.3.230"), Ok((Version::new(1, 3, 230), true)));
    }

    #[test]
    fn what_follows_the_digits_is_ignored() {
        assert_eq!(Version::parse(b"1.3.230-rc1"), Ok((Version::new(1, 3, 230), true)));
    }

    #[test]
    fn numbers_are_bounded() {
        for text in [&b"1.2.4096"[..], b"1.1024", b"128.0.0", b"8.1.0.0", b"1.99999999999999999999.0"] {
            assert_eq!(Version::parse(text), Err(VersionError::OutOfRange), "{text:?}");
        }
    }

    #[test]
    fn other_texts_are_not_versions() {
        for text in [&b""[..], b".", b"v", b"-1.0.0", b"one.2", b"vv1", b"1.2.3.4.5", b"\xff"] {
            assert_eq!(Version::parse(text), Err(VersionError::NotAVersion), "{text:?}");
        }
    }

    #[test]
    fn encoded_as_vulkan_does() {
        assert_eq!(Version::new(1, 3, 230).encoded(), 4_206_822);
        assert_eq!(Version { variant: 1, ..Version::default() }.encoded(), 1 << 29);
    }
}
