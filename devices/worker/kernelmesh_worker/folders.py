"""Which folders this interpreter needs to start and to import: what a sandbox has to show. Imports nothing else."""

from __future__ import annotations

import os
import sys


def readable_folders() -> list[str]:
    """Absolute, under the names that are used and under their real ones; without those inside of another one."""
    named = [sys.prefix, sys.base_prefix, *_links(sys.executable), *(x for x in sys.path if x)]
    there = {os.path.abspath(x) for x in named if os.path.exists(x)}
    there |= {os.path.realpath(x) for x in there}
    outermost: list[str] = []
    for path in sorted(there):
        if path != "/" and not any(path == x or path.startswith(x + "/") for x in outermost):
            outermost.append(path)
    return outermost


def _links(path: str) -> list[str]:
    """The folders on the way from a link to its file."""
    folders = [os.path.dirname(path)]
    while os.path.islink(path):
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        folders.append(os.path.dirname(path))
    return folders
