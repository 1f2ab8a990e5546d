/* What of Android's header the sample uses, to compile without an NDK. */
#ifndef ANDROID_LOG_H
#define ANDROID_LOG_H

#define ANDROID_LOG_INFO 4

int __android_log_print(int priority, const char *tag, const char *format, ...);

#endif
