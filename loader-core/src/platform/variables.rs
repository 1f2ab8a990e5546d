//! Every environment variable that the loader reads, and who may set it. `docs/environment.md`
//! explains them; tests compare it with this table, and start elevated programs with each of them.
//!
//! In addition, manifests of implicit layers name variables. Those that turn a layer off are read with [`Reader::Plain`], those that turn one
//! on like `VK_INSTANCE_LAYERS`.
#![forbid(unsafe_code)]

use core::ffi::CStr;

use super::Reader;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: &'static CStr,
    /// How it is read: with [`Reader::Secure`], elevated processes ignore it.
    pub reader: Reader,
}

macro_rules! variables {
    ($($reader:ident: $($name:ident)*;)*) => {
        $($(
            #[doc = concat!("`", stringify!($name), "`.")]
            pub const $name: Variable = Variable {
                name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                },
                reader: Reader::$reader,
            };
        )*)*

        pub const ALL: &[Variable] = &[$($($name),*),*];
    };
}

// Variables that lead to code of the user's choice are ignored if the user has fewer rights than the process.
// The others select among files that the administrator has installed, or configure reports.
variables! {
    Secure: VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES VK_LOADER_DRIVERS_SELECT VK_LOADER_DRIVERS_DISABLE;
    Secure: VK_LAYER_PATH VK_ADD_LAYER_PATH VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH;
    Secure: VK_INSTANCE_LAYERS VK_LOADER_LAYERS_ENABLE VK_LOADER_LAYERS_DISABLE VK_LOADER_LAYERS_ALLOW;
    Secure: XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS HOME;
    Secure: VK_LOADER_DEVICE_ID_FILTER VK_LOADER_VENDOR_ID_FILTER VK_LOADER_DRIVER_ID_FILTER;
    Plain: VK_DEVICE_LAYERS;
    Plain: VK_LOADER_DEVICE_SELECT VK_LOADER_X_SOFTWARE_DEVICES_LAST;
    Plain: VK_LOADER_DISABLE_SELECT VK_LOADER_DISABLE_INST_EXT_FILTER;
    Plain: VK_LOADER_DEBUG VK_LOADER_X_QUIET VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::devices::FILTERS;
    use crate::discovery::{Fallback, LayerVariables, Policy, Root, Search};

    static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");

    #[test]
    fn the_search_reads_its_variables_as_the_table_says() {
        let policy = Policy::linux(&ROOTS);
        let of_search = |search: Search| {
            let others = [search.adding, search.select, search.disable].into_iter().flatten();
            search.replacing.iter().copied().chain(others).collect::<std::vec::Vec<_>>()
        };
        let LayerVariables { names, enable, disable, allow } = policy.layers;
        let mut read = std::vec![names, enable, disable, allow];
        for search in [policy.drivers, policy.implicit_layers, policy.explicit_layers] {
            read.extend(of_search(search));
        }
        for root in policy.roots {
            let Root::Variable { name, fallback } = root else { continue };
            read.push(name);
            if let Fallback::InHome(_) = fallback {
                read.push(HOME.name);
            }
        }
        for name in &read {
            let row = ALL.iter().find(|row| row.name == *name).unwrap();
            assert_eq!(row.reader, policy.reader, "{name:?}");
        }
        read.extend(FILTERS.map(|filter| filter.name));
        let others = ALL.iter().filter(|row| !read.contains(&row.name));
        for other in others {
            assert_eq!(other.reader, Reader::Plain, "{:?} is read by nobody as the table says", other.name);
        }
    }

    #[test]
    fn names_are_spelled_once() {
        for (index, row) in ALL.iter().enumerate() {
            assert!(!row.name.is_empty());
            assert!(!ALL[..index].iter().any(|earlier| earlier.name == row.name), "{:?}", row.name);
        }
    }
}
