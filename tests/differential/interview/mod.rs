//! A program's questions to a loader in a test case. It runs in a separate process and notes every answer under a key.

mod device;
mod displays;
mod instance;
mod names;
mod queries;
mod surfaces;

use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;

use ash::vk;
pub(crate) use names::names;
use vkload_tests::{Vk, code};

use crate::world::World;

/// Asks everything. Answers survive a crash, since they are written before every step.
pub(crate) fn ask(vk: &Vk) {
    let world = World::parse(&std::fs::read_to_string(vk.path("world")).unwrap());
    let interview = Interview { vk, notes: RefCell::new(String::new()) };
    interview.globals();
    for number in world.subjects("ask") {
        interview.mark(&world, number);
        interview.change(&world, number);
        interview.instance(number, &world);
    }
    interview.say("end", "ok");
    interview.write();
}

struct Interview<'v> {
    vk: &'v Vk,
    notes: RefCell<String>,
}

impl Interview<'_> {
    fn say(&self, key: impl Display, value: impl Display) {
        let plain = |text: String| text.replace(char::is_control, "?");
        let (key, value) = (plain(key.to_string()), plain(value.to_string()));
        self.notes.borrow_mut().push_str(&format!("{key}\t{value}\n"));
    }

    fn write(&self) {
        append(self.vk, "out/said", &self.notes.take());
    }

    /// Marks the beginning of a new instance in the records of drivers and layers.
    fn mark(&self, world: &World, number: &str) {
        append(self.vk, "out/calls", &format!("= {number}\n"));
        for driver in world.subjects("driver") {
            append(self.vk, &format!("out/{driver}.trace"), &format!("= number={number}\n"));
        }
    }

    /// Changes the test case as it has to be from this instance on.
    fn change(&self, world: &World, number: &str) {
        for (wish, value) in world.about("ask", number) {
            match wish {
                "gone" => _ = std::fs::remove_file(self.vk.path(value)),
                "late" => {
                    let place = self.vk.path(value);
                    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                    _ = std::fs::rename(self.vk.path(&format!("late/{value}")), place);
                }
                "hidden" => {
                    let (driver, device) = value.split_once(':').unwrap();
                    self.vk.hide(driver, &[device.parse().unwrap()]);
                }
                _ => {}
            }
        }
    }

    // ---- without an instance ----

    fn has(&self, instance: vk::Instance, name: &CStr) -> bool {
        // SAFETY: the instance is null or alive.
        unsafe { self.vk.entry.get_instance_proc_addr(instance, name.as_ptr()) }.is_some()
    }

    fn globals(&self) {
        // SAFETY: a global command.
        let version = unsafe { self.vk.entry.try_enumerate_instance_version() };
        self.say("version", code(&version));
        if let Ok(Some(version)) = version {
            self.say("version.number", version);
        }
        self.write();
        self.names("null", |name| self.has(vk::Instance::null(), name));
        self.write();
        let layers = self.layers();
        self.write();
        self.extensions("extension", |count, list| self.instance_extensions(None, count, list));
        self.write();
        for layer in layers.iter().map(String::as_str).chain(["VK_LAYER_TEST_none", ""]) {
            let name = CString::new(layer).unwrap();
            let key = format!("extension of \"{layer}\"");
            self.extensions(&key, |count, list| self.instance_extensions(Some(&name), count, list));
            self.write();
        }
    }

    fn layers(&self) -> Vec<String> {
        let list = self.vk.entry.static_fn_layers();
        let mut count = 0;
        // SAFETY: a count without an array.
        let counted = unsafe { list(&raw mut count, std::ptr::null_mut()) };
        self.say("layers", format_args!("{counted:?} {count}"));
        let mut layers = vec![vk::LayerProperties::default(); count as usize];
        let listed = unsafe { list(&raw mut count, layers.as_mut_ptr()) };
        layers.truncate(count as usize);
        let names: Vec<String> = layers.iter().map(|layer| text(layer.layer_name_as_c_str().ok())).collect();
        self.say("layers.list", format_args!("{listed:?} {}", names.join(",")));
        for (layer, name) in layers.iter().zip(&names) {
            let described = text(layer.description_as_c_str().ok());
            let (spec, own) = (layer.spec_version, layer.implementation_version);
            self.say(format_args!("layer {name}"), format_args!("spec {spec} own {own} \"{described}\""));
        }
        if layers.len() > 1 {
            let mut count = u32::try_from(layers.len() - 1).unwrap();
            // SAFETY: the array has more elements.
            let listed = unsafe { list(&raw mut count, layers.as_mut_ptr()) };
            self.say("layers.short", format_args!("{listed:?} {count}"));
        }
        names
    }

    fn instance_extensions(
        &self,
        layer: Option<&CStr>,
        count: &mut u32,
        list: *mut vk::ExtensionProperties,
    ) -> vk::Result {
        let layer = layer.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: a global command with a count and as many elements, or none.
        unsafe { self.vk.entry.static_fn_extensions()(layer, count, list) }
    }

    /// Notes the extensions that come out of a command, each under a key of its own.
    fn extensions(
        &self,
        key: &str,
        ask: impl Fn(&mut u32, *mut vk::ExtensionProperties) -> vk::Result,
    ) -> Vec<String> {
        let mut count = 0;
        let counted = ask(&mut count, std::ptr::null_mut());
        self.say(format_args!("{key}.result"), format_args!("{counted:?}"));
        if counted != vk::Result::SUCCESS {
            return vec![];
        }
        let mut list = vec![vk::ExtensionProperties::default(); count as usize + 1];
        let mut given = count;
        let listed = ask(&mut given, list.as_mut_ptr());
        list.truncate(given as usize);
        self.say(format_args!("{key}.list"), format_args!("{listed:?} all {}", given == count));
        let mut names = vec![];
        for extension in &list {
            let name = text(extension.extension_name_as_c_str().ok());
            self.say(format_args!("{key} {name}"), extension.spec_version);
            names.push(name);
        }
        if count > 1 {
            let mut short = count - 1;
            let listed = ask(&mut short, list.as_mut_ptr());
            self.say(format_args!("{key}.short"), format_args!("{listed:?} {}", short == count - 1));
        }
        names
    }
}

/// The two global commands as functions, since ash calls them twice by itself.
trait Globals {
    fn static_fn_layers(&self) -> vk::PFN_vkEnumerateInstanceLayerProperties;
    fn static_fn_extensions(&self) -> vk::PFN_vkEnumerateInstanceExtensionProperties;
}

impl Globals for ash::Entry {
    fn static_fn_layers(&self) -> vk::PFN_vkEnumerateInstanceLayerProperties {
        self.fp_v1_0().enumerate_instance_layer_properties
    }
    fn static_fn_extensions(&self) -> vk::PFN_vkEnumerateInstanceExtensionProperties {
        self.fp_v1_0().enumerate_instance_extension_properties
    }
}

/// An unknown structure, for any chain.
#[repr(C)]
struct Unknown {
    s_type: vk::StructureType,
    next: *const std::ffi::c_void,
    contents: [u64; 4],
}

// SAFETY: it begins with a type and a pointer, as all structures of chains do.
unsafe impl vk::ExtendsInstanceCreateInfo for Unknown {}

impl Unknown {
    const S_TYPE: i32 = 1_000_998_000;

    fn before(next: *const std::ffi::c_void) -> Self {
        Self { s_type: vk::StructureType::from_raw(Self::S_TYPE), next, contents: [7; 4] }
    }
}

fn text(name: Option<&CStr>) -> String {
    name.map_or_else(|| "?".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Formats a version as `MAJOR.MINOR.PATCH`, or as a plain number.
fn version(text: &str) -> u32 {
    let parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
    match parts[..] {
        [major, minor, patch] => vk::make_api_version(0, major, minor, patch),
        [variant, major, minor, patch] => vk::make_api_version(variant, major, minor, patch),
        _ => parts[0],
    }
}

fn append(vk: &Vk, file: &str, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(vk.path(file)).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}
