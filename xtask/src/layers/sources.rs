//! The modules of a crate, and the paths in the crate that their sources mention.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::Failure;

/// The path of an item or a module in its crate.
type Names = Vec<String>;

/// The sources of a crate, without tests.
#[derive(Default)]
pub(super) struct Sources {
    /// The file of each module except the root of the crate.
    files: BTreeMap<Names, String>,
    /// Re-exported names, with the names behind them.
    exports: BTreeMap<Names, Names>,
    tests: Vec<Names>,
    /// Each mentioned path, with the module and the line that mention it.
    mentions: Vec<(Names, usize, Names)>,
}

impl Sources {
    /// Reads the files below a crate's folder `src`.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let mut sources = Self::default();
        sources.read_folder(folder, "", &Names::new())?;
        let Self { files, tests, mentions, .. } = &mut sources;
        let is_test = |module: &Names| tests.iter().any(|test| module.starts_with(test));
        files.retain(|module, _| !is_test(module));
        mentions.retain(|(module, ..)| !is_test(module));
        Ok(sources)
    }

    fn read_folder(&mut self, folder: &Path, name: &str, module: &Names) -> Result<(), Failure> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let inner = module.iter().cloned().chain([stem.clone()]).collect();
            if path.is_dir() {
                self.read_folder(&path, &format!("{name}{stem}/"), &inner)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let is_inner = !["lib", "main", "mod"].contains(&stem.as_str());
                let module = if is_inner { inner } else { module.clone() };
                let text: TokenStream = fs::read_to_string(&path)?
                    .parse()
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                self.read_tokens(&module, &text.into_iter().collect::<Vec<_>>());
                if !module.is_empty() {
                    self.files.insert(module, format!("{name}{stem}.rs"));
                }
            }
        }
        Ok(())
    }

    fn read_tokens(&mut self, module: &Names, mut tokens: &[TokenTree]) {
        while let Some((token, rest)) = tokens.split_first() {
            tokens = match (word(token).as_str(), rest) {
                ("#", [TokenTree::Group(attribute), rest @ ..]) if is_cfg_test(attribute.stream()) => {
                    self.skip_test(module, rest)
                }
                ("#", [TokenTree::Group(_), rest @ ..]) => rest,
                // Names in a macro's definition are imported where the macro is used.
                ("macro_rules", [_, _, _, rest @ ..]) => rest,
                ("mod", [name, TokenTree::Group(content), rest @ ..]) => {
                    let inner = module.iter().cloned().chain([word(name)]).collect();
                    self.read_tokens(&inner, &content.stream().into_iter().collect::<Vec<_>>());
                    rest
                }
                // `pub(super)` names a module and imports nothing.
                ("pub", [TokenTree::Group(_), use_, rest @ ..]) | ("pub", [use_, rest @ ..])
                    if word(use_) == "use" =>
                {
                    self.read_use(module, Vec::new(), rest, true)
                }
                ("pub", [TokenTree::Group(_), rest @ ..]) => rest,
                ("use", [next, ..]) if word(next) != "<" => self.read_use(module, Vec::new(), rest, false),
                _ => self.read_expression(module, token, tokens),
            };
        }
    }

    /// Reads a path, or a group of tokens.
    fn read_expression<'a>(
        &mut self,
        module: &Names,
        token: &TokenTree,
        tokens: &'a [TokenTree],
    ) -> &'a [TokenTree] {
        match token {
            TokenTree::Ident(_) => {
                let (path, rest) = path(tokens);
                // One name alone is a variable.
                if path.len() > 1 {
                    self.mention(module, token, &path);
                }
                rest
            }
            TokenTree::Group(group) => {
                self.read_tokens(module, &group.stream().into_iter().collect::<Vec<_>>());
                &tokens[1..]
            }
            _ => &tokens[1..],
        }
    }

    /// Reads the trees of a `use` behind `before`, up to its end, and returns the tokens after that.
    fn read_use<'a>(
        &mut self,
        module: &Names,
        before: Names,
        mut tokens: &'a [TokenTree],
        exports: bool,
    ) -> &'a [TokenTree] {
        while let Some(first) = tokens.first().filter(|first| word(first) != ";") {
            let (names, rest) = path(tokens);
            let whole: Names = before.iter().cloned().chain(names).collect();
            tokens = match rest {
                [TokenTree::Group(trees), rest @ ..] => {
                    self.read_use(module, whole, &trees.stream().into_iter().collect::<Vec<_>>(), exports);
                    rest
                }
                [star, rest @ ..] if word(star) == "*" => {
                    self.mention(module, first, &whole);
                    rest
                }
                [as_, name, rest @ ..] if word(as_) == "as" => {
                    self.import(module, first, &whole, word(name), exports);
                    rest
                }
                rest => {
                    self.import(module, first, &whole, whole.last().cloned().unwrap_or_default(), exports);
                    rest
                }
            };
            if let Some((_, rest)) = tokens.split_first().filter(|(comma, _)| word(comma) == ",") {
                tokens = rest;
            }
        }
        tokens
    }

    fn import(&mut self, module: &Names, at: &TokenTree, path: &Names, name: String, exports: bool) {
        let whole = whole(module, path);
        // A module that re-exports its own content imports nothing.
        if !exports || whole.first() != module.first() {
            self.mention(module, at, path);
        }
        if exports {
            self.exports.insert(module.iter().cloned().chain([name]).collect(), whole);
        }
    }

    fn mention(&mut self, module: &Names, at: &TokenTree, path: &Names) {
        self.mentions.push((module.clone(), at.span().start().line, whole(module, path)));
    }

    /// Returns the tokens after an item for tests.
    fn skip_test<'a>(&mut self, module: &Names, tokens: &'a [TokenTree]) -> &'a [TokenTree] {
        let is_end = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            token => word(token) == ";",
        };
        let end = tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1);
        let (item, rest) = tokens.split_at(end);
        if let [.., mod_, name, _] = item
            && word(mod_) == "mod"
        {
            self.tests.push(module.iter().cloned().chain([word(name)]).collect());
        }
        rest
    }

    pub(super) fn top_level(&self) -> BTreeSet<&str> {
        self.files.keys().filter_map(|module| module.first()).map(String::as_str).collect()
    }

    /// Returns the pairs of files of which the first imports the second. Generated tables are left out: they refer to each other's numbers,
    /// whose order does not matter to readers.
    pub(super) fn imports(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.mentions.iter().filter_map(|(module, _, path)| {
            self.top_level_of(path)?;
            Some((self.file_of(module)?, self.file_of(path)?))
        });
        files.filter(|(from, to)| from != to && !from.ends_with("_gen.rs") && !to.ends_with("_gen.rs"))
    }

    /// Returns the uses of each top-level module by another one, as file and line.
    pub(super) fn uses(&self) -> BTreeMap<(&str, &str), BTreeSet<String>> {
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for (module, line, path) in &self.mentions {
            let (Some(from), Some(to)) = (module.first(), self.top_level_of(path)) else { continue };
            let Some(file) =
                self.file_of(module).filter(|file| from != to && self.file_of(path) != Some(file))
            else {
                continue;
            };
            uses.entry((from.as_str(), to)).or_default().insert(format!("{file}:{line}"));
        }
        uses
    }

    /// Returns the top-level module that `path` names, even through a re-export of the root.
    fn top_level_of<'a>(&'a self, path: &'a [String]) -> Option<&'a str> {
        let first = path.get(..1)?;
        let behind = self.exports.get(first).and_then(|behind| behind.get(..1));
        let module =
            [Some(first), behind].into_iter().flatten().find(|module| self.files.contains_key(*module))?;
        module.first().map(String::as_str)
    }

    /// Returns the file in which the item at `path` is.
    fn file_of(&self, path: &[String]) -> Option<&str> {
        let mut file = None;
        for end in 1..=path.len() {
            let (names, rest) = path.split_at(end);
            if let Some(behind) = self.exports.get(names).filter(|behind| !path.starts_with(behind)) {
                return self.file_of(&[behind, rest].concat());
            }
            let Some(inner) = self.files.get(names) else { break };
            file = Some(inner.as_str());
        }
        file
    }
}

/// Returns the whole path of the item that `path` names in `module`.
fn whole(module: &Names, path: &Names) -> Names {
    let mut whole = module.clone();
    for name in path {
        match name.as_str() {
            "crate" => whole.clear(),
            "super" => _ = whole.pop(),
            "self" => {}
            _ => whole.push(name.clone()),
        }
    }
    whole
}

/// Returns the names between `::` at the beginning, and the tokens after them.
fn path(mut tokens: &[TokenTree]) -> (Names, &[TokenTree]) {
    let mut names = Names::new();
    while let Some((TokenTree::Ident(name), rest)) = tokens.split_first() {
        names.push(name.to_string());
        tokens = rest;
        let [one, two, rest @ ..] = rest else { break };
        if word(one) != ":" || word(two) != ":" {
            break;
        }
        tokens = rest;
    }
    (names, tokens)
}

/// Returns a word or a character of punctuation.
fn word(token: &TokenTree) -> String {
    match token {
        TokenTree::Ident(word) => word.to_string(),
        TokenTree::Punct(punct) => punct.as_char().to_string(),
        TokenTree::Group(_) | TokenTree::Literal(_) => String::new(),
    }
}

fn is_cfg_test(attribute: TokenStream) -> bool {
    attribute.to_string().split_whitespace().collect::<String>() == "cfg(test)"
}

#[cfg(test)]
mod tests;
