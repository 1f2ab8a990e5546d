//! The code of a library for 64-bit Arm, and where indirect branches may land in it.

use std::collections::BTreeMap;

use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader, SectionHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SymbolKind,
};

use crate::Failure;

/// Pieces of machine code behind each other under one name, of which any may be called, and the bytes from one piece to the next
/// (`DISTANCES` in `loader-core/src/machine/arch/aarch64.rs`): all that loader-core stamps out.
pub(crate) const BLOCKS: &[(&str, u64)] = &[
    ("instance_trampolines", 48),
    ("unknown_instance_trampolines", 12),
    ("device_trampolines", 16),
    ("look_up_trampolines", 12),
    ("terminators", 20),
    ("missing_instance_commands", 8),
    ("missing_device_commands", 12),
];

/// Relocations of what takes the address of a function, with that address. The other ones, but for distances in tables, are of
/// direct branches.
const ADDRESSES: &[u32] = &[
    elf::R_AARCH64_ABS64,
    elf::R_AARCH64_ADR_PREL_LO21,
    elf::R_AARCH64_ADR_PREL_PG_HI21,
    elf::R_AARCH64_ADD_ABS_LO12_NC,
    elf::R_AARCH64_ADR_GOT_PAGE,
];

/// Both features that the compiler was asked for.
const FEATURES: &[(u32, &str)] =
    &[(elf::GNU_PROPERTY_AARCH64_FEATURE_1_BTI, "BTI"), (elf::GNU_PROPERTY_AARCH64_FEATURE_1_PAC, "PAC")];

type File<'data> = ElfFile64<'data, Endianness>;

/// The possible targets of indirect branches in a library.
#[derive(Default)]
pub(crate) struct Code {
    /// The name of the function, with the number of the piece in a block, and its first instruction, by address.
    pub(crate) landings: BTreeMap<u64, (String, u32)>,
    pub(crate) blocks: Vec<&'static str>,
    wrong: Vec<String>,
}

impl Code {
    /// Reads a library that was linked with `--emit-relocs` and has its symbols.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let file = File::parse(bytes)?;
        if file.elf_header().e_machine.get(file.endian()) != elf::EM_AARCH64 {
            return Err("it is not for 64-bit Arm".into());
        }
        let mut code = Self::default();
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            code.add_block(&file, symbol.name()?, symbol.address(), symbol.size())?;
        }
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            code.add(&file, symbol.name()?, symbol.address())?;
        }
        code.add_taken(&file)?;
        let features = features(&file, bytes)?;
        for (_, name) in FEATURES.iter().filter(|(bit, _)| features & bit == 0) {
            code.wrong
                .push(format!("the property {name} is missing (.note.gnu.property): an object lacks it"));
        }
        Ok(code)
    }

    /// Returns the addresses of missing pads, and the properties missing from the library.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let bare = self.landings.iter().filter(|(_, (_, word))| !is_pad(*word));
        let bare = bare.map(|(address, (name, word))| {
            format!("{name} at {address:#x} begins with {word:08x}, no landing pad")
        });
        self.wrong.iter().cloned().chain(bare).collect()
    }

    fn add(&mut self, file: &File<'_>, name: &str, address: u64) -> Result<(), Failure> {
        let word = word_at(file, address).ok_or_else(|| format!("{name}: nothing is at {address:#x}"))?;
        self.landings.entry(address).or_insert_with(|| (name.to_owned(), word));
        Ok(())
    }

    /// Adds the pieces of a block, if that is one.
    fn add_block(&mut self, file: &File<'_>, symbol: &str, start: u64, size: u64) -> Result<(), Failure> {
        // The last part of a function's symbol is the length of its name and the name.
        let is_called = |(name, _): &&(&str, u64)| symbol.ends_with(&format!("{}{name}", name.len()));
        let Some((name, distance)) = BLOCKS.iter().find(is_called) else { return Ok(()) };
        self.blocks.push(name);
        if size == 0 || !size.is_multiple_of(*distance) {
            self.wrong.push(format!("{name} has {size} bytes, which are no pieces of {distance}"));
        }
        for index in 0..size / distance {
            self.add(file, &format!("{name} {index}"), start + index * distance)?;
        }
        Ok(())
    }

    fn add_taken(&mut self, file: &File<'_>) -> Result<(), Failure> {
        let functions = named(file, SymbolKind::Text)?;
        let tables = named(file, SymbolKind::Data)?;
        let mut relocations = 0;
        // The descriptions of stack frames name all functions, and call none.
        for section in file.sections().filter(|it| is_mapped(it) && it.name() != Ok(".eh_frame")) {
            for (offset, relocation) in section.relocations() {
                relocations += 1;
                let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                let symbol = file.symbol_by_index(symbol)?.address();
                let address = match relocation.flags() {
                    RelocationFlags::Elf { r_type } if ADDRESSES.contains(&r_type) => {
                        symbol.wrapping_add_signed(relocation.addend())
                    }
                    // A distance from the beginning of its table, which is a symbol. Tables of jumps within a function are none.
                    RelocationFlags::Elf { r_type: elf::R_AARCH64_PREL32 } => {
                        let table = tables.range(..=offset).next_back();
                        let distance = word_at(file, offset).map(u32::cast_signed);
                        let Some((table, distance)) = table.zip(distance) else { continue };
                        table.0.wrapping_add_signed(distance.into())
                    }
                    _ => continue,
                };
                // Other addresses are of data, and of labels in functions.
                if let Some(name) = functions.get(&address) {
                    self.add(file, name, address)?;
                }
            }
        }
        // Code that reaches nothing outside of it has none.
        let reaches_others = file.dynamic_symbols().any(|symbol| symbol.is_undefined());
        if relocations == 0 && (reaches_others || functions.is_empty()) {
            return Err("it was linked without --emit-relocs, or is stripped".into());
        }
        Ok(())
    }
}

/// Returns the names of the library's own symbols of a kind, by their addresses.
fn named<'data>(file: &File<'data>, kind: SymbolKind) -> Result<BTreeMap<u64, &'data str>, Failure> {
    let symbols = file.symbols().filter(|symbol| symbol.kind() == kind && symbol.is_definition());
    symbols.map(|symbol| Ok((symbol.address(), symbol.name()?))).collect()
}

fn is_mapped<'data>(section: &impl ObjectSection<'data>) -> bool {
    matches!(section.flags(), SectionFlags::Elf { sh_flags } if sh_flags & u64::from(elf::SHF_ALLOC) != 0)
}

fn word_at(file: &File<'_>, address: u64) -> Option<u32> {
    let mut sections = file.sections().filter(is_mapped);
    let bytes = sections.find_map(|section| section.data_range(address, 4).ok().flatten())?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Returns whether an indirect call may land on this instruction (Arm Architecture Reference Manual, "PSTATE.BTYPE"): `bti c`, `bti jc`,
/// `paciasp`, `pacibsp`, and the ones that stop a program, `brk` and `hlt`.
fn is_pad(word: u32) -> bool {
    matches!(word, 0xd503_245f | 0xd503_24df | 0xd503_233f | 0xd503_237f)
        || matches!(word & 0xffe0_001f, 0xd420_0000 | 0xd440_0000)
}

/// Returns the bits that all objects of the library share, from the note that the dynamic linker reads.
fn features(file: &File<'_>, bytes: &[u8]) -> Result<u32, Failure> {
    let endian = file.endian();
    let is_found = |header: &elf::ProgramHeader64<Endianness>| header.p_type(endian) == elf::PT_GNU_PROPERTY;
    if !file.elf_program_headers().iter().any(is_found) {
        return Ok(0);
    }
    for section in file.elf_section_table().iter() {
        let Some(mut notes) = section.notes(endian, bytes)? else { continue };
        while let Some(note) = notes.next()? {
            let Some(mut properties) = note.gnu_properties(endian) else { continue };
            while let Some(property) = properties.next()? {
                if property.pr_type() == elf::GNU_PROPERTY_AARCH64_FEATURE_1_AND {
                    return Ok(property.data_u32(endian)?);
                }
            }
        }
    }
    Ok(0)
}
