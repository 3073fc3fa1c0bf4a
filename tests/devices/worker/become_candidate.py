"""Plays a zygote without torch: makes one candidate, prints what it could do as a Python literal. Any Python does."""

import os

from kernelmesh_worker import sandbox


def attempt(call):  # noqa: ANN001, ANN201
    try:
        call()
    except OSError as error:
        return error.strerror
    return "done"


def look() -> list:
    sandbox.become_candidate(sandbox.Permissions(folder=os.environ["HOME"]))
    return [
        os.getpid(),
        os.listdir("/candidate"),
        sorted(x for x in os.listdir("/proc") if x.isdigit()),
        attempt(os.fork),
        attempt(lambda: open("/candidate/more", "w")),
        attempt(lambda: open("/proc/1/mem", "rb")),
        attempt(lambda: open("/tmp/own", "w")),
    ]


def main() -> None:
    namespaces = sandbox.PidNamespaces()
    read_end, write_end = os.pipe()
    with namespaces.fresh() as init:
        pid = os.fork()
        if pid == 0:
            try:
                os.write(write_end, repr(look()).encode())
            finally:
                os._exit(0)
    os.close(write_end)
    with open(read_end, encoding="utf-8") as pipe:
        print(pipe.read(), flush=True)
    os.waitpid(pid, 0)
    os.kill(init, 9)
    os.waitpid(init, 0)


if __name__ == "__main__":
    main()
