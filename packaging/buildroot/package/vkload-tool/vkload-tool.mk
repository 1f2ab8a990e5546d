################################################################################
#
# vkload-tool
#
################################################################################

VKLOAD_TOOL_VERSION = 0.1.0
VKLOAD_TOOL_SITE = https://github.com/vkload/vkload/releases/download/v$(VKLOAD_TOOL_VERSION)
VKLOAD_TOOL_SOURCE = vkload-$(VKLOAD_TOOL_VERSION).tar.xz
VKLOAD_TOOL_LICENSE = MIT or Apache-2.0
VKLOAD_TOOL_LICENSE_FILES = LICENSE-MIT LICENSE-APACHE
VKLOAD_TOOL_CARGO_ENV = SYSCONFDIR=/etc
VKLOAD_TOOL_CARGO_BUILD_OPTS = --package vkload --features tool \
	--config 'profile.release.package.vkload.opt-level="s"' \
	--config 'profile.release.package.clap_builder.opt-level="s"'

define VKLOAD_TOOL_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/target/$(RUSTC_TARGET_NAME)/release/vkload \
		$(TARGET_DIR)/usr/bin/vkload
endef

$(eval $(cargo-package))
