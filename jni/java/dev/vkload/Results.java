package dev.vkload;

/** The meaning of VkResult values for the caller. */
final class Results {
    static final int SUCCESS = 0;
    static final int INCOMPLETE = 5;

    private Results() {}

    static VulkanLoaderException failed(String command, int result) {
        return new VulkanLoaderException(command + " failed with " + name(result) + ": " + advice(result), result);
    }

    private static String name(int result) {
        switch (result) {
            case INCOMPLETE:
                return "VK_INCOMPLETE";
            case -1:
                return "VK_ERROR_OUT_OF_HOST_MEMORY";
            case -3:
                return "VK_ERROR_INITIALIZATION_FAILED";
            case -6:
                return "VK_ERROR_LAYER_NOT_PRESENT";
            case -7:
                return "VK_ERROR_EXTENSION_NOT_PRESENT";
            case -9:
                return "VK_ERROR_INCOMPATIBLE_DRIVER";
            default:
                return "VkResult " + result;
        }
    }

    private static String advice(int result) {
        switch (result) {
            case INCOMPLETE:
                return "the list has grown each time it was asked for; try again";
            case -1:
                return "there is too little memory; free some and try again";
            case -6:
                return "the loader found no layer of this name; doctor() says where it looked and why a library is not used";
            case -9:
                return "no driver can be used; doctor() says which ones were tried and what was wrong with each";
            default:
                return "doctor() says what the loader found, a log listener what happened";
        }
    }
}
