//! A perfect hash over a fixed set of names, shared by the loader and the generator.
//!
//! Two levels: the hash of a name picks a bucket, and the bucket's displacement moves the name to a slot that
//! no other name of the set has. The generator tries seeds until every name has its own slot. A slot holds
//! the number of the only name possible there, so a single comparison completes the search.

/// Odd, with bits spread evenly: the fractional part of the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the hash of `name`, or `None` if it is shorter than one of the words of eight bytes in which names
/// are read. The last word includes the end of the name, so it may overlap the one before.
#[inline]
pub(super) fn hash(seed: u64, name: &[u8]) -> Option<u64> {
    // Not `last_chunk`: the compiler would check its length twice, which is one instruction in forty of a
    // search.
    let last = name.get(name.len().wrapping_sub(8)..)?.first_chunk()?;
    let (words, _) = name.as_chunks();
    let start = seed ^ name.len() as u64;
    let all = words.iter().fold(start, |state, word| mix(state, *word));
    Some(mix(all, *last))
}

/// Mixes a word into the state. The rotation moves a difference in a word's last byte, which the product has
/// only in its highest bits, to where the next product spreads it.
#[inline]
fn mix(state: u64, word: [u8; 8]) -> u64 {
    (state.rotate_left(26) ^ u64::from_le_bytes(word)).wrapping_mul(MULTIPLIER)
}

/// Returns the bucket of a hash among `buckets`, a power of two: from the highest bits, the only ones that
/// differ between names that differ only in their last byte.
#[inline]
pub(super) fn bucket(hash: u64, buckets: usize) -> usize {
    hash.checked_shr(u64::BITS.wrapping_sub(buckets.trailing_zeros())).unwrap_or_default() as usize
}

/// Returns the slot of a hash among `slots`, a power of two, if its bucket has this displacement.
#[inline]
pub(super) fn slot(hash: u64, displacement: u8, slots: usize) -> usize {
    ((hash >> 32) as usize).wrapping_add(displacement as usize) & slots.wrapping_sub(1)
}

/// The tables of one set of names. `BUCKETS` and `SLOTS` are powers of two.
pub(super) struct PerfectHash<const BUCKETS: usize, const SLOTS: usize> {
    pub(super) seed: u64,
    pub(super) displacements: [u8; BUCKETS],
    /// `u16::MAX` for an empty slot.
    pub(super) slots: [u16; SLOTS],
}

impl<const BUCKETS: usize, const SLOTS: usize> PerfectHash<BUCKETS, SLOTS> {
    /// Returns the number of the only name of the set that can equal `name`; the caller compares the two.
    #[inline]
    pub(super) fn candidate(&self, name: &[u8]) -> Option<u16> {
        let hash = hash(self.seed, name)?;
        let displacement = self.displacements.get(bucket(hash, BUCKETS))?;
        self.slots.get(slot(hash, *displacement, SLOTS)).copied()
    }
}
