"""libkernelmesh-recorder.so where there is nothing to record; tests/gpu/sealed has a device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "native"))

from native_host import program

LIBRARY = program("libkernelmesh-recorder.so")
pytestmark = pytest.mark.skipif(LIBRARY is None, reason="libkernelmesh-recorder.so is not built")


# In a process of its own: where torch was imported its copy of CUPTI is there already.
ASKED = """
import ctypes, sys
library, said = ctypes.CDLL(sys.argv[1]), ctypes.create_string_buffer(200)
def write():
    with open(sys.argv[2], "wb") as file:
        code = library.kernelmesh_recorder_write(file.fileno(), b"sm_90a", said, len(said))
    print(code, said.value.decode())
print(library.InitializeInjection())
write()
library.kernelmesh_recorder_begin()
library.kernelmesh_recorder_lend(0, ctypes.c_uint64(4096), ctypes.c_uint64(4))
library.kernelmesh_recorder_end()
write()
"""


def test_it_loads_without_a_device_and_says_what_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "record"
    asked = subprocess.run([sys.executable, "-c", ASKED, LIBRARY, file], capture_output=True, text=True, check=True)
    loaded, first, second = asked.stdout.splitlines()
    assert loaded == "1"  # else the driver would not start
    assert first == "-1 two calls are needed to see what they have in common"
    assert second == "-1 it launched nothing"
    assert file.stat().st_size == 0
