//! The facts of buffers, images, views, samplers, layouts and query pools, which every driver derives from the structures
//! that create them.
//!
//! Each type is plain data for the driver's own object: `struct Buffer { info: BufferInfo, memory: ... }`. Set layouts
//! are counted, because pipeline layouts use them after the application has destroyed them.

mod buffer;
mod image;
mod image_view;
mod layout;
mod query_pool;
mod sampler;
#[cfg(test)]
mod tests;

pub use buffer::{BufferInfo, BufferViewInfo};
pub use image::ImageInfo;
pub use image_view::ImageViewInfo;
pub use layout::{Binding, PipelineLayoutInfo, SetLayoutInfo};
pub use query_pool::{QueryPoolInfo, QueryRange};
pub use sampler::{BorderColour, SamplerInfo};
