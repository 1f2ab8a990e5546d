#![doc = include_str!("../README.md")]
#![no_std]
#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]
#![cfg_attr(not(test), deny(clippy::expect_used, clippy::panic, clippy::unwrap_used))]

extern crate alloc;

mod faults;
mod results;
mod rules;
mod words;

pub use faults::{Faults, Heaps};
pub use results::{does_work, failures, is_lost_with_device, result_name};
pub use rules::{Failure, Rules};
pub use words::{parse_bytes, parse_heap, parse_number, parse_words};
