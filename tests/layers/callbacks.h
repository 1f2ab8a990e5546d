/* Allocation callbacks: what a layer passes down beside what it was given. With "own_callbacks" these are the layer's, another
 * structure with another pUserData in each call, as in `struct tracker`; with "null_callbacks" there are none. */

struct tracker {
    VkAllocationCallbacks callbacks;
    bool over; /* nobody may call it any more */
};

static _Atomic int own_blocks;

static int blocks_left(void) { return own_blocks; }

static struct tracker *tracker_of(void *user) {
    struct tracker *tracker = user;
    if (tracker->over) die("allocation", "callbacks are called after the call that they were for");
    return tracker;
}
static VKAPI_ATTR void *VKAPI_CALL tracked_allocate(void *user, size_t size, size_t align, VkSystemAllocationScope scope) {
    (void)scope;
    tracker_of(user);
    ++own_blocks;
    size = (size + align - 1) / align * align;
    return aligned_alloc(align, size);
}
static VKAPI_ATTR void VKAPI_CALL tracked_free(void *user, void *block) {
    tracker_of(user);
    if (block == NULL) return;
    --own_blocks;
    free(block);
}
static VKAPI_ATTR void *VKAPI_CALL tracked_reallocate(void *user, void *block, size_t size, size_t align, VkSystemAllocationScope scope) {
    if (block == NULL) return tracked_allocate(user, size, align, scope);
    tracker_of(user);
    return align <= 16 ? realloc(block, size) : NULL;
}

/* What goes down instead of `given`. The tracker is never freed, so that late calls are noticed. */
static const VkAllocationCallbacks *pass_down(const VkAllocationCallbacks *given, struct tracker **tracker) {
    *tracker = NULL;
    if (does("null_callbacks")) return NULL;
    if (!does("own_callbacks")) return given;
    *tracker = calloc(1, sizeof **tracker);
    (*tracker)->callbacks = (VkAllocationCallbacks){
        .pUserData = *tracker, .pfnAllocation = tracked_allocate, .pfnReallocation = tracked_reallocate, .pfnFree = tracked_free};
    return &(*tracker)->callbacks;
}

static void end_tracker(struct tracker *tracker) {
    if (tracker != NULL) tracker->over = true;
}

/* The trackers that objects were created with, by their handles. */
enum { MAX_TRACKED = 64 };
static struct { uint64_t handle; struct tracker *created_with; } tracked[MAX_TRACKED];

static void note_tracker(uint64_t handle, struct tracker *tracker) {
    if (tracker == NULL) return;
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < MAX_TRACKED && tracked[place].handle != 0) ++place;
    if (place == MAX_TRACKED) die("allocation", "too many objects");
    tracked[place].handle = handle;
    tracked[place].created_with = tracker;
    pthread_mutex_unlock(&lock);
}

/* What goes down to destroy an object: from now on nobody may use what it was created with. */
static const VkAllocationCallbacks *pass_down_to_destroy(uint64_t handle, const VkAllocationCallbacks *given, struct tracker **tracker) {
    pthread_mutex_lock(&lock);
    for (int place = 0; place < MAX_TRACKED; ++place)
        if (tracked[place].handle == handle && handle != 0) {
            end_tracker(tracked[place].created_with);
            tracked[place].handle = 0;
        }
    pthread_mutex_unlock(&lock);
    return pass_down(given, tracker);
}

/* Commands of other objects, which a layer intercepts only for their callbacks. */
#define WITH_CALLBACKS(Parent, Below, create, Info, Handle, destroy)                                                             \
    CALL callbacks_##create(Vk##Parent handle, const Info *info, const VkAllocationCallbacks *given, Handle *out) {               \
        struct tracker *tracker;                                                                                                 \
        const VkAllocationCallbacks *down = pass_down(given, &tracker);                                                           \
        VkResult result = Below(handle, vk##create)(handle, info, down, out);                                                    \
        if (result == VK_SUCCESS) note_tracker((uint64_t)*out, tracker);                                                         \
        else end_tracker(tracker);                                                                                               \
        return result;                                                                                                           \
    }                                                                                                                            \
    CALL_VOID callbacks_##destroy(Vk##Parent handle, Handle object, const VkAllocationCallbacks *given) {                        \
        struct tracker *tracker;                                                                                                 \
        const VkAllocationCallbacks *down = pass_down_to_destroy((uint64_t)object, given, &tracker);                              \
        Below(handle, vk##destroy)(handle, object, down);                                                                        \
        end_tracker(tracker);                                                                                                    \
    }
#define BELOW_INSTANCE(handle, command) NEXT(instance_of(#command, handle), command)
#define BELOW_DEVICE(handle, command) NEXT_OF_DEVICE(device_of(#command, handle), command)
WITH_CALLBACKS(Instance, BELOW_INSTANCE, CreateHeadlessSurfaceEXT, VkHeadlessSurfaceCreateInfoEXT, VkSurfaceKHR, DestroySurfaceKHR)
WITH_CALLBACKS(Instance, BELOW_INSTANCE, CreateDebugUtilsMessengerEXT, VkDebugUtilsMessengerCreateInfoEXT, VkDebugUtilsMessengerEXT, DestroyDebugUtilsMessengerEXT)
WITH_CALLBACKS(Instance, BELOW_INSTANCE, CreateDebugReportCallbackEXT, VkDebugReportCallbackCreateInfoEXT, VkDebugReportCallbackEXT, DestroyDebugReportCallbackEXT)
WITH_CALLBACKS(Device, BELOW_DEVICE, CreateSwapchainKHR, VkSwapchainCreateInfoKHR, VkSwapchainKHR, DestroySwapchainKHR)
