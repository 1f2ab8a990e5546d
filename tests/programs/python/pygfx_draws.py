"""pygfx, which draws by wgpu-py: a lit box without a window."""

import hashlib

import numpy
import pygfx
from rendercanvas.offscreen import OffscreenRenderCanvas

canvas = OffscreenRenderCanvas(size=(320, 240), pixel_ratio=1)
renderer = pygfx.renderers.WgpuRenderer(canvas)
scene = pygfx.Scene()
light = pygfx.DirectionalLight()
light.local.position = (3, 4, 5)
box = pygfx.Mesh(pygfx.box_geometry(2, 2, 2), pygfx.MeshPhongMaterial(color="#336699"))
scene.add(box, light, pygfx.AmbientLight())
camera = pygfx.PerspectiveCamera(50, 4 / 3)
camera.local.position = (2, 2, 4)
camera.look_at((0, 0, 0))
canvas.request_draw(lambda: renderer.render(scene, camera))
picture = numpy.asarray(canvas.draw())
colours = len(numpy.unique(picture.reshape(-1, 4), axis=0))
assert colours > 100
print("pygfx", pygfx.__version__, picture.shape, colours, hashlib.sha256(picture.tobytes()).hexdigest())
