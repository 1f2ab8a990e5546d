//! The driver in a program that has more rights than its user: the user's variable has no effect.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

const OTHER: u32 = 64_999;

const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
typedef void (*Function)(void);
typedef Function (*Find)(void *, const char *);
int main(int count, char **words) {
    void *driver = dlopen(words[1], RTLD_NOW);
    if (driver == NULL) return puts(dlerror()), 2;
    struct { int type; const void *next; int flags; const void *application; int layers; const void *l; int extensions; const void *e; } info = {1};
    void *instance = NULL;
    int (*create)(const void *, const void *, void **) = (int (*)(const void *, const void *, void **))((Find)dlsym(driver, "vk_icdGetInstanceProcAddr"))(NULL, "vkCreateInstance");
    printf("created %d\n", create(&info, NULL, &instance));
    return count - 2;
}
"#;

#[test]
fn an_elevated_program_ignores_the_variable() {
    // SAFETY: no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: only root can make such a program");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let path = |name: &str| folder.path().join(name);
    let driver = path("driver.so");
    fs::copy(std::env::current_exe().unwrap().with_file_name("libvkload_null.so"), &driver).unwrap();
    fs::set_permissions(&driver, Permissions::from_mode(0o755)).unwrap();
    fs::write(path("program.c"), PROGRAM).unwrap();
    let program = path("program");
    let cc = Command::new("cc").arg(path("program.c")).arg("-o").arg(&program).arg("-ldl").status();
    assert!(cc.expect("cc").success());
    fs::write(path("secret"), "root:$6$secret:1:0\n").unwrap();
    fs::set_permissions(path("secret"), Permissions::from_mode(0o600)).unwrap();
    let (log, secret) = (path("log"), path("secret"));
    let values = [
        format!("log={}", log.display()),
        format!("@{}", secret.display()),
        format!("profile={}", secret.display()),
    ];
    for (mode, is_elevated) in [(0o4755, true), (0o2755, true), (0o755, false)] {
        fs::set_permissions(&program, Permissions::from_mode(mode)).unwrap();
        for value in &values {
            let mut command = Command::new(&program);
            command.arg(&driver).env("VKLOAD_NULL_DRIVER", value);
            // Without more rights, root itself shows that the variable has an effect.
            if is_elevated {
                command.uid(OTHER).gid(OTHER);
            }
            let output = command.output().unwrap();
            let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            assert_eq!(log.exists() || text.contains("secret"), !is_elevated, "{value}, {mode:o}: {text}");
            assert!(text.contains("created "), "{text}");
            let _ = fs::remove_file(&log);
        }
    }
}
