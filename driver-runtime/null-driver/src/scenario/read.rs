//! From words to a scenario.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::AtomicU32;
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_driver_runtime::registry::{
    CommandId, ExtensionId, ExtensionKind, ExtensionSet, command, extension, find, find_extension,
};
use vkload_driver_runtime::vk;

use super::log::{Frame, Log};
use super::{
    Act, Identity, NEGOTIATE, NamedObject, Rule, SUBMISSION, Scenario, Surfaces, can_fail, identity, profile,
};
use crate::{extensions, host};

/// The keys, for error messages about mistyped ones.
const KEYS: &str = "api, interface, devices, groups, name, extension, without, profile, vendor, device, type, driver, heap, \
    queues, strict, surfaces, queue, delay, clock, fails, holds, log, frame, lacks, magic";

/// The longest delay of a submission, in milliseconds.
const DELAY: u32 = 60_000;

/// The most devices of an instance.
const DEVICES: u32 = 64;

impl Default for Scenario {
    fn default() -> Self {
        Self {
            api_version: vk::make_api_version(0, 1, 4, 0),
            interface: vkload_driver_runtime::icd::INTERFACE_VERSION,
            devices: 1,
            drm: false,
            groups: Vec::new(),
            name: "null".to_owned(),
            instance_extensions: ExtensionSet::new(&[
                extension::KHR_GET_PHYSICAL_DEVICE_PROPERTIES2,
                extension::KHR_DEVICE_GROUP_CREATION,
                extension::KHR_EXTERNAL_MEMORY_CAPABILITIES,
                extension::KHR_EXTERNAL_FENCE_CAPABILITIES,
                extension::KHR_EXTERNAL_SEMAPHORE_CAPABILITIES,
            ]),
            device_extensions: ExtensionSet::default(),
            unwanted: ExtensionSet::default(),
            all: None,
            surfaces: Surfaces::None,
            profile: None,
            identity: Identity::default(),
            asynchronous: false,
            delay: 0,
            clock: None,
            readings: AtomicU64::new(0),
            log: None,
            broken: false,
            rules: Vec::new(),
            lacks: Vec::new(),
            magic: Vec::new(),
        }
    }
}

/// Reads a scenario.
pub(super) fn read(text: &str) -> Result<Scenario, String> {
    let mut scenario = Scenario::default();
    let words = words_of(text)?;
    // Files come first, so that the other words override a profile, and limit the log.
    let of_file = |word: &&String| ["profile=", "log="].iter().any(|key| word.starts_with(key));
    let ordered = words.iter().filter(of_file).chain(words.iter().filter(|word| !of_file(word)));
    for word in ordered {
        let wrong = |why: &str| format!("`{word}`: {why}");
        let (key, value) = match word.split_once('=') {
            Some(pair) => pair,
            None if word == "strict" => ("strict", ""),
            None => return Err(wrong("a word is KEY=VALUE")),
        };
        scenario.set(key, value).map_err(|why| wrong(&why))?;
    }
    scenario.complete_extensions()?;
    let grouped: u32 = scenario.groups.iter().sum();
    if !scenario.groups.is_empty() && grouped != scenario.devices {
        return Err(format!("the groups have {grouped} devices, but there are {}", scenario.devices));
    }
    Ok(scenario)
}

/// Splits text into words. Quotes keep spaces and `#` in a word; `#` elsewhere begins a comment.
fn words_of(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for line in text.lines() {
        let (mut word, mut is_quoted) = (None::<String>, false);
        for letter in line.chars() {
            match letter {
                '"' => is_quoted = !is_quoted,
                '#' if !is_quoted => break,
                _ if letter.is_whitespace() && !is_quoted => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        if is_quoted {
            return Err(format!("`{}`: a quote has no end", line.trim()));
        }
        words.extend(word);
    }
    Ok(words)
}

impl Scenario {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "api" => self.api_version = version(value).ok_or("a version is MAJOR.MINOR, as in 1.3")?,
            "interface" => self.interface = number(value, vkload_driver_runtime::icd::INTERFACE_VERSION)?,
            "devices" if value == "drm" => {
                self.drm = true;
                extensions::DRM_DEVICE_EXTENSIONS.iter().for_each(|id| self.device_extensions.insert(*id));
            }
            "devices" => self.devices = number(value, DEVICES)?,
            "groups" => {
                let sizes = value.split(',').map(|size| number(size, vk::MAX_DEVICE_GROUP_SIZE as u32));
                self.groups = sizes.collect::<Result<_, _>>()?;
            }
            "name" => value.clone_into(&mut self.name),
            "extension" => self.extension(value, true)?,
            "without" => self.extension(value, false)?,
            "profile" => self.profile(value)?,
            "vendor" | "device" | "type" | "driver" | "heap" | "queues" => self.identity.set(key, value)?,
            "strict" => self.strict()?,
            "surfaces" => self.surfaces(value)?,
            "queue" => {
                self.asynchronous = match value {
                    "sync" => false,
                    "async" => true,
                    _ => return Err("a queue is sync or async".to_owned()),
                }
            }
            "delay" => self.delay = number(value, DELAY)?,
            "clock" => self.clock = Some(number(value, u32::MAX)?.into()),
            "fails" => {
                let (calls, result) =
                    value.split_once(':').unwrap_or((value, "VK_ERROR_INITIALIZATION_FAILED"));
                let act = Act::Fail(result_of(result).ok_or_else(|| format!("{result} is not a result"))?);
                self.rules.push(rule(calls, act)?);
            }
            "holds" => {
                let (calls, path) =
                    value.split_once(':').ok_or("a held command needs `:PATH`, a named pipe")?;
                self.rules.push(rule(calls, Act::Hold(path.to_owned()))?);
            }
            "log" => {
                if !host::append(value, "") {
                    return Err(format!("{value} cannot be written"));
                }
                self.log = Some(Log::new(value.to_owned()));
            }
            "frame" => {
                let frame = Frame::of(value).ok_or("a frame is its number, from 1, or `requested`")?;
                self.log.as_mut().ok_or("a frame needs log=PATH")?.limit(frame);
            }
            "lacks" => {
                command_of(value).ok_or_else(|| format!("{value} is not a command"))?;
                self.lacks.push(value.to_owned());
            }
            "magic" => {
                let (name, magic) = value.split_once(':').ok_or("needs `:NUMBER` behind the type")?;
                let kind = object_type(name).ok_or_else(|| format!("{name} objects have no magic"))?;
                self.magic.push((kind, word(magic).ok_or_else(|| format!("{magic} is not a number"))?));
            }
            _ => return Err(format!("there is no `{key}`; there are {KEYS}")),
        }
        Ok(())
    }

    fn extension(&mut self, name: &str, there: bool) -> Result<(), String> {
        if there && (name == "all" || name == "all-provisional") {
            self.all = Some(name != "all" || self.all == Some(true));
            return Ok(());
        }
        let id = find_extension(name.as_bytes()).ok_or_else(|| format!("{name} is not an extension"))?;
        let set = match id.kind() {
            ExtensionKind::Instance => &mut self.instance_extensions,
            ExtensionKind::Device => &mut self.device_extensions,
        };
        *set = changed(set, id, there);
        self.unwanted = changed(&self.unwanted, id, !there);
        Ok(())
    }

    /// Adds every extension, if requested, and the extensions' dependencies.
    fn complete_extensions(&mut self) -> Result<(), String> {
        let minor = vk::api_version_minor(self.api_version);
        let all = self.all.map(|provisional| extensions::all(minor, provisional));
        let mut set = ExtensionSet::default();
        for id in ExtensionId::all() {
            let of_all = all.is_some_and(|all| all.contains(id) && !self.unwanted.contains(id));
            if of_all || self.instance_extensions.contains(id) || self.device_extensions.contains(id) {
                set.insert(id);
            }
        }
        extensions::add_needed(&mut set, &self.unwanted, minor)?;
        for id in set.iter() {
            match id.kind() {
                ExtensionKind::Instance => self.instance_extensions.insert(id),
                ExtensionKind::Device => self.device_extensions.insert(id),
            }
        }
        if self.surfaces == Surfaces::None && set.contains(extension::KHR_SURFACE) {
            self.surfaces = Surfaces::Loader;
        }
        Ok(())
    }

    /// Sets the devices' properties from a file.
    fn profile(&mut self, value: &str) -> Result<(), String> {
        let (path, name) = profile::split(value);
        let text = host::file(&path).ok_or_else(|| {
            format!("the file {path} cannot be read; a profile is the path of a JSON file, and :NAME behind it for one of several")
        })?;
        let read = profile::read(text.as_bytes(), name.as_deref()).map_err(|why| format!("{path}: {why}"))?;
        let properties = &read.device.properties;
        self.api_version = properties.api_version;
        let title = properties.device_name_as_c_str().ok().filter(|title| !title.is_empty());
        if let Some(title) = title {
            self.name = title.to_string_lossy().into_owned();
        }
        for id in read.extensions.iter() {
            match id.kind() {
                ExtensionKind::Instance => self.instance_extensions.insert(id),
                ExtensionKind::Device => self.device_extensions.insert(id),
            }
        }
        let warnings = read.warnings.iter().map(|warning| format!("{path}: {warning}")).collect();
        self.profile = Some(profile::Profile { warnings, ..read });
        Ok(())
    }

    /// Makes unknown parts of a profile file errors.
    fn strict(&mut self) -> Result<(), String> {
        let warnings = self.profile.iter().flat_map(|profile| &profile.warnings).map(String::as_str);
        let all = warnings.collect::<Vec<_>>();
        if all.is_empty() { Ok(()) } else { Err(all.join("; ")) }
    }

    fn surfaces(&mut self, value: &str) -> Result<(), String> {
        self.surfaces = match value {
            "none" => Surfaces::None,
            "loader" => Surfaces::Loader,
            "driver" => Surfaces::Driver,
            _ => return Err("surfaces are of none, loader or driver".to_owned()),
        };
        if self.surfaces != Surfaces::None {
            extensions::SURFACE_INSTANCE_EXTENSIONS
                .iter()
                .for_each(|id| self.instance_extensions.insert(*id));
            extensions::SURFACE_DEVICE_EXTENSIONS.iter().for_each(|id| self.device_extensions.insert(*id));
        }
        Ok(())
    }
}

/// Returns the same set with the extension or without.
fn changed(set: &ExtensionSet, id: ExtensionId, there: bool) -> ExtensionSet {
    let others = ExtensionId::all().filter(|other| set.contains(*other) && *other != id);
    let mut new = ExtensionSet::default();
    others.chain(there.then_some(id)).for_each(|id| new.insert(id));
    new
}

/// The commands whose calls may count by their bytes.
const SIZED: [CommandId; 2] = [command::ALLOCATE_MEMORY, command::CREATE_BUFFER];

/// Parses `COMMAND`, `COMMAND>SIZE` or `COMMAND/NAME`, each with `@2` or `@2+` behind it or nothing.
fn rule(calls: &str, act: Act) -> Result<Rule, String> {
    let (command, which) = calls.split_once('@').unwrap_or((calls, "1+"));
    let (command, name) =
        command.split_once('/').map_or((command, None), |(command, name)| (command, Some(name)));
    let (command, size) =
        command.split_once('>').map_or((command, None), |(command, size)| (command, Some(size)));
    let own = [NEGOTIATE, SUBMISSION].into_iter().find(|own| own.to_bytes() == command.as_bytes());
    let known = own.or_else(|| {
        let known = command_of(command).filter(|command| can_fail(*command));
        known.map(|command| command.canonical().name())
    });
    let command = known.ok_or_else(|| format!("{command} is not a command that can fail or wait"))?;
    let (first, later) = which.strip_suffix('+').map_or((which, false), |first| (first, true));
    let first = first.parse().ok().filter(|first| *first > 0);
    let first = first.ok_or_else(|| format!("{which} is not a count of calls, as @2 or @2+ would be"))?;
    let larger_than = match size {
        Some(_) if !SIZED.iter().any(|sized| sized.name() == command) => {
            return Err("only vkAllocateMemory and vkCreateBuffer have a size".to_owned());
        }
        Some(size) => Some(identity::bytes(size).ok_or("a size is a number of bytes, K, M or G")?),
        None => None,
    };
    let object = name.map(|name| NamedObject { name: name.to_owned(), handle: AtomicU64::new(0) });
    Ok(Rule { command, first, later, larger_than, object, act, calls: AtomicU32::new(0) })
}

fn command_of(name: &str) -> Option<CommandId> {
    find(&alloc::ffi::CString::new(name).ok()?)
}

fn number(text: &str, largest: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|number| *number <= largest);
    number.ok_or_else(|| format!("a number up to {largest} is wanted"))
}

fn word(text: &str) -> Option<usize> {
    match text.strip_prefix("0x") {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn version(text: &str) -> Option<u32> {
    let (major, minor) = text.split_once('.')?;
    Some(vk::make_api_version(0, major.parse().ok()?, minor.parse().ok()?, 0))
}

/// Returns the result of a name or number.
fn result_of(text: &str) -> Option<vk::Result> {
    const EXTENSIONS: [i32; 14] = [
        1_000_000_000,
        1_000_001_003,
        -1_000_000_000,
        -1_000_000_001,
        -1_000_001_004,
        -1_000_003_001,
        -1_000_011_001,
        -1_000_012_000,
        -1_000_069_000,
        -1_000_072_003,
        -1_000_161_000,
        -1_000_174_001,
        -1_000_255_000,
        -1_000_257_000,
    ];
    if let Ok(number) = text.parse() {
        return Some(vk::Result::from_raw(number));
    }
    let name = text.strip_prefix("VK_")?;
    let mut known = (-13..=5).chain(EXTENSIONS).map(vk::Result::from_raw);
    known.find(|result| format!("{result:?}").trim_end_matches("_KHR") == name.trim_end_matches("_KHR"))
}

fn object_type(name: &str) -> Option<vk::ObjectType> {
    Some(match name {
        "VkInstance" => vk::ObjectType::INSTANCE,
        "VkPhysicalDevice" => vk::ObjectType::PHYSICAL_DEVICE,
        "VkDevice" => vk::ObjectType::DEVICE,
        "VkQueue" => vk::ObjectType::QUEUE,
        "VkCommandBuffer" => vk::ObjectType::COMMAND_BUFFER,
        _ => return None,
    })
}
