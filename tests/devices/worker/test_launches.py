"""Launch records: what is run in which order, and what is refused before anything is. The driver is a stand-in."""

from __future__ import annotations

import ctypes
from typing import Any

import msgpack
import pytest
from kernelmesh_worker.launches import Launches, Refused, extent_bytes

CUBIN = b"\x7fELF and the rest"
GRIDS = {5: 2**31 - 1, 6: 65535, 7: 65535}
ATTRIBUTES = GRIDS | {1: 1024, 2: 1024, 3: 1024, 4: 64, 16: 132, 75: 9, 76: 0, 95: 1, 97: 232448}


class FakeDriver:
    """libcuda as far as launches need it: one kernel f(pointer, 4 bytes), and notes of what was asked."""

    def __init__(self, clusters: int = 1, free: int = 1 << 30, threads: int = 1024) -> None:
        self.attributes = ATTRIBUTES | {120: clusters}
        self.free, self.threads = free, threads
        self.notes: list[Any] = []

    def cuCtxGetDevice(self, device: Any) -> int:
        return 0

    def cuDeviceGetAttribute(self, value: Any, attribute: Any, device: Any) -> int:
        value._obj.value = self.attributes[attribute.value]
        return 0

    def cuModuleLoadData(self, module: Any, content: bytes) -> int:
        module._obj.value = 7
        return 0 if content.startswith(b"\x7fELF and") else 209

    def cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> int:
        function._obj.value = 9
        return 0 if name == b"f" else 500

    def cuFuncGetAttribute(self, value: Any, attribute: Any, function: Any) -> int:
        value._obj.value = {0: self.threads, 1: 1000}[attribute.value]
        return 0

    def cuFuncGetParamInfo(self, function: Any, index: Any, offset: Any, size: Any) -> int:
        if index.value > 1:
            return 1
        size._obj.value = (8, 4)[index.value]
        return 0

    def cuFuncSetAttribute(self, function: Any, attribute: Any, value: Any) -> int:
        self.notes.append(("set", attribute.value, value.value))
        return 0

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, blocks: Any, *_: Any) -> int:
        blocks._obj.value = 2
        return 0

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> int:
        free._obj.value = self.free
        return 0

    def cuMemAlloc_v2(self, address: Any, size: Any) -> int:
        address._obj.value = 0x1000 * (1 + len(self.notes))
        self.notes.append(("allocate", size.value))
        return 0

    def cuMemFree_v2(self, address: Any) -> int:
        self.notes.append(("free", address.value))
        return 0

    def cuLaunchKernelEx(self, config: Any, function: Any, parameters: Any, extra: Any) -> int:
        x = config._obj
        kinds = (ctypes.c_uint64, ctypes.c_int)
        read = [ctypes.cast(parameters[i], ctypes.POINTER(kind))[0] for i, kind in enumerate(kinds)]
        attributes = [(x.attributes[i].id, list(x.attributes[i].value[:3])) for i in range(x.count)]
        self.notes.append(("launch", list(x.grid), list(x.block), x.shared, x.stream, read, attributes))
        return 0

    def cuMemsetD8Async(self, to: Any, value: Any, size: Any, stream: Any) -> int:
        self.notes.append(("fill", to.value, value.value, size.value))
        return 0

    def cuMemcpyDtoDAsync_v2(self, to: Any, source: Any, size: Any, stream: Any) -> int:
        self.notes.append(("copy", to.value, source.value, size.value))
        return 0

    def cuGetErrorString(self, code: int, text: Any) -> int:
        text._obj.value = b"no binary for this GPU"
        return 0


def place(buffer: str, index: int = 0, offset: int = 0) -> dict[str, Any]:
    return {"buffer": buffer, "index": index, "offset": offset}


def launch(**changes: Any) -> dict[str, Any]:
    pointers = [{"at": 0, "place": place("output", 0, 16)}]
    parameters = [{"value": bytes(8), "pointers": pointers}, {"value": b"\x05\0\0\0", "pointers": []}]
    whole = {"image": 0, "kernel": "f", "grid": {"x": 4, "y": 2, "z": 1}, "block": {"x": 256, "y": 1, "z": 1}}
    return {"launch": whole | {"shared_bytes": 64, "cooperative": False, "parameters": parameters} | changes}


def fill(**changes: Any) -> dict[str, Any]:
    return {"fill": {"place": place("scratch"), "bytes": 100, "value": 1} | changes}


def copy(**changes: Any) -> dict[str, Any]:
    return {"copy": {"from": place("argument"), "to": place("scratch", 0, 8), "bytes": 40} | changes}


def record(*operations: dict[str, Any], **changes: Any) -> dict[str, Any]:
    images = [{"name": "k.cu", "content": CUBIN}]
    whole = {"version": 1, "arch": "sm_90a", "images": images, "scratch": [4096], "operations": list(operations)}
    return whole | changes


def loaded(given: dict[str, Any], driver: FakeDriver | None = None) -> tuple[Launches, FakeDriver]:
    driver = driver or FakeDriver()
    made = Launches(msgpack.packb(given), [64], [64], driver)
    made.load()
    return made, driver


def test_operations_run_in_their_order_on_the_memory_that_is_given() -> None:
    made, driver = loaded(record(fill(), copy(), launch()))
    driver.notes.clear()
    made.run([0xA000], [0xB000], 77)
    scratch = driver.notes[0][1]
    assert driver.notes == [
        ("fill", scratch, 1, 100),
        ("copy", scratch + 8, 0xA000, 40),
        ("launch", [4, 2, 1], [256, 1, 1], 64, 77, [0xB010, 5], []),
    ]
    made.run([0xA000], [0xC000], 77, [0xD000])
    assert driver.notes[3][1] == 0xD000 and driver.notes[5][5] == [0xC010, 5]
    made.close()
    assert driver.notes[-1] == ("free", scratch)


def test_clusters_and_cooperative_launches_are_asked_for() -> None:
    made, driver = loaded(record(launch(cluster={"x": 4, "y": 2, "z": 1}, cooperative=True)))
    made.run([1], [2], 0)
    assert driver.notes[-1][6] == [(4, [4, 2, 1]), (2, [1, 0, 0])]
    assert ("set", 8, 64) in driver.notes  # dynamic shared memory


LONG = [{"at": 0, "place": place("output")}]
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another version": (record(launch(), version=2), "version is 2"),
    "no architecture": (record(launch(), arch=""), "arch is ''"),
    "another architecture": (record(launch(), arch="sm_100a"), "is for sm_100a, the device is sm_90"),
    "an image that was not built": (record(launch(), images=[{"name": "k", "content": b""}]), "image 0 was not built"),
    "an image that does not load": (
        record(launch(), images=[{"name": "k", "content": b"\x7fELF of others"}]),
        "image 0 does not load: cuModuleLoadData: no binary for this GPU",
    ),
    "no operation": (record(), "has no operation"),
    "too many operations": (record(*[fill()] * 5000), "operations is no list of at most 4096"),
    "an unknown operation": (record({"jump": {}}), "operation 0 is 'jump'"),
    "an image that is not there": (record(launch(image=1)), "operation 0: image is 1"),
    "a kernel that is not there": (record(launch(kernel="g")), "its image has no kernel g"),
    "a kernel without a name": (record(launch(kernel="f g")), "kernel has no name"),
    "an argument that is not there": (record(copy(**{"from": place("argument", 1)})), "is in argument 1 of 1"),
    "a fill behind the end": (record(fill(bytes=5000)), "ends at byte 5000 of scratch 0, which has 4096"),
    "a copy behind the end": (record(copy(bytes=65)), "ends at byte 65 of argument 0, which has 64"),
    "a copy onto itself": (record(copy(**{"from": place("scratch"), "to": place("scratch", 0, 8)})), "onto themselves"),
    "a negative offset": (record(fill(place=place("scratch", 0, -8))), "offset is -8"),
    "a pointer behind the end": (
        record(launch(parameters=[{"value": bytes(8), "pointers": [{"at": 0, "place": place("output", 0, 65)}]}])),
        "ends at byte 65 of output 0, which has 64",
    ),
    "a pointer outside of its parameter": (
        record(launch(parameters=[{"value": bytes(8), "pointers": [{"at": 8, "place": place("output")}]}])),
        "has a pointer at byte 8 of 8",
    ),
    "a pointer at an odd place": (
        record(launch(parameters=[{"value": bytes(16), "pointers": [{"at": 4, "place": place("output")}]}])),
        "has a pointer at byte 4 of 16",
    ),
    "parameters of another kernel": (
        record(launch(parameters=[{"value": bytes(8), "pointers": LONG}])),
        r"f takes parameters of \[8, 4\] bytes, not \[8\]",
    ),
    "parameters of 5 KB": (record(launch(parameters=[{"value": bytes(4000)}] * 2)), "over 4096 bytes"),
    "an empty grid": (record(launch(grid={"x": 0, "y": 1, "z": 1})), "grid.x is 0"),
    "a grid beyond the device": (record(launch(grid={"x": 1, "y": 70000, "z": 1})), r"a grid of \(1, 70000, 1\)"),
    "a block beyond the device": (record(launch(block={"x": 1, "y": 1, "z": 65})), r"a block of \(1, 1, 65\)"),
    "too many threads": (record(launch(block={"x": 64, "y": 32, "z": 1})), "2048 threads a block"),
    "too much shared memory": (record(launch(shared_bytes=232000)), "233000 bytes of shared memory a block"),
    "a grid of broken clusters": (record(launch(cluster={"x": 3, "y": 1, "z": 1})), "is not whole clusters"),
    "a cluster of 32 blocks": (
        record(launch(grid={"x": 32, "y": 1, "z": 1}, cluster={"x": 32, "y": 1, "z": 1})),
        "32 blocks a cluster",
    ),
    "a cooperative launch without room": (
        record(launch(grid={"x": 300, "y": 1, "z": 1}, cooperative=True)),
        "300 blocks at once, the device has room for 264",
    ),
    "scratch beyond the device": (record(launch(), scratch=[1 << 40]), "needs 1099511627776 bytes of scratch memory"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_record_is_refused_before_anything_is_launched(name: str) -> None:
    given, said = REFUSED[name]
    driver = FakeDriver()
    with pytest.raises(Refused, match=said):
        loaded(given, driver)
    assert not any(note[0] in ("launch", "fill", "copy") for note in driver.notes)


def test_blocks_are_held_against_what_the_kernel_and_the_device_can_do() -> None:
    with pytest.raises(Refused, match="256 threads a block, f was built for at most 128"):
        loaded(record(launch()), FakeDriver(threads=128))
    with pytest.raises(Refused, match="has no clusters"):
        loaded(record(launch(cluster={"x": 2, "y": 1, "z": 1})), FakeDriver(clusters=0))


@pytest.mark.parametrize("content", [b"", b"\xc1", msgpack.packb([1]), msgpack.packb({"version": 1})])
def test_what_is_no_record_is_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        Launches(content)


def test_without_sizes_places_are_held_against_their_number_when_it_runs() -> None:
    driver = FakeDriver()
    made = Launches(record(launch()), library=driver)
    made.load()
    with pytest.raises(Refused, match="is in output 0 of 0"):
        made.run([1], [], 0)
    made.run([1], [2], 0)
    with pytest.raises(Refused, match="is for"):
        made.run([1], [2, 3], 0)


def test_a_tensor_reaches_from_its_first_element_to_its_last() -> None:
    assert extent_bytes((2, 3), (10, 2), 4) == 60
    assert extent_bytes((0, 3), (3, 1), 4) == 0
    assert extent_bytes((), (), 2) == 2
