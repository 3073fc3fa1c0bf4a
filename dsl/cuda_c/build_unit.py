"""A process of its own for one build, since a compiler may crash or never end: build_unit.py ARCH UNIT CUBIN FLAG...

Works in the current folder: UNIT is compiled with all files of it as headers, CUBIN is written. What NVRTC says goes to
standard output. Exit code 1: it refused the unit.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nvrtc import build_cubin  # noqa: E402


def main(arch: str, unit: str, cubin: str, *flags: str) -> int:
    """The exit code."""
    built, said = build_cubin(unit, Path(unit).read_text(encoding="utf-8"), {}, arch, ["--include-path=.", *flags])
    sys.stdout.write(said)
    sys.stdout.flush()
    if built is None:
        return 1
    Path(cubin).write_bytes(built)
    return 0


if __name__ == "__main__":
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)  # without tearing the compiler down
