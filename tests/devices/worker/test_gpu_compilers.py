"""Languages of GPUs are built where a node builds them: in a compiler's sandbox, from sources of the blob store."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import msgpack
import pytest
from boxes import SOURCES, boxed
from family import Hub, environment
from launch_texts import pointer, record

TRITON = """import triton
import triton.language as tl


@triton.jit
def double(x, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at) * 2)


KERNELS = {"double": {"signature": {"x": "*fp32", "y": "*fp32", "BLOCK": "constexpr"}, "constants": {"BLOCK": 256},
                      "aligned": ["x", "y"], "num_warps": 2, "num_stages": 1}}
"""
CUDA = """extern "C" __global__ void twice(const float* x, float* y) {
  y[blockIdx.x * 256 + threadIdx.x] = 2 * x[blockIdx.x * 256 + threadIdx.x];
}
"""
CASES = {"triton": ("kernels.py", "double", TRITON), "cuda_c": ("k.cu", "twice", CUDA)}


@pytest.mark.parametrize("language", CASES)
def test_a_language_of_gpus_is_built_in_the_sandbox_without_a_gpu(language: str, tmp_path: Path) -> None:
    needed = {"triton": "triton", "cuda_c": "nvidia"}[language]
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"the Python package {needed} is not installed")
    image, kernel, text = CASES[language]
    launches = record(kernel, image, [pointer("argument"), pointer("output")], block={"x": 256, "y": 1, "z": 1})
    sources = {image: text, "launches.json": json.dumps(launches)}
    files = {}
    for i, (name, content) in enumerate(sources.items()):
        (tmp_path / f"blob{i}").write_text(content)
        files[name] = str(tmp_path / f"blob{i}")
    adapter = str(SOURCES / "dsl" / language / "adapter.py")
    hub = Hub(tmp_path)
    argv = [sys.executable, "-m", "kernelmesh_worker", "compiler", "--connect", hub.endpoint, "--id", "c"]
    command = boxed([*argv, "--adapter", adapter], tmp_path)
    with subprocess.Popen(command, env=environment(tmp_path), cwd=tmp_path) as process:
        assert hub.receive()[1] == "hello"
        manifest = {"entry": {"launch_record": {"record": "launches.json"}}}
        work = {"manifest": manifest, "files": files, "adapter": adapter}
        said = hub.reply(hub.send("c", "compile", work | {"arch": "sm_90a", "folder": str(tmp_path)}))
        process.kill()
    hub.close()
    kind, result = said
    assert kind == "compiled", result
    built = msgpack.unpackb((tmp_path / result["artifact"]).read_bytes())
    assert built["images"][0]["content"][:4] == b"\x7fELF"
