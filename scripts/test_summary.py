"""Sums up what scripts/test ran, from the JUnit files of ctest and pytest: FOLDER LONG [FAILED_PART ...].

The last line has the counts and what was left out. Exit 1 if anything failed or nothing ran.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

DOCTEST_COUNTS = re.compile(r"\[doctest\] test cases:\s+\d+ \|\s+(\d+) passed \|\s+(\d+) failed \|\s+(\d+) skipped")
DESELECTED = re.compile(r"(\d+) deselected")


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def add_cpp_test(case: ElementTree.Element, counts: Counts) -> None:
    """A program of ctest: doctest's own counts where it prints them, else one test."""
    name = case.get("name", "?")
    failed = case.get("status") == "fail" or case.find("failure") is not None
    found = DOCTEST_COUNTS.search(case.findtext("system-out") or "")
    if case.get("status") in ("notrun", "disabled"):
        counts.failed += 1
        counts.failures.append(f"{name} (was not run)")
        return
    counts.passed += int(found[1]) if found else int(not failed)
    counts.failed += max(int(found[2]) if found else 0, int(failed))
    if failed:
        counts.failures.append(name)


def add_python_test(case: ElementTree.Element, counts: Counts) -> None:
    """A test of pytest."""
    name = f"{case.get('classname', '?')}::{case.get('name', '?')}"
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None:
        counts.failed += 1
        counts.failures.append(name)
    elif skipped is not None:
        counts.skipped.append(f"{name}: {skipped.get('message', 'no reason given')}")
    else:
        counts.passed += 1


def read(folder: Path) -> Counts:
    """All results in the folder; a file that breaks off counts as a failure."""
    counts = Counts()
    for file in sorted(folder.glob("*.xml")):
        add = add_cpp_test if file.name.startswith("cpp-") else add_python_test
        try:
            for case in ElementTree.parse(file).iter("testcase"):
                add(case, counts)
        except ElementTree.ParseError as error:
            counts.failed += 1
            counts.failures.append(f"{file.name} can't be read: {error}")
    return counts


def left_out(folder: Path, long: bool) -> str:
    """What --long would have run beside this."""
    if long:
        return "nothing left out"
    tests = sum(int(n) for log in folder.glob("*.log") for n in DESELECTED.findall(log.read_text(errors="replace")))
    return f"left out: {tests} long tests, long fuzzing, the sanitizers (scripts/test --long)"


def main(folder: Path, long: bool, failed_parts: list[str]) -> int:
    """Prints the summary and returns the exit status."""
    counts = read(folder)
    for text in counts.skipped:
        print(f"   skipped {text}")
    for text in [*failed_parts, *counts.failures]:
        print(f"   FAILED {text}")
    failed = max(counts.failed, len(failed_parts))
    print(f"{counts.passed} passed, {failed} failed, {len(counts.skipped)} skipped; {left_out(folder, long)}")
    return int(failed > 0 or counts.passed == 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2] == "yes", sys.argv[3:]))
