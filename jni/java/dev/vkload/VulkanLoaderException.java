package dev.vkload;

/** The loader cannot do what was requested. The message names the error and its remedy. */
public final class VulkanLoaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int result;

    VulkanLoaderException(String message) {
        this(message, 0);
    }

    VulkanLoaderException(String message, int result) {
        super(message);
        this.result = result;
    }

    VulkanLoaderException(String message, Throwable cause) {
        super(message, cause);
        result = 0;
    }

    /** Returns the VkResult of the command that failed, such as -9 for VK_ERROR_INCOMPATIBLE_DRIVER; 0 if no command did. */
    public int getResult() {
        return result;
    }
}
