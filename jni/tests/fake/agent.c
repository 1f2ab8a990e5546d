/*
 * A tool interface agent that counts what libvkload_jni.so takes and gives back: references, arrays and memory. When the machine ends it
 * prints "vkload_jni: GLOBAL global references; ELEMENTS arrays, RELEASED given back; BLOCKS blocks, FREED freed". It is loaded before all
 * other libraries (LD_PRELOAD) to see memory. dev.vkload.tests.Agent makes one of the library's requests fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <jvmti.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

static struct JNINativeInterface_ *original;
static atomic_long globals, elements, released, blocks, freed;

/* How many requests from now on one fails: the last one before 0. */
static atomic_long until_failure;
/* No thread can be made: Java's machine tries several times. */
static atomic_int no_threads;

/* The library's blocks that are not freed yet, each at the first free place from the one that its address leads to. */
#define PLACES 65536
static _Atomic(void *) live[PLACES];

static int is_ours(void *caller) {
    struct dl_find_object found;
    return original != NULL && _dl_find_object(caller, &found) == 0 && strstr(found.dlfo_link_map->l_name, "libvkload_jni") != NULL;
}

static int fails(void) {
    return until_failure > 0 && atomic_fetch_sub(&until_failure, 1) == 1;
}

static _Atomic(void *) *place(void *block, void *content) {
    size_t at = ((uintptr_t)block >> 4) % PLACES;
    for (size_t i = 0; i < 64; i++) {
        _Atomic(void *) *candidate = &live[(at + i) % PLACES];
        void *expected = content;
        if (atomic_compare_exchange_strong(candidate, &expected, content == NULL ? block : NULL))
            return candidate;
    }
    return NULL;
}

void *malloc(size_t size) {
    if (!is_ours(__builtin_return_address(0)))
        return __libc_malloc(size);
    void *block = fails() ? NULL : __libc_malloc(size);
    blocks += block != NULL && place(block, NULL) != NULL;
    return block;
}

void free(void *block) {
    if (block != NULL && blocks != freed)
        freed += place(block, block) != NULL;
    __libc_free(block);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    struct dl_find_object found;
    int java = _dl_find_object(__builtin_return_address(0), &found) == 0 && strstr(found.dlfo_link_map->l_name, "libjvm") != NULL;
    if (java && (no_threads || fails())) {
        no_threads = 1;
        return EAGAIN;
    }
    return create(thread, attributes, function, data);
}

static jobject JNICALL new_global(JNIEnv *env, jobject object) {
    globals += is_ours(__builtin_return_address(0));
    return original->NewGlobalRef(env, object);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object) {
    globals += is_ours(__builtin_return_address(0));
    return original->NewWeakGlobalRef(env, object);
}

static jbyteArray JNICALL new_array(JNIEnv *env, jsize length) {
    if (!is_ours(__builtin_return_address(0)) || !fails())
        return original->NewByteArray(env, length);
    original->ThrowNew(env, original->FindClass(env, "java/lang/OutOfMemoryError"), "on purpose");
    return NULL;
}

/* Java 17 throws nothing if memory for a copy runs out; other JVMs do. */
static jbyte *JNICALL get_elements(JNIEnv *env, jbyteArray array, jboolean *is_copy) {
    static atomic_int failed;
    int ours = is_ours(__builtin_return_address(0));
    if (ours && fails()) {
        if (failed++ % 2 == 0)
            original->ThrowNew(env, original->FindClass(env, "java/lang/OutOfMemoryError"), "on purpose");
        return NULL;
    }
    elements += ours;
    return original->GetByteArrayElements(env, array, is_copy);
}

static void JNICALL release_elements(JNIEnv *env, jbyteArray array, jbyte *start, jint mode) {
    released += is_ours(__builtin_return_address(0));
    original->ReleaseByteArrayElements(env, array, start, mode);
}

static void JNICALL start(jvmtiEnv *tool, JNIEnv *env, jthread thread) {
    struct JNINativeInterface_ *table;
    (void)env, (void)thread;
    (*tool)->GetJNIFunctionTable(tool, &table);
    table->NewGlobalRef = new_global;
    table->NewWeakGlobalRef = new_weak;
    table->NewByteArray = new_array;
    table->GetByteArrayElements = get_elements;
    table->ReleaseByteArrayElements = release_elements;
    (*tool)->GetJNIFunctionTable(tool, &original);
    (*tool)->SetJNIFunctionTable(tool, table);
}

static void JNICALL end(jvmtiEnv *tool, JNIEnv *env) {
    (void)tool, (void)env;
    printf("vkload_jni: %ld global references; %ld arrays, %ld given back; %ld blocks, %ld freed\n", globals, elements, released, blocks,
        freed);
    fflush(stdout);
}

JNIEXPORT jboolean JNICALL Java_dev_vkload_tests_Agent_failAt(JNIEnv *env, jclass class, jlong request) {
    (void)env, (void)class;
    no_threads = 0;
    return atomic_exchange(&until_failure, request) <= 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *machine, char *options, void *reserved) {
    jvmtiEnv *tool;
    jvmtiEventCallbacks callbacks = {.VMInit = start, .VMDeath = end};
    (void)options, (void)reserved;
    if ((*machine)->GetEnv(machine, (void **)&tool, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*tool)->SetEventCallbacks(tool, &callbacks, sizeof callbacks);
    (*tool)->SetEventNotificationMode(tool, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*tool)->SetEventNotificationMode(tool, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
