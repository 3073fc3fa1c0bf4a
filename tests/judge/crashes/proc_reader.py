"""Reads what /proc shows of every process: command lines, environments, descriptors, memory maps. Says what it found.

task: relu
expect: crash
options: {"call_limit_ms": 1000}
"""

import os

import torch

PARTS = ("cmdline", "environ", "maps", "status", "fd", "cwd", "root", "exe", "mem")


def shown(pid):
    for part in PARTS:
        try:
            place = f"/proc/{pid}/{part}"
            (os.listdir if part == "fd" else os.stat)(place)
            if part not in ("fd", "mem", "cwd", "root", "exe"):
                with open(place, "rb") as file:
                    file.read(1 << 20)
            yield part
        except OSError:
            continue


class ModelNew(torch.nn.Module):
    def forward(self, x):
        pids = [x for x in os.listdir("/proc") if x.isdigit()]
        raise RuntimeError(f"{len(pids)} processes, {sorted({part for pid in pids for part in shown(pid)})}")
