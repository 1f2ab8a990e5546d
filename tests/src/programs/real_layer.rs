//! Layers from Debian packages, and one of our own that shows each one's position in the chain.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A layer that Debian packages.
#[derive(Debug, PartialEq, Eq)]
pub struct RealLayer {
    /// Its name.
    pub name: &'static str,
    /// Its manifest.
    pub manifest: &'static str,
    /// The file name of its library.
    pub library: &'static str,
    /// The variable, with the value, that activates it; for an implicit layer that is active by default, the variable that disables it.
    pub switch: Option<(&'static str, &'static str)>,
}

/// Khronos' validation layer, of the package vulkan-validationlayers.
pub static VALIDATION: RealLayer = RealLayer {
    name: "VK_LAYER_KHRONOS_validation",
    manifest: "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
    library: "libVkLayer_khronos_validation.so",
    switch: None,
};
/// Mesa's overlay, of the package mesa-vulkan-drivers.
pub static MESA_OVERLAY: RealLayer = RealLayer {
    name: "VK_LAYER_MESA_overlay",
    manifest: "/usr/share/vulkan/explicit_layer.d/VkLayer_MESA_overlay.json",
    library: "libVkLayer_MESA_overlay.so",
    switch: None,
};
/// Mesa's choice of a device, of the package mesa-vulkan-drivers.
pub static DEVICE_SELECT: RealLayer = RealLayer {
    name: "VK_LAYER_MESA_device_select",
    manifest: "/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json",
    library: "libVkLayer_MESA_device_select.so",
    switch: Some(("NODEVICE_SELECT", "1")),
};
/// MangoHud, of the package mangohud.
pub static MANGOHUD: RealLayer = RealLayer {
    name: "VK_LAYER_MANGOHUD_overlay",
    manifest: "/usr/share/vulkan/implicit_layer.d/MangoHud.json",
    library: "libMangoHud.so",
    switch: Some(("MANGOHUD", "1")),
};
/// vkBasalt, of the package vkbasalt.
pub static VKBASALT: RealLayer = RealLayer {
    name: "VK_LAYER_VKBASALT_post_processing",
    manifest: "/usr/share/vulkan/implicit_layer.d/vkBasalt.json",
    library: "libvkbasalt.so",
    switch: Some(("ENABLE_VKBASALT", "1")),
};
/// RenderDoc's capture layer, of the package librenderdoc.
pub static RENDERDOC: RealLayer = RealLayer {
    name: "VK_LAYER_RENDERDOC_Capture",
    manifest: "/usr/share/vulkan/implicit_layer.d/renderdoc_capture.json",
    library: "librenderdoc.so",
    switch: Some(("ENABLE_VULKAN_RENDERDOC_CAPTURE", "1")),
};

/// GFXReconstruct's capture layer, of the package gfxreconstruct.
pub static GFXRECONSTRUCT: RealLayer = RealLayer {
    name: "VK_LAYER_LUNARG_gfxreconstruct",
    manifest: "/usr/share/vulkan/explicit_layer.d/VkLayer_gfxreconstruct.json",
    library: "libVkLayer_gfxreconstruct.so",
    switch: None,
};

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

    /// Returns whether the package is installed.
    #[must_use]
    pub fn is_installed(&self) -> bool {
        Path::new(self.manifest).exists()
    }
}

/// Compiles `c/order_layer.c` in `folder` and returns its manifest (an implicit layer's).
///
/// # Panics
/// If the C compiler fails.
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
