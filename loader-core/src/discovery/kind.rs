//! The kinds of drivers.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DriverKind {
    /// A driver with the driver interface ("installable client driver"): the first word of its
    /// dispatchable objects belongs to the loader.
    #[default]
    Icd,
    /// Another Vulkan loader: the system's, below one that an application brings. The first words
    /// of its dispatchable objects belong to it.
    #[cfg(feature = "foreign-handles")]
    SystemLoader,
}

impl DriverKind {
    /// Returns whether the first words of its dispatchable objects must not be written.
    pub const fn is_foreign(self) -> bool {
        match self {
            Self::Icd => false,
            #[cfg(feature = "foreign-handles")]
            Self::SystemLoader => true,
        }
    }
}
