"""kernelmesh-native-host, a candidate's process without Python: what a judge gets from it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import msgpack
import pytest

sys.path.insert(0, str(Path(__file__).parent / "native"))

from native_host import FLOAT32, INT64, NativeHost, build_library, errno_name, order_for, program, tensor

pytestmark = [
    pytest.mark.skipif(program() is None, reason="kernelmesh-native-host is not built"),
    pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++"),
]
DONE = {"done": 1 << 55}
LOADED: dict[str, Any] = {"loaded": {}}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library("kernels", tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module")
def escape(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_library("escape", tmp_path_factory.mktemp("escape"))


def message_of(answer: dict[str, Any] | None) -> str:
    assert answer is not None
    return answer["raised"]["message"]


# -- calls ------------------------------------------------------------------------------------------------------------


def test_a_function_gets_tensors_of_both_buffers_and_fills_the_output_again_and_again(kernels: Path) -> None:
    arguments = [
        {**tensor(FLOAT32, [2, 3], [1, 2], 256), "lent": 0},  # its columns lie one after the other
        {**tensor(FLOAT32, [2, 3], [0, 1], 512), "lent": 1},  # a row for both rows
    ]
    order = order_for(kernels, "add", arguments=arguments, outputs=[tensor(FLOAT32, [2, 3], [3, 1])], cores=2)
    with NativeHost(order) as host:
        assert host.hear() == LOADED
        host.write(1, 512, "f", [10, 20, 30])
        for factor in (1, 2):
            host.write(0, 256, "f", [factor * x for x in (0, 1, 2, 3, 4, 5)])
            assert host.call() == DONE
            rows = [[0, 2, 4], [1, 3, 5]]
            assert host.read("f", 6) == [factor * x + w for row in rows for x, w in zip(row, (10, 20, 30), strict=True)]
        assert host.ask("reset") == DONE


def test_each_shape_of_a_task_has_its_own_function_and_tensors(kernels: Path) -> None:
    variants = [
        {"function": "add", "arguments": _pair_of_rows(size), "outputs": [tensor(FLOAT32, [1, size], [size, 1])]}
        for size in (2, 3)
    ]
    variants.append({"function": "describe", "arguments": [], "outputs": [tensor(INT64, [32], [1])]})
    with NativeHost(order_for(kernels, "add", outputs=[], variants=variants)) as host:
        assert host.hear() == LOADED
        host.write(0, 0, "f", [1, 2, 3])
        host.write(1, 0, "f", [10, 20, 30])
        for variant, sums in ((1, [11, 22, 33]), (0, [11, 22]), (1, [11, 22, 33])):
            host.write(2, 0, "f", [0, 0, 0])
            assert host.call(variant=variant) == DONE
            assert host.read("f", 3) == [*sums, 0][:3]
        assert host.call(variant=2) == DONE
        assert message_of(host.call(variant=3)) == "there is no function to call"


def _pair_of_rows(size: int) -> list[dict[str, Any]]:
    return [{**tensor(FLOAT32, [1, size], [size, 1]), "lent": buffer} for buffer in (0, 1)]


def test_shapes_strides_and_dtypes_arrive_as_ordered(kernels: Path) -> None:
    arguments = [
        {**tensor("bfloat16", [4, 5], [8, 1]), "lent": 0},
        {**tensor("bool", [], []), "lent": 1},
        {**tensor(INT64, [0], [1]), "lent": 0},
    ]
    with NativeHost(order_for(kernels, "describe", arguments=arguments)) as host:
        assert host.hear() == LOADED
        assert host.call() == DONE
        assert host.read("q", 15) == [3, 1, 1, *(2, 2, 4, 5, 8, 1), *(9, 0), *(4, 1, 0, 1)]


@pytest.mark.parametrize("cores", [1, 3])
def test_openmp_uses_as_many_threads_as_the_function_is_given(kernels: Path, cores: int) -> None:
    environment = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "active"}
    with NativeHost(order_for(kernels, "count_threads", cores=cores), environment) as host:
        assert host.hear() == LOADED
        assert host.call() == DONE
        assert host.read("q", 4) == [cores, cores, cores, 1]


def test_an_empty_call_keeps_a_core_busy_for_as_long_as_asked(kernels: Path) -> None:
    with NativeHost(order_for(kernels, "describe")) as host:
        assert host.hear() == LOADED
        start = time.perf_counter_ns()
        assert host.ask("empty", ns=30_000_000) == DONE
        assert time.perf_counter_ns() - start >= 30_000_000
        assert host.read("q", 1) == [0]


def test_a_host_without_a_library_serves_as_the_empty_bracket_only() -> None:
    with NativeHost(order_for("", "absent")) as host:
        assert host.hear() == LOADED
        assert host.ask("empty", ns=1) == DONE
        assert message_of(host.call()) == "there is no function to call"


# -- ends -------------------------------------------------------------------------------------------------------------


def test_it_ends_when_the_judge_closes_its_socket(kernels: Path) -> None:
    with NativeHost(order_for(kernels, "describe")) as host:
        assert host.hear() == LOADED
        host.socket.close()
        assert host.wait() == 0


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("refuse", "the function returned 7"),
        ("throw_error", "the function threw: the row is too short?"),
        ("throw_number", "the function threw something that is no std::exception"),
    ],
)
def test_a_call_that_fails_is_raised_with_what_the_function_says(kernels: Path, function: str, said: str) -> None:
    with NativeHost(order_for(kernels, function)) as host:
        assert host.hear() == LOADED
        answer = host.call()
        assert message_of(host.call() if answer == DONE else answer) == said
        assert host.hear() is None
        assert host.wait() == 1


@pytest.mark.parametrize(("function", "code"), [("crash", -6), ("leave", 3)])
def test_a_process_that_the_function_ends_says_nothing(kernels: Path, function: str, code: int) -> None:
    with NativeHost(order_for(kernels, function)) as host:
        assert host.hear() == LOADED
        assert host.call() is None
        assert host.wait() == code


def test_what_is_not_understood_is_raised(kernels: Path) -> None:
    with NativeHost(order_for(kernels, "describe")) as host:
        assert host.hear() == LOADED
        assert message_of(host.ask("dance")) == "the judge asks for nothing that is known here"
        assert host.wait() == 1


# -- loading ----------------------------------------------------------------------------------------------------------


def test_a_missing_function_is_named(kernels: Path) -> None:
    with NativeHost(order_for(kernels, "absent")) as host:
        assert message_of(host.hear()) == f"{kernels}: undefined symbol: absent"
        assert host.wait() == 1


def test_a_missing_library_and_one_that_is_none_are_named(tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("this is no library, but it is long enough to have the header of one" * 9)
    for path, said in ((tmp_path / "gone.so", "cannot open shared object file"), (text, "invalid ELF header")):
        with NativeHost(order_for(path, "run")) as host:
            assert message_of(host.hear()).startswith(f"{path}: {said}")
            assert host.wait() == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"arguments": [{**tensor(FLOAT32, [1025], [1]), "lent": 0}]}, "argument 0 ends outside of its lent buffer"),
        ({"arguments": [{**tensor("float8", [1], [1]), "lent": 0}]}, 'arguments[0].dtype: unknown name "float8"'),
        (
            {"arguments": [{**tensor("complex64", [1], [1]), "lent": 0}]},
            "argument 0 is complex, which the function's interface knows nothing of",
        ),
        ({"outputs": [tensor(FLOAT32, [2], [1, 1])]}, "output 0 has other dimensions than strides"),
        ({"lent": [4096, 4096, 8192]}, "lent buffer 2 can't be mapped: it has 4096 bytes, not 8192"),
        ({"entry": {"python_host": {"symbol": "ModelNew"}}}, "only programs with a c_abi entry run here"),
        ({"cores": "2"}, "cores: expected integer, got string"),
    ],
)
def test_an_order_that_can_t_be_carried_out_is_refused(kernels: Path, change: dict[str, Any], said: str) -> None:
    with NativeHost({**order_for(kernels, "describe"), **change}) as host:
        assert message_of(host.hear()).endswith(said)
        assert host.hear() is None
        assert host.wait() == 1


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\xdd\xff\xff\xff\xff", msgpack.packb([1, 2])])
def test_what_is_no_order_is_refused(content: bytes) -> None:
    with NativeHost(content) as host:
        assert message_of(host.hear()).startswith("the order can't be read: ")
        assert host.wait() == 1


# -- confinement ------------------------------------------------------------------------------------------------------


def test_a_library_can_start_threads_but_no_process_when_it_is_loaded_and_later(escape: Path) -> None:
    with NativeHost(order_for(escape, "escape")) as host:
        assert host.hear() == LOADED
        assert host.call() == DONE
        once = ["EPERM", "EPERM", "EPERM", "ENOSYS", "EPERM", "EPERM", "EPERM"]
        assert [errno_name(x) for x in host.read("q", 14)] == once * 2
        assert Path(f"/proc/{host.pid}/task/{host.pid}/children").read_text() == ""


def test_a_library_finds_the_standard_streams_and_the_socket_and_no_core_dump(kernels: Path) -> None:
    with NativeHost(order_for(kernels, "look_around")) as host:
        assert host.hear() == LOADED
        assert host.call() == DONE
        assert host.read("q", 3) == [4, 3, 0]


def test_it_is_up_soon_and_small(kernels: Path) -> None:
    """Neither Python nor torch, and no pages of the room that malloc keeps."""
    with NativeHost(order_for(kernels, "describe")) as host:
        assert host.hear() == LOADED
        maps = Path(f"/proc/{host.pid}/maps").read_text()
        resident, shared = (int(x) for x in Path(f"/proc/{host.pid}/statm").read_text().split()[1:3])
        assert "python" not in maps and "torch" not in maps
        assert (resident - shared) * os.sysconf("SC_PAGE_SIZE") < 4 << 20
