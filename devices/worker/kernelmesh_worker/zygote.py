"""The zygote: has torch loaded, runs no tensor operation, has one thread. Candidates are forked from it.

A fork after a multi-threaded operation hangs, so this process does nothing but fork and reap.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy comes in with torch: it starts threads otherwise

from kernelmesh_worker import candidate, pair, sandbox
from kernelmesh_worker.process import adopt_orphans, keep_freed_pages, thread_count
from kernelmesh_worker.text import describe

_FIRST_PID = 2  # that a new pid namespace gives, behind its init's


@dataclass
class Child:
    """`init` is that of its pid namespace, whose end ends all in it; 0 without a sandbox."""

    id: int
    pid: int
    pidfd: int
    init: int


class Zygote:
    def __init__(self, judge: socket.socket) -> None:
        self._judge = judge
        self._namespaces = sandbox.PidNamespaces() if sandbox.is_on() else None
        self._children: dict[int, Child] = {}  # by pidfd
        self._poll = select.poll()
        self._poll.register(judge.fileno(), select.POLLIN)

    def run(self) -> None:
        """Until the judge's end closes; then no child is left."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._children:
                    self._bury(self._children.pop(descriptor))
                elif not self._listen():
                    self._kill_all()
                    return

    def _listen(self) -> bool:
        received = pair.receive_with_descriptors(self._judge)
        if received is None:
            return False
        message, descriptors = received
        if "fork" in message:
            self._fork(message["fork"], descriptors)
        elif "end" in message:
            self._end(message["end"]["id"])
        pair.close_all(descriptors)
        return True

    def _fork(self, order: dict[str, Any], descriptors: list[int]) -> None:
        wanted = order["id"]
        threads = thread_count()
        if threads != 1:
            self._send({"failed": {"id": wanted, "message": f"the zygote has {threads} threads"}})
            return
        try:
            child = self._start(order, descriptors)
        except (OSError, sandbox.SandboxError) as error:
            self._send({"failed": {"id": wanted, "message": describe(error)}})
            return
        self._children[child.pidfd] = child
        self._poll.register(child.pidfd, select.POLLIN)
        self._send({"forked": {"id": wanted, "pid": child.pid, "init": child.init}}, (child.pidfd,))

    def _start(self, order: dict[str, Any], descriptors: list[int]) -> Child:
        """Returns when it is in its sandbox, and before it runs anything of the candidate."""
        birth = candidate.Birth.of(order, descriptors)
        try:
            child = self._fork_into_namespace(order["id"], birth)
        finally:
            problem = birth.wait()
        if problem:
            self._end_and_reap(child)
            raise sandbox.SandboxError(problem)
        return child

    def _fork_into_namespace(self, wanted: int, birth: candidate.Birth) -> Child:
        parent = 0 if self._namespaces else os.getpid()  # a parent outside of the pid namespace is called 0
        with self._namespaces.fresh() if self._namespaces else contextlib.nullcontext(0) as init:
            if self._namespaces and os.getppid() == _FIRST_PID:
                _use_up_pid()
            pid = os.fork()
            if pid == 0:
                self._judge.detach()  # its number is about to be somebody else's
                candidate.become_candidate(parent, birth)
        return Child(wanted, pid, os.pidfd_open(pid), init)

    def _end(self, wanted: int) -> None:
        for child in self._children.values():
            if child.id == wanted:
                _kill(child)

    def _bury(self, child: Child) -> None:
        """Kills what the candidate left behind, reaps it, tells the judge."""
        self._poll.unregister(child.pidfd)
        code = self._end_and_reap(child)
        self._send({"ended": {"id": child.id, "code": max(code, 0), "signal": max(-code, 0)}})

    def _end_and_reap(self, child: Child) -> int:
        """Its exit code; nothing of it is left then."""
        if child.init == 0:
            _kill_group(child.pid)  # before it is reaped: until then no other group can have its number
        elif not select.select([child.pidfd], [], [], 0)[0]:
            _kill(child)
        _, status = os.waitpid(child.pid, 0)
        os.close(child.pidfd)
        if child.init:
            _kill(child)
            os.waitpid(child.init, 0)  # comes back when the namespace is empty
        else:
            self._kill_orphans()
        return os.waitstatus_to_exitcode(status)

    def _kill_orphans(self) -> None:
        """Ends children that we did not fork: what candidates left in groups of their own."""
        ours = {child.pid for child in self._children.values()}
        while orphans := [pid for pid in _child_pids() if pid not in ours]:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    def _kill_all(self) -> None:
        while self._children:
            _, child = self._children.popitem()
            _kill(child)
            self._end_and_reap(child)

    def _send(self, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
        try:
            pair.send(self._judge, message, descriptors)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the judge is gone; `_listen` will see it


def _use_up_pid() -> None:
    """The next fork's pid is another number than the judge has in its own namespace: CUDA takes two processes with
    equal numbers for one, and they can't share memory then."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _child_pids() -> list[int]:
    return [int(x) for x in Path("/proc/self/task", str(os.getpid()), "children").read_text(encoding="ascii").split()]


def _kill(child: Child) -> None:
    if child.init:
        os.kill(child.init, signal.SIGKILL)
    else:
        _kill_group(child.pid)


def _kill_group(pid: int) -> None:
    """The candidate itself too: it may not have made its group yet."""
    for kill in (os.killpg, os.kill):
        try:
            kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run_zygote(descriptor: int, packages: tuple[str, ...] = ()) -> None:
    """`packages`: what many candidates import, so that each fork has it already; those that are not there are not."""
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
    adopt_orphans()
    keep_freed_pages()
    for name in packages:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    threads = thread_count()
    if threads != 1:
        raise RuntimeError(f"importing torch left {threads} threads; the zygote must have one")
    gc.collect()
    gc.freeze()  # what is shared with the children stays untouched by their collectors
    Zygote(judge).run()
