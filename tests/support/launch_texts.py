"""Launch records as candidates write them, in JSON: before anything is built."""

from __future__ import annotations

import base64
from typing import Any


def pointer(buffer: str) -> dict[str, Any]:
    """A parameter: where the first tensor of that kind begins."""
    place = {"buffer": buffer, "index": 0, "offset": 0}
    return {"value": base64.b64encode(bytes(8)).decode(), "pointers": [{"at": 0, "place": place}]}


def number(x: int) -> dict[str, Any]:
    """A parameter of 32 bits."""
    return {"value": base64.b64encode(x.to_bytes(4, "little")).decode(), "pointers": []}


def record(kernel: str, image: str, parameters: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """One launch of four blocks; `changes` are of the launch."""
    one = {"x": 1, "y": 1, "z": 1}
    launch = {"image": 0, "kernel": kernel, "grid": one | {"x": 4}, "block": one, "cluster": one, "shared_bytes": 0}
    launch |= {"cooperative": False, "parameters": parameters} | changes
    images = [{"name": image, "content": ""}]
    return {"version": 1, "arch": "", "images": images, "scratch": [], "operations": [{"launch": launch}]}
