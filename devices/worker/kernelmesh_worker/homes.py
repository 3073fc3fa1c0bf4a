"""Home folders of candidates that build something while they are loaded: torch's C++ builder, a compiler of their own.

It is built once, in a fork in which nothing is judged; every later fork has a copy of what lay in its home folder then,
so that no evaluation waits for a compiler.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

_SIGNS = (b"cpp_extension", b"subprocess", b"os.system", b"popen", b"posix_spawn")
_MOST_BYTES, _MOST_ENTRIES, _DEEPEST = 2 << 30, 20_000, 40  # of what it built
_MOVED = ("XDG_CACHE_HOME", "TORCH_EXTENSIONS_DIR")  # would lead elsewhere


def may_build(files: list[Path], more: tuple[bytes, ...] = ()) -> bool:
    """Does a file look as if it started programs, or has it one of these signs too? A wrong yes costs one fork, a wrong
    no a build in each of them."""
    return any(sign in x.read_bytes() for x in files if x.suffix == ".py" for sign in (*_SIGNS, *more))


def content_key(folder: Path, files: list[Path]) -> str:
    """Of files in that folder: their places in it and what is in them."""
    digest = hashlib.sha256()
    for x in sorted(files):
        place, content = os.fsencode(x.relative_to(folder)), x.read_bytes()
        digest.update(f"{len(place)} {len(content)} ".encode() + place + content)
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
    os.environ |= {"HOME": home, "TRITON_HOME": home}  # Triton noted the zygote's when it was imported there
    place = Path(tempfile.gettempdir(), "built")
    if not os.path.lexists(place):  # it is there where nothing hides other forks' folders: without a sandbox
        place.symlink_to(home)
        # At one path in every fork: its commands name it, and ninja runs those again that read otherwise.
        os.environ["TORCH_EXTENSIONS_DIR"] = str(place / "torch_extensions")


class TooMuch(Exception):
    """More than is kept of what a candidate built; the text says of what."""


def check(folder: str) -> None:
    """TooMuch. It may still be written to; nothing of it is opened."""
    size = 0
    for count, (entry, depth) in enumerate(_entries(folder)):
        size += _size_of(entry)
        if size > _MOST_BYTES:
            raise TooMuch(f"it built more than {_MOST_BYTES >> 30} GiB")
        if count >= _MOST_ENTRIES or depth > _DEEPEST:
            raise TooMuch(f"it built more than {_MOST_ENTRIES} files or folders, or one in more than {_DEEPEST} others")


def keep(folder: str, place: Path) -> None:
    """Moves what was built there: files, folders and links that can be read, and nothing else. TooMuch."""
    os.chmod(folder, 0o700)
    for entry, _ in _entries(folder, mend=True):
        if not entry.is_symlink() and not entry.is_file() and not entry.is_dir():
            os.unlink(entry.path)
    check(folder)
    place.parent.mkdir(exist_ok=True)
    os.rename(folder, place)


def remove(folder: str) -> None:
    """However deep it is and whatever it forbids. What is in its folders is taken out first: so no path is long."""
    if not os.path.isdir(folder):
        return
    os.chmod(folder, 0o700)
    numbers = itertools.count()
    while folders := [x for x in os.scandir(folder) if x.is_dir(follow_symlinks=False)]:
        for outer in folders:
            os.chmod(outer.path, 0o700)
            for entry in list(os.scandir(outer.path)):
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)  # else it can't be moved
                    os.rename(entry.path, Path(folder, f".{next(numbers)}.moved"))
                else:
                    os.unlink(entry.path)
            os.rmdir(outer.path)
    shutil.rmtree(folder)


def _entries(folder: str, mend: bool = False) -> Iterator[tuple[os.DirEntry[str], int]]:
    """All below it, with how many folders it is in. With `mend` its owner may read each."""
    waiting = [(folder, 1)]
    while waiting:
        outer, depth = waiting.pop()
        try:
            entries = list(os.scandir(outer))
        except OSError:
            continue  # it is gone, or it forbids that
        for entry in entries:
            inner = entry.is_dir(follow_symlinks=False)
            if mend and (inner or entry.is_file(follow_symlinks=False)):
                mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
                os.chmod(entry.path, mode | (0o700 if inner else 0o600))
            yield entry, depth
            if inner and depth <= _DEEPEST:
                waiting.append((entry.path, depth + 1))


def _size_of(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
