//! The objects that this loader's `VkInstance` and `VkPhysicalDevice` handles point to.

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use ash::vk::{self, Handle as _};

use super::table::InstanceTable;
use crate::loader;
use crate::registry::{CommandId, FIRST_INSTANCE, FIRST_PHYSICAL_DEVICE};

/// Marks a `VkInstance` of this loader. It is the exclusive or of two numbers that fit into an instruction of
/// 32-bit Arm, whose trampolines have one register to compare it with; so is the next one.
pub const INSTANCE_MAGIC: u32 = 0xad00_ed00;

pub const PHYSICAL_DEVICE_MAGIC: u32 = 0xad00_de00;

/// The first slot of a physical-device command; the slots of instance commands come before it.
pub const FIRST_PHYSICAL_DEVICE_SLOT: usize = FIRST_PHYSICAL_DEVICE - FIRST_INSTANCE;

/// Returns the magic number that must follow the first word of the handle for this slot's command.
pub const fn magic_of_slot(slot: usize) -> u32 {
    if slot < FIRST_PHYSICAL_DEVICE_SLOT { INSTANCE_MAGIC } else { PHYSICAL_DEVICE_MAGIC }
}

/// The beginning of every instance and physical device. Trampolines and terminators, which are written in
/// assembly, know the layout of its first four words.
#[repr(C)]
pub struct Handle {
    table: *const InstanceTable,
    magic: AtomicU32,
    lower_table: *const InstanceTable,
    lower: *mut c_void,
    kind: HandleKind,
    instance: AtomicPtr<c_void>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleKind {
    Instance,
    PhysicalDevice,
    /// No object: the handle represents a layer's `VkInstance`, which is passed to the layers.
    WrappedInstance,
    /// The same for a `VkPhysicalDevice`.
    WrappedPhysicalDevice,
}

impl HandleKind {
    const fn magic(self) -> u32 {
        match self {
            Self::Instance | Self::WrappedInstance => INSTANCE_MAGIC,
            Self::PhysicalDevice | Self::WrappedPhysicalDevice => PHYSICAL_DEVICE_MAGIC,
        }
    }
}

#[expect(clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const _: () = {
    let word = size_of::<usize>();
    assert!(core::mem::offset_of!(Handle, table) == 0);
    assert!(core::mem::offset_of!(Handle, magic) == word);
    assert!(core::mem::offset_of!(Handle, lower_table) == 2 * word);
    assert!(core::mem::offset_of!(Handle, lower) == 3 * word);
};

impl Handle {
    /// Creates a handle whose commands go through `table`; terminators replace it by `lower` and go through
    /// `lower_table`.
    pub fn new(
        kind: HandleKind,
        table: *const InstanceTable,
        lower_table: *const InstanceTable,
        lower: *mut c_void,
        instance: *const c_void,
    ) -> Self {
        let instance = AtomicPtr::new(instance.cast_mut());
        Self { table, magic: AtomicU32::new(kind.magic()), lower_table, lower, kind, instance }
    }

    pub fn table(&self) -> &InstanceTable {
        // SAFETY: a handle is made with a table that lives as long as its instance.
        unsafe { &*self.table }
    }

    pub fn kind(&self) -> HandleKind {
        self.kind
    }

    /// Returns the handle that the next one below knows the object by.
    pub fn lower(&self) -> *mut c_void {
        self.lower
    }

    /// Returns the loader's data for its instance, as passed to the constructor.
    pub fn instance_address(&self) -> *const c_void {
        self.instance.load(Ordering::Relaxed)
    }

    /// Records which instance the handle belongs to, if that was not known when it was created.
    pub fn belongs_to(&self, instance: *const c_void) {
        self.instance.store(instance.cast_mut(), Ordering::Relaxed);
    }

    /// Returns whether the handle is unchanged since it was made with `table`: layers hold its address.
    pub(crate) fn is_intact(&self, table: *const InstanceTable) -> bool {
        self.table == table && self.magic.load(Ordering::Relaxed) == self.kind.magic()
    }

    pub fn invalidate(&self) {
        self.magic.store(0, Ordering::Release);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.invalidate();
    }
}

/// Returns the handle of this kind at `address`, if the memory holds one. The first word is not examined: in
/// another owner's object it may have any value.
///
/// # Safety
/// `address` is NULL, or at least two words can be read there.
unsafe fn at<'a>(address: u64, kind: HandleKind) -> Option<&'a Handle> {
    let address = usize::try_from(address).ok()?;
    if address == 0 || address & (align_of::<Handle>().wrapping_sub(1)) != 0 {
        return None;
    }
    // SAFETY: by this function's `# Safety` two words can be read at `address`, and the pointer is aligned;
    // the reference to the rest of the handle is created only once the magic has identified it.
    unsafe {
        let handle = core::ptr::with_exposed_provenance::<Handle>(address);
        let magic = (&raw const (*handle).magic).as_ref()?;
        (magic.load(Ordering::Relaxed) == kind.magic()).then(|| &*handle)
    }
}

/// Returns the handle of an instance, or `None` if a layer made the object.
///
/// # Safety
/// `handle` is NULL, a valid handle, or points to at least two readable words.
pub unsafe fn known_instance<'a>(handle: vk::Instance) -> Option<&'a Handle> {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to at least two
    // readable words.
    unsafe { at(handle.as_raw(), HandleKind::Instance) }
}

/// Returns the handle of a physical device, or `None` if a layer made the object.
///
/// # Safety
/// `handle` is NULL, a valid handle, or points to at least two readable words.
pub unsafe fn known_physical_device<'a>(handle: vk::PhysicalDevice) -> Option<&'a Handle> {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to at least two
    // readable words.
    unsafe { at(handle.as_raw(), HandleKind::PhysicalDevice) }
}

/// Returns the physical device that the application names in a call of `command`: of the loader or, above the
/// layers, of one of them. Reports a bad handle and aborts.
///
/// # Safety
/// `handle` is NULL, a valid handle, or points to at least two readable words.
pub unsafe fn any_physical_device<'a>(handle: vk::PhysicalDevice, command: CommandId) -> &'a Handle {
    // SAFETY: by this function's `# Safety` `handle` is NULL, a valid handle, or points to at least two
    // readable words.
    unsafe { known_physical_device(handle) }.unwrap_or_else(|| loader::report_bad_handle(command))
}
