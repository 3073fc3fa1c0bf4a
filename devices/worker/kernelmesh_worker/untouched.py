"""Is what closes libraries still what it was before any code of the candidate's ran? Whoever has replaced a part of it
would have a library do the work and be believed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any


class Tampered(Exception):
    """With the name of what was replaced."""


def watch(modules: tuple[ModuleType, ...], others: dict[Any, tuple[str, ...]], *things: object) -> Callable[[], None]:
    """Of modules, with the classes that they define, and of the named parts of others: gives a function that raises
    Tampered if a name of theirs has another meaning by then, a function other code, or a collection of those modules
    other contents; or if one of those things has another attribute of its own. It looks nothing up that could have been
    replaced itself."""
    owners = [*modules, *(x for module in modules for x in _classes_of(module))]
    known = [(owner, name, value, _code_of(value), _copy(value)) for owner in owners for name, value in _parts(owner)]
    known += [
        (owner, name, value, _code_of(value), None)
        for owner, names in others.items()
        for name, value in _parts(owner)
        if name in names
    ]
    own = [(x, type(x).__name__, dict(vars(x))) for x in things]
    names, code_of, error, text = vars, _code_of, Tampered, "{}.{}".format

    def check() -> None:
        for thing, name, attributes in own:
            if names(thing) != attributes:
                raise error(name)
        for owner, name, value, code, copy in known:
            now = names(owner).get(name)
            if now is not value or code_of(now) is not code or (copy is not None and now != copy):
                raise error(text(owner.__name__, name))

    return check


def _parts(owner: Any) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(owner).items() if name != "__builtins__"]


def _classes_of(module: ModuleType) -> list[type]:
    return [x for x in vars(module).values() if isinstance(x, type) and x.__module__ == module.__name__]


def _code_of(value: Any) -> Any:
    return getattr(value, "__code__", None)


def _copy(value: Any) -> Any:
    return value.copy() if type(value) in (set, dict, list) else None
