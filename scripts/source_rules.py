"""The rules for sources that no other tool checks: [FOLDER], this tree by default.

Prints FILE:LINE: what is wrong and why; exit 1 if anything is.

The tables below are the rules; style and folders are described in the README of each folder.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

SKIPPED_FOLDERS = {"build", "shared", "kernelmesh-out", "__pycache__", "data"}
LONGEST_FILE = 400
LONGEST_PYTHON_FUNCTION = 40

Finding = tuple[int, str]


@dataclass(frozen=True)
class Wrapper:
    """Headers of a library, and the files that may include them; `one`: of these only one at a time."""

    headers: str
    files: tuple[str, ...]
    one: bool = False


WRAPPERS = (
    Wrapper("caf/*", ("messages/protocols/caf.?pp", "actors/caf.hpp", "tests/support/*")),
    Wrapper("zmq.h*", ("devices/worker/zmq.hpp",)),
    Wrapper("yaml-cpp/*", ("configs/yaml.cpp",)),
    Wrapper("msgpack*", ("messages/wire/msgpack.cpp",)),
    Wrapper("nlohmann/*", ("messages/wire/json.cpp",)),
    Wrapper("xxhash.h", ("messages/records/content_hash.cpp",)),
    Wrapper("SQLiteCpp/*", ("actors/journal_file.cpp", "tests/support/*")),
    Wrapper("sqlite3.h", ("actors/journal_file.cpp",)),
    Wrapper("kainjow/*", ("configs/*", "devices/*", "dsl/*", "actors/*"), one=True),
    Wrapper("CLI/*", ("actors/*",)),
    Wrapper("spdlog/*", ("actors/log.cpp",)),
    Wrapper("curl/*", ("llm_client/http_loop.cpp",)),
    Wrapper("cuda.h", ("tests/devices/worker/cuda_recorder/cupti/nvidia_headers.cpp",)),
    Wrapper("cupti*", ("tests/devices/worker/cuda_recorder/cupti/nvidia_headers.cpp",)),
)

RECORDS = ("messages/wire", "messages/records")
PLAIN = (*RECORDS, "messages/blobs")
# What a folder may include beside itself; subfolders have lines of their own. tests/ may include all.
FOLDERS: dict[str, tuple[str, ...]] = {
    "messages/wire": (),
    "messages/records": ("messages/wire",),
    "messages/blobs": RECORDS,
    "messages/protocols": RECORDS,
    "configs": PLAIN,
    "llm_client": (*RECORDS, "configs"),
    "devices": PLAIN,
    "devices/sandbox": (),
    "devices/worker": (*PLAIN, "devices", "devices/sandbox"),
    "devices/*": (*PLAIN, "devices", "devices/worker"),
    "devices/worker/native": (*RECORDS, "devices/sandbox", "devices/worker"),
    "devices/worker/cuda_native": (*RECORDS, "devices/worker/native"),
    "devices/worker/cuda_recorder": (*RECORDS, "devices/worker/native", "devices/worker/cuda_native"),
    "devices/worker/cuda_recorder/cupti": (*RECORDS, "devices/worker/cuda_recorder"),
    "dsl": (*PLAIN, "configs", "devices"),
    "dsl/*": (*PLAIN, "configs", "devices", "dsl"),
    "actors/logic": PLAIN,
    "actors": ("*", "*/*"),
    "actors/*": ("*", "*/*"),
    "cmake/precompiled": ("*", "*/*"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"/work/(main|shared)\b|/(home|Users)/[a-z]+/|\.\./shared\b|/tmp/venv\b")
CPP_SLEEP = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(")
SLEEPS = "a test that sleeps is slow or fails by chance: use virtual time, or wait for the event itself"
CPP_STRING = re.compile(r'"(\\.|[^"\\])*"')


def text_files(root: Path) -> Iterator[Path]:
    """All files that people write, relative to the root."""
    for folder, subfolders, files in os.walk(root):
        here = Path(folder).relative_to(root)
        subfolders[:] = sorted(x for x in subfolders if x not in SKIPPED_FOLDERS and (x == ".ci" or x[0] != "."))
        yield from (here / x for x in sorted(files) if x != ".git")  # a file where this is a worktree


def cpp(path: Path) -> bool:
    return path.suffix in (".cpp", ".hpp", ".h")


def allowed(folder: str, included: str) -> bool:
    """May a file of this folder include a header of that folder?"""
    if folder == included or folder.startswith("tests"):
        return True
    for pattern, others in FOLDERS.items():
        if matches(folder, pattern):
            return any(matches(included, x) for x in others)
    return False


def matches(folder: str, pattern: str) -> bool:
    """As in a shell: a star ends at the next slash."""
    return folder.count("/") == pattern.count("/") and fnmatch(folder, pattern)


class Includes:
    """Wrappers and the order of folders, over all files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.only: dict[Wrapper, Path] = {}

    def check(self, path: Path, lines: list[str]) -> Iterator[Finding]:
        """Of one file."""
        for number, line in enumerate(lines, 1):
            if found := INCLUDE.match(line):
                header = Path(found[1])
                if (self.root / header).exists():
                    yield from self.own(path, number, header)
                else:
                    yield from self.library(path, number, str(header))

    def own(self, path: Path, number: int, header: Path) -> Iterator[Finding]:
        """A header of this project."""
        if not allowed(str(path.parent), str(header.parent)):
            yield number, f"{path.parent} must not include {header}: folders depend on each other one way only"

    def library(self, path: Path, number: int, header: str) -> Iterator[Finding]:
        """Any other."""
        for wrapper in WRAPPERS:
            if not fnmatch(header, wrapper.headers):
                continue
            if not any(fnmatch(str(path), x) for x in wrapper.files):
                yield number, f"<{header}> is for {', '.join(wrapper.files)} alone: one wrapper for each library"
            elif wrapper.one and self.only.setdefault(wrapper, path) != path:
                yield number, f"<{header}> is wrapped by {self.only[wrapper]}: one wrapper for each library"


def words(path: Path, lines: list[str]) -> Iterator[Finding]:
    """Unfinished work, and paths of one machine."""
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            yield number, "unfinished work: do it, or write down what is not done where users read it"
        if path.name != Path(__file__).name and MACHINE_PATH.search(line):
            yield number, "a path of one machine: it exists nowhere else"


def length(path: Path, lines: list[str]) -> Iterator[Finding]:
    if len(lines) > LONGEST_FILE:
        yield LONGEST_FILE + 1, f"{len(lines)} lines, {LONGEST_FILE} are the limit: split it by subject"
    if path.suffix in (".hpp", ".h") and not any(x.startswith(("#pragma once", "#ifndef")) for x in lines):
        yield 1, "no #pragma once"


def cpp_sleep(lines: list[str]) -> Iterator[Finding]:
    for number, line in enumerate(lines, 1):
        if CPP_SLEEP.search(CPP_STRING.sub('""', line.split("//")[0])):
            yield number, SLEEPS


def python_rules(path: Path, text: str) -> Iterator[Finding]:
    """Length of functions; in tests also real calls of sleep, not those in the text of a candidate.

    A function called wait_until polls a condition up to a deadline: there a sleep replaces no condition.
    """
    in_tests = path.parts[0] == "tests"
    tree = ast.parse(text, str(path))
    polls = [x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef) and x.name == "wait_until"]
    polling = {id(inner) for x in polls for inner in ast.walk(x)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            lines = node.end_lineno - node.lineno + 1
            if lines > LONGEST_PYTHON_FUNCTION:
                yield node.lineno, f"{node.name} has {lines} lines, {LONGEST_PYTHON_FUNCTION} are the limit"
        is_sleep = isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep")
        if in_tests and is_sleep and id(node) not in polling:
            yield node.lineno, SLEEPS


def findings(path: Path, text: str, includes: Includes) -> Iterator[Finding]:
    """All rules that hold for this kind of file."""
    lines = text.splitlines()
    yield from words(path, lines)
    if cpp(path):
        yield from includes.check(path, lines)
        if path.parts[0] == "tests":
            yield from cpp_sleep(lines)
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python"):
        yield from python_rules(path, text)
    if cpp(path) or path.suffix in (".py", ".sh") or path.parts[0] == "scripts":
        yield from length(path, lines)


def main(root: Path) -> int:
    """Prints all findings and returns the exit status."""
    includes, count = Includes(root), 0
    for path in text_files(root):
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # binary
        for number, problem in findings(path, text, includes):
            print(f"{path}:{number}: {problem}")
            count += 1
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
