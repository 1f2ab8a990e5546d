//! The tree of installed files.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::built::Built;
use super::options::Options;
use super::output::vulkan_version;
use super::plugins::PLUGINS;
use crate::Failure;
use crate::workspace::{read, root};

/// A folder to use as `/`.
pub(crate) struct Tree {
    root: PathBuf,
}

pub(super) const DATA: u32 = 0o644;
const PROGRAM: u32 = 0o755;

impl Tree {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub(crate) fn install(&self, built: &Built, options: &Options) -> Result<(), Failure> {
        let version = vulkan_version()?;
        let (libraries, share) = (&options.libdir, options.prefix.join("share"));
        let full_name = format!("libvulkan.so.{version}");
        self.copy(&built.library, &options.shared.join(&full_name), DATA)?;
        self.link(&full_name, &options.shared.join("libvulkan.so.1"))?;
        self.link("libvulkan.so.1", &options.shared.join("libvulkan.so"))?;
        self.copy(&built.archive, &libraries.join("libvkload.a"), DATA)?;
        self.write(
            &libraries.join("pkgconfig/vulkan.pc"),
            &package_config(options, &version, Linking::Shared),
        )?;
        self.write(
            &libraries.join("pkgconfig/vkload.pc"),
            &package_config(options, &version, Linking::Static),
        )?;
        if let Some(tool) = &built.tool {
            self.copy(tool, &options.prefix.join("bin/vkload"), PROGRAM)?;
            self.install_pages(&built.pages, &share, options.deb)?;
        }
        for (plugin, library) in PLUGINS.iter().zip(&built.plugins) {
            plugin.install(self, library, options)?;
        }
        for page in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            self.copy(&root().join(page), &share.join("doc/vkload").join(page), DATA)?;
        }
        Ok(())
    }

    fn install_pages(&self, pages: &Path, share: &Path, deb: bool) -> Result<(), Failure> {
        for entry in fs::read_dir(pages)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).ok_or("a page without a name")?;
            self.copy(&path, &share.join(page(name, deb)), DATA)?;
        }
        Ok(())
    }

    /// Returns the path in the tree of a file to be installed at `path`.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Copies a file.
    pub(crate) fn copy(&self, from: &Path, to: &Path, mode: u32) -> Result<(), Failure> {
        self.replace(&read(from)?, to, mode)
    }

    pub(crate) fn write(&self, to: &Path, text: &str) -> Result<(), Failure> {
        self.replace(text.as_bytes(), to, DATA)
    }

    /// Puts a file where another one may be in use, which programs that have it open keep.
    fn replace(&self, bytes: &[u8], to: &Path, mode: u32) -> Result<(), Failure> {
        let to = self.path(to);
        let new = new_name(&to);
        make_folder_of(&to)?;
        fs::write(&new, bytes).map_err(|error| format!("{}: {error}", new.display()))?;
        fs::set_permissions(&new, Permissions::from_mode(mode))?;
        fs::rename(&new, &to)?;
        Ok(())
    }

    fn link(&self, target: &str, name: &Path) -> Result<(), Failure> {
        let name = self.path(name);
        let new = new_name(&name);
        make_folder_of(&name)?;
        let _ = fs::remove_file(&new);
        symlink(target, &new).map_err(|error| format!("{}: {error}", new.display()))?;
        fs::rename(&new, &name)?;
        Ok(())
    }
}

/// Returns the folder in which man and the shells look for a page of this name, below `share`. Debian leaves zsh's usual folder to the
/// administrator.
fn page(name: &str, deb: bool) -> PathBuf {
    let (folder, name) = match name {
        "_vkload" if deb => ("zsh/vendor-completions", name),
        "_vkload" => ("zsh/site-functions", name),
        "vkload.bash" => ("bash-completion/completions", "vkload"),
        "vkload.fish" => ("fish/vendor_completions.d", name),
        _ => ("man/man1", name),
    };
    Path::new(folder).join(name)
}

fn new_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".vkload-new");
    name.into()
}

fn make_folder_of(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().ok_or("a path without a folder")?;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(())
}

/// How programs get the library.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linking {
    Shared,
    Static,
}

/// Returns the file for `pkg-config`. Before version 2.34 of the GNU C library `dlopen` and threads were in libraries of their own.
fn package_config(options: &Options, version: &str, linking: Linking) -> String {
    let (prefix, libraries) = (options.prefix.display(), &options.libdir);
    let libraries = match libraries.strip_prefix(&options.prefix) {
        Ok(below) => format!("${{prefix}}/{}", below.display()),
        Err(_) => libraries.display().to_string(),
    };
    let (name, description, library) = match linking {
        Linking::Shared => ("Vulkan-Loader", "Vulkan loader", "-lvulkan"),
        Linking::Static => ("vkload", "Vulkan loader to link into a program", "-lvkload -ldl -lpthread"),
    };
    let private = if linking == Linking::Shared { "Libs.private: -ldl -lpthread\n" } else { "" };
    let symbols = match linking {
        Linking::Static => format!("symbolprefix={}\n", options.symbol_prefix),
        Linking::Shared => String::new(),
    };
    format!(
        "prefix={prefix}\nexec_prefix=${{prefix}}\nlibdir={libraries}\nincludedir=${{prefix}}/include\n{symbols}\n\
         Name: {name}\nDescription: {description}\nVersion: {version}\nLibs: -L${{libdir}} {library}\n{private}\
         Cflags: -I${{includedir}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_are_where_the_shells_look() {
        for (name, deb, expected) in [
            ("vkload.bash", false, "bash-completion/completions/vkload"),
            ("vkload.fish", true, "fish/vendor_completions.d/vkload.fish"),
            ("_vkload", false, "zsh/site-functions/_vkload"),
            ("_vkload", true, "zsh/vendor-completions/_vkload"),
            ("vkload-info.1", true, "man/man1/vkload-info.1"),
        ] {
            assert_eq!(page(name, deb), Path::new(expected));
        }
    }
}
