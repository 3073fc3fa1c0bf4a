"""A candidate as the judge sees it: asks it, waits with limits, learns its fate. Believes nothing it says."""

from __future__ import annotations

import dataclasses
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from kernelmesh_worker import pair
from kernelmesh_worker.candidate_ended import CandidateEnded, OutOfTurn
from kernelmesh_worker.device import here
from kernelmesh_worker.last_words import LastWords
from kernelmesh_worker.proc_files import children, content, names_in, oom_kills, own_bytes, runs, stat_fields, state
from kernelmesh_worker.sandbox import Permissions
from kernelmesh_worker.text import clean
from kernelmesh_worker.zygote_client import Ended, Forked, ZygoteClient, ZygoteLost

_LOOK_S = 0.05  # how often memory is looked at while waiting
_GRACE_S = 2.0  # between a closed socket and the zygote's report
_STOP_S = 1.0
_READY_MS = 5  # a call that has not come to its end by then waits for the device itself
_LOOK_STOPPED_S = 20e-6
_MOST_LOOKS = 50
_MOST_TRIED = 64
_PROCESS_CLOCK = 2  # CPUCLOCK_SCHED of a process, as clock_getcpuclockid makes it
_STOPPED_RUNS_NS = 500_000  # more than the kernel may still count when all have stopped
_FEW_STRAYS, _TURNS_A_STRAY = 3, 8  # so often may it have been given a core out of turn, and once in so many turns
_TIMES_RUN = 2  # place in /proc/PID/task/ID/schedstat
_MINOR_FAULTS = 7  # place of minflt in /proc/PID/stat, counted from behind the name
# Raised for want of a GPU's memory, by torch and by CuPy.
_WITHOUT_MEMORY = ("OutOfMemoryError: ", "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation")
_PROCESS_GROUP = 4  # PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9


@dataclass(frozen=True)
class Limits:
    """Of one call or the load; private resident memory, and memory of its device."""

    call_s: float
    memory_bytes: int
    device_bytes: int = 0


class CandidateProcess:
    """One forked candidate. Use as a context manager: at its end nothing of the candidate is left."""

    def __init__(
        self,
        zygote: ZygoteClient,
        order: int,
        lent: tuple[int, ...],
        limits: Limits,
        may: Permissions,
        program: tuple[str, ...] = (),
    ) -> None:
        """`program` is run in place of the Python that serves candidates."""
        self.phase = "load"
        self.forward_ns = 0  # spent in its calls, as the judge's clock has them
        self.device_ns = 0.0  # what the device's clock had of the last call, as the candidate's process says
        self.has_gate = here().has_gate and not program
        self._under_profiler = bool(may.profiler)  # which starts it
        self._turns = self._strays = 0
        self.library: list[str] = []  # operators of libraries that it tried where they are closed, as it says
        self._zygote = zygote
        self._limits = limits
        self._oom_kills = oom_kills()
        self._device_bytes = here().used_memory()
        self._lent_bytes = sum(os.fstat(x).st_size for x in lent)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._words = LastWords(heard=not program)
        with theirs, self._words.lent() as errors:
            self._process: Forked = zygote.fork((theirs.fileno(), order, *lent, *errors), may, program)
        self._statm = Path("/proc", str(self._process.pid), "statm")
        self._stat = f"/proc/{self._process.pid}/stat"
        self._threads = f"/proc/{self._process.pid}/task"
        self._maps = Path("/proc", str(self._process.pid), "maps")
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        self._poll.register(zygote.fileno(), select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._end()
        finally:
            self._words.close()
            self._zygote.forget(self._process.id)
            os.close(self._process.pidfd)
            self._socket.close()

    # -- asking -------------------------------------------------------------------------------------------------------

    def load(self, look: Callable[[], None] = lambda: None) -> None:
        """Waits until it has loaded its program. Now and then it `look`s, which may raise."""
        words = self._words
        try:
            if "loaded" not in self._wait(lambda: (words.hear(), look())):
                raise self._nonsense()
        except CandidateEnded as ended:
            ended.add(words.end())
            raise
        finally:
            words.close()
        self._check_alone()
        self.phase = "call"

    def leave(self, limit_s: float) -> None:
        """Has it end by itself, and a profiler write down what it has. CandidateEnded unless that goes well in time."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self.await_exit(limit_s)

    def await_exit(self, limit_s: float) -> None:
        """CandidateEnded unless it ends with code 0 in time."""
        ended = self._await_end(limit_s)
        if ended is None:
            raise CandidateEnded("timed_out", self.phase, 0, f"it did not end within {limit_s:g} s")
        if ended.code or ended.signal:
            raise self._fate_of(ended)

    def allow(self, call_s: float) -> None:
        """From here on no call takes longer."""
        self._limits = dataclasses.replace(self._limits, call_s=call_s)

    def _check_alone(self) -> None:
        """What it started while it was loaded must have ended: nothing of it runs while it is stopped."""
        if self._process.init == 0 or self._under_profiler:
            return
        others = children(self._process.pid) + children(self._process.init)
        if any(runs(x) for x in others):
            self._end()
            raise CandidateEnded("raised", self.phase, 0, "it left a process running")

    def ask(self, what: str, **more: Any) -> int:
        """Sends a command and waits for its `done`; the time between, by our clock, in nanoseconds."""
        number = _fresh_number()
        packet = {what: number, **more}
        start = time.perf_counter_ns()
        self._send(packet)
        answer = self._wait()
        return self._elapsed(what, number, answer, time.perf_counter_ns() - start)

    def _elapsed(self, what: str, number: int, answer: dict[str, Any], nanoseconds: int) -> int:
        if answer.get("done") != number:
            raise self._nonsense()
        self.device_ns = _number_of(answer.get("device_ns"))
        if what == "call":
            self.forward_ns += nanoseconds
            self._look_at_device()
        return nanoseconds

    def outputs(self) -> dict[str, Any]:
        """Has a python_host copy its last call's outputs; what it says of them, as it came."""
        number = _fresh_number()
        self._send({"outputs": number})
        answer = self._wait()
        lists = [answer.get(key) for key in ("tensors", "state")]
        if answer.get("outputs") != number or not all(isinstance(x, list) for x in lists):
            raise self._nonsense()
        self._note_library(answer)
        return answer

    def written(self) -> str:
        """Has one that is recorded write its record; why there is none, as it came, empty: there is one."""
        number = _fresh_number()
        self._send({"write": number})
        answer = self._wait()
        refused = answer.get("refused")
        if answer.get("written") != number or not isinstance(refused, str):
            raise self._nonsense()
        return clean(refused, 400)

    def _note_library(self, answer: dict[str, Any]) -> None:
        tried = answer.get("library")
        if isinstance(tried, list):
            self.library = [clean(x, 80) for x in tried[:_MOST_TRIED] if isinstance(x, str)]

    def _send(self, packet: dict[str, Any]) -> None:
        try:
            pair.send(self._socket, packet)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the wait finds out why

    # -- turns --------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """It does not run until `go_on`; returns when it has stopped."""
        self._signal(signal.SIGSTOP)
        self._await_stop()
        self._check_alone()
        self._turns += 1
        self._stopped_ns = self._settled_ns()
        self._stopped_wakings = self._wakings()

    def _settled_ns(self) -> int:
        """What it has run when that grows no more: a thread is called stopped a moment before it leaves its core."""
        now = self._processor_ns()
        for _ in range(_MOST_LOOKS):
            time.sleep(_LOOK_STOPPED_S)
            before, now = now, self._processor_ns()
            if now == before:
                break
        return now

    def _processor_ns(self) -> int:
        """What its threads have run so far; 0 where that can't be asked."""
        try:
            return time.clock_gettime_ns(~self._process.pid << 3 | _PROCESS_CLOCK)
        except OSError:
            return 0

    def _wakings(self) -> int:
        """How often its threads were given a core so far; 0 where the kernel does not count that."""
        stats = (content(f"{self._threads}/{x}/schedstat").split() for x in names_in(self._threads))
        return sum(int(x[_TIMES_RUN]) for x in stats if len(x) > _TIMES_RUN)

    def _check_stopped(self) -> None:
        """Who was woken may have worked for less time than the kernel's clocks are trusted for: wakings count too. On a
        busy machine a thread that is called stopped may still wait for a core, to leave it: OutOfTurn, now and then."""
        ran = self._processor_ns() - self._stopped_ns
        if ran <= _STOPPED_RUNS_NS and self._wakings() <= self._stopped_wakings:
            return
        self._strays += 1
        if ran > _STOPPED_RUNS_NS or self._strays > _FEW_STRAYS + self._turns // _TURNS_A_STRAY:
            self._end()
            raise CandidateEnded("raised", self.phase, 0, "it ran while it was stopped")
        self.stop()
        raise OutOfTurn

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def timed(self, what: str, **more: Any) -> int:
        """Of one that is stopped: asks it while it is, starts the clock, lets it go on, waits for its `done`. So there
        is no moment before the clock in which it runs and could know what it will be asked. Nanoseconds."""
        self._check_stopped()
        number = _fresh_number()
        self._send({what: number, **more})
        start = time.perf_counter_ns()
        self._signal(signal.SIGCONT)
        answer = self._wait()
        return self._elapsed(what, number, answer, time.perf_counter_ns() - start)

    def timed_at_gate(self, what: str, arrive: Callable[[int], None], **more: Any) -> int:
        """The same where its device waits at a gate before the call's work, and it gets ready meanwhile: when it has,
        or after a moment, `arrive` brings the contents and opens the gate. The clock starts then: before there is
        nothing to work on."""
        self._check_stopped()
        number, gate = _fresh_number(), int.from_bytes(os.urandom(3), "little") + 1
        self._send({what: number, "gate": gate, **more})
        self._signal(signal.SIGCONT)
        self._poll.poll(_READY_MS)  # whatever it says or however it ends, the wait finds out
        arrive(gate)
        start = time.perf_counter_ns()
        answer = self._wait()
        if answer.get("ready") == number:
            answer = self._wait()
        return self._elapsed(what, number, answer, time.perf_counter_ns() - start)

    def _signal(self, number: signal.Signals) -> None:
        for flags in (_PROCESS_GROUP, 0):
            try:
                signal.pidfd_send_signal(self._process.pidfd, number, None, flags)
                return
            except ProcessLookupError:
                return  # the next wait finds out
            except OSError:
                continue  # an older kernel: the process alone

    def _await_stop(self) -> None:
        """Until every thread has stopped: one that was running notices a moment later than the others."""
        deadline = time.monotonic() + _STOP_S
        while time.monotonic() < deadline:
            if all(state(f"{self._threads}/{x}/stat") in ("", "T", "Z", "X") for x in names_in(self._threads)):
                return
            time.sleep(_LOOK_STOPPED_S)  # what is to stop may need this core

    def page_faults(self) -> int:
        """How many pages it has touched for the first time so far."""
        fields = stat_fields(self._stat)
        return int(fields[_MINOR_FAULTS]) if fields else 0

    def mapped_programs(self) -> set[str]:
        """The files of which it has code in its memory; nothing where that can't be seen."""
        try:
            lines = self._maps.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return set()
        parts = (x.split(maxsplit=5) for x in lines)
        return {x[5] for x in parts if len(x) == 6 and "x" in x[1] and x[5].startswith("/")}

    # -- waiting ------------------------------------------------------------------------------------------------------

    def _wait(self, look: Callable[[], None] = lambda: None) -> dict[str, Any]:
        """The next packet. CandidateEnded if none comes, or if it is a report of something raised."""
        deadline = time.monotonic() + self._limits.call_s
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                self._end()
                raise CandidateEnded("timed_out", self.phase, 0, f"no answer within {self._limits.call_s:g} s")
            ready = {descriptor for descriptor, _ in self._poll.poll(min(left, _LOOK_S) * 1000)}
            if self._socket.fileno() in ready:
                return self._read()
            if self._zygote.fileno() in ready:
                self._zygote.pump(0)
            self._look()
            look()

    def _read(self) -> dict[str, Any]:
        try:
            message = pair.receive(self._socket)
        except pair.Unreadable:
            raise self._nonsense() from None
        except ConnectionResetError:
            message = None
        if message is None:
            raise self._closed()
        if "raised" in message:
            content = message["raised"] if isinstance(message["raised"], dict) else {}
            self._note_library(content)
            text = content.get("message")
            text = text if isinstance(text, str) else ""
            first = text.partition("\n")[0]
            end = "out_of_memory" if any(x in first for x in _WITHOUT_MEMORY) else "raised"
            end = "tampered" if content.get("tampered") is True else end
            raise CandidateEnded(end, self.phase, 0, text, self.library)
        return message

    def _closed(self) -> CandidateEnded:
        """Its socket has closed: mostly the process has ended."""
        ended = self._await_end(_GRACE_S)
        if ended is None:
            self._end()
            return CandidateEnded("raised", self.phase, 0, "it closed its connection to the judge")
        return self._fate_of(ended)

    def _look(self) -> None:
        ended = self._zygote.ended(self._process.id)
        if ended is not None:
            raise self._fate_of(ended)
        used = own_bytes(self._statm, self._lent_bytes)
        if used > self._limits.memory_bytes:
            self._end()
            raise CandidateEnded("out_of_memory", self.phase, 0, f"it used {used >> 20} MiB of memory of its own")
        self._look_at_device()

    def _look_at_device(self) -> None:
        """What is used there beyond what was when it came; the judge's own is left out."""
        used = here().used_memory() - self._device_bytes
        if used > self._limits.device_bytes > 0:
            self._end()
            raise CandidateEnded("out_of_memory", self.phase, 0, f"it used {used >> 20} MiB of memory of {here().name}")

    def _fate_of(self, ended: Ended) -> CandidateEnded:
        if ended.signal == signal.SIGKILL and oom_kills() > self._oom_kills:
            return CandidateEnded("out_of_memory", self.phase, ended.signal, "the system killed it")
        if ended.signal:
            return CandidateEnded("killed", self.phase, ended.signal, signal.strsignal(ended.signal) or "")
        return CandidateEnded("exited", self.phase, ended.code, f"its process ended with code {ended.code}")

    def _nonsense(self) -> CandidateEnded:
        self._end()
        return CandidateEnded("raised", self.phase, 0, "it answered what it was not asked")

    def _await_end(self, limit_s: float) -> Ended | None:
        deadline = time.monotonic() + limit_s
        while self._zygote.ended(self._process.id) is None:
            if not self._zygote.pump(max(0.0, deadline - time.monotonic())):
                break
        return self._zygote.ended(self._process.id)

    def _end(self) -> None:
        """Kills its group and waits for the zygote's report."""
        if self._zygote.ended(self._process.id) is not None:
            return
        self._zygote.end(self._process.id)
        if self._await_end(30.0) is None:
            raise ZygoteLost


def _number_of(told: Any) -> float:
    return float(told) if isinstance(told, (int, float)) and math.isfinite(told) else 0.0


def _fresh_number() -> int:
    """Not a counter: an answer can't be written before the question is read."""
    return int.from_bytes(os.urandom(7), "little")
