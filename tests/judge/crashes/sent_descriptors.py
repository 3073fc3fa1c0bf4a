"""Sends the judge hundreds of descriptors with its answers.

task: relu
expect: crash load_error timeout
options: {"call_limit_ms": 1000}
"""

import array
import os
import socket

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        judge = socket.socket(fileno=os.dup(3))
        for _ in range(200):
            rights = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(4)])
            judge.sendmsg([b"\x80"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        return x
