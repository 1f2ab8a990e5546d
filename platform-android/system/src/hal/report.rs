//! The candidates of the search for a driver, and the decision for each: for the log and for later
//! queries.
#![forbid(unsafe_code)]

use core::ffi::{CStr, c_int};
use core::fmt;

use vkload_core::memory::{Escaped, Text, TryGrow, Vec};

use platform_android::hal::ModuleFault;
use platform_android::system::{PROPERTY_VALUE_MAX, PropertyValue};

#[derive(Debug, Default)]
pub struct Report {
    pub candidates: Vec<Candidate>,
}

#[derive(Debug)]
pub struct Candidate {
    pub source: Source,
    /// The property that named the library, if the search got that far.
    pub property: Option<&'static CStr>,
    /// The library's name, empty if it has none.
    pub file: FileName,
    pub decision: ModuleDecision,
}

vkload_core::reasons! {
    /// A source of drivers, in search order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Source [] {
        /// The namespace of an updatable driver that the framework has chosen for this application.
        Updatable = ["updatable-driver"] ("the updatable driver's package");
        Apex = ["apex"] ("the APEX of ro.vulkan.apex");
        /// The vendor's libraries, which the system calls sphal.
        Vendor = ["vendor"] ("the vendor's libraries");
        /// libhardware's own search for the module `vulkan`, the last source on systems up to Android 11.
        Hardware = ["libhardware"] ("libhardware");
    }
}

vkload_core::reasons! {
    #[derive(Debug)]
    pub enum ModuleDecision(of: &Candidate) [level] {
        Used = ["used" Info] ("from {}: used", of.source);
        NoSource = ["no-source" Debug] ("nothing from {}: there is none", of.source);
        /// The property that would name the library is empty or unset.
        PropertyNotSet = ["property-not-set" Debug]
            ("nothing from {} by {}: it is not set", of.source, Escaped(of.property.unwrap_or_default().to_bytes()));
        DoesNotOpen { error: Text } = ["does-not-open" Warning]
            ("from {} cannot be opened ({}): install it, or correct the property", of.source, Escaped(error));
        NoHardwareModule { error: c_int }
            = ["no-hardware-module" Debug] ("nothing from {}: hw_get_module returned {error}", of.source);
        /// The library is no module for Vulkan, or does not work as one.
        Faulty(fault: ModuleFault) = [(fault.id(); &[]) Error] ("from {}{fault}", of.source);
    }
}

impl ModuleDecision {
    /// Returns whether the search ends here: something was opened, for better or worse.
    pub const fn ends_search(&self) -> bool {
        matches!(self, Self::Used | Self::Faulty(_))
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "driver {}", Escaped(self.file.as_c_str().to_bytes()))?;
            if let Some(property) = self.property {
                write!(f, " (named by {})", Escaped(property.to_bytes()))?;
            }
            f.write_str(" ")?;
        }
        self.decision.write(self, f)
    }
}

impl From<ModuleFault> for ModuleDecision {
    fn from(fault: ModuleFault) -> Self {
        Self::Faulty(fault)
    }
}

impl Report {
    /// Notes a candidate; if memory runs out, only its log line remains.
    pub(super) fn note(&mut self, candidate: Candidate) {
        let _ = self.candidates.try_push(candidate);
    }

    /// Returns why no driver was found, and the remedy.
    pub(super) fn why_none(&self) -> &'static str {
        let any =
            |wanted: fn(&ModuleDecision) -> bool| self.candidates.iter().any(|one| wanted(&one.decision));
        if any(ModuleDecision::ends_search) {
            "the library that was found is not a driver; the message before this one says what to do"
        } else if any(|decision| matches!(decision, ModuleDecision::DoesNotOpen { .. })) {
            "no library opens that ro.hardware.vulkan and ro.board.platform name; install the GPU's driver as \
             vulkan.NAME.so among the vendor's libraries and set ro.hardware.vulkan to NAME"
        } else {
            "neither ro.hardware.vulkan nor ro.board.platform is set; set ro.hardware.vulkan to NAME for the driver \
             vulkan.NAME.so"
        }
    }
}

const PREFIX: &[u8] = b"vulkan.";
const SUFFIX: &[u8] = b".so";
const FILE_NAME_MAX: usize = PREFIX.len() + PROPERTY_VALUE_MAX + SUFFIX.len();

#[derive(Clone, Copy)]
pub struct FileName {
    bytes: [u8; FILE_NAME_MAX],
}

impl FileName {
    pub(super) const NONE: Self = Self { bytes: [0; FILE_NAME_MAX] };

    pub fn of(value: &PropertyValue) -> Self {
        let mut name = Self::NONE;
        let parts = PREFIX.iter().chain(value.as_bytes()).chain(SUFFIX);
        // The value is shorter than a property can be, so the final NUL stays.
        for (to, from) in name.bytes.iter_mut().zip(parts) {
            *to = *from;
        }
        name
    }

    pub fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.as_c_str().is_empty()
    }
}

impl fmt::Debug for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_c_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_named_by_the_value() {
        assert_eq!(FileName::of(&PropertyValue::new(b"adreno")).as_c_str(), c"vulkan.adreno.so");
        let longest = [b'x'; PROPERTY_VALUE_MAX * 2];
        let name = FileName::of(&PropertyValue::new(&longest));
        assert_eq!(name.as_c_str().count_bytes(), "vulkan..so".len() + PROPERTY_VALUE_MAX - 1);
        assert!(name.as_c_str().to_bytes().ends_with(b"x.so"));
    }
}
