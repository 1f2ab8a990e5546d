//! What kinds of drivers there are.

/// What a driver is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DriverKind {
    /// One that speaks the driver interface ("installable client driver"): the first word of its dispatchable objects is
    /// the loader's.
    #[default]
    Icd,
    /// Another Vulkan loader: that of the system, beneath one that an application brings. The first words of its
    /// dispatchable objects are its own.
    #[cfg(feature = "foreign-handles")]
    SystemLoader,
}

impl DriverKind {
    /// Whether the first words of its dispatchable objects must not be written.
    #[must_use]
    pub const fn is_foreign(self) -> bool {
        match self {
            Self::Icd => false,
            #[cfg(feature = "foreign-handles")]
            Self::SystemLoader => true,
        }
    }
}
