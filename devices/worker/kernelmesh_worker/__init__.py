"""The Python side of a node's workers: judge, zygote with its candidates, compiler. See ../PROTOCOL.md."""

WORKER_VERSION = 1
