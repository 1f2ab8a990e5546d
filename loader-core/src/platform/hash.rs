//! Hashes that show whether values differ or have changed. They keep no secrets, and forging them has no
//! benefit.
#![forbid(unsafe_code)]

/// Returns a hash of `bytes`; with another seed, one that is independent of it.
#[inline(never)] // many callers
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = mixed(seed, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        for (to, from) in word.iter_mut().zip(chunk) {
            *to = *from;
        }
        state = mixed(state, u64::from_le_bytes(word));
    }
    // Up to this point, the highest bits of the final words have affected few other bits.
    mixed(mixed(state, 0), 0)
}

/// Returns a state from the one before and the next word. Different words lead to different states.
pub fn mixed(state: u64, word: u64) -> u64 {
    /// 2^64 divided by the golden ratio, odd.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
    let product = (state ^ word).wrapping_add(STEP).wrapping_mul(FACTOR);
    product ^ (product >> 32)
}

/// Returns `value` in 16 hexadecimal digits.
#[inline(never)] // many callers
pub fn hex(value: u64) -> [u8; 16] {
    let mut rest = value;
    [(); 16].map(|()| {
        rest = rest.rotate_left(4);
        b"0123456789abcdef".get((rest & 15) as usize).copied().unwrap_or_default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn hashes_of_similar_values_differ_in_about_half_of_their_bits() {
        let plain = std::vec![7u8; 20];
        let mut seen = BTreeSet::from([hash(1, &plain)]);
        for bit in 0..plain.len() * 8 {
            let mut changed = plain.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let distance = (hash(1, &changed) ^ hash(1, &plain)).count_ones();
            assert!((12..=52).contains(&distance), "bit {bit}: {distance}");
            assert!(seen.insert(hash(1, &changed)));
        }
        assert_ne!(hash(1, b"a"), hash(1, b"a\0"));
        assert_ne!(hash(1, b""), hash(2, b""));
    }

    #[test]
    fn a_hash_is_written_with_all_its_digits() {
        assert_eq!(&hex(0x0123_4567_89ab_cdef), b"0123456789abcdef");
        assert_eq!(&hex(5), b"0000000000000005");
    }
}
