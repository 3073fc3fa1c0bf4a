"""Kernels of cuda_c without a GPU: run by an emulator against torch in float64, and built for an H100. tests/gpu/cuda_c
runs the same cases on a GPU."""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).resolve().parents[3]
for folder in ("devices/worker", "tests/dsl/cuda_c", "tests/dsl/cpp"):
    sys.path.insert(0, str(ROOT / folder))
import cuda_cases  # noqa: E402
import cuda_emulator  # noqa: E402
import map_kernels  # noqa: E402
from kernelmesh_worker.adapter import CompileRequest  # noqa: E402

pytestmark = pytest.mark.skipif(map_kernels.writer() is None, reason="kernel_writer is not built")
CASES = {x.name: x for x in cuda_cases.maps() + cuda_cases.rows() + cuda_cases.columns()}
QUICK = (
    "bias_short",
    "compare",
    "softmax_special",
    "var_split",
    "layer_norm_block_off_256_1",
    "column_var_3x70x33",
    "column_softmax_special",
    "batch_module",
)
BUILT = ("compare", "softmax_cluster", "argmin_split", "layer_norm_block_shared_128", "column_min_on_4")
# Parts of the largest result that a type can't do without, beside four times eager's own error.
STEP = {torch.float64: 1e-13, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}


def emulated(name: str) -> bool:
    """No clusters and no dynamic shared memory, and small enough."""
    case = CASES[name]
    asked = case.knobs.get("team") == "cluster" or case.knobs.get("keep") == "shared"
    return not asked and sum(x.numel() for x in case.inputs()) < 60_000


def names(quick: tuple[str, ...], all_of_them: Iterator[str]) -> list[Any]:
    rest = [x for x in all_of_them if x not in quick]
    return [*quick, *(pytest.param(x, marks=pytest.mark.long) for x in rest)]


def listed(x: Any) -> Iterator[torch.Tensor]:
    if isinstance(x, torch.Tensor):
        yield x
        return
    for one in x:
        yield from listed(one)


def wide(x: torch.Tensor) -> torch.Tensor:
    return x.double() if x.is_floating_point() else x


def compare(got: torch.Tensor, eager: torch.Tensor, oracle: torch.Tensor) -> None:
    """Form and what is not finite as eager's; the rest within four times eager's error."""
    assert (got.dtype, got.shape) == (eager.dtype, eager.shape)
    if not got.is_floating_point():
        assert torch.equal(got, eager)
        return
    finite = torch.isfinite(eager) & torch.isfinite(oracle)
    assert torch.equal(got[~finite].nan_to_num(7), eager[~finite].nan_to_num(7))
    if finite.any():
        error, own = (got.double() - oracle).abs()[finite], (eager.double() - oracle).abs()[finite]
        assert error.max() <= max(4 * own.max(), STEP[got.dtype] * min(oracle[finite].abs().max(), torch.tensor(1e3)))


@pytest.mark.parametrize("name", names(QUICK, filter(emulated, CASES)))
def test_an_emulated_kernel_gives_what_torch_gives(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    said = cuda_cases.write(case, tmp_path)
    assert (tmp_path / "manifest.json").exists(), said
    if any("launch" in x and x["launch"]["cluster"]["x"] > 1 for x in record(tmp_path)["operations"]):
        pytest.skip("clusters are not emulated")
    model, inputs = case.model(), case.inputs()
    eager_model, exact_model = copy.deepcopy(model), copy.deepcopy(model).double()
    with torch.no_grad():
        got = cuda_emulator.run(tmp_path, inputs, dict(model.state_dict()))
        eager = list(listed(eager_model(*inputs)))
        exact = list(listed(exact_model(*map(wide, inputs))))
    for results in zip(got, eager, exact, strict=True):
        compare(*results)
    for path, buffer in model.named_buffers():
        assert torch.allclose(buffer, eager_model.get_buffer(path), rtol=1e-5, atol=1e-6), path


def record(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "launches.json").read_text())


@pytest.fixture(name="adapter", scope="module")
def loaded_adapter() -> Any:
    described = importlib.util.spec_from_file_location("cuda_c_adapter", ROOT / "dsl" / "cuda_c" / "adapter.py")
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    try:
        module.toolchain()
    except RuntimeError as missing:
        pytest.skip(str(missing))
    return module


@pytest.mark.parametrize("name", names(BUILT, iter(CASES)))
def test_a_candidate_builds_for_an_h100_without_one(adapter: Any, tmp_path: Path, name: str) -> None:
    cuda_cases.write(CASES[name], tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    files = {x["path"]: str(tmp_path / x["path"]) for x in manifest["sources"]}
    (tmp_path / "out").mkdir()
    result = adapter.compile(CompileRequest(manifest, files, "sm_90a", str(tmp_path / "out"), 120.0, 1))
    assert result.ok, result.message + result.log
    assert not any("warning" in x["message"] for x in result.warnings), result.warnings


def test_an_export_loads_without_a_gpu_and_says_what_it_needs(tmp_path: Path) -> None:
    case = CASES["layer_module"]
    cuda_cases.write(case, tmp_path)
    new = map_kernels.load(tmp_path).ModelNew()
    new.load_state_dict(case.model().state_dict())
    said = "on cpu; this kernel was written for torch.float32 .* on cuda"
    with torch.no_grad(), pytest.raises(ValueError, match=said):
        new(*case.inputs())


def test_an_export_has_the_weights_of_model_under_the_same_seed(tmp_path: Path) -> None:
    task = (
        "import torch\nfrom torch import nn\n\n\nclass Model(nn.Module):\n"
        "    def __init__(self, width: int) -> None:\n        super().__init__()\n"
        "        self.scale = nn.Parameter(torch.randn(width))\n\n"
        "    def forward(self, x: torch.Tensor) -> torch.Tensor:\n        return x * self.scale\n"
    )
    made: dict[str, Any] = {}
    exec(compile(task, "task.py", "exec"), made)
    case = cuda_cases.Case("task", lambda: made["Model"](12), lambda: [torch.randn(4, 12)])
    cuda_cases.write(case, tmp_path, {"name": "task", "code": task})
    export = map_kernels.load(tmp_path)
    torch.manual_seed(5)
    model = made["Model"](12)
    torch.manual_seed(5)
    new = export.ModelNew(12)
    assert torch.equal(new.scale, model.scale)
    with pytest.raises(TypeError, match=r"^forward\(x\) was called with other arguments"):
        new()
