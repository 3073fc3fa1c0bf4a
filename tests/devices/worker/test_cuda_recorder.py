"""libkernelmesh-recorder.so where there is nothing to record; tests/gpu/sealed has a device."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "native"))

from native_host import program

LIBRARY = program("libkernelmesh-recorder.so")
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="libkernelmesh-recorder.so is not built: it needs cupti.h")


def test_it_loads_without_a_device_and_says_what_is_missing(tmp_path: Path) -> None:
    library, said = ctypes.CDLL(str(LIBRARY)), ctypes.create_string_buffer(200)
    file = tmp_path / "record"
    assert library.InitializeInjection() == 1  # else the driver would not start
    assert library.kernelmesh_recorder_write(str(file).encode(), b"sm_90a", said, len(said)) == -1
    assert said.value == b"two calls are needed to see what they have in common"
    library.kernelmesh_recorder_begin()
    library.kernelmesh_recorder_lend(0, ctypes.c_uint64(4096), ctypes.c_uint64(4))
    library.kernelmesh_recorder_end()
    assert library.kernelmesh_recorder_write(str(file).encode(), b"sm_90a", said, len(said)) == -1
    assert said.value == b"it launched nothing"
    assert not file.exists()
