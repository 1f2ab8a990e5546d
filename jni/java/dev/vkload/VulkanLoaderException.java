package dev.vkload;

/** The loader cannot do what was requested. The message names the error and its remedy. */
public final class VulkanLoaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VulkanLoaderException(String message) {
        super(message);
    }

    VulkanLoaderException(String message, Throwable cause) {
        super(message, cause);
    }
}
