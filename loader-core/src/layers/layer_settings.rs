//! Settings passed to layers in addition to those that the application names when it creates an instance
//! (VK_EXT_layer_settings).
//!
//! They come from the platform ([`Environment::with_layer_settings`]) and go down the chain in one of the
//! loader's structures, which lies between two others of the loader and before all of the application's. The
//! first of several settings with one name applies (specification, `VkLayerSettingEXT`), and some layers read
//! only the first structure. So the loader's structure repeats the application's settings for this instance,
//! and adds those that the application leaves unset. No driver gets it.
//!
//! [`Environment::with_layer_settings`]: crate::platform::Environment::with_layer_settings

use core::ffi::{CStr, c_char, c_void};

use ash::vk::{self, TaggedStructure as _};

use super::active::{ActiveLayer, Layers};
use crate::abi::{chain, name};
use crate::log::{Level, Topic};
use crate::logger::Logger;
use crate::manifest::{DeclaredSettings, SIZE_LIMIT};
use crate::memory::{Application, Escaped, OutOfMemory, TryGrow, Vec};
use crate::platform::Files;
use crate::registry::extension;

type Setting = vk::LayerSettingEXT<'static>;
type Settings = vk::LayerSettingsCreateInfoEXT<'static>;

/// Additional settings for an instance's layers. Empty if the platform has none.
pub(crate) struct LayerSettingsChain {
    /// The application's settings, then those that it does not name.
    settings: Vec<Setting, Application>,
    /// The application's extensions and VK_EXT_layer_settings, if that has to be added.
    extensions: Vec<*const c_char, Application>,
}

impl LayerSettingsChain {
    /// Prepares `given`, the platform's settings, for the layers.
    ///
    /// # Safety
    /// `info` comes from vkCreateInstance; `given` are valid settings while this is used.
    pub(crate) unsafe fn new(
        given: &[Setting],
        layers: &[ActiveLayer],
        info: &vk::InstanceCreateInfo<'static>,
        memory: Application,
    ) -> Result<Self, OutOfMemory> {
        let mut told = Self { settings: Vec::new_in(memory), extensions: Vec::new_in(memory) };
        if given.is_empty() {
            return Ok(told);
        }
        // SAFETY: by this function's `# Safety` `info` comes from vkCreateInstance, with its chain and array
        // of names, and `given` are valid settings.
        unsafe {
            for own in of_application(info.p_next) {
                told.settings.try_extend(own)?;
            }
            let own = told.settings.len();
            for setting in given {
                if !told.settings.iter().take(own).any(|other| names(setting) == names(other)) {
                    told.settings.try_push(*setting)?;
                }
            }
            let wanted = extension::EXT_LAYER_SETTINGS.name();
            let enabled = || name::list(info.pp_enabled_extension_names, info.enabled_extension_count);
            let mut offered = layers.iter().flat_map(|layer| &layer.instance_extensions);
            if offered.any(|offered| name::is(offered, wanted)) && enabled().all(|name| name != wanted) {
                for name in enabled() {
                    told.extensions.try_push(name.as_ptr())?;
                }
                told.extensions.try_push(wanted.as_ptr())?;
            }
        }
        Ok(told)
    }

    /// Returns the structure for the chain, followed by `rest`. `None` without settings.
    pub(crate) fn structure(&self, rest: *const c_void) -> Option<Settings> {
        let setting_count = u32::try_from(self.settings.len()).ok().filter(|count| *count > 0)?;
        let p_settings = self.settings.as_ptr();
        Some(Settings { setting_count, p_settings, p_next: rest, ..Settings::default() })
    }

    /// Enables the extension for layers: its structure may only be in the chain if it is enabled.
    pub(crate) fn enable(&self, info: &mut vk::InstanceCreateInfo<'static>) {
        if let Ok(count) = u32::try_from(self.extensions.len())
            && count > 0
        {
            (info.enabled_extension_count, info.pp_enabled_extension_names) =
                (count, self.extensions.as_ptr());
        }
    }
}

/// Warns about settings that reach no layer, once for each layer that they name.
///
/// # Safety
/// `given` are valid settings.
pub unsafe fn warn_of_ignored(given: &[Setting], layers: &[ActiveLayer], logger: &Logger) {
    // SAFETY: by this function's `# Safety` the settings are valid: their names are valid C strings.
    let of = |setting: &Setting| unsafe { names(setting).0 }.unwrap_or_default().to_bytes();
    for (index, setting) in given.iter().enumerate() {
        let layer = of(setting);
        let is_active = layers.iter().any(|active| active.name.as_slice() == layer);
        if !is_active && given.iter().take(index).all(|earlier| of(earlier) != layer) {
            crate::log!(logger, Warning, Layer:
                "settings of the layer {} have no effect: it is not active in this instance; enable it, or \
                 correct the name", Escaped(layer));
        }
    }
}

/// Warns about the application's settings that the manifest of their layer does not declare, or declares with another type. A
/// manifest need not declare any.
///
/// # Safety
/// `first` begins the pNext chain passed to vkCreateInstance.
#[cold]
#[inline(never)]
pub unsafe fn warn_of_undeclared(first: *const c_void, layers: &Layers, files: &dyn Files, logger: &Logger) {
    let mut given = Vec::new();
    // SAFETY: by this function's `# Safety` `first` begins the pNext chain of vkCreateInstance.
    for structure in unsafe { of_application(first) } {
        if given.try_extend(structure).is_err() {
            return;
        }
    }
    if given.is_empty() || !logger.wants(Level::Warning, Topic::Layer) {
        return;
    }
    for layer in layers.candidates() {
        let content = files.read(&layer.path, SIZE_LIMIT).unwrap_or_default();
        let range = layer.manifest.as_ref().map_or(0..0, |manifest| manifest.range.clone());
        let Some(declared) = DeclaredSettings::parse(content.get(range).unwrap_or_default()) else {
            continue;
        };
        for setting in &given {
            // SAFETY: the settings of vkCreateInstance are valid.
            let (Some(of), Some(name)) = (unsafe { names(setting) }) else { continue };
            if of.to_bytes() != layer.name() {
                continue;
            }
            let (lead, written, before_name, part) = match declared.type_of(name.to_bytes()) {
                None => ("no setting ", &b""[..], "", "name"),
                Some(kind) if fits(kind, setting.ty) => continue,
                Some(kind) => ("the type ", kind, " for the setting ", "type"),
            };
            let (path, layer, written, name) =
                (Escaped(&layer.path), Escaped(layer.name()), Escaped(written), Escaped(name.to_bytes()));
            crate::log!(logger, Warning, Layer:
                "{path}: {layer} declares {lead}{written}{before_name}\"{name}\", and may ignore it; \
                 correct the {part}");
        }
    }
}

/// Returns whether values of this type can be those of a setting with the `declared` type.
fn fits(declared: &[u8], kind: vk::LayerSettingTypeEXT) -> bool {
    use vk::LayerSettingTypeEXT as Type;
    let (first, last) = match declared {
        b"BOOL" => (Type::BOOL32, Type::BOOL32),
        b"INT" => (Type::INT32, Type::UINT64),
        b"FLOAT" => (Type::FLOAT32, Type::FLOAT64),
        // Lists contain numbers or texts.
        b"LIST" | b"GROUP" | b"BOOL_NUMERIC" => return true,
        _ => (Type::STRING, Type::STRING),
    };
    first <= kind && kind <= last
}

/// Returns the application's settings, a slice for each of its structures.
///
/// # Safety
/// `first` begins the pNext chain passed to vkCreateInstance.
unsafe fn of_application<'a>(first: *const c_void) -> impl Iterator<Item = &'a [Setting]> {
    // SAFETY: by this function's `# Safety` the chain and its structures are valid, each with as many settings as it says.
    unsafe {
        let all = chain::pointers(first.cast_mut());
        all.filter(|one| (**one).s_type == Settings::STRUCTURE_TYPE).map(|one| {
            let own = &*one.cast::<Settings>();
            if own.p_settings.is_null() || own.setting_count == 0 {
                return &[][..];
            }
            core::slice::from_raw_parts(own.p_settings, own.setting_count as usize)
        })
    }
}

/// Returns the names of a setting's layer and of itself.
///
/// # Safety
/// The setting is valid, or has NULL for names.
unsafe fn names<'a>(setting: &Setting) -> (Option<&'a CStr>, Option<&'a CStr>) {
    // SAFETY: by this function's `# Safety` each name of the setting is NULL or a valid C string.
    let name = |name: *const c_char| (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
    (name(setting.p_layer_name), name(setting.p_setting_name))
}

/// The loader's settings structure, removed from a chain until this is dropped. Layers may copy the chain,
/// and may (and do) write to the loader's structures, so the structure is recognised by its position between
/// two others of the loader.
pub struct DetachedSettings {
    before: *mut vk::BaseOutStructure<'static>,
    settings: *mut vk::BaseOutStructure<'static>,
}

impl DetachedSettings {
    /// Removes the structure if the chain contains it.
    ///
    /// # Safety
    /// `first` begins the pNext chain passed to vkCreateInstance, and stays until this is dropped.
    pub unsafe fn of(first: *const c_void) -> Option<Self> {
        let is_ours = |s_type: vk::StructureType| s_type == vk::StructureType::LOADER_INSTANCE_CREATE_INFO;
        // SAFETY: by this function's `# Safety` `first` begins the pNext chain of vkCreateInstance. Layers
        // may write the loader's structures in it.
        unsafe {
            for before in chain::pointers(first.cast_mut()).filter(|before| is_ours((**before).s_type)) {
                let settings = (*before).p_next;
                if settings.is_null() || (*settings).s_type != Settings::STRUCTURE_TYPE {
                    continue;
                }
                let after = (*settings).p_next;
                if !after.is_null() && is_ours((*after).s_type) {
                    (*before).p_next = after;
                    return Some(Self { before, settings });
                }
            }
        }
        None
    }
}

impl Drop for DetachedSettings {
    fn drop(&mut self) {
        // SAFETY: by the `# Safety` of `of`, the chain stays until this is dropped; `of` wrote to the same
        // place.
        unsafe { (*self.before).p_next = self.settings };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::MaybeUninit;

    fn structure(
        s_type: vk::StructureType,
        next: *mut vk::BaseOutStructure<'static>,
    ) -> [MaybeUninit<usize>; 8] {
        let mut words = [MaybeUninit::new(0); 8];
        // SAFETY: the memory holds at least the beginning of a structure.
        unsafe {
            words.as_mut_ptr().cast::<vk::BaseOutStructure<'_>>().write(vk::BaseOutStructure {
                s_type,
                p_next: next,
                ..Default::default()
            })
        };
        words
    }

    fn types(first: *mut vk::BaseOutStructure<'static>) -> std::vec::Vec<i32> {
        // SAFETY: the chain is well formed.
        unsafe { chain::pointers(first.cast()).map(|one| (*one).s_type.as_raw()).collect() }
    }

    #[test]
    fn only_the_loaders_own_settings_are_taken_out_until_the_drivers_are_made() {
        let (loader, settings) = (vk::StructureType::LOADER_INSTANCE_CREATE_INFO, Settings::STRUCTURE_TYPE);
        let mut next = core::ptr::null_mut();
        let mut all = std::vec::Vec::new();
        // From the end: the application's, the loader's with its own between them, and one that a layer has
        // put before all.
        for s_type in [settings, loader, settings, loader, settings] {
            all.push(std::boxed::Box::new(structure(s_type, next)));
            next = all.last_mut().unwrap().as_mut_ptr().cast();
        }
        let before = types(next);
        // SAFETY: the chain is well formed and may be written.
        let taken = unsafe { DetachedSettings::of(next.cast()) };
        let without = [settings, loader, loader, settings].map(vk::StructureType::as_raw);
        assert_eq!(types(next), without);
        drop(taken);
        assert_eq!(types(next), before);
        // SAFETY: the chain is well formed and may be written.
        assert!(unsafe { DetachedSettings::of(all[0].as_ptr().cast()) }.is_none());
    }
}
