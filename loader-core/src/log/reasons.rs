//! Reasons as tables.

/// Declares an enum of reasons from a table, with `id`, `Display` and a function for each further column.
///
/// A row is a variant, `=`, its columns in brackets, and its text in parentheses: a format string that uses the fields of the variant, and
/// arguments. The first column is a short name for programs that does not change, or an expression and the names that it may return. The
/// head lists the other columns:
///
/// - `level`, the severity
/// - `policy`, the rule of the interface documents that requires it
/// - `weight`, which says how well it explains the lack of drivers
///
/// `_` stands for none. A head with a parameter makes a function `write` with this parameter instead of `Display`.
#[macro_export]
macro_rules! reasons {
    ($(#[$meta:meta])* pub enum $Reason:ident $(($context:ident: $Context:ty))? [$($column:ident)*] $rows:tt) => {
        $crate::reasons!(@enum [$(#[$meta])*] $Reason [$($context: $Context)?] $rows);
        $($crate::reasons!(@$column $Reason $rows);)*
    };
    (@enum [$(#[$meta:meta])*] $Reason:ident $context:tt { $(
        $(#[$doc:meta])*
        $Variant:ident $({ $($(#[$about:meta])* $field:ident: $Field:ty),* $(,)? })? $(($inner:ident: $Inner:ty))?
            = [$id:tt $($column:tt)*] $text:tt;
    )* }) => {
        $(#[$meta])*
        pub enum $Reason { $(
            $(#[$doc])*
            $Variant $({ $($(#[$about])* $field: $Field),* })? $(($Inner))?,
        )* }

        impl $Reason {
            pub const IDS: &'static [&'static [&'static str]] = &[$($crate::reasons!(@ids $id)),*];

            /// Returns a short, stable name for programs.
            #[allow(unused_variables)]
            pub fn id(&self) -> &'static str {
                match self {
                    $(Self::$Variant $({ $($field),* })? $(($inner))? => $crate::reasons!(@id $id),)*
                }
            }
        }

        $crate::reasons!(@text $Reason $context $([$Variant $({ $($field),* })? $(($inner))?] $text)*);
    };
    (@id $id:literal) => { $id };
    (@id ($id:expr; $ids:expr)) => { $id };
    (@ids $id:literal) => { &[$id] };
    (@ids ($id:expr; $ids:expr)) => { $ids };
    (@text $Reason:ident [] $([$($pattern:tt)*] ($($text:tt)*))*) => {
        /// Describes the defect and a remedy. Follows a name or a path, and a colon.
        impl ::core::fmt::Display for $Reason {
            #[allow(unused_variables)]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $(Self::$($pattern)* => $crate::reasons!(@write f $($text)*),)*
                }
            }
        }
    };
    (@text $Reason:ident [$context:ident: $Context:ty] $([$($pattern:tt)*] ($($text:tt)*))*) => {
        impl $Reason {
            #[allow(unused_variables)]
            fn write(&self, $context: $Context, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    $(Self::$($pattern)* => $crate::reasons!(@write f $($text)*),)*
                }
            }
        }
    };
    (@write $f:ident "{}", $text:expr) => { ::core::fmt::Display::fmt(&$text, $f) };
    (@write $f:ident $($text:tt)*) => { write!($f, $($text)*) };
    (@level $Reason:ident { $(
        $(#[$doc:meta])* $Variant:ident $({ $($fields:tt)* })? $(($($inner:tt)*))? = $columns:tt $text:tt;
    )* }) => {
        impl $Reason {
            /// Returns the severity: a defect is a warning, a choice is not.
            pub fn level(&self) -> $crate::log::Level {
                match self {
                    $(Self::$Variant { .. } => $crate::reasons!(@nth_level $columns),)*
                }
            }
        }
    };
    (@policy $Reason:ident { $(
        $(#[$doc:meta])* $Variant:ident $({ $($fields:tt)* })? $(($($inner:tt)*))? = $columns:tt $text:tt;
    )* }) => {
        impl $Reason {
            /// Returns the rule of the interface documents that requires this, if any.
            pub fn policy(&self) -> Option<&'static str> {
                $($crate::reasons!(@if_policy self $Variant $columns);)*
                None
            }
        }
    };
    (@weight $Reason:ident { $(
        $(#[$doc:meta])* $Variant:ident $({ $($fields:tt)* })? $(($($inner:tt)*))? = $columns:tt $text:tt;
    )* }) => {
        impl $Reason {
            /// Rates how well this explains the lack of drivers; `None` if not at all.
            pub(crate) fn weight(&self) -> Option<u8> {
                match self {
                    $(Self::$Variant { .. } => $crate::reasons!(@nth_weight $columns),)*
                }
            }
        }
    };
    (@nth_level [$id:tt $level:ident $($rest:tt)*]) => { $crate::log::Level::$level };
    (@if_policy $self:ident $Variant:ident [$id:tt $level:tt _ $($rest:tt)*]) => {};
    (@if_policy $self:ident $Variant:ident [$id:tt $level:tt $policy:literal $($rest:tt)*]) => {
        if matches!($self, Self::$Variant { .. }) {
            return Some($policy);
        }
    };
    (@nth_weight [$id:tt $level:tt $policy:tt _]) => { None };
    (@nth_weight [$id:tt $level:tt $policy:tt $weight:literal]) => { Some($weight) };
}
