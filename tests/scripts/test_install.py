"""scripts/install.sh finds what is missing; nothing is installed here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def shell(commands: str, path: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs commands behind install.sh; `path` stands first in PATH."""
    own = {"PATH": os.pathsep.join(filter(None, [path, os.environ["PATH"]])), **environment}
    script = f'set -euo pipefail; source "{ROOT}/scripts/install.sh"; {commands}'
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env=own)


def program(folder: Path, name: str, text: str) -> Path:
    """An executable shell script."""
    file = folder / name
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(0o755)
    return file


def test_the_libraries_that_configure_asks_for_are_those_that_are_installed(tmp_path: Path) -> None:
    program(tmp_path, "dpkg-query", "exit 1")
    wanted = shell('want_build_packages; printf "%s\\n" "${packages[@]}"', str(tmp_path))
    assert wanted.returncode == 0, wanted.stderr
    cmake = (ROOT / "cmake" / "dependencies.cmake").read_text()
    named = set(re.findall(r"^ *kernelmesh_\w+_of\(.*?\b([a-z0-9+.-]+-dev)\b", cmake, re.MULTILINE))
    assert len(named) > 10
    assert named == {x for x in wanted.stdout.split() if x.endswith("-dev")}


def test_what_will_be_downloaded_is_said_before_it_is(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program(tmp_path, "sudo", '"$@"')
    asked = '[[ $* != *assume-no* ]] || { echo "Need to get 12 MB of archives."; exit 1; }'
    program(tmp_path, "apt-get", f'{asked}\necho "$*" >> "{log}"')
    ran = shell("packages=(libcaf-dev); install_packages", str(tmp_path))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.index("missing: libcaf-dev") < ran.stdout.index("Need to get 12 MB")
    assert "libcaf-dev" in log.read_text().splitlines()[-1]


def test_nothing_is_done_where_nothing_is_missing(tmp_path: Path) -> None:
    program(tmp_path, "apt-get", "exit 9")
    ran = shell("install_packages", str(tmp_path))
    assert (ran.returncode, ran.stdout) == (0, "\n== Debian packages\n   all there\n")


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ('{"python": "3.11.2", "versions": {"torch": "2.15.0+cu132"}, "missing": {}}', ""),
        ('{"python": "3.11.2", "versions": {"torch": "2.4.1"}, "missing": {}}', ""),
        ('{"python": "3.11", "versions": {"torch": "2.3.1"}, "missing": {}}', "has torch 2.3, 2.4 or later is needed"),
        ('{"python": "3.10", "versions": {"torch": "9.9"}, "missing": {}}', "is Python 3.10, 3.11 or later is needed"),
        ('{"versions": {}, "missing": {"zmq": "not found"}}', "lacks some of torch, numpy, pyzmq, msgpack"),
    ],
)
def test_an_interpreter_is_used_only_if_it_has_what_workers_need(tmp_path: Path, found: str, problem: str) -> None:
    python = program(tmp_path, "python", f"echo 'kernelmesh-python {found}'")
    assert shell(f'python_problem "{python}"').stdout.strip() == problem


def test_an_interpreter_that_the_user_names_must_be_usable(tmp_path: Path) -> None:
    python = program(tmp_path, "python", "exit 1")
    for named, sentence in ((str(python), "does not run"), (str(tmp_path / "none"), "there is no")):
        ran = shell(f'choose_python "{named}" requirements.lock')
        assert ran.returncode == 2
        assert sentence in ran.stderr


def test_quickstart_and_the_readme_say_the_same_of_how_long_a_build_takes() -> None:
    said = [
        re.findall(r"\d+ to \d+ minutes on 2 cores", (ROOT / x).read_text())
        for x in ("README.md", "scripts/quickstart")
    ]
    assert len(said[0]) == 1 and said[0] == said[1]


def test_the_locks_name_exact_versions_and_no_source() -> None:
    for name in ("requirements.lock", "dev.lock"):
        text = (ROOT / "configs" / "python" / name).read_text()
        lines = [x for x in text.splitlines() if not x.startswith("#")]
        assert all(re.match(r"^[a-z0-9-]+==[0-9.]+( ; .*)?$", x) for x in lines)
        assert {"torch", "numpy", "pyzmq", "msgpack"} <= {x.split("==")[0] for x in lines}
        assert "://" not in text


@pytest.mark.parametrize("named", [True, False])
def test_the_command_that_quickstart_ends_with_names_the_python_that_it_was_given(tmp_path: Path, named: bool) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "scripts", copy / "scripts")
    shutil.copytree(ROOT / "configs", copy / "configs")
    fit = '{"python": "3.11.2", "versions": {"torch": "2.15.0"}, "missing": {}}'
    python = program(tmp_path, "python", f"echo 'kernelmesh-python {fit}'")
    program(tmp_path, "cmake", "exit 0")
    program(tmp_path, "dpkg-query", "echo installed")
    (copy / "build" / "release").mkdir(parents=True)
    program(copy / "build" / "release", "kernelmesh", "exit 0")
    (copy / ".venv" / "bin").mkdir(parents=True)
    shutil.copy(python, copy / ".venv" / "bin" / "python")
    shutil.copy(ROOT / "configs" / "python" / "requirements.lock", copy / ".venv")
    own = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    arguments = ["--python", str(python)] if named else []
    ran = subprocess.run(
        [copy / "scripts" / "quickstart", *arguments], capture_output=True, text=True, check=False, env=own
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    last = ran.stdout.splitlines()[-1]
    assert last.endswith(f"optimize YOUR_TASK.py --python {python}" if named else "optimize YOUR_TASK.py")
