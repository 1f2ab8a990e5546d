//! The code of a library for 64-bit Arm, and where indirect branches may land in it.

use std::collections::BTreeMap;

use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader, SectionHeader};
use object::{
    Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SymbolKind,
};

use crate::Failure;

/// Pieces of machine code behind each other under one name, of which any may be called.
pub(crate) struct Block {
    pub(crate) name: &'static str,
    /// Bytes from one piece to the next: `DISTANCES` in `loader-core/src/machine/arch/aarch64.rs`.
    pub(crate) distance: u64,
}

const fn block(name: &'static str, distance: u64) -> Block {
    Block { name, distance }
}

/// All that loader-core stamps out.
pub(crate) const BLOCKS: &[Block] = &[
    block("instance_trampolines", 48),
    block("unknown_instance_trampolines", 12),
    block("device_trampolines", 16),
    block("look_up_trampolines", 12),
    block("terminators", 20),
    block("missing_instance_commands", 8),
    block("missing_device_commands", 12),
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

/// Why an indirect branch may land at an address.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
    Exported,
    Taken,
    Stamped,
}

/// A possible target of an indirect branch.
struct Landing {
    /// The name of the function, with the number of the piece in a block.
    name: String,
    reason: Reason,
    word: u32,
}

/// The analysed parts of a library.
pub(crate) struct Code {
    landings: BTreeMap<u64, Landing>,
    blocks: Vec<&'static str>,
    /// The bits of the property, if the system can see one.
    features: Option<u32>,
    wrong: Vec<String>,
}

impl Code {
    /// Reads a library that was linked with `--emit-relocs` and has its symbols.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let file = ElfFile64::<Endianness>::parse(bytes)?;
        if file.elf_header().e_machine.get(file.endian()) != elf::EM_AARCH64 {
            return Err("it is not for 64-bit Arm".into());
        }
        let features = features(&file, bytes)?;
        let mut code = Self { landings: BTreeMap::new(), blocks: Vec::new(), features, wrong: Vec::new() };
        for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            code.add_block(&file, symbol.name()?, symbol.address(), symbol.size())?;
        }
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            code.add(&file, symbol.name()?, symbol.address(), Reason::Exported)?;
        }
        code.add_taken(&file)?;
        Ok(code)
    }

    /// Returns the names of the blocks that the library has.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.blocks.iter().copied()
    }

    /// Returns how many exported functions and pieces of blocks were looked at.
    pub(crate) fn figures(&self) -> (usize, usize) {
        (self.count(Reason::Exported), self.count(Reason::Stamped))
    }

    fn count(&self, reason: Reason) -> usize {
        self.landings.values().filter(|landing| landing.reason == reason).count()
    }

    /// Returns the extent of the analysis, for the person at the terminal.
    pub(crate) fn summary(&self) -> String {
        let ((exported, stamped), taken) = (self.figures(), self.count(Reason::Taken));
        let blocks = self.blocks.len();
        format!(
            "{exported} exports, {stamped} pieces of {blocks} blocks, {taken} other functions whose addresses are taken"
        )
    }

    /// Returns the addresses of missing pads, and the properties missing from the library.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let mut complaints = self.wrong.clone();
        let bare = self.landings.iter().filter(|(_, landing)| !is_pad(landing.word));
        complaints.extend(bare.map(|(address, landing)| {
            format!("{} at {address:#x} begins with {:08x}, no landing pad", landing.name, landing.word)
        }));
        let features = self.features.unwrap_or_default();
        for (_, name) in FEATURES.iter().filter(|(bit, _)| features & bit == 0) {
            complaints
                .push(format!("the property {name} is missing (.note.gnu.property): an object lacks it"));
        }
        complaints
    }

    fn add(&mut self, file: &File<'_>, name: &str, address: u64, reason: Reason) -> Result<(), Failure> {
        let word = word_at(file, address).ok_or_else(|| format!("{name}: nothing is at {address:#x}"))?;
        self.landings.entry(address).or_insert_with(|| Landing { name: name.to_owned(), reason, word });
        Ok(())
    }

    /// Adds the pieces of a block, if that is one.
    fn add_block(&mut self, file: &File<'_>, symbol: &str, start: u64, size: u64) -> Result<(), Failure> {
        // The last part of a function's symbol is the length of its name and the name.
        let is_called = |block: &&Block| symbol.ends_with(&format!("{}{}", block.name.len(), block.name));
        let Some(Block { name, distance, .. }) = BLOCKS.iter().find(is_called) else { return Ok(()) };
        self.blocks.push(name);
        if size == 0 || !size.is_multiple_of(*distance) {
            self.wrong.push(format!("{name} has {size} bytes, which are no pieces of {distance}"));
        }
        for index in 0..size / distance {
            self.add(file, &format!("{name} {index}"), start + index * distance, Reason::Stamped)?;
        }
        Ok(())
    }

    /// Adds the functions whose addresses the library takes.
    fn add_taken(&mut self, file: &File<'_>) -> Result<(), Failure> {
        let functions: BTreeMap<u64, &str> = named(file, SymbolKind::Text)?;
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
                    self.add(file, name, address, Reason::Taken)?;
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

type File<'data> = ElfFile64<'data, Endianness>;

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
fn features(file: &File<'_>, bytes: &[u8]) -> Result<Option<u32>, Failure> {
    let endian = file.endian();
    let is_found = |header: &elf::ProgramHeader64<Endianness>| header.p_type(endian) == elf::PT_GNU_PROPERTY;
    if !file.elf_program_headers().iter().any(is_found) {
        return Ok(None);
    }
    for section in file.elf_section_table().iter() {
        let Some(mut notes) = section.notes(endian, bytes)? else { continue };
        while let Some(note) = notes.next()? {
            let Some(mut properties) = note.gnu_properties(endian) else { continue };
            while let Some(property) = properties.next()? {
                if property.pr_type() == elf::GNU_PROPERTY_AARCH64_FEATURE_1_AND {
                    return Ok(Some(property.data_u32(endian)?));
                }
            }
        }
    }
    Ok(None)
}
