"""Whole numbers among a task's module globals: which there are, and how others take their place.

A name is a global's, "batch_size", or that of an item of a global list or tuple, "input_shape.0"."""

from __future__ import annotations

from types import ModuleType


def whole_numbers(module: ModuleType) -> dict[str, int]:
    """Name -> value of all that overrides can replace, in the order of the file."""
    found: dict[str, int] = {}
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        if _whole(value):
            found[name] = value
        elif isinstance(value, (list, tuple)):
            found.update({f"{name}.{i}": x for i, x in enumerate(value) if _whole(x)})
    return found


def override(module: ModuleType, name: str, value: int) -> None:
    """AttributeError or IndexError where there is nothing of that name."""
    owner, dot, item = name.partition(".")
    before = getattr(module, owner)
    if not dot:
        setattr(module, owner, value)
        return
    items = list(before)
    items[int(item)] = value
    setattr(module, owner, type(before)(items))


def _whole(value: object) -> bool:
    return type(value) is int
