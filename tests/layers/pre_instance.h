/* The functions for the global commands, which a manifest of an implicit layer may name. */

#define EXPORT __attribute__((visibility("default")))

EXPORT VKAPI_ATTR VkResult VKAPI_CALL PREFIXED(preVersion)(const VkEnumerateInstanceVersionChain *chain, uint32_t *version) {
    trace("vkEnumerateInstanceVersion", "kind=%d version=%u size=%d", chain->header.type, chain->header.version,
          chain->header.size == sizeof *chain);
    reenter("vkEnumerateInstanceVersion");
    VkResult result = chain->pfnNextLayer(chain->pNextLink, version);
    if (does("version")) *version = (uint32_t)number("version", 0);
    return result;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL PREFIXED(preLayers)(const VkEnumerateInstanceLayerPropertiesChain *chain, uint32_t *count, VkLayerProperties *out) {
    trace("vkEnumerateInstanceLayerProperties", "kind=%d fill=%d", chain->header.type, out != NULL);
    reenter("vkEnumerateInstanceLayerProperties");
    if (does("no_layers")) return *count = 0, VK_SUCCESS;
    return chain->pfnNextLayer(chain->pNextLink, count, out);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL PREFIXED(preExtensions)(const VkEnumerateInstanceExtensionPropertiesChain *chain, const char *layer, uint32_t *count, VkExtensionProperties *out) {
    trace("vkEnumerateInstanceExtensionProperties", "kind=%d layer=%s fill=%d", chain->header.type, layer == NULL ? "NULL" : layer, out != NULL);
    reenter("vkEnumerateInstanceExtensionProperties");
    if (does("no_extensions")) return *count = 0, VK_SUCCESS;
    return chain->pfnNextLayer(chain->pNextLink, layer, count, out);
}
