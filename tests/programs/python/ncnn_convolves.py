"""ncnn: a small network, computed by Vulkan and, to compare, by the processor."""

import hashlib

import ncnn
import numpy

device = ncnn.get_gpu_info(0)
print("ncnn", ncnn.__version__, ncnn.get_gpu_count(), device.device_name(), device.api_version())
with open("network.param", "w") as file:
    file.write("7767517\n3 3\nInput in 0 1 in 0=32 1=32 2=4\n")
    file.write("Convolution c 1 1 in a 0=8 1=3 4=1 5=1 6=288\nReLU r 1 1 a out\n")
random = numpy.random.default_rng(1)
with open("network.bin", "wb") as file:
    file.write(bytes(4))
    file.write(random.standard_normal(288 + 8).astype(numpy.float32).tobytes())
values = random.standard_normal((4, 32, 32)).astype(numpy.float32)


def compute(by_vulkan):
    network = ncnn.Net()
    network.opt.use_vulkan_compute = by_vulkan
    network.opt.use_fp16_packed = network.opt.use_fp16_storage = network.opt.use_fp16_arithmetic = False
    assert network.load_param("network.param") == 0 and network.load_model("network.bin") == 0
    extractor = network.create_extractor()
    extractor.input("in", ncnn.Mat(values))
    result = extractor.extract("out")[1]
    copy = numpy.array(result, copy=True)
    del result, extractor
    network.clear()
    return copy


result = compute(True)
assert abs(result - compute(False)).max() < 1e-4
print(result.shape, hashlib.sha256(result.tobytes()).hexdigest())
ncnn.destroy_gpu_instance()
