//! The check on a small library, made of assembly.

use std::fs;
use std::process::Command;

use super::code::{BLOCKS, Code};
use super::{ABI, LINKER_FLAGS};
use crate::command::Run;
use crate::toolchain::{is_available, rustc, tool};
use crate::workspace::root;

/// An exported function, a block of two pieces, and two functions that a table and an instruction take the addresses of. Other
/// functions are reached by direct branches alone. `PAD` and the others are replaced by instructions.
const SOURCE: &str = r#"#![no_std]
core::arch::global_asm!(
    ".text",
    ".globl vkDraw\n .type vkDraw, %function\n vkDraw: EXPORTED\n b direct\n .size vkDraw, . - vkDraw",
    ".type direct, %function\n direct: adrp x0, pointed\n add x0, x0, :lo12:pointed\n ret\n .size direct, . - direct",
    ".type pointed, %function\n pointed: POINTED\n ret\n .size pointed, . - pointed",
    ".type listed, %function\n listed: LISTED\n ret\n .size listed, . - listed",
    ".type _R25missing_instance_commands, %function\n _R25missing_instance_commands:",
    "hint #34\n bl direct\n PIECE\n bl direct\n .size _R25missing_instance_commands, . - _R25missing_instance_commands",
    ".section .rodata,\"a\",%progbits\n .type list, %object\n list: .long 0, listed - list\n .size list, . - list",
    ".section .note.gnu.property,\"a\",%note\n .p2align 3\n .long 4, 16, 5\n .asciz \"GNU\"",
    ".long 0xc0000000, 4, FEATURES, 0",
);
"#;

/// The correct text for each mark in a library's source.
const GOOD: &[(&str, &str)] = &[
    ("EXPORTED", "hint #34"),
    ("POINTED", "hint #38"),
    ("LISTED", "paciasp"),
    ("PIECE", "hint #34"),
    ("FEATURES", "3"),
];

/// Returns the problems of a library with `instead` at one mark.
fn complaints(mark: &str, instead: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut source = SOURCE.to_owned();
    for (name, text) in GOOD {
        source = source.replace(name, if *name == mark { instead } else { text });
    }
    let (text, object, library) =
        (folder.path().join("a.rs"), folder.path().join("a.o"), folder.path().join("a.so"));
    fs::write(&text, source).unwrap();
    let mut rustc = rustc("--edition=2024 --crate-type=lib --emit=obj -Cpanic=abort");
    rustc.args(["--target", ABI.1, "-o"]).args([&object, &text]).finish().unwrap();
    let mut linker = Command::new(tool("rust-lld").unwrap());
    linker.args(["-flavor", "gnu", "-shared", "-o"]).args([&library, &object]).args(LINKER_FLAGS);
    linker.finish().unwrap();
    let code = Code::read(&fs::read(&library).unwrap()).unwrap();
    // One export, two pieces, and two other functions whose addresses are taken.
    assert_eq!((code.landings.len(), &code.blocks[..]), (5, &["missing_instance_commands"][..]));
    code.complaints()
}

#[test]
fn a_pad_that_is_missing_is_found_wherever_it_is() {
    if !is_available(ABI.1) {
        println!("skipped: rustup cannot add {}", ABI.1);
        return;
    }
    assert_eq!(complaints("", ""), [""; 0]);
    let missing = [
        ("EXPORTED", "vkDraw"),
        ("POINTED", "pointed"),
        ("LISTED", "listed"),
        ("PIECE", "missing_instance_commands 1"),
    ];
    for (mark, name) in missing {
        // `nop`, and the pad for jumps alone.
        for instead in ["hint #0", "hint #36"] {
            let found = complaints(mark, instead);
            assert!(found.len() == 1 && found[0].starts_with(&format!("{name} at 0x")), "{found:?}");
        }
    }
    assert_eq!(complaints("FEATURES", "2").len(), 1);
    assert_eq!(complaints("FEATURES", "0").len(), 2);
    let found = complaints("PIECE", "hint #34\n nop");
    assert_eq!(found[0], "missing_instance_commands has 20 bytes, which are no pieces of 8");
}

#[test]
fn every_block_that_is_stamped_out_is_looked_at() {
    let folder = root().join("loader-core/src/dispatch");
    let mut stamped = Vec::new();
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = if path.is_file() { fs::read_to_string(path).unwrap() } else { continue };
        let blocks = text.split("stamp_out!(").skip(1);
        stamped.extend(blocks.filter_map(|rest| Some(rest.split_once(':')?.0.to_owned())));
    }
    let mut listed: Vec<_> = BLOCKS.iter().map(|(block, _)| (*block).to_owned()).collect();
    stamped.sort();
    listed.sort();
    assert_eq!(stamped, listed);
}
