"""Starts one worker; see ../PROTOCOL.md."""

from __future__ import annotations

import argparse
import os
import sys

from kernelmesh_worker.process import die_with_parent
from kernelmesh_worker.text import describe

EXIT_ZYGOTE_LOST = 3
EXIT_CANNOT_WORK = 4


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kernelmesh_worker")
    parser.add_argument("role", choices=("judge", "zygote", "compiler"))
    parser.add_argument("--connect", default="", help="the hub's endpoint, ipc:///path")
    parser.add_argument("--id", default="", help="routing id")
    parser.add_argument("--pair", type=int, default=-1, help="descriptor of the socketpair of judge and zygote")
    parser.add_argument("--adapter", default="", help="compiler: whose toolchain hello names")
    x = parser.parse_args()
    if x.role in ("judge", "zygote") and x.pair < 0:
        parser.error("--pair is missing")
    if x.role in ("judge", "compiler") and not (x.connect and x.id):
        parser.error("--connect and --id are missing")
    return x


def _run_zygote(x: argparse.Namespace) -> int:
    from kernelmesh_worker.zygote import run_zygote

    run_zygote(x.pair)
    return 0


def _run_judge(x: argparse.Namespace) -> int:
    from kernelmesh_worker.judge import run_judge
    from kernelmesh_worker.zygote_client import ZygoteLost

    try:
        run_judge(x.connect, x.id, x.pair)
    except ZygoteLost:
        return EXIT_ZYGOTE_LOST
    return 0


def _run_compiler(x: argparse.Namespace) -> int:
    from kernelmesh_worker.compiler import Compiler
    from kernelmesh_worker.hub import Hub, HubClosed

    try:
        Compiler(Hub(x.connect, x.id)).run(x.adapter)
    except HubClosed:
        os._exit(0)  # builds that still run die with us: nobody waits for them
    return 0


def main() -> int:
    parent = os.getppid()
    x = _arguments()
    die_with_parent(parent)
    run = {"judge": _run_judge, "zygote": _run_zygote, "compiler": _run_compiler}[x.role]
    try:
        return run(x)
    except Exception as error:  # noqa: BLE001 - the last line before the end of the process
        print(f"kernelmesh_worker {x.role}: {describe(error)}", file=sys.stderr, flush=True)
        return EXIT_CANNOT_WORK


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # no interpreter shutdown: threads of torch and half-done builds have nothing to finish
