"""Home folders of candidates that build something while they are loaded: torch's C++ builder, a compiler of their own.

It is built once, in a fork in which nothing is judged; every later fork has a copy of what lay in its home folder then,
so that no evaluation waits for a compiler.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

_SIGNS = (b"cpp_extension", b"subprocess", b"os.system", b"popen", b"posix_spawn")
_MOVED = ("XDG_CACHE_HOME", "TORCH_EXTENSIONS_DIR")  # would lead elsewhere


def may_build(files: list[Path]) -> bool:
    """Does a file look as if it started programs? A wrong yes costs one fork, a wrong no a build in each of them."""
    return any(sign in x.read_bytes() for x in files if x.suffix == ".py" for sign in _SIGNS)


def content_key(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for x in sorted(files):
        content = x.read_bytes()
        digest.update(f"{x.name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:32]


def settle(home: str, building: bool) -> None:
    """By the candidate's process, before it loads: its home folder is that one, or a copy if it is not building."""
    if not home:
        return
    for name in _MOVED:
        os.environ.pop(name, None)
    if not building:
        copy = tempfile.mkdtemp(prefix="home-")
        home = shutil.copytree(home, copy, symlinks=True, dirs_exist_ok=True)
    os.environ["HOME"] = home
