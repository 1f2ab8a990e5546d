//! Layers from Debian packages, and one of our own that shows each one's position in the chain.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Debug, PartialEq, Eq)]
pub struct RealLayer {
    pub name: &'static str,
    pub manifest: &'static str,
    pub library: &'static str,
    /// The variable, with the value, that activates it; for an implicit layer that is active by default, the variable that disables it.
    pub switch: Option<(&'static str, &'static str)>,
}

macro_rules! layers {
    ($($(#[$attribute:meta])* $layer:ident = $name:literal, $manifest:literal, $library:literal, $switch:expr;)*) => {
        $(
            $(#[$attribute])*
            pub static $layer: RealLayer = RealLayer {
                name: $name,
                manifest: concat!("/usr/share/vulkan/", $manifest, ".json"),
                library: concat!($library, ".so"),
                switch: $switch,
            };
        )*
    };
}

layers! {
    /// Khronos' validation layer, of the package vulkan-validationlayers.
    VALIDATION = "VK_LAYER_KHRONOS_validation", "explicit_layer.d/VkLayer_khronos_validation", "libVkLayer_khronos_validation", None;
    /// Mesa's overlay, of the package mesa-vulkan-drivers.
    MESA_OVERLAY = "VK_LAYER_MESA_overlay", "explicit_layer.d/VkLayer_MESA_overlay", "libVkLayer_MESA_overlay", None;
    /// Mesa's choice of a device, of the package mesa-vulkan-drivers.
    DEVICE_SELECT = "VK_LAYER_MESA_device_select", "implicit_layer.d/VkLayer_MESA_device_select", "libVkLayer_MESA_device_select",
        Some(("NODEVICE_SELECT", "1"));
    /// MangoHud, of the package mangohud.
    MANGOHUD = "VK_LAYER_MANGOHUD_overlay", "implicit_layer.d/MangoHud", "libMangoHud", Some(("MANGOHUD", "1"));
    /// vkBasalt, of the package vkbasalt.
    VKBASALT = "VK_LAYER_VKBASALT_post_processing", "implicit_layer.d/vkBasalt", "libvkbasalt", Some(("ENABLE_VKBASALT", "1"));
    /// RenderDoc's capture layer, of the package librenderdoc.
    RENDERDOC = "VK_LAYER_RENDERDOC_Capture", "implicit_layer.d/renderdoc_capture", "librenderdoc",
        Some(("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1"));
    /// GFXReconstruct's capture layer, of the package gfxreconstruct.
    GFXRECONSTRUCT = "VK_LAYER_LUNARG_gfxreconstruct", "explicit_layer.d/VkLayer_gfxreconstruct", "libVkLayer_gfxreconstruct", None;
}

/// The order layer's output file, in the folder in which a program runs.
pub(crate) const ORDER_FILE: &str = "order.txt";

impl RealLayer {
    /// Makes the layer, which is an implicit one, active in `command` or not.
    pub fn switch(&self, command: &mut Command, on: bool) {
        let Some((variable, value)) = self.switch else { return };
        let is_for_off = *self == DEVICE_SELECT;
        if on != is_for_off {
            command.env(variable, value);
        }
    }

    pub fn is_installed(&self) -> bool {
        Path::new(self.manifest).exists()
    }
}

/// Compiles `c/order_layer.c` in `folder` and returns its manifest (an implicit layer's).
pub(crate) fn order_layer(folder: &Path) -> PathBuf {
    let library = folder.join("liborder.so");
    let status = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&library)
        .arg(Path::new(super::SOURCES).join("c/order_layer.c"))
        .status()
        .expect("install the Debian package gcc");
    assert!(status.success(), "the order layer does not compile");
    let manifest = serde_json::json!({
        "file_format_version": "1.0.0",
        "layer": {
            "name": "VK_LAYER_VKLOAD_order",
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "writes down the order of layers",
            "disable_environment": { "VKLOAD_NO_ORDER": "1" },
        },
    });
    let implicit = folder.join("implicit_layer.d");
    fs::create_dir_all(&implicit).expect("a folder for the order layer");
    let file = implicit.join("order.json");
    fs::write(&file, manifest.to_string()).expect("the order layer's manifest");
    file
}
