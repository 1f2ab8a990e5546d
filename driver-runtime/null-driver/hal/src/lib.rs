//! The null driver as an Android HAL module (`vulkan.null.so`): the symbol `HMI`, and nothing else.

driver_runtime::export_hal!(null_driver::Null, c"vkload null driver", c"vkload");
