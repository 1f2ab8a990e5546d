//! The contents of a shared library's tables.

use std::collections::BTreeMap;
use std::path::Path;

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, ElfFile, FileHeader, ProgramHeader};
use object::{
    Endianness, FileKind, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget,
    SymbolKind,
};

use crate::Failure;
use crate::workspace::read;

#[derive(Clone, Default)]
pub(crate) struct Facts {
    pub(crate) machine: u16,
    pub(crate) soname: String,
    pub(crate) needed: Vec<String>,
    pub(crate) exports: BTreeMap<String, u64>,
    pub(crate) imports: Vec<String>,
    /// The versions of exported names, and the required versions of imported names, if they have any.
    pub(crate) versions: BTreeMap<String, String>,
    /// Names in the table that `strip` removes.
    pub(crate) symbols: Vec<String>,
    pub(crate) sections: Vec<String>,
    pub(crate) segments: Vec<Segment>,
    /// Content that a loader must not have, found while reading.
    pub(crate) wrong: Vec<String>,
    pub(crate) binds_now: bool,
    pub(crate) has_relro: bool,
    /// Whether an unwinder finds its way through the library: with a sorted table of its functions (`PT_GNU_EH_FRAME`), on 32-bit
    /// Arm with `PT_ARM_EXIDX`.
    pub(crate) has_unwind_table: bool,
}

/// A part of the file that is mapped. In bytes.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pub(crate) align: u64,
    pub(crate) is_readable: bool,
    pub(crate) is_executable: bool,
}

impl Facts {
    pub(crate) fn of(library: &Path) -> Result<Self, Failure> {
        Self::read(&read(library)?)
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Failure> {
        match FileKind::parse(bytes)? {
            FileKind::Elf32 => Self::read_of::<FileHeader32<Endianness>>(bytes),
            _ => Self::read_of::<FileHeader64<Endianness>>(bytes),
        }
    }

    /// Returns what it exports and needs, in a few words.
    pub(crate) fn summary(&self) -> String {
        format!("{} exports, needs {}", self.exports.len(), self.needed.join(", "))
    }

    fn read_of<E: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Result<Self, Failure> {
        let file = ElfFile::<E>::parse(bytes)?;
        let mut facts = Self { machine: file.elf_header().e_machine(file.endian()), ..Self::default() };
        facts.read_segments(&file);
        facts.read_dynamic(&file, bytes)?;
        facts.read_symbols(&file, bytes)?;
        facts.symbols = file.symbols().filter_map(|symbol| symbol.name().ok()).map(str::to_owned).collect();
        facts.sections =
            file.sections().filter_map(|section| section.name().ok()).map(str::to_owned).collect();
        Ok(facts)
    }

    fn read_symbols<E: FileHeader<Endian = Endianness>>(
        &mut self,
        file: &ElfFile<'_, E>,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let endian = file.endian();
        let versions = file.elf_section_table().versions(endian, bytes)?;
        for symbol in file.dynamic_symbols() {
            let name = symbol.name()?.to_owned();
            let version = versions.as_ref().map(|all| all.version(all.version_index(endian, symbol.index())));
            if let Some(version) = version.transpose()?.flatten() {
                self.versions.insert(name.clone(), String::from_utf8_lossy(version.name()).into_owned());
            }
            if symbol.is_definition() {
                if symbol.kind() != SymbolKind::Text {
                    self.wrong.push(format!("{name} is exported and no function"));
                }
                self.exports.insert(name, symbol.address());
            } else if !name.is_empty() {
                self.imports.push(name);
            }
        }
        // Own functions that the dynamic linker would look up by name, and might find in another library.
        let Some(symbols) = file.dynamic_symbol_table() else { return Ok(()) };
        for (_, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = symbols.symbol_by_index(index)?;
            if symbol.is_definition() {
                self.wrong.push(format!("its own {} is looked up by name when it is loaded", symbol.name()?));
            }
        }
        Ok(())
    }

    fn read_segments<E: FileHeader<Endian = Endianness>>(&mut self, file: &ElfFile<'_, E>) {
        let endian = file.endian();
        for segment in file.elf_program_headers() {
            let flags = segment.p_flags(endian);
            let is_executable = flags & elf::PF_X != 0;
            match segment.p_type(endian) {
                elf::PT_LOAD if is_executable && flags & elf::PF_W != 0 => {
                    self.wrong.push("a segment can be written and run".into());
                }
                elf::PT_LOAD => self.segments.push(Segment {
                    offset: segment.p_offset(endian).into(),
                    address: segment.p_vaddr(endian).into(),
                    align: segment.p_align(endian).into(),
                    is_readable: flags & elf::PF_R != 0,
                    is_executable,
                }),
                elf::PT_TLS => self.wrong.push("it has thread-local storage (PT_TLS)".into()),
                elf::PT_GNU_RELRO => self.has_relro = true,
                elf::PT_GNU_EH_FRAME => self.has_unwind_table = true,
                elf::PT_ARM_EXIDX if self.machine == elf::EM_ARM => self.has_unwind_table = true,
                elf::PT_GNU_STACK if is_executable => {
                    self.wrong.push("it asks for an executable stack".into())
                }
                _ => {}
            }
        }
    }

    fn read_dynamic<E: FileHeader<Endian = Endianness>>(
        &mut self,
        file: &ElfFile<'_, E>,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let endian = file.endian();
        let sections = file.elf_section_table();
        let (entries, index) = sections.dynamic(endian, bytes)?.ok_or("not a dynamic library")?;
        let strings = sections.strings(endian, bytes, index)?;
        for entry in entries {
            let value: u64 = entry.d_val(endian).into();
            let string = || -> Result<String, object::Error> {
                Ok(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned())
            };
            match u32::try_from(entry.d_tag(endian).into()).unwrap_or(0) {
                elf::DT_SONAME => self.soname = string()?,
                elf::DT_NEEDED => self.needed.push(string()?),
                elf::DT_TEXTREL => self.wrong.push("it has relocations in code".into()),
                elf::DT_RPATH | elf::DT_RUNPATH => {
                    self.wrong.push(format!("it has a run path {}", string()?))
                }
                elf::DT_FLAGS_1 => {
                    self.binds_now = value & u64::from(elf::DF_1_NOW) != 0;
                    if value & u64::from(elf::DF_1_NODELETE) != 0 {
                        self.wrong.push("it cannot be unloaded (NODELETE)".into());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
