#version 450
// out[i] = in[i] * factor + i, which differs for each invocation and needs both buffers and the push constant.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint values_in[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint values_out[]; };
layout(push_constant) uniform Push { uint factor; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    values_out[i] = values_in[i] * factor + i;
}
