//! An application's operations on a driver's device, without a loader.
use std::ffi::CStr;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use ash::vk::{self, Handle};

use super::{Loop, Vulkan, repeat};

/// How many command buffers are allocated at once.
pub(crate) const MANY: u32 = 4000;

/// The types of a pair of commands that create and destroy something.
type Create<Info, T> = unsafe extern "system" fn(
    vk::Device,
    *const Info,
    *const vk::AllocationCallbacks<'_>,
    *mut T,
) -> vk::Result;
type Destroy<T> = unsafe extern "system" fn(vk::Device, T, *const vk::AllocationCallbacks<'_>);

impl Vulkan {
    /// Returns the operation as a loop of this many calls, if it is a device operation.
    pub(super) fn call_on_device(&self, operation: &str) -> Option<Loop<'_>> {
        Some(match operation {
            "fence" => {
                let info = vk::FenceCreateInfo::default();
                self.pair::<_, vk::Fence>(c"vkCreateFence", c"vkDestroyFence", info)
            }
            "semaphore" => {
                let info = vk::SemaphoreCreateInfo::default();
                self.pair::<_, vk::Semaphore>(c"vkCreateSemaphore", c"vkDestroySemaphore", info)
            }
            "event" => {
                let info = vk::EventCreateInfo::default();
                self.pair::<_, vk::Event>(c"vkCreateEvent", c"vkDestroyEvent", info)
            }
            "buffer" => {
                let info =
                    vk::BufferCreateInfo::default().size(256).usage(vk::BufferUsageFlags::TRANSFER_DST);
                self.pair::<_, vk::Buffer>(c"vkCreateBuffer", c"vkDestroyBuffer", info)
            }
            "wait_idle" => {
                let wait: vk::PFN_vkQueueWaitIdle = self.exported(c"vkQueueWaitIdle");
                let queue = self.queue();
                // SAFETY: the queue is live, here and below.
                repeat(move || assert_eq!(unsafe { wait(queue) }, vk::Result::SUCCESS))
            }
            "submit_empty" => {
                let submit: vk::PFN_vkQueueSubmit = self.exported(c"vkQueueSubmit");
                let queue = self.queue();
                self.and_wait(move || {
                    let info = vk::SubmitInfo::default();
                    // SAFETY: as above.
                    let result = unsafe { submit(queue, 1, &raw const info, vk::Fence::null()) };
                    assert_eq!(result, vk::Result::SUCCESS);
                })
            }
            "submit_timeline" => self.submit_timeline(),
            "wait_fence" => self.wait_fence(),
            "counter" => self.counter(),
            "descriptor_set" => self.descriptor_set(),
            "begin_end" | "fill_buffer" | "draw" => self.record(operation),
            "command_buffers" => self.command_buffers(),
            "set_private_data" | "get_private_data" => self.private_data(operation),
            _ => return None,
        })
    }

    fn make<Info, T: Handle>(&self, command: &CStr, info: &Info) -> T {
        let create: Create<Info, T> = self.exported(command);
        let mut made = T::from_raw(0);
        // SAFETY: the device is live and the create info complete.
        let result = unsafe { create(self.device, info, ptr::null(), &raw mut made) };
        result.result().unwrap_or_else(|error| panic!("{}: {error}", command.to_string_lossy()));
        made
    }

    fn pair<Info, T>(&self, create: &CStr, destroy: &CStr, info: Info) -> Loop<'_>
    where
        Info: 'static,
        T: Handle + 'static,
    {
        let create: Create<Info, T> = self.exported(create);
        let destroy: Destroy<T> = self.exported(destroy);
        let (device, info) = (self.device.as_raw(), Shared(info));
        repeat(move || {
            let device = vk::Device::from_raw(device);
            let mut made = T::from_raw(0);
            // SAFETY: the device is live and the create info complete.
            unsafe {
                let result = create(device, info.get(), ptr::null(), &raw mut made);
                assert_eq!(result, vk::Result::SUCCESS);
                destroy(device, made, ptr::null());
            }
        })
    }

    pub(super) fn queue(&self) -> vk::Queue {
        let get: vk::PFN_vkGetDeviceQueue = self.exported(c"vkGetDeviceQueue");
        let mut queue = vk::Queue::null();
        // SAFETY: the device is live and was created with this queue.
        unsafe { get(self.device, 0, 0, &raw mut queue) };
        queue
    }

    /// Repeats a submission, and waits for the queue once at the end, so that the work of a driver's thread counts as well.
    fn and_wait<'a>(&self, submit: impl Fn() + Sync + 'a) -> Loop<'a> {
        let (wait, queue): (vk::PFN_vkQueueWaitIdle, _) = (self.exported(c"vkQueueWaitIdle"), self.queue());
        Box::new(move |calls| {
            (0..calls).for_each(|_| submit());
            // SAFETY: the queue is live.
            assert_eq!(unsafe { wait(queue) }, vk::Result::SUCCESS);
        })
    }

    pub(super) fn timeline(&self) -> vk::Semaphore {
        let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
        self.make(c"vkCreateSemaphore", &vk::SemaphoreCreateInfo::default().push_next(&mut kind))
    }

    /// Waits for the last value on the queue and signals the next; the host never asks.
    pub(super) fn submit_timeline(&self) -> Loop<'_> {
        let submit: vk::PFN_vkQueueSubmit = self.exported(c"vkQueueSubmit");
        let (queue, semaphore, value) = (self.queue(), [self.timeline()], AtomicU64::new(0));
        self.and_wait(move || {
            let last = value.fetch_add(1, Ordering::Relaxed);
            let (waits, signals) = ([last], [last + 1]);
            let mut values = vk::TimelineSemaphoreSubmitInfo::default()
                .wait_semaphore_values(&waits)
                .signal_semaphore_values(&signals);
            let info = vk::SubmitInfo::default()
                .wait_semaphores(&semaphore)
                .wait_dst_stage_mask(&[vk::PipelineStageFlags::ALL_COMMANDS])
                .signal_semaphores(&semaphore)
                .push_next(&mut values);
            // SAFETY: live handles and a complete structure.
            let result = unsafe { submit(queue, 1, &raw const info, vk::Fence::null()) };
            assert_eq!(result, vk::Result::SUCCESS);
        })
    }

    fn wait_fence(&self) -> Loop<'_> {
        let wait: vk::PFN_vkWaitForFences = self.exported(c"vkWaitForFences");
        let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        let fence: vk::Fence = self.make(c"vkCreateFence", &info);
        repeat(move || {
            // SAFETY: live handles.
            let result = unsafe { wait(self.device, 1, &raw const fence, vk::TRUE, u64::MAX) };
            assert_eq!(result, vk::Result::SUCCESS);
        })
    }

    fn counter(&self) -> Loop<'_> {
        let get: vk::PFN_vkGetSemaphoreCounterValue = self.exported(c"vkGetSemaphoreCounterValue");
        let line = self.timeline();
        repeat(move || {
            // SAFETY: live handles, and a pointer to the value.
            assert_eq!(unsafe { get(self.device, line, &mut 0) }, vk::Result::SUCCESS);
        })
    }

    fn descriptor_set(&self) -> Loop<'_> {
        let allocate: vk::PFN_vkAllocateDescriptorSets = self.exported(c"vkAllocateDescriptorSets");
        let free: vk::PFN_vkFreeDescriptorSets = self.exported(c"vkFreeDescriptorSets");
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let layout: vk::DescriptorSetLayout = self.make(
            c"vkCreateDescriptorSetLayout",
            &vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding),
        );
        let size =
            [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::STORAGE_BUFFER).descriptor_count(16)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .flags(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET)
            .max_sets(16)
            .pool_sizes(&size);
        let pool: vk::DescriptorPool = self.make(c"vkCreateDescriptorPool", &info);
        let layouts = [layout];
        repeat(move || {
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let mut set = vk::DescriptorSet::null();
            // SAFETY: live handles, and an array for one set.
            unsafe {
                assert_eq!(allocate(self.device, &raw const info, &raw mut set), vk::Result::SUCCESS);
                assert_eq!(free(self.device, pool, 1, &raw const set), vk::Result::SUCCESS);
            }
        })
    }

    fn command_pool(&self) -> vk::CommandPool {
        let flags = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER;
        self.make(c"vkCreateCommandPool", &vk::CommandPoolCreateInfo::default().flags(flags))
    }

    /// Records into a command buffer: in each call only the beginning and the end, or one command.
    fn record(&self, operation: &str) -> Loop<'_> {
        let allocate: vk::PFN_vkAllocateCommandBuffers = self.exported(c"vkAllocateCommandBuffers");
        let begin: vk::PFN_vkBeginCommandBuffer = self.exported(c"vkBeginCommandBuffer");
        let end: vk::PFN_vkEndCommandBuffer = self.exported(c"vkEndCommandBuffer");
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.command_pool())
            .command_buffer_count(1);
        let mut commands = vk::CommandBuffer::null();
        // SAFETY: live handles, and an array for one command buffer.
        unsafe { allocate(self.device, &raw const info, &raw mut commands) }.result().expect("commands");
        let commands = commands.as_raw();
        let start = move || {
            let info = vk::CommandBufferBeginInfo::default();
            // SAFETY: a live handle, here and below.
            let result = unsafe { begin(vk::CommandBuffer::from_raw(commands), &raw const info) };
            assert_eq!(result, vk::Result::SUCCESS);
        };
        let finish = move || {
            // SAFETY: as above.
            let result = unsafe { end(vk::CommandBuffer::from_raw(commands)) };
            assert_eq!(result, vk::Result::SUCCESS);
        };
        if operation == "begin_end" {
            return repeat(move || {
                start();
                finish();
            });
        }
        let one = self.command(operation);
        Box::new(move |calls| {
            start();
            (0..calls).for_each(|_| one(vk::CommandBuffer::from_raw(commands)));
            finish();
        })
    }

    fn command(&self, operation: &str) -> Box<dyn Fn(vk::CommandBuffer) + Sync + '_> {
        if operation == "draw" {
            let draw: vk::PFN_vkCmdDraw = self.exported(c"vkCmdDraw");
            // SAFETY: a command buffer that records and is not submitted.
            return Box::new(move |commands| unsafe { draw(commands, 3, 1, 0, 0) });
        }
        let fill: vk::PFN_vkCmdFillBuffer = self.exported(c"vkCmdFillBuffer");
        let info = vk::BufferCreateInfo::default().size(256).usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer: vk::Buffer = self.make(c"vkCreateBuffer", &info);
        // SAFETY: as above, and the buffer is live.
        Box::new(move |commands| unsafe { fill(commands, buffer, 0, 256, 7) })
    }

    fn command_buffers(&self) -> Loop<'_> {
        let allocate: vk::PFN_vkAllocateCommandBuffers = self.exported(c"vkAllocateCommandBuffers");
        let free: vk::PFN_vkFreeCommandBuffers = self.exported(c"vkFreeCommandBuffers");
        let pool = self.command_pool();
        repeat(move || {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(MANY);
            let mut all = vec![vk::CommandBuffer::null(); MANY as usize];
            // SAFETY: live handles, and an array for this many command buffers.
            unsafe {
                assert_eq!(allocate(self.device, &raw const info, all.as_mut_ptr()), vk::Result::SUCCESS);
                free(self.device, pool, MANY, black_box(all.as_ptr()));
            }
        })
    }

    fn private_data(&self, operation: &str) -> Loop<'_> {
        let set: vk::PFN_vkSetPrivateData = self.exported(c"vkSetPrivateData");
        let get: vk::PFN_vkGetPrivateData = self.exported(c"vkGetPrivateData");
        let info = vk::PrivateDataSlotCreateInfo::default();
        let slot: vk::PrivateDataSlot = self.make(c"vkCreatePrivateDataSlot", &info);
        let fence: vk::Fence = self.make(c"vkCreateFence", &vk::FenceCreateInfo::default());
        let (kind, handle) = (vk::ObjectType::FENCE, fence.as_raw());
        // SAFETY: live handles, here and below.
        let write = move || unsafe { set(self.device, kind, handle, slot, 7) };
        assert_eq!(write(), vk::Result::SUCCESS);
        if operation == "set_private_data" {
            return repeat(move || assert_eq!(write(), vk::Result::SUCCESS));
        }
        repeat(move || {
            let mut value = 0;
            // SAFETY: as above, with a pointer to the value.
            unsafe { get(self.device, kind, handle, slot, &raw mut value) };
            assert_eq!(value, 7);
        })
    }
}

/// A create info, whose pointers lead nowhere.
struct Shared<Info>(Info);

// SAFETY: it is only read, and its pointers are null.
unsafe impl<Info> Sync for Shared<Info> {}
// SAFETY: as above.
unsafe impl<Info> Send for Shared<Info> {}

impl<Info> Shared<Info> {
    fn get(&self) -> *const Info {
        &raw const self.0
    }
}
