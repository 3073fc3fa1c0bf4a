"""libkernelmesh-recorder.so on a GPU: what a program of torch launches is recorded in one process, and carried out by
kernelmesh-cuda-host in another, which has nothing of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker" / "native"))
sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker" / "cuda_native"))

import lender
import native_host
from cuda_host import program
from native_host import FLOAT32, tensor
from record_calls import CASES, COLUMNS, ROWS
from test_sealed import LOADED, GpuHost

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
LIBRARY = native_host.program("libkernelmesh-recorder.so")
pytestmark = [
    pytest.mark.skipif(program() is None or LIBRARY is None, reason="host and recorder are not built"),
    pytest.mark.skipif(lender.driver() is None, reason="there is no GPU"),
]


def recorded(case: str, file: Path) -> str:
    """Why there is no record; empty: it lies in the file."""
    environment = {**os.environ, "CUDA_INJECTION64_PATH": str(LIBRARY)}
    argv = [sys.executable, str(Path(__file__).parent / "record_calls.py"), case, str(file)]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def replayed(file: Path, count: int) -> GpuHost:
    arguments = [{**tensor(FLOAT32, [ROWS, COLUMNS], [COLUMNS, 1]), "lent": x} for x in (0, 1)]
    return GpuHost(file, 0, 4 * ROWS * COLUMNS, arguments=arguments, outputs=[tensor(FLOAT32, [count], [1])])


@pytest.mark.parametrize("case", ["elementwise", "softmax", "matmul", "mean", "triton"])
def test_a_program_of_torch_is_right_without_its_process(tmp_path: Path, case: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    file = tmp_path / ".artifact"
    assert recorded(case, file) == ""
    wanted = CASES[case](*(torch.zeros(ROWS, COLUMNS, device="cuda") for _ in range(2)))
    with replayed(file, wanted.numel()) as host:
        assert host.hear() == LOADED
        for _ in range(3):
            given = [torch.randn(ROWS, COLUMNS, device="cuda") for _ in range(2)]
            for buffer, x in enumerate(given):
                host.put(buffer, x.cpu().numpy())
            host.bracket("call")
            wanted = CASES[case](*given).cpu().numpy()
            assert np.allclose(host.output(wanted), wanted, rtol=1e-4, atol=1e-4)


def test_a_decision_of_the_host_on_the_devices_data_has_no_record(tmp_path: Path) -> None:
    assert recorded("host_reads", tmp_path / ".artifact") == "its host's side reads 1 bytes of the device's memory"


def test_what_was_remembered_from_an_earlier_call_is_worth_nothing(tmp_path: Path) -> None:
    """The first call computes, the second one copies: they differ."""
    assert recorded("memo", tmp_path / ".artifact").startswith("two calls are not the same: ")
