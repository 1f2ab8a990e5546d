//! Reads ELF files. Only headers and tables are read: libraries can have hundreds of megabytes.

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_SONAME, SHT_DYNSYM, VER_FLG_WEAK};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionTable, Sym};
use object::read::{FileKind, ReadCache, ReadRef};
use object::{Endianness, StringTable, elf};

use super::files::open;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Elf {
    /// 32 or 64.
    pub(super) bits: u8,
    /// The processor that it is for: `x86-64`.
    pub(super) machine: &'static str,
    pub(super) needed: Vec<String>,
    pub(super) soname: String,
    /// The folders of DT_RUNPATH, or of DT_RPATH if it is absent, as written.
    pub(super) run_path: Vec<String>,
    /// Whether they are DT_RUNPATH's, which come after LD_LIBRARY_PATH; DT_RPATH's come before.
    pub(super) has_run_path: bool,
    /// The versions that it needs, with the library that is to have each.
    pub(super) wants: Vec<(String, String)>,
    pub(super) has: Vec<String>,
}

/// Why a file cannot be read as ELF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ElfError {
    /// It is something else: what, in words.
    Other(&'static str),
    CutShort {
        size: u64,
        needs: u64,
    },
    Denied,
    Absent,
}

/// Numbers of processors, and their usual names.
const MACHINES: &[(u16, &str)] = &[
    (elf::EM_X86_64, "x86-64"),
    (elf::EM_386, "i386"),
    (elf::EM_AARCH64, "aarch64"),
    (elf::EM_ARM, "arm"),
    (elf::EM_RISCV, "riscv"),
    (elf::EM_PPC64, "ppc64"),
    (elf::EM_LOONGARCH, "loongarch"),
    (elf::EM_S390, "s390"),
    (elf::EM_MIPS, "mips"),
];

pub(super) const OWN_MACHINE: &str = match std::env::consts::ARCH.as_bytes() {
    b"x86_64" => "x86-64",
    b"x86" => "i386",
    b"aarch64" => "aarch64",
    b"arm" => "arm",
    b"riscv64" => "riscv",
    b"loongarch64" => "loongarch",
    _ => "",
};

/// Returns the machines whose libraries a program of this width can load here.
pub(super) fn machine_for(bits: u32) -> &'static str {
    match (bits, OWN_MACHINE) {
        (32, "x86-64") => "i386",
        (32, "aarch64") => "arm",
        (_, own) => own,
    }
}

pub(super) fn read(path: &Path) -> Result<Elf, ElfError> {
    with(path, |data, kind| match kind {
        FileKind::Elf64 => parse::<elf::FileHeader64<Endianness>, _>(data, 64),
        FileKind::Elf32 => parse::<elf::FileHeader32<Endianness>, _>(data, 32),
        _ => None,
    })
}

pub(super) fn exports(path: &Path, names: &[&str]) -> Vec<bool> {
    let found = with(path, |data, kind| match kind {
        FileKind::Elf64 => symbols::<elf::FileHeader64<Endianness>, _>(data, names),
        FileKind::Elf32 => symbols::<elf::FileHeader32<Endianness>, _>(data, names),
        _ => None,
    });
    found.unwrap_or_else(|_| vec![false; names.len()])
}

/// Returns whether the file is a Vulkan loader: no driver and no layer exports the same names.
pub(super) fn is_loader(path: &Path) -> bool {
    let names = [
        "vkEnumerateInstanceLayerProperties",
        "vkCreateInstance",
        "vk_icdGetInstanceProcAddr",
        "vkNegotiateLoaderLayerInterfaceVersion",
    ];
    let has_name = || read(path).is_ok_and(|elf| elf.soname.starts_with("libvulkan.so"));
    exports(path, &names) == [true, true, false, false] || has_name()
}

/// Larger tables are not read: a sparse file has any size and takes no space.
const TABLE_LIMIT: u64 = 64 << 20;

#[derive(Clone, Copy)]
struct Tables<'a>(&'a ReadCache<File>);

impl<'a> ReadRef<'a> for Tables<'a> {
    fn len(self) -> Result<u64, ()> {
        self.0.len()
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        if size > TABLE_LIMIT { Err(()) } else { self.0.read_bytes_at(offset, size) }
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        self.0.read_bytes_at_until(range, delimiter)
    }
}

fn with<T>(path: &Path, read: impl Fn(Tables<'_>, FileKind) -> Option<T>) -> Result<T, ElfError> {
    let file = open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ElfError::Absent,
        std::io::ErrorKind::InvalidInput => ElfError::Other("it is not a regular file"),
        _ => ElfError::Denied,
    })?;
    let size = file.metadata().map_or(0, |found| found.len());
    let cache = ReadCache::new(file);
    let cache = Tables(&cache);
    let start: Vec<u8> = cache.read_bytes_at(0, size.min(64)).map(<[u8]>::to_vec).unwrap_or_default();
    if !start.starts_with(b"\x7fELF") {
        return Err(ElfError::Other(kind_of(&start)));
    }
    let cut_short = || ElfError::CutShort { size, needs: needs(&start).max(size + 1) };
    let kind = FileKind::parse(cache).map_err(|_| cut_short())?;
    if needs(&start) > size {
        return Err(cut_short());
    }
    read(cache, kind).ok_or_else(cut_short)
}

/// Returns the end of the section table, which is usually the end of the file.
fn needs(start: &[u8]) -> u64 {
    let little = start.get(5) == Some(&1);
    let number = |at: usize, size: usize| {
        let bytes = start.get(at..at + size).unwrap_or_default();
        let fold = |number: u64, byte: &u8| (number << 8) | u64::from(*byte);
        if little { bytes.iter().rev().fold(0, fold) } else { bytes.iter().fold(0, fold) }
    };
    match start.get(4) {
        Some(2) => number(40, 8).saturating_add(number(58, 2) * number(60, 2)),
        _ => number(32, 4).saturating_add(number(46, 2) * number(48, 2)),
    }
}

fn kind_of(start: &[u8]) -> &'static str {
    let text = start.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    match start {
        [] => "it is empty",
        _ if start.starts_with(b"<") => "it is a web page",
        _ if start.starts_with(b"{") => "it is a JSON file",
        _ if start.starts_with(b"#!") => "it is a script",
        _ if start.starts_with(b"version https://git-lfs") => "it is a Git LFS pointer",
        _ if start.starts_with(b"MZ") => "it is a Windows library",
        _ if start.iter().all(|byte| *byte == 0) => "it is filled with zeros",
        _ if text => "it is a text file",
        _ => "it is not an ELF file",
    }
}

fn parse<'a, H, R>(data: R, bits: u8) -> Option<Elf>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'a>,
{
    let header = H::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let size = data.len().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    if segments
        .iter()
        .any(|segment| segment.p_offset(endian).into().saturating_add(segment.p_filesz(endian).into()) > size)
    {
        return None;
    }
    let number = header.e_machine(endian);
    let machine = MACHINES.iter().find(|row| row.0 == number).map_or("unknown", |row| row.1);
    let mut elf = Elf { bits, machine, ..Elf::default() };
    let sections = header.sections(endian, data).ok()?;
    dynamic::<H, R>(&sections, endian, data, &mut elf);
    versions::<H, R>(&sections, endian, data, &mut elf);
    Some(elf)
}

fn dynamic<'a, H, R>(
    sections: &SectionTable<'a, H, R>,
    endian: Endianness,
    data: R,
    elf: &mut Elf,
) -> Option<()>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'a>,
{
    let (entries, strings) = sections.dynamic(endian, data).ok()??;
    let strings: StringTable<'a, R> = sections.strings(endian, data, strings).ok()?;
    for entry in entries {
        let Some(tag) = entry.tag32(endian) else { continue };
        let text = || entry.val32(endian).and_then(|at| strings.get(at).ok()).map(text).unwrap_or_default();
        match tag {
            DT_NEEDED => elf.needed.push(text()),
            DT_SONAME => elf.soname = text(),
            DT_RPATH if elf.has_run_path => {}
            DT_RPATH | DT_RUNPATH => {
                elf.run_path = text().split(':').map(str::to_owned).collect();
                elf.has_run_path = tag == DT_RUNPATH;
            }
            _ => {}
        }
    }
    Some(())
}

fn versions<'a, H, R>(
    sections: &SectionTable<'a, H, R>,
    endian: Endianness,
    data: R,
    elf: &mut Elf,
) -> Option<()>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'a>,
{
    let strings = |index| sections.strings(endian, data, index).ok();
    if let Ok(Some((mut libraries, index))) = sections.gnu_verneed(endian, data) {
        let strings: StringTable<'a, R> = strings(index)?;
        while let Ok(Some((library, mut names))) = libraries.next() {
            let file = library.file(endian, strings).map(text).unwrap_or_default();
            while let Ok(Some(name)) = names.next() {
                if name.vna_flags.get(endian) & VER_FLG_WEAK == 0 {
                    elf.wants.push((file.clone(), name.name(endian, strings).map(text).unwrap_or_default()));
                }
            }
        }
    }
    if let Ok(Some((mut definitions, index))) = sections.gnu_verdef(endian, data) {
        let strings: StringTable<'a, R> = strings(index)?;
        while let Ok(Some((_, mut names))) = definitions.next() {
            if let Ok(Some(name)) = names.next() {
                elf.has.push(name.name(endian, strings).map(text).unwrap_or_default());
            }
        }
    }
    Some(())
}

fn symbols<'a, H, R>(data: R, names: &[&str]) -> Option<Vec<bool>>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'a>,
{
    let header = H::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let symbols = header.sections(endian, data).ok()?.symbols(endian, data, SHT_DYNSYM).ok()?;
    let mut found = vec![false; names.len()];
    for symbol in symbols.iter().filter(|symbol| symbol.is_definition(endian)) {
        let name = symbol.name(endian, symbols.strings()).unwrap_or_default();
        if let Some(index) = names.iter().position(|wanted| wanted.as_bytes() == name)
            && let Some(slot) = found.get_mut(index)
        {
            *slot = true;
        }
    }
    Some(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
