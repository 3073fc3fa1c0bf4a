"""kernelmesh-cuda-host on a GPU: records are carried out on memory that this process lends to it."""

from __future__ import annotations

import ctypes
import os
import shutil
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker" / "native"))
sys.path.insert(0, str(Path(__file__).parents[2] / "devices" / "worker" / "cuda_native"))

import lender
from cuda_host import NAME, order_for, program
from lender import Block, Kernel
from native_host import FLOAT32, NativeHost, tensor
from records import CUBINS, FORGERIES, Record, forged, launch, packed, pointer, record, saxpy, scalar

np = pytest.importorskip("numpy")
pytestmark = [
    pytest.mark.skipif(program() is None, reason=f"{NAME} is not built"),
    pytest.mark.skipif(lender.driver() is None, reason="there is no GPU"),
]
LOADED: dict[str, Any] = {"loaded": {}}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """tests/data/cubins/kernels.cu for the device that is here."""
    if lender.capability() == (9, 0):
        return (CUBINS / "kernels_sm_90a.cubin").read_bytes()
    if shutil.which("nvcc") is None:
        pytest.skip("the binary of the tests is for sm_90a, and there is no nvcc to build another")
    built = tmp_path_factory.mktemp("cubin") / "kernels.cubin"
    major, minor = lender.capability()
    argv = ["nvcc", f"-arch=sm_{major}{minor}", "-cubin", str(CUBINS / "kernels.cu"), "-o", str(built)]
    subprocess.run(argv, check=True)
    return built.read_bytes()


class GpuHost(NativeHost):
    """One process of it, with three blocks of memory lent."""

    name = NAME

    def __init__(self, artifact: Path, count: int, size: int, **more: Any) -> None:
        self.blocks = [Block(size) for _ in range(3)]
        for x in self.blocks:
            x.write(bytes(size))
        handles = {"handles": [x.handle() for x in self.blocks], "lent": [size] * 3}
        library = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}
        super().__init__({**order_for(artifact, count), **handles, **more}, library)

    def __exit__(self, *rest: object) -> None:
        super().__exit__(*rest)
        for x in self.blocks:
            x.close()

    def put(self, buffer: int, values: Any) -> None:
        self.blocks[buffer].write(values.tobytes())

    def output(self, like: Any) -> Any:
        return np.frombuffer(self.blocks[2].read(like.nbytes), like.dtype).reshape(like.shape)

    def bracket(self, what: str) -> tuple[int, int]:
        """Nanoseconds by our clock and by the device's."""
        begin = time.perf_counter_ns()
        answer = self.ask(what)
        took = time.perf_counter_ns() - begin
        assert answer is not None and answer.get("done") == 1 << 55, answer
        return took, answer["device_ns"]


@pytest.fixture
def artifact(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / ".artifact"


def started(artifact: Path, x: Record, count: int, size: int = 0, **more: Any) -> GpuHost:
    artifact.write_bytes(packed(x))
    return GpuHost(artifact, count, size or 4 * count, **more)


def test_a_vector_is_right_on_fresh_contents_each_time(artifact: Path, image: bytes) -> None:
    count = 1 << 20
    x = saxpy(count, a=3.0)
    x["images"][0]["content"] = image
    random = np.random.default_rng(1)
    with started(artifact, x, count) as host:
        assert host.hear() == LOADED
        for _ in range(3):
            values = [random.standard_normal(count, dtype=np.float32) for _ in range(2)]
            for buffer, content in enumerate(values):
                host.put(buffer, content)
            took, device = host.bracket("call")
            assert 0 < device < took
            wanted = np.float32(3) * values[0] + values[1]
            assert np.allclose(host.output(wanted), wanted, rtol=1e-6, atol=1e-6)


def test_rows_are_right_with_a_struct_and_shared_memory(artifact: Path, image: bytes) -> None:
    rows, columns, at = 50, 1000, 4096
    content = {"value": struct.pack("iiQ", 7, 0, 0), "pointers": []}
    content["pointers"] = [{"at": 8, "place": {"buffer": "argument", "index": 0, "offset": 0}}]
    parameters = [pointer("output", 0), content, scalar("i", columns)]
    x = record([launch("softmax", parameters, grid=rows, block=256, shared_bytes=1024)], image=image)
    arguments = [{**tensor(FLOAT32, [rows, columns], [columns, 1], at), "lent": 0}]
    more = {"arguments": arguments, "outputs": [tensor(FLOAT32, [rows, columns], [columns, 1])]}
    random = np.random.default_rng(2)
    with started(artifact, x, 0, 4 * rows * columns + at, **more) as host:
        assert host.hear() == LOADED
        for _ in range(3):
            values = random.standard_normal((rows, columns), dtype=np.float32)
            host.blocks[0].write(values.tobytes(), at)
            host.bracket("call")
            powers = np.exp(values - values.max(axis=1, keepdims=True))
            assert np.allclose(host.output(values), powers / powers.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-7)


def test_nothing_is_left_for_the_next_call(artifact: Path, image: bytes) -> None:
    remember = launch("remember", [pointer("output", 0, 4), pointer("scratch", 0)])
    x = record([launch("count", [pointer("output", 0)]), remember], scratch=[4], image=image)
    with started(artifact, x, 1000) as host:
        assert host.hear() == LOADED
        for _ in range(3):
            host.bracket("call")
            assert host.output(np.zeros(2, np.int32)).tolist() == [6, -1]


def test_every_forged_record_is_refused(artifact: Path) -> None:
    for name in FORGERIES:
        x, said = forged(name)
        with started(artifact, x, 1000) as host:
            answer = host.hear()
            assert answer is not None and said in answer["raised"]["message"], name
            assert host.wait() == 1


def test_a_damaged_image_is_told_in_the_drivers_words(artifact: Path, image: bytes) -> None:
    x = saxpy()
    x["images"][0]["content"] = image[:48] + bytes(4) + image[52:]  # its flags: for no architecture
    with started(artifact, x, 1000) as host:
        answer = host.hear()
        assert answer is not None and "CUDA_ERROR_" in answer["raised"]["message"], answer


def test_a_fault_ends_in_words_and_the_next_process_works(artifact: Path, image: bytes) -> None:
    with started(artifact, record([launch("fault", [pointer("output", 0)])], image=image), 1000) as host:
        assert host.hear() == LOADED
        answer = host.call()
        assert answer is not None and "CUDA_ERROR_ILLEGAL_ADDRESS" in answer["raised"]["message"]
        assert host.wait() == 1
    test_a_vector_is_right_on_fresh_contents_each_time(artifact, image)


def test_its_clock_agrees_with_torchs(artifact: Path, image: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    count, rounds = 1 << 24, 40
    places = [pointer("output", 0), pointer("argument", 0), pointer("argument", 1)]
    parameters = [*places, scalar("f", 2), scalar("i", count)]
    x = record([launch("saxpy", parameters, grid=count // 256, block=256)], image=image)
    with started(artifact, x, count) as host:
        assert host.hear() == LOADED
        calls = [host.bracket("call") for _ in range(rounds)]
        empties = [host.bracket("empty") for _ in range(rounds)]
        addresses = [ctypes.c_uint64(host.blocks[i].address) for i in (2, 0, 1)]
        kernel = Kernel(image, "saxpy", *addresses, ctypes.c_float(2), ctypes.c_int(count))
        ours = [_torch_ns(torch, lambda stream: kernel.launch(count // 256, 256, stream)) for _ in range(rounds)]
    ours_ns, device_ns = statistics.median(ours), statistics.median(x[1] for x in calls)
    call_ns, empty_ns = (statistics.median(x[0] for x in y) for y in (calls, empties))
    with capsys.disabled():
        print(
            f"\nsealed {device_ns / 1e3:.1f} us, torch events {ours_ns / 1e3:.1f} us, ratio {device_ns / ours_ns:.3f};"
            f" bracket {call_ns / 1e3:.1f} us, empty {empty_ns / 1e3:.1f} us (device"
            f" {statistics.median(x[1] for x in empties) / 1e3:.1f}), difference {(call_ns - empty_ns) / 1e3:.1f} us"
        )
    assert 0.85 < device_ns / ours_ns < 1.18
    assert 0.5 < (call_ns - empty_ns) / device_ns < 2


def _torch_ns(torch: Any, start: Any) -> float:
    """Between two of its events, with nothing of it in the cache."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.zeros(2 * lender.cache_bytes(), dtype=torch.uint8, device="cuda")
    begin.record()
    start(torch.cuda.current_stream().cuda_stream)
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) * 1e6
