//! Drivers: the system's drivers, and the libraries of open drivers.

mod best;
mod driver;
mod found;
mod open;
mod report;

pub use best::{BestReason, best_reason};
pub(crate) use driver::refused;
pub use driver::{Driver, DriverRef, DriverTurn};
pub use found::FoundDrivers;
pub(crate) use found::note;
pub use open::OpenDrivers;
pub(crate) use report::{log_outcome, report_no_driver};
