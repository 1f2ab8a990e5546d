//! Takes the names of people out of a recording: the home folder and the user's name.

use serde_json::Value;

/// The replacements.
const HOME: &str = "/home/user";
const NAME: &str = "user";
/// Names that do not identify a person.
const NOBODY: &[&str] = &["", "root", "user", "nobody"];

/// Names that must not be in a recording.
pub(super) struct Names {
    home: String,
    names: Vec<String>,
}

impl Names {
    /// Returns the names of this process's user.
    pub(super) fn here() -> Self {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        Self::new(&variable("HOME"), &variable("USER"))
    }

    /// Returns the names for this home folder and this user name, which may belong to different users, as with sudo.
    pub(super) fn new(home: &str, name: &str) -> Self {
        let home = home.trim_end_matches('/');
        let telling = home.matches('/').count() > 1;
        let of_folder = home.strip_prefix("/home/").filter(|rest| !rest.contains('/')).unwrap_or_default();
        let names = [name, of_folder].into_iter().filter(|name| !NOBODY.contains(name));
        Self {
            home: if telling { home.to_owned() } else { String::new() },
            names: names.map(str::to_owned).collect(),
        }
    }

    /// Replaces them in every string, also in the names of fields.
    pub(super) fn take_out(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.without(text),
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.take_out(element)),
            Value::Object(fields) => {
                let renamed = std::mem::take(fields).into_iter().map(|(name, mut field)| {
                    self.take_out(&mut field);
                    (self.without(&name), field)
                });
                *fields = renamed.collect();
            }
            _ => {}
        }
    }

    fn without(&self, text: &str) -> String {
        if self.names.iter().any(|name| name == text) {
            return NAME.to_owned();
        }
        let text = if self.home.is_empty() { text.to_owned() } else { replace_part(text, &self.home, HOME) };
        self.names
            .iter()
            .fold(text, |text, name| replace_part(&text, &format!("/{name}"), &format!("/{NAME}")))
    }
}

/// Replaces `part` if it is followed by the end of a path component.
fn replace_part(text: &str, part: &str, by: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(part) {
        let (before, from) = rest.split_at(at);
        let after = from.get(part.len()..).unwrap_or_default();
        let ends = !after.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_' | '.'));
        out.push_str(before);
        out.push_str(if ends { by } else { part });
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_taken_out_wherever_they_stand() {
        let names = Names::new("/home/ann", "ann");
        let mut value = json!({
            "value": "/home/ann/.local/share:/usr/share",
            "group": "ann",
            "/media/ann/disk": ["/home/annette/x", "the plan of /home/ann, and no more", "ann's", "/opt/ann.so"],
        });
        names.take_out(&mut value);
        assert_eq!(
            value,
            json!({
                "value": "/home/user/.local/share:/usr/share",
                "group": "user",
                "/media/user/disk": ["/home/annette/x", "the plan of /home/user, and no more", "ann's", "/opt/ann.so"],
            })
        );
    }

    #[test]
    fn a_name_that_only_the_home_folder_contains_is_removed() {
        let mut value = json!(["/home/ann/x", "/run/media/ann", "/media/root", "ann"]);
        Names::new("/home/ann", "root").take_out(&mut value);
        assert_eq!(value, json!(["/home/user/x", "/run/media/user", "/media/root", "user"]));
    }

    #[test]
    fn the_administrator_is_nobody() {
        let mut value = json!("/root/.config and root");
        Names::new("/root", "root").take_out(&mut value);
        assert_eq!(value, "/root/.config and root");
    }
}
