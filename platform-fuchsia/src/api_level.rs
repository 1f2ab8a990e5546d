//! The API level of Fuchsia that the library is built for. Drivers receive it.
#![forbid(unsafe_code)]

/// The level of unreleased API, `HEAD` in Fuchsia's `availability.h`.
const HEAD: u32 = 4_292_870_144;

/// Returns the level that the build names: a number in decimal, or `HEAD`, which is also the
/// default. Anything else fails the build.
#[expect(clippy::panic, reason = "evaluated by the compiler")]
pub(crate) const fn api_level(given: Option<&str>) -> u32 {
    let Some(given) = given else { return HEAD };
    match given.as_bytes() {
        b"" | b"HEAD" => HEAD,
        _ => match u32::from_str_radix(given, 10) {
            Ok(level) => level,
            Err(_) => panic!("FUCHSIA_API_LEVEL is not an API level: set it to the SDK's number, or HEAD"),
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
    #[should_panic(expected = "set it to the SDK's number, or HEAD")]
    fn an_invalid_level_fails_the_build() {
        api_level(Some("NEXT"));
    }
}
