"""The adapter of triton: what it builds without a GPU, and how it refuses."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import launch_texts
import msgpack
import pytest
from launch_texts import number, pointer

ROOT = Path(__file__).resolve().parents[3]
HEAD = "import triton\nimport triton.language as tl\n\n\n"
GOOD = (
    HEAD
    + """@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


KERNELS = {
    "double": {
        "signature": {"x": "*fp32", "y": "*fp32", "n": "i32", "BLOCK": "constexpr"},
        "constants": {"BLOCK": 256},
        "aligned": ["x", "y"],
        "num_warps": 2,
        "num_stages": 1,
    }
}
"""
)

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")


def record(kernel: str = "double", image: str = "kernels.py", **changes: Any) -> dict[str, Any]:
    return launch_texts.record(kernel, image, [pointer("argument"), pointer("output"), number(1000)], **changes)


@pytest.fixture(scope="module")
def adapter() -> ModuleType:
    sys.path.insert(0, str(ROOT / "devices" / "worker"))
    described = importlib.util.spec_from_file_location("triton_adapter", ROOT / "dsl" / "triton" / "adapter.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def built(
    adapter: ModuleType, folder: Path, text: str, of: Any = None, arch: str = "sm_90a", limit_s: float = 60.0
) -> Any:
    out = folder / "out"
    out.mkdir()
    sources = {"kernels.py": text, "launches.json": json.dumps(record() if of is None else of)}
    files = {}
    for i, (name, content) in enumerate(sources.items()):  # sources lie in a store, which knows no suffixes
        (folder / f"blob{i}").write_text(content)
        files[name] = str(folder / f"blob{i}")
    manifest = {"entry": {"launch_record": {"record": "launches.json"}}}
    return adapter.compile(
        adapter.CompileRequest(manifest=manifest, files=files, arch=arch, folder=str(out), limit_s=limit_s, cores=1)
    )


def test_a_kernel_becomes_a_binary_and_the_record_says_how_it_is_launched(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD)
    assert result.ok, result.message + result.log
    made = msgpack.unpackb((tmp_path / "out" / result.artifact).read_bytes())
    launch = made["operations"][0]["launch"]
    assert made["arch"] == "sm_90a"
    assert [image["name"] for image in made["images"]] == ["kernels.py:double"]
    assert made["images"][0]["content"][:4] == b"\x7fELF"
    assert launch["kernel"] == "double" and launch["block"]["x"] == 64
    sizes = adapter.parameter_sizes(made["images"][0]["content"], launch["kernel"])
    assert [len(parameter["value"]) for parameter in launch["parameters"]] == sizes
    assert sizes[:3] == [8, 8, 4]
    assert [x["message"].split(" registers")[0][:12] for x in result.warnings] == ["double uses "]


def test_the_toolchain_names_what_changes_a_binary(adapter: ModuleType) -> None:
    assert adapter.toolchain().startswith("triton ") and "ptxas V" in adapter.toolchain()


def test_descriptors_made_on_the_device_get_scratch_memory(adapter: ModuleType, tmp_path: Path) -> None:
    text = GOOD.replace("tl.load(x + at, mask=at < n)", "tl.make_tensor_descriptor(x, [4096], [1], [BLOCK]).load([0])")
    result = built(adapter, tmp_path, text)
    assert result.ok, result.message
    made = msgpack.unpackb((tmp_path / "out" / result.artifact).read_bytes())
    assert made["scratch"] == [512]
    places = [p["pointers"][0]["place"] for p in made["operations"][0]["launch"]["parameters"] if p["pointers"]]
    assert places[2] == {"buffer": "scratch", "index": 0, "offset": 0}


WRONG = [
    (GOOD.replace("* 2", "* unknown"), "kernels.py:8: NameError('unknown is not defined')"),
    (GOOD.replace('"n": "i32"', '"n": "i64"'), "takes parameters of 8, 8, 8 bytes; its launch gives 8, 8, 4"),
    ("import os\nos._exit(3)\n", "the Triton compiler ended with code 3"),
]
WRONG_TOO = [
    (GOOD.replace("* 2", "* ("), "kernels.py:8: SyntaxError"),
    (GOOD.replace("tl.arange(0, BLOCK)", "tl.arange(0, 100)"), "kernels.py:7: "),
    (GOOD + "raise RuntimeError('no')\n", "kernels.py:20: RuntimeError: no"),
    (HEAD, "kernels.py: there is no table KERNELS"),
    (GOOD.replace("@triton.jit\n", ""), "double is no function under @triton.jit"),
    (GOOD.replace('"n": "i32", ', ""), "the signature must name x, y, n, BLOCK in this order"),
    (GOOD.replace('{"BLOCK": 256}', "{}"), "constants must give BLOCK"),
]


@pytest.mark.parametrize(("text", "said"), [*WRONG, *(pytest.param(*x, marks=pytest.mark.long) for x in WRONG_TOO)])
def test_what_is_wrong_is_told_in_one_line(adapter: ModuleType, tmp_path: Path, text: str, said: str) -> None:
    result = built(adapter, tmp_path, text)
    assert not result.ok and result.kind == "compile_error"
    assert said in result.message, result.message
    assert "\n" not in result.message


def test_more_shared_memory_than_there_is_is_refused(
    adapter: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(adapter.SHARED_BYTES_A_BLOCK, 90, 4)
    text = GOOD.replace("mask=at < n) * 2", "mask=at < n) * tl.sum(tl.load(x + at), 0)")  # warps join their sums there
    result = built(adapter, tmp_path, text)
    assert not result.ok and "bytes of shared memory; sm_90a has 4" in result.message, result.message


def test_a_build_ends_at_its_limit(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, "while True:\n    pass\n", limit_s=0.3)
    assert not result.ok and result.kind == "timeout"


def test_bad_requests_are_refused(adapter: ModuleType, tmp_path: Path) -> None:
    cases = [
        (record(image="other.py"), "sm_90a", "which is no Python source"),
        (record() | {"version": 2}, "sm_90a", "version 2"),
        ({"version": 1}, "sm_90a", "launches.json is no launch record"),
        (record(image_=1) | {"images": []}, "sm_90a", "launches.json is no launch record"),
        (record(kernel=["double"]), "sm_90a", "names no kernel"),
        (record(), "x86-64", "is no architecture"),
        (record(), "sm_20", "is no architecture that kernels are built for"),
    ]
    for i, (of, arch, said) in enumerate(cases):
        folder = tmp_path / str(i)
        folder.mkdir()
        result = built(adapter, folder, GOOD, of, arch)
        assert not result.ok and said in result.message, result.message


def test_python_that_launches_its_own_kernels_needs_no_build(adapter: ModuleType, tmp_path: Path) -> None:
    manifest = {"entry": {"python_host": {"file": "model.py", "symbol": "ModelNew"}}}
    request = adapter.CompileRequest(
        manifest=manifest, files={}, arch="sm_90a", folder=str(tmp_path), limit_s=1.0, cores=1
    )
    assert adapter.compile(request).ok and not adapter.compile(request).artifact
