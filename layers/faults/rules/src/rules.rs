//! The rules for calls.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::CStr;
#[cfg(target_has_atomic = "64")]
use core::sync::atomic::AtomicU64;
use core::sync::atomic::{AtomicU32, Ordering};
#[cfg(not(target_has_atomic = "64"))]
use portable_atomic::AtomicU64;

use ash::vk;
use vkload_registry::{CommandId, command, find};

use crate::results::result_of;
use crate::words::parse_bytes;

/// Rules that say which calls fail, wait or are missing. Without rules, none does.
#[derive(Default)]
pub struct Rules {
    rules: Vec<Rule>,
    lacks: Vec<CommandId>,
    seed: u64,
    events: &'static [&'static CStr],
}

/// The failure of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The result that the call returns.
    pub result: vk::Result,
    /// The number of the call among those that the rule counts, from 1.
    pub call: u32,
}

/// The effect on some calls of a command.
struct Rule {
    /// Under its first name.
    command: &'static CStr,
    /// The first call, counted from 1.
    first: u32,
    later: bool,
    /// Counts only calls with more bytes.
    larger_than: Option<u64>,
    /// Counts only calls with the object of this name.
    object: Option<NamedObject>,
    /// The chance of the effect, in thousandths of a percent.
    chance: Option<u32>,
    effect: Effect,
    calls: AtomicU32,
}

struct NamedObject {
    name: String,
    /// The handle that got the name last; 0 before.
    handle: AtomicU64,
}

enum Effect {
    Fail(vk::Result),
    Hold(String),
}

/// The chance of an effect that is certain, in thousandths of a percent.
const CERTAIN: u32 = 100_000;

/// Commands whose calls may count by their bytes.
const SIZED: [CommandId; 2] = [command::ALLOCATE_MEMORY, command::CREATE_BUFFER];

/// Commands that find functions, and are always called.
const LOOK_UPS: [CommandId; 2] = [command::GET_INSTANCE_PROC_ADDR, command::GET_DEVICE_PROC_ADDR];

impl Rules {
    /// The words of rules.
    pub const KEYS: &str = "fails, holds, lacks, seed";

    /// Returns an empty list of rules. `events` have names like commands; they are not commands, but can fail or wait.
    #[must_use]
    pub const fn new(events: &'static [&'static CStr]) -> Self {
        Self { rules: Vec::new(), lacks: Vec::new(), seed: 0, events }
    }

    /// Adds the rule of a word `key=value`. Returns whether the key is one of a rule.
    ///
    /// # Errors
    /// Names the mistake in the value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        match key {
            "fails" => {
                let (calls, result) =
                    value.split_once(':').unwrap_or((value, "VK_ERROR_INITIALIZATION_FAILED"));
                let result = result_of(result).ok_or_else(|| format!("{result} is not a result"))?;
                let rule = self.rule(calls, Effect::Fail(result))?;
                let known = find(rule.command);
                if known.is_some_and(|command| !command.returns_result()) {
                    return Err(format!("{} returns no result", rule.command.to_string_lossy()));
                }
                self.rules.push(rule);
            }
            "holds" => {
                let (calls, path) =
                    value.split_once(':').ok_or("a held command needs `:PATH`, a named pipe")?;
                let rule = self.rule(calls, Effect::Hold(path.to_owned()))?;
                self.rules.push(rule);
            }
            "lacks" => {
                self.lacks.push(command_of(value).ok_or_else(|| format!("{value} is not a command"))?);
            }
            "seed" => self.seed = value.parse().map_err(|_| format!("{value} is not a number"))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Parses `COMMAND`, `COMMAND>SIZE` or `COMMAND/NAME`, each with `%CHANCE` behind it or nothing, and with `@2` or `@2+` or nothing.
    fn rule(&self, calls: &str, effect: Effect) -> Result<Rule, String> {
        let (calls, which) = calls.split_once('@').unwrap_or((calls, "1+"));
        let (calls, chance) = split(calls, '%');
        let (calls, name) = split(calls, '/');
        let (command, size) = split(calls, '>');
        let event = self.events.iter().copied().find(|event| event.to_bytes() == command.as_bytes());
        let known = || command_of(command).filter(|command| !LOOK_UPS.contains(command));
        let command = event.or_else(|| known().map(|command| command.canonical().name()));
        let command = command.ok_or_else(|| format!("{} is not a command", split(calls, '>').0))?;
        let (first, later) = which.strip_suffix('+').map_or((which, false), |first| (first, true));
        let first = first.parse().ok().filter(|first| *first > 0);
        let first = first.ok_or_else(|| format!("{which} is not a count of calls, as @2 or @2+ would be"))?;
        let larger_than = match size {
            Some(_) if !SIZED.iter().any(|sized| sized.name() == command) => {
                return Err("only vkAllocateMemory and vkCreateBuffer have a size".to_owned());
            }
            Some(size) => Some(parse_bytes(size).ok_or("a size is a number of bytes, K, M or G")?),
            None => None,
        };
        let object = name.map(|name| NamedObject { name: name.to_owned(), handle: AtomicU64::new(0) });
        let chance = chance.map(chance_of).transpose()?;
        let calls = AtomicU32::new(0);
        Ok(Rule { command, first, later, larger_than, object, chance, effect, calls })
    }

    /// Applies the rules to a call of a command, or to an event: calls `hold` with the named pipe if it has to wait, and returns the failure if
    /// it fails.
    ///
    /// # Safety
    /// The parameters come from such a call, as the registry's `number_of` returns them.
    pub unsafe fn before(
        &self,
        command: &CStr,
        parameters: &[u64],
        hold: &mut dyn FnMut(&str),
    ) -> Option<Failure> {
        if command == command::SET_DEBUG_UTILS_OBJECT_NAME_EXT.name() {
            // SAFETY: the caller vouches for the parameters.
            unsafe { self.learn_name(parameters) };
        }
        let mut failure = None;
        for (number, rule) in self.rules.iter().enumerate() {
            // SAFETY: as above.
            if rule.command != command || !unsafe { rule.concerns(parameters) } {
                continue;
            }
            let call = rule.calls.fetch_add(1, Ordering::Relaxed).saturating_add(1);
            if call != rule.first && !(rule.later && call > rule.first) {
                continue;
            }
            if rule.chance.is_some_and(|chance| random(self.seed, number as u64, call) % CERTAIN >= chance) {
                continue;
            }
            match &rule.effect {
                Effect::Fail(result) => failure = failure.or(Some(Failure { result: *result, call })),
                Effect::Hold(path) => hold(path),
            }
        }
        failure
    }

    /// Returns whether rules need to see the calls of the command.
    pub fn watches(&self, command: CommandId) -> bool {
        let command = command.canonical();
        let names = command == command::SET_DEBUG_UTILS_OBJECT_NAME_EXT;
        self.rules.iter().any(|rule| rule.command == command.name() || names && rule.object.is_some())
    }

    /// Returns whether a call can return this result.
    pub fn can_return(&self, result: vk::Result) -> bool {
        let returns = |rule: &Rule| matches!(rule.effect, Effect::Fail(of_rule) if of_rule == result);
        self.rules.iter().any(returns)
    }

    /// Returns whether look-ups must not find a command.
    pub fn lacks(&self, name: &CStr) -> bool {
        self.lacks.iter().any(|lacking| lacking.name() == name)
    }

    /// Notes which object has the name of a rule.
    ///
    /// # Safety
    /// The parameters come from a call of `vkSetDebugUtilsObjectNameEXT`.
    unsafe fn learn_name(&self, parameters: &[u64]) {
        let Some(info) = parameters.get(1) else { return };
        let info = core::ptr::with_exposed_provenance::<vk::DebugUtilsObjectNameInfoEXT<'_>>(*info as usize);
        // SAFETY: the caller vouches for the parameters.
        let (handle, name) = unsafe { ((*info).object_handle, (*info).object_name_as_c_str()) };
        let Some(name) = name else { return };
        for object in self.rules.iter().filter_map(|rule| rule.object.as_ref()) {
            if object.name.as_bytes() == name.to_bytes() {
                object.handle.store(handle, Ordering::Relaxed);
            }
        }
    }
}

impl Rule {
    /// Returns whether the call counts.
    ///
    /// # Safety
    /// The parameters come from a call of the command.
    unsafe fn concerns(&self, parameters: &[u64]) -> bool {
        let handle = self.object.as_ref().map(|object| object.handle.load(Ordering::Relaxed));
        let has_object = handle.is_none_or(|handle| handle != 0 && parameters.contains(&handle));
        // SAFETY: the caller vouches for the parameters.
        has_object && self.larger_than.is_none_or(|size| unsafe { self.bytes(parameters) } > size)
    }

    /// Returns the bytes that the call wants.
    ///
    /// # Safety
    /// As for [`Rule::concerns`].
    unsafe fn bytes(&self, parameters: &[u64]) -> u64 {
        let Some(info) = parameters.get(1) else { return 0 };
        let info = core::ptr::with_exposed_provenance::<()>(*info as usize);
        // SAFETY: the second parameter of these commands is their structure.
        unsafe {
            if self.command == command::ALLOCATE_MEMORY.name() {
                (*info.cast::<vk::MemoryAllocateInfo<'_>>()).allocation_size
            } else {
                (*info.cast::<vk::BufferCreateInfo<'_>>()).size
            }
        }
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

fn command_of(name: &str) -> Option<CommandId> {
    find(&alloc::ffi::CString::new(name).ok()?)
}

/// Parses a number of percents, with up to three decimals. Returns thousandths of a percent.
fn chance_of(text: &str) -> Result<u32, String> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let thousandths = || {
        let whole: u32 = whole.parse().ok()?;
        let decimals: u32 =
            format!("{decimals:0<3}").get(..3).filter(|_| decimals.len() <= 3)?.parse().ok()?;
        whole.checked_mul(1000)?.checked_add(decimals).filter(|chance| *chance <= CERTAIN)
    };
    thousandths().ok_or_else(|| format!("{text} is not a chance in percent, as %5 or %0.1 would be"))
}

/// Returns a number that depends on all three, and looks random: the output function of SplitMix64.
fn random(seed: u64, rule: u64, call: u32) -> u32 {
    let mut state =
        seed.wrapping_add(rule << 32).wrapping_add(call.into()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (state ^ (state >> 31)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn rules(words: &[(&str, &str)]) -> Rules {
        let mut rules = Rules::new(&[c"submission"]);
        words.iter().for_each(|(key, value)| assert_eq!(rules.set(key, value), Ok(true)));
        rules
    }

    fn failures<const N: usize>(rules: &Rules, command: &CStr) -> [Option<i32>; N] {
        // SAFETY: the rules of these tests do not read parameters.
        let call = || unsafe { rules.before(command, &[], &mut |_| ()) };
        [(); N].map(|()| call().map(|failure| failure.result.as_raw()))
    }

    #[test]
    fn a_command_fails_at_the_calls_that_are_named() {
        let rules = rules(&[
            ("fails", "vkCreateDevice@2:VK_ERROR_DEVICE_LOST"),
            ("fails", "vkCreateBuffer@3+:-1"),
            ("fails", "vkCreateImage"),
            ("fails", "submission@1:VK_ERROR_SURFACE_LOST_KHR"),
        ]);
        assert_eq!(failures(&rules, c"vkCreateDevice"), [None, Some(-4), None, None]);
        assert_eq!(failures(&rules, c"vkCreateBuffer"), [None, None, Some(-1), Some(-1)]);
        assert_eq!(failures(&rules, c"vkCreateImage"), [Some(-3); 4]);
        assert_eq!(failures(&rules, c"vkCreateSampler"), [None; 4]);
        assert_eq!(failures(&rules, c"submission"), [Some(-1_000_000_000), None]);
    }

    #[test]
    fn a_chance_is_the_same_with_the_same_seed() {
        let with_seed = |seed| rules(&[("fails", "vkCreateFence%25"), ("seed", seed)]);
        let pattern =
            |rules: Rules| failures::<1000>(&rules, c"vkCreateFence").map(|failure| failure.is_some());
        let (one, other) = (pattern(with_seed("1")), pattern(with_seed("2")));
        assert_eq!(one, pattern(with_seed("1")));
        assert_ne!(one, other);
        for pattern in [one, other] {
            let count = pattern.iter().filter(|fails| **fails).count();
            assert!((200..300).contains(&count), "{count} of 1000 calls fail with a chance of 25 percent");
        }
        let never_and_always = [("vkCreateFence%0", 0), ("vkCreateFence%100.0", 50)];
        for (rule, expected) in never_and_always {
            let rules = rules(&[("fails", rule)]);
            let failed = failures::<50>(&rules, c"vkCreateFence").iter().flatten().count();
            assert_eq!(failed, expected, "{rule}");
        }
    }

    #[test]
    fn a_call_counts_by_its_size() {
        let rules = rules(&[("fails", "vkAllocateMemory>1K@2:VK_ERROR_OUT_OF_DEVICE_MEMORY")]);
        let call = |size| {
            let info = vk::MemoryAllocateInfo::default().allocation_size(size);
            let parameters = vec![0, (&raw const info).expose_provenance() as u64];
            // SAFETY: these are the parameters of vkAllocateMemory.
            unsafe { rules.before(command::ALLOCATE_MEMORY.name(), &parameters, &mut |_| ()) }
        };
        assert_eq!([call(1025), call(1024), call(1)], [None; 3]);
        let result = vk::Result::ERROR_OUT_OF_DEVICE_MEMORY;
        assert_eq!(call(4096), Some(Failure { result, call: 2 }));
    }

    #[test]
    fn every_mistake_is_named() {
        let rows = [
            ("fails", "vkCreateTeapot", "vkCreateTeapot is not a command"),
            ("fails", "vkCreateTeapot>3", "vkCreateTeapot is not a command"),
            ("fails", "vkCmdDraw", "vkCmdDraw returns no result"),
            ("fails", "vkGetDeviceProcAddr", "vkGetDeviceProcAddr is not a command"),
            ("fails", "vkCreateDevice:VK_ERROR_TIRED", "VK_ERROR_TIRED is not a result"),
            ("fails", "vkCreateDevice@0", "0 is not a count of calls"),
            ("fails", "vkCreateDevice%101", "101 is not a chance in percent"),
            ("fails", "vkCreateDevice%0.0001", "0.0001 is not a chance in percent"),
            ("fails", "vkCreateDevice%-1", "-1 is not a chance in percent"),
            ("fails", "vkCreateImage>1M", "only vkAllocateMemory and vkCreateBuffer have a size"),
            ("fails", "vkAllocateMemory>lots", "a size is a number of bytes"),
            ("holds", "vkCreateDevice", "needs `:PATH`"),
            ("lacks", "vkNothing", "vkNothing is not a command"),
            ("seed", "x", "x is not a number"),
        ];
        for (key, value, expected) in rows {
            let problem = Rules::new(&[]).set(key, value).err().unwrap_or_default();
            assert!(problem.contains(expected), "{key}={value}: {problem}");
        }
    }

    #[test]
    fn results_are_known_by_name() {
        for name in
            ["VK_ERROR_OUT_OF_HOST_MEMORY", "VK_ERROR_SURFACE_LOST_KHR", "VK_TIMEOUT", "VK_SUBOPTIMAL_KHR"]
        {
            let result = result_of(name).unwrap();
            assert_eq!(crate::result_name(result), name);
        }
    }
}
