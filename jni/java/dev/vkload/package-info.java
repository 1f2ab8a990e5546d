/**
 * Controls the vkload Vulkan loader from Java: which layers and drivers it uses, its report and its log.
 *
 * <p>Begin with {@link dev.vkload.VulkanLoader#builder()}. Nothing here is null unless it is marked so.
 */
@NullMarked
package dev.vkload;

import org.jspecify.annotations.NullMarked;
