"""Raises its own limits as far as it may: processes, files, memory, priority, the ways to die. Says what it could.

task: relu
expect: crash
options: {"call_limit_ms": 1000}
"""

import ctypes
import resource

import torch

LIBC = ctypes.CDLL(None)
NAMES = ("RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_NICE")


def raised():
    for name in NAMES:
        limit = getattr(resource, name, None) or getattr(resource, name.replace("NICE", "STACK"))
        try:
            resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            yield name
        except (OSError, ValueError):
            continue
    if LIBC.setpriority(0, 0, -20) == 0:
        yield "priority"
    if LIBC.prctl(1, 0, 0, 0, 0) == 0:  # PR_SET_PDEATHSIG
        yield "the parent's death"


class ModelNew(torch.nn.Module):
    def forward(self, x):
        raise RuntimeError(f"raised {list(raised())}")
