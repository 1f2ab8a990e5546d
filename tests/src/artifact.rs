//! What a step before the tests has built: tests start no cargo.

use std::env;
use std::path::PathBuf;

/// The variable with cargo's output folder, set by `./test.sh all` when everything there is from these sources.
const FOLDER: &str = "VKLOAD_TEST_ARTIFACTS";

/// Returns the artifact with this path in the folder that `VKLOAD_TEST_ARTIFACTS` names. Returns nothing if the variable is not set, and
/// prints the command that builds the artifact.
pub fn artifact(path: &str, command: &str) -> Option<PathBuf> {
    let Some(folder) = env::var_os(FOLDER) else {
        println!(
            "skipped: `./test.sh all` runs this test. To run it alone, `{command}` and set {FOLDER} to the path of target"
        );
        return None;
    };
    let file = PathBuf::from(folder).join(path);
    assert!(file.exists(), "there is no {}: `{command}` makes it", file.display());
    Some(file)
}
