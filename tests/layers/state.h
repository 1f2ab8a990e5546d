/* Configuration, trace, and the end of a process in which something is wrong.
 *
 * The configuration is lines of KEY=VALUE: trace, calls, label, loader, and any number of do=BEHAVIOUR or
 * do=BEHAVIOUR:NUMBER. The behaviours are those that `does` is asked for in these files. */

enum { MAX_BEHAVIOURS = 32 };

static struct {
    char trace[4096], calls[4096], label[256], loader[4096];
    unsigned count;
    struct { char name[64]; int64_t value; } behaviour[MAX_BEHAVIOURS];
} config;

/* Whether the layer behaves so. */
static bool does(const char *behaviour) {
    for (unsigned i = 0; i < config.count; ++i)
        if (strcmp(config.behaviour[i].name, behaviour) == 0) return true;
    return false;
}

/* The number of a behaviour. */
static int64_t number(const char *behaviour, int64_t otherwise) {
    for (unsigned i = 0; i < config.count; ++i)
        if (strcmp(config.behaviour[i].name, behaviour) == 0) return config.behaviour[i].value;
    return otherwise;
}

static void append(const char *path, const char *line, int length) {
    if (path[0] == '\0') return;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, (size_t)length) != length) abort();
    close(file);
}

/* Notes a call: "command key=value ...". */
static __attribute__((format(printf, 2, 3))) void trace(const char *command, const char *format, ...) {
#ifdef HOSTILE
    misbehave(command);
#endif
    char line[4096];
    int used = snprintf(line, sizeof line, "%s ", command);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    if ((size_t)used > sizeof line - 2) used = sizeof line - 2;
    line[used++] = '\n';
    append(config.trace, line, used);
    used = snprintf(line, sizeof line, "%s %s\n", config.label, command);
    append(config.calls, line, used);
}

static __attribute__((format(printf, 2, 3), noreturn)) void die(const char *command, const char *format, ...) {
    fprintf(stderr, "[test layer] %s: %s: ", config.label, command);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

static void read_line(const char *key, char *value) {
    struct { const char *key; char *text; size_t size; } texts[] = {
        {"trace", config.trace, sizeof config.trace},
        {"calls", config.calls, sizeof config.calls},
        {"label", config.label, sizeof config.label},
        {"loader", config.loader, sizeof config.loader},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (strcmp(key, texts[i].key) == 0) {
            snprintf(texts[i].text, texts[i].size, "%s", value);
            return;
        }
    if (strcmp(key, "do") != 0 || config.count == MAX_BEHAVIOURS) die("configuration", "unknown key '%s', or too many", key);
    char *colon = strchr(value, ':');
    if (colon != NULL) *colon = '\0';
    snprintf(config.behaviour[config.count].name, sizeof config.behaviour->name, "%s", value);
    config.behaviour[config.count++].value = colon == NULL ? 1 : strtoll(colon + 1, NULL, 0);
}

__attribute__((constructor)) static void load(void) {
    Dl_info info;
    char path[4200], line[4200];
    if (dladdr(&config, &info) == 0 || info.dli_fname == NULL) die("configuration", "no path of this library");
    snprintf(path, sizeof path, "%s." CONFIGURATION ".cfg", info.dli_fname);
    FILE *file = fopen(path, "r");
    if (file == NULL) die("configuration", "cannot read %s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *equals = strchr(line, '=');
        if (equals == NULL) continue;
        *equals = '\0';
        read_line(line, equals + 1);
    }
    fclose(file);
    trace("load", " ");
}

/* What is left when the library is closed (objects.h, callbacks.h). */
static unsigned instances_left(void);
static int blocks_left(void);

__attribute__((destructor)) static void unload(void) { trace("unload", "instances=%u blocks=%d", instances_left(), blocks_left()); }
