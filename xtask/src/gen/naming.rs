//! From the registry's names to Rust's.

/// Returns the constant of a command: `vkGetPhysicalDeviceFeatures2KHR` is `GET_PHYSICAL_DEVICE_FEATURES_2_KHR`. A number at the end of a
/// word is a word of its own, as in the registry's `VkStructureType`.
pub(super) fn command(name: &str) -> String {
    let name = WHOLE_WORDS.iter().fold(name.to_owned(), |name, (word, plain)| name.replace(word, plain));
    let letters: Vec<char> = name.strip_prefix("vk").unwrap_or(&name).chars().collect();
    let mut constant = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts_word = match before {
            None => false,
            Some(before) if letter.is_ascii_digit() => before.is_ascii_lowercase(),
            Some(before) if letter.is_ascii_uppercase() => {
                !before.is_ascii_uppercase() || after.is_some_and(char::is_ascii_lowercase)
            }
            Some(_) => false,
        };
        if starts_word {
            constant.push('_');
        }
        constant.push(letter.to_ascii_uppercase());
    }
    constant.replace("WIN_32", "WIN32")
}

/// Words that their capitals would cut.
const WHOLE_WORDS: [(&str, &str); 2] = [("RandROutput", "RandrOutput"), ("MacOSSurface", "MacosSurface")];

/// Returns the constant of an extension: `VK_KHR_surface` is `KHR_SURFACE`.
pub(super) fn extension(name: &str) -> String {
    name.strip_prefix("VK_").unwrap_or(name).to_ascii_uppercase()
}

/// Returns the variant of a platform: `xlib_xrandr` is `XlibXrandr`.
pub(super) fn platform(name: &str) -> String {
    if name == "directfb" {
        return "DirectFb".to_owned();
    }
    name.split('_').map(capitalised).collect()
}

pub(super) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn constants_of_commands() {
        assert_eq!(command("vkCmdDraw"), "CMD_DRAW");
        assert_eq!(command("vkGetPhysicalDeviceFeatures2KHR"), "GET_PHYSICAL_DEVICE_FEATURES_2_KHR");
        assert_eq!(command("vkCreateIOSSurfaceMVK"), "CREATE_IOS_SURFACE_MVK");
        assert_eq!(command("vkCreateMacOSSurfaceMVK"), "CREATE_MACOS_SURFACE_MVK");
        assert_eq!(command("vkGetRandROutputDisplayEXT"), "GET_RANDR_OUTPUT_DISPLAY_EXT");
        assert_eq!(command("vkCreateWin32SurfaceKHR"), "CREATE_WIN32_SURFACE_KHR");
    }
}
