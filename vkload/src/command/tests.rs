use super::*;

/// Words that a shell, `printf` or a terminal would take for something else.
const ODD: &[&[u8]] = &[
    b"",
    b" ",
    b"a b",
    b"~",
    b"~root/x",
    b"$HOME",
    b"$(touch x)",
    b"`touch x`",
    b"x;touch x",
    b"x&y|z>f<g",
    b"it's",
    b"\"",
    b"*",
    b"[a]?",
    b"{a,b}",
    b"!x",
    b"#x",
    b"\\",
    b"\\n",
    b"%s%n",
    b"a\nb",
    b"\n",
    b"a\n\n",
    b"\n'\n",
    b"a\tb\r",
    b"\x1b[31m",
    b"\x7f",
    b"\xff\xfe",
    b"\xc3",
    b"\xc3\xa9",
    "\u{202e}x\u{2066}".as_bytes(),
    "\u{e0041}'%".as_bytes(),
    b"\x01-%\\'",
    b"a=b",
    b"(x)",
    b"\n-n\x02",
];

/// Returns the output of the shell.
fn run(shell: &str, command: &str) -> Vec<u8> {
    let output = std::process::Command::new(shell).args(["-c", command]).output().expect(shell);
    assert!(output.stderr.is_empty(), "{command}: {output:?}");
    output.stdout
}

#[test]
fn a_shell_reads_each_word_as_it_was_and_a_terminal_shows_it() {
    for word in ODD.iter().map(|word| OsStr::from_bytes(word)) {
        let command = Command::new("printf %s[%s] {} {}", &[&word, &word]).to_string();
        assert!(command.chars().all(is_visible), "{command:?}");
        let expected = [word.as_bytes(), b"[", word.as_bytes(), b"]"].concat();
        for shell in ["sh", "bash"] {
            assert_eq!(run(shell, &command), expected, "{shell}: {command}");
        }
        let export = format!("{}; printf %s \"$X\"", Command::export("X", &word));
        assert_eq!(run("sh", &export), word.as_bytes(), "{export}");
    }
}

#[test]
fn a_word_is_no_option() {
    let program = ["-p".to_owned(), "-q".to_owned()];
    let command = Command::new("rm {} {}", &[&"-rf", &"a"]).then_line(&program);
    assert_eq!(command.to_string(), "rm ./-rf a -- -p -q");
}

#[test]
fn a_variable_that_no_shell_can_set_is_set_for_one_program() {
    for name in ["X;touch x;Y", "1X", "", "A B", "\u{e9}", "-u"] {
        let set = Command::export(name, &"1").to_string();
        assert!(set.starts_with("env ") && set.ends_with(" PROGRAM"), "{set}");
        assert!(Command::unset(name).to_string().starts_with("env -u "));
    }
    assert_eq!(Command::unset("X\nY").to_string(), "eval \"$(printf 'env -u \\047X\\012Y\\047 PROGRAM')\"");
    assert_eq!(Command::unset("_A1").to_string(), "unset _A1");
}

#[test]
fn a_manifest_names_no_variable_that_chooses_code() {
    for name in [
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "PATH",
        "BASH_ENV",
        "ENV",
        "IFS",
        "HOME",
        "VK_DRIVER_FILES",
        "X;touch x",
        "X Y",
    ] {
        assert!(!is_switch(name), "{name}");
    }
    for name in
        ["DISABLE_MANGOHUD", "ENABLE_VKBASALT", "NODEVICE_SELECT", "DISABLE_VK_LAYER_VALVE_steam_overlay_1"]
    {
        assert!(is_switch(name), "{name}");
    }
}

#[test]
fn only_our_own_words_lose_their_sudo() {
    let step =
        Step::say("Or: ").run(Command::new("sudo rm {}", &[&"/sudo x"])).and_say(String::from(" sudo "));
    assert_eq!(step.without_sudo().to_string(), "Or: rm '/sudo x' sudo ");
}
