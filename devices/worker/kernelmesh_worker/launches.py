"""Runs built launch records on an NVIDIA GPU in this process, by the driver alone.

dsl/FORMS.md says what a record means. Nothing of it is believed: all places, sizes and counts are checked before
anything is launched, and what is wrong is one Refused.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

from kernelmesh_worker.cuda_driver import (
    BLOCK_DIMENSION,
    CLUSTER,
    CLUSTER_LAUNCH,
    COOPERATIVE,
    COOPERATIVE_LAUNCH,
    DYNAMIC_SHARED_BYTES,
    GRID_DIMENSION,
    MAJOR,
    MINOR,
    MULTIPROCESSORS,
    ODD_CLUSTERS,
    SHARED_BYTES_A_BLOCK,
    STATIC_SHARED_BYTES,
    THREADS_A_BLOCK,
    THREADS_OF_KERNEL,
    Attribute,
    Config,
    Driver,
    open_driver,
)

LARGEST_PARAMETERS = 4096  # bytes of one kernel's
MOST_OPERATIONS = 4096
MOST_IMAGES = 256
MOST_SCRATCH = 4096
KERNEL = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]{0,1023}")
ARCH = re.compile(r"sm_(\d+)(\d)([af]?)")
BUFFERS = ("argument", "output", "scratch")
DIMENSIONS = ("x", "y", "z")
PORTABLE_CLUSTER, LARGEST_CLUSTER = 8, 16


class Refused(ValueError):
    """What is wrong with a record, in one sentence."""


def _need(holds: bool, problem: str) -> None:
    if not holds:
        raise Refused(f"launch record: {problem}")


# -- the record -------------------------------------------------------------------------------------------------------


def extent_bytes(shape: Sequence[int], strides: Sequence[int], item: int) -> int:
    """From a tensor's first element to its last."""
    if 0 in shape:
        return 0
    return (1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))) * item


def read_record(artifact: bytes) -> dict[str, Any]:
    """Of what a DSL's adapter has built."""
    import msgpack

    try:
        record = msgpack.unpackb(artifact, max_map_len=64, max_ext_len=0)
    except (ValueError, msgpack.UnpackException) as error:
        raise Refused(f"launch record: is no MessagePack: {error}") from None
    _need(isinstance(record, dict), "is no map")
    return record


def _number(x: Any, most: int, what: str, least: int = 0) -> int:
    _need(isinstance(x, int) and not isinstance(x, bool) and least <= x <= most, f"{what} is {x!r}")
    return x


def _items(x: Any, most: int, what: str) -> list[Any]:
    _need(isinstance(x, list) and len(x) <= most, f"{what} is no list of at most {most}")
    return x


def _map(x: Any, what: str) -> dict[str, Any]:
    _need(isinstance(x, dict), f"{what} is no map")
    return x


class _Place:
    """A byte of a buffer."""

    def __init__(self, x: Any, what: str) -> None:
        x = _map(x, what)
        buffer = x.get("buffer", "argument")
        _need(buffer in BUFFERS, f"{what} is in buffer {buffer!r}")
        self.buffer: str = buffer
        self.index = _number(x.get("index", 0), 1 << 20, f"{what}: index")
        self.offset = _number(x.get("offset", 0), 1 << 62, f"{what}: offset")

    def check(self, sizes: dict[str, Sequence[int | None]], count: int, what: str) -> None:
        """Whether so many bytes from here on are there; a size of None is not known."""
        known = sizes[self.buffer]
        _need(self.index < len(known), f"{what} is in {self.buffer} {self.index} of {len(known)}")
        size = known[self.index]
        inside = size is None or self.offset + count <= size
        _need(inside, f"{what} ends at byte {self.offset + count} of {self.buffer} {self.index}, which has {size}")


class _Launch:
    def __init__(self, x: dict[str, Any], images: int, what: str) -> None:
        self.image = _number(x.get("image", 0), images - 1, f"{what}: image")
        self.kernel = x.get("kernel", "")
        _need(isinstance(self.kernel, str) and KERNEL.fullmatch(self.kernel) is not None, f"{what}: kernel has no name")
        self.grid, self.block, self.cluster = (self._extent(x, key, what) for key in ("grid", "block", "cluster"))
        self.shared = _number(x.get("shared_bytes", 0), 1 << 20, f"{what}: shared_bytes")
        self.cooperative = x.get("cooperative", False)
        _need(isinstance(self.cooperative, bool), f"{what}: cooperative is no truth")
        self.values: list[Any] = []
        self.pointers: list[tuple[ctypes.c_uint64, _Place]] = []
        for i, parameter in enumerate(_items(x.get("parameters", []), 1024, f"{what}: parameters")):
            self._add(_map(parameter, f"{what}: parameter {i}"), f"{what}: parameter {i}")
        total = sum(map(len, self.values))
        _need(total <= LARGEST_PARAMETERS, f"{what}: parameters have over {LARGEST_PARAMETERS} bytes")
        addresses = [ctypes.addressof(value) for value in self.values]
        self.addresses = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self.function = ctypes.c_void_p()

    @staticmethod
    def _extent(x: dict[str, Any], key: str, what: str) -> tuple[int, int, int]:
        given = _map(x.get(key, {}), f"{what}: {key}")
        a, b, c = (_number(given.get(d, 1), 0xFFFFFFFF, f"{what}: {key}.{d}", 1) for d in DIMENSIONS)
        return a, b, c

    def _add(self, parameter: dict[str, Any], what: str) -> None:
        value = parameter.get("value", b"")
        _need(isinstance(value, bytes) and 0 < len(value) <= LARGEST_PARAMETERS, f"{what} has no value")
        buffer = (ctypes.c_ubyte * len(value)).from_buffer_copy(value)
        self.values.append(buffer)
        for pointer in _items(parameter.get("pointers", []), 512, f"{what}: pointers"):
            at = _number(_map(pointer, f"{what}: pointer").get("at", 0), 1 << 20, f"{what}: pointer's place")
            _need(at % 8 == 0 and at + 8 <= len(value), f"{what} has a pointer at byte {at} of {len(value)}")
            self.pointers.append((ctypes.c_uint64.from_buffer(buffer, at), _Place(pointer.get("place"), what)))

    def check(self, sizes: dict[str, Sequence[int | None]], what: str) -> None:
        for _, place in self.pointers:
            place.check(sizes, 0, what)


class _Move:
    """A fill, or a copy, which has two places."""

    def __init__(self, x: dict[str, Any], kind: str, what: str) -> None:
        self.bytes = _number(x.get("bytes", 0), 1 << 62, f"{what}: bytes")
        self.value = _number(x.get("value", 0), 255, f"{what}: value") if kind == "fill" else 0
        self.to = _Place(x.get("place" if kind == "fill" else "to"), what)
        self.source = None if kind == "fill" else _Place(x.get("from"), what)

    def check(self, sizes: dict[str, Sequence[int | None]], what: str) -> None:
        self.to.check(sizes, self.bytes, what)
        if self.source is not None:
            self.source.check(sizes, self.bytes, what)
            apart = (self.source.buffer, self.source.index) != (self.to.buffer, self.to.index)
            apart = apart or abs(self.source.offset - self.to.offset) >= self.bytes
            _need(apart, f"{what} copies bytes onto themselves")


def _operation(x: Any, images: int, what: str) -> _Launch | _Move:
    given = _map(x, what)
    _need(len(given) == 1, f"{what} is not one operation")
    kind, content = next(iter(given.items()))
    _need(kind in ("launch", "fill", "copy"), f"{what} is {str(kind)[:40]!r}")
    content = _map(content, what)
    return _Launch(content, images, what) if kind == "launch" else _Move(content, kind, what)


# -- running ----------------------------------------------------------------------------------------------------------


class Launches:
    """A built record. `load` once, in the context that is current then; after that `run` as often as wanted.

    `arguments` and `outputs` are the sizes of what `run` will be given, in bytes; without them places in these buffers
    are only held against their number. Not for several threads at once.
    """

    def __init__(
        self,
        record: bytes | dict[str, Any],
        arguments: Sequence[int] | None = None,
        outputs: Sequence[int] | None = None,
        library: Any = None,
    ) -> None:
        given = read_record(record) if isinstance(record, bytes) else record
        _need(given.get("version") == 1, f"version is {given.get('version')!r}, not 1")
        arch = ARCH.fullmatch(str(given.get("arch", "")))
        _need(arch is not None, f"arch is {str(given.get('arch'))[:40]!r}")
        assert arch is not None
        self._arch = (int(arch[1]), int(arch[2]), arch[3])
        self._images = [self._image(x, i) for i, x in enumerate(_items(given.get("images"), MOST_IMAGES, "images"))]
        scratch = _items(given.get("scratch", []), MOST_SCRATCH, "scratch")
        self.scratch_bytes = [_number(x, 1 << 48, "size of a scratch buffer", 1) for x in scratch]
        listed = _items(given.get("operations"), MOST_OPERATIONS, "operations")
        _need(len(listed) > 0, "has no operation")
        self._operations = [_operation(x, len(self._images), f"operation {i}") for i, x in enumerate(listed)]
        self._sizes: dict[str, Sequence[int | None]] = {"scratch": self.scratch_bytes}
        if arguments is not None and outputs is not None:
            self._check_places({"argument": arguments, "output": outputs, "scratch": self.scratch_bytes})
        self._driver = Driver(library) if library is not None else None
        self._scratch: list[int] = []
        self._counts: tuple[int, int] | None = None

    @staticmethod
    def _image(x: Any, i: int) -> bytes:
        content = _map(x, f"image {i}").get("content", b"")
        _need(isinstance(content, bytes) and content[:4] == b"\x7fELF", f"image {i} was not built")
        return content

    def _check_places(self, sizes: dict[str, Sequence[int | None]]) -> None:
        for i, x in enumerate(self._operations):
            x.check(sizes, f"operation {i}")
        self._counts = len(sizes["argument"]), len(sizes["output"])

    def load(self, scratch: bool = True) -> None:
        """Makes everything ready in the current context. Without `scratch`, `run` has to be given it."""
        driver = self._driver = self._driver or Driver(open_driver())
        self._check_device(driver)
        modules = []
        for i, content in enumerate(self._images):
            module = ctypes.c_void_p()
            try:
                driver.call("cuModuleLoadData", ctypes.byref(module), content)
            except RuntimeError as error:
                raise Refused(f"launch record: image {i} does not load: {error}") from None
            modules.append(module)
        for i, x in enumerate(self._operations):
            if isinstance(x, _Launch):
                self._prepare(driver, x, modules[x.image], f"operation {i}")
        if scratch:
            self._allocate(driver)

    def _check_device(self, driver: Driver) -> None:
        major, minor = driver.device_attribute(MAJOR), driver.device_attribute(MINOR)
        wanted_major, wanted_minor, kind = self._arch
        fits = major == wanted_major and (minor == wanted_minor if kind == "a" else minor >= wanted_minor)
        _need(fits, f"is for sm_{wanted_major}{wanted_minor}{kind}, the device is sm_{major}{minor}")
        blocks = [driver.device_attribute(BLOCK_DIMENSION + i) for i in range(3)]
        grids = [driver.device_attribute(GRID_DIMENSION + i) for i in range(3)]
        threads = driver.device_attribute(THREADS_A_BLOCK)
        clusters = any(isinstance(x, _Launch) and x.cluster != (1, 1, 1) for x in self._operations)
        _need(not clusters or driver.device_attribute(CLUSTER_LAUNCH) > 0, "the device has no clusters of blocks")
        for i, x in enumerate(self._operations):
            if not isinstance(x, _Launch):
                continue
            for what, sizes, limits in (("grid", x.grid, grids), ("block", x.block, blocks)):
                fit = all(a <= b for a, b in zip(sizes, limits, strict=True))
                _need(fit, f"operation {i}: a {what} of {sizes}, the device has at most {tuple(limits)}")
            count = x.block[0] * x.block[1] * x.block[2]
            _need(count <= threads, f"operation {i}: {count} threads a block, the device has at most {threads}")
            whole = all(a % b == 0 for a, b in zip(x.grid, x.cluster, strict=True))
            _need(whole, f"operation {i}: a grid of {x.grid} is not whole clusters of {x.cluster}")
            size = x.cluster[0] * x.cluster[1] * x.cluster[2]
            most = f"at most {LARGEST_CLUSTER} are possible"
            _need(size <= LARGEST_CLUSTER, f"operation {i}: {size} blocks a cluster, {most}")

    def _prepare(self, driver: Driver, x: _Launch, module: ctypes.c_void_p, what: str) -> None:
        try:
            driver.call("cuModuleGetFunction", ctypes.byref(x.function), module, x.kernel.encode())
        except RuntimeError:
            raise Refused(f"launch record: {what}: its image has no kernel {x.kernel}") from None
        sizes, given = driver.parameter_sizes(x.function), [len(value) for value in x.values]
        _need(sizes in (None, given), f"{what}: {x.kernel} takes parameters of {sizes} bytes, not {given}")
        threads, most = x.block[0] * x.block[1] * x.block[2], driver.kernel_attribute(THREADS_OF_KERNEL, x.function)
        _need(threads <= most, f"{what}: {threads} threads a block, {x.kernel} was built for at most {most}")
        limit = driver.device_attribute(SHARED_BYTES_A_BLOCK)
        shared = x.shared + driver.kernel_attribute(STATIC_SHARED_BYTES, x.function)
        _need(shared <= limit, f"{what}: {shared} bytes of shared memory a block, the device has {limit}")
        self._allow(driver, x)
        if x.cooperative:
            self._check_cooperative(driver, x, threads, what)

    @staticmethod
    def _allow(driver: Driver, x: _Launch) -> None:
        if x.shared > 0:
            driver.call("cuFuncSetAttribute", x.function, ctypes.c_int(DYNAMIC_SHARED_BYTES), ctypes.c_int(x.shared))
        if x.cluster[0] * x.cluster[1] * x.cluster[2] > PORTABLE_CLUSTER:
            driver.call("cuFuncSetAttribute", x.function, ctypes.c_int(ODD_CLUSTERS), ctypes.c_int(1))

    @staticmethod
    def _check_cooperative(driver: Driver, x: _Launch, threads: int, what: str) -> None:
        _need(driver.device_attribute(COOPERATIVE_LAUNCH) > 0, f"{what}: the device has no cooperative launches")
        blocks = ctypes.c_int()
        name = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        driver.call(name, ctypes.byref(blocks), x.function, ctypes.c_int(threads), ctypes.c_size_t(x.shared))
        room = blocks.value * driver.device_attribute(MULTIPROCESSORS)
        count = x.grid[0] * x.grid[1] * x.grid[2]
        _need(count <= room, f"{what}: {count} blocks at once, the device has room for {room}")

    def _allocate(self, driver: Driver) -> None:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        wanted = sum(self.scratch_bytes)
        _need(wanted <= free.value, f"needs {wanted} bytes of scratch memory, the device has {free.value} free")
        for size in self.scratch_bytes:
            address = ctypes.c_uint64()
            driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
            self._scratch.append(address.value)

    def run(
        self, arguments: Sequence[int], outputs: Sequence[int], stream: int, scratch: Sequence[int] | None = None
    ) -> None:
        """Puts all operations on the stream. Device addresses, in the order of the candidate's manifest."""
        driver = self._driver
        if driver is None:
            raise RuntimeError("a launch record runs after it was loaded")
        own = self._scratch if scratch is None else scratch
        if self._counts != (len(arguments), len(outputs)):  # without sizes only their number is known
            _need(self._counts is None, f"is for {self._counts} arguments and outputs")
            unknown: dict[str, Sequence[int | None]] = {"argument": [None] * len(arguments)}
            self._check_places(unknown | {"output": [None] * len(outputs), "scratch": self.scratch_bytes})
        _need(len(own) == len(self.scratch_bytes), "scratch memory is missing")
        buffers = {"argument": arguments, "output": outputs, "scratch": own}
        for x in self._operations:
            if isinstance(x, _Launch):
                self._launch(driver, x, buffers, stream)
            else:
                self._move(driver, x, buffers, stream)

    @staticmethod
    def _launch(driver: Driver, x: _Launch, buffers: dict[str, Sequence[int]], stream: int) -> None:
        for word, place in x.pointers:
            word.value = buffers[place.buffer][place.index] + place.offset
        attributes = (Attribute * 2)()
        count = 0
        if x.cluster != (1, 1, 1):
            attributes[count].id, attributes[count].value[:3] = CLUSTER, x.cluster
            count += 1
        if x.cooperative:
            attributes[count].id, attributes[count].value[0] = COOPERATIVE, 1
            count += 1
        uints = ctypes.c_uint * 3
        config = Config(uints(*x.grid), uints(*x.block), x.shared, stream or None, attributes, count)
        driver.call("cuLaunchKernelEx", ctypes.byref(config), x.function, x.addresses, None)

    @staticmethod
    def _move(driver: Driver, x: _Move, buffers: dict[str, Sequence[int]], stream: int) -> None:
        if x.bytes == 0:
            return
        to = ctypes.c_uint64(buffers[x.to.buffer][x.to.index] + x.to.offset)
        size, queue = ctypes.c_size_t(x.bytes), ctypes.c_void_p(stream or None)
        if x.source is None:
            driver.call("cuMemsetD8Async", to, ctypes.c_ubyte(x.value), size, queue)
        else:
            source = ctypes.c_uint64(buffers[x.source.buffer][x.source.index] + x.source.offset)
            driver.call("cuMemcpyDtoDAsync_v2", to, source, size, queue)

    def close(self) -> None:
        """Gives the scratch memory back."""
        for address in self._scratch:
            assert self._driver is not None
            self._driver.call("cuMemFree_v2", ctypes.c_uint64(address))
        self._scratch = []
