//! Tests which files are read, which are refused, and which stay behind.

use super::super::starting::starts_itself;
use super::*;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::string::{String, ToString};
use tempfile::{TempDir, tempdir};

/// A user other than the test's.
const SOMEBODY: u32 = 54321;

/// A folder for caches, and the file of a program in it.
struct World {
    caches: TempDir,
    cache_file: CacheFile,
}

impl World {
    /// Creates a folder without a file.
    fn empty() -> Self {
        let caches = tempdir().unwrap();
        let cache_file = cache_file(&caches.path().join("vkload"), "/usr/bin/program");
        Self { caches, cache_file }
    }

    /// Creates a folder in which a file with this content has been kept.
    fn with(content: &[u8]) -> Self {
        let world = Self::empty();
        world.cache_file.keep(content).unwrap();
        world
    }

    fn folder(&self) -> PathBuf {
        self.caches.path().join("vkload")
    }

    fn file(&self) -> PathBuf {
        self.folder().join(name(&self.cache_file.name))
    }

    fn load(&self) -> Result<std::vec::Vec<u8>, CacheFault> {
        self.cache_file.load().map(|content| content.to_vec())
    }

    fn names(&self) -> std::vec::Vec<String> {
        let mut names: std::vec::Vec<_> = fs::read_dir(self.folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn cache_file(folder: &Path, program: &str) -> CacheFile {
    let mut path = Text::new();
    path.try_extend(folder.as_os_str().as_bytes()).unwrap();
    CacheFile::of(path, program.as_bytes()).unwrap()
}

fn name(name: &Text) -> String {
    let name = name.split(|byte| *byte == 0).next().unwrap();
    String::from_utf8(name.to_vec()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns whether the test can give files to another user.
fn is_root() -> bool {
    // SAFETY: the call has no preconditions.
    let is_root = unsafe { libc::geteuid() } == 0;
    if !is_root {
        std::eprintln!("skipped: only root can give a file to somebody else");
    }
    is_root
}

#[test]
fn entries_are_loaded_until_they_are_dropped() {
    let world = World::empty();
    assert_eq!(world.load(), Err(CacheFault::NotFound));
    for content in [b"one".as_slice(), b"", &[7; LARGEST_CACHE], b"another"] {
        world.cache_file.keep(content).unwrap();
        assert_eq!(world.load().as_deref(), Ok(content));
    }
    assert_eq!(world.names(), [name(&world.cache_file.name)], "nothing else is left");
    world.cache_file.forget();
    assert_eq!(world.load(), Err(CacheFault::NotFound));
    world.cache_file.forget();
}

#[test]
fn only_the_user_may_use_new_files() {
    let caches = tempdir().unwrap();
    let cache_file = cache_file(&caches.path().join(".cache/vkload"), "/usr/bin/program");
    cache_file.keep(b"x").unwrap();
    assert_only_the_user_may_use(caches.path(), &cache_file);
}

/// Checks the files and folders made for a program in the user's folder `home`.
fn assert_only_the_user_may_use(home: &Path, cache_file: &CacheFile) {
    let folder = home.join(".cache/vkload");
    for (path, mode) in
        [(home.join(".cache"), 0o700), (folder.clone(), 0o700), (folder.join(name(&cache_file.name)), 0o600)]
    {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode, "{}", path.display());
    }
}

#[test]
fn folders_are_made_only_where_one_is() {
    let caches = tempdir().unwrap();
    let far = cache_file(&caches.path().join("a/b/vkload"), "/usr/bin/program");
    assert_eq!(far.keep(b"x"), Err(CacheFault::NoFolder));
    assert_eq!(fs::read_dir(caches.path()).unwrap().count(), 0);
    let near = cache_file(&caches.path().join("a//vkload"), "/usr/bin/program");
    assert_eq!(near.keep(b"x"), Ok(()));
}

#[test]
fn each_program_has_its_own_file() {
    let world = World::with(b"one");
    let other = cache_file(&world.folder(), "/usr/bin/other");
    assert_eq!(other.load(), Err(CacheFault::NotFound));
    other.keep(b"two").unwrap();
    assert_eq!(world.load().as_deref(), Ok(b"one".as_slice()));
    assert_eq!(world.names().len(), 2);
}

#[test]
fn a_file_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let world = World::with(b"x");
    chown(world.file(), Some(SOMEBODY), None).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotOwn));
}

#[test]
fn a_folder_of_another_user_is_left_alone() {
    if !is_root() {
        return;
    }
    let world = World::with(b"x");
    chown(world.folder(), Some(SOMEBODY), None).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotOwn));
    assert_eq!(world.cache_file.keep(b"y"), Err(CacheFault::NotOwn));
    world.cache_file.forget();
    assert_eq!(fs::read(world.file()).unwrap(), b"x");
}

#[test]
fn no_folder_is_created_in_another_users_folder() {
    if !is_root() {
        return;
    }
    let world = World::empty();
    chown(world.caches.path(), Some(SOMEBODY), None).unwrap();
    assert_eq!(world.cache_file.keep(b"x"), Err(CacheFault::NotOwn));
    let home = cache_file(&world.caches.path().join(".cache/vkload"), "/usr/bin/program");
    assert_eq!(home.keep(b"x"), Err(CacheFault::NotOwn));
    assert_eq!(fs::read_dir(world.caches.path()).unwrap().count(), 0);
}

#[test]
fn what_others_may_write_is_refused() {
    for bit in [0o020, 0o002] {
        let world = World::with(b"x");
        set_mode(&world.file(), 0o600 | bit);
        assert_eq!(world.load(), Err(CacheFault::WritableByOthers), "file {bit:o}");
        set_mode(&world.file(), 0o644);
        assert_eq!(world.load().as_deref(), Ok(b"x".as_slice()), "others may read it");
        set_mode(&world.folder(), 0o700 | bit);
        assert_eq!(world.load(), Err(CacheFault::WritableByOthers), "folder {bit:o}");
        assert_eq!(world.cache_file.keep(b"y"), Err(CacheFault::WritableByOthers));
        assert_eq!(fs::read(world.file()).unwrap(), b"x");
    }
}

#[test]
fn links_are_refused() {
    let world = World::with(b"x");
    let elsewhere = world.caches.path().join("elsewhere");
    fs::rename(world.file(), &elsewhere).unwrap();
    symlink(&elsewhere, world.file()).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile));
    world.cache_file.keep(b"y").unwrap();
    assert_eq!(fs::read(&elsewhere).unwrap(), b"x", "the link is replaced, not what it leads to");
    assert_eq!(world.load().as_deref(), Ok(b"y".as_slice()));

    fs::hard_link(world.file(), world.caches.path().join("second")).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "another name may be where others can write");

    let world = World::with(b"x");
    let elsewhere = world.caches.path().join("elsewhere");
    fs::rename(world.folder(), &elsewhere).unwrap();
    symlink(&elsewhere, world.folder()).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "the folder is a link");
    assert_eq!(world.cache_file.keep(b"y"), Err(CacheFault::NotAFile));
}

#[test]
fn the_folders_above_may_be_links() {
    let world = World::with(b"x");
    let link = world.caches.path().join("link");
    symlink(world.caches.path(), &link).unwrap();
    let cache_file = cache_file(&link.join("vkload"), "/usr/bin/program");
    assert_eq!(cache_file.load().unwrap().as_slice(), b"x");
}

#[test]
fn a_special_file_is_refused_without_waiting() {
    let world = World::with(b"x");
    fs::remove_file(world.file()).unwrap();
    let path = CString::new(world.file().as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "a FIFO without a writer");
    fs::remove_file(world.file()).unwrap();
    fs::create_dir(world.file()).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "a folder");
    assert!(world.cache_file.keep(b"y").is_err());
    assert_eq!(world.names().len(), 1, "nothing is left of the attempt");
    fs::remove_dir(world.file()).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.file()).unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "a socket");

    let world = World::empty();
    fs::write(world.folder(), b"").unwrap();
    assert_eq!(world.load(), Err(CacheFault::NotAFile), "the folder is a file");
    assert_eq!(world.cache_file.keep(b"y"), Err(CacheFault::NotAFile));
}

#[test]
fn a_file_beyond_the_limit_is_neither_read_nor_written() {
    let world = World::with(b"x");
    assert_eq!(world.cache_file.keep(&[0; LARGEST_CACHE + 1]), Err(CacheFault::TooLarge));
    assert_eq!(world.load().as_deref(), Ok(b"x".as_slice()));
    fs::File::options().write(true).open(world.file()).unwrap().set_len(LARGEST_CACHE as u64 + 1).unwrap();
    assert_eq!(world.load(), Err(CacheFault::TooLarge));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let file = |world: &World| fs::File::options().write(true).open(world.file()).unwrap();
    let world = World::with(b"abc");
    let refused = Err(CacheFault::Changed);
    assert_eq!(world.cache_file.load_while(&|| file(&world).set_len(2).unwrap()).map(|_| ()), refused, "cut");
    assert_eq!(
        world.cache_file.load_while(&|| file(&world).set_len(9).unwrap()).map(|_| ()),
        refused,
        "longer"
    );
    let aged = || file(&world).set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(world.cache_file.load_while(&aged).map(|_| ()), refused, "written in place");
    let linked = || fs::hard_link(world.file(), world.folder().join("other")).unwrap();
    assert_eq!(world.cache_file.load_while(&linked).map(|_| ()), refused, "given a second name");
    fs::remove_file(world.folder().join("other")).unwrap();
    assert!(world.cache_file.load_while(&|| ()).is_ok());
}

#[test]
fn a_reader_gets_the_old_file_or_the_new_one_whole() {
    let contents: [&[u8]; 2] = [&[b'a'; 100_000], &[b'b'; 50_000]];
    let world = World::with(contents[0]);
    let cache_file = &world.cache_file;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            // Each thread writes under a name of its own.
            let cache_file = self::cache_file(&world.folder(), "/usr/bin/program");
            assert!(
                cache_file.name == world.cache_file.name
                    && cache_file.temporary != world.cache_file.temporary
            );
            (0..200).for_each(|turn| cache_file.keep(contents[turn % 2]).unwrap());
        });
        while !writer.is_finished() {
            match cache_file.load() {
                Ok(content) => assert!(contents.contains(&content.as_slice())),
                // Replaced twice while it was read twice.
                Err(fault) => assert_eq!(fault, CacheFault::Changed),
            }
        }
    });
}

#[test]
fn files_of_a_killed_process_are_no_obstacle() {
    let world = World::with(b"old");
    let orphan = world.folder().join(name(&world.cache_file.temporary));
    fs::write(&orphan, b"hal").unwrap();
    set_mode(&orphan, 0o400);
    world.cache_file.keep(b"new").unwrap();
    assert_eq!(world.load().as_deref(), Ok(b"new".as_slice()));
    assert_eq!(world.names().len(), 1);
    symlink("/etc/passwd", &orphan).unwrap();
    world.cache_file.keep(b"newer").unwrap();
    assert_eq!(world.load().as_deref(), Ok(b"newer".as_slice()));
}

#[test]
fn a_folder_that_cannot_be_written_keeps_nothing() {
    // Root may write everywhere except on a read-only file system.
    let proc = cache_file(Path::new("/proc/self"), "/usr/bin/program");
    assert!(proc.keep(b"x").is_err());
    assert!(cache_file(Path::new("/proc/self/vkload"), "/usr/bin/program").keep(b"x").is_err());
    if is_root() {
        return;
    }
    let world = World::with(b"x");
    set_mode(&world.folder(), 0o500);
    assert_eq!(world.cache_file.keep(b"y"), Err(CacheFault::System(libc::EACCES)));
    assert_eq!(world.load().as_deref(), Ok(b"x".as_slice()));
    set_mode(&world.folder(), 0o700);
}

#[test]
fn the_folder_holds_a_bounded_number_of_files() {
    let world = World::with(b"first");
    let other = world.folder().join("notes");
    fs::write(&other, b"").unwrap();
    for number in 1..MOST_FILES {
        fs::write(world.folder().join(std::format!("start-{number:016x}")), b"").unwrap();
    }
    world.cache_file.keep(b"again").unwrap();
    assert_eq!(world.names().len(), MOST_FILES + 1, "no file is new");
    let new = cache_file(&world.folder(), "/usr/bin/new");
    new.keep(b"new").unwrap();
    assert_eq!(world.names(), ["notes".to_string(), name(&new.name)]);
    assert_eq!(new.load().unwrap().as_slice(), b"new");
}

/// Runs in its own process, see the next test.
#[test]
fn in_another_process() {
    let Some(folder) = std::env::var_os("VKLOAD_TEST_FOLDER") else { return };
    let cache_file = cache_file(&PathBuf::from(folder).join(".cache/vkload"), "/usr/bin/program");
    let expected = match std::env::var("VKLOAD_TEST_EXPECTED").unwrap().as_str() {
        "kept" => Ok(()),
        _ => Err(CacheFault::System(libc::EFBIG)),
    };
    assert_eq!(cache_file.keep(&[1; 5000]), expected);
    assert_eq!(cache_file.load().is_ok(), expected.is_ok());
}

#[test]
fn neither_a_umask_nor_a_limit_on_files_does_harm() {
    if !starts_itself() {
        return;
    }
    for (setting, expected) in [("umask 0777", "kept"), ("umask 0", "kept"), ("ulimit -f 1", "refused")] {
        let folder = tempdir().unwrap();
        let script = std::format!("{setting}; exec \"$0\" --exact --quiet \"$1\"");
        let status = Command::new("sh")
            .args(["-c", &script])
            .arg(std::env::current_exe().unwrap())
            .arg("os::start_cache::file::tests::in_another_process")
            .env("VKLOAD_TEST_FOLDER", folder.path())
            .env("VKLOAD_TEST_EXPECTED", expected)
            // The limit also applies to a file that receives the output.
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{setting}: {status}");
        if expected == "kept" {
            let cache_file = cache_file(&folder.path().join(".cache/vkload"), "/usr/bin/program");
            assert_eq!(cache_file.load().map(|content| content.len()), Ok(5000), "{setting}");
            assert_only_the_user_may_use(folder.path(), &cache_file);
        }
    }
}
