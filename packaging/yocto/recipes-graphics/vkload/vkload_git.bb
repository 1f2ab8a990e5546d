SUMMARY = "Vulkan loader that says why a driver is not used"
DESCRIPTION = "The library between programs that use Vulkan and the drivers and layers of the system, in place of vulkan-loader. \
With the PACKAGECONFIG fixed-drivers it opens the libraries in VKLOAD_FIXED_DRIVERS and nothing else: no variable is read and \
nothing is searched for."
HOMEPAGE = "https://github.com/vkload/vkload"
BUGTRACKER = "https://github.com/vkload/vkload/issues"
SECTION = "libs"
LICENSE = "MIT | Apache-2.0"
LIC_FILES_CHKSUM = "\
    file://LICENSE-MIT;md5=19ae6a000147d3812e99881f1ea6d610 \
    file://LICENSE-APACHE;md5=f89d283169be98933e17f51f635eab81 \
"

PV = "0.1.0+git"
# What depends on vulkan-loader is built with this recipe once a distribution's configuration has
#   PREFERRED_PROVIDER_vulkan-loader = "vkload"
DEPENDS += "vulkan-headers"
PROVIDES = "vulkan-loader"

SRC_URI = "git://github.com/vkload/vkload.git;protocol=https;branch=main;destsuffix=${BP}"
# In the repository, "cargo xtask yocto --revision COMMIT" sets this, and writes the list of the crates that the commit needs.
SRCREV ?= "4a672fefb8fd4d4d68cab528f84c32ac480788bb"
require vkload-crates.inc

# Rust 1.88 or newer, for the tool 1.90. Yocto 5.3 has 1.90. Scarthgap has 1.75: add the layer meta-lts-mixins, branch scarthgap/rust.
inherit cargo features_check pkgconfig

REQUIRED_DISTRO_FEATURES = "vulkan"

PACKAGECONFIG ??= "tool"
# The command vkload, which tells what the loader finds.
PACKAGECONFIG[tool] = ",,"
# A fixed list of drivers, as paths separated by colons.
PACKAGECONFIG[fixed-drivers] = ",,"
VKLOAD_FIXED_DRIVERS ?= ""
# What a start of a program learns about drivers is kept for its next one: docs/start-cache.md.
PACKAGECONFIG[start-cache] = ",,"

# The folder that is searched for manifests before /etc.
export SYSCONFDIR = "${sysconfdir}"
export VKLOAD_FIXED_DRIVERS
export VKLOAD_START_CACHE = "${@bb.utils.contains('PACKAGECONFIG', 'start-cache', '1', '0', d)}"

# Each is built alone, so that neither turns on features in the crates of the other.
do_compile() {
    oe_cargo_fix_env
    export RUSTFLAGS="${RUSTFLAGS}"
    oe_cargo_build --package libvulkan-linux ${@bb.utils.contains('PACKAGECONFIG', 'fixed-drivers', '--no-default-features --features fixed-drivers', '', d)}
    if ${@bb.utils.contains('PACKAGECONFIG', 'tool', 'true', 'false', d)}; then
        oe_cargo_build --package vkload
    fi
}

do_install() {
    built="${B}/target/${CARGO_TARGET_SUBDIR}"
    version=$(sed -n 's/.*The version of the registry, \([0-9.]*\),.*/\1/p' "${S}/registry/src/numbers_gen.rs")

    install -d "${D}${libdir}/pkgconfig"
    install -m 0755 "$built/libvulkan.so" "${D}${libdir}/libvulkan.so.$version"
    ln -s "libvulkan.so.$version" "${D}${libdir}/libvulkan.so.1"
    ln -s libvulkan.so.1 "${D}${libdir}/libvulkan.so"
    {
        echo "libdir=${libdir}"
        echo "includedir=${includedir}"
        echo
        echo "Name: Vulkan-Loader"
        echo "Description: Vulkan loader"
        echo "Version: $version"
        printf '%s\n' 'Libs: -L${libdir} -lvulkan' 'Libs.private: -ldl -lpthread' 'Cflags: -I${includedir}'
    } > "${D}${libdir}/pkgconfig/vulkan.pc"

    if [ -e "$built/vkload" ]; then
        install -D -m 0755 "$built/vkload" "${D}${bindir}/vkload"
    fi
}

PACKAGE_BEFORE_PN = "${PN}-tool"
FILES:${PN}-tool = "${bindir}/vkload"

# Drivers are found at run time. Recipes of drivers provide this name, from Yocto 5.3 on Mesa's too.
RRECOMMENDS:${PN} = "${@bb.utils.contains('PACKAGECONFIG', 'fixed-drivers', '', 'virtual-vulkan-icd', d)}"
# Vendors' packages that bring a loader of their own are kept out of the image.
RPROVIDES:${PN} = "vulkan-loader libvulkan1"
RCONFLICTS:${PN} = "vulkan-loader libvulkan1"
RREPLACES:${PN} = "vulkan-loader libvulkan1"
