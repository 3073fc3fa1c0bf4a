"""The candidate's own process, from the fork on: closes what it must not have, loads the program, answers calls.

Nothing in here is trusted by the judge.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import socket
import time
import traceback
from dataclasses import dataclass
from typing import Any, NoReturn

import msgpack
import numpy  # noqa: F401 - loaded here once, so that forks have it
import torch

from kernelmesh_worker import pair, sandbox
from kernelmesh_worker.entries import Entry, load_entry
from kernelmesh_worker.lent import MemfdBuffer
from kernelmesh_worker.library_guard import LibraryGuard
from kernelmesh_worker.process import die_with_parent
from kernelmesh_worker.text import clean, describe

FIRST_DESCRIPTOR = 3  # the socket; then the order; then the lent buffers
FILE_BYTES = 1 << 30
_OUT_OF_THE_WAY = 64


@dataclass(frozen=True)
class Birth:
    """What a fork is to become. `report` is a pipe on which it says why it can not."""

    descriptors: list[int]
    may: sandbox.Permissions
    program: list[str]  # to execute in place of going on; empty: none
    report: tuple[int, int]

    @classmethod
    def of(cls, order: dict[str, Any], descriptors: list[int]) -> Birth:
        """Of the message `fork`."""
        program = order.get("exec") or []
        may = sandbox.Permissions(
            folder=order.get("folder", ""),
            cache=order.get("cache", ""),
            processes=bool(order.get("processes")),
            exec=bool(program),
            system_only=bool(order.get("system_only")),
        )
        return cls(descriptors, may, program, os.pipe())

    def wait(self) -> str:
        """The zygote's side: the problem, or nothing."""
        os.close(self.report[1])
        with open(self.report[0], encoding="utf-8", errors="replace") as pipe:
            return pipe.read()

    def enter_sandbox(self) -> None:
        """The fork's side."""
        os.close(self.report[0])
        try:
            if sandbox.is_on():
                sandbox.become_candidate(self.may)
        except Exception as error:
            os.write(self.report[1], str(error).encode())
            raise
        os.close(self.report[1])


def become_candidate(parent: int, birth: Birth) -> NoReturn:
    """Called in the fork. Never returns; leaves by _exit, so nothing of the zygote's is flushed or torn down."""
    code = 1
    try:
        boxed = sandbox.is_on()
        os.setsid()
        die_with_parent(parent)
        birth.enter_sandbox()
        _keep_only(birth.descriptors, inheritable=bool(birth.program))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if birth.program:
            os.execv(birth.program[0], birth.program)
        code = _serve(len(birth.descriptors), boxed)
    finally:
        os._exit(code)


def _keep_only(descriptors: list[int], inheritable: bool) -> None:
    """The named ones become 3, 4, 5, ...; the standard streams lead nowhere; all others are closed."""
    null = os.open("/dev/null", os.O_RDWR)
    kept = [fcntl.fcntl(x, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for x in (null, null, null, *descriptors)]
    for place, descriptor in enumerate(kept):
        os.dup2(descriptor, place, inheritable=inheritable or place < FIRST_DESCRIPTOR)
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(len(kept), limit)


def _serve(descriptor_count: int, boxed: bool) -> int:
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=FIRST_DESCRIPTOR)
    try:
        order = _read_order(FIRST_DESCRIPTOR + 1)
        first = FIRST_DESCRIPTOR + 2
        handles = range(first, FIRST_DESCRIPTOR + descriptor_count)
        lent = [MemfdBuffer.attach(handle, size) for handle, size in zip(handles, order["lent"], strict=True)]
        torch.set_num_threads(order["cores"])
        closing = LibraryGuard() if order["closed"] else None
        entry = load_entry(order, lent)
        if closing:
            closing.close()
        if boxed and not order["compile"]:  # torch.compile builds in the reference's first call
            sandbox.end_processes()
    except BaseException as error:  # noqa: BLE001 - a candidate may raise anything, SystemExit too
        _say_raised(judge, error)
        return 1
    pair.send(judge, {"loaded": {}})
    return _answer_all(judge, entry, closing)


def _read_order(descriptor: int) -> dict[str, Any]:
    with open(descriptor, "rb", closefd=True) as file:
        file.seek(0)
        return msgpack.unpackb(file.read())


def _answer_all(judge: socket.socket, entry: Entry, closing: LibraryGuard | None) -> int:
    while (command := pair.receive(judge)) is not None:
        try:
            _answer(judge, entry, command, closing)
        except BaseException as error:  # noqa: BLE001 - as above
            _say_raised(judge, error, closing)
            return 1
    return 0


def _answer(judge: socket.socket, entry: Entry, command: dict[str, Any], closing: LibraryGuard | None) -> None:
    if "call" in command:
        number = command["call"]
        entry.call(command["plain"], command.get("variant", 0))
        pair.send(judge, {"done": number})
    elif "outputs" in command:
        library = {"library": closing.tried} if closing else {}
        pair.send(judge, {"outputs": command["outputs"], **entry.outputs(), **library})
    elif "reset" in command:
        entry.reset(command["weights"])
        pair.send(judge, {"done": command["reset"]})
    else:
        _spin(command["ns"])
        pair.send(judge, {"done": command["empty"]})


def _spin(nanoseconds: int) -> None:
    """Keeps a core busy, as a call does: how fast a sleeping judge wakes depends on how long it slept."""
    end = time.perf_counter_ns() + nanoseconds
    while time.perf_counter_ns() < end:
        pass


def _say_raised(judge: socket.socket, error: BaseException, closing: LibraryGuard | None = None) -> None:
    text = describe(error) + "\n" + "".join(traceback.format_exception(error, limit=-6))
    tried = {"library": closing.tried} if closing else {}
    pair.send(judge, {"raised": {"message": clean(text), **tried}})
