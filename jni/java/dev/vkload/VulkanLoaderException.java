package dev.vkload;

/** The loader cannot do what was asked. The message says what is wrong and what to do about it. */
public final class VulkanLoaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    VulkanLoaderException(String message) {
        super(message);
    }

    VulkanLoaderException(String message, Throwable cause) {
        super(message, cause);
    }
}
