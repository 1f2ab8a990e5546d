//! A driver's records.

#[derive(Clone, Debug)]
pub struct Call {
    /// The command, or `load`, `unload`, `die`.
    pub command: String,
    pub arguments: Vec<(String, String)>,
}

impl Call {
    #[track_caller]
    pub fn get(&self, key: &str) -> &str {
        let found = self.arguments.iter().find(|(name, _)| name == key);
        &found.unwrap_or_else(|| panic!("{} has no {key}: {:?}", self.command, self.arguments)).1
    }

    /// Returns the same, split at commas.
    #[track_caller]
    pub fn list(&self, key: &str) -> Vec<&str> {
        self.get(key).split(',').filter(|item| !item.is_empty()).collect()
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let command = words.next()?.to_owned();
        let mut arguments: Vec<(String, String)> = Vec::new();
        for word in words {
            match (word.split_once('='), arguments.last_mut()) {
                (Some((key, value)), _) => arguments.push((key.to_owned(), value.to_owned())),
                // A blank inside a value.
                (None, Some((_, value))) => *value += &format!(" {word}"),
                (None, None) => {}
            }
        }
        Some(Self { command, arguments })
    }
}

/// All calls that a driver got, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace(pub Vec<Call>);

impl Trace {
    pub(crate) fn parse(text: &str) -> Self {
        Self(text.lines().filter(|line| !line.is_empty()).filter_map(Call::parse).collect())
    }

    pub fn calls(&self, command: &str) -> Vec<&Call> {
        self.0.iter().filter(|call| call.command == command).collect()
    }

    /// Returns the only call of a command.
    #[track_caller]
    pub fn only(&self, command: &str) -> &Call {
        let calls = self.calls(command);
        assert_eq!(calls.len(), 1, "calls of {command} in {:#?}", self.commands());
        calls[0]
    }

    #[track_caller]
    pub fn last(&self, command: &str) -> &Call {
        self.calls(command).pop().unwrap_or_else(|| panic!("no {command} in {:#?}", self.commands()))
    }

    pub fn has(&self, command: &str) -> bool {
        !self.calls(command).is_empty()
    }

    /// Returns the names of everything that was called, in order.
    pub fn commands(&self) -> Vec<&str> {
        self.0.iter().map(|call| call.command.as_str()).collect()
    }
}
