"""The adapter of cpp: what it builds and how it refuses."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
GOOD = 'extern "C" int kernelmesh_run() { return 0; }\n'


@pytest.fixture(scope="module")
def adapter() -> ModuleType:
    sys.path.insert(0, str(ROOT / "devices" / "worker"))
    described = importlib.util.spec_from_file_location("cpp_adapter", ROOT / "dsl" / "cpp" / "adapter.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def built(adapter: ModuleType, tmp_path: Path, text: str, path: str = "kernel.cpp", **changes: object) -> object:
    source = tmp_path / "source"
    source.write_text(text)
    folder = tmp_path / "out"
    folder.mkdir()
    options = {"arch": "native", "limit_s": 60.0, "cores": 1} | changes
    request = adapter.CompileRequest(
        manifest={"entry": {"c_abi": {}}}, files={path: str(source)}, folder=str(folder), **options
    )
    return adapter.compile(request)


def test_a_good_source_becomes_a_library(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD)
    assert result.ok, result.log
    assert (tmp_path / "out" / result.artifact).exists()
    assert adapter.toolchain().startswith("g++ ")


def test_python_gets_a_library_if_it_carries_the_header_of_one(adapter: ModuleType, tmp_path: Path) -> None:
    files = {}
    for name, text in (("model.py", "pass\n"), ("kernel.cpp", GOOD), ("kernelmesh_abi.h", "")):
        (tmp_path / name).write_text(text)
        files[name] = str(tmp_path / name)
    for wanted in (True, False):
        folder = tmp_path / f"out {wanted}"
        folder.mkdir()
        given = {name: path for name, path in files.items() if wanted or name != "kernelmesh_abi.h"}
        request = adapter.CompileRequest(
            manifest={"entry": {"python_host": {}}}, files=given, folder=str(folder), arch="", limit_s=60.0, cores=1
        )
        result = adapter.compile(request)
        assert result.ok and bool(result.artifact) == wanted, result.log


def test_an_error_is_told_with_file_and_line(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD + "int x = ;\n")
    assert not result.ok and result.kind == "compile_error"
    assert result.message.startswith("kernel.cpp:2: expected primary-expression")
    assert [(x["file"], x["line"]) for x in result.warnings] == [("kernel.cpp", 2)]


def test_a_warning_is_a_finding(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD + "static int unused() { return 1; }\n")
    assert result.ok
    assert any("unused" in x["message"] for x in result.warnings)


def test_a_build_ends_at_its_limit(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, '#include "/dev/zero"\n', limit_s=0.2)
    assert not result.ok and result.kind == "timeout"


@pytest.mark.parametrize("name", ["@x.cpp", "-x.cpp", "part/@x.cpp"])
def test_a_source_is_a_file_whatever_its_name_begins_with(adapter: ModuleType, tmp_path: Path, name: str) -> None:
    result = built(adapter, tmp_path, GOOD + "static int unused() { return 1; }\n", name)
    assert result.ok, result.log
    assert {x["file"] for x in result.warnings} == {name}


def test_a_missing_compiler_is_named_with_its_remedy(adapter: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter.toolchain.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(RuntimeError, match=r"^there is no g\+\+ on PATH, .*; install it: apt install g\+\+$"):
        adapter.toolchain()


def test_bad_requests_are_refused(adapter: ModuleType, tmp_path: Path) -> None:
    for number, (path, arch) in enumerate(
        [("../a.cpp", "native"), ("/a.cpp", "native"), ("a.txt", "native"), ("a.cpp", "-o")]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert not built(adapter, folder, GOOD, path, arch=arch).ok
