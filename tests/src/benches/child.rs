//! The measured process: opens one library by its path and repeats one operation.
mod device;
mod growth;

use std::ffi::{CStr, CString, c_char, c_void};
use std::hint::black_box;
use std::mem;
use std::process::ExitCode;
use std::ptr;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use ash::vk::{self, Handle};

pub(crate) use device::MANY;
pub(crate) use growth::GROWTH;

#[derive(Clone, Debug)]
pub struct Task {
    pub library: String,
    pub operation: String,
    /// How often to do it, on each thread.
    pub calls: u32,
    /// How many times to measure so many calls, or 0 to do them once, unmeasured.
    pub samples: u32,
    pub instances: u32,
    pub threads: u32,
}

/// The library of a process that opens none and ends at once.
pub(crate) const NO_LIBRARY: &str = "-";

/// The word that marks the process as a child.
const CHILD: &str = "child";

/// Runs the task in a child's arguments, if these are a child's.
pub fn run(arguments: &[String]) -> Option<ExitCode> {
    arguments.first().filter(|word| *word == CHILD)?;
    let task = Task::parse(arguments);
    task.iter().for_each(Task::run);
    Some(if task.is_some() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

impl Task {
    /// Returns the command line, without the program.
    pub fn arguments(&self) -> Vec<String> {
        let numbers =
            [self.calls, self.samples, self.instances, self.threads].map(|number| number.to_string());
        [CHILD.to_owned(), self.library.clone(), self.operation.clone()].into_iter().chain(numbers).collect()
    }

    fn parse(arguments: &[String]) -> Option<Self> {
        let [_, library, operation, calls, samples, instances, threads] = arguments else { return None };
        let (calls, samples) = (calls.parse().ok()?, samples.parse().ok()?);
        let (instances, threads) = (instances.parse().ok()?, threads.parse().ok()?);
        let (library, operation) = (library.clone(), operation.clone());
        Some(Self { library, operation, calls, samples, instances, threads })
    }

    /// Runs the operation, and prints a line of nanoseconds per call for each sample.
    fn run(&self) {
        if self.library == NO_LIBRARY {
            return;
        }
        let vulkan = Vulkan::open(&self.library, self.instances);
        if self.operation == GROWTH {
            return vulkan.grow(self.calls);
        }
        let call = vulkan.call(&self.operation);
        if self.threads <= 1 {
            self.repeat(&call, || ());
            return;
        }
        let barrier = Barrier::new(self.threads as usize);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    self.repeat(&call, || {
                        barrier.wait();
                    })
                });
            }
        });
    }

    fn repeat(&self, call: &(dyn Fn(u32) + Sync), together: impl Fn()) {
        if self.samples == 0 {
            return call(self.calls);
        }
        call(self.calls.div_ceil(10));
        for _ in 0..self.samples {
            together();
            let start = Instant::now();
            call(self.calls);
            let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / f64::from(self.calls);
            println!("{nanoseconds}");
        }
    }
}

type Loop<'a> = Box<dyn Fn(u32) + Sync + 'a>;

/// An open library, with an instance, a device and a command buffer unless the operation needs none.
struct Vulkan {
    get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr,
    /// Whether the library is a driver: it exports nothing but how to look commands up.
    is_driver: bool,
    library: *mut c_void,
    instance: vk::Instance,
    physical_device: vk::PhysicalDevice,
    device: vk::Device,
    command_buffer: vk::CommandBuffer,
}

// SAFETY: the handles are used by commands that need no external synchronisation, or, as vkCmdDraw on the null driver,
// touch nothing.
unsafe impl Sync for Vulkan {}

impl Vulkan {
    fn open(library: &str, instances: u32) -> Self {
        let path = CString::new(library).expect("a path");
        // SAFETY: the path is a C string; the file is a Vulkan loader, and stays open.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!library.is_null(), "the library does not open");
        let of_driver = find(library, c"vk_icdGetInstanceProcAddr");
        let get_instance_proc_addr = of_driver.unwrap_or_else(|| symbol(library, c"vkGetInstanceProcAddr"));
        let mut vulkan = Self {
            // SAFETY: the symbol is this function in every Vulkan loader, and under the other name in every driver.
            get_instance_proc_addr: unsafe {
                mem::transmute::<*mut c_void, vk::PFN_vkGetInstanceProcAddr>(get_instance_proc_addr)
            },
            is_driver: of_driver.is_some(),
            library,
            instance: vk::Instance::null(),
            physical_device: vk::PhysicalDevice::null(),
            device: vk::Device::null(),
            command_buffer: vk::CommandBuffer::null(),
        };
        for _ in 0..instances {
            vulkan.instance = vulkan.create_instance();
        }
        if instances > 0 {
            vulkan.make_device();
        }
        vulkan
    }

    /// Returns an exported command, of a driver one that is looked up, as a function pointer of the type that it has.
    fn exported<Command: Copy>(&self, name: &CStr) -> Command {
        assert_eq!(size_of::<Command>(), size_of::<*mut c_void>());
        let address = if self.is_driver { self.looked_up(name) } else { symbol(self.library, name) };
        // SAFETY: the callers below ask for each command as the type that the specification gives it.
        unsafe { mem::transmute_copy(&address) }
    }

    fn looked_up(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the instance is live or null and the name a C string.
        let function = unsafe { (self.get_instance_proc_addr)(self.instance, name.as_ptr()) };
        function.unwrap_or_else(|| panic!("{} is not found", name.to_string_lossy())) as *mut c_void
    }

    fn create_instance(&self) -> vk::Instance {
        let create: vk::PFN_vkCreateInstance = self.exported(c"vkCreateInstance");
        // A driver leads only to the commands of the version that it is asked for.
        let version = if self.is_driver { vk::API_VERSION_1_3 } else { vk::API_VERSION_1_1 };
        let application = vk::ApplicationInfo::default().api_version(version);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let mut instance = vk::Instance::null();
        // SAFETY: the create info is complete.
        unsafe { create(&raw const info, ptr::null(), &raw mut instance) }.result().expect("an instance");
        instance
    }

    fn make_device(&mut self) {
        let enumerate: vk::PFN_vkEnumeratePhysicalDevices = self.exported(c"vkEnumeratePhysicalDevices");
        let mut count = 1;
        // SAFETY: the instance is live and the array holds one device.
        let result = unsafe { enumerate(self.instance, &raw mut count, &raw mut self.physical_device) };
        assert!(count == 1 && matches!(result, vk::Result::SUCCESS | vk::Result::INCOMPLETE), "{result}");
        self.device = self.create_device();
        if self.is_driver {
            return;
        }
        self.command_buffer = self.allocate_command_buffer(self.device);
    }

    fn allocate_command_buffer(&self, device: vk::Device) -> vk::CommandBuffer {
        let allocate: vk::PFN_vkAllocateCommandBuffers = self.exported(c"vkAllocateCommandBuffers");
        let info = vk::CommandBufferAllocateInfo::default().command_buffer_count(1);
        let mut buffer = vk::CommandBuffer::null();
        // SAFETY: the device is live; the null driver needs no command pool.
        let result = unsafe { allocate(device, &raw const info, &raw mut buffer) };
        result.result().expect("a command buffer");
        buffer
    }

    fn create_device(&self) -> vk::Device {
        let create: vk::PFN_vkCreateDevice = self.exported(c"vkCreateDevice");
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut lines = vk::PhysicalDeviceTimelineSemaphoreFeatures::default().timeline_semaphore(true);
        let mut private = vk::PhysicalDevicePrivateDataFeatures::default().private_data(true);
        let mut info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        if self.is_driver {
            info = info.push_next(&mut lines).push_next(&mut private);
        }
        let mut device = vk::Device::null();
        // SAFETY: the create info is complete and the physical device is live.
        let result = unsafe { create(self.physical_device, &raw const info, ptr::null(), &raw mut device) };
        result.result().expect("a device");
        device
    }

    /// Returns the operation as a loop of this many calls. The objects that a call needs are created before.
    fn call(&self, operation: &str) -> Loop<'_> {
        match operation {
            "device_command" => self.draw(self.command_buffer),
            "device_command_other" => self.draw(self.allocate_command_buffer(self.create_device())),
            "physical_device_command" => {
                let get: vk::PFN_vkGetPhysicalDeviceFeatures = self.exported(c"vkGetPhysicalDeviceFeatures");
                repeat(move || {
                    let mut features = mem::MaybeUninit::uninit();
                    // SAFETY: the physical device is live and the structure holds its features.
                    unsafe { get(self.physical_device, features.as_mut_ptr()) };
                })
            }
            "proc_addr_early" => self.look_up(c"vkDestroyInstance", true),
            "proc_addr_late" => self.look_up(c"vkGetDeviceImageSparseMemoryRequirements", true),
            "proc_addr_extension" => self.look_up(c"vkCmdDrawMeshTasksEXT", true),
            "proc_addr_global" => self.look_up(c"vkCreateInstance", true),
            "proc_addr_unknown" => self.look_up(c"vkNoSuchCommandAnywhere", false),
            "device_proc_addr" => {
                let get: vk::PFN_vkGetDeviceProcAddr = self.exported(c"vkGetDeviceProcAddr");
                let name = if self.is_driver { c"vkQueueSubmit" } else { c"vkCmdDraw" };
                repeat(move || {
                    // SAFETY: the device is live and the name a C string.
                    black_box(unsafe { get(self.device, name.as_ptr()) });
                })
            }
            "enumerate_devices" => self.enumerate_devices(),
            "instance" | "instance_more" | "instance_layer" => {
                let destroy: vk::PFN_vkDestroyInstance = self.exported(c"vkDestroyInstance");
                // SAFETY: the instance has just been made.
                repeat(move || unsafe { destroy(self.create_instance(), ptr::null()) })
            }
            "instance_list" => {
                let destroy: vk::PFN_vkDestroyInstance = self.exported(c"vkDestroyInstance");
                let list: vk::PFN_vkEnumeratePhysicalDevices = self.exported(c"vkEnumeratePhysicalDevices");
                repeat(move || {
                    let (instance, mut device) = (self.create_instance(), vk::PhysicalDevice::null());
                    // SAFETY: the instance has just been made, and the array holds one device.
                    unsafe {
                        assert!(list(instance, &mut 1, &raw mut device).as_raw() >= 0);
                        destroy(instance, ptr::null());
                    }
                })
            }
            "groups" => {
                let list: vk::PFN_vkEnumeratePhysicalDeviceGroups =
                    self.exported(c"vkEnumeratePhysicalDeviceGroups");
                repeat(move || {
                    let (mut count, mut group) = (0, vk::PhysicalDeviceGroupProperties::default());
                    // SAFETY: the instance is live, and the array holds one group.
                    let results = unsafe {
                        [
                            list(self.instance, &raw mut count, ptr::null_mut()),
                            list(self.instance, &mut 1, &raw mut group),
                        ]
                    };
                    assert!(results.iter().all(|result| result.as_raw() >= 0));
                })
            }
            "device" => {
                let destroy: vk::PFN_vkDestroyDevice = self.exported(c"vkDestroyDevice");
                // SAFETY: the device has just been made.
                repeat(move || unsafe { destroy(self.create_device(), ptr::null()) })
            }
            name if name.starts_with("proc_addr ") => {
                let name = CString::new(name.trim_start_matches("proc_addr ")).expect("a name");
                self.look_up(Box::leak(name.into_boxed_c_str()), true)
            }
            _ => self.call_on_device(operation).unwrap_or_else(|| self.question(operation)),
        }
    }

    fn draw(&self, buffer: vk::CommandBuffer) -> Loop<'_> {
        let draw: vk::PFN_vkCmdDraw = self.exported(c"vkCmdDraw");
        let buffer = buffer.as_raw();
        // SAFETY: the null driver's vkCmdDraw touches nothing.
        repeat(move || unsafe { draw(vk::CommandBuffer::from_raw(buffer), 3, 1, 0, 0) })
    }

    /// Returns an operation that needs no instance.
    fn question(&self, operation: &str) -> Loop<'_> {
        type CountExtensions = unsafe extern "system" fn(*const c_char, *mut u32, *mut c_void) -> vk::Result;
        type CountLayers = unsafe extern "system" fn(*mut u32, *mut c_void) -> vk::Result;
        match operation {
            name if name.ends_with("_layers") => {
                self.question("layers")(1);
                self.question(name.trim_end_matches("_layers"))
            }
            "version" => {
                let get: vk::PFN_vkEnumerateInstanceVersion = self.exported(c"vkEnumerateInstanceVersion");
                // SAFETY: the pointer leads to a value of the right type.
                repeat(move || assert_eq!(unsafe { get(&mut 0) }, vk::Result::SUCCESS))
            }
            "extensions" => {
                let get: CountExtensions = self.exported(c"vkEnumerateInstanceExtensionProperties");
                repeat(move || {
                    // SAFETY: only the count is requested, and the pointer leads to one.
                    let result = unsafe { get(ptr::null(), &mut 0, ptr::null_mut()) };
                    assert_eq!(result, vk::Result::SUCCESS);
                })
            }
            "layers" => {
                let get: CountLayers = self.exported(c"vkEnumerateInstanceLayerProperties");
                // SAFETY: only the count is requested, and the pointer leads to one.
                repeat(move || assert_eq!(unsafe { get(&mut 0, ptr::null_mut()) }, vk::Result::SUCCESS))
            }
            _ => panic!("no operation is called {operation}"),
        }
    }

    fn look_up(&self, name: &'static CStr, known: bool) -> Loop<'_> {
        // SAFETY: the instance is live and the name a C string.
        let look = || unsafe { (self.get_instance_proc_addr)(self.instance, name.as_ptr()) };
        assert!(look().is_some() || !known, "{} is not found", name.to_string_lossy());
        repeat(move || {
            black_box(look());
        })
    }

    fn enumerate_devices(&self) -> Loop<'_> {
        const ROOM: usize = 256;
        let enumerate: vk::PFN_vkEnumeratePhysicalDevices = self.exported(c"vkEnumeratePhysicalDevices");
        let instance = self.instance;
        Box::new(move |calls| {
            let mut devices = [vk::PhysicalDevice::null(); ROOM];
            for _ in 0..calls {
                let mut count = ROOM as u32;
                // SAFETY: the instance is live and the array holds this many devices.
                let result = unsafe { enumerate(instance, &raw mut count, devices.as_mut_ptr()) };
                assert!(result == vk::Result::SUCCESS && !devices[0].is_null());
            }
        })
    }
}

fn repeat<'a>(call: impl Fn() + Sync + 'a) -> Loop<'a> {
    Box::new(move |calls| (0..calls).for_each(|_| call()))
}

fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
    find(library, name).unwrap_or_else(|| panic!("{} is not exported", name.to_string_lossy()))
}

fn find(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the library is open and the name a C string.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}
