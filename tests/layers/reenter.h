/* Calls every global command of the loader from inside a callback: on this thread, and on two others that this one waits for, so
 * that a lock that is held during the callback shows. With `others_ask`, the others create no instances: those would go
 * through layers, which other threads do not enter while this one is in a command that creates or destroys. */

struct loader {
    PFN_vkEnumerateInstanceVersion version;
    PFN_vkEnumerateInstanceExtensionProperties extensions;
    PFN_vkEnumerateInstanceLayerProperties layers;
    PFN_vkCreateInstance create;
    PFN_vkDestroyInstance destroy;
    PFN_vkGetInstanceProcAddr get;
    bool creates;
};

static _Thread_local bool inside;

static void *call_globals(void *argument) {
    const struct loader *loader = argument;
    inside = true;
    uint32_t version = 0, count = 0;
    VkResult results[4];
    results[0] = loader->version(&version);
    results[1] = loader->extensions(NULL, &count, NULL);
    results[2] = loader->layers(&count, NULL);
    results[3] = VK_SUCCESS;
    VkInstance instance = VK_NULL_HANDLE;
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    if (loader->creates) results[3] = loader->create(&info, NULL, &instance);
    if (instance != VK_NULL_HANDLE) loader->destroy(instance, NULL);
    if (loader->get(VK_NULL_HANDLE, "vkCreateInstance") == NULL) die("reenter", "no vkCreateInstance");
    for (int i = 0; i < 4; ++i)
        if (results[i] != VK_SUCCESS) die("reenter", "global command %d returned %d", i, results[i]);
    inside = false;
    return NULL;
}

static void reenter(const char *command) {
    if (!does("reenter") || inside) return;
    void *library = dlopen(config.loader, RTLD_NOW | RTLD_NOLOAD);
    if (library == NULL) die("reenter", "the loader is not there");
    struct loader loader = {
        (PFN_vkEnumerateInstanceVersion)dlsym(library, "vkEnumerateInstanceVersion"),
        (PFN_vkEnumerateInstanceExtensionProperties)dlsym(library, "vkEnumerateInstanceExtensionProperties"),
        (PFN_vkEnumerateInstanceLayerProperties)dlsym(library, "vkEnumerateInstanceLayerProperties"),
        (PFN_vkCreateInstance)dlsym(library, "vkCreateInstance"),
        (PFN_vkDestroyInstance)dlsym(library, "vkDestroyInstance"),
        (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr"),
        true,
    };
    call_globals(&loader);
    loader.creates = !does("others_ask");
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
        if (pthread_create(&threads[i], NULL, call_globals, &loader) != 0) die("reenter", "no thread");
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    dlclose(library);
    trace("reentered", "in=%s", command);
}
