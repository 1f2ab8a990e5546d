//! The measured operations, and each one's target figure.

/// A thing that an application does with a loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Its name on the command line of a child process and in JSON.
    pub name: &'static str,
    /// Its name for a person.
    pub title: &'static str,
    /// How many instances are alive meanwhile: without one, loaders open and close the driver each time.
    pub instances: u32,
    /// How many calls make the smaller of two runs that are compared.
    pub calls: u32,
    pub mesas_layer: bool,
    /// How many manifests of explicit layers are installed, and have been listed before.
    pub explicit_layers: u32,
    /// How many instructions a call may take, the driver's and landing pads not counted.
    pub instructions: Option<u64>,
}

/// The most instructions of a look-up by name.
pub(crate) const LOOK_UP: u64 = 150;

/// The same without an instance: as many as Khronos' loader takes for vkCreateInstance.
pub(crate) const GLOBAL_LOOK_UP: u64 = 94;

/// All operations, cheapest first. The design sets the target instructions: fixed numbers for frequent calls, and fractions of the
/// counts of Khronos' loader of August 2026 (35,400, 130,500 and 427,000) for the rest.
pub const OPERATIONS: [Operation; 21] = [
    often("device_command", "vkCmdDraw, exported", Some(2)),
    often("device_command_other", "vkCmdDraw, exported, of a second device", Some(2)),
    often("physical_device_command", "vkGetPhysicalDeviceFeatures", Some(9)),
    often("proc_addr_early", "vkGetInstanceProcAddr, early name", Some(LOOK_UP)),
    often("proc_addr_late", "vkGetInstanceProcAddr, late name", Some(LOOK_UP)),
    often("proc_addr_extension", "vkGetInstanceProcAddr, extension's name", Some(LOOK_UP)),
    Operation {
        instances: 0,
        ..often("proc_addr_global", "vkGetInstanceProcAddr, without an instance", Some(GLOBAL_LOOK_UP))
    },
    often("proc_addr_unknown", "vkGetInstanceProcAddr, unknown name", None),
    often("device_proc_addr", "vkGetDeviceProcAddr, known name", None),
    often("enumerate_devices", "vkEnumeratePhysicalDevices, list", None),
    seldom("version", "vkEnumerateInstanceVersion", 50, Some(35_400 / 5)),
    seldom("extensions", "vkEnumerateInstanceExtensionProperties, count", 20, Some(130_500 / 5)),
    Operation {
        explicit_layers: 100,
        ..seldom("version_layers", "vkEnumerateInstanceVersion, 100 layers listed", 50, Some(35_400 / 5))
    },
    Operation {
        explicit_layers: 100,
        ..seldom("extensions_layers", "the extension count, 100 layers listed", 20, Some(130_500 / 5))
    },
    seldom("layers", "vkEnumerateInstanceLayerProperties, count", 20, None),
    seldom("instance", "vkCreateInstance + vkDestroyInstance", 10, Some(427_000 / 3)),
    seldom("instance_list", "the same, with the first list of devices", 10, None),
    Operation { instances: 1, ..seldom("instance_more", "the same, with another instance alive", 10, None) },
    Operation {
        mesas_layer: true,
        ..seldom("instance_layer", "the same, with Mesa's implicit layer", 10, Some(250_000))
    },
    often("groups", "vkEnumeratePhysicalDeviceGroups, both calls", None),
    Operation { instances: 1, ..seldom("device", "vkCreateDevice + vkDestroyDevice", 10, None) },
];

impl Operation {
    pub fn named(name: &str) -> Option<Self> {
        OPERATIONS.into_iter().find(|operation| operation.name == name)
    }
}

/// Returns an operation of a driver without a loader, with a live instance.
pub(crate) const fn driver(
    name: &'static str,
    title: &'static str,
    calls: u32,
    instructions: Option<u64>,
) -> Operation {
    Operation { name, title, instances: 1, calls, mesas_layer: false, explicit_layers: 0, instructions }
}

const fn often(name: &'static str, title: &'static str, instructions: Option<u64>) -> Operation {
    Operation { name, title, instances: 1, calls: 1000, mesas_layer: false, explicit_layers: 0, instructions }
}

const fn seldom(name: &'static str, title: &'static str, calls: u32, instructions: Option<u64>) -> Operation {
    Operation { name, title, instances: 0, calls, mesas_layer: false, explicit_layers: 0, instructions }
}
