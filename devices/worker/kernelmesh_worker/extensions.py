"""C++ that a candidate's Python file has torch build while it is loaded (load, load_inline): built once, apart.

In the fork that builds, processes are allowed and nothing is judged. Everywhere else the built library is loaded and
building is refused, so that no evaluation waits for a compiler.
"""

from __future__ import annotations

import hashlib
import inspect
import shutil
from pathlib import Path
from typing import Any


def may_build(files: list[Path]) -> bool:
    """Does a file speak of torch's builder? A fork more where it does not need one is all that a wrong yes costs."""
    return any(b"cpp_extension" in x.read_bytes() for x in files if x.suffix == ".py")


def content_key(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for x in sorted(files):
        content = x.read_bytes()
        digest.update(f"{x.name} {len(content)} ".encode() + content)
    return digest.hexdigest()[:32]


def use_built(folder: str, building: bool) -> None:
    """From now on, in this process, torch's builder keeps what it builds in the folder, or takes it from there."""
    import torch.utils.cpp_extension as builder

    build = builder._jit_compile
    signature = inspect.signature(build)

    def kept(*arguments: Any, **named: Any) -> Any:
        asked = signature.bind(*arguments, **named).arguments
        name = asked["name"]
        place = Path(folder, _key_of(asked))
        if building:
            module = build(*arguments, **named)
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(asked["build_directory"], f"{name}.so"), place / f"{name}.so")
            return module
        if not (place / f"{name}.so").exists():
            raise RuntimeError(f"the extension {name} has other sources than when it was built")
        return builder._import_module_from_library(name, str(place), asked["is_python_module"])

    builder._jit_compile = kept


def _key_of(asked: dict[str, Any]) -> str:
    """Of the sources' contents and all flags; where they lie says nothing."""
    digest = hashlib.sha256()
    sources = asked["sources"]
    for source in [sources] if isinstance(sources, str) else sources:
        digest.update(Path(source).read_bytes() + b"\0")
    flags = {key: x for key, x in asked.items() if key not in ("sources", "build_directory", "verbose")}
    digest.update(repr(sorted(flags.items())).encode())
    return digest.hexdigest()[:32]
