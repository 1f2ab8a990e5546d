//! The validation layer, which checks the runs.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) const NAME: &str = "VK_LAYER_KHRONOS_validation";

/// The layer's settings and its messages.
pub(super) struct Validation {
    settings: PathBuf,
    messages: PathBuf,
}

impl Validation {
    /// Writes settings with which the layer writes its errors to a file in this folder.
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        let (settings, messages) = (folder.join("vk_layer_settings.txt"), folder.join("messages"));
        let text = format!(
            "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\nkhronos_validation.report_flags = error\n\
             khronos_validation.log_filename = {}\n",
            messages.display()
        );
        fs::write(&settings, text).map_err(|error| format!("{}: {error}", settings.display()))?;
        Ok(Self { settings, messages })
    }

    /// Returns the changes to a process's variables.
    pub(super) fn changes(&self) -> [(String, Option<String>); 1] {
        [("VK_LAYER_SETTINGS_PATH".to_owned(), Some(self.settings.display().to_string()))]
    }

    /// Returns the rules that the program broke, each once, and removes the messages.
    pub(super) fn take(&self) -> Vec<String> {
        let text = fs::read(&self.messages).unwrap_or_default();
        let _ = fs::remove_file(&self.messages);
        rules(&String::from_utf8_lossy(&text))
    }
}

/// Returns the names of rules in messages.
fn rules(text: &str) -> Vec<String> {
    let mut rules = Vec::new();
    let words = text.split(|letter: char| letter.is_whitespace() || "[](),|".contains(letter));
    for word in words.map(|word| word.trim_end_matches(['.', ':'])) {
        let is_rule = ["VUID-", "UNASSIGNED-"].iter().any(|prefix| word.starts_with(prefix));
        if is_rule && !rules.iter().any(|known| known == word) {
            rules.push(word.to_owned());
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_named_once() {
        let text = "Validation Error: [ VUID-vkDestroyDevice-device-05137 ] Object 0: handle = 0x1 | text (VUID-a-b-1).\n\
                    Validation Error: [ VUID-vkDestroyDevice-device-05137 ] | UNASSIGNED-x";
        assert_eq!(rules(text), ["VUID-vkDestroyDevice-device-05137", "VUID-a-b-1", "UNASSIGNED-x"]);
    }
}
