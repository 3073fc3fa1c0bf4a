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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import msgpack
import numpy  # noqa: F401 - loaded here once, so that forks have it
import torch

from kernelmesh_worker import library_guard, pair, sandbox
from kernelmesh_worker.device import here, use
from kernelmesh_worker.entries import Entry, load_entry
from kernelmesh_worker.lent import LentBuffer
from kernelmesh_worker.library_guard import LibraryGuard
from kernelmesh_worker.process import die_with_parent
from kernelmesh_worker.recorder import Recorder
from kernelmesh_worker.text import clean, describe
from kernelmesh_worker.untouched import Tampered, watch

FIRST_DESCRIPTOR = 3  # the socket; then the order; then the lent buffers; then what a record is written to
FILE_BYTES = 1 << 30
_OUT_OF_THE_WAY = 64


@dataclass(frozen=True)
class Birth:
    """What a fork is to become. `report` is a pipe on which it says why it can not."""

    descriptors: list[int]
    may: sandbox.Permissions
    program: list[str]  # to execute in place of going on; empty: none
    errors: int  # its standard error; -1: it has none
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
            profiler=order.get("profiler", ""),
        )
        kept, errors = (descriptors, -1) if program else (descriptors[:-1], descriptors[-1])
        return cls(kept, may, program, errors, os.pipe())

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
        _keep_only(birth.descriptors, birth.errors, inheritable=bool(birth.program))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if birth.program:
            os.execv(birth.program[0], birth.program)
        code = _serve(len(birth.descriptors), boxed)
    finally:
        os._exit(code)


def _keep_only(descriptors: list[int], errors: int, inheritable: bool) -> None:
    """The named ones become 3, 4, 5, ...; the other standard streams lead nowhere; all others are closed."""
    null = os.open("/dev/null", os.O_RDWR)
    standard = (null, null, null if errors < 0 else errors)
    kept = [fcntl.fcntl(x, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for x in (*standard, *descriptors)]
    for place, descriptor in enumerate(kept):
        os.dup2(descriptor, place, inheritable=inheritable or place < FIRST_DESCRIPTOR)
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(len(kept), limit)


def _serve(descriptor_count: int, boxed: bool) -> int:
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=FIRST_DESCRIPTOR)
    try:
        order = _read_order(FIRST_DESCRIPTOR + 1)
        device = use(order["place"])
        recorder = Recorder(order["recorder"], FIRST_DESCRIPTOR + descriptor_count - 1) if order["recorder"] else None
        device.enter()
        here().follow(order["policy"])
        torch.set_num_threads(order["cores"])
        lent = _lent_to_it(order, descriptor_count - (recorder is not None))
        if recorder:
            recorder.check()
        server = Server(judge, order, lent, boxed, recorder)
        if not order["code"]:
            here().confine()
        close = server.closing()
        entry = load_entry(order, lent)
        close()
        server.serve(entry)
        os.dup2(1, 2)  # from here on nobody hears it
    except BaseException as error:  # noqa: BLE001 - a candidate may raise anything, SystemExit too
        _say_raised(judge, error)
        return 1
    pair.send(judge, {"loaded": {}})
    return server.answer_all()


def _lent_to_it(order: dict[str, Any], descriptor_count: int) -> list[LentBuffer]:
    """The buffers, by their descriptors or what the order says in place of them."""
    sizes, first = order["lent"], FIRST_DESCRIPTOR + 2
    descriptors = [*range(first, FIRST_DESCRIPTOR + descriptor_count)] or [-1] * len(sizes)
    return [here().attach(*x) for x in zip(descriptors, order["handles"], sizes, strict=True)]


def _read_order(descriptor: int) -> dict[str, Any]:
    with open(descriptor, "rb", closefd=True) as file:
        file.seek(0)
        return msgpack.unpackb(file.read())


class Server:
    """Answers the judge's questions. What it calls is bound here, before any code of the candidate's runs."""

    def __init__(
        self,
        judge: socket.socket,
        order: dict[str, Any],
        lent: list[LentBuffer],
        boxed: bool,
        recorder: Recorder | None = None,
    ) -> None:
        self._judge = judge
        self._recorder = recorder
        self._clock = here().clock(lent[0])
        self._closing = LibraryGuard(order["early"]) if order["closed"] else None
        self._check_clock: Callable[[], None] = lambda: None
        self._has_called = False
        self._builds_in_calls = here().builds_in_calls
        # torch.compile builds in the reference's first call
        self._may_build = boxed and not order["compile"] and not (order["building"] and self._builds_in_calls)

    def closing(self) -> Callable[[], None]:
        """What closes libraries, once the candidate is loaded. Tampered, if it did not leave that as it was."""
        if self._closing is None:
            return lambda: None
        check, close = watch(*library_guard.parts()), self._closing.close
        self._check_clock = check_clock = watch((), {type(self._clock): tuple(vars(type(self._clock)))}, self._clock)

        def checked() -> None:
            check()
            check_clock()
            close()

        return checked

    def serve(self, entry: Entry) -> None:
        """What has been loaded."""
        self._entry = entry
        self._clock.drain()
        if not self._builds_in_calls:
            self._end_processes()

    def _close_late(self) -> None:
        """Libraries that its first call has loaded. Not in later ones: it would be part of their time."""
        if self._closing and not self._has_called:
            self._has_called = True
            self._closing.close_late()

    def _end_processes(self) -> None:
        """From here on it starts none."""
        if self._may_build:
            self._may_build = False
            sandbox.end_processes()

    def answer_all(self) -> int:
        while (command := pair.receive(self._judge)) is not None:
            try:
                self._answer(command)
            except BaseException as error:  # noqa: BLE001 - a candidate may raise anything, SystemExit too
                _say_raised(self._judge, error, self._closing)
                return 1
        return 0

    def _answer(self, command: dict[str, Any]) -> None:
        if "call" in command:
            number, plain, variant = command["call"], command["plain"], command.get("variant", 0)
            told = self._run(command, number, lambda: self._entry.call(plain, variant))
            self._end_processes()
            pair.send(self._judge, {"done": number, **told})
        elif "outputs" in command:
            found = self._entry.outputs()
            self._check_clock()  # a call may have changed it
            self._clock.drain()
            self._close_late()
            library = {"library": self._closing.tried} if self._closing else {}
            pair.send(self._judge, {"outputs": command["outputs"], **found, **library})
        elif "reset" in command:
            self._entry.reset(command["weights"])
            self._clock.drain()
            pair.send(self._judge, {"done": command["reset"]})
        elif self._recorder and ("record" in command or "write" in command):
            self._answer_recorded(command, self._recorder)
        else:
            told = self._run(command, command["empty"], lambda: _spin(command["ns"]))
            pair.send(self._judge, {"done": command["empty"], **told})

    def _answer_recorded(self, command: dict[str, Any], recorder: Recorder) -> None:
        if "record" in command:
            self._clock.drain()
            self._entry.record(recorder, command["plain"])
            self._clock.drain()
            pair.send(self._judge, {"done": command["record"]})
        else:
            pair.send(self._judge, {"written": command["write"], "refused": recorder.write(here().arch())})

    def _run(self, command: dict[str, Any], number: int, work: Callable[[], None]) -> dict[str, Any]:
        return self._clock.run(work, command.get("gate", 0), lambda: pair.send(self._judge, {"ready": number}))


def _spin(nanoseconds: int) -> None:
    """Keeps a core busy, as a call does: how fast a sleeping judge wakes depends on how long it slept."""
    end = time.perf_counter_ns() + nanoseconds
    while time.perf_counter_ns() < end:
        pass


def _say_raised(judge: socket.socket, error: BaseException, closing: LibraryGuard | None = None) -> None:
    text = describe(error) + "\n" + "".join(traceback.format_exception(error, limit=-6))
    more = {"library": closing.tried} if closing else {}
    if isinstance(error, Tampered):
        text, more = f"it replaced {error}", {"tampered": True}
    pair.send(judge, {"raised": {"message": clean(text), **more}})
