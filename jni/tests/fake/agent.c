/*
 * A tool interface agent that counts what libvkload_jni.so takes from Java's machine and gives back. When the machine ends it prints
 * "vkload_jni: GLOBAL global references; ELEMENTS arrays, RELEASED given back".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct JNINativeInterface_ *original;
static atomic_long globals, elements, released;

static int is_ours(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) != 0 && strstr(info.dli_fname, "libvkload_jni") != NULL;
}

static jobject JNICALL new_global(JNIEnv *env, jobject object) {
    globals += is_ours(__builtin_return_address(0));
    return original->NewGlobalRef(env, object);
}

static jweak JNICALL new_weak(JNIEnv *env, jobject object) {
    globals += is_ours(__builtin_return_address(0));
    return original->NewWeakGlobalRef(env, object);
}

static jbyte *JNICALL get_elements(JNIEnv *env, jbyteArray array, jboolean *is_copy) {
    elements += is_ours(__builtin_return_address(0));
    return original->GetByteArrayElements(env, array, is_copy);
}

static void JNICALL release_elements(JNIEnv *env, jbyteArray array, jbyte *start, jint mode) {
    released += is_ours(__builtin_return_address(0));
    original->ReleaseByteArrayElements(env, array, start, mode);
}

static void JNICALL start(jvmtiEnv *tool, JNIEnv *env, jthread thread) {
    struct JNINativeInterface_ *table;
    (void)env, (void)thread;
    (*tool)->GetJNIFunctionTable(tool, &original);
    (*tool)->GetJNIFunctionTable(tool, &table);
    table->NewGlobalRef = new_global;
    table->NewWeakGlobalRef = new_weak;
    table->GetByteArrayElements = get_elements;
    table->ReleaseByteArrayElements = release_elements;
    (*tool)->SetJNIFunctionTable(tool, table);
}

static void JNICALL end(jvmtiEnv *tool, JNIEnv *env) {
    (void)tool, (void)env;
    printf("vkload_jni: %ld global references; %ld arrays, %ld given back\n", globals, elements, released);
    fflush(stdout);
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
