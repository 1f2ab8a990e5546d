//! A program's settings for this layer at instance creation (VK_EXT_layer_settings).

use core::ffi::{CStr, c_char, c_void};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use ash::vk::{self, LayerSettingTypeEXT as Type, TaggedStructure as _};
use vkload_core::abi::chain;

use super::{EVENTS, FILE, REPORTS};
use crate::NAME;

/// A setting that this layer has.
struct Known {
    name: &'static str,
    types: &'static [Type],
    /// How many values it may have.
    most: u32,
    /// The expected form, for people.
    form: &'static str,
}

const KNOWN: [Known; 3] = [
    Known { name: REPORTS, types: &[Type::STRING], most: u32::MAX, form: "strings" },
    Known { name: FILE, types: &[Type::STRING], most: 1, form: "one string" },
    Known {
        name: EVENTS,
        types: &[Type::UINT32, Type::UINT64, Type::INT32, Type::INT64, Type::STRING],
        most: 1,
        form: "one integer or string",
    },
];

/// The settings that a program gives this layer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// As environment variables would have them; several values are separated by commas.
    values: Vec<(&'static str, OsString)>,
    /// The problems of the other settings.
    pub(super) complaints: Vec<String>,
}

impl Given {
    /// Returns the settings of all structures in the chain. Of several with one name the first is used (specification,
    /// `VkLayerSettingEXT`).
    ///
    /// # Safety
    /// `first` begins the chain of a valid `VkInstanceCreateInfo`.
    pub(super) unsafe fn in_chain(first: *const c_void) -> Self {
        let mut given = Self::default();
        // SAFETY: the caller vouches for the chain: a structure is what its type says, with as many settings as it counts, which have
        // names and as many values as they count.
        unsafe {
            for structure in chain::pointers(first.cast_mut()) {
                if (*structure).s_type != vk::LayerSettingsCreateInfoEXT::STRUCTURE_TYPE {
                    continue;
                }
                let info = &*structure.cast::<vk::LayerSettingsCreateInfoEXT<'_>>();
                for setting in array(info.p_settings, info.setting_count) {
                    if text(setting.p_layer_name) == Some(NAME.to_bytes()) {
                        given.add(setting);
                    }
                }
            }
        }
        given
    }

    /// Returns the value of a setting.
    pub(super) fn value(&self, name: &str) -> Option<OsString> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }

    /// Returns whether the program says nothing to this layer that it understands.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// # Safety
    /// The setting is valid.
    unsafe fn add(&mut self, setting: &vk::LayerSettingEXT<'_>) {
        // SAFETY: the caller vouches for the setting.
        let (name, value) = unsafe { (text(setting.p_setting_name).unwrap_or_default(), value(setting)) };
        let Some(known) = KNOWN.iter().find(|known| known.name.as_bytes() == name) else {
            return self.complaints.push(format!(
                "unknown setting {}, ignored; the settings are {REPORTS}, {FILE} and {EVENTS}",
                String::from_utf8_lossy(name)
            ));
        };
        if !known.types.contains(&setting.ty) || setting.value_count > known.most {
            return self.complaints.push(format!(
                "the setting {} is ignored, since its type or number of values is wrong; it has to be {}",
                known.name, known.form
            ));
        }
        if self.value(known.name).is_none() {
            self.values.push((known.name, value));
        }
    }
}

/// Returns the values of a setting as an environment variable would have them; nothing for types that no setting has.
///
/// # Safety
/// The setting is valid.
unsafe fn value(setting: &vk::LayerSettingEXT<'_>) -> OsString {
    let (values, count) = (setting.p_values, setting.value_count);
    // SAFETY: the caller vouches for the setting: by its type it has so many strings or numbers.
    let words: Vec<OsString> = unsafe {
        match setting.ty {
            Type::STRING => array::<*const c_char>(values.cast(), count)
                .iter()
                .map(|string| OsStr::from_bytes(text(*string).unwrap_or_default()).to_owned())
                .collect(),
            Type::UINT32 => numbers::<u32>(values, count),
            Type::UINT64 => numbers::<u64>(values, count),
            Type::INT32 => numbers::<i32>(values, count),
            Type::INT64 => numbers::<i64>(values, count),
            _ => Vec::new(),
        }
    };
    words.join(OsStr::new(","))
}

/// # Safety
/// As for [`array`].
unsafe fn numbers<T: ToString>(first: *const c_void, count: u32) -> Vec<OsString> {
    // SAFETY: the caller vouches for the array.
    unsafe { array::<T>(first.cast(), count) }.iter().map(|number| number.to_string().into()).collect()
}

/// # Safety
/// `first` is NULL or leads to this number of elements, which live for `'a`.
unsafe fn array<'a, T>(first: *const T, count: u32) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the array.
    unsafe { core::slice::from_raw_parts(first, count as usize) }
}

/// # Safety
/// `string` is NULL or a string that lives for `'a`.
unsafe fn text<'a>(string: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: the caller vouches for the string.
    (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) }.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a setting for a layer with this number of values.
    fn setting<T>(layer: &CStr, name: &CStr, ty: Type, values: &[T]) -> vk::LayerSettingEXT<'static> {
        vk::LayerSettingEXT {
            p_layer_name: layer.as_ptr(),
            p_setting_name: name.as_ptr(),
            ty,
            value_count: values.len() as u32,
            p_values: values.as_ptr().cast(),
            ..Default::default()
        }
    }

    /// Returns the settings in two structures, with a structure of another type between them.
    fn read(first: &[vk::LayerSettingEXT<'_>], second: &[vk::LayerSettingEXT<'_>]) -> Given {
        let second = vk::LayerSettingsCreateInfoEXT::default().settings(second);
        let between =
            vk::BaseOutStructure { p_next: (&raw const second).cast_mut().cast(), ..Default::default() };
        let first = vk::LayerSettingsCreateInfoEXT {
            p_next: (&raw const between).cast(),
            ..vk::LayerSettingsCreateInfoEXT::default().settings(first)
        };
        // SAFETY: it is a chain of three valid structures.
        unsafe { Given::in_chain((&raw const first).cast()) }
    }

    #[test]
    fn values_of_every_type_that_a_setting_may_have_are_read() {
        let words = [c"json".as_ptr(), c"trace".as_ptr()];
        let settings = [
            setting(NAME, c"VKLOAD_STATISTICS", Type::STRING, &words),
            setting(NAME, c"VKLOAD_STATISTICS_FILE", Type::STRING, &[c"/tmp/a".as_ptr()]),
        ];
        let given = read(&settings, &[setting(NAME, c"VKLOAD_STATISTICS_EVENTS", Type::UINT32, &[5_u32])]);
        assert_eq!(given.value(REPORTS), Some("json,trace".into()));
        assert_eq!(given.value(FILE), Some("/tmp/a".into()));
        assert_eq!((given.value(EVENTS), &given.complaints[..]), (Some("5".into()), &[][..]));
        for (ty, value) in [(Type::UINT64, 6_i64), (Type::INT64, 6)] {
            let given = read(&[], &[setting(NAME, c"VKLOAD_STATISTICS_EVENTS", ty, &[value])]);
            assert_eq!(given.value(EVENTS), Some("6".into()), "{}", ty.as_raw());
        }
    }

    #[test]
    fn of_several_values_the_first_is_used_and_other_layers_keep_theirs() {
        let number =
            |layer, number: &[u32; 1]| setting(layer, c"VKLOAD_STATISTICS_EVENTS", Type::UINT32, number);
        let given = read(&[number(c"VK_LAYER_other", &[1]), number(NAME, &[2])], &[number(NAME, &[3])]);
        assert_eq!((given.value(EVENTS), given.complaints.len()), (Some("2".into()), 0));
    }

    #[test]
    fn settings_that_cannot_be_used_are_named() {
        let settings = [
            setting(NAME, c"VKLOAD_STATISTIC", Type::BOOL32, &[1_u32]),
            setting(NAME, c"VKLOAD_STATISTICS_FILE", Type::UINT32, &[1_u32]),
            setting(NAME, c"VKLOAD_STATISTICS_EVENTS", Type::UINT32, &[1_u32, 2]),
        ];
        let given = read(&settings, &[]);
        assert!(given.is_empty());
        for (complaint, part) in given.complaints.iter().zip([
            "unknown setting VKLOAD_STATISTIC,",
            "be one string",
            "be one integer or string",
        ]) {
            assert!(complaint.contains(part), "{complaint}");
        }
        assert_eq!(given.complaints.len(), 3);
    }
}
