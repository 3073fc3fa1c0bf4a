"""scripts/source_rules.py finds what it should, and nothing in what is allowed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNFINISHED = "TO" + "DO"


def findings(tree: Path, files: dict[str, str]) -> list[str]:
    """What the rules say of a tree with these files."""
    for path, text in files.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    ran = subprocess.run(
        [sys.executable, ROOT / "scripts" / "source_rules.py", tree], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert ran.returncode == (1 if lines else 0)
    return lines


@pytest.mark.parametrize(
    ("path", "text", "finding"),
    [
        ("actors/logic/a.cpp", "\n#include <caf/error.hpp>\n", "actors/logic/a.cpp:2: <caf/error.hpp> is for"),
        ("devices/a.cpp", "#include <zmq.hpp>\n", "devices/a.cpp:1: <zmq.hpp> is for devices/worker/zmq.hpp"),
        ("messages/wire/json.cpp", "#include <msgpack.hpp>\n", "messages/wire/json.cpp:1: <msgpack.hpp> is for"),
        ("configs/a.cpp", "#include <yaml-cpp/yaml.h>\n", "configs/a.cpp:1: <yaml-cpp/yaml.h> is for"),
        ("llm_client/a.cpp", "#include <curl/curl.h>\n", "llm_client/a.cpp:1: <curl/curl.h> is for llm_client/http"),
        ("dsl/a.cpp", "#include <CLI/CLI.hpp>\n", "dsl/a.cpp:1: <CLI/CLI.hpp> is for actors/*"),
        ("dsl/a.cpp", f"// {UNFINISHED}: more\n", "dsl/a.cpp:1: unfinished work"),
        ("dsl/README.md", f"text\n{UNFINISHED}\n", "dsl/README.md:2: unfinished work"),
        ("dsl/a.cpp", 'auto x = "/ho' + 'me/me/x";\n', "dsl/a.cpp:1: a path of one machine"),
        ("tests/a_test.cpp", "f(); std::this_thread::sleep_for(1s);\n", "tests/a_test.cpp:1: a test that sleeps"),
        ("tests/test_a.py", "import time\n\ntime.sleep(1)\n", "tests/test_a.py:3: a test that sleeps"),
        ("dsl/a.cpp", "\n" * 401, "dsl/a.cpp:401: 401 lines"),
        ("dsl/a.hpp", "int x;\n", "dsl/a.hpp:1: no #pragma once"),
        ("devices/worker/a.py", "def f():\n" + "    print()\n" * 40, "devices/worker/a.py:1: f has 41 lines"),
    ],
)
def test_a_broken_rule_is_found_with_its_line(tmp_path: Path, path: str, text: str, finding: str) -> None:
    found = findings(tmp_path, {path: text})
    assert len(found) == 1
    assert found[0].startswith(finding)


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("messages/wire/a.cpp", "messages/records/ids.hpp"),
        ("messages/records/a.hpp", "messages/blobs/blob_store.hpp"),
        ("configs/a.cpp", "devices/executor.hpp"),
        ("devices/a.cpp", "devices/cpu/cpu.hpp"),
        ("devices/cpu/a.cpp", "devices/cuda/cuda.hpp"),
        ("devices/a.cpp", "dsl/plan.hpp"),
        ("dsl/cpp/a.cpp", "dsl/triton/triton.hpp"),
        ("dsl/a.cpp", "messages/protocols/caf.hpp"),
        ("dsl/a.cpp", "actors/job.hpp"),
        ("actors/logic/a.cpp", "actors/job.hpp"),
        ("actors/logic/a.cpp", "messages/protocols/job.hpp"),
        ("somewhere/a.cpp", "messages/wire/wire.hpp"),
    ],
)
def test_folders_depend_on_each_other_one_way(tmp_path: Path, path: str, header: str) -> None:
    found = findings(tmp_path, {path: f'#pragma once\n#include "{header}"\n', header: "#pragma once\n"})
    assert len(found) == 1
    assert found[0].startswith(f"{path}:2: {Path(path).parent} must not include {header}:")


def test_what_the_order_of_folders_allows_is_not_reported(tmp_path: Path) -> None:
    headers = {
        "messages/wire/wire.hpp": "",
        "messages/records/ids.hpp": '#include "messages/wire/wire.hpp"\n',
        "messages/blobs/blob_store.hpp": '#include "messages/records/ids.hpp"\n',
        "messages/protocols/job.hpp": '#include "messages/records/ids.hpp"\n',
        "configs/run.hpp": '#include "messages/blobs/blob_store.hpp"\n',
        "devices/worker/zmq.hpp": "#include <zmq.hpp>\n",
        "devices/cpu/cpu.hpp": '#include "devices/worker/zmq.hpp"\n',
        "dsl/plan.hpp": '#include "configs/run.hpp"\n',
        "dsl/cpp/map.hpp": '#include "dsl/plan.hpp"\n',
        "actors/logic/job_state.hpp": '#include "messages/records/ids.hpp"\n',
        "actors/job.hpp": '#include "actors/logic/job_state.hpp"\n#include "messages/protocols/job.hpp"\n',
        "tests/actors/fake.hpp": '#include "actors/job.hpp"\n',
    }
    assert findings(tmp_path, {path: "#pragma once\n" + text for path, text in headers.items()}) == []


def test_a_library_has_one_wrapper_at_a_time(tmp_path: Path) -> None:
    found = findings(tmp_path, {f"actors/{x}.cpp": "#include <kainjow/mustache.hpp>\n" for x in ("a", "b")})
    assert found == ["actors/b.cpp:1: <kainjow/mustache.hpp> is wrapped by actors/a.cpp: one wrapper for each library"]


def test_the_text_of_a_candidate_may_sleep(tmp_path: Path) -> None:
    files = {
        "tests/test_a.py": 'CANDIDATE = """\nimport time\ntime.sleep(100)\n"""\n',
        "tests/a_test.cpp": 'auto candidate = "sleep(100)";  // sleep(1)\n',
    }
    assert findings(tmp_path, files) == []


def test_a_poll_with_a_deadline_may_sleep(tmp_path: Path) -> None:
    files = {"tests/polling.py": "import time\n\n\ndef wait_until() -> None:\n    time.sleep(0.01)\n"}
    assert findings(tmp_path, files) == []


def test_what_was_built_is_not_looked_at(tmp_path: Path) -> None:
    assert findings(tmp_path, {"build/dev/a.hpp": "int x;\n", ".venv/lib/a.py": f"# {UNFINISHED}\n"}) == []


def test_a_worktree_is_looked_at_like_a_clone(tmp_path: Path) -> None:
    assert findings(tmp_path, {".git": "gitdir: /work" + "/main/.git/worktrees/x\n"}) == []
