"""The compiler role: runs a DSL's adapter, several builds at once. torch is not imported here."""

from __future__ import annotations

import importlib.util
import os
import queue
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

from kernelmesh_worker import WORKER_VERSION
from kernelmesh_worker.adapter import CompileRequest, CompileResult
from kernelmesh_worker.hub import Hub
from kernelmesh_worker.machine import environment
from kernelmesh_worker.process import core_count
from kernelmesh_worker.text import LOG_BYTES, clean, describe, one_line

_REFUSALS = ("compile_error", "timeout", "out_of_memory")
Reply = tuple[str, dict[str, Any]]


class Adapters:
    """Adapter modules by path, each loaded once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._modules: dict[str, ModuleType] = {}

    def load(self, path: str) -> ModuleType:
        with self._lock:
            if path not in self._modules:
                self._modules[path] = _import_file(path, f"kernelmesh_adapter_{len(self._modules)}")
            return self._modules[path]


def _import_file(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def build(adapters: Adapters, work: dict[str, Any]) -> Reply:
    """The reply to one compile command."""
    try:
        module = adapters.load(work["adapter"])
        request = CompileRequest(
            manifest=work["manifest"],
            files=work["files"],
            arch=work["arch"],
            folder=work["folder"],
            limit_s=work.get("limit_ms", 120_000) / 1000,
            cores=core_count(),
        )
        findings = list(module.check(request)) if hasattr(module, "check") else []
        result: CompileResult = module.compile(request)
        toolchain = result.toolchain or module.toolchain()
        return _reply(request, result, toolchain, _findings(findings + list(result.warnings)))
    except Exception as error:  # noqa: BLE001 - an adapter may raise anything; that is a failure, not our end
        return "failed", {"message": f"the adapter could not build: {describe(error)}"}


def _reply(request: CompileRequest, result: CompileResult, toolchain: str, findings: list[dict[str, Any]]) -> Reply:
    if not result.ok:
        refusal = {
            "kind": result.kind if result.kind in _REFUSALS else "compile_error",
            "message": one_line(result.message) or "the toolchain refused the candidate",
            "log": clean(result.log, LOG_BYTES),
            "toolchain": toolchain,
            "findings": findings,
        }
        return "compile_refused", refusal
    name = result.artifact
    if name and (os.path.basename(name) != name or not os.path.isfile(os.path.join(request.folder, name))):
        return "failed", {"message": f"the adapter named an artifact that is not in its folder: {clean(name, 200)}"}
    return "compiled", {"artifact": name, "toolchain": toolchain, "warnings": findings}


def _findings(findings: list[Any]) -> list[dict[str, Any]]:
    return [
        {"file": clean(str(x["file"]), 400), "line": max(0, int(x["line"])), "message": clean(str(x["message"]))}
        for x in findings[:200]
    ]


class Compiler:
    """Takes commands on the main thread, builds on others; replies go back through a queue and a pipe."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._adapters = Adapters()
        self._pool = ThreadPoolExecutor(max_workers=core_count())
        self._replies: queue.SimpleQueue[tuple[int, Reply]] = queue.SimpleQueue()
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        hub.watch(self._wake_read)

    def run(self, adapter: str) -> None:
        """Until the hub closes, which raises HubClosed."""
        toolchain = self._adapters.load(adapter).toolchain() if adapter else ""
        about = {"version": WORKER_VERSION, "role": "compiler", "pid": os.getpid()}
        self._hub.send(0, "hello", about | {"environment": environment(toolchain=toolchain)})
        while True:
            for command in self._hub.wait():
                self._take(command)
            self._send_replies()

    def _take(self, command: dict[str, Any]) -> None:
        kind, work = next(iter(command["work"].items()))
        if kind == "compile":
            self._pool.submit(self._work, command["id"], work)
        else:
            self._hub.send(command["id"], "failed", {"message": f"a compiler does no {clean(str(kind), 40)}"})

    def _work(self, command: int, work: dict[str, Any]) -> None:
        self._replies.put((command, build(self._adapters, work)))
        os.write(self._wake_write, b"x")

    def _send_replies(self) -> None:
        try:
            while os.read(self._wake_read, 4096):
                pass
        except BlockingIOError:
            pass
        while not self._replies.empty():
            command, (kind, record) = self._replies.get()
            self._hub.send(command, kind, record)
