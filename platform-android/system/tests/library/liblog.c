/* Android's log for a process of this machine: a line in the file `log` of the system's folder for each record. */
#include <stdio.h>
#include <stdlib.h>

int here_log_write(int priority, const char *tag, const char *text) {
    char room[4096];
    snprintf(room, sizeof room, "%s/log", getenv("ANDROID_HERE"));
    FILE *file = fopen(room, "a");
    if (file == NULL) abort();
    fprintf(file, "%c %s: %s\n", "??VDIWEF"[priority & 7], tag, text);
    fclose(file);
    return 1;
}
__asm__(".symver here_log_write,__android_log_write@LIBLOG");
