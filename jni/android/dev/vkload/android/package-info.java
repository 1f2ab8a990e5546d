/** The Android part of the vkload Vulkan loader. Nothing here is null unless it is marked so. */
@NullMarked
package dev.vkload.android;

import org.jspecify.annotations.NullMarked;
