"""Plays the judge to kernelmesh-native-host: memfds, an order, a socket, as PROTOCOL.md has it."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import msgpack

ROOT = Path(__file__).parents[4]
FLOAT32, INT64 = "float32", "int64"
_PAGE = 4096
_OUT_OF_THE_WAY = 64
_PATIENCE_S = 20.0


def program(name: str = "kernelmesh-native-host") -> Path | None:
    """In $KERNELMESH_BUILD, else in the build folder that was written last."""
    folders = [Path(os.environ["KERNELMESH_BUILD"])] if "KERNELMESH_BUILD" in os.environ else ROOT.glob("build/*")
    found = [x / name for x in folders if (x / name).exists()]
    return max(found, key=lambda x: x.stat().st_mtime, default=None)


def build_library(source: str, folder: Path) -> Path:
    """Of tests/devices/worker/native/SOURCE.cpp."""
    library = folder / f"{source}.so"
    options = ["-std=c++17", "-O1", "-shared", "-fPIC", "-fopenmp", f"-I{ROOT}"]
    text = Path(__file__).parent / f"{source}.cpp"
    subprocess.run(["g++", *options, str(text), "-o", str(library)], check=True)
    return library


def tensor(dtype: str, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> dict[str, Any]:
    return {"offset": offset, "dtype": dtype, "shape": list(shape), "strides": list(strides)}


def memfd_with(content: bytes) -> int:
    descriptor = os.memfd_create("order", os.MFD_CLOEXEC)
    os.write(descriptor, content)
    return descriptor


class NativeHost:
    """One process of it. Use as a context manager."""

    name = "kernelmesh-native-host"

    def __init__(self, order: dict[str, Any] | bytes, environment: dict[str, str] | None = None) -> None:
        self.lent = [os.memfd_create("lent", os.MFD_CLOEXEC) for _ in range(3)]
        for descriptor in self.lent:
            os.truncate(descriptor, _PAGE)
        content = order if isinstance(order, bytes) else msgpack.packb({"lent": [_PAGE] * 3, **self.more(), **order})
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(_PATIENCE_S)
        self._order = memfd_with(content)
        with theirs:
            self.pid = self._start([theirs.fileno(), self._order, *self.lent], environment or {})
        self.status: int | None = None

    profiler: tuple[str, ...] = ()  # a command that starts it

    def more(self) -> dict[str, Any]:
        """What every order has besides."""
        return {}

    def _start(self, descriptors: list[int], environment: dict[str, str]) -> int:
        """They become 3, 4, ...; 20 is one too many."""
        path = program(self.name)
        assert path is not None
        away = [fcntl.fcntl(x, fcntl.F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY) for x in descriptors]
        actions = [(os.POSIX_SPAWN_DUP2, x, place) for place, x in enumerate(away, start=3)]
        actions.append((os.POSIX_SPAWN_DUP2, 0, 20))
        try:
            argv = [*self.profiler, str(path), *["--profiled"] * bool(self.profiler)]
            return os.posix_spawn(argv[0], argv, environment, file_actions=actions)
        finally:
            for x in away:
                os.close(x)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        if self.status is None:
            self.wait()
        for descriptor in (self._order, *self.lent):
            os.close(descriptor)

    def wait(self) -> int:
        """Its exit code; below 0: the signal that ended it."""
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

    # -- the protocol -------------------------------------------------------------------------------------------------

    def hear(self) -> dict[str, Any] | None:
        """None: it has closed its end."""
        try:
            packet = self.socket.recv(1 << 17)
        except ConnectionResetError:
            return None
        return msgpack.unpackb(packet) if packet else None

    def say(self, packet: dict[str, Any]) -> None:
        self.socket.send(msgpack.packb(packet))

    def ask(self, what: str, **more: Any) -> dict[str, Any] | None:
        self.say({what: 1 << 55, **more})
        return self.hear()

    def call(self, **more: Any) -> dict[str, Any] | None:
        return self.ask("call", plain=[], **more)

    # -- contents -----------------------------------------------------------------------------------------------------

    def write(self, buffer: int, offset: int, form: str, values: Sequence[float]) -> None:
        os.pwrite(self.lent[buffer], struct.pack(f"{len(values)}{form}", *values), offset)

    def read(self, form: str, count: int) -> list[Any]:
        """From the start of the outputs."""
        return list(struct.unpack(f"{count}{form}", os.pread(self.lent[2], count * struct.calcsize(form), 0)))


def order_for(library: Path | str, function: str, **more: Any) -> dict[str, Any]:
    """With 32 numbers as the only output; like a judge's order it says more than the host needs."""
    return {
        "entry": {"c_abi": {"abi": 1, "function": function}},
        "artifact": str(library),
        "file": "",
        "cores": 1,
        "training": False,
        "init": [{"torch": "torch.float16"}, {"plain": None}],
        "inputs": [{"tensor": tensor(FLOAT32, [2], [1]), "lent": 0}],
        "arguments": [],
        "outputs": [tensor(INT64, [32], [1])],
        **more,
    }


def errno_name(number: int) -> str:
    return errno.errorcode.get(number, str(number))
