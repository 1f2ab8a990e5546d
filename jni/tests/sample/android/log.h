/* What of Android's header the sample and the page use, to compile without an NDK. */
#ifndef ANDROID_LOG_H
#define ANDROID_LOG_H

#define ANDROID_LOG_INFO 4
#define ANDROID_LOG_WARN 5
#define ANDROID_LOG_ERROR 6

int __android_log_print(int priority, const char *tag, const char *format, ...);

#endif
