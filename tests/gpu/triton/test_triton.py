"""Triton candidates on a GPU against torch in float64, and how long they take. KERNELMESH_TRITON_CASES names a folder
that triton_cases.py has filled (with kernels.launches where the adapter has been there already), where kernel_writer
can't run. With -s the times are printed."""

from __future__ import annotations

import copy
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[3] / "devices" / "worker")]
import triton_cases  # noqa: E402
from triton_cases import ROOT, Case, listed  # noqa: E402

READY = torch.cuda.is_available()
PREPARED = os.environ.get("KERNELMESH_TRITON_CASES")
pytestmark = [
    pytest.mark.skipif(not READY, reason="there is no GPU"),
    pytest.mark.skipif(not PREPARED and triton_cases.writer() is None, reason="kernel_writer is not built"),
]
RIGHT = triton_cases.right_cases()
TIMED = triton_cases.timed_cases()


def load_file(path: Path, name: str) -> ModuleType:
    described = importlib.util.spec_from_file_location(name, path)
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    sys.modules[name] = module
    described.loader.exec_module(module)
    return module


def prepared(case: Case, folder: Path) -> Path:
    """The candidate's folder, with what its adapter makes of it."""
    place = Path(PREPARED, case.name) if PREPARED else folder / case.name
    if not PREPARED:
        program = triton_cases.writer()
        assert program is not None
        said = triton_cases.write(case, place, program)
        assert not said, said
    if not (place / "kernels.launches").exists():
        place = built(place, folder / "out")
    return place


def built(place: Path, out: Path) -> Path:
    from kernelmesh_worker.adapter import CompileRequest

    adapter = load_file(ROOT / "dsl" / "triton" / "adapter.py", "triton_adapter")
    out.mkdir()
    major, minor = torch.cuda.get_device_capability()
    arch = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
    files = {name: str(place / name) for name in ("kernels.py", "launches.json", "manifest.json", "export.py")}
    manifest = json.loads((place / "manifest.json").read_text())
    result = adapter.compile(CompileRequest(manifest, files, arch, str(out), 300.0, 1))
    assert result.ok, result.message
    for name, path in files.items():
        (out / name).write_bytes(Path(path).read_bytes())
    return out


class Built:
    """A candidate's launches with their tensors."""

    def __init__(self, place: Path, model: nn.Module) -> None:
        from kernelmesh_worker.launches import Launches

        self.manifest = json.loads((place / "manifest.json").read_text())
        self.state = dict(model.named_parameters()) | dict(model.named_buffers())
        torch.cuda.synchronize()
        self.launches = Launches((place / "kernels.launches").read_bytes())
        self.launches.load()

    def arguments(self, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
        listed = self.manifest["arguments"]
        return [inputs[x["index"]] if x["origin"] == "input" else self.state[x["path"]] for x in listed]

    def outputs(self) -> list[torch.Tensor]:
        specs = self.manifest["outputs"]
        dtypes = [getattr(torch, x["dtype"]) for x in specs]
        made = [
            torch.empty_strided(x["shape"], x["strides"], dtype=dtype, device="cuda")
            for x, dtype in zip(specs, dtypes, strict=True)
        ]
        for x in made:
            x.fill_(float("nan") if x.is_floating_point() else 77)
        return made

    def run(self, arguments: list[torch.Tensor], outputs: list[torch.Tensor]) -> None:
        stream = torch.cuda.current_stream().cuda_stream
        self.launches.run([x.data_ptr() for x in arguments], [x.data_ptr() for x in outputs], stream)

    def close(self) -> None:
        close = getattr(self.launches, "close", None)
        if close is not None:
            close()


def plain(x: torch.Tensor) -> torch.Tensor:
    """Without NaN, which equals nothing."""
    return x.nan_to_num(7) if x.is_floating_point() else x


def wide(x: torch.Tensor) -> torch.Tensor:
    return x.double() if x.is_floating_point() else x


def error(got: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor) -> tuple[float, float]:
    finite = torch.isfinite(eager) & torch.isfinite(exact)
    if not finite.any():
        return 0.0, 0.0
    off = (got.double() - exact.double()).abs()[finite].max().item()
    own = (eager.double() - exact.double()).abs()[finite].max().item()
    return off, own


def compare(name: str, got: torch.Tensor, eager: torch.Tensor, exact: torch.Tensor) -> None:
    """Form and non-finite elements as eager's; the rest within four times eager's error and two steps of the type. What
    bf16x3 leaves out is more where few products are added up."""
    assert (got.dtype, got.shape, got.stride()) == (eager.dtype, eager.shape, eager.stride()), name
    if not got.is_floating_point():
        assert torch.equal(got, eager), (name, (got != eager).sum().item())
        return
    strange = ~torch.isfinite(eager)
    assert torch.equal(torch.isfinite(got), ~strange), (name, "finite elsewhere")
    assert torch.equal(got[strange].nan_to_num(7), eager[strange].nan_to_num(7)), (name, "other NaN or infinity")
    off, own = error(got, eager, exact)
    finite = torch.isfinite(eager)
    largest = exact.double().abs()[finite].max().item() if finite.any() else 0.0
    few = 64 if got.dtype == torch.float64 else 2
    factor = 16 if "bf16x3" in name else 4
    assert off <= factor * own + few * torch.finfo(got.dtype).eps * largest, (name, off, own, largest)


def results(case: Case, model: nn.Module, inputs: list[torch.Tensor]) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Eager's and exact ones."""
    with torch.no_grad():
        exact = listed(copy.deepcopy(model).double()(*map(wide, inputs)))
        return listed(copy.deepcopy(model)(*inputs)), exact


def model_of(case: Case) -> nn.Module:
    torch.manual_seed(1)
    return case.model().cuda()


def check(case: Case, place: Path) -> None:
    model, inputs = model_of(case), case.tensors("cuda")
    eager, exact = results(case, model, inputs)
    after = copy.deepcopy(model)
    with torch.no_grad():
        after(*inputs)
    before = [x.clone() for x in inputs]
    candidate = Built(place, model)
    outputs = candidate.outputs()
    candidate.run(candidate.arguments(inputs), outputs)
    torch.cuda.synchronize()
    for i, (got, wanted, right) in enumerate(zip(outputs, eager, exact, strict=True)):
        compare(f"{case.name} {i}", got, wanted, right)
    for x, y in zip(inputs, before, strict=True):
        assert torch.equal(plain(x), plain(y)), f"{case.name} changed an input"
    for name, buffer in model.named_buffers():
        assert name.endswith("tracked") or torch.allclose(buffer, after.get_buffer(name), rtol=1e-5, atol=1e-6), name
    candidate.close()


@pytest.mark.parametrize("case", RIGHT, ids=lambda x: x.name)
def test_kernels_agree_with_torch(case: Case, tmp_path: Path) -> None:
    check(case, prepared(case, tmp_path))


EXPORTED = (
    "pointwise",
    "broadcast",
    "types",
    "batch_norm",
    "means_of_rows",
    "rows_on",
    "linear_planes_descriptors",
    "prologue",
)


@pytest.mark.parametrize("case", [x for x in RIGHT if x.name in EXPORTED], ids=lambda x: x.name)
def test_exports_launch_the_same_kernels_in_the_ordinary_way(case: Case, tmp_path: Path) -> None:
    place = prepared(case, tmp_path)
    model, inputs = model_of(case), case.tensors("cuda")
    eager, exact = results(case, model, inputs)
    made = load_file(place / "export.py", f"export_{case.name}").ModelNew().cuda()
    made.load_state_dict(model.state_dict())
    for _ in range(2):
        for got, wanted, right in zip(listed(made(*inputs)), eager, exact, strict=True):
            compare(case.name, got, wanted, right)
    apart = [x.transpose(-1, -2).contiguous().transpose(-1, -2) if x.dim() > 1 else x for x in inputs]
    for got, wanted, right in zip(listed(made(*apart)), eager, exact, strict=True):
        compare(f"{case.name} of other strides", got, wanted, right)


def milliseconds(run: Callable[[], Any]) -> float:
    """The median of single calls with cold caches between them."""
    flush = torch.empty(128 << 20, dtype=torch.uint8, device="cuda")
    times = []
    run()
    for _ in range(12):
        flush.zero_()
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        run()
        last.record()
        torch.cuda.synchronize()
        times.append(first.elapsed_time(last))
    return sorted(times)[len(times) // 2]


def copy_milliseconds(count: int) -> float:
    """A device copy that moves so many bytes, read and written together."""
    x = torch.empty(max(count // 2, 1), dtype=torch.uint8, device="cuda")
    y = torch.empty_like(x)
    return milliseconds(lambda: y.copy_(x))


def figures(case: Case, place: Path) -> str:
    """One line: our time, eager's, a copy's, and for products speed and error."""
    model, inputs = model_of(case), case.tensors("cuda")
    candidate = Built(place, model)
    arguments, outputs = candidate.arguments(inputs), candidate.outputs()
    ours = milliseconds(lambda: candidate.run(arguments, outputs))
    with torch.no_grad():
        theirs = milliseconds(lambda: model(*inputs))
        eager = listed(model(*inputs))
    moved = sum(x.numel() * x.element_size() for x in [*arguments, *outputs])
    line = f"{case.name:26} {ours:8.3f} ms  eager {theirs:8.3f} ms  x{theirs / ours:5.2f}"
    if case.flops:
        exact = inputs[0][:512].double() @ inputs[1].double()
        got, own = error(outputs[0][:512], eager[0][:512], exact)
        line += f"  {case.flops / ours / 1e9:6.1f} TF/s  error/cuBLAS {got / own:5.2f}"
    else:
        reference = copy_milliseconds(moved)
        line += f"  copy {reference:7.3f} ms  {reference / ours:5.2f} of copy speed"
    candidate.close()
    return line


@pytest.mark.parametrize("case", TIMED, ids=lambda x: x.name)
def test_large_ones_agree_and_are_timed(case: Case, tmp_path: Path) -> None:
    place = prepared(case, tmp_path)
    if not case.flops:
        check(case, place)
    print(figures(case, place))
