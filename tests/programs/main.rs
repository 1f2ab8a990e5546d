//! Programs that know nothing of these tests.

mod c_programs;
mod compute;
mod example_driver;
mod layer_order;
mod layer_storm;
mod other_programs;
mod real_layers;
mod shaders;
mod vkcube;
mod vulkaninfo;
mod watched_threads;
