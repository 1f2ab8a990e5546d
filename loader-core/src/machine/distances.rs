//! The lengths of pieces of machine code.

/// The distance between pieces in bytes on one architecture: the length of the longest piece of the kind.
pub(crate) struct Distances {
    pub(crate) instance_trampoline: usize,
    pub(crate) device_trampoline: usize,
    pub(crate) terminator: usize,
    pub(crate) numbered_jump: usize,
    pub(crate) call: usize,
    pub(crate) device_stub: usize,
}
