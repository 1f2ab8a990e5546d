//! The API level of Fuchsia that the library is built for. Drivers receive it.
#![forbid(unsafe_code)]

/// The levels that Fuchsia's `availability.h` names: the next one to be released, unreleased API, and the platform's own build.
const NEXT: u32 = 4_291_821_568;
const HEAD: u32 = 4_292_870_144;
const PLATFORM: u32 = 4_293_918_720;

/// Returns the level that the build names: a number in decimal, `NEXT`, `PLATFORM`, or `HEAD`, which
/// is also the default. Anything else fails the build.
#[expect(clippy::panic, reason = "evaluated by the compiler")]
pub(crate) const fn api_level(given: Option<&str>) -> u32 {
    let Some(given) = given else { return HEAD };
    match given.as_bytes() {
        b"" | b"HEAD" => HEAD,
        b"NEXT" => NEXT,
        b"PLATFORM" => PLATFORM,
        _ => match u32::from_str_radix(given, 10) {
            Ok(level) => level,
            Err(_) => panic!(
                "FUCHSIA_API_LEVEL is not an API level: set it to the SDK's number, NEXT, HEAD or PLATFORM"
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::api_level;

    #[test]
    fn drivers_get_the_level_of_the_sdk_or_head() {
        assert_eq!(api_level(Some("27")), 27);
        for head in [None, Some(""), Some("HEAD")] {
            assert_eq!(api_level(head), 0xFFE0_0000);
        }
    }

    #[test]
    fn levels_have_the_values_of_fuchsias_compiler() {
        assert_eq!(api_level(Some("NEXT")), 0xFFD0_0000);
        assert_eq!(api_level(Some("PLATFORM")), 0xFFF0_0000);
    }

    #[test]
    #[should_panic(expected = "set it to the SDK's number, NEXT, HEAD or PLATFORM")]
    fn an_invalid_level_fails_the_build() {
        api_level(Some("next"));
    }
}
