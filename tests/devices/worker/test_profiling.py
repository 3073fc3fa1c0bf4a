"""The profile of a candidate: what profilers' words mean, and what a judge gives for a C function on a CPU."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from boxes import build_folder
from family import Family, build, spec, work
from kernelmesh_worker import instruction_mix, profilers
from kernelmesh_worker.profilers import NoFigures

# -- words ------------------------------------------------------------------------------------------------------------

PERF = """# started on Sun Nov 29 03:00:00 2026

12345678,,instructions:u,500000,100.00,,
4567890,,cycles:u,500000,100.00,,
<not counted>,,branches:u,0,0.00,,
321,,branch-misses:u,500000,100.00,,
<not supported>,,cache-references:u,0,100.00,,
"""


def test_what_perf_counted_has_our_names_and_what_it_did_not_is_absent() -> None:
    assert profilers.perf_counts(PERF) == {"instructions": 12345678.0, "cycles": 4567890.0, "branch_misses": 321.0}


def test_perf_without_counters_gives_a_sentence_though_it_ends_well() -> None:
    with pytest.raises(NoFigures, match="<not supported>"):
        profilers.perf_counts("<not supported>,,instructions:u,0,100.00,,\n<not supported>,,cycles:u,0,100.00,,\n")
    with pytest.raises(NoFigures, match="perf counted nothing"):
        profilers.perf_counts("")


def ncu_log(*rows: str) -> str:
    names = ["ID", "Kernel Name", "gpu__time_duration.sum", profilers.NCU_METRICS["sm_pct"][0]]
    names += list(profilers.NCU_METRICS["spill_sectors"])
    head = ",".join(f'"{x}"' for x in names) + '\n"","","ns","%","sector","sector"\n'
    return (
        "==PROF== Connected to process 4\nwords of the program\n" + head + "\n".join(rows) + "\n==PROF== Disconnected"
    )


def test_launches_of_one_kernel_are_one_line_of_means() -> None:
    rows = ['"0","relu(float *, int)","1,000.5","50","1","2"', '"1","relu(float *, int)","999.5","60","n/a","4"']
    (kernel,) = profilers.ncu_kernels(ncu_log(*rows, '"2","other","7","1",""'))[:1]
    assert kernel["name"] == "relu(float *, int)" and kernel["launches"] == 2
    assert kernel["metrics"] == {"time_ns": 1000.0, "sm_pct": 55.0, "spill_sectors": 3.5}


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "not permitted"),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "LibraryNotLoaded"),
        ("==WARNING== No kernels were profiled.", "No kernels were profiled"),
        (ncu_log('"0","relu","1000","n/a"'), "no figures"),
        ('"ID","Kernel', "no figures"),
        ("", "no figures"),
    ],
)
def test_a_log_without_figures_says_why(log: str, sentence: str) -> None:
    with pytest.raises(NoFigures, match=sentence):
        profilers.ncu_kernels(log)


def test_metrics_that_a_gpu_does_not_have_are_found_in_the_log() -> None:
    missing = profilers.NCU_METRICS["pipe_tensor_pct"][0]
    log = f"==ERROR== Failed to find metric {missing}\n==ERROR== Failed to find metric rm__all"
    assert profilers.unknown_metrics(log) == {missing}


def test_every_metric_has_one_name_of_ncu_or_several_of_its_own() -> None:
    names = profilers.ncu_names()
    assert len(names) == len(set(names)) >= 24


# -- instructions -----------------------------------------------------------------------------------------------------

LISTING = """
0000000000001000 <deregister_tm_clones>:
    1000:\tvaddps %ymm0,%ymm1,%ymm2

0000000000001100 <softmax(float const*, float*)>:
    1100:\tpush   %rbp
    1104:\tvmovups (%rdi,%rax,4),%ymm0
    1108:\tvfmadd231ps (%rsi),%ymm0,%ymm1
    110c:\tvdivps %ymm1,%ymm0,%ymm2
    1110:\tvmovups %ymm2,(%rdx){%k1}
    1114:\tlea    0x20(%rax),%rax
    1118:\tcmp    (%rsp),%rax
    111c:\tjne    1104 <softmax(float const*, float*)+0x4>
    1120:\tvaddss %xmm0,%xmm1,%xmm2
    1124:\tjmp    1100 <softmax(float const*, float*)>
    1128:\tret
"""


def test_the_mix_is_of_innermost_loops() -> None:
    (kernel,) = instruction_mix.kernels_of(LISTING)
    assert kernel["name"] == "softmax(float const*, float*)"
    expected = {"instructions": 7, "vector": 2, "scalar_float": 0, "fma": 1, "divisions": 1, "loads": 3, "stores": 1}
    assert kernel["metrics"] == {**expected, "branches": 1}


def test_loops_that_only_move_count_where_none_computes() -> None:
    moves = "0 <copy>:\n  0:\tmov (%rdi),%eax\n  4:\tmov %eax,(%rsi)\n  8:\tjne 0 <copy>\n"
    assert [x["name"] for x in instruction_mix.kernels_of(moves)] == ["copy"]
    assert [x["name"] for x in instruction_mix.kernels_of(moves + LISTING)] == ["softmax(float const*, float*)"]


def test_without_loops_whole_functions_count() -> None:
    (kernel,) = instruction_mix.kernels_of("10 <f>:\n  10:\tvaddss %xmm0,%xmm1,%xmm2\n  14:\trepz ret\n")
    assert kernel["metrics"] == {"instructions": 2, "vector": 0, "scalar_float": 1, "branches": 1}


def test_what_is_no_listing_has_no_functions() -> None:
    assert instruction_mix.kernels_of("objdump: file format not recognized\n  10:\tret\n") == []


# -- a judge ----------------------------------------------------------------------------------------------------------

TASK = """
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(512, 1024)]

def get_init_inputs():
    return []
"""
RELU = """
#include "kernelmesh_abi.h"
extern "C" int relu(const kernelmesh_tensor* in, int32_t, const kernelmesh_tensor* out, int32_t, int32_t, void*) {
  auto x = static_cast<const float*>(in[0].data);
  auto y = static_cast<float*>(out[0].data);
  for (int i = 0; i < 512 * 1024; ++i) y[i] = x[i] > 0 ? x[i] : 0;
  return 0;
}
"""


def c_function(folder: Path, source: str) -> dict[str, Any]:
    tensor = spec(512, 1024)
    manifest = {"arguments": [{"origin": "input", "index": 0, "spec": tensor}], "outputs": [tensor]}
    entry = {"c_abi": {"function": "relu"}}
    return work(TASK, entry, {}, artifact=build(folder, source), manifest=manifest, profile=True)


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_a_c_function_has_a_time_and_counts_or_the_instructions_of_its_loops(family: Family) -> None:
    kind, answer = family.ask("judge", c_function(family.files, RELU))
    figures = answer["figures"]
    assert kind == "profiled", answer
    assert figures["fate"]["end"] == "finished"
    assert 10_000 < figures["call_ns"] < 1e9
    assert figures["calls"] >= 5 and figures["working_set_bytes"] >= 2 * 512 * 1024 * 4
    assert figures["source"] in ("perf", "objdump") or figures["missing"]
    if figures["source"] == "objdump":
        assert "perf" in figures["missing"][0] or figures["tier"] == "hosted"
        names = [x["name"] for x in figures["kernels"]]
        assert names == ["relu"] and figures["kernels"][0]["metrics"]["stores"] >= 1
    if figures["source"] == "perf":
        assert figures["kernels"][0]["metrics"]["instructions"] > 512 * 1024 / 8 * figures["calls"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_a_candidate_that_crashes_leaves_a_profile_that_says_so_and_a_judge_that_goes_on(family: Family) -> None:
    crash = RELU.replace("return 0;", "return *static_cast<volatile int*>(nullptr);")
    kind, answer = family.ask("judge", c_function(family.files, crash))
    assert kind == "profiled" and answer["figures"]["fate"]["end"] == "killed"
    assert answer["figures"]["call_ns"] == 0
    assert family.ask("judge", c_function(family.files, RELU))[0] == "profiled"


@pytest.mark.skipif(build_folder() is None, reason="KERNELMESH_BUILD does not name the guard's folder")
@pytest.mark.skipif(shutil.which("g++") is None or shutil.which("perf") is None, reason="there is no g++ or no perf")
def test_a_c_function_has_none_of_the_freedom_of_the_profiler_around_it(family: Family) -> None:
    opens = """
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || fork() >= 0) return *static_cast<volatile int*>(nullptr);
  return 0;"""
    source = "#include <sys/socket.h>\n#include <unistd.h>\n" + RELU.replace("  return 0;", opens)
    kind, answer = family.ask("judge", c_function(family.files, source))
    assert kind == "profiled" and answer["figures"]["fate"]["end"] == "finished"
    assert answer["figures"]["call_ns"] > 0


def test_a_python_candidate_has_its_time_and_the_reason_why_no_more(family: Family) -> None:
    model = (
        "import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x.clamp(min=0)\n"
    )
    kind, answer = family.judge_python(TASK, model, profile=True)
    assert kind == "profiled"
    figures = answer["figures"]
    assert figures["call_ns"] > 0 and figures["source"] == "" and figures["kernels"] == []
    assert any("Python process" in x for x in figures["missing"])
