# nooelint: oelint.var.bbclassextend
SUMMARY = "Command that says why Vulkan does not work"
DESCRIPTION = "The command vkload lists drivers, layers and devices as the loader finds them, and why any of them is skipped. \
               It contains a loader, and examines manifests: an image whose loader has a fixed list of drivers does not need it."
SECTION = "console/utils"

require vkload.inc
require vkload-tool-crates.inc

# Rust 1.88 or newer. Yocto 5.3 has 1.90. Scarthgap has 1.75: add the layer meta-lts-mixins, branch scarthgap/rust.
inherit cargo

# The task's shell takes the backslashes away: Cargo reads a TOML string.
CARGO_BUILD_FLAGS:append = ' --package vkload --features tool \
                            --config profile.release.package.vkload.opt-level=\"s\" \
                            --config profile.release.package.clap_builder.opt-level=\"s\"'

do_install() {
    install -d "${D}${bindir}"
    install -m 0755 "${B}/target/${CARGO_TARGET_SUBDIR}/vkload" "${D}${bindir}/vkload"
}
