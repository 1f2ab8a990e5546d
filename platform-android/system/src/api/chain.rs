//! The chain of an instance and its devices: the active layers, and the links by which each finds
//! the next one.

use core::ffi::c_void;
use core::ptr::{self, with_exposed_provenance};
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle};
use vkload_core::abi::layer_interface::{
    CreateInfo, DeviceContent, DeviceLink, FindDeviceCommand, FindInstanceCommand, InstanceContent,
    InstanceLink, connect, function,
};
use vkload_core::memory::{Box, CopiedCallbacks, OutOfMemory, TryGrow, Vec};

use crate::layers::Active;
use crate::system_log::SystemLogCallback;
use platform_android::driver;
use platform_android::objects::{Instance, set_dispatch_word};

/// The API level's data of an instance.
pub struct Chain {
    /// The active layers, the application's nearest first. Their libraries stay open as long as
    /// this lives.
    pub layers: Active,
    /// The lookup function at the head: the first layer's, or the driver level's.
    pub head: FindInstanceCommand,
    pub memory: CopiedCallbacks,
    /// The application's handle of the instance: the driver's, unless a layer returned another one.
    pub handle: vk::Instance,
    /// Writes layer messages to the system's log, if requested.
    pub system_log: Option<SystemLogCallback>,
}

impl Chain {
    pub fn new(layers: Active, memory: CopiedCallbacks) -> Self {
        let first = layers.first().map(|layer| layer.interface.get_instance_proc_addr);
        Self {
            head: first.unwrap_or(driver::get_instance_proc_addr),
            layers,
            memory,
            handle: vk::Instance::null(),
            system_log: None,
        }
    }

    pub(super) fn instance_links(
        &self,
        memory: CopiedCallbacks,
    ) -> Result<Vec<InstanceLink, CopiedCallbacks>, OutOfMemory> {
        let mut links = Vec::new_in(memory);
        let below = self.layers.iter().skip(1).map(|layer| layer.interface.get_instance_proc_addr);
        for (_, find) in self.layers.iter().zip(below.chain([driver::get_instance_proc_addr as _])) {
            links.try_push(InstanceLink {
                next: ptr::null_mut(),
                get_instance_proc_addr: find,
                // Android does not have it; layers of interface version 2 look for it even if they
                // are used as version 0.
                get_physical_device_proc_addr: None,
            })?;
        }
        connect(&mut links, |link, next| link.next = next);
        Ok(links)
    }

    /// Returns the links to pass to vkCreateDevice, and the lookup function at the head of the
    /// device's chain.
    ///
    /// vkCreateDevice is an instance command. Every layer that intercepts it gets a link, even one
    /// that is not for devices; a layer that does not would leave its link for the next one, which
    /// would then call itself. The device's chain has only the layers that are for devices.
    pub(super) fn device_links(
        &self,
        instance: &Instance,
        memory: CopiedCallbacks,
    ) -> Result<(Vec<DeviceLink, CopiedCallbacks>, FindDeviceCommand), OutOfMemory> {
        let mut links = Vec::new_in(memory);
        let mut next: FindInstanceCommand = driver::get_instance_proc_addr;
        let mut head: FindDeviceCommand = driver::get_device_proc_addr;
        for layer in self.layers.iter().rev() {
            let find = layer.interface.get_instance_proc_addr;
            let of_devices = layer.interface.get_device_proc_addr.filter(|_| layer.global);
            if self.creates_devices(instance, find, next).unwrap_or(of_devices.is_some()) {
                links.try_push(DeviceLink {
                    next: ptr::null_mut(),
                    get_instance_proc_addr: next,
                    get_device_proc_addr: head,
                })?;
                head = of_devices.unwrap_or(head);
                // The others are skipped: one may not know the command without an instance, and
                // layers look it up that way.
                next = find;
            }
        }
        links.reverse();
        connect(&mut links, |link, next| link.next = next);
        Ok((links, head))
    }

    /// Returns whether the layer with this lookup function intercepts vkCreateDevice, that is,
    /// whether it returns another function for it than the level below. Returns `None` if a layer
    /// returned its own handle for the instance: the layers below know another handle than the
    /// layers above and must not be called with it.
    fn creates_devices(
        &self,
        instance: &Instance,
        layer: FindInstanceCommand,
        below: FindInstanceCommand,
    ) -> Option<bool> {
        let create = |find: FindInstanceCommand| {
            // SAFETY: `self.handle == instance.handle`, checked before `create` is called, so every
            // layer and the driver know the instance by this valid handle; the name is
            // NUL-terminated.
            unsafe { find(instance.handle, c"vkCreateDevice".as_ptr()) }.map(|function| function as usize)
        };
        (self.handle == instance.handle).then(|| create(layer) != create(below))
    }
}

/// The structures put in front of the application's when layers are called: first the function that
/// registers objects that layers create, then the links, which the layers advance.
pub(super) struct Structures<C> {
    data: CreateInfo<C>,
    link: CreateInfo<C>,
}

impl Structures<InstanceContent> {
    pub(super) fn of_instance(links: *mut InstanceLink, next: *const c_void) -> Self {
        let s_type = vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
        let data = InstanceContent { set_data: set_data::<vk::Instance> };
        Self::new(s_type, data, InstanceContent { link: links }, next)
    }
}

impl Structures<DeviceContent> {
    pub(super) fn of_device(links: *mut DeviceLink, next: *const c_void) -> Self {
        let s_type = vk::StructureType::LOADER_DEVICE_CREATE_INFO;
        let data = DeviceContent { set_data: set_data::<vk::Device> };
        Self::new(s_type, data, DeviceContent { link: links }, next)
    }
}

impl<C> Structures<C> {
    fn new(s_type: vk::StructureType, data: C, link: C, next: *const c_void) -> Self {
        let structure = |function, content| CreateInfo { s_type, p_next: next, function, content };
        Self { data: structure(function::LOADER_DATA, data), link: structure(function::LINK, link) }
    }

    pub(super) fn first(&mut self) -> *const c_void {
        // Layers write to it, although the chain is declared const.
        self.data.p_next = (&raw mut self.link).cast_const().cast();
        (&raw const self.data).cast()
    }
}

/// `PFN_vkSetInstanceLoaderData` and `PFN_vkSetDeviceLoaderData`: sets the first word of a layer's object to the first word of
/// its instance or device.
unsafe extern "system" fn set_data<H: Handle>(owner: H, object: *mut c_void) -> vk::Result {
    let owner = with_exposed_provenance::<*const c_void>(owner.as_raw() as usize);
    // SAFETY: the layer passes the valid handle it was given, and an object that begins with a word for the loader; NULL is
    // checked.
    let set = unsafe {
        !owner.is_null() && !object.is_null() && set_dispatch_word(object.expose_provenance() as u64, *owner)
    };
    if set { vk::Result::SUCCESS } else { vk::Result::ERROR_INITIALIZATION_FAILED }
}

pub fn chain_of(instance: &Instance) -> Option<&Chain> {
    // SAFETY: the pointer is NULL or was stored by `attach`, which leaks a `Chain`; `detach` takes
    // it out only while the instance is being destroyed, when no other code may use it.
    unsafe { instance.upper.load(Ordering::Acquire).cast::<Chain>().as_ref() }
}

pub(super) fn attach(instance: &Instance, chain: Box<Chain, CopiedCallbacks>) {
    let (chain, _) = Box::into_raw_with_allocator(chain);
    instance.upper.store(chain.cast(), Ordering::Release);
}

/// Takes the chain of an instance out.
///
/// # Safety
/// The instance is being destroyed: no other thread uses it.
pub(super) unsafe fn detach(instance: &Instance) -> Option<Box<Chain, CopiedCallbacks>> {
    let chain = instance.upper.swap(ptr::null_mut(), Ordering::AcqRel).cast::<Chain>();
    // SAFETY: `attach` leaked the box, whose allocator is `memory`; `swap` took the only pointer,
    // and by this function's `# Safety` no other thread uses the instance.
    unsafe { chain.as_ref().map(|known| Box::from_raw_in(chain, known.memory)) }
}
