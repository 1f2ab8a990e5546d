//! The null driver as an Android HAL module (`vulkan.null.so`): the symbol `HMI`, and nothing else.

vkload_driver_runtime::export_hal!(vkload_null_driver::Null, c"vkload null driver", c"vkload");
