//! The selection of one platform's rows from the list of exports.

/// Calls the callback with the rows of the runs that name the platform. `port` has the rows that Linux and Fuchsia share,
/// without any for window systems.
#[doc(hidden)]
#[macro_export]
macro_rules! exports_of {
    ($platform:ident [$($callback:tt)+] [$($argument:tt)*] [$($row:tt)*]) => {
        $($callback)+! { $($argument)* ; $($row)* }
    };
    (linux $callback:tt $arguments:tt [$($row:tt)*]
        [linux $($other:ident)*] { $($more:tt)* } $($run:tt)*) => {
        $crate::exports_of! { linux $callback $arguments [$($row)* $($more)*] $($run)* }
    };
    (fuchsia $callback:tt $arguments:tt [$($row:tt)*]
        [$(linux)? fuchsia $($other:ident)*] { $($more:tt)* } $($run:tt)*) => {
        $crate::exports_of! { fuchsia $callback $arguments [$($row)* $($more)*] $($run)* }
    };
    (port $callback:tt $arguments:tt [$($row:tt)*]
        [linux fuchsia $($other:ident)*] { $($more:tt)* } $($run:tt)*) => {
        $crate::exports_of! { port $callback $arguments [$($row)* $($more)*] $($run)* }
    };
    (android $callback:tt $arguments:tt [$($row:tt)*]
        [$(linux)? $(fuchsia)? android] { $($more:tt)* } $($run:tt)*) => {
        $crate::exports_of! { android $callback $arguments [$($row)* $($more)*] $($run)* }
    };
    ($platform:ident $callback:tt $arguments:tt $rows:tt [$($other:ident)*] $skipped:tt $($run:tt)*) => {
        $crate::exports_of! { $platform $callback $arguments $rows $($run)* }
    };
}
