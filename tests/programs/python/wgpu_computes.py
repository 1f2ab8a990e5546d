"""wgpu-py: a compute shader, and all that the device can do."""

import array

import wgpu
from wgpu.utils.compute import compute_with_buffers

adapter = wgpu.gpu.request_adapter_sync()
assert adapter.info["backend_type"] == "Vulkan"
print("wgpu", wgpu.__version__, adapter.info["device"])
print(sorted(adapter.features), sorted(adapter.limits.items()))
SHADER = """
@group(0) @binding(0) var<storage, read> numbers: array<i32>;
@group(0) @binding(1) var<storage, read_write> doubled: array<i32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    doubled[id.x] = numbers[id.x] * 2;
}
"""
numbers = memoryview(array.array("i", range(8)))
doubled = compute_with_buffers({0: numbers}, {1: (8, "i")}, SHADER)[1].tolist()
assert doubled == [2 * number for number in range(8)]
print(doubled)
