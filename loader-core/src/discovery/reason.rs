//! Why a driver that was found is not opened.
#![forbid(unsafe_code)]

use core::ffi::CStr;
use core::fmt;

use crate::manifest::{ManifestError, SIZE_LIMIT, Version};
use crate::platform::FileError;

crate::reasons! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SkipReason [level policy weight] {
        Unreadable(error: FileError) = [(unreadable_id(*error); &UNREADABLE) Warning "LDP_DRIVER_4" 40] ("{}", Unreadable(*error));
        Invalid(error: ManifestError) = [(error.id(); &[]) Warning "LDP_DRIVER_4" 45]
            ("the manifest cannot be used, {error}; correct it or reinstall the driver");
        LibraryArch { library: u32, process: u32 } = ["library-arch-mismatch" Debug _ 20]
            ("the driver is for {library}-bit programs and this is a {process}-bit one; install the {process}-bit build of the driver \
              if there is none yet");
        ApiVersion { version: Version } = ["api-version-incompatible" Warning "LDP_LOADER_4" 50]
            ("\"api_version\" is {version}, and only versions 1.x.y of Vulkan can be loaded; a newer build of the driver may help");
        PortabilityNotAsked = ["portability-not-asked" Info _ 55]
            ("the driver implements only a part of Vulkan, and the program did not ask for such drivers; it has to enable \
              VK_KHR_portability_enumeration and set VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR");
        NotSelected { by: &'static CStr } = ["not-selected" Info _ 60]
            ("no pattern of {} matches its file name; extend or unset the variable", Name(by));
        Disabled { by: &'static CStr } = ["disabled" Info _ 60]
            ("a pattern of {} matches its file name; change or unset the variable", Name(by));
        ManifestRepeated { of: usize }
            = ["manifest-repeated" Debug _ _] ("the same manifest was found before");
        Duplicate { of: usize } = ["duplicate-library" Debug _ _]
            ("an earlier manifest names the same library, and that one is used; one of the two can be removed");
    }
}

/// The names of the reasons why a manifest cannot be read.
pub(super) const UNREADABLE: [&str; 4] =
    ["manifest-not-found", "manifest-not-a-file", "manifest-too-large", "manifest-unreadable"];

pub(super) fn unreadable_id(error: FileError) -> &'static str {
    let [not_found, not_a_file, too_large, unreadable] = UNREADABLE;
    match error {
        FileError::NotFound => not_found,
        FileError::NotAFile => not_a_file,
        FileError::TooLarge => too_large,
        _ => unreadable,
    }
}

pub(super) struct Unreadable(pub(super) FileError);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            FileError::NotFound => {
                f.write_str("the manifest does not exist; correct its path or reinstall the driver")
            }
            FileError::Denied => f.write_str(
                "no permission to read the manifest; correct the permissions of the file and its folders",
            ),
            FileError::NotAFile => f.write_str("this is not a regular file; remove or rename it"),
            FileError::TooLarge => {
                write!(
                    f,
                    "the file has more than {SIZE_LIMIT} bytes, so it is not a manifest; remove or rename it"
                )
            }
            FileError::Other(number) => {
                write!(f, "the manifest cannot be read, system error {}", number.unsigned_abs())
            }
            FileError::OutOfMemory => f.write_str("memory ran out while the manifest was read"),
        }
    }
}

pub(crate) struct Name(pub(crate) &'static CStr);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::memory::Escaped(self.0.to_bytes()).fmt(f)
    }
}
