"""Where torch.compile keeps what it built of references: each timing starts it anew, and finds that there. Nothing of a
candidate's sees these folders."""

from __future__ import annotations

import json
import shutil
import tempfile
from typing import Any

_MOST_KEPT = 4  # tasks

_folders: dict[str, str] = {}  # by what they are about; the last one was used last


def folder_of(task: dict[str, Any], policy: str) -> str:
    """Of a task's record under that policy. It lives as long as the judge does, or until others have come."""
    about = json.dumps([task, policy], sort_keys=True, default=str)
    _folders[about] = _folders.pop(about, "") or tempfile.mkdtemp(prefix="inductor-")
    while len(_folders) > _MOST_KEPT:
        shutil.rmtree(_folders.pop(next(iter(_folders))), ignore_errors=True)
    return _folders[about]
