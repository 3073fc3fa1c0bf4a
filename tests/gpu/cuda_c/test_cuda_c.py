"""Kernels in cuda_c on a GPU: built by the adapter, run through launches.py on torch's tensors, held against torch in
float64. Without a GPU, or without kernels (cuda_cases.py says where they come from), all of it is skipped."""

from __future__ import annotations

import copy
import json
import os
import statistics
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[3]
for folder in ("devices/worker", "tests/dsl/cuda_c", "tests/dsl/cpp"):
    sys.path.insert(0, str(ROOT / folder))
import cuda_cases  # noqa: E402
import map_kernels  # noqa: E402
from kernelmesh_worker import launches as launch_records  # noqa: E402
from kernelmesh_worker.adapter import CompileRequest  # noqa: E402

WRITTEN = os.environ.get("KERNELMESH_GPU_CASES", "")


def there(cases: list[Any]) -> dict[str, Any]:
    """Those that were written, where they were written before."""
    return {x.name: x for x in cases if not WRITTEN or (Path(WRITTEN) / x.name / "manifest.json").exists()}


CASES, TIMED = there(cuda_cases.maps() + cuda_cases.rows() + cuda_cases.columns()), there(cuda_cases.timed())
if not torch.cuda.is_available():
    pytest.skip("there is no GPU that torch can use", allow_module_level=True)
if not WRITTEN and map_kernels.writer() is None:
    pytest.skip("kernel_writer is not built", allow_module_level=True)
# Parts of the largest result that a type can't do without, beside four times eager's own error.
STEP = {torch.float64: 1e-13, torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}
TIMES = 20
EXPORTED = ("gaps", "layer_module", "softmax_5x4096")


@pytest.fixture(name="adapter", scope="module")
def loaded_adapter() -> Any:
    return module_at(ROOT / "dsl" / "cuda_c" / "adapter.py", "cuda_c_adapter")


def module_at(path: Path, name: str) -> Any:
    import importlib.util

    described = importlib.util.spec_from_file_location(name, path)
    assert described is not None and described.loader is not None
    module = importlib.util.module_from_spec(described)
    sys.modules[name] = module
    described.loader.exec_module(module)
    return module


@pytest.fixture(name="built", scope="module")
def all_built(adapter: Any, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Of each case that is asked for its folder and what the adapter said; all at once: each build is a process."""
    base = Path(WRITTEN) if WRITTEN else tmp_path_factory.mktemp("cases")

    outs = tmp_path_factory.mktemp("built")

    def one(case: Any) -> tuple[str, Any]:
        folder = base / case.name
        if not WRITTEN:
            cuda_cases.write(case, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        files = {x["path"]: str(folder / x["path"]) for x in manifest["sources"]}
        out = outs / case.name
        out.mkdir()
        major, minor = torch.cuda.get_device_capability()
        arch = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
        order = CompileRequest(manifest, files, arch, str(out), 60.0, 1)
        return case.name, (folder, out, manifest, adapter.compile(order))

    torch.cuda.init()
    asked = {x.callspec.params["name"] for x in request.session.items if hasattr(x, "callspec")} | set(EXPORTED)
    with ThreadPoolExecutor(max_workers=len(os.sched_getaffinity(0))) as pool:
        return dict(pool.map(one, [x for x in (CASES | TIMED).values() if x.name in asked]))


def wide(x: Any) -> Any:
    return x.double() if x.is_floating_point() else x


def listed(x: Any) -> Iterator[Any]:
    if isinstance(x, torch.Tensor):
        yield x
        return
    for one in x:
        yield from listed(one)


class Loaded:
    """A built candidate with its tensors."""

    def __init__(self, built: Any, model: Any, inputs: list[Any]) -> None:
        folder, out, manifest, result = built
        assert result.ok, result.message + result.log
        state = dict(model.state_dict())
        self.given = [self._argument(x, state, inputs) for x in manifest["arguments"]]
        self.outputs = [self._tensor(x) for x in manifest["outputs"]]
        artifact = (out / result.artifact).read_bytes()
        sizes = [[self._bytes(x) for x in tensors] for tensors in (self.given, self.outputs)]
        torch.cuda.current_stream().synchronize()
        self.launches = launch_records.Launches(artifact, sizes[0], sizes[1])
        self.launches.load()
        self.places = [[x.data_ptr() for x in tensors] for tensors in (self.given, self.outputs)]

    @staticmethod
    def _tensor(spec: dict[str, Any]) -> Any:
        dtype = getattr(torch, spec["dtype"])
        x = torch.empty_strided(spec["shape"], spec["strides"], dtype=dtype, device="cuda")
        return x.view(torch.uint8).fill_(255).view(dtype) if x.is_contiguous() and x.dim() else x

    def _argument(self, binding: dict[str, Any], state: dict[str, Any], inputs: list[Any]) -> Any:
        x = inputs[binding["index"]] if binding["origin"] == "input" else state[binding["path"]]
        spec = binding["spec"]
        same = list(x.stride()) == spec["strides"] and x.data_ptr() % 16 == 0
        return x if same else self._tensor(spec).copy_(x)

    @staticmethod
    def _bytes(x: Any) -> int:
        return launch_records.extent_bytes(x.shape, x.stride(), x.element_size())

    def run(self) -> None:
        self.launches.run(*self.places, torch.cuda.current_stream().cuda_stream)


def compare(got: Any, eager: Any, oracle: Any) -> None:
    """Form and what is not finite as eager's; the rest within four times eager's error."""
    assert (got.dtype, got.shape) == (eager.dtype, eager.shape)
    if not got.is_floating_point():
        assert torch.equal(got, eager)
        return
    assert torch.equal(torch.isnan(got), torch.isnan(eager)), "NaN elsewhere than eager"
    infinite = torch.isinf(eager) | torch.isinf(got)
    assert torch.equal(got[infinite], eager[infinite]), "infinities elsewhere than eager"
    finite = torch.isfinite(eager) & torch.isfinite(oracle)
    if not finite.any():
        return
    error = (got.double() - oracle).abs()[finite]
    own = (eager.double() - oracle).abs()[finite]
    near = torch.maximum(4 * own, STEP[got.dtype] * oracle[finite].abs())
    bound = max(4 * own.max(), STEP[got.dtype] * min(oracle[finite].abs().max(), torch.tensor(1e3, device="cuda")))
    assert bool((error <= torch.clamp(near, min=bound)).all()), (error.max(), own.max())


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_gives_what_torch_gives(built: dict[str, Any], name: str) -> None:
    case = CASES[name]
    torch.backends.cuda.matmul.allow_tf32 = False
    model = case.model().cuda()
    inputs = [x.cuda() for x in case.inputs()]
    eager_model, exact_model = copy.deepcopy(model), copy.deepcopy(model).double()
    before = [x.clone() for x in inputs]
    with torch.no_grad():
        loaded = Loaded(built[name], model, inputs)
        loaded.run()
        torch.cuda.synchronize()
        eager = list(listed(eager_model(*inputs)))
        exact = list(listed(exact_model(*map(wide, inputs))))
    assert len(loaded.outputs) == len(eager)
    for results in zip(loaded.outputs, eager, exact, strict=True):
        compare(*results)
    for x, y in zip(inputs, before, strict=True):
        assert torch.equal(x.nan_to_num(), y.nan_to_num())
    for path, buffer in model.named_buffers():
        assert torch.allclose(buffer, eager_model.get_buffer(path), rtol=1e-5, atol=1e-6), path
    loaded.launches.close()


def nanoseconds(call: Callable[[], Any]) -> float:
    """Of one call, the median of several after some that do not count."""
    times = []
    for i in range(TIMES + 5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if i >= 5:
            times.append(begin.elapsed_time(end) * 1e6)
    return statistics.median(times)


@pytest.mark.parametrize("name", TIMED)
def test_large_kernels_are_timed(built: dict[str, Any], name: str, capsys: pytest.CaptureFixture[str]) -> None:
    case = TIMED[name]
    model = case.model()
    inputs = [x.cuda().normal_() for x in case.inputs()]
    with torch.no_grad():
        loaded = Loaded(built[name], model, inputs)
        loaded.run()
        want = next(listed(model(*inputs)))
        assert torch.allclose(loaded.outputs[0].float(), want.float(), rtol=2e-2, atol=2e-2)
        ours, eager = nanoseconds(loaded.run), nanoseconds(lambda: model(*inputs))
        count = inputs[0].numel() * inputs[0].element_size()
        to = torch.empty(count + loaded.outputs[0].numel() * loaded.outputs[0].element_size(), dtype=torch.uint8)
        half = to.numel() // 2
        to = to.cuda()
        copied = nanoseconds(lambda: to[:half].copy_(to[half : 2 * half]))
    loaded.launches.close()
    with capsys.disabled():
        figures = f"{ours / 1e3:9.1f} us, eager {eager / 1e3:9.1f} us ({eager / ours:5.2f}x)"
        print(f"\n{name:28} {figures}, copy {copied / 1e3:9.1f} us ({copied / ours * 100:5.1f} %)")


def test_an_export_takes_models_place(built: dict[str, Any]) -> None:
    for name in EXPORTED:
        case = CASES[name]
        export = map_kernels.load(built[name][0])
        model, inputs = case.model().cuda(), [x.cuda() for x in case.inputs()]
        new = export.ModelNew()
        new.load_state_dict(model.state_dict())
        new = new.cuda()
        with torch.no_grad():
            for _ in range(2):
                torch.testing.assert_close(new(*inputs), model(*inputs), rtol=1e-4, atol=1e-5)
            again = [x.expand(x.shape).transpose(0, 1).contiguous().transpose(0, 1) for x in inputs]
            torch.testing.assert_close(new(*again), model(*again), rtol=1e-4, atol=1e-5)
        with pytest.raises(ValueError, match="on cpu; this kernel was written for"):
            new(*[x.cpu() for x in inputs])
