//! The committed words of the shaders are those that their sources give.
use std::path::Path;
use std::process::Command;

use vkload_tests::programs::Need;
use vkload_tests::skip_unless;

/// Returns the words, without the third, which names the compiler and its version.
fn words(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let words = lines.flat_map(|line| line.split(',')).map(|word| word.trim().to_owned());
    words
        .filter(|word| !word.is_empty())
        .enumerate()
        .filter(|(index, _)| *index != 2)
        .map(|(_, word)| word)
        .collect()
}

#[test]
fn words_come_from_their_sources() {
    skip_unless!(&[Need::Program("glslangValidator")]);
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/shaders");
    let folder = tempfile::tempdir().expect("a folder for words");
    for name in ["sum.comp", "triangle.vert", "triangle.frag"] {
        let made = folder.path().join(name);
        let compiler = Command::new("glslangValidator")
            .args(["-V", "--target-env", "vulkan1.0", "-x", "-o"])
            .args([&made, &shaders.join(name)])
            .output()
            .expect("glslangValidator");
        assert!(compiler.status.success(), "{compiler:?}");
        let read = |path: &Path| std::fs::read_to_string(path).expect("words");
        assert_eq!(words(&read(&made)), words(&read(&shaders.join(format!("{name}.words")))), "{name}");
    }
}
