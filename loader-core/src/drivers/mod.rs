//! Drivers: the system's drivers, and the libraries of open drivers.

mod best;
mod driver;
mod found;
pub mod last_start;
mod learning;
mod open;
mod report;

pub use best::{BestReason, best_reason};
pub(crate) use driver::refused;
pub use driver::{Driver, DriverRef, DriverTurn};
pub use found::{FoundDrivers, Purpose};
pub(crate) use found::{FoundFor, note};
pub(crate) use learning::LearnedDriver;
pub use open::OpenDrivers;
pub(crate) use report::{log_outcome, report_no_driver};
