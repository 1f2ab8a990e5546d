/*
 * A stand-in for libvkload.so: repeats the options that it gets, and misbehaves on purpose as the tests of the Java API need. Its Vulkan
 * commands come from the loader that the variable FAKE_VULKAN names.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkload.h"

static pthread_mutex_t options_lock = PTHREAD_MUTEX_INITIALIZER;
static char options[200 * 1024] = "{}";
/* How many records each thread says while a report is made. */
static int records_of_reports;

/* Locked for reading while a record is passed on, and for writing to change the callback: so the change waits for the record. */
static pthread_rwlock_t log_lock = PTHREAD_RWLOCK_INITIALIZER;
static int log_level;
static vkload_log_callback log_callback;
static void *log_data;

static void say(int level, const char *text) {
    pthread_rwlock_rdlock(&log_lock);
    if (log_callback != NULL && level <= log_level)
        log_callback(level, text, log_data);
    pthread_rwlock_unlock(&log_lock);
}

struct speaker {
    int thread, records;
};

static void *speak(void *data) {
    const struct speaker *speaker = data;
    char text[1100];
    for (int record = 0; record < speaker->records; record++) {
        snprintf(text, sizeof text, "%d %d \xc3\xbc\xf0\x9f\x8c\x8b %01000d", speaker->thread, record, 0);
        say(record % 4, text);
    }
    return NULL;
}

/* Four threads that say so many records each. */
static void speak_all(int records) {
    if (records == 0)
        return;
    pthread_t threads[4];
    struct speaker speakers[4];
    for (int i = 0; i < 4; i++) {
        speakers[i] = (struct speaker){i, records};
        if (pthread_create(&threads[i], NULL, speak, &speakers[i]) != 0)
            abort();
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* The value of a variable in the options, in `value`; empty if it is not there. */
static const char *variable(const char *json, const char *name, char value[32]) {
    char start[32];
    snprintf(start, sizeof start, "\"%s\":\"", name);
    const char *found = strstr(json, start);
    value[0] = 0;
    if (found != NULL)
        sscanf(found + strlen(start), "%31[^\"]", value);
    return value;
}

int vkload_configure(const char *json, char *message, size_t size) {
    if (strstr(json, "VK_LAYER_refused") != NULL) {
        snprintf(message, size, "no layer is called VK_LAYER_refused \xf0\x9f\x8c\x8b; take it out");
        return -1;
    }
    if (strstr(json, "VK_LAYER_silent") != NULL)
        return -1;
    pthread_mutex_lock(&options_lock);
    snprintf(options, sizeof options, "%s", json);
    pthread_mutex_unlock(&options_lock);
    char value[32];
    variable(json, "ODD", value);
    setenv("ODD", value, 1);
    records_of_reports = atoi(variable(json, "FAKE_LOG_OF_REPORTS", value));
    speak_all(atoi(variable(json, "FAKE_LOG", value)));
    return 0;
}

size_t vkload_report(int format, char *buffer, size_t size) {
    const char *odd = getenv("ODD");
    if (odd != NULL && strcmp(odd, "no-report") == 0)
        return 0;
    if (odd != NULL && strcmp(odd, "report-grows") == 0)
        return size * 2;
    speak_all(records_of_reports);
    pthread_rwlock_rdlock(&log_lock);
    const char *hears[] = {"nobody listens", "errors are heard", "warnings are heard", "information is heard", "everything is heard"};
    const char *text = hears[log_callback == NULL ? 0 : log_level + 1];
    pthread_rwlock_unlock(&log_lock);
    pthread_mutex_lock(&options_lock);
    int length = snprintf(buffer, size, "%s", format == VKLOAD_REPORT_JSON ? options : text);
    pthread_mutex_unlock(&options_lock);
    return (size_t)length;
}

void vkload_set_log(int level, vkload_log_callback callback, void *data) {
    pthread_rwlock_wrlock(&log_lock);
    log_level = level;
    log_callback = callback;
    log_data = data;
    pthread_rwlock_unlock(&log_lock);
}

vkload_function vkload_get_instance_proc_addr(void) {
    const char *path = getenv("FAKE_VULKAN");
    void *library = path == NULL ? NULL : dlopen(path, RTLD_NOW);
    return library == NULL ? NULL : (vkload_function)dlsym(library, "vkGetInstanceProcAddr");
}
