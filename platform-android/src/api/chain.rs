//! The chain of an instance and its devices: the layers that take part, and the links by which each finds the next one.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::Ordering;

use ash::vk::{self, Handle as _};
use loader_core::abi::layer_interface::{
    DeviceContent, DeviceCreateInfo, DeviceLink, FindDeviceCommand, FindInstanceCommand, InstanceContent,
    InstanceCreateInfo, InstanceLink, function,
};
use loader_core::memory::{Application, Box, OutOfMemory, TryGrow, Vec};

use crate::debug::SystemLogCallback;
use crate::driver;
use crate::layers::Active;
use crate::objects::{Attached, Instance, device_of, instance_of, set_dispatch_word};

/// What the API level keeps of an instance.
pub struct Chain {
    /// The layers that take part, the application's nearest first. Their libraries are open as long as this lives.
    pub layers: Active,
    /// The look-up at the head: the first layer's, or the driver level's.
    pub head: FindInstanceCommand,
    /// The application's callbacks, for what belongs to the instance.
    pub memory: Application,
    /// What the application calls the instance: the driver's handle, unless a layer gave another one out.
    pub handle: vk::Instance,
    /// What writes messages of layers to the system's log, if that is wanted.
    pub system_log: Option<SystemLogCallback>,
}

impl Chain {
    /// The chain through these layers.
    #[must_use]
    pub fn new(layers: Active, memory: Application) -> Self {
        let first = layers.first().map(|layer| layer.interface.get_instance_proc_addr);
        Self {
            head: first.unwrap_or(driver::get_instance_proc_addr),
            layers,
            memory,
            handle: vk::Instance::null(),
            system_log: None,
        }
    }

    /// The links that vkCreateInstance is called with.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn instance_links(
        &self,
        memory: Application,
    ) -> Result<Vec<InstanceLink, Application>, OutOfMemory> {
        let mut links = Vec::new_in(memory);
        let below = self.layers.iter().skip(1).map(|layer| layer.interface.get_instance_proc_addr);
        for (_, find) in self.layers.iter().zip(below.chain([driver::get_instance_proc_addr as _])) {
            links.try_push(InstanceLink {
                next: ptr::null_mut(),
                get_instance_proc_addr: find,
                // There is none on Android; layers of interface version 2 look for it, also where they are used as of version 0.
                get_physical_device_proc_addr: None,
            })?;
        }
        connect(&mut links, |link, next| link.next = next);
        Ok(links)
    }

    /// The links that vkCreateDevice is called with, and the look-up at the head of the device's chain.
    ///
    /// vkCreateDevice is a command of the instance: each layer that has something to do with it has a link, also one that says
    /// that it is not for devices; a layer that has nothing to do with it would leave its link for the next one, which would
    /// then call itself. In the device's chain are those that are for devices.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub(super) fn device_links(
        &self,
        instance: &Instance,
        memory: Application,
    ) -> Result<(Vec<DeviceLink, Application>, FindDeviceCommand), OutOfMemory> {
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
                // The others are passed by: one may not know the command without an instance, as layers ask for it.
                next = find;
            }
        }
        links.reverse();
        connect(&mut links, |link, next| link.next = next);
        Ok((links, head))
    }

    /// Whether the layer with this look-up has something to do with vkCreateDevice: whether it answers otherwise than what is
    /// below it. Where a layer gave a handle of its own out for the instance nobody can tell: those below know another one than
    /// those above, and must not be asked with it.
    fn creates_devices(
        &self,
        instance: &Instance,
        layer: FindInstanceCommand,
        below: FindInstanceCommand,
    ) -> Option<bool> {
        let create = |find: FindInstanceCommand| {
            // SAFETY: all layers and the driver know the instance by this handle.
            unsafe { find(instance.handle, c"vkCreateDevice".as_ptr()) }.map(|function| function as usize)
        };
        (self.handle == instance.handle).then(|| create(layer) != create(below))
    }
}

/// Lets each link lead to the one behind it.
fn connect<T>(links: &mut [T], mut lead: impl FnMut(&mut T, *mut T)) {
    let (start, count) = (links.as_mut_ptr(), links.len());
    for (index, link) in links.iter_mut().enumerate().take(count.saturating_sub(1)) {
        lead(link, start.wrapping_add(index).wrapping_add(1));
    }
}

/// What stands in front of the application's structures when layers are called: the function by which they make objects of
/// theirs known first, then the links, which they advance.
pub(super) struct InstanceStructures {
    data: InstanceCreateInfo,
    link: InstanceCreateInfo,
}

impl InstanceStructures {
    /// Those for `links`, in front of the chain that begins at `next`.
    pub(super) fn new(links: *mut InstanceLink, next: *const c_void) -> Self {
        let structure = |function, content| InstanceCreateInfo {
            s_type: vk::StructureType::LOADER_INSTANCE_CREATE_INFO,
            p_next: next,
            function,
            content,
        };
        Self {
            data: structure(function::LOADER_DATA, InstanceContent { set_data: set_instance_data }),
            link: structure(function::LINK, InstanceContent { link: links }),
        }
    }

    /// The first of them, which leads to the second one.
    pub(super) fn first(&mut self) -> *const c_void {
        // Layers write to it, though the chain is one of constants.
        self.data.p_next = (&raw mut self.link).cast_const().cast();
        (&raw const self.data).cast()
    }
}

/// As [`InstanceStructures`], for devices.
pub(super) struct DeviceStructures {
    data: DeviceCreateInfo,
    link: DeviceCreateInfo,
}

impl DeviceStructures {
    /// Those for `links`, in front of the chain that begins at `next`.
    pub(super) fn new(links: *mut DeviceLink, next: *const c_void) -> Self {
        let structure = |function, content| DeviceCreateInfo {
            s_type: vk::StructureType::LOADER_DEVICE_CREATE_INFO,
            p_next: next,
            function,
            content,
        };
        Self {
            data: structure(function::LOADER_DATA, DeviceContent { set_data: set_device_data }),
            link: structure(function::LINK, DeviceContent { link: links }),
        }
    }

    /// The first of them, which leads to the second one.
    pub(super) fn first(&mut self) -> *const c_void {
        // Layers write to it, though the chain is one of constants.
        self.data.p_next = (&raw mut self.link).cast_const().cast();
        (&raw const self.data).cast()
    }
}

/// `PFN_vkSetInstanceLoaderData`: lets an object of a layer begin with the word of its instance.
unsafe extern "system" fn set_instance_data(instance: vk::Instance, object: *mut c_void) -> vk::Result {
    if instance.is_null() || object.is_null() {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    // SAFETY: a layer passes the handle that it was given, and an object that begins with a word for the loader.
    let set = unsafe { set_dispatch_word(object.expose_provenance() as u64, instance_of(instance.as_raw())) };
    if set { vk::Result::SUCCESS } else { vk::Result::ERROR_INITIALIZATION_FAILED }
}

/// `PFN_vkSetDeviceLoaderData`: the same for an object below a device.
unsafe extern "system" fn set_device_data(device: vk::Device, object: *mut c_void) -> vk::Result {
    if device.is_null() || object.is_null() {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    }
    // SAFETY: as for instances.
    let set = unsafe { set_dispatch_word(object.expose_provenance() as u64, device_of(device.as_raw())) };
    if set { vk::Result::SUCCESS } else { vk::Result::ERROR_INITIALIZATION_FAILED }
}

impl Attached {
    /// The chain, once it is complete.
    #[must_use]
    pub fn get(&self) -> Option<&Chain> {
        // SAFETY: only `attach` stores here, and `detach` takes away what nobody may use any more.
        unsafe { self.0.load(Ordering::Acquire).cast::<Chain>().as_ref() }
    }

    /// Puts the chain there.
    pub(super) fn attach(&self, chain: Box<Chain, Application>) {
        let (chain, _) = Box::into_raw_with_allocator(chain);
        self.0.store(chain.cast(), Ordering::Release);
    }

    /// Takes the chain away.
    ///
    /// # Safety
    /// The instance is being destroyed: no other thread uses it.
    pub(super) unsafe fn detach(&self) -> Option<Box<Chain, Application>> {
        let chain = self.0.swap(ptr::null_mut(), Ordering::AcqRel).cast::<Chain>();
        // SAFETY: `attach` stored it, made of a box with this allocator; nobody uses it any more.
        unsafe { chain.as_ref().map(|known| Box::from_raw_in(chain, known.memory)) }
    }
}
