//! JSON as it was written: with the order of its fields, repeated fields, and each number and string unchanged.

use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Object(Vec<(String, Json)>),
    Array(Vec<Json>),
    /// Everything else, as it is written.
    Scalar(String),
}

/// The length in bytes up to which a list of scalars stays on one line.
const LINE_LIMIT: usize = 100;

impl Json {
    pub(crate) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        // Also limits the depth.
        serde_json::from_str::<Value>(text)?;
        Self::read(text)
    }

    fn read(text: &str) -> Result<Self, serde_json::Error> {
        match text.trim_start().as_bytes().first() {
            Some(b'{') => {
                let fields = serde_json::Deserializer::from_str(text).deserialize_map(Fields)?;
                let read = |(name, value): (String, Box<RawValue>)| Ok((name, Self::read(value.get())?));
                fields.into_iter().map(read).collect::<Result<_, _>>().map(Self::Object)
            }
            Some(b'[') => {
                let values: Vec<Box<RawValue>> = serde_json::from_str(text)?;
                values.iter().map(|value| Self::read(value.get())).collect::<Result<_, _>>().map(Self::Array)
            }
            _ => Ok(Self::Scalar(text.trim().to_owned())),
        }
    }

    pub(crate) fn string(text: &str) -> Self {
        Self::Scalar(Value::from(text).to_string())
    }

    pub(crate) fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.map(|(name, value)| (name.to_owned(), value)).into())
    }

    pub(crate) fn text(&self) -> Option<String> {
        let Self::Scalar(written) = self else { return None };
        serde_json::from_str(written).ok()
    }

    /// Returns a field by its name, in whatever case: the first, if it is repeated.
    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn field_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Sets a field of an object: in its place, or at the end if it is new.
    pub(crate) fn set(&mut self, name: &str, value: Self) {
        if let Some(field) = self.field_mut(name) {
            *field = value;
        } else if let Self::Object(fields) = self {
            fields.push((name.to_owned(), value));
        }
    }

    /// Removes a field, however often it occurs.
    pub(crate) fn remove(&mut self, name: &str) {
        if let Self::Object(fields) = self {
            fields.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        }
    }

    /// Returns the elements of the list in this field. Empty if it is missing or no list.
    pub(crate) fn list(&self, name: &str) -> &[Self] {
        match self.field(name) {
            Some(Self::Array(values)) => values,
            _ => &[],
        }
    }

    pub(crate) fn list_mut(&mut self, name: &str) -> &mut [Self] {
        match self.field_mut(name) {
            Some(Self::Array(values)) => values,
            _ => &mut [],
        }
    }

    pub(crate) fn render(&self) -> String {
        self.written() + "\n"
    }

    fn written(&self) -> String {
        let (open, elements, close) = match self {
            Self::Scalar(written) => return written.clone(),
            Self::Array(values) => ('[', values.iter().map(Self::written).collect::<Vec<_>>(), ']'),
            Self::Object(fields) => {
                let name = |name: &String| Value::from(name.as_str());
                let field = |(of, value): &(String, Self)| format!("{}: {}", name(of), value.written());
                ('{', fields.iter().map(field).collect(), '}')
            }
        };
        let line = format!("{open}{}{close}", elements.join(", "));
        let has_scalars =
            matches!(self, Self::Array(values) if values.iter().all(|it| matches!(it, Self::Scalar(_))));
        if elements.is_empty() || (has_scalars && line.len() <= LINE_LIMIT) {
            return line;
        }
        let lines = elements.iter().map(|element| format!("\n{element}")).collect::<Vec<_>>().join(",");
        // No scalar contains the end of a line.
        format!("{open}{}\n{close}", lines.replace('\n', "\n    "))
    }
}

/// Reads the fields of an object in their order.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, Box<RawValue>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_numbers_strings_and_repeated_fields_stay_as_they_were() {
        let text = "{\n    \"z\": 1.10,\n    \"a\": [1, 18446744073709551616],\n    \"z\": \"\\u00e9\",\n    \"o\": [\n        {}\n    ]\n}\n";
        let json = Json::parse(text).unwrap();
        assert_eq!(json.render(), text);
        assert_eq!(json.field("Z"), Some(&Json::Scalar("1.10".into())));
        assert!(Json::parse("{\"a\": }").is_err() && Json::parse(&"[".repeat(1000)).is_err());
    }
}
