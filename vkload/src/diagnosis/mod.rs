//! The doctor: why does Vulkan not work here, and what can be done?
//!
//! [`gather`] reads the machine ([`crate::facts`]), computes the loader's plan, and tries it in separate processes ([`trials`]). The
//! results form a [`case::Case`]. The [`rules`] depend only on the case, so a recording gives the same answer on another machine.

mod answer;
pub(crate) mod asked;
pub(crate) mod case;
mod doctor;
mod finding;
pub(crate) mod gather;
mod kept;
mod program;
mod rules;
pub(crate) mod subject;
mod suspects;
pub(crate) mod trials;

pub use answer::Diagnosis;
pub(crate) use answer::answer;
pub use doctor::{Doctor, DoctorError, doctor};
pub(crate) use finding::{FINDINGS, Id};
pub use finding::{Finding, Severity};
pub(crate) use kept::recorded;
