//! Faults of a layer that show only when it is opened.
#![forbid(unsafe_code)]

use super::driver_status::VkResult;
use crate::memory::{Escaped, Text};

crate::reasons! {
    /// Why a layer cannot be used although its manifest can. Logs and reports show the same text.
    #[derive(Debug)]
    pub enum LayerOpenError [policy] {
        DoesNotOpen { error: Text }
            = ["does-not-open" Warning _] ("its library does not open ({}); reinstall the layer", Escaped(error));
        NoEntryPoint = ["no-entry-point" Warning "LLP_LOADER_5"]
            ("its library has no vkGetInstanceProcAddr of this layer, or no vkCreateInstance; check \"library_path\" and \"functions\" in \
              the manifest");
        NegotiationRefused { result: i32 } = ["negotiation-refused" Warning "LLP_LOADER_5"]
            ("it has no interface version in common with this loader (it returned {}); update the layer", VkResult(*result));
        InterfaceVersion { version: u32, offered: u32 } = ["interface-version" Warning "LLP_LOADER_5"]
            ("it chose interface version {version}, above the {offered} that it was offered");
    }
}
