"""Kills every process that it can see, itself last. Without a sandbox it would see those of others: it refuses where it
sees a test.

task: relu
expect: crash load_error out_of_memory timeout
options: {"call_limit_ms": 1000}
sandboxed: yes
"""

import os
import signal

import torch


def visible():
    return [int(x) for x in os.listdir("/proc") if x.isdigit() and int(x) != os.getpid()]


def is_test(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"pytest" in file.read()
    except OSError:
        return False


class ModelNew(torch.nn.Module):
    def forward(self, x):
        pids = visible()
        if any(map(is_test, pids)) or len(pids) > 64:
            raise RuntimeError("it sees processes that are not the sandbox's")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        os.kill(os.getpid(), signal.SIGKILL)
