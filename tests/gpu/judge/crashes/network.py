"""Opens sockets of every kind, to reach the network and the judge's hub; raises if it does.

task: relu
expect: crash
options: {"call_limit_ms": 4000}
never: it reached
"""

import glob
import socket

import torch.nn as nn


def opened():
    for family in range(1, 41):
        for kind in range(1, 7):
            try:
                with socket.socket(family, kind) as made:
                    made.settimeout(0.2)
                    yield family, kind
                    if family in (socket.AF_INET, socket.AF_INET6) and kind == socket.SOCK_STREAM:
                        made.connect(("1.1.1.1", 443) if family == socket.AF_INET else ("2606:4700:4700::1111", 443))
                        raise RuntimeError("it reached the network")
            except OSError:
                continue


def hubs():
    found = [
        x
        for place in ("/tmp", "/run", "/dev/shm", "/candidate")
        for x in glob.glob(f"{place}/**/*.sock", recursive=True)
    ]
    for path in [*found, "\0hub", "/run/docker.sock"]:
        try:
            with socket.socket(socket.AF_UNIX) as made:
                made.connect(path)
                raise RuntimeError(f"it reached {path}")
        except OSError:
            continue


class ModelNew(nn.Module):
    def forward(self, x):
        kinds = list(opened())
        hubs()
        raise RuntimeError(f"sockets: {kinds}")
