//! The settings that a layer's manifest declares in its "features".
#![forbid(unsafe_code)]

use crate::manifest::json::{self, Items, Str, Value};

/// The settings that a layer declares, which may contain further ones.
pub struct DeclaredSettings<'a>(Value<'a>);

impl<'a> DeclaredSettings<'a> {
    /// Finds them in the bytes of a layer's object. `None` if it declares none.
    pub fn parse(object: &'a [u8]) -> Option<Self> {
        json::parse(object).ok()?.member("features")?.member("settings").map(Self)
    }

    #[must_use]
    pub fn type_of(&self, name: &[u8]) -> Option<&'a [u8]> {
        type_in(Some(&self.0), name)
    }
}

/// Looks in a list of settings, in the settings of each, and in the settings of their flags. Each level is a level of the
/// document's brackets, whose number is limited.
fn type_in<'a>(list: Option<&Value<'a>>, name: &[u8]) -> Option<&'a [u8]> {
    Items::from(list).find_map(|setting| {
        let (mut is_it, mut kind, mut inside) = (false, None, None);
        for (key, value) in setting.members() {
            let text = value.string().map(Str::as_written);
            match key.as_written() {
                b"key" => is_it = text == Some(name),
                b"type" => kind = text,
                b"settings" | b"flags" => inside = inside.or_else(|| type_in(Some(&value), name)),
                _ => (),
            }
        }
        kind.filter(|_| is_it).or(inside)
    })
}
