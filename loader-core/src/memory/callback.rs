//! Closures behind pointers.

/// A closure that shared code calls through a pointer. The table of a `dyn FnMut` contains each closure
/// twice: for calls by reference and for calls by value, which are never made.
pub trait Callback<A, R = ()> {
    fn call(&mut self, argument: A) -> R;
}

impl<A, R, F: FnMut(A) -> R> Callback<A, R> for F {
    fn call(&mut self, argument: A) -> R {
        self(argument)
    }
}
