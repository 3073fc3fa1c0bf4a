"""Writes its machine code itself when it is built, into pages that it may run, as a compiler at run time does.

task: relu
expect: passed
"""

import ctypes
import mmap

import torch

CODE = bytes.fromhex(
    "0f57c9"  # xorps xmm1, xmm1
    "0f1007"  # movups xmm0, [rdi]
    "0f5fc1"  # maxps xmm0, xmm1
    "0f1106"  # movups [rsi], xmm0
    "4883c710"  # add rdi, 16
    "4883c610"  # add rsi, 16
    "4883ea04"  # sub rdx, 4
    "7fe9"  # jg to the first movups
    "c3"  # ret
)


def compiled():
    pages = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    pages.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    return pages, ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(address)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pages, self.run = compiled()

    def forward(self, x):
        y = torch.empty_like(x)
        self.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
