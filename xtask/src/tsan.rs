//! `cargo xtask tsan [STORMS]`: the library, test drivers, a layer and programs with many threads (`tests/programs/c/stress.c` and
//! `storm.c`), all watched by ThreadSanitizer, which reports two threads that touch the same memory without order.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;
use crate::asan::{TARGET, sanitized};
use crate::command::{Run, command};
use crate::workspace::{make_empty, root, target_folder};

/// How `stress` is run: with the layer, with everything logged, how many threads and rounds.
const RUNS: [(bool, bool, &str, &str); 3] =
    [(false, false, "8", "15"), (false, true, "4", "4"), (true, false, "8", "5")];

/// The number of threads in `storm`, and the default number of runs, since each run stops at another moment.
const STORM: (&str, u32) = ("16", 20);

/// Accesses ordered by the dynamic linker's lock, which is not instrumented: a thread that has opened a library has waited for its
/// constructors, and the path of a library is read after a `dlopen` that returned it.
const ORDERED: &str = "race:call_init\nrace:*libraries7path_of*\n";

/// Needs a nightly compiler with the component `rust-src`, and GCC with its libtsan.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let storms = arguments.first().map_or(Ok(STORM.1), |storms| storms.parse())?;
    let folder = WorkFolder { path: target_folder().join("tsan") };
    fs::create_dir_all(folder.file("lib"))?;
    folder.compile_library()?;
    folder.compile_guests()?;
    for (layer, log, threads, rounds) in RUNS {
        folder.write_manifests(layer)?;
        let mut stress = folder.program("stress");
        stress.args([threads, rounds, "all"]);
        if log {
            // Only the reports matter, which go elsewhere.
            stress.env("VK_LOADER_DEBUG", "all").stderr(Stdio::null());
        }
        folder.watch(&mut stress)?;
    }
    for seed in 1..=storms {
        folder.write_manifests(seed % 4 == 0)?;
        let mut storm = folder.program("storm");
        storm.arg(folder.file("lib/libvulkan.so.1")).args([STORM.0, &seed.to_string()]);
        folder.watch(&mut storm).map_err(|error| format!("storm {seed}: {error}"))?;
    }
    Ok(())
}

/// The folder that everything is made in.
struct WorkFolder {
    path: PathBuf,
}

impl WorkFolder {
    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn compile_library(&self) -> Result<(), Failure> {
        let names = self.file("names.o");
        gcc(&["-c", "-fno-builtin"])
            .arg(root().join("xtask/src/tsan_names.c"))
            .arg("-o")
            .arg(&names)
            .finish()?;
        let flags = [format!("-Clink-arg={}", names.display()), "-Clink-arg=-ltsan".into()];
        sanitized("thread", &self.path, &flags)?;
        let built = self.path.join(TARGET).join("release/libvulkan.so");
        for name in ["lib/libvulkan.so.1", "lib/libvulkan.so"] {
            fs::copy(&built, self.file(name))?;
        }
        Ok(())
    }

    /// Two drivers, of which one makes surfaces of its own; a layer; the programs.
    fn compile_guests(&self) -> Result<(), Failure> {
        let exports = ["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DEXPORT_PHYSICAL"];
        let one = self.file("lib/libone.so");
        gcc(&exports).arg("-shared").args(c_files("tests/drivers")?).arg("-o").arg(&one).finish()?;
        fs::copy(&one, self.file("lib/libtwo.so"))?;
        let layer = self.file("lib/liblayer.so");
        gcc(&exports[1..2]).arg("-shared").args(c_files("tests/layers")?).arg("-o").arg(&layer).finish()?;
        for name in ["stress", "storm"] {
            let mut program = gcc(&["-D_GNU_SOURCE", "-pthread", "-Werror"]);
            let source = root().join("tests/programs/c").join(name).with_extension("c");
            program.arg(source).arg("-o").arg(self.file(name));
            program.arg("-L").arg(self.file("lib")).args(["-Wl,--as-needed", "-lvulkan"]).finish()?;
        }
        for (name, own_surfaces) in [("one", 1), ("two", 0)] {
            let configuration = format!(
                "trace=/dev/null\ninterface=5\napi={}\nown_surfaces={own_surfaces}\nextension=VK_KHR_surface\n\
                 extension=VK_EXT_headless_surface\nextension=VK_EXT_debug_utils\nunknown_physical_devices=100\n\
                 unknown_devices=100\ndevice={name} first\ndevice={name} second\n",
                (1 << 22) | (3 << 12)
            );
            fs::write(self.file(&format!("lib/lib{name}.so.cfg")), configuration)?;
        }
        let library = self.file("lib/libvulkan.so.1");
        let configuration =
            format!("label=layer\ntrace=/dev/null\ncalls=/dev/null\nloader={}\n", library.display());
        Ok(fs::write(self.file("lib/liblayer.so.layer.cfg"), configuration)?)
    }

    fn write_manifests(&self, layer: bool) -> Result<(), Failure> {
        let manifests = self.file("data/vulkan");
        make_empty(&manifests)?;
        for folder in ["icd.d", "implicit_layer.d"] {
            fs::create_dir_all(manifests.join(folder))?;
        }
        let library = |name: &str| self.file(&format!("lib/lib{name}.so")).display().to_string();
        for name in ["one", "two"] {
            let text = format!(
                r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
                library(name)
            );
            fs::write(manifests.join("icd.d").join(format!("{name}.json")), text)?;
        }
        if layer {
            let text = format!(
                r#"{{"file_format_version": "1.2.0", "layer": {{"name": "VK_LAYER_TEST_threads", "type": "GLOBAL",
                "library_path": "{}", "api_version": "1.3.0", "implementation_version": "1", "description": "-",
                "disable_environment": {{"NO_TEST_LAYER": "1"}}}}}}"#,
                library("layer")
            );
            fs::write(manifests.join("implicit_layer.d/layer.json"), text)?;
        }
        Ok(())
    }

    /// Returns a command for a program that finds only the files in the folder.
    fn program(&self, name: &str) -> Command {
        let mut program = Command::new(self.file(name));
        program.env_clear().env("LD_LIBRARY_PATH", self.file("lib")).env("HOME", self.file("home"));
        program.env("XDG_CONFIG_DIRS", self.file("config")).env("XDG_DATA_DIRS", self.file("data"));
        program
    }

    fn watch(&self, program: &mut Command) -> Result<(), Failure> {
        let (reports, ordered) = (self.file("reports"), self.file("ordered"));
        fs::write(&ordered, ORDERED)?;
        let options =
            format!("log_path={} suppressions={} history_size=7", reports.display(), ordered.display());
        program.env("TSAN_OPTIONS", options);
        program.finish().map_err(|error| {
            format!("{error}; what two threads do at once is told in {}.*", reports.display()).into()
        })
    }
}

/// Returns the compiler with what all that is watched needs.
fn gcc(switches: &[&str]) -> Command {
    let mut gcc = command("gcc -std=c11 -O1 -g -fPIC -fsanitize=thread -fvisibility=hidden -Wall -Wextra");
    gcc.args(["-Wno-missing-field-initializers", "-Wl,-Bsymbolic"]).args(switches);
    gcc
}

fn c_files(folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let files = fs::read_dir(root().join(folder))?.collect::<Result<Vec<_>, _>>()?;
    let files = files.into_iter().map(|file| file.path());
    Ok(files.filter(|file| file.extension() == Some(Path::new("c").as_os_str())).collect())
}
