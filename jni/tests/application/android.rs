//! Android systems in folders, with an application: the drivers and layers that the real loader of
//! this crate's library finds when Java calls it.

use std::fs;
use std::path::{Path, PathBuf};

use android_simulation::{Android, Packed, null_driver, null_driver_without_module, package};
use tempfile::TempDir;

/// The folder with a layer in a package.
const PACKAGE: &str = "/data/app/game/base.apk";

/// The description in a package with a driver.
const META: &str = r#"{"schemaVersion": 1, "name": "Null", "description": "draws nothing", "author": "tests",
    "packageVersion": "2", "vendor": "none", "driverVersion": "0.7", "minApi": 27, "libraryName": "vulkan.null.so"}"#;

/// A system with layers and drivers that an application may use. It has no loader of its own yet.
pub(crate) struct System {
    folder: TempDir,
    android: &'static Android,
}

impl System {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let android = Android::at(folder.path().to_owned());
        let system = Self { folder, android };
        system.layers();
        system.drivers();
        system
    }

    pub(crate) fn with_loader(self, library: &Path) -> Self {
        self.android.library("/libvulkan.so", library);
        self
    }

    /// Adds the distribution's validation layer in `/khronos`.
    pub(crate) fn with_validation(self) -> Self {
        let library = Path::new("/usr/lib/x86_64-linux-gnu/libVkLayer_khronos_validation.so");
        self.android.library("/khronos/libVkLayer_khronos_validation.so", library);
        self
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Checks that every report that Java has written is JSON according to other readers.
    pub(crate) fn reports_are_json(&self) {
        let files =
            fs::read_dir(self.android.host_path("/reports")).map(|all| all.map(|one| one.unwrap().path()));
        let reports: Vec<PathBuf> = files.into_iter().flatten().collect();
        assert!(!reports.is_empty(), "no report was written");
        for report in reports {
            let text = fs::read_to_string(&report).unwrap();
            let value: serde_json::Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert!(value["layers"].is_array(), "{text}");
        }
    }

    fn layers(&self) {
        let settings =
            ["-DSETTINGS", "-DINSTANCE_EXTENSIONS=\"VK_EXT_layer_settings\",\"VK_EXT_validation_features\""];
        self.android.layer("/libs/libVkLayer_settings.so", &["VK_LAYER_TEST_settings"], &settings);
        self.android.layer("/libs/libVkLayer_mute.so", &["VK_LAYER_TEST_mute"], &["-DNO_LAYERS_EXPORT"]);
        self.android.layer("/made.so", &["VK_LAYER_TEST_packed"], &[]);
        let packed = fs::read(self.android.host_path("/made.so")).unwrap();
        let compressed =
            Packed { compressed: true, ..Packed::stored("lib/x86_64/libVkLayer_compressed.so", &packed, 1) };
        let stored = Packed::stored("lib/x86_64/libVkLayer_packed.so", &packed, 4096);
        self.android.file(PACKAGE, package(&[compressed, stored]));
        fs::create_dir_all(self.android.host_path("/reports")).unwrap();
    }

    fn drivers(&self) {
        self.android.library("/own/libvulkan_icd.so", &null_driver_without_module());
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../platform-android/simulation/modules/driver.c");
        let lacks = "-DLACKS=\"vkDestroyInstance\"";
        self.android.compile("/own/libvulkan_poor.so", Path::new(source), &[lacks]);
        let module = fs::read(null_driver()).unwrap();
        let library = Packed { compressed: true, ..Packed::stored("vulkan.null.so", &module, 1) };
        let meta = Packed::stored("meta.json", META.as_bytes(), 1);
        self.android.file("/drivers/null.zip", package(&[meta, library]));
        self.android.file("/drivers/empty.zip", package(&[Packed::stored("meta.json", META.as_bytes(), 1)]));
        self.android.file("/cache/keep", b"");
    }
}
