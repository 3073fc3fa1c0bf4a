"""Runs what cuda_c writes on a CPU: kernels built by g++ with emulated_cuda.hpp, launched as their record says."""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

HEADER = Path(__file__).with_name("emulated_cuda.hpp")
# Instructions of the GPU in elements.cuh, and what they do.
INSTRUCTIONS = {
    'asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));': "y = emulated::half_to_float(x.bits);",
    'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));': "y.bits = emulated::float_to_half(x);",
    'asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));': "y.bits = emulated::float_to_bfloat(x);",
    'asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));': "y = emulated::maximum(a, b);",
    'asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));': "y = emulated::minimum(a, b);",
}
CLUSTERS = re.compile(r"/// Waits for all threads of the cluster.*?(?=/// Of columns)", re.DOTALL)
KERNEL = re.compile(r'extern "C" __global__ void (?:__launch_bounds__\(\d+\) )?(\w+)\(')


def build(folder: Path) -> ctypes.CDLL:
    """The candidate's kernels as a library; `run_NAME(parameters, blocks, threads)` launches one."""
    (folder / "cpu").mkdir(exist_ok=True)
    for header in folder.glob("*.cuh"):
        text = header.read_text()
        for instruction, meaning in INSTRUCTIONS.items():
            text = text.replace(instruction, meaning)
        text = CLUSTERS.sub("inline void cluster_wait() {}\n", text)
        text = re.sub(r"  if constexpr \(blocks > 1\) \{.*?\n  \}\n", "", text, flags=re.DOTALL)
        assert "asm" not in text, header
        (folder / "cpu" / header.name).write_text(text)
    text = (folder / "kernel.cu").read_text()
    calls = [
        f'extern "C" void run_{name}(void* const* x, unsigned blocks, unsigned threads) {{\n'
        f"  emulated::run([](void* const* p) {{ emulated::call({group(name)}, p); }}, x, blocks, threads);\n}}\n"
        for name in KERNEL.findall(text)
    ]
    unit = folder / "cpu" / "kernel.cpp"
    unit.write_text(f'#include "{HEADER}"\n{text}\n{"".join(calls)}')
    library = folder / "cpu" / "kernel.so"
    command = ["g++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", "-shared", "-fPIC", "-o", library, unit]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return ctypes.CDLL(str(library))


def group(kernel: str) -> str:
    """With its namespace: a group of kernels has the shortest name of them as its own."""
    return f"km::{re.sub(r'_(last|[0-9]+)$', '', kernel)}::{kernel}"


def tensor(spec: dict[str, Any]) -> torch.Tensor:
    x = torch.empty_strided(spec["shape"], spec["strides"], dtype=getattr(torch, spec["dtype"]))
    return x.fill_(1) if x.dtype == torch.bool else x.fill_(77)


def run(folder: Path, inputs: Sequence[torch.Tensor], state: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """The outputs of the candidate in the folder; buffers of the state are changed as the kernels change them."""
    library = build(folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    record = json.loads((folder / "launches.json").read_text())
    arguments = []
    for x in manifest["arguments"]:
        given = inputs[x["index"]] if x["origin"] == "input" else state[x["path"]]
        same = list(given.stride()) == x["spec"]["strides"]
        arguments.append(given if same else tensor(x["spec"]).copy_(given))
    outputs = [tensor(x) for x in manifest["outputs"]]
    scratch = [torch.full((size,), 255, dtype=torch.uint8) for size in record["scratch"]]
    buffers = {"argument": arguments, "output": outputs, "scratch": scratch}
    for operation in record["operations"]:
        if launch := operation.get("launch"):
            assert launch["cluster"]["x"] == 1 and launch["shared_bytes"] == 0
            places = [x["pointers"][0]["place"] for x in launch["parameters"]]
            addresses = [buffers[x["buffer"]][x["index"]].data_ptr() + x["offset"] for x in places]
            given = (ctypes.c_void_p * len(addresses))(*addresses)
            getattr(library, f"run_{launch['kernel']}")(given, launch["grid"]["x"], launch["block"]["x"])
    return outputs
