//! The results of commands. Each kind of call that a driver implements has its own error type, with the errors that
//! the specification lists for the command, so a driver cannot return another one.

use ash::vk;
use vkload_core::memory::OutOfMemory;

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $code:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            /// `VK_ERROR_OUT_OF_HOST_MEMORY`
            OutOfHostMemory,
            $($(#[$variant_doc])* #[doc = concat!("`VK_", stringify!($code), "`")] $variant,)*
        }

        impl From<$name> for vk::Result {
            fn from(error: $name) -> Self {
                match error {
                    $name::OutOfHostMemory => Self::ERROR_OUT_OF_HOST_MEMORY,
                    $($name::$variant => Self::$code,)*
                }
            }
        }

        impl From<OutOfMemory> for $name {
            fn from(_: OutOfMemory) -> Self {
                Self::OutOfHostMemory
            }
        }
    )*};
}

errors! {
    /// Errors of `vkCreateInstance` that come from a driver.
    CreateInstanceError {
        OutOfDeviceMemory = ERROR_OUT_OF_DEVICE_MEMORY,
        InitializationFailed = ERROR_INITIALIZATION_FAILED,
        IncompatibleDriver = ERROR_INCOMPATIBLE_DRIVER,
        ExtensionNotPresent = ERROR_EXTENSION_NOT_PRESENT,
        LayerNotPresent = ERROR_LAYER_NOT_PRESENT,
    }
    /// Errors of `vkEnumeratePhysicalDevices` that come from a driver. Finding no device is not an error.
    EnumerateError {
        OutOfDeviceMemory = ERROR_OUT_OF_DEVICE_MEMORY,
        InitializationFailed = ERROR_INITIALIZATION_FAILED,
    }
    /// Errors of `vkCreateDevice` that come from a driver.
    CreateDeviceError {
        OutOfDeviceMemory = ERROR_OUT_OF_DEVICE_MEMORY,
        InitializationFailed = ERROR_INITIALIZATION_FAILED,
        TooManyObjects = ERROR_TOO_MANY_OBJECTS,
        ExtensionNotPresent = ERROR_EXTENSION_NOT_PRESENT,
        FeatureNotPresent = ERROR_FEATURE_NOT_PRESENT,
        DeviceLost = ERROR_DEVICE_LOST,
    }
    /// Errors of command buffers: allocating, beginning, ending.
    CommandBufferError {
        OutOfDeviceMemory = ERROR_OUT_OF_DEVICE_MEMORY,
    }
    /// Errors of submissions to a queue and of waits.
    SubmitError {
        OutOfDeviceMemory = ERROR_OUT_OF_DEVICE_MEMORY,
        DeviceLost = ERROR_DEVICE_LOST,
    }
    /// Errors of making a synchronisation object of a handle. The handle is still the application's.
    ImportError {
        InvalidExternalHandle = ERROR_INVALID_EXTERNAL_HANDLE,
    }
    /// Errors of making a handle of a synchronisation object.
    ExportError {
        TooManyObjects = ERROR_TOO_MANY_OBJECTS,
        /// The object cannot be exported so, or the device is lost, for which these commands have no better code:
        Unknown = ERROR_UNKNOWN,
    }
}
