/* Prints the report of a loader that it has configured to use a layer. */
#include <stdio.h>
#include <vkload.h>

int main(void) {
    char text[200];
    if (vkload_configure("{\"layers\":[\"VK_LAYER_of_c\"]}", text, sizeof text) != 0) return 1;
    vkload_report(VKLOAD_REPORT_JSON, text, sizeof text);
    puts(text);
    return 0;
}
