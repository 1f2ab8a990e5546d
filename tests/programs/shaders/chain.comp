#version 450
// A result that depends on the order in which submissions run.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
layout(push_constant) uniform Push { uint turn; };

void main()
{
    numbers[gl_GlobalInvocationID.x] = numbers[gl_GlobalInvocationID.x] * 3 + turn;
}
