//! From words to a scenario.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use vkload_driver_runtime::atomic::AtomicU64;

use vkload_driver_runtime::registry::{ExtensionId, ExtensionKind, ExtensionSet, extension, find_extension};
use vkload_driver_runtime::vk;
use vkload_fault_rules::{Rules, parse_number, parse_words};

use super::log::{Frame, Log};
use super::{EVENTS, Identity, Scenario, Surfaces, profile};
use crate::{extensions, host};

/// The keys, for error messages about mistyped ones.
const KEYS: &str = "api, interface, devices, groups, name, extension, without, profile, vendor, device, type, driver, heap, \
    queues, strict, claims, surfaces, queue, delay, clock, fails, holds, lacks, seed, log, frame, magic";

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
            claims: false,
            surfaces: Surfaces::None,
            profile: None,
            identity: Identity::default(),
            asynchronous: false,
            delay: 0,
            clock: None,
            readings: AtomicU64::new(0),
            log: None,
            broken: false,
            rules: Rules::new(EVENTS),
            magic: Vec::new(),
        }
    }
}

pub(super) fn read(text: &str) -> Result<Scenario, String> {
    let mut scenario = Scenario::default();
    let words = parse_words(text)?;
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

impl Scenario {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "api" => self.api_version = version(value).ok_or("a version is MAJOR.MINOR, as in 1.3")?,
            "interface" => {
                self.interface = parse_number(value, vkload_driver_runtime::icd::INTERFACE_VERSION)?
            }
            "devices" if value == "drm" => {
                self.drm = true;
                extensions::DRM_DEVICE_EXTENSIONS.iter().for_each(|id| self.device_extensions.insert(*id));
            }
            "devices" => self.devices = parse_number(value, DEVICES)?,
            "groups" => {
                let sizes = value.split(',').map(|size| parse_number(size, vk::MAX_DEVICE_GROUP_SIZE as u32));
                self.groups = sizes.collect::<Result<_, _>>()?;
            }
            "name" => value.clone_into(&mut self.name),
            "extension" => self.extension(value, true)?,
            "without" => self.extension(value, false)?,
            "profile" => self.profile(value)?,
            "vendor" | "device" | "type" | "driver" | "heap" | "queues" => self.identity.set(key, value)?,
            "strict" => self.strict()?,
            "claims" => {
                self.claims = either(value, ["effective", "all"]).ok_or("claims are effective or all")?;
            }
            "surfaces" => self.surfaces(value)?,
            "queue" => {
                self.asynchronous = either(value, ["sync", "async"]).ok_or("a queue is sync or async")?;
            }
            "delay" => self.delay = parse_number(value, DELAY)?,
            "clock" => self.clock = Some(parse_number(value, u32::MAX)?.into()),
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
            "magic" => {
                let (name, magic) = value.split_once(':').ok_or("needs `:NUMBER` behind the type")?;
                let kind = object_type(name).ok_or_else(|| format!("{name} objects have no magic"))?;
                self.magic.push((kind, word(magic).ok_or_else(|| format!("{magic} is not a number"))?));
            }
            _ if self.rules.set(key, value)? => {}
            _ => return Err(format!("there is no `{key}`; there are {KEYS}")),
        }
        Ok(())
    }

    fn add_extensions(&mut self, set: &ExtensionSet) {
        for id in set.iter() {
            match id.kind() {
                ExtensionKind::Instance => self.instance_extensions.insert(id),
                ExtensionKind::Device => self.device_extensions.insert(id),
            }
        }
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
        let all = self.all.map(|provisional| extensions::all(minor, provisional, self.claims));
        let mut set = ExtensionSet::default();
        for id in ExtensionId::all() {
            let of_all = all.is_some_and(|all| all.contains(id) && !self.unwanted.contains(id));
            if of_all || self.instance_extensions.contains(id) || self.device_extensions.contains(id) {
                set.insert(id);
            }
        }
        extensions::add_needed(&mut set, &self.unwanted, minor)?;
        let of_profile = self.profile.as_ref().map(|profile| profile.extensions).unwrap_or_default();
        let without =
            |id: &ExtensionId| extensions::WITHOUT_EFFECT.contains(*id) && !of_profile.contains(*id);
        if let Some(id) = set.iter().find(without).filter(|_| !self.claims) {
            let name = id.name().to_string_lossy();
            return Err(format!(
                "{name} has no effect in this driver: add claims=all to have it nevertheless"
            ));
        }
        self.add_extensions(&set);
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
        self.add_extensions(&read.extensions);
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

/// Returns whether the word is the second of two.
fn either(word: &str, [first, second]: [&str; 2]) -> Option<bool> {
    if word == first { Some(false) } else { (word == second).then_some(true) }
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
