//! Running a program under valgrind, and telling the loader's mistakes from the driver's.
use std::fs;
use std::path::Path;

use crate::programs::{Library, Machine, run};

/// Objects whose functions work on behalf of their callers.
const SERVANTS: [&str; 5] = ["/libc.so", "/ld-linux", "/vgpreload_", "/libpthread.so", "/libdl.so"];

/// The function in which the dynamic linker reads a path by whole words, past its end but within its block, which valgrind reports as an
/// error.
const READS_WORDS: &str = "fillin_rpath";

/// A record of valgrind: an invalid read, a leak, and so on.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// Valgrind's name for the kind, such as `InvalidRead` or `Leak_DefinitelyLost`.
    pub kind: String,
    /// The functions on the stack, innermost first, with the object that each belongs to.
    pub stack: Vec<(String, String)>,
}

impl Finding {
    /// Returns whether the mistake is `library`'s: the innermost function that does not belong to the C library, the dynamic linker or
    /// valgrind is the library's.
    pub fn is_of(&self, library: &Path) -> bool {
        if self.stack.iter().any(|(function, _)| function.starts_with(READS_WORDS)) {
            return false;
        }
        let blamed = self.stack.iter().find(|(_, object)| {
            !object.is_empty() && !SERVANTS.iter().any(|servant| object.contains(servant))
        });
        blamed.is_some_and(|(_, object)| Path::new(object) == library)
    }
}

/// Runs `program` under valgrind and returns every error and every lost block, regardless of the cause.
pub fn findings(machine: &Machine, library: &Library, program: &Path, arguments: &[&str]) -> Vec<Finding> {
    let leaks = ["--leak-check=full", "--show-leak-kinds=definite,indirect,possible"];
    watch(machine, library, &leaks, program, arguments)
}

/// Runs `program` under another of valgrind's tools and returns each race of threads that goes through the library.
pub fn races(
    tool: &str,
    machine: &Machine,
    library: &Library,
    program: &Path,
    arguments: &[&str],
) -> Vec<Finding> {
    let mut all = watch(machine, library, &[&format!("--tool={tool}")], program, arguments);
    all.retain(|race| race.stack.iter().any(|(_, object)| Path::new(object) == library.file()));
    all
}

fn watch(
    machine: &Machine,
    library: &Library,
    tool: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Vec<Finding> {
    let record = machine.work().join("valgrind.xml");
    let mut command = machine.command(library, "valgrind");
    command
        .args(tool)
        .args(["--quiet", "--keep-debuginfo=yes", "--num-callers=40", "--xml=yes"])
        .arg(format!("--xml-file={}", record.display()))
        .arg(program)
        .args(arguments);
    assert!(run(&mut command).status.success(), "{} fails under valgrind", program.display());
    parse(&fs::read_to_string(record).expect("valgrind's record"))
}

fn parse(xml: &str) -> Vec<Finding> {
    let errors = xml.split("<error>").skip(1).filter_map(|rest| rest.split("</error>").next());
    let finding = |error: &str| {
        let stack = between(error, "<stack>", "</stack>").unwrap_or("");
        let frame = |frame: &str| {
            let text = |tag: &str| {
                between(frame, &format!("<{tag}>"), &format!("</{tag}>")).unwrap_or("").to_owned()
            };
            (text("fn"), text("obj"))
        };
        Finding {
            kind: between(error, "<kind>", "</kind>").unwrap_or("").to_owned(),
            stack: stack.split("<frame>").skip(1).map(frame).collect(),
        }
    };
    errors.map(finding).collect()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::parse;

    #[test]
    fn blame_falls_on_the_innermost_function_that_is_not_a_helper() {
        let frame =
            |function: &str, object: &str| format!("<frame><obj>{object}</obj><fn>{function}</fn></frame>");
        let stack = |frames: &[String]| {
            format!("<error><kind>InvalidRead</kind><stack>{}</stack></error>", frames.concat())
        };
        let library = frame("vkCreateInstance", "/lib/libvulkan.so.1.2");
        let driver = frame("make", "/lib/libvulkan_lvp.so");
        let servants =
            [frame("malloc", "/x/vgpreload_memcheck.so"), frame("opendir", "/lib/libc.so.6")].concat();
        let xml = [
            stack(&[servants.clone(), library.clone()]),
            stack(&[servants, driver, library]),
            stack(&[frame("main", "/program")]),
        ];
        let blamed: Vec<_> =
            parse(&xml.concat()).iter().map(|f| f.is_of(Path::new("/lib/libvulkan.so.1.2"))).collect();
        assert_eq!(blamed, [true, false, false]);
    }
}
