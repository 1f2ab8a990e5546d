//! error[E0080]: evaluation panicked: the structure has other members
#![forbid(unsafe_code)]

use vkload_driver_runtime::features::UnlistedFeatures;
use vkload_driver_runtime::vk;

// Gets less memory for a structure than the driver writes.
pub const LARGER: UnlistedFeatures = UnlistedFeatures::of::<vk::SubmitInfo<'static>>("Larger", &["one"]);
