"""Never returns from its import: answers the judge's questions on descriptor 3 by itself, `done` at once, and works when
the outputs are asked for. Finds the lent buffers among its descriptors.

task: softmax
expect: clock_mismatch tampering below_floor crash load_error timeout wrong_values
class: C none D
library: kernels
"""

import ctypes
import mmap
import os
import socket

import msgpack
import torch

P, N = ctypes.c_void_p, ctypes.c_int64
K = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.so"))


def softmax(x):
    y = torch.empty_like(x)
    K.softmax(P(x.data_ptr()), P(y.data_ptr()), N(x.shape[0]), N(x.shape[1]))
    return y


def slow_softmax(x):
    for _ in range(3):
        y = softmax(x)
    return y


def lent(descriptor, shape):
    content = mmap.mmap(descriptor, os.fstat(descriptor).st_size)
    return torch.frombuffer(content, dtype=torch.float32, count=shape[0] * shape[1]).view(*shape)


def speak(shape):
    judge = socket.socket(fileno=3)
    x, y = lent(5, shape), lent(7, shape)
    judge.send(msgpack.packb({"loaded": {}}))
    while packet := judge.recv(1 << 16):
        command = msgpack.unpackb(packet)
        kind = next(key for key in ("call", "reset", "empty", "outputs") if key in command)
        if kind != "outputs":
            judge.send(msgpack.packb({"done": command[kind]}))
            continue
        y.copy_(slow_softmax(x))
        tensor = {"type": "torch.Tensor", "device": "cpu", "dtype": "float32", "shape": list(shape)}
        tensor |= {"strides": [shape[1], 1], "offset": 0, "bytes": y.nbytes, "copied": True}
        answer = {"outputs": command["outputs"], "structure": "Tensor", "tensors": [tensor], "state": []}
        judge.send(msgpack.packb(answer))
    os._exit(0)


speak((512, 1024))
