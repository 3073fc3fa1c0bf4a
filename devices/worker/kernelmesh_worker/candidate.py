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
from typing import Any, NoReturn

import msgpack
import numpy  # noqa: F401 - loaded here once, so that forks have it
import torch

from kernelmesh_worker import pair
from kernelmesh_worker.entries import Entry, load_entry
from kernelmesh_worker.lent import MemfdBuffer
from kernelmesh_worker.process import die_with_parent
from kernelmesh_worker.text import clean, describe

FIRST_DESCRIPTOR = 3  # the socket; then the order; then the lent buffers
FILE_BYTES = 1 << 30
_OUT_OF_THE_WAY = 64


def become_candidate(zygote: int, descriptors: list[int]) -> NoReturn:
    """Called in the fork. Never returns; leaves by _exit, so nothing of the zygote's is flushed or torn down."""
    code = 1
    try:
        os.setsid()
        die_with_parent(zygote)
        _keep_only(descriptors)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        code = _serve(len(descriptors))
    finally:
        os._exit(code)


def _keep_only(descriptors: list[int]) -> None:
    """The named ones become 3, 4, 5, ...; the standard streams lead nowhere; all others are closed."""
    null = os.open("/dev/null", os.O_RDWR)
    kept = [fcntl.fcntl(x, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for x in (null, null, null, *descriptors)]
    for place, descriptor in enumerate(kept):
        os.dup2(descriptor, place, inheritable=place < FIRST_DESCRIPTOR)
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.closerange(len(kept), limit)


def _serve(descriptor_count: int) -> int:
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=FIRST_DESCRIPTOR)
    try:
        order = _read_order(FIRST_DESCRIPTOR + 1)
        first = FIRST_DESCRIPTOR + 2
        handles = range(first, FIRST_DESCRIPTOR + descriptor_count)
        lent = [MemfdBuffer.attach(handle, size) for handle, size in zip(handles, order["lent"], strict=True)]
        torch.set_num_threads(order["cores"])
        entry = load_entry(order, lent)
    except BaseException as error:  # noqa: BLE001 - a candidate may raise anything, SystemExit too
        _say_raised(judge, error)
        return 1
    pair.send(judge, {"loaded": {}})
    return _answer_all(judge, entry)


def _read_order(descriptor: int) -> dict[str, Any]:
    with open(descriptor, "rb", closefd=True) as file:
        file.seek(0)
        return msgpack.unpackb(file.read())


def _answer_all(judge: socket.socket, entry: Entry) -> int:
    while (command := pair.receive(judge)) is not None:
        try:
            _answer(judge, entry, command)
        except BaseException as error:  # noqa: BLE001 - as above
            _say_raised(judge, error)
            return 1
    return 0


def _answer(judge: socket.socket, entry: Entry, command: dict[str, Any]) -> None:
    if "call" in command:
        number = command["call"]
        entry.call(command["plain"])
        pair.send(judge, {"done": number})
    elif "outputs" in command:
        pair.send(judge, {"outputs": command["outputs"], "tensors": entry.outputs()})
    elif "reset" in command:
        entry.reset()
        pair.send(judge, {"done": command["reset"]})
    else:
        _spin(command["ns"])
        pair.send(judge, {"done": command["empty"]})


def _spin(nanoseconds: int) -> None:
    """Keeps a core busy, as a call does: how fast a sleeping judge wakes depends on how long it slept."""
    end = time.perf_counter_ns() + nanoseconds
    while time.perf_counter_ns() < end:
        pass


def _say_raised(judge: socket.socket, error: BaseException) -> None:
    text = describe(error) + "\n" + "".join(traceback.format_exception(error, limit=-6))
    pair.send(judge, {"raised": {"message": clean(text)}})
