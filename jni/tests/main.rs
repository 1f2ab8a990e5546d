//! Tests the Java API and its packaging.
#![cfg(target_os = "linux")]

#[cfg(target_arch = "x86_64")]
mod aar;
mod application;
mod cmake;
mod common;
mod java;
mod sample;
