//! `libcutils.so`, `cutils/trace.h`: no trace is recorded.

/// Returns the tags that are recorded: none.
#[unsafe(no_mangle)]
pub extern "C" fn atrace_get_enabled_tags() -> u64 {
    0
}

/// Defines functions that do nothing and ignore their arguments.
macro_rules! nothing {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $name() {}
        )*
    };
}

nothing! {
    atrace_async_begin_body
    atrace_async_end_body
    atrace_async_for_track_begin_body
    atrace_async_for_track_end_body
    atrace_begin_body
    atrace_end_body
    atrace_init
    atrace_instant_body
    atrace_instant_for_track_body
    atrace_int64_body
    atrace_int_body
    atrace_set_debuggable
    atrace_set_tracing_enabled
    atrace_setup
    atrace_update_tags
}
