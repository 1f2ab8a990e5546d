//! A layer's settings: environment variables, and a program's settings at instance creation (VK_EXT_layer_settings).

use core::ffi::{CStr, c_char, c_void};
use std::env;
use std::ffi::{OsStr, OsString};

use ash::vk::{self, LayerSettingTypeEXT as Type, TaggedStructure as _};
use vkload_core::abi::chain;

use crate::layer::{Layer, Setting, SettingKind};
use crate::message;

/// The values of a layer's [`SETTINGS`](Layer::SETTINGS).
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// As environment variables would have them: several values are separated by commas.
    values: Vec<(&'static str, OsString)>,
}

/// Returns whether the process has more rights than its user, as with set-user-id or file capabilities. A layer then must not write files that
/// the user names.
pub fn is_elevated() -> bool {
    // SAFETY: has no preconditions.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

impl Settings {
    /// Returns the value of a setting; several values are separated by commas.
    pub fn text(&self, name: &str) -> Option<&OsStr> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_os_str())
    }

    /// Returns the values of a setting, without empty ones; none if it is not set.
    pub fn words(&self, name: &str) -> Vec<String> {
        let text = self.text(name).map(OsStr::to_string_lossy).unwrap_or_default();
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    /// Returns the value of a setting as a number. An [`Integer`](SettingKind::Integer) that is none was reported and ignored.
    pub fn number(&self, name: &str) -> Option<u64> {
        number(self.text(name)?)
    }

    /// Returns whether a setting is `true`, or any number but 0.
    pub fn is_on(&self, name: &str) -> bool {
        let text = self.text(name).map(OsStr::to_string_lossy).unwrap_or_default();
        text.trim().eq_ignore_ascii_case("true") || text.trim().parse().is_ok_and(|number: i64| number != 0)
    }

    /// Reads the environment's values, and the program's for the rest. Names problems of the program's to the user.
    pub(crate) fn read<L: Layer>(of_program: &[&vk::LayerSettingsCreateInfoEXT<'_>]) -> Self {
        let (of_program, problems) = Self::of_program::<L>(of_program);
        problems.iter().for_each(|problem| message::log::<L>(problem));
        of_program.or_environment::<L>(|problem| message::log::<L>(problem))
    }

    /// Returns whether a later instance's settings differ from these. An instance without settings has the same ones.
    pub(crate) fn are_different<L: Layer>(&self, later: &[&vk::LayerSettingsCreateInfoEXT<'_>]) -> bool {
        let later = Self::of_program::<L>(later).0;
        !later.values.is_empty() && later.or_environment::<L>(|_| ()) != *self
    }

    /// Returns these settings, overridden by the environment's.
    fn or_environment<L: Layer>(self, report: impl Fn(&str)) -> Self {
        let value = |setting: &Setting| {
            let value = env::var_os(setting.name).or_else(|| self.text(setting.name).map(OsStr::to_owned))?;
            if setting.kind == SettingKind::Integer && number(&value).is_none() {
                report(&format!("{} is ignored: {} is not a number", setting.name, value.to_string_lossy()));
                return None;
            }
            Some((setting.name, value))
        };
        Self { values: L::SETTINGS.iter().filter_map(value).collect() }
    }

    /// Returns the structures with settings in a chain.
    ///
    /// # Safety
    /// `first` begins the chain of a valid `VkInstanceCreateInfo`.
    pub(crate) unsafe fn structures<'a>(first: *const c_void) -> Vec<&'a vk::LayerSettingsCreateInfoEXT<'a>> {
        // SAFETY: the caller vouches for the chain: a structure is what its type says.
        unsafe {
            chain::structures(first)
                .filter(|structure| structure.s_type == vk::LayerSettingsCreateInfoEXT::STRUCTURE_TYPE)
                .map(|structure| &*core::ptr::from_ref(structure).cast())
                .collect()
        }
    }

    /// Returns the settings for this layer, and the problems of the others. Of several with one name the first is used (specification,
    /// `VkLayerSettingEXT`).
    fn of_program<L: Layer>(structures: &[&vk::LayerSettingsCreateInfoEXT<'_>]) -> (Self, Vec<String>) {
        let (mut settings, mut problems) = (Self::default(), Vec::new());
        for info in structures {
            // SAFETY: the structures come from a valid chain: they have as many settings as they count, with names, and as many values as
            // they count.
            unsafe {
                for setting in array(info.p_settings, info.setting_count) {
                    if text(setting.p_layer_name) == Some(L::NAME.to_bytes()) {
                        settings.add(L::SETTINGS, setting).unwrap_or_else(|problem| problems.push(problem));
                    }
                }
            }
        }
        (settings, problems)
    }

    /// Adds a program's setting, or returns its problem.
    ///
    /// # Safety
    /// The setting is valid.
    unsafe fn add(&mut self, all: &[Setting], setting: &vk::LayerSettingEXT<'_>) -> Result<(), String> {
        // SAFETY: the caller vouches for the setting.
        let (name, value) = unsafe { (text(setting.p_setting_name).unwrap_or_default(), value(setting)) };
        let Some(known) = all.iter().find(|known| known.name.as_bytes() == name) else {
            let names: Vec<&str> = all.iter().map(|known| known.name).collect();
            return Err(format!(
                "unknown setting {}, ignored; the settings are {}",
                String::from_utf8_lossy(name),
                names.join(", ")
            ));
        };
        let (types, most, form) = known.kind.form();
        if !types.contains(&setting.ty) || setting.value_count > most {
            return Err(format!(
                "the setting {} is ignored, since its type or number of values is wrong; it has to be {form}",
                known.name
            ));
        }
        if self.text(known.name).is_none() {
            self.values.push((known.name, value));
        }
        Ok(())
    }
}

impl SettingKind {
    /// Returns the types that a setting may have, the most values, and the form for people.
    fn form(self) -> (&'static [Type], u32, &'static str) {
        match self {
            Self::String => (&[Type::STRING], 1, "one string"),
            Self::Strings => (&[Type::STRING], u32::MAX, "strings"),
            Self::Integer => (
                &[Type::UINT32, Type::UINT64, Type::INT32, Type::INT64, Type::STRING],
                1,
                "one integer or string",
            ),
            Self::Bool => (&[Type::BOOL32, Type::STRING], 1, "one VkBool32 or string"),
        }
    }
}

fn number(text: &OsStr) -> Option<u64> {
    text.to_str()?.trim().parse().ok()
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
                .map(|string| String::from_utf8_lossy(text(*string).unwrap_or_default()).into_owned().into())
                .collect(),
            Type::BOOL32 | Type::UINT32 => numbers::<u32>(values, count),
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

    const NAME: &CStr = <Example as Layer>::NAME;
    const REPORTS: &str = "VKLOAD_TEST_REPORTS";
    const FILE: &str = "VKLOAD_TEST_FILE";
    const EVENTS: &str = "VKLOAD_TEST_EVENTS";
    const ON: &str = "VKLOAD_TEST_ON";

    const fn named(name: &'static str, kind: SettingKind) -> Setting {
        Setting::new(name, kind, "")
    }

    struct Example;

    impl Layer for Example {
        const NAME: &'static CStr = c"VK_LAYER_VKLOAD_test";
        const DESCRIPTION: &'static str = "";
        const SETTINGS: &'static [Setting] = &[
            named(REPORTS, SettingKind::Strings),
            named(FILE, SettingKind::String),
            named(EVENTS, SettingKind::Integer),
            named(ON, SettingKind::Bool),
        ];
        type Instance = ();
        type Device = ();
    }

    crate::export!(Example:);

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
    fn read(
        first: &[vk::LayerSettingEXT<'_>],
        second: &[vk::LayerSettingEXT<'_>],
    ) -> (Settings, Vec<String>) {
        let second = vk::LayerSettingsCreateInfoEXT::default().settings(second);
        let between =
            vk::BaseOutStructure { p_next: (&raw const second).cast_mut().cast(), ..Default::default() };
        let first = vk::LayerSettingsCreateInfoEXT {
            p_next: (&raw const between).cast(),
            ..vk::LayerSettingsCreateInfoEXT::default().settings(first)
        };
        // SAFETY: it is a chain of three valid structures.
        Settings::of_program::<Example>(&unsafe { Settings::structures((&raw const first).cast()) })
    }

    #[test]
    fn values_of_every_type_that_a_setting_may_have_are_read() {
        let words = [c"json".as_ptr(), c" trace".as_ptr(), c"".as_ptr()];
        let first = [
            setting(NAME, c"VKLOAD_TEST_REPORTS", Type::STRING, &words),
            setting(NAME, c"VKLOAD_TEST_FILE", Type::STRING, &[c"/tmp/a".as_ptr()]),
            setting(NAME, c"VKLOAD_TEST_ON", Type::BOOL32, &[1_u32]),
        ];
        let (settings, problems) =
            read(&first, &[setting(NAME, c"VKLOAD_TEST_EVENTS", Type::UINT32, &[5_u32])]);
        assert_eq!(settings.words(REPORTS), ["json", "trace"]);
        assert_eq!(settings.text(FILE), Some(OsStr::new("/tmp/a")));
        assert_eq!((settings.number(EVENTS), settings.number(FILE)), (Some(5), None));
        assert!(settings.is_on(ON) && !settings.is_on(FILE) && problems.is_empty());
        for (ty, value) in [(Type::UINT64, 6_i64), (Type::INT64, 6)] {
            let (settings, _) = read(&[], &[setting(NAME, c"VKLOAD_TEST_EVENTS", ty, &[value])]);
            assert_eq!(settings.number(EVENTS), Some(6), "{}", ty.as_raw());
        }
    }

    #[test]
    fn of_several_values_the_first_is_used_and_other_layers_keep_theirs() {
        let number = |layer, number: &[u32; 1]| setting(layer, c"VKLOAD_TEST_EVENTS", Type::UINT32, number);
        let (settings, problems) =
            read(&[number(c"VK_LAYER_other", &[1]), number(NAME, &[2])], &[number(NAME, &[3])]);
        assert_eq!((settings.number(EVENTS), problems.len()), (Some(2), 0));
    }

    #[test]
    fn an_integer_that_is_no_number_is_reported_and_ignored() {
        let (settings, _) =
            read(&[], &[setting(NAME, c"VKLOAD_TEST_EVENTS", Type::STRING, &[c"many".as_ptr()])]);
        let problems = core::cell::RefCell::new(Vec::new());
        let settings =
            settings.or_environment::<Example>(|problem| problems.borrow_mut().push(problem.to_owned()));
        assert_eq!(settings, Settings::default());
        assert_eq!(*problems.borrow(), ["VKLOAD_TEST_EVENTS is ignored: many is not a number"]);
    }

    #[test]
    fn settings_that_cannot_be_used_are_named() {
        let first = [
            setting(NAME, c"VKLOAD_TEST_REPORT", Type::BOOL32, &[1_u32]),
            setting(NAME, c"VKLOAD_TEST_FILE", Type::UINT32, &[1_u32]),
            setting(NAME, c"VKLOAD_TEST_EVENTS", Type::UINT32, &[1_u32, 2]),
        ];
        let (settings, problems) = read(&first, &[]);
        assert_eq!(settings, Settings::default());
        for (problem, part) in problems.iter().zip([
            "unknown setting VKLOAD_TEST_REPORT,",
            "be one string",
            "be one integer or string",
        ]) {
            assert!(problem.contains(part), "{problem}");
        }
        assert_eq!(problems.len(), 3);
    }
}
