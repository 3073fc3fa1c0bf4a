"""What a candidate's process can reach: nothing that it was not given."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from boxed_zygote import BoxedZygote
from boxes import SOURCES, SYSTEM, WORKER, build_folder
from family import Family, children_of
from test_judging import ANSWERED, TASK, candidate, fate, verified

pytestmark = pytest.mark.skipif(build_folder() is None, reason="KERNELMESH_BUILD does not name the guard's folder")

HERE = Path(__file__).parent
ATTEMPT = """
import errno
def attempt(call):
    try:
        call()
    except OSError as error:
        return errno.errorcode[error.errno]
    return 'done'
"""


@pytest.fixture(scope="module")
def zygote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoxedZygote]:
    zygote = BoxedZygote(tmp_path_factory.mktemp("zygote"))
    yield zygote
    zygote.close()


def tells(zygote: BoxedZygote, script: str, **may: Any) -> Any:
    """The one thing that the script tells."""
    told = zygote.run(script, **may)
    assert told.end is not None and told.end.signal == 0
    (word,) = told.words
    return word


def attempts(zygote: BoxedZygote, calls: list[str], **may: Any) -> list[str]:
    listed = ", ".join(f"lambda: {call}" for call in calls)
    return tells(zygote, ATTEMPT + f"tell([attempt(x) for x in ({listed},)])", **may)


# -- files ------------------------------------------------------------------------------------------------------------


def test_home_state_and_the_judges_folder_are_not_there(zygote: BoxedZygote, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key", encoding="ascii")
    hidden = [secret, zygote.folder, SOURCES / "README.md", SOURCES / "tests", Path.home() / ".ssh", "/etc/shadow"]
    there = tells(zygote, f"tell([os.path.exists(x) for x in {[str(x) for x in hidden]}])")
    assert not any(there)


def test_its_folder_is_shown_read_only_and_under_one_name(zygote: BoxedZygote) -> None:
    folder = zygote.folder / "shown"
    folder.mkdir()
    (folder / "model.py").write_text("x = 1", encoding="ascii")
    script = "tell(os.listdir('/candidate'), open('/candidate/model.py').read(), os.path.exists(PLACE))"
    told = tells(zygote, script.replace("PLACE", repr(str(folder))), folder=str(folder))
    assert told == (["model.py"], "x = 1", False)
    calls = ["open('/candidate/more', 'w')", "open('/candidate/model.py', 'a')", "os.unlink('/candidate/model.py')"]
    assert set(attempts(zygote, calls, folder=str(folder))) <= {"EROFS", "EACCES"}


def test_it_writes_to_its_own_tmp_alone(zygote: BoxedZygote) -> None:
    mark = f"/tmp/kernelmesh-{os.getpid()}"
    places = [mark, "/dev/shm/x", "/x", "/usr/x", "/etc/passwd", "/proc/sys/kernel/core_pattern"]
    outcomes = attempts(zygote, [f"open({x!r}, 'w')" for x in places])
    assert outcomes[:2] == ["done", "done"]
    assert not any(x == "done" for x in outcomes[2:])
    assert not Path(mark).exists()
    assert tells(zygote, f"tell(os.path.exists({mark!r}), os.getcwd(), os.environ['HOME'])") == (False, "/tmp", "/tmp")


def test_a_file_of_two_gigabytes_fails(zygote: BoxedZygote) -> None:
    script = "f = open('/tmp/large', 'wb')\ntell([attempt(lambda: f.truncate(n << 20)) for n in (1024, 2048)])"
    assert tells(zygote, ATTEMPT + script) == ["done", "EFBIG"]


# -- processes --------------------------------------------------------------------------------------------------------


def test_it_sees_and_signals_no_process_but_its_own(zygote: BoxedZygote) -> None:
    seen, parent = tells(zygote, "tell(sorted(int(x) for x in os.listdir('/proc') if x.isdigit()), os.getppid())")
    assert (seen, parent) == ([1, 2], 0)
    calls = ["os.kill(-1, 9)", f"os.kill({zygote.process.pid}, 9)", "os.kill(0, 0)"]
    assert attempts(zygote, calls) == ["ESRCH", "ESRCH", "done"]
    assert tells(zygote, "os.kill(1, 9); os.kill(1, 15); tell(os.path.exists('/proc/1'))")


def test_it_reaches_neither_memory_nor_files_of_its_init(zygote: BoxedZygote) -> None:
    calls = [f"open('/proc/1/mem', '{mode}')" for mode in ("rb", "r+b")]
    calls += ["open('/proc/1/environ', 'rb').read()", "os.listdir('/proc/1/root')", "os.readlink('/proc/1/exe')"]
    assert attempts(zygote, calls) == ["EACCES"] * 5


def test_it_starts_no_process_unless_it_may(zygote: BoxedZygote) -> None:
    import_and = "__import__('subprocess').run(['true'])"
    assert attempts(zygote, ["os.fork()", import_and, "os.posix_spawn('/bin/true', ['true'], {})"]) == ["EPERM"] * 3
    assert attempts(zygote, [import_and], processes=True) == ["done"]


def test_a_process_that_it_left_ends_with_it(zygote: BoxedZygote) -> None:
    script = "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\ntell(1)\nos.read(3, 1)"
    fork, end = zygote.start(script, processes=True)
    end.recv(100)
    before = len(_below(zygote.process.pid))
    end.close()
    assert zygote.ended(fork) is not None
    assert len(_below(zygote.process.pid)) <= before - 3  # it, the sleeper and their init


def _below(pid: int) -> list[int]:
    children = children_of(pid)
    return children + [x for child in children for x in _below(child)]


def test_threads_work_and_are_bounded(zygote: BoxedZygote) -> None:
    script = """
import threading
done = []
threads = [threading.Thread(target=lambda: done.append(1)) for _ in range(8)]
[x.start() for x in threads]
[x.join() for x in threads]
gate = threading.Event()
try:
    for count in range(100000):
        threading.Thread(target=gate.wait, daemon=True).start()
except RuntimeError:
    pass
tell(len(done), count)
os._exit(0)
"""
    done, count = tells(zygote, script)
    assert done == 8
    assert 100 < count < 512 + 8 * (os.cpu_count() or 1) + 1


def test_a_signal_of_its_own_is_reported_as_it_is(zygote: BoxedZygote) -> None:
    for name in ("SIGABRT", "SIGTERM", "SIGSEGV", "SIGKILL"):
        end = zygote.run(f"import signal; os.kill(os.getpid(), signal.{name})").end
        assert end is not None and end.signal == signal.Signals[name]


# -- rights -----------------------------------------------------------------------------------------------------------


def test_it_opens_no_socket_and_has_no_network(zygote: BoxedZygote) -> None:
    calls = [f"socket.socket(socket.AF_{x})" for x in ("INET", "INET6", "UNIX", "NETLINK")]
    assert attempts(zygote, [*calls, "socket.socketpair()"]) == ["EPERM"] * 4 + ["done"]


def test_calls_that_lead_out_are_refused(zygote: BoxedZygote) -> None:
    numbers = {"ptrace": 101, "process_vm_readv": 310, "perf_event_open": 298, "bpf": 321, "io_uring_setup": 425}
    numbers |= {"setns": 308, "unshare": 272, "mount": 165, "keyctl": 250, "userfaultfd": 323, "pidfd_open": 434}
    numbers |= {"sched_setaffinity": 203, "chroot": 161, "open_by_handle_at": 304, "setpriority": 141}
    script = f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def refused(number):
    ctypes.set_errno(0)
    return libc.syscall(number, *[ctypes.c_long(0)] * 6) == -1 and ctypes.get_errno() == errno.EPERM
tell([name for name, number in {numbers}.items() if not refused(number)], attempt(lambda: os.memfd_create('x')))
"""
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86-64")
    assert tells(zygote, ATTEMPT + script) == ([], "ENOSYS")


def test_it_has_no_capabilities_and_few_descriptors(zygote: BoxedZygote) -> None:
    status = tells(zygote, "tell(open('/proc/self/status').read())")
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {lines[x] for x in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")} == {"0" * 16}
    assert (lines["NoNewPrivs"], lines["Seccomp"]) == ("1", "2")
    open_ones = tells(zygote, "tell(len(os.listdir('/proc/self/fd')))")
    assert open_ones == 6  # the standard ones, the socket, the order, the folder that is listed
    assert tells(zygote, "import resource; tell(resource.getrlimit(resource.RLIMIT_NOFILE))") == (256, 256)


# -- the zygote -------------------------------------------------------------------------------------------------------


def test_a_sandbox_that_cannot_be_made_is_a_failure_to_fork(zygote: BoxedZygote) -> None:
    with pytest.raises(Exception, match="cannot show /no/such/folder in a sandbox"):
        zygote.run("tell(1)", folder="/no/such/folder")
    assert tells(zygote, "tell(1)") == 1


def test_many_candidates_side_by_side_are_apart(zygote: BoxedZygote) -> None:
    started = [zygote.start("tell(os.getpid(), os.listdir('/tmp'))\nos.read(3, 1)") for _ in range(4)]
    words = {end.recv(1000) for _, end in started}
    assert len(words) == 1  # each is the second process of its own namespace
    for fork, _ in started[:2]:
        zygote.client.end(fork)
    assert [zygote.ended(fork) is not None for fork, _ in started[:2]] == [True, True]
    for fork, end in started[2:]:
        end.shutdown(socket.SHUT_RDWR)
        assert zygote.ended(fork) is not None
    for _, end in started:
        end.close()


PLAIN_USER = 65534


def test_it_is_the_same_where_the_owner_is_no_root() -> None:
    """With the system's Python: that of the tests may lie where only root may go."""
    build = build_folder()
    if os.geteuid() != 0 or shutil.which("setpriv") is None or not Path("/usr/bin/python3").exists():
        pytest.skip("the other tests ran as a plain user, or there is no way to be one")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder, own = Path(name), Path(name, "own")
        shutil.copytree(WORKER / "kernelmesh_worker", folder / "kernelmesh_worker")
        for file in (build / "kernelmesh-guard", build / "libkernelmesh-sandbox.so", HERE / "become_candidate.py"):
            shutil.copy(file, folder)
        own.mkdir()
        (own / "model.py").touch()
        for path in (folder, own):
            path.chmod(0o755)
        os.chown(own, PLAIN_USER, PLAIN_USER)
        lines = [f"ro {x}" for x in (*SYSTEM, *map(str, folder.iterdir())) if Path(x).exists() and x != str(own)]
        spec = "\n".join([*lines, f"rw {own}", "keep-caps"])
        argv = ["setpriv", f"--reuid={PLAIN_USER}", f"--regid={PLAIN_USER}", "--clear-groups"]
        argv += [str(folder / "kernelmesh-guard"), str(os.getpid()), "--sandbox", spec]
        argv += ["/usr/bin/python3", str(folder / "become_candidate.py")]
        library = {"KERNELMESH_SANDBOX_LIBRARY": str(folder / "libkernelmesh-sandbox.so")}
        plain = {"PATH": "/usr/bin:/bin", "HOME": str(own), "KERNELMESH_SANDBOX": "namespaces"}
        done = subprocess.run(argv, env=plain | library, cwd=own, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    refused = ["Operation not permitted", "Read-only file system", "Permission denied", "done"]
    assert eval(done.stdout) == [2, ["model.py"], ["1", "2"], *refused]  # noqa: S307 - of our own script


# -- through the judge ------------------------------------------------------------------------------------------------


def test_figures_name_the_sandbox(family: Family) -> None:
    assert verified(family.judge_python(TASK, ANSWERED))["sandbox"] == "namespaces"


@pytest.mark.parametrize("attack", ["os.fork()", "os.system('true') and 1 / 0", "__import__('socket').socket()"])
def test_a_judged_candidate_can_do_none_of_it(family: Family, attack: str) -> None:
    end = fate(family.judge_python(TASK, candidate(f"{attack}; return y")))
    assert end["end"] == "raised", end


def test_openmp_and_torchs_threads_work_in_it(family: Family) -> None:
    code = candidate("assert torch.get_num_threads() == len(os.sched_getaffinity(0)); return torch.relu(y)")
    assert fate(family.judge_python(TASK, code))["end"] == "finished"


# -- profilers --------------------------------------------------------------------------------------------------------

LOOPBACK = """
import ctypes, socket
def talk():
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname(), 5) as there:
            there.sendall(b"hello")
            return server.accept()[0].recv(5)
def count_events():
    attributes = ctypes.create_string_buffer((8 << 32 | 1).to_bytes(8, "little") + bytes(120), 128)
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(298, attributes, 0, -1, -1, 0) < 0:
        raise OSError(ctypes.get_errno(), "")
"""


def test_a_profiler_has_a_network_of_its_own_and_nobody_else_is_in_it(zygote: BoxedZygote) -> None:
    with socket.create_server(("127.0.0.1", 0)) as outside:
        port = outside.getsockname()[1]
        reach = f"socket.create_connection(('127.0.0.1', {port}), 5)"
        listed = ATTEMPT + LOOPBACK + f"tell([attempt(talk), attempt(lambda: {reach}), attempt(os.fork)])"
        assert tells(zygote, "import os\n" + listed, profiler="/usr/bin") == ["done", "ECONNREFUSED", "EPERM"]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of the call is that of x86-64")
def test_a_profiler_may_ask_for_counters_and_others_may_not(zygote: BoxedZygote) -> None:
    script = ATTEMPT + LOOPBACK + "tell(attempt(count_events))"
    assert tells(zygote, script) == "EPERM"
    assert tells(zygote, script, profiler="/usr/bin") != "EPERM"  # what the machine counts is another matter
