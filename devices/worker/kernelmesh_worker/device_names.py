"""Names of devices, before anything of them is loaded. Without torch."""

from __future__ import annotations

import os
import re

CPU = "cpu:0"
VISIBLE = "CUDA_VISIBLE_DEVICES"


class DeviceAbsent(Exception):
    """The device can't be worked on; one sentence with the way out."""


class DeviceLost(Exception):
    """This process can't use it any more; a new one may."""


def is_name(name: str) -> bool:
    return name == CPU or re.fullmatch(r"cuda:\d+", name) is not None


def claim(name: str) -> None:
    """By a judge, before it starts a process: all see that device alone of its kind, as their first one. Its number
    counts among those that were visible before."""
    kind, _, number = name.partition(":")
    if kind != "cuda":
        return
    visible = os.environ.get(VISIBLE)
    names = [number] if visible is None else [x.strip() for x in visible.split(",")][int(number) :][:1]
    os.environ[VISIBLE] = names[0] if names else ""
