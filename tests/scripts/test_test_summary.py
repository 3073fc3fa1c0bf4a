"""scripts/test_summary.py counts what ctest and pytest wrote."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUMMARY = Path(__file__).resolve().parents[2] / "scripts" / "test_summary.py"

CPP_PASSED = """<testsuite><testcase name="messages_test" status="run"><system-out>
[doctest] test cases:  53 |  53 passed | 0 failed | 0 skipped
</system-out></testcase><testcase name="a_header_compiles" status="run"/></testsuite>"""
CPP_FAILED = """<testsuite><testcase name="cpu_test" status="fail"><failure message=""/><system-out>
[doctest] test cases:  5 |  3 passed | 2 failed | 0 skipped
</system-out></testcase><testcase name="crashed_test" status="fail"><failure message=""/></testcase></testsuite>"""
PYTHON = """<testsuites><testsuite><testcase classname="tests.a" name="x"/>
<testcase classname="tests.a" name="y"><skipped message="no GPU"/></testcase>
{}</testsuite></testsuites>"""


def summary(folder: Path, *arguments: str) -> tuple[int, list[str]]:
    """Exit status and lines."""
    ran = subprocess.run([sys.executable, SUMMARY, folder, *arguments], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    return ran.returncode, ran.stdout.splitlines()


def test_what_passed_is_counted_and_what_was_left_out_is_named(tmp_path: Path) -> None:
    (tmp_path / "cpp-dev.xml").write_text(CPP_PASSED)
    (tmp_path / "python-unit.xml").write_text(PYTHON.format(""))
    (tmp_path / "python-unit.log").write_text("1 passed, 1 skipped, 4 deselected in 1.00s\n")
    code, lines = summary(tmp_path, "no")
    assert code == 0
    assert lines[0] == "   skipped tests.a::y: no GPU"
    assert lines[-1].startswith("55 passed, 0 failed, 1 skipped; left out: 4 long tests")


def test_each_failure_is_named_and_makes_the_exit_status_1(tmp_path: Path) -> None:
    (tmp_path / "cpp-dev.xml").write_text(CPP_FAILED)
    (tmp_path / "python-unit.xml").write_text(PYTHON.format('<testcase classname="b" name="z"><failure/></testcase>'))
    code, lines = summary(tmp_path, "yes")
    assert code == 1
    assert [x for x in lines if "FAILED" in x] == [f"   FAILED {x}" for x in ("cpu_test", "crashed_test", "b::z")]
    assert lines[-1] == "4 passed, 4 failed, 1 skipped; nothing left out"


def test_a_part_that_failed_without_a_test_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "cpp-dev.xml").write_text(CPP_PASSED)
    code, lines = summary(tmp_path, "no", "rules")
    assert code == 1
    assert "   FAILED rules" in lines
    assert lines[-1].startswith("54 passed, 1 failed")


def test_results_that_break_off_or_are_not_there_are_failures(tmp_path: Path) -> None:
    code, lines = summary(tmp_path, "yes")
    assert (code, lines) == (1, ["0 passed, 0 failed, 0 skipped; nothing left out"])
    (tmp_path / "cpp-dev.xml").write_text(CPP_PASSED[:40])
    code, lines = summary(tmp_path, "yes")
    assert code == 1
    assert lines[-1].startswith("0 passed, 1 failed")
