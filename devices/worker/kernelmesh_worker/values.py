"""Arguments on their way to a candidate: plain data, lists, and tensors that lie in lent buffers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_PLAIN = (type(None), bool, int, float, str)


class NotPlain(Exception):
    """A value that can't be lent; the text names its type."""


def encode(value: Any, place: Callable[[torch.Tensor], dict[str, Any]]) -> dict[str, Any]:
    """`place` finds room for a tensor and returns its message."""
    if isinstance(value, torch.Tensor):
        return place(value)
    if isinstance(value, (list, tuple)):
        return {"list": [encode(x, place) for x in value]}
    if isinstance(value, torch.dtype | torch.device):
        return {"torch": str(value)}
    if isinstance(value, _PLAIN):
        return {"plain": value}
    raise NotPlain(type(value).__name__)


def decode(message: dict[str, Any], view: Callable[[dict[str, Any]], torch.Tensor]) -> Any:
    """The value; `view` gives the tensor of a message."""
    if "tensor" in message:
        return view(message)
    if "list" in message:
        return [decode(x, view) for x in message["list"]]
    if "torch" in message:
        name = message["torch"]
        return getattr(torch, name[6:]) if name.startswith("torch.") else torch.device(name)
    return message["plain"]


def tensors_in(value: Any) -> list[torch.Tensor]:
    """In the order `encode` meets them."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in tensors_in(part)]
    return []
