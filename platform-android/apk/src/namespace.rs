//! Linker namespaces for the application's drivers.

use core::ffi::{c_char, c_void};
use core::ptr::{NonNull, null_mut};

use platform_android::late;
use platform_android::os::linkers_words;
use platform_android::system::Namespace;
use vkload_core::memory::{Text, text};

use crate::system::NamespaceRequest;

type CreateNamespace = unsafe extern "C" fn(
    name: *const c_char,
    first_paths: *const c_char,
    paths: *const c_char,
    kind: u64,
    permitted_paths: *const c_char,
    parent: *mut c_void,
) -> *mut c_void;

late! {
    create_namespace: CreateNamespace = c"android_create_namespace" in c"libdl_android.so", c"libdl.so";
}

/// Creates a namespace that looks in a folder first and also has everything in the caller's. Most
/// systems allow that only to their own libraries.
pub(crate) fn make_namespace(request: &NamespaceRequest<'_>) -> Result<Namespace, Text> {
    /// `ANDROID_NAMESPACE_TYPE_SHARED`: with the libraries of its parent, the caller's namespace.
    const SHARED: u64 = 2;
    let Some(create) = create_namespace() else {
        return Err(text(&[
            b"this system lets no application make one (there is no android_create_namespace)",
        ])
        .unwrap_or_default());
    };
    let folder = request.folder.as_ptr();
    // SAFETY: all strings are NUL-terminated, and NULL means the caller's namespace.
    let made = unsafe {
        create(request.name.as_ptr(), folder, folder, SHARED, request.permitted.as_ptr(), null_mut())
    };
    NonNull::new(made).map(Namespace).ok_or_else(linkers_words)
}
