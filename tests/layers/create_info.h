/* The members of a create info as a layer sees them: pointers as numbers, the chain from the first structure after the
 * loader's on. `tests/src/members.rs` writes the same about what a program passes. */
static uintptr_t after_the_loaders(const void *next, VkStructureType loaders) {
    const VkBaseInStructure *structure = next;
    while (structure != NULL && structure->sType == loaders) structure = structure->pNext;
    return (uintptr_t)structure;
}

struct members {
    char text[256];
};

static struct members members_of_instance(const VkInstanceCreateInfo *info) {
    struct members members;
    snprintf(members.text, sizeof members.text, "%d,%u,%zu,%u,%zu,%u,%zu,%zu", (int)info->sType, info->flags, (uintptr_t)info->pApplicationInfo,
             info->enabledLayerCount, (uintptr_t)info->ppEnabledLayerNames, info->enabledExtensionCount, (uintptr_t)info->ppEnabledExtensionNames,
             after_the_loaders(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO));
    return members;
}

static struct members members_of_device(const VkDeviceCreateInfo *info) {
    struct members members;
    snprintf(members.text, sizeof members.text, "%d,%u,%u,%zu,%u,%zu,%u,%zu,%zu,%zu", (int)info->sType, info->flags, info->queueCreateInfoCount,
             (uintptr_t)info->pQueueCreateInfos, info->enabledLayerCount, (uintptr_t)info->ppEnabledLayerNames, info->enabledExtensionCount,
             (uintptr_t)info->ppEnabledExtensionNames, (uintptr_t)info->pEnabledFeatures,
             after_the_loaders(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO));
    return members;
}
