//! Creates an instance and a device, submits a fill and reads its result, without an operating system. With one, it does
//! the same and is a test.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod machine;
mod vulkan;

#[cfg(not(target_os = "none"))]
fn main() {
    vulkan::run(&|| {}).expect("a Vulkan command failed");
    println!("instance, device and submission: right");
}

#[cfg(not(target_os = "none"))]
#[unsafe(no_mangle)]
fn write_log(line: &[u8]) {
    eprint!("{}", String::from_utf8_lossy(line));
}

#[cfg(not(target_os = "none"))]
#[unsafe(no_mangle)]
fn stop() -> ! {
    std::process::abort()
}
