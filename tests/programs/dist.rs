//! The output of `packaging/install.sh` and `packaging/deb.sh`: an install tree, Debian packages, a static library.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vkload_tests::artifact;
use vkload_tests::programs::{CProgram, Library, Machine, Need, lavapipe, run};
use vkload_tests::skip_unless;

/// The folder of sources for C compilers.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

fn folder() -> TempDir {
    tempfile::Builder::new().prefix("vkload-dist-").tempdir().expect("a folder")
}

fn succeed(command: &mut Command) {
    let _ = run(command).success();
}

/// An install tree for `/usr`, and a folder for the test's own files.
struct Tree {
    installed: PathBuf,
    own: TempDir,
}

impl Tree {
    /// Returns the tree that `packaging/install.sh` has made with these options.
    fn made(name: &str, options: &str) -> Option<Self> {
        let command = format!("packaging/install.sh --prefix=/usr {options} --destdir target/trees/{name}");
        Some(Self { installed: artifact(&format!("trees/{name}"), &command)?, own: folder() })
    }

    fn in_lib() -> Option<Self> {
        Self::made("lib", "")
    }

    fn in_lib64() -> Option<Self> {
        Self::made("lib64", "--libdir=lib64")
    }

    /// Returns a tree in whose static library each name has a prefix.
    fn prefixed() -> Option<Self> {
        Self::made("prefixed", "--symbol-prefix=vkload_")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.installed.join(path)
    }

    /// Returns the output of `pkg-config`, as arguments.
    fn flags(&self, folder: &str, arguments: &[&str]) -> Vec<String> {
        let mut config = Command::new("pkg-config");
        config.args(arguments).env("PKG_CONFIG_SYSROOT_DIR", &self.installed);
        config.env("PKG_CONFIG_PATH", self.path(folder).join("pkgconfig"));
        run(&mut config).success().split_whitespace().map(str::to_owned).collect()
    }
}

#[test]
fn an_install_tree_serves_programs_that_are_compiled_against_it() {
    skip_unless!(&[Need::Compiler, Need::Lavapipe, Need::Program("pkg-config")]);
    let Some(tree) = Tree::in_lib64() else { return };
    let libraries = tree.path("usr/lib64");
    assert_eq!(fs::read_link(libraries.join("libvulkan.so")).unwrap(), Path::new("libvulkan.so.1"));
    let full_name = fs::read_link(libraries.join("libvulkan.so.1")).unwrap();
    let version = tree.flags("usr/lib64", &["--modversion", "vulkan"]);
    assert_eq!(full_name.to_str(), Some(format!("libvulkan.so.{}", version[0]).as_str()));
    let mode = |path: &str| fs::metadata(tree.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("usr/bin/vkload"), mode("usr/lib64/libvulkan.so.1")), (0o755, 0o644));

    let program = tree.own.path().join("enumerate");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-D_GNU_SOURCE", "-o"]).arg(&program).arg(format!("{ROOT}/c/enumerate.c"));
    succeed(compiler.args(tree.flags("usr/lib64", &["--cflags", "--libs", "vulkan"])));
    assert!(tree.flags("usr/lib64", &["--static", "--libs", "vulkan"]).contains(&"-ldl".to_owned()));
    let machine = Machine::with_drivers(&[lavapipe()]);
    let library = Library::under_test();
    let mut command = machine.command(&library, &program);
    assert!(run(command.env("LD_LIBRARY_PATH", &libraries)).success().contains("llvmpipe"));
    // The tool finds the library that it was installed with, and so do programs, by either name.
    let by_name = CProgram::compile("by_name", &library, &[]);
    let file = fs::canonicalize(libraries.join(full_name)).unwrap();
    let mut exec = machine.command(&library, tree.path("usr/bin/vkload"));
    exec.env_remove("LD_LIBRARY_PATH").args(["exec", "--"]).arg(by_name.path());
    let opened = run(exec.args(["libvulkan.so", "libvulkan.so.1"])).success();
    assert_eq!(opened, format!("{0}\n{0}\n", file.display()));
    let mut exec = machine.command(&library, tree.path("usr/bin/vkload"));
    exec.env_remove("LD_LIBRARY_PATH").args(["exec", "--", "ldd"]).arg(&program);
    let links = run(&mut exec).success();
    assert!(links.contains("libvulkan.so.1 => /") && links.contains("/vkload/exec-"), "{links}");
}

#[test]
fn manual_pages_and_completions_know_every_command() {
    let Some(tree) = Tree::in_lib() else { return };
    let help = run(Command::new(tree.path("usr/bin/vkload")).arg("--help")).success();
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let commands: Vec<_> = commands
        .expect("a list of commands")
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"info") && commands.contains(&"exec"), "{help}");
    let share = tree.path("usr/share");
    let read = |path: &str| fs::read_to_string(share.join(path)).unwrap();
    for name in commands {
        assert!(read(&format!("man/man1/vkload-{name}.1")).contains(".SH SYNOPSIS"), "{name}");
        for page in [
            "man/man1/vkload.1",
            "bash-completion/completions/vkload",
            "zsh/site-functions/_vkload",
            "fish/vendor_completions.d/vkload.fish",
        ] {
            assert!(read(page).replace("\\-", "-").contains(name), "{page}: {name}");
        }
    }
    succeed(Command::new("bash").arg("-n").arg(share.join("bash-completion/completions/vkload")));
}

/// It is installed outside all search paths, and its manifest leads to its library.
#[test]
fn the_null_driver_is_there_for_those_who_name_it() {
    skip_unless!(&[Need::Program("vulkaninfo")]);
    for tree in [Tree::in_lib(), Tree::in_lib64()] {
        let Some(tree) = tree else { return };
        let machine = Machine::with_drivers(&[tree.path("usr/share/vkload/null-driver/vkload_null.json")]);
        let mut vulkaninfo = machine.command(&Library::under_test(), "vulkaninfo");
        let shown = run(vulkaninfo.arg("--summary").env("VKLOAD_NULL_DRIVER", "devices=2")).success();
        assert!(shown.contains("= null\n") && shown.contains("= null 2\n"), "{shown}");
        assert!(!tree.path("usr/share/vulkan/icd.d").exists());
    }
}

/// Loaders find it in the search path for explicit layers, and it is inactive until it is enabled.
#[test]
fn the_statistics_layer_is_there_for_those_who_name_it() {
    skip_unless!(&[Need::Program("vulkaninfo"), Need::Lavapipe]);
    for tree in [Tree::in_lib(), Tree::in_lib64()] {
        let Some(tree) = tree else { return };
        let machine = Machine::with_drivers(&[lavapipe()]);
        let run_with = |layers: Option<&str>| {
            let mut vulkaninfo = machine.command(&Library::under_test(), "vulkaninfo");
            vulkaninfo.arg("--summary").env("XDG_DATA_DIRS", tree.path("usr/share"));
            layers.map(|layers| vulkaninfo.env("VK_INSTANCE_LAYERS", layers));
            let output = run(&mut vulkaninfo);
            assert!(output.status.success(), "{output:?}");
            output.stderr
        };
        let table = run_with(Some("VK_LAYER_VKLOAD_statistics"));
        assert!(table.contains("vkGetPhysicalDeviceProperties2"), "{table}");
        let silence = run_with(None);
        assert!(!silence.contains("vkload statistics"), "{silence}");
    }
}

// ---- the static library ----

#[test]
fn a_program_carries_the_loader() {
    skip_unless!(&[Need::Compiler, Need::Lavapipe, Need::Program("pkg-config")]);
    let Some(tree) = Tree::in_lib() else { return };
    let program = tree.own.path().join("enumerate");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-D_GNU_SOURCE", "-o"]).arg(&program).arg(format!("{ROOT}/c/enumerate.c"));
    succeed(compiler.args(tree.flags("usr/lib", &["--libs", "vkload"])));
    assert!(!run(Command::new("ldd").arg(&program)).success().contains("libvulkan"));
    let machine = Machine::with_drivers(&[lavapipe()]);
    assert!(run(&mut machine.command(&Library::under_test(), &program)).success().contains("llvmpipe"));
}

#[test]
fn two_loaders_and_exceptions_in_one_cpp_program() {
    let needs = [
        Need::Compiler,
        Need::Program("g++"),
        Need::Lavapipe,
        Need::Distribution,
        Need::Program("pkg-config"),
    ];
    skip_unless!(&needs);
    let Some(tree) = Tree::prefixed() else { return };
    assert_eq!(tree.flags("usr/lib", &["--variable=symbolprefix", "vkload"]), ["vkload_"]);
    let program = tree.own.path().join("two_loaders");
    let mut compiler = Command::new("g++");
    compiler.args(["-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers", "-O1", "-g", "-o"]);
    compiler.arg(&program).arg(format!("{ROOT}/c/two_loaders.cpp"));
    succeed(compiler.args(tree.flags("usr/lib", &["--libs", "vkload"])).arg("-lvulkan"));
    let machine = Machine::with_drivers(&[lavapipe()]);
    let mut command = machine.command(&Library::under_test(), &program);
    let said = run(command.env_remove("LD_LIBRARY_PATH")).success();
    assert!(said.contains("ours 1.4.") && said.contains("theirs 1."), "{said}");
}

/// The program has the unwinder, the panic handler and the allocator of its own standard library.
#[test]
fn a_rust_program_carries_the_library_too() {
    let Some(tree) = Tree::prefixed() else { return };
    let source = tree.own.path().join("host.rs");
    let code = r#"
        #[link(name = "vkload", kind = "static")]
        unsafe extern "C" { fn vkload_vkEnumerateInstanceVersion(version: *mut u32) -> i32; }
        fn main() {
            assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
            let mut version = 0;
            assert_eq!(unsafe { vkload_vkEnumerateInstanceVersion(&mut version) }, 0);
            println!("{}", version >> 22);
        }"#;
    fs::write(&source, code).unwrap();
    let program = tree.own.path().join("host");
    let mut compiler = Command::new("rustc");
    compiler.args(["--edition=2024", "-L"]).arg(tree.path("usr/lib")).arg("-o").arg(&program).arg(&source);
    succeed(&mut compiler);
    assert_eq!(run(&mut Command::new(&program)).success(), "1\n");
}

// ---- Debian packages ----

#[test]
fn two_runs_give_equal_packages() {
    skip_unless!(&[Need::Program("dpkg-deb")]);
    let (Some(packages), Some(again)) = (packages(), packages_in("packages-again")) else { return };
    assert_eq!(packages.len(), 7);
    for package in packages {
        let name = package.file_name().unwrap();
        assert!(
            fs::read(&package).unwrap()
                == fs::read(again.iter().find(|it| it.ends_with(name)).unwrap()).unwrap(),
            "{}",
            package.display()
        );
    }
}

#[test]
fn lintian_finds_nothing_to_mend() {
    skip_unless!(&[Need::Program("dpkg-deb"), Need::Program("lintian")]);
    let Some(packages) = packages() else { return };
    let mut lintian = Command::new("lintian");
    // Only an upload into Debian closes a bug, and the library's package is named after the package that it complements.
    lintian.args(["--allow-root", "--fail-on=error,warning", "--suppress-tags"]);
    // It is meant to be found before that one, in a folder added to the dynamic linker's configuration.
    lintian.arg(
        "initial-upload-closes-no-bugs,package-name-doesnt-match-sonames,package-modifies-ld.so-search-path,\
         package-has-unnecessary-activation-of-ldconfig-trigger",
    );
    succeed(lintian.args(packages));
}

/// Installs the packages with apt in a copy of this system, and runs programs there that know nothing of it.
#[test]
fn programs_run_on_the_package_which_removes_no_other_package() {
    let programs = ["dpkg-deb", "apt-get", "unshare", "vulkaninfo", "vkcube", "Xvfb"];
    let more = [Need::Lavapipe, Need::Root, Need::Compiler, Need::Distribution];
    let needs: Vec<_> = programs.into_iter().map(Need::Program).chain(more).collect();
    skip_unless!(&needs);
    let Some(packages) = packages() else { return };
    let folder = folder();
    let mut copies = String::new();
    for package in packages {
        // The folder for temporary files is empty there, so packages come through standard input.
        let name = package.file_name().and_then(|name| name.to_str()).unwrap();
        fs::copy(&package, folder.path().join(name)).expect("a copy");
        copies.push_str(name);
        copies.push(' ');
    }
    let by_name = CProgram::compile("by_name", &Library::under_test(), &[]);
    fs::copy(by_name.path(), folder.path().join("by_name")).expect("a copy");
    let wgpu = format!("{ROOT}/../../target/wgpu/release/vkload-wgpu");
    let script = format!(
        r#"
        export DEBIAN_FRONTEND=noninteractive HOME=/tmp XDG_RUNTIME_DIR=/tmp LC_ALL=C
        cd /tmp && tar --extract
        for file in {copies}; do set -- "$@" "/tmp/$file"; done
        dpkg-query --show --showformat '${{Package}} ${{Version}}\n' | sort >before
        apt-get install --quiet --quiet --yes --no-install-recommends "$@" >/dev/null
        apt-get check --quiet --quiet
        dpkg-query --show --showformat '${{Package}} ${{Version}}\n' | sort >after
        echo "$(comm -23 before after | wc --lines) packages are gone"
        dpkg-query --show --showformat '${{Package}}: ${{db:Status-Status}}\n' libvulkan1-vkload vkload
        dpkg-query --search "$(readlink --canonicalize /usr/lib/*-linux-*/vkload/libvulkan.so.1)"
        # The package's tool, not one that cargo has installed.
        PATH=/usr/bin:/usr/sbin:/bin:/sbin
        ./by_name libvulkan.so.1 libvulkan.so
        env --unset=LD_LIBRARY_PATH vkload exec -- ./by_name libvulkan.so.1
        vulkaninfo --summary | grep -E 'Instance Version|deviceName'
        vkload --json | grep '"used": true'
        export VKLOAD_NULL_DRIVER="name=nothing extension=all"
        VK_DRIVER_FILES=/usr/share/vkload/null-driver/vkload_null.json vulkaninfo --summary | grep deviceName
        unset VKLOAD_NULL_DRIVER
        # Without -noreset it starts anew when its last client leaves, and turns away the next one meanwhile.
        Xvfb -displayfd 3 -nolisten tcp -noreset -screen 0 640x480x24 3>display 2>/dev/null &
        while ! [ -s display ]; do kill -0 $!; done
        export DISPLAY=:$(cat display)
        vkcube --c 10
        echo "the cube was drawn"
        device=$(vulkaninfo --summary 2>/dev/null | sed -n 's/.*deviceName *= //p' | head -n 1)
        ! command -v mpv >/dev/null || mpv --no-config --vo=gpu --gpu-api=vulkan --gpu-context=x11vk --ao=null --frames=5 \
            --vulkan-device="$device" av://lavfi:testsrc=size=640x480:rate=10
        ! [ -x {wgpu} ] || {wgpu}
        apt-get remove --quiet --quiet --yes libvulkan1-vkload >/dev/null
        echo "afterwards: $(./by_name libvulkan.so.1)"
        echo "all programs ended well"
        "#
    );
    let mut tar = Command::new("tar");
    tar.args(["--create", "--directory"]).arg(folder.path()).args(copies.split_whitespace()).arg("by_name");
    let mut tar = tar.stdout(std::process::Stdio::piped()).spawn().expect("tar");
    let mut root = Command::new(format!("{ROOT}/throw-away-root.sh"));
    root.args(["sh", "-euc", &script, "sh"]).stdin(tar.stdout.take().expect("it is piped"));
    let said = run(&mut root).success();
    assert!(tar.wait().expect("its end").success());
    let own = "/usr/lib/x86_64-linux-gnu/vkload/libvulkan.so.1.4.";
    let opened = said.lines().filter(|line| line.starts_with(own)).count();
    assert_eq!(opened, 3, "by either name, and with exec: {said}");
    let theirs = fs::canonicalize(Library::distribution().file()).unwrap();
    for expected in [
        "0 packages are gone\n",
        "libvulkan1-vkload: installed",
        "vkload: installed",
        &format!("libvulkan1-vkload:amd64: {own}"),
        &format!("afterwards: {}\n", theirs.display()),
        "Vulkan Instance Version: 1.4.",
        "llvmpipe",
        "= nothing\n",
        "\"used\": true",
        "the cube was drawn",
        "all programs ended well",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

/// The commands of the page's table, unchanged.
#[test]
fn every_program_gets_the_library_by_either_name_as_the_install_page_says() {
    skip_unless!(&[Need::Compiler, Need::Distribution, Need::Program("unshare"), Need::Root]);
    let page = fs::read_to_string(Path::new(ROOT).join("../../docs/install.md")).expect("the page");
    let row = page.lines().find(|line| line.starts_with("| every program |")).expect("the row");
    let commands: Vec<_> = row.split('`').skip(1).step_by(2).collect();
    let [install, remove] = commands[..] else { panic!("{row}") };
    let library = Library::under_test();
    let by_name = CProgram::compile("by_name", &library, &[]);
    let things = folder();
    fs::create_dir_all(things.path().join("target/release/stripped")).expect("folders");
    fs::copy(library.file(), things.path().join("target/release/stripped/libvulkan.so.1")).expect("a copy");
    fs::copy(by_name.path(), things.path().join("by_name")).expect("a copy");
    // The folder for temporary files is empty there, so all comes through standard input.
    let script = format!(
        r#"
        sudo() {{ "$@"; }}
        cd /tmp && tar --extract
        {install}
        ./by_name libvulkan.so libvulkan.so.1
        {remove}
        ./by_name libvulkan.so.1
        "#
    );
    let mut tar = Command::new("tar");
    tar.args(["--create", "--directory"]).arg(things.path()).args(["by_name", "target"]);
    let mut tar = tar.stdout(std::process::Stdio::piped()).spawn().expect("tar");
    let mut root = Command::new(format!("{ROOT}/throw-away-root.sh"));
    root.args(["sh", "-euc", &script]).stdin(tar.stdout.take().expect("it is piped"));
    let ours = "/usr/local/lib/libvulkan.so.1\n";
    let theirs = fs::canonicalize(Library::distribution().file()).unwrap();
    assert_eq!(run(&mut root).success(), format!("{ours}{ours}{}\n", theirs.display()));
    assert!(tar.wait().expect("its end").success());
}

/// Returns the Debian packages that `packaging/deb.sh` has made.
fn packages() -> Option<Vec<PathBuf>> {
    packages_in("packages")
}

fn packages_in(folder: &str) -> Option<Vec<PathBuf>> {
    let command = format!("packaging/deb.sh --out target/trees/{folder}");
    let folder = artifact(&format!("trees/{folder}"), &command)?;
    let entries = fs::read_dir(folder).expect("the packages' folder");
    Some(entries.map(|entry| entry.expect("an entry").path()).collect())
}
