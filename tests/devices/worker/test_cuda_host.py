"""kernelmesh-cuda-host, a candidate's process that carries out launch records: what a judge gets from it. Its driver is
a fake one; tests/gpu/sealed has a device."""

from __future__ import annotations

import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest

sys.path.insert(0, str(Path(__file__).parent / "cuda_native"))

from cuda_host import CudaHost, build_driver, order_for, program
from kernelmesh_worker import profilers
from records import COUNT, FORGERIES, Record, forged, launch, packed, pointer, record, saxpy

pytestmark = [
    pytest.mark.skipif(program() is None, reason="kernelmesh-cuda-host is not built"),
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++"),
]
LOADED: dict[str, Any] = {"loaded": {}}
Start = Callable[..., CudaHost]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_driver(tmp_path_factory.mktemp("driver"))


@pytest.fixture
def start(driver: Path, tmp_path: Path) -> Start:
    """A host with that record: a function of it, what else its order and its environment have."""

    def started(x: Record | bytes, environment: dict[str, str] | None = None, **more: Any) -> CudaHost:
        artifact = tmp_path / ".artifact"
        artifact.write_bytes(x if isinstance(x, bytes) else packed(x))
        order = {**order_for(artifact, COUNT), **more}
        return CudaHost(order, {"LD_LIBRARY_PATH": str(driver), **(environment or {})})

    return started


def message_of(answer: dict[str, Any] | None) -> str:
    assert answer is not None
    return answer["raised"]["message"]


def is_done(answer: dict[str, Any] | None) -> bool:
    assert answer is not None
    return answer.get("done") == 1 << 55 and isinstance(answer["device_ns"], int)


# -- calls ------------------------------------------------------------------------------------------------------------


def test_a_record_is_carried_out_again_and_again_on_what_is_lent_then(start: Start) -> None:
    with start(saxpy(a=2.0)) as host:
        assert host.hear() == LOADED
        host.write(1, 0, "f", range(COUNT))
        for factor in (1, 5):
            host.write(0, 0, "f", [factor * x for x in range(COUNT)])
            assert is_done(host.call())
            assert host.read("f", COUNT) == [2 * factor * x + x for x in range(COUNT)]
        assert is_done(host.ask("reset", weights=True))


def test_nothing_that_a_kernel_leaves_in_scratch_or_in_a_variable_is_there_in_the_next_call(start: Start) -> None:
    remember = launch("remember", [pointer("output", 0, 4), pointer("scratch", 1, 8)])
    operations = [launch("count", [pointer("output", 0)]), remember]
    with start(record(operations, scratch=[7, 16])) as host:
        assert host.hear() == LOADED
        for _ in range(3):
            assert is_done(host.call())
            assert host.read("i", 2) == [6, -1]


def test_an_empty_call_takes_as_long_as_asked_and_carries_nothing_out(start: Start) -> None:
    with start(saxpy()) as host:
        assert host.hear() == LOADED
        begin = time.perf_counter_ns()
        assert is_done(host.ask("empty", ns=30_000_000))
        assert time.perf_counter_ns() - begin >= 30_000_000
        host.write(0, 0, "f", [1] * COUNT)
        assert host.read("f", 1) == [0]


def test_a_host_without_a_record_serves_as_the_empty_bracket_only(driver: Path) -> None:
    with CudaHost(order_for("", COUNT), {"LD_LIBRARY_PATH": str(driver)}) as host:
        assert host.hear() == LOADED
        assert is_done(host.ask("empty", ns=1))
        assert message_of(host.call()) == "there is no launch record to carry out"
        assert host.wait() == 1


def test_what_a_kernel_does_wrong_ends_the_process_in_the_drivers_words(start: Start) -> None:
    with start(record([launch("fault", [pointer("output", 0)])])) as host:
        assert host.hear() == LOADED
        said = "what was launched failed: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)"
        assert message_of(host.call()) == said
        assert host.hear() is None
        assert host.wait() == 1


def test_what_is_not_understood_is_raised(start: Start) -> None:
    with start(saxpy()) as host:
        assert host.hear() == LOADED
        assert message_of(host.ask("dance")) == "the judge asks for nothing that is known here"
    with start(saxpy()) as host:
        assert host.hear() == LOADED
        assert message_of(host.call(variant=1)) == "a launch record has one shape"


# -- loading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_record_is_refused_before_anything_is_launched(start: Start, name: str) -> None:
    x, said = forged(name)
    with start(x) as host:
        message = message_of(host.hear())
        assert message.startswith("the launch record ") and said in message and "\n" not in message
        assert host.hear() is None
        assert host.wait() == 1


def test_a_record_that_is_no_message_is_refused(start: Start) -> None:
    for content in (b"", b"\xc1", b"\xdd\xff\xff\xff\xff", msgpack.packb([1]), packed(saxpy())[:-1]):
        with start(content) as host:
            assert message_of(host.hear()).startswith("the launch record can't be read: ")
            assert host.wait() == 1


def test_the_driver_has_the_last_word_on_parameters(start: Start) -> None:
    for told in ("4", "0"):
        with start(saxpy(), {"FAKE_DRIVER_PARAMETERS": told}) as host:
            assert message_of(host.hear()) == "operation 0: the driver knows other parameters of kernel saxpy"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"entry": {"python_host": {"symbol": "ModelNew"}}}, "only programs with a launch_record entry run here"),
        ({"artifact": "here"}, "the order names no launch record by an absolute path"),
        ({"artifact": "/nowhere/x"}, "the launch record can't be opened"),
        ({"handles": [b""] * 3}, "the order's handle 0 has 0 bytes"),
        ({"handles": [b"/nowhere".ljust(64, b"\0")] * 3}, "lent buffer 0: the judge's memory can't be opened: "),
        ({"lent": [8192] * 3}, "lent buffer 0: the judge's memory can't be opened: it has 4096 bytes, not 8192"),
        ({"lent": [4096] * 2}, "the order lends 2 buffers with 3 handles"),
        ({"outputs": []}, "names output 0, which is not there"),
        ({"place": "cpu:0"}, "the order names no CUDA device"),
        ({"scratch_bytes": 100}, "needs more scratch than the 100 bytes that it may have"),
    ],
)
def test_an_order_that_can_t_be_carried_out_is_refused(start: Start, change: dict[str, Any], said: str) -> None:
    with start(saxpy(), **change) as host:
        assert said in message_of(host.hear())
        assert host.wait() == 1


def test_a_tensor_must_lie_where_kernels_may_expect_it(start: Start) -> None:
    outputs = [{"offset": 64, "dtype": "float32", "shape": [10], "strides": [1]}]
    with start(saxpy(10), outputs=outputs) as host:
        assert message_of(host.hear()) == "the order has a tensor at 64"


def test_a_machine_without_a_driver_is_told_so(start: Start) -> None:
    with start(saxpy(), {"LD_LIBRARY_PATH": ""}) as host:
        message = message_of(host.hear())
        assert message.startswith(("there is no CUDA driver: libcuda.so.1", "CUDA can't be initialised", "lent buffer"))
        assert host.wait() == 1


# -- under a profiler -------------------------------------------------------------------------------------------------

LIKE_NCU = """#!/bin/sh
[ -e /proc/self/fd/20 ] || exit 7
while [ "$1" != --log-file ]; do shift; done
log=$2
shift 4
"$@" || exit 8
printf '==PROF== Disconnected\\n"ID","Kernel Name","%s"\\n"","","%%"\\n"0","saxpy","12.5"\\n' SM_PCT > "$log"
"""


def test_a_profiler_starts_the_host_which_is_asked_as_ever_and_ends_well(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in, log = tmp_path / "ncu", tmp_path / "ncu.csv"
    stand_in.write_text(LIKE_NCU.replace("SM_PCT", profilers.NCU_METRICS["sm_pct"][0]), encoding="ascii")
    stand_in.chmod(0o755)
    monkeypatch.setattr(CudaHost, "profiler", profilers.ncu_command(str(stand_in), log, profilers.ncu_names()))
    with start(saxpy(), {"PATH": "/usr/bin:/bin"}) as host:
        assert host.hear() == LOADED
        assert is_done(host.call())
        host.socket.shutdown(socket.SHUT_RDWR)
        assert host.wait() == 0
    assert profilers.ncu_kernels(log.read_text()) == [{"name": "saxpy", "launches": 1, "metrics": {"sm_pct": 12.5}}]
