"""A run on a simulated device: the whole node, no Python workers."""

from __future__ import annotations

from pathlib import Path

from home import Home
from task_files import task

SIMULATED = """
name: simulated
system:
  devices:
    - name: simulated:0
      simulated: {{latency_ms: {{trace: {ms}, compile: {ms}, verify: {ms}, time: {ms}}}}}
  compilers:
    - dsl: cpp
      simulated: {{latency_ms: {{compile: {ms}}}}}
tasks: [relu.py]
targets: [{{device: "simulated:0", dsl: cpp}}]
limits: {{evaluations: 8}}
"""


def simulated(home: Home, ms: int = 2) -> Path:
    """The config of a small run whose stages take so long each."""
    home.write("relu.py", task("relu"))
    return home.write("run.yaml", SIMULATED.format(ms=ms))
