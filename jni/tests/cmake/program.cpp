// Says what a loader answers that it has told to use a layer that is refused.
#include <cstdio>
#include <string>
#include <vkload.h>

int main() {
    std::string message(200, '\0');
    const int result = vkload_configure("{\"layers\":[\"VK_LAYER_refused\"]}", &message[0], message.size());
    std::printf("%d %s\n", result, message.c_str());
    return 0;
}
