//! Words of commands for users to type.

/// Returns a command's argument as a shell reads it.
pub(crate) fn quoted(argument: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:=,@%~".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// Returns a command line as a shell reads it.
pub(crate) fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}
