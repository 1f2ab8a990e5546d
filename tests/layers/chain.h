/* The links that the loader hands down. Whatever is missing or odd ends the process. */

static VkLayerInstanceCreateInfo *instance_link(const VkInstanceCreateInfo *info, VkLayerFunction function) {
    unsigned length = 0;
    for (const VkLayerInstanceCreateInfo *link = info->pNext; link != NULL; link = link->pNext) {
        if (++length > 64) die("vkCreateInstance", "an endless chain");
        if (link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && link->function == function)
            return (VkLayerInstanceCreateInfo *)link;
    }
    die("vkCreateInstance", "no structure of the loader for function %d", function);
}

/* No check for the end of the chain: a shipped layer has none either, and needs the structure to be there. */
static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info, VkLayerFunction function) {
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != function)
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    return link;
}

static VkLayerInstanceLink *take_instance_link(const VkInstanceCreateInfo *info) {
    if (info->sType != VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO) die("vkCreateInstance", "sType %d", info->sType);
    VkLayerInstanceCreateInfo *chain = instance_link(info, VK_LAYER_LINK_INFO);
    VkLayerInstanceLink *link = chain->u.pLayerInfo;
    if (link == NULL) die("vkCreateInstance", "no link is left for this layer");
    if (link->pfnNextGetInstanceProcAddr == NULL) die("vkCreateInstance", "the link has no function");
    if (instance_link(info, VK_LOADER_DATA_CALLBACK)->u.pfnSetInstanceLoaderData == NULL) die("vkCreateInstance", "no callback for data");
    if (!does("keep_link")) chain->u.pLayerInfo = link->pNext;
    if (does("corrupt_link")) chain->u.pLayerInfo = link->pNext = (VkLayerInstanceLink *)(uintptr_t)0x1230;
    return link;
}

static VkLayerDeviceLink *take_device_link(const VkDeviceCreateInfo *info) {
    if (info->sType != VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO) die("vkCreateDevice", "sType %d", info->sType);
    VkLayerDeviceCreateInfo *chain = device_link(info, VK_LAYER_LINK_INFO);
    VkLayerDeviceLink *link = chain->u.pLayerInfo;
    if (link == NULL) die("vkCreateDevice", "no link is left for this layer");
    if (link->pfnNextGetInstanceProcAddr == NULL || link->pfnNextGetDeviceProcAddr == NULL) die("vkCreateDevice", "the link has no function");
    if (device_link(info, VK_LOADER_DATA_CALLBACK)->u.pfnSetDeviceLoaderData == NULL) die("vkCreateDevice", "no callback for data");
    if (!does("keep_link")) chain->u.pLayerInfo = link->pNext;
    if (does("corrupt_link")) chain->u.pLayerInfo = link->pNext = (VkLayerDeviceLink *)(uintptr_t)0x1230;
    return link;
}
