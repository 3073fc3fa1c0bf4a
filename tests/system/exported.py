"""Exports in a Python that has torch and knows nothing of us."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from home import PYTHON, Home

_LOAD = """
import importlib.util
import sys

import torch


def load(path):
    spec = importlib.util.spec_from_file_location("loaded", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


task, made = load(sys.argv[1]), load(sys.argv[2])
"""
_NOTHING_OF_US = 'assert not [x for x in sys.modules if x.startswith("kernelmesh")]\n'


def run_without_kernelmesh(home: Home, files: tuple[Path, Path], check: str, *arguments: str) -> str:
    """What `check` prints. It finds the modules of both files as `task` and `made`, its arguments from sys.argv[3] on.
    It must end well, and nothing of ours may have been imported by then."""
    elsewhere = home.work / "elsewhere"
    elsewhere.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(elsewhere), "PYTHONPATH": ""}
    argv = [PYTHON, "-c", _LOAD + check + _NOTHING_OF_US, *map(str, files), *arguments]
    ended = subprocess.run(argv, cwd=elsewhere, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
