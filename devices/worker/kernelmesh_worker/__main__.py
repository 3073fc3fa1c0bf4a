"""Starts one worker; see ../PROTOCOL.md."""

from __future__ import annotations

import argparse
import os
import sys

from kernelmesh_worker import device_names, sandbox, task_mark
from kernelmesh_worker.process import die_with_parent, hide_memory
from kernelmesh_worker.text import describe

EXIT_ZYGOTE_LOST = 3
EXIT_CANNOT_WORK = 4


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="kernelmesh_worker")
    parser.add_argument("role", choices=("judge", "zygote", "compiler", "folders"))
    parser.add_argument("--connect", default="", help="the hub's endpoint, ipc:///path")
    parser.add_argument("--id", default="", help="routing id")
    parser.add_argument("--pair", type=int, default=-1, help="zygote: descriptor of the socketpair with its judge")
    parser.add_argument("--adapter", default="", help="compiler: whose toolchain hello names")
    parser.add_argument("--device", default=device_names.CPU, help="judge, zygote: the device that is judged on")
    x = parser.parse_args()
    if x.role == "zygote" and x.pair < 0:
        parser.error("--pair is missing")
    if x.role in ("judge", "compiler") and not (x.connect and x.id):
        parser.error("--connect and --id are missing")
    if not device_names.is_name(x.device):
        parser.error(f"there is no device {x.device}")
    return x


def _run_zygote(x: argparse.Namespace) -> int:
    from kernelmesh_worker.zygote import run_zygote

    run_zygote(x.pair, ("triton.language",) if x.device != device_names.CPU else ())
    return 0


def _leave_without_zygote() -> None:
    """Whatever the task's code is at, it is not to blame."""
    task_mark.forget()
    os._exit(EXIT_ZYGOTE_LOST)


def _run_judge(x: argparse.Namespace) -> int:
    from kernelmesh_worker.zygote_client import ZygoteLost, start_zygote

    device_names.claim(x.device)
    zygote = start_zygote(x.device)
    if sandbox.is_on():
        sandbox.become_worker()  # the zygote has what it needs; from here on nobody else has
    zygote.watch(_leave_without_zygote)
    from kernelmesh_worker.judge import run_judge

    try:
        run_judge(x.connect, x.id, zygote, x.device)
    except ZygoteLost:
        return EXIT_ZYGOTE_LOST
    except device_names.DeviceLost as error:
        print(f"kernelmesh_worker judge: {error}", file=sys.stderr, flush=True)
        return EXIT_CANNOT_WORK
    return 0


def _run_compiler(x: argparse.Namespace) -> int:
    from kernelmesh_worker.compiler import Compiler
    from kernelmesh_worker.hub import Hub, HubClosed

    if sandbox.is_on():
        hide_memory()  # builds run as the same user
    try:
        Compiler(Hub(x.connect, x.id)).run(x.adapter)
    except HubClosed:
        os._exit(0)  # builds that still run die with us: nobody waits for them
    return 0


def _print_folders(_: argparse.Namespace) -> int:
    from kernelmesh_worker.folders import readable_folders

    print("\n".join(readable_folders()), flush=True)
    return 0


def main() -> int:
    parent = os.getppid()
    x = _arguments()
    die_with_parent(parent)
    run = {"judge": _run_judge, "zygote": _run_zygote, "compiler": _run_compiler, "folders": _print_folders}[x.role]
    try:
        return run(x)
    except Exception as error:  # noqa: BLE001 - the last line before the end of the process
        print(f"kernelmesh_worker {x.role}: {describe(error)}", file=sys.stderr, flush=True)
        return EXIT_CANNOT_WORK


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # no interpreter shutdown: threads of torch and half-done builds have nothing to finish
