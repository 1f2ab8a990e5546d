# nooelint: oelint.var.bbclassextend
SUMMARY = "Vulkan loader that says why a driver is not used"
DESCRIPTION = "The library between programs that use Vulkan and the drivers and layers of the system, instead of vulkan-loader. \
               With the PACKAGECONFIG fixed-drivers, it opens the libraries in VKLOAD_FIXED_DRIVERS and nothing else."
SECTION = "libs"

require vkload.inc
require vkload-crates.inc

DEPENDS += "vulkan-headers"
# What depends on vulkan-loader is built with this recipe if the distribution's configuration has
#   PREFERRED_PROVIDER_vulkan-loader = "vkload"
PROVIDES = "vulkan-loader"

# Rust 1.88 or newer. Yocto 5.3 has 1.90. Scarthgap has 1.75: add the layer meta-lts-mixins, branch scarthgap/rust.
inherit cargo cargo-update-recipe-crates features_check pkgconfig

REQUIRED_DISTRO_FEATURES = "vulkan"

# A workspace of its own: Cargo wants every crate of a workspace at hand, and this one has 7.
CARGO_SRC_DIR = "packaging/library"
CARGO_LOCK_SRC_DIR = "${S}/packaging/library"

PACKAGECONFIG ??= ""
# A fixed list of drivers, in VKLOAD_FIXED_DRIVERS as absolute paths separated by colons.
PACKAGECONFIG[fixed-drivers] = ",,"
# nooelint: oelint.vars.mispell.unknown
VKLOAD_FIXED_DRIVERS ?= ""
export VKLOAD_FIXED_DRIVERS

do_install() {
    version=$(sed -n 's/.*The version of the registry, \([0-9.]*\),.*/\1/p' "${S}/registry/src/numbers_gen.rs")

    install -d "${D}${libdir}/pkgconfig"
    install -m 0755 "${B}/target/${CARGO_TARGET_SUBDIR}/libvulkan.so" "${D}${libdir}/libvulkan.so.$version"
    ln -s "libvulkan.so.$version" "${D}${libdir}/libvulkan.so.1"
    ln -s libvulkan.so.1 "${D}${libdir}/libvulkan.so"
    {
        echo "libdir=${libdir}"
        echo "includedir=${includedir}"
        echo
        echo "Name: Vulkan-Loader"
        echo "Description: Vulkan loader"
        echo "Version: $version"
        echo "Libs: -L${libdir} -lvulkan"
        echo "Libs.private: -ldl -lpthread"
        echo "Cflags: -I${includedir}"
    } > "${D}${libdir}/pkgconfig/vulkan.pc"
}

# Drivers are found at run time. Recipes of drivers provide this name, from Yocto 5.3 on Mesa's too.
RRECOMMENDS:${PN} = "${@bb.utils.contains('PACKAGECONFIG', 'fixed-drivers', '', 'virtual-vulkan-icd', d)}"
# Vendors' packages that bring a loader of their own are kept out of the image.
RPROVIDES:${PN} = "vulkan-loader libvulkan1"
RPROVIDES:${PN}-dev = "vulkan-loader-dev libvulkan-dev"
RCONFLICTS:${PN} = "vulkan-loader libvulkan1"
RCONFLICTS:${PN}-dev = "vulkan-loader-dev libvulkan-dev"
RREPLACES:${PN} = "vulkan-loader libvulkan1"
RREPLACES:${PN}-dev = "vulkan-loader-dev libvulkan-dev"
