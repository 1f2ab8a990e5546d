#version 450
// The steps that each number takes to reach 1, with a loop, a branch, an array's length and a sum over all invocations.
layout(local_size_x_id = 0) in;
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Numbers { uint total; uint numbers[]; };
layout(push_constant) uniform Push { uint most; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= numbers.length())
        return;
    uint number = numbers[i];
    uint steps = 0;
    while (number != 1 && steps < most) {
        number = (number & 1) == 0 ? number / 2 : 3 * number + 1;
        steps++;
    }
    numbers[i] = steps;
    atomicAdd(total, steps);
}
