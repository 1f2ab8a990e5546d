//! The checksums of a file.

use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

/// Makes a checksum: its hexadecimal digits.
pub(super) type Sum = fn(&[u8]) -> String;

/// Each kind, by the end of a file's name in a repository, which is also its name in Gradle's description. All are written: older
/// versions of Maven read the short ones alone.
pub(super) const ALGORITHMS: &[(&str, Sum)] =
    &[("md5", sum::<Md5>), ("sha1", sum::<Sha1>), ("sha256", sum::<Sha256>), ("sha512", sum::<Sha512>)];

fn sum<D: Digest>(content: &[u8]) -> String {
    D::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r170_checksums_are_those_that_the_standards_give_for_abc() {
        let begin = |name: &str| {
            let (_, sum) = ALGORITHMS.iter().find(|(known, _)| *known == name).unwrap();
            let sum = sum(b"abc");
            (sum.len(), sum[..8].to_owned())
        };
        assert_eq!(begin("md5"), (32, "90015098".into()));
        assert_eq!(begin("sha1"), (40, "a9993e36".into()));
        assert_eq!(begin("sha256"), (64, "ba7816bf".into()));
        assert_eq!(begin("sha512"), (128, "ddaf35a1".into()));
    }
}
