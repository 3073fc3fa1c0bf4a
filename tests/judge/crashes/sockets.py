"""Opens sockets of every kind: to listen, to reach the network, to meet the judge's hub; gives up when it may not, and
raises if it may.

task: relu
expect: crash
options: {"call_limit_ms": 1000}
never: it reached the network
"""

import socket

import torch


def opened():
    kinds = [(family, kind) for family in range(1, 41) for kind in range(1, 7)]
    for family, kind in kinds:
        try:
            with socket.socket(family, kind) as made:
                made.settimeout(0.2)
                yield family, kind
                if family == socket.AF_INET and kind == socket.SOCK_STREAM:
                    made.connect(("1.1.1.1", 443))
                    raise RuntimeError("it reached the network")
        except OSError:
            continue


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise RuntimeError(f"sockets: {list(opened())}")
