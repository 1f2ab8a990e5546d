//! The libraries that the core opens: layers, drivers, other loaders.

use core::ffi::{CStr, c_void};
use core::ptr::NonNull;

use vkload_core::memory::{CText, OutOfMemory, Text, text};
use vkload_core::platform::{Libraries, Library, LibraryKind};

use super::policy::MANIFEST_FOLDER;
use super::{Apk, Kind};
use platform_android::layers::{Folder, Search};
use platform_android::system::{self, OpenMethod};

impl Libraries for Apk {
    fn open(&self, path: &[u8], kind: LibraryKind) -> Result<Library, Text> {
        self.open_library(path, kind).unwrap_or_else(|OutOfMemory| Err(Text::new()))
    }

    fn symbol(&self, library: Library, name: &CStr) -> Option<NonNull<c_void>> {
        if let Some(find) = self.modules.get_instance_proc_addr(library) {
            return if name == c"vkGetInstanceProcAddr" { NonNull::new(find as *mut c_void) } else { None };
        }
        self.system.symbol(self.opened(library)?, name)
    }

    unsafe fn close(&self, library: Library) {
        if self.modules.get_instance_proc_addr(library).is_some() {
            return;
        }
        let taken = self.open.remove(self.system, |open| open.handle == library.0);
        if let Some(library) = taken {
            // SAFETY: by this method's `# Safety` nothing uses the library any more; `remove` took
            // this one opening from the list.
            unsafe { self.system.close(library) };
        }
    }
}

impl Apk {
    fn open_library(&self, path: &[u8], kind: LibraryKind) -> Result<Result<Library, Text>, OutOfMemory> {
        let (configuration, mut method) = (self.configuration(), OpenMethod::Linker);
        if kind == LibraryKind::Driver
            && let Some(configuration) = &configuration
            && let Some(driver) = configuration.used().find(|driver| driver.library.as_slice() == path)
        {
            if driver.kind == Kind::Module
                && let Some(module) =
                    self.modules.find(path).and_then(|(index, _)| self.modules.as_loader(index))
            {
                return Ok(Ok(module));
            }
            method = driver.method;
        }
        let found = match &configuration {
            Some(configuration) if kind == LibraryKind::Layer => {
                self.find(&configuration.found.folders, path)?
            }
            _ => None,
        };
        let path = CText::of_bytes(found.as_deref().unwrap_or(path))?;
        let library = match self.system.open(path.as_c_str(), method) {
            Ok(library) => library,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(out_of_memory) = self.open.insert(self.system, library) {
            // SAFETY: the library was just opened, and no code has an address in it.
            unsafe { self.system.close(library) };
            return Err(out_of_memory);
        }
        Ok(Ok(Library(library.handle)))
    }

    /// Finds a layer's library that its manifest names without a folder: in the first folder that
    /// has it.
    fn find(&self, folders: &[(Folder, Search)], path: &[u8]) -> Result<Option<Text>, OutOfMemory> {
        let below = path.strip_prefix(MANIFEST_FOLDER).and_then(|below| below.strip_prefix(b"/"));
        let name = below.unwrap_or(path);
        let name = name.strip_prefix(b"./").unwrap_or(name);
        if name.starts_with(b"/") {
            return Ok(None);
        }
        for (folder, _) in folders {
            let whole = text(&[&folder.path, b"/", name])?;
            let mut is_in_archive = false;
            folder.each_in_archive(self.system, &mut |file: &[u8]| is_in_archive |= file == name)?;
            if is_in_archive || self.system.exists(&whole) {
                return Ok(Some(whole));
            }
        }
        (name.len() < path.len()).then(|| text(&[name])).transpose()
    }

    fn opened(&self, library: Library) -> Option<system::Library> {
        self.open.read(self.system, |open| open.iter().find(|open| open.handle == library.0).copied())
    }
}
