//! Reads what glibc's dynamic linker prints of its searches (`LD_DEBUG=libs`).

/// Returns the libraries that were searched for and not found, in order. `exists` checks for a file.
///
/// A search begins with `find library=NAME`, and names each file that is tried. The last file is the one loaded, unless it does not exist.
pub(super) fn not_found(text: &str, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut search: Option<(&str, &str)> = None;
    let mut end = |search: Option<(&str, &str)>| {
        if let Some((name, last)) = search
            && !exists(last)
            && !all.iter().any(|known| known == name)
        {
            all.push(name.to_owned());
        }
    };
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("find library=") {
            let name = rest.split(' ').next().unwrap_or_default();
            end(search.replace((name, "")));
        } else if let (Some((_, path)), Some((_, last))) = (line.split_once("trying file="), &mut search) {
            *last = path.trim();
        }
    }
    end(search);
    all
}
