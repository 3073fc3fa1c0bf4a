"""A worker's ZeroMQ connection to its owner. The only importer of zmq."""

from __future__ import annotations

from typing import Any

import msgpack
import zmq

FRAME_BYTES = 64 << 20  # worker_message_bytes of messages/records/worker.hpp; the owner hangs up on whoever sends more


class HubClosed(Exception):
    """The owner's socket is gone."""


class UnreadableCommand(Exception):
    """What the owner sent is no command."""


class Hub:
    """One DEALER socket; every method from the thread that made it."""

    def __init__(self, endpoint: str, worker_id: str) -> None:
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.ROUTING_ID, worker_id.encode())
        self._socket.setsockopt(zmq.LINGER, 1000)
        self._socket.setsockopt(zmq.MAXMSGSIZE, FRAME_BYTES)
        self._socket.setsockopt(zmq.SNDHWM, 0)
        self._monitor = self._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self._poller = zmq.Poller()
        self._poller.register(self._socket, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._socket.connect(endpoint)

    def watch(self, descriptor: int) -> None:
        """`wait` returns also when this descriptor can be read."""
        self._poller.register(descriptor, zmq.POLLIN)

    def wait(self) -> list[dict[str, Any]]:
        """Blocks until something happens; the commands that have arrived, none if it was a watched descriptor."""
        events = dict(self._poller.poll())
        commands = []
        while self._socket.get(zmq.EVENTS) & zmq.POLLIN:
            commands.append(_unpack(self._socket.recv()))
        if not commands and self._monitor in events:
            raise HubClosed
        return commands

    def send(self, command: int, kind: str, record: dict[str, Any]) -> None:
        frame = _pack(command, kind, record)
        if len(frame) > FRAME_BYTES:
            said = f"the answer takes {len(frame)} bytes, more than the {FRAME_BYTES} of a message"
            frame = _pack(command, "failed", {"message": said})
        self._socket.send(frame)

    def close(self) -> None:
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close()
        self._context.term()


def _pack(command: int, kind: str, record: dict[str, Any]) -> bytes:
    return msgpack.packb({"id": command, "content": {kind: record}})


def _unpack(frame: bytes) -> dict[str, Any]:
    try:
        command = msgpack.unpackb(frame)
    except (ValueError, msgpack.UnpackException) as error:
        raise UnreadableCommand(str(error)) from error
    work = command.get("work") if isinstance(command, dict) else None
    if not isinstance(work, dict) or len(work) != 1 or not isinstance(command.get("id"), int):
        raise UnreadableCommand("a command is {id, work: {kind: record}}")
    return command
