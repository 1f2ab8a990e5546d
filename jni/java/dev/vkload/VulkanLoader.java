package dev.vkload;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The Vulkan loader of this process.
 *
 * <pre>{@code
 * VulkanLoader loader = VulkanLoader.builder()
 *         .layer("VK_LAYER_KHRONOS_validation")
 *         .build();
 * long vkGetInstanceProcAddr = loader.getInstanceProcAddr();
 * }</pre>
 *
 * <p>The loader's choices apply to the whole process, so only one of these exists at a time: {@link #close} it before the next is built.
 * Its options apply to every VkInstance that is created afterwards, by Java or by native code, until the next one is built. One that is
 * dropped without {@code close} keeps its listener active. All methods may be called by any thread.
 */
public final class VulkanLoader implements AutoCloseable {
    private static final AtomicBoolean EXISTS = new AtomicBoolean();

    private static final int TEXT = 0;
    private static final int JSON = 1;

    /** How often a list that has grown between two calls is requested again. */
    private static final int ATTEMPTS = 8;

    /** How long {@link #close} waits for the listener, in nanoseconds: Android ends an application whose main thread waits for five seconds. */
    private static final long CLOSING = 4_000_000_000L;

    /** More layers or extensions than any system has. */
    private static final int MOST = 1 << 16;

    private final long[] functions;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final long queue;
    private final @Nullable LogThread thread;

    private VulkanLoader(Builder builder) {
        functions = open(builder.library);
        LogListener listener = builder.listener;
        if (listener == null) {
            queue = 0;
            thread = null;
        } else {
            queue = Native.logStart(functions[Native.SET_LOG], builder.level.ordinal(), builder.waiting);
            if (queue == 0) {
                throw new VulkanLoaderException("there is no memory for records of the log; free some and try again");
            }
            thread = start(listener);
        }
        try {
            configure(builder.options());
        } catch (RuntimeException | Error failure) {
            endLog();
            throw failure;
        }
    }

    /** Returns a new builder. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the address of {@code vkGetInstanceProcAddr}, for native code: a {@code PFN_vkGetInstanceProcAddr}. It stays valid as long as
     * the process lives, even after {@link #close}.
     */
    public long getInstanceProcAddr() {
        checkOpen();
        long address = Native.instanceProcAddr(functions[Native.ENTRY]);
        if (address == 0) {
            throw new VulkanLoaderException("the loader's library gives no vkGetInstanceProcAddr; use the library of this version");
        }
        return address;
    }

    /** Returns the searched places and the decisions of the loader, with reasons. Each call makes a new report. */
    public Report doctor() {
        checkOpen();
        return new Report(report(TEXT), report(JSON));
    }

    /** Returns the layers that an instance can enable. */
    public List<LayerInfo> layers() {
        long entry = getInstanceProcAddr();
        return list("vkEnumerateInstanceLayerProperties", Structures.LAYER_BYTES, Structures::layer,
                (count, out) -> Native.layers(entry, count, out));
    }

    /** Returns the extensions that an instance can enable without a layer. */
    public List<ExtensionInfo> extensions() {
        return extensionsOf(null);
    }

    /**
     * Returns the extensions that a layer adds.
     *
     * @throws VulkanLoaderException if no such layer exists
     */
    public List<ExtensionInfo> extensions(String layer) {
        return extensionsOf(Native.bytes(Objects.requireNonNull(layer, "layer")));
    }

    /** Returns the physical devices, at most 64. An instance is created and destroyed for this. */
    public List<DeviceInfo> devices() {
        long entry = getInstanceProcAddr();
        int[] count = new int[1];
        byte[] out = new byte[64 * Structures.DEVICE_BYTES];
        int result = Native.devices(entry, count, out);
        if (result != Results.SUCCESS) {
            throw Results.failed(count[0] == 0 ? "vkCreateInstance" : "vkEnumeratePhysicalDevices", result);
        }
        return Structures.all(out, Structures.DEVICE_BYTES, count[0], Structures::device);
    }

    /** Returns how many log records have not reached the listener until now, because it was too slow or memory ran out. */
    public long getDroppedRecords() {
        return dropped.get();
    }

    /**
     * Ends the log listener, and permits another {@code VulkanLoader}. Instances and {@link #getInstanceProcAddr} go on working.
     *
     * <p>It waits up to four seconds until the listener has received the waiting records, unless the listener itself calls it. A second
     * call does nothing.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            endLog();
            EXISTS.set(false);
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new IllegalStateException("this VulkanLoader is closed; build another one");
        }
    }

    private void endLog() {
        if (thread == null) {
            return;
        }
        Native.logStop(functions[Native.SET_LOG], queue);
        boolean interrupted = false;
        long end = System.nanoTime() + CLOSING;
        while (thread != Thread.currentThread() && thread.isAlive() && System.nanoTime() < end) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
            } catch (InterruptedException exception) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private LogThread start(LogListener listener) {
        try {
            LogThread thread = new LogThread(queue, listener, dropped);
            thread.start();
            return thread;
        } catch (RuntimeException | Error failure) {
            Native.logStop(functions[Native.SET_LOG], queue);
            Native.logFree(queue);
            throw failure;
        }
    }

    private void configure(String options) {
        byte[] message = new byte[4096];
        if (Native.configure(functions[Native.CONFIGURE], Native.bytes(options), message) != 0) {
            String why = Native.text(message);
            throw new VulkanLoaderException(why.isEmpty() ? "the loader refuses these options, and does not say why: " + options : why);
        }
    }

    private String report(int format) {
        int size = 16 * 1024;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            byte[] buffer = new byte[size];
            int needed = Native.report(functions[Native.REPORT], format, buffer);
            if (needed == 0) {
                throw new VulkanLoaderException("there is no memory for the report; free some and try again");
            }
            if (needed < 0) {
                break;
            }
            if (needed < size) {
                return Native.text(buffer);
            }
            // It may be longer the next time.
            size = Math.addExact(needed, 4096);
        }
        throw new VulkanLoaderException("the report is too long, or grows each time it is asked for; try again");
    }

    private List<ExtensionInfo> extensionsOf(byte @Nullable [] layer) {
        long entry = getInstanceProcAddr();
        return list("vkEnumerateInstanceExtensionProperties", Structures.EXTENSION_BYTES, Structures::extension,
                (count, out) -> Native.extensions(entry, layer, count, out));
    }

    private interface Command {
        int call(int[] count, byte[] out);
    }

    private static <T> List<T> list(String name, int size, Structures.Reader<T> reader, Command command) {
        int[] count = new int[1];
        int result = Results.INCOMPLETE;
        for (int attempt = 0; attempt < ATTEMPTS && result == Results.INCOMPLETE; attempt++) {
            // The buffer is too small for one structure, so this asks for their number.
            result = command.call(count, new byte[4]);
            if (result != Results.SUCCESS || count[0] == 0) {
                continue;
            }
            if (count[0] < 0 || count[0] > MOST) {
                throw new VulkanLoaderException(name + " says that there are " + Integer.toUnsignedString(count[0])
                        + ", which cannot be; use the loader's library of this version");
            }
            byte[] out = new byte[count[0] * size];
            result = command.call(count, out);
            if (result == Results.SUCCESS) {
                return Structures.all(out, size, count[0], reader);
            }
        }
        if (result != Results.SUCCESS) {
            throw Results.failed(name, result);
        }
        return Structures.all(new byte[0], size, 0, reader);
    }

    private static long[] open(@Nullable String path) {
        String file = path;
        try {
            System.loadLibrary("vkload_jni");
            if (file == null) {
                System.loadLibrary("vkload");
                file = System.mapLibraryName("vkload");
            }
        } catch (LinkageError error) {
            throw new VulkanLoaderException("a library of vkload cannot be loaded (" + error.getMessage() + "); put libvkload_jni.so and "
                    + "libvkload.so where the application's libraries are, for this processor, and keep the name of the class "
                    + "dev.vkload.Native; one class loader of a process can have them at a time", error);
        }
        long[] functions = new long[Native.FUNCTIONS];
        byte[] message = new byte[1024];
        if (!Native.open(Native.bytes(file), functions, message)) {
            String why = Native.text(message);
            throw new VulkanLoaderException(why.startsWith("vkload_")
                    ? file + " has no function " + why + "; use the loader's library of the same version as this class"
                    : "the loader's library cannot be opened: " + why + "; check the path and that it is for this processor");
        }
        return functions;
    }

    /**
     * The options of the loader. Everything is optional. Paths are absolute.
     *
     * <p>A builder is for one thread; {@link #build} may be called more than once.
     */
    public static final class Builder {
        private final List<String> layers = new ArrayList<>();
        private final List<String> folders = new ArrayList<>();
        private final List<String> applicationFolders = new ArrayList<>();
        private final List<String> manifests = new ArrayList<>();
        private final Map<String, Driver> drivers = new LinkedHashMap<>();
        private final List<LayerSetting> layerSettings = new ArrayList<>();
        private final Map<String, String> environment = new LinkedHashMap<>();
        private @Nullable Driver driver;
        private @Nullable String used;
        private @Nullable String library;
        private @Nullable LogListener listener;
        private LogLevel level = LogLevel.INFO;
        private int waiting = 1024;

        private Builder() {}

        /** Makes a layer active in every instance, after the layers named before: the first is the nearest to the application. */
        public Builder layer(String name) {
            layers.add(Objects.requireNonNull(name, "name"));
            return this;
        }

        /** Searches a folder for layers, after the folders named before; on Android also {@code /path/base.apk!/lib/arm64-v8a}. */
        public Builder layerFolder(String path) {
            folders.add(Driver.absolute("path", path));
            return this;
        }

        /** Does the same for several folders, in their order. */
        public Builder layerFolders(Iterable<String> paths) {
            paths.forEach(this::layerFolder);
            return this;
        }

        /** Adds a layer's manifest, its text: a relative library path is looked for in the {@link #layerFolder layer folders}. */
        public Builder layerManifest(String json) {
            manifests.add(Objects.requireNonNull(json, "json"));
            return this;
        }

        /** Does the same for several manifests. */
        public Builder layerManifests(Iterable<String> manifests) {
            manifests.forEach(this::layerManifest);
            return this;
        }

        /** Sets the only driver, which replaces an earlier choice. It cannot be combined with named ones. */
        public Builder driver(Driver driver) {
            this.driver = Objects.requireNonNull(driver, "driver");
            return this;
        }

        /** Adds a driver under a name, by which {@link #useDriver} chooses it. */
        public Builder driver(String name, Driver driver) {
            Objects.requireNonNull(driver, "driver");
            if (drivers.put(Objects.requireNonNull(name, "name"), driver) != null) {
                throw new IllegalArgumentException("two drivers are called \"" + name + "\"; give each a name of its own");
            }
            return this;
        }

        /** Uses the driver of this name. Without this, all named drivers are used. */
        public Builder useDriver(String name) {
            used = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Gives a setting to a layer in every instance, as VK_EXT_layer_settings has it. It replaces an earlier value; a value for the same
         * setting that native code passes to vkCreateInstance takes precedence.
         *
         * @param layer the layer's name, as in {@code VK_LAYER_KHRONOS_validation}
         * @param name the setting's name, as in {@code validate_sync}: the layer's documentation has them, and their types
         */
        public Builder layerSetting(String layer, String name, boolean... values) {
            return set(new LayerSetting(layer, name, values));
        }

        /** Does the same with numbers of 32 bits. */
        public Builder layerSetting(String layer, String name, int... values) {
            return set(new LayerSetting(layer, name, values, true));
        }

        /** Does the same with numbers of 64 bits. */
        public Builder layerSetting(String layer, String name, long... values) {
            return set(new LayerSetting(layer, name, values, true));
        }

        /** Does the same with numbers of 32 bits without a sign: -1 is 4294967295. */
        public Builder layerSettingUnsigned(String layer, String name, int... values) {
            return set(new LayerSetting(layer, name, values, false));
        }

        /** Does the same with numbers of 64 bits without a sign: -1 is 18446744073709551615. */
        public Builder layerSettingUnsigned(String layer, String name, long... values) {
            return set(new LayerSetting(layer, name, values, false));
        }

        /** Does the same with numbers with a fraction, of 32 bits. */
        public Builder layerSetting(String layer, String name, float... values) {
            return set(new LayerSetting(layer, name, values));
        }

        /** Does the same with numbers with a fraction, of 64 bits. */
        public Builder layerSetting(String layer, String name, double... values) {
            return set(new LayerSetting(layer, name, values));
        }

        /** Does the same with texts. */
        public Builder layerSetting(String layer, String name, String... values) {
            return set(new LayerSetting(layer, name, values));
        }

        private Builder set(LayerSetting setting) {
            layerSettings.removeIf(setting::isNamedAs);
            layerSettings.add(setting);
            return this;
        }

        /** Lets the loader (not its layers and drivers) read a variable as if the process had it, such as VK_LOADER_DEBUG. */
        public Builder environment(String name, String value) {
            Objects.requireNonNull(name, "name");
            environment.put(name, Objects.requireNonNull(value, "value"));
            return this;
        }

        /**
         * Sets the folder of the application's libraries. It is searched for layers after every {@link #layerFolder}, regardless of the
         * order of the calls. On Android {@code AndroidLoader} sets it.
         */
        public Builder applicationLibraryFolder(String path) {
            applicationFolders.add(Driver.absolute("path", path));
            return this;
        }

        /** Sets the path of the loader's own library, if it is not among the application's libraries. */
        public Builder loaderLibrary(String path) {
            library = Driver.absolute("path", path);
            return this;
        }

        /** Sets a listener for log records from {@code level} on. */
        public Builder log(LogLevel level, LogListener listener) {
            this.level = Objects.requireNonNull(level, "level");
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /** Sets how many records may wait for the listener before new ones are dropped, 1 to 1,000,000; 1,024 by default. */
        public Builder waitingRecords(int most) {
            if (most < 1 || most > 1_000_000) {
                throw new IllegalArgumentException("1 to 1,000,000 records may wait, not " + most);
            }
            waiting = most;
            return this;
        }

        /**
         * Passes the options to the process's loader, which reads files: do not call it on the main thread. The listener may be called
         * before this returns, and must not wait for it.
         *
         * @throws VulkanLoaderException if a library is missing, or something chosen cannot be used
         * @throws IllegalStateException if another {@code VulkanLoader} is not closed, or if the options for drivers contradict each other
         */
        public VulkanLoader build() {
            if (driver != null && !drivers.isEmpty()) {
                throw new IllegalStateException("there is a driver without a name among named ones; choose either driver(driver), or "
                        + "driver(name, driver) for each and useDriver(name)");
            }
            if (used != null && !drivers.containsKey(used)) {
                throw new IllegalStateException("no driver is called \"" + used + "\"; add it with driver(name, driver)");
            }
            if (!EXISTS.compareAndSet(false, true)) {
                throw new IllegalStateException("this process has a VulkanLoader already; use that one, or close it first");
            }
            boolean done = false;
            try {
                VulkanLoader loader = new VulkanLoader(this);
                done = true;
                return loader;
            } finally {
                if (!done) {
                    EXISTS.set(false);
                }
            }
        }

        /** Returns the options of {@code vkload_configure}. */
        String options() {
            List<String> allFolders = new ArrayList<>(folders);
            allFolders.addAll(applicationFolders);
            Json json = new Json().raw("{\"layers\":").strings(layers);
            json.raw(",\"layer_folders\":").strings(allFolders).raw(",\"manifests\":").strings(manifests);
            if (driver != null) {
                json.raw(",\"driver\":");
                driver.write(json, null);
            }
            String before = ",\"drivers\":[";
            for (Map.Entry<String, Driver> named : drivers.entrySet()) {
                json.raw(before);
                named.getValue().write(json, named.getKey());
                before = ",";
            }
            json.raw(drivers.isEmpty() ? "" : "]");
            if (used != null) {
                json.raw(",\"use\":").text(used);
            }
            before = ",\"layer_settings\":[";
            for (LayerSetting setting : layerSettings) {
                setting.write(json.raw(before));
                before = ",";
            }
            json.raw(layerSettings.isEmpty() ? "" : "]");
            before = ",\"environment\":{";
            for (Map.Entry<String, String> variable : environment.entrySet()) {
                json.raw(before).text(variable.getKey()).raw(":").text(variable.getValue());
                before = ",";
            }
            json.raw(environment.isEmpty() ? "" : "}");
            return json.raw("}").toString();
        }
    }
}
