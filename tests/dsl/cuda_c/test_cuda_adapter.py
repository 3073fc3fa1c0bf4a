"""The adapter of cuda_c: what it builds without a GPU and how it refuses."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import msgpack
import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTHING = base64.b64encode(bytes(8)).decode()
GOOD = 'extern "C" __global__ void __launch_bounds__(256) f(float* y) { y[blockIdx.x * 256 + threadIdx.x] = 1.0f; }\n'


@pytest.fixture(name="adapter", scope="module")
def loaded_adapter() -> ModuleType:
    sys.path.insert(0, str(ROOT / "devices" / "worker"))
    described = importlib.util.spec_from_file_location("cuda_c_adapter", ROOT / "dsl" / "cuda_c" / "adapter.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    try:
        module.toolchain()
    except RuntimeError as missing:
        pytest.skip(str(missing))
    return module


def launch(**changes: Any) -> dict[str, Any]:
    place = {"buffer": "output", "index": 0, "offset": 0}
    whole = {"image": 0, "kernel": "f", "grid": {"x": 4}, "block": {"x": 256}, "shared_bytes": 0}
    return whole | {"parameters": [{"value": NOTHING, "pointers": [{"at": 0, "place": place}]}]} | changes


def record(*launches: dict[str, Any]) -> dict[str, Any]:
    operations = [{"launch": x} for x in launches]
    return {"version": 1, "images": [{"name": "k.cu", "content": ""}], "scratch": [], "operations": operations}


def built(adapter: ModuleType, folder: Path, text: str, launches: Any = None, **changes: Any) -> Any:
    sources = {"k.cu": text, "launches.json": json.dumps(launches or record(launch()))}
    (folder / "in").mkdir()
    (folder / "out").mkdir()
    files = {}
    for i, (name, content) in enumerate(sources.items()):  # sources lie in a store, which knows no suffixes
        (folder / "in" / f"blob{i}").write_text(content)
        files[name] = str(folder / "in" / f"blob{i}")
    options = {"arch": "sm_90a", "limit_s": 60.0, "cores": 1} | changes
    manifest = {"entry": {"launch_record": {"record": "launches.json"}}}
    request = adapter.CompileRequest(manifest=manifest, files=files, folder=str(folder / "out"), **options)
    return adapter.compile(request)


def test_a_good_source_becomes_a_record_with_a_cubin(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD)
    assert result.ok, result.message + result.log
    made = msgpack.unpackb((tmp_path / "out" / result.artifact).read_bytes())
    assert made["arch"] == "sm_90a"
    assert made["images"][0]["content"].startswith(b"\x7fELF")
    assert made["operations"][0]["launch"]["parameters"][0]["value"] == bytes(8)
    assert any("f: " in x["message"] and "registers" in x["message"] for x in result.warnings)
    assert adapter.toolchain().startswith("NVRTC ")


def test_an_error_is_told_with_file_and_line(adapter: ModuleType, tmp_path: Path) -> None:
    result = built(adapter, tmp_path, GOOD + "__global__ void g() { int x = ; }\n")
    assert not result.ok and result.kind == "compile_error"
    assert result.message.startswith("k.cu:2: expected an expression")
    assert ("k.cu", 2) in [(x["file"], x["line"]) for x in result.warnings]


STATIC = """extern "C" __global__ void f(float* y) {
  __shared__ float s[100000];
  s[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  y[1] = s[255 - threadIdx.x];
}
"""
HUNGRY = """extern "C" __global__ void f(float* y) {
  float x[200];
#pragma unroll
  for (int i = 0; i < 200; ++i) x[i] = y[i * 1024 + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 200; ++i) y[i * 1024 + threadIdx.x] = x[199 - i] * x[i] + x[(i * 7) % 200];
}
"""


@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        (GOOD, {"shared_bytes": 300_000}, r"f takes 300000 bytes of shared memory a block, sm_90 has 232448"),
        (GOOD, {"block": {"x": 1024, "y": 2}}, r"f takes 2048 threads a block, sm_90 has 1024"),
        (HUNGRY, {"block": {"x": 1024}}, r"f takes \d+ registers a block, sm_90 has 65536"),
        (STATIC, {}, r"[Ss]hared"),
        (GOOD, {"kernel": "g"}, "there is no kernel 'g' in image 0"),
        (GOOD, {"parameters": [{"value": ""}]}, "parameter 0 has no value"),
        (GOOD, {"grid": {"x": 0}}, "grid.x is 0"),
    ],
    ids=["dynamic shared memory", "threads", "registers", "static shared memory", "kernel", "parameter", "grid"],
)
def test_what_no_block_can_have_is_refused(
    adapter: ModuleType, tmp_path: Path, text: str, changes: dict[str, Any], said: str
) -> None:
    result = built(adapter, tmp_path, text, record(launch(**changes)))
    assert not result.ok and result.kind == "compile_error"
    assert re.search(said, result.message), result.message


def test_bad_requests_are_refused(adapter: ModuleType, tmp_path: Path) -> None:
    good, outside = record(launch()), {"images": [{"name": "../k.cu"}]}
    bad = [(good, "native"), (good, "sm_12"), (good, "sm_75"), (outside, "sm_90a"), (3, "sm_90a")]
    for number, (launches, arch) in enumerate(bad):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = built(adapter, folder, GOOD, launches, arch=arch)
        assert not result.ok and result.message, number


def test_a_build_ends_at_its_limit(adapter: ModuleType, tmp_path: Path) -> None:
    doubled = "".join(f"#define A{i + 1} A{i} A{i}\n" for i in range(20))
    body = "float x = y[0]; A20 y[1] = x;"  # a million statements
    text = f'#define A0 x = x * x + 1.5f;\n{doubled}extern "C" __global__ void f(float* y) {{ {body} }}\n'
    result = built(adapter, tmp_path, text, limit_s=0.7)
    assert not result.ok and result.kind == "timeout"


def test_what_is_no_launch_record_needs_no_build(adapter: ModuleType, tmp_path: Path) -> None:
    request = adapter.CompileRequest({"entry": {"python_host": {}}}, {}, "sm_90a", str(tmp_path), 60.0, 1)
    assert adapter.compile(request).ok


def test_missing_nvrtc_is_told_with_the_way_out(adapter: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    module = adapter._nvrtc()
    monkeypatch.setattr(module, "_candidates", lambda: iter(()))
    module.nvrtc.cache_clear()
    adapter.toolchain.cache_clear()
    with pytest.raises(RuntimeError, match=r"^there is no NVRTC, .*`pip install nvidia-cuda-nvrtc`"):
        adapter.toolchain()
    module.nvrtc.cache_clear()
