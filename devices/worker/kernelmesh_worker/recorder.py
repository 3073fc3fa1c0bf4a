"""libkernelmesh-recorder.so in a candidate's process: what two of its calls launch becomes a launch record.

Nothing of it is believed by the judge: a record is another program, judged like any.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Sequence

import torch

from kernelmesh_worker.device import here
from kernelmesh_worker.lent import memory_of

INJECTED = "CUDA_INJECTION64_PATH"  # the driver loads what it names when it is initialised
_SAID_BYTES = 400


class Recorder:
    """Made before anything asks for the device. What it calls is bound here."""

    def __init__(self, library: str, descriptor: int) -> None:
        """The record is written to `descriptor`."""
        os.environ[INJECTED] = library
        self._descriptor = descriptor
        self._library = ctypes.CDLL(library)
        here().allocate_by(library)

    def check(self) -> None:
        """RuntimeError where it does not see the driver's calls."""
        if not self._library.kernelmesh_recorder_watches():
            raise RuntimeError("CUPTI can't be used here, so calls of the driver are not seen")

    @contextlib.contextmanager
    def call(self, lent: Sequence[torch.Tensor | None]) -> Iterator[list[torch.Tensor]]:
        """What is launched inside is recorded. `lent` are the record's arguments, None where the candidate has no such
        tensor; its outputs are put in the list."""
        outputs: list[torch.Tensor] = []
        self._library.kernelmesh_recorder_begin()
        for index, x in enumerate(lent):
            if x is not None:
                self._library.kernelmesh_recorder_lend(index, *_range_of(x))
        yield outputs
        for x in outputs:
            self._library.kernelmesh_recorder_output(*_range_of(x))
        self._library.kernelmesh_recorder_end()

    def write(self, arch: str) -> str:
        """Why there is no record; empty: it is written."""
        said = ctypes.create_string_buffer(_SAID_BYTES)
        room = ctypes.c_size_t(len(said))
        code = self._library.kernelmesh_recorder_write(self._descriptor, arch.encode(), said, room)
        return said.value.decode("utf-8", "replace") if code else ""


def _range_of(x: torch.Tensor) -> tuple[ctypes.c_uint64, ctypes.c_uint64]:
    """From its first element to its last."""
    return ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(memory_of(x).nbytes)
