"""Launch records for tests of kernelmesh-cuda-host, right ones and forged ones."""

from __future__ import annotations

import copy
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack

CUBINS = Path(__file__).parents[3] / "data" / "cubins"
COUNT = 1000  # elements of saxpy's vectors
Record = dict[str, Any]


def pointer(buffer: str, index: int, offset: int = 0) -> Record:
    """A parameter that is an address."""
    place = {"buffer": buffer, "index": index, "offset": offset}
    return {"value": bytes(8), "pointers": [{"at": 0, "place": place}]}


def scalar(form: str, *values: float) -> Record:
    return {"value": struct.pack(form, *values), "pointers": []}


def launch(kernel: str, parameters: list[Record], grid: int = 1, block: int = 1, shared_bytes: int = 0) -> Record:
    sides = {"grid": grid, "block": block, "cluster": 1}
    content = {
        "image": 0,
        "kernel": kernel,
        **{name: {"x": x, "y": 1, "z": 1} for name, x in sides.items()},
        "shared_bytes": shared_bytes,
        "cooperative": False,
        "parameters": parameters,
    }
    return {"launch": content}


def record(operations: list[Record], scratch: list[int] | None = None, image: bytes = b"") -> Record:
    content = image or (CUBINS / "kernels_sm_90a.cubin").read_bytes()
    return {
        "version": 1,
        "arch": "sm_90a",
        "images": [{"name": "kernels.cu", "content": content}],
        "scratch": scratch or [],
        "operations": operations,
    }


def saxpy(count: int = COUNT, a: float = 2.0) -> Record:
    """Of argument 0 and 1 to output 0, through scratch: out = a * x + y."""
    parameters = [
        pointer("scratch", 0),
        pointer("argument", 0),
        pointer("argument", 1),
        scalar("f", a),
        scalar("i", count),
    ]
    places = [{"buffer": name, "index": 0, "offset": 0} for name in ("scratch", "output")]
    copied = {"copy": {"from": places[0], "to": places[1], "bytes": 4 * count}}
    return record([launch("saxpy", parameters, grid=-(-count // 256), block=256), copied], [4 * count])


def packed(x: Record) -> bytes:
    return msgpack.packb(x)


# -- forged -----------------------------------------------------------------------------------------------------------


def _launched(x: Record) -> Record:
    return x["operations"][0]["launch"]


def _copied(x: Record) -> Record:
    return x["operations"][1]["copy"]


def _place(x: Record, parameter: int = 0) -> Record:
    return _launched(x)["parameters"][parameter]["pointers"][0]["place"]


def _damage_image(x: Record) -> None:
    content = x["images"][0]["content"]
    x["images"][0]["content"] = content[:40] + b"\xff" * 8 + content[48:]  # where its sections are


def _point_inside(x: Record, at: int) -> None:
    _launched(x)["parameters"][0]["pointers"][0]["at"] = at


_BLOCK = "has a block that the device can't have"
FORGERIES: dict[str, tuple[Callable[[Record], Any], str]] = {
    "another version": (lambda x: x.update(version=2), "is of version 2, not 1"),
    "no operations": (lambda x: x["operations"].clear(), "has no operations"),
    "too many operations": (lambda x: x.update(operations=x["operations"] * 9000), "has 18000 operations"),
    "an argument that is not there": (lambda x: _place(x, 1).update(index=2), "names argument 2, which is not there"),
    "a pointer behind the end": (lambda x: _place(x, 1).update(offset=4 * COUNT), "points behind the end of argument"),
    "an offset that overflows": (lambda x: _place(x).update(offset=2**64 - 8), "names a place outside of scratch 0"),
    "a pointer outside of its parameter": (lambda x: _point_inside(x, 8), "has a pointer outside of it"),
    "a pointer at a crooked place": (lambda x: _point_inside(x, 4), "is no multiple of 8"),
    "a copy that is too long": (lambda x: _copied(x).update(bytes=2**64 - 1), "goes on behind the end of scratch 0"),
    "a copy onto itself": (lambda x: _copied(x).update(to=_copied(x)["from"]), "copies scratch 0 onto itself"),
    "99 TB of scratch": (lambda x: x["scratch"].append(99 << 40), "needs more scratch than"),
    "scratch that overflows": (lambda x: x["scratch"].extend([2**64 - 1] * 2), "needs more scratch than"),
    "a grid of nothing": (lambda x: _launched(x)["grid"].update(x=0), "has a grid that the device can't have"),
    "a block of too many threads": (lambda x: _launched(x)["block"].update(y=8), _BLOCK),
    "a block that overflows": (
        lambda x: _launched(x).update(block={"x": 2**31, "y": 2**31, "z": 4}),
        _BLOCK,
    ),
    "a huge cluster": (lambda x: _launched(x)["cluster"].update(x=64), "has a cluster that the device can't have"),
    "a grid of broken clusters": (lambda x: _launched(x)["cluster"].update(x=3), "is not made of whole clusters"),
    "too much shared memory": (lambda x: _launched(x).update(shared_bytes=1 << 20), "wants 1048576 bytes"),
    "another image": (lambda x: _launched(x).update(image=1), "launches from image 1, which is not there"),
    "an unknown kernel": (lambda x: _launched(x).update(kernel="gone"), "has no kernel gone"),
    "a parameter too few": (lambda x: _launched(x)["parameters"].pop(), "has 4 parameters, the kernel 5"),
    "a parameter that is too long": (
        lambda x: _launched(x)["parameters"][3].update(value=bytes(8)),
        "has a parameter (3) of 8 bytes, the kernel's has 4",
    ),
    "an image that is text": (lambda x: x["images"][0].update(content=b"// PTX"), "is no ELF file"),
    "a damaged image": (_damage_image, "has sections outside of the file"),
}


def forged(name: str) -> tuple[Record, str]:
    """saxpy's record with that done to it, and what is said of it."""
    change, said = FORGERIES[name]
    x = copy.deepcopy(saxpy())
    change(x)
    return x, said
