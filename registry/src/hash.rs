//! A perfect hash over a fixed set of names.
//!
//! Two levels: the hash of a name picks a bucket, and the bucket's displacement moves the name to a slot that
//! no other name of the set has. A slot holds the number of the only name possible there, so a single comparison
//! completes the search. The compiler builds the tables.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::panic,
    reason = "the searches only index below a length that they compare with; the rest is evaluated by the compiler"
)]

use super::layout::Names;

/// Odd, with bits spread evenly: the fractional part of the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The value of a slot without a name.
const EMPTY: u16 = u16::MAX;

/// Returns the hash of `name`, or `None` if it is shorter than one of the words of eight bytes in which names
/// are read. The last word includes the end of the name, so it may overlap the one before.
#[inline]
const fn hash(seed: u64, name: &[u8]) -> Option<u64> {
    // Not `last_chunk`: the compiler would check its length twice, which is one instruction in forty of a
    // search.
    let Some((_, last)) = name.split_at_checked(name.len().wrapping_sub(8)) else { return None };
    let Some(last) = last.first_chunk() else { return None };
    let (words, _) = name.as_chunks();
    let mut state = seed ^ name.len() as u64;
    let mut word = 0;
    while word < words.len() {
        state = mix(state, words[word]);
        word += 1;
    }
    Some(mix(state, *last))
}

/// Mixes a word into the state. The rotation moves a difference in a word's last byte, which the product has
/// only in its highest bits, to where the next product spreads it.
#[inline]
const fn mix(state: u64, word: [u8; 8]) -> u64 {
    (state.rotate_left(26) ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER)
}

/// Returns the bucket of a hash among `buckets`, a power of two: from the highest bits, the only ones that
/// differ between names that differ only in their last byte.
#[inline]
const fn bucket(hash: u64, buckets: usize) -> usize {
    hash.wrapping_shr(u64::BITS.wrapping_sub(buckets.trailing_zeros())) as usize
}

/// Returns the slot of a hash among `slots`, a power of two, if its bucket has this displacement.
#[inline]
const fn slot(hash: u64, displacement: u8, slots: usize) -> usize {
    ((hash >> 32) as usize).wrapping_add(displacement as usize) & slots.wrapping_sub(1)
}

/// Returns the number of slots for this many names. A table that is nearly full leaves none for the last buckets.
pub(super) const fn slots_for(names: usize) -> usize {
    (names * 8 / 7).next_power_of_two()
}

/// The tables of one set of names. `BUCKETS` and `SLOTS` are powers of two.
pub(super) struct PerfectHash<const BUCKETS: usize, const SLOTS: usize> {
    seed: u64,
    displacements: [u8; BUCKETS],
    slots: [u16; SLOTS],
}

impl<const BUCKETS: usize, const SLOTS: usize> PerfectHash<BUCKETS, SLOTS> {
    /// Returns the number of the only name of the set that can equal `name`; the caller compares the two.
    #[inline]
    pub(super) fn candidate(&self, name: &[u8]) -> Option<u16> {
        let hash = hash(self.seed, name)?;
        let displacement = self.displacements.get(bucket(hash, BUCKETS))?;
        self.slots.get(slot(hash, *displacement, SLOTS)).copied()
    }

    /// Builds the tables of these names with the first seed that gives every name a slot of its own. Only for the
    /// compiler: it fails if there is none.
    pub(super) const fn new<const ROWS: usize, const BYTES: usize>(names: &Names<ROWS, BYTES>) -> Self {
        let mut seed = 1;
        loop {
            if let Some(tables) = Self::with_seed(seed, names) {
                return tables;
            }
            seed += 1;
            assert!(seed < 1000, "the names have no perfect hash");
        }
    }

    /// Gives every name a slot of its own: the fullest buckets choose their displacement first.
    const fn with_seed<const ROWS: usize, const BYTES: usize>(
        seed: u64,
        names: &Names<ROWS, BYTES>,
    ) -> Option<Self> {
        let (mut hashes, mut counts, mut fullest) = ([0; ROWS], [0usize; BUCKETS], 0);
        let mut row = 0;
        while row < ROWS {
            let Some(name) = names.get(row) else { return None };
            let Some((_, name)) = name.split_last() else { return None };
            let Some(hash) = hash(seed, name) else { return None };
            hashes[row] = hash;
            let bucket = bucket(hash, BUCKETS);
            counts[bucket] += 1;
            if counts[bucket] > fullest {
                fullest = counts[bucket];
            }
            row += 1;
        }
        // The rows of each bucket, one bucket after the other.
        let (mut ends, mut rows) = ([0; BUCKETS], [0; ROWS]);
        let (mut bucket_number, mut end) = (0, 0);
        while bucket_number < BUCKETS {
            ends[bucket_number] = end;
            end += counts[bucket_number];
            bucket_number += 1;
        }
        let mut row = 0;
        while row < ROWS {
            let end = &mut ends[bucket(hashes[row], BUCKETS)];
            rows[*end] = row;
            *end += 1;
            row += 1;
        }
        let mut tables = Self { seed, displacements: [0; BUCKETS], slots: [EMPTY; SLOTS] };
        let mut count = fullest;
        while count > 0 {
            let mut bucket = 0;
            while bucket < BUCKETS {
                if counts[bucket] == count {
                    let (before, _) = rows.split_at(ends[bucket]);
                    let (_, members) = before.split_at(ends[bucket] - count);
                    if !tables.assign_slots(bucket, members, &hashes) {
                        return None;
                    }
                }
                bucket += 1;
            }
            count -= 1;
        }
        Some(tables)
    }

    /// Gives the rows of a bucket slots that are free, with the smallest displacement for which there are some.
    const fn assign_slots(&mut self, bucket: usize, rows: &[usize], hashes: &[u64]) -> bool {
        let mut displacement = 0;
        loop {
            let mut member = 0;
            while member < rows.len() {
                let slot = slot(hashes[rows[member]], displacement, SLOTS);
                if self.slots[slot] != EMPTY {
                    break;
                }
                self.slots[slot] = rows[member] as u16;
                member += 1;
            }
            if member == rows.len() {
                self.displacements[bucket] = displacement;
                return true;
            }
            while member > 0 {
                member -= 1;
                self.slots[slot(hashes[rows[member]], displacement, SLOTS)] = EMPTY;
            }
            if displacement == u8::MAX {
                return false;
            }
            displacement += 1;
        }
    }
}
