################################################################################
#
# vkload
#
################################################################################

VKLOAD_VERSION = 0.1.0
VKLOAD_SITE = https://github.com/vkload/vkload/releases/download/v$(VKLOAD_VERSION)
VKLOAD_SOURCE = vkload-$(VKLOAD_VERSION).tar.xz
VKLOAD_LICENSE = MIT or Apache-2.0
VKLOAD_LICENSE_FILES = LICENSE-MIT LICENSE-APACHE
VKLOAD_INSTALL_STAGING = YES
VKLOAD_DEPENDENCIES = vulkan-headers

# The library alone, whose workspace has 7 crates.
VKLOAD_SUBDIR = packaging/library
VKLOAD_VULKAN_VERSION = 1.4.366
VKLOAD_CARGO_ENV = SYSCONFDIR=/etc

VKLOAD_FIXED_DRIVERS = $(call qstrip,$(BR2_PACKAGE_VKLOAD_FIXED_DRIVERS))
ifneq ($(VKLOAD_FIXED_DRIVERS),)
VKLOAD_CARGO_ENV += VKLOAD_FIXED_DRIVERS=$(VKLOAD_FIXED_DRIVERS)
endif

define VKLOAD_INSTALL_LIBRARY
	$(INSTALL) -D -m 0755 $(VKLOAD_SRCDIR)/target/$(RUSTC_TARGET_NAME)/release/libvulkan.so \
		$(1)/usr/lib/libvulkan.so.$(VKLOAD_VULKAN_VERSION)
	ln -sf libvulkan.so.$(VKLOAD_VULKAN_VERSION) $(1)/usr/lib/libvulkan.so.1
	ln -sf libvulkan.so.1 $(1)/usr/lib/libvulkan.so
endef

define VKLOAD_INSTALL_TARGET_CMDS
	$(call VKLOAD_INSTALL_LIBRARY,$(TARGET_DIR))
endef

define VKLOAD_INSTALL_STAGING_CMDS
	$(call VKLOAD_INSTALL_LIBRARY,$(STAGING_DIR))
	$(INSTALL) -d $(STAGING_DIR)/usr/lib/pkgconfig
	printf '%s\n' 'Name: Vulkan-Loader' 'Description: Vulkan loader' \
		'Version: $(VKLOAD_VULKAN_VERSION)' 'Libs: -L/usr/lib -lvulkan' 'Cflags: -I/usr/include' \
		> $(STAGING_DIR)/usr/lib/pkgconfig/vulkan.pc
endef

$(eval $(cargo-package))
