//! error[E0616]: field `name` of struct `AppInfo` is private
#![forbid(unsafe_code)]

// Keeps memory of the application's allocator for longer than the instance.
pub fn keep(app: &vkload_driver_runtime::instance::AppInfo) -> impl Sized + 'static + use<> {
    app.name.clone()
}
