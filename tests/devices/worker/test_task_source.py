"""What a task's text tells before it is run, and what is noted while it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from boxes import WORKER
from kernelmesh_worker import task_mark
from kernelmesh_worker.task_source import missing_package, problem_in

SOUND = "import json\nclass Model: pass\ndef get_inputs(): return []\n"
WRONG = {
    "class Model(:\n": (1, "it is no valid Python: "),
    SOUND + "return 5\n": (4, "it is no valid Python: 'return' outside function"),
    SOUND + "import no_such_package.part\n": (4, "it needs the package no_such_package, which "),
    SOUND + "from no_such_package.part import x\n": (4, "it needs the package no_such_package, which "),
    "def get_inputs(): return []\nModel.x = 1  # Model\n": (0, 'it has no class "Model"; '),
    "class Model: pass\n'get_inputs'\n": (0, 'it has no function "get_inputs"; '),
    "class ModelNew: pass\n": (0, 'it has "ModelNew" but no "Model"; it looks like a candidate, '),
    "def f(:\n": (1, "it is no valid Python: "),
}
LEFT_TO_THE_JUDGE = (
    SOUND,
    "try:\n    import no_such_package\nexcept ImportError:\n    pass\n" + SOUND,
    "def f():\n    import no_such_package\n" + SOUND,
    "exec('class Model: pass')\ndef get_inputs(): return []\n",
    "if True:\n    Model, get_inputs = int, list\n",
    "from json import *\n",
    "import json as Model\nget_inputs_dyn_list = list\n",
    "-" * 5_000 + "1\n",
)


@pytest.mark.parametrize("code", WRONG)
def test_what_can_not_work_is_found_in_the_text(code: str) -> None:
    found = problem_in(code)
    assert found is not None
    assert found[0] == WRONG[code][0]
    assert found[1].startswith(WRONG[code][1])


@pytest.mark.parametrize("code", LEFT_TO_THE_JUDGE, ids=range(len(LEFT_TO_THE_JUDGE)))
def test_what_may_work_is_left_to_the_judge(code: str) -> None:
    assert problem_in(code) is None


def test_a_missing_package_comes_with_the_command_that_installs_it() -> None:
    said = missing_package("no_such_package.part")
    assert sys.executable in said
    assert said.endswith(" no_such_package`")
    assert "install" in said
    assert missing_package("json.nothing") == ""
    assert missing_package("") == ""


def test_as_a_program_it_names_each_task_that_can_not_work(tmp_path: Path) -> None:
    files = []
    for name, code in (("good", SOUND), ("bad", "class Model(:\n"), ("worse", "x = (\n")):
        files.append(tmp_path / name)
        files[-1].write_text(json.dumps({"name": name, "code": code}))
    program = WORKER / "kernelmesh_worker" / "task_source.py"
    said = subprocess.run(
        [sys.executable, "-I", str(program), *map(str, files)], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout.splitlines()
    found = [json.loads(x.removeprefix("kernelmesh-task ")) for x in said]
    assert [(x["file"], x["line"]) for x in found] == [(str(files[1]), 1), (str(files[2]), 1)]


MARKED = """
import os, sys
from pathlib import Path
from kernelmesh_worker import task_mark
with task_mark.doing("nothing yet"):
    pass
task_mark.keep_in(Path(sys.argv[1]))
with task_mark.doing("building Model"):
    with task_mark.doing("importing"):
        pass
    if sys.argv[2] == "forgotten":
        task_mark.forget()
    os._exit(0)
"""


@pytest.mark.parametrize(("how", "left"), [("kept", "building Model"), ("forgotten", "")])
def test_what_a_task_was_at_outlives_the_process(tmp_path: Path, how: str, left: str) -> None:
    before = time.monotonic_ns() // 1_000_000
    environment = {**os.environ, "PYTHONPATH": str(WORKER)}
    subprocess.run([sys.executable, "-c", MARKED, str(tmp_path), how], env=environment, check=True)
    text = (tmp_path / task_mark.MARK_FILE).read_bytes().rstrip(b"\0").decode()
    began, _, doing = text.partition(" ")
    assert doing == left
    assert not left or before <= int(began) <= time.monotonic_ns() // 1_000_000
