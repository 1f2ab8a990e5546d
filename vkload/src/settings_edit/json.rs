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
const INDENT: &str = "    ";

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
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, depth: usize) {
        match self {
            Self::Scalar(written) => out.push_str(written),
            Self::Object(fields) => {
                let write = |out: &mut String, (name, value): &(String, Self)| {
                    out.push_str(&Value::from(name.as_str()).to_string());
                    out.push_str(": ");
                    value.write(out, depth + 1);
                };
                block(out, depth, ['{', '}'], fields, write);
            }
            Self::Array(values) => {
                let scalars: Option<Vec<&str>> = values.iter().map(Self::written).collect();
                let line = scalars.map(|scalars| format!("[{}]", scalars.join(", ")));
                match line.filter(|line| line.len() <= LINE_LIMIT) {
                    Some(line) => out.push_str(&line),
                    None => block(out, depth, ['[', ']'], values, |out, value| value.write(out, depth + 1)),
                }
            }
        }
    }

    fn written(&self) -> Option<&str> {
        match self {
            Self::Scalar(written) => Some(written),
            _ => None,
        }
    }
}

/// Writes elements between brackets, one a line.
fn block<T>(
    out: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    elements: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push(open);
    for (index, element) in elements.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&INDENT.repeat(depth + 1));
        write(out, element);
    }
    if !elements.is_empty() {
        out.push('\n');
        out.push_str(&INDENT.repeat(depth));
    }
    out.push(close);
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
