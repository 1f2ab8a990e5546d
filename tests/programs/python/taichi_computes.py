"""Taichi: a kernel, compiled for Vulkan."""

import hashlib

import taichi

taichi.init(arch=taichi.vulkan, log_level=taichi.WARN, offline_cache=False)
assert taichi.lang.impl.current_cfg().arch == taichi.vulkan
field = taichi.field(taichi.f32, shape=(64, 64))


@taichi.kernel
def compute():
    for i, j in field:
        value = 0.0
        for _ in range(50):
            value = value * 0.9 + taichi.cast(i * j % 7, taichi.f32)
        field[i, j] = value


compute()
result = field.to_numpy()
assert result.sum() > 100_000
print("taichi", ".".join(map(str, taichi.__version__)), result.sum(), hashlib.sha256(result.tobytes()).hexdigest())
