"""A node that is not ours: messages/PROTOCOL.md in Python, with pyzmq and msgpack alone."""

from __future__ import annotations

import base64
import time
from dataclasses import dataclass, field
from typing import Any

import msgpack
import zmq

VERSION = {"major": 1, "minor": 0}
PART_BYTES = 256 << 10


def read_token(token: str) -> dict[str, Any]:
    """What a token holds; its last 8 letters are a check sum."""
    text = token.removeprefix("km1-")[:-9]
    return msgpack.unpackb(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


@dataclass
class Frame:
    kind: str
    head: dict[str, Any]
    body: bytes

    def message(self) -> dict[str, Any]:
        return msgpack.unpackb(self.body)


@dataclass
class ProtocolNode:
    """One node. Frames that come while it waits for others are kept in `waiting`."""

    token: dict[str, Any]
    name: str
    last_call: int = 0
    waiting: list[Frame] = field(default_factory=list)

    def __enter__(self) -> ProtocolNode:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 1000
        secret = self.token["secret"].encode()
        self.socket.curve_serverkey = self.token["server"].encode()
        self.socket.curve_publickey, self.socket.curve_secretkey = zmq.curve_public(secret), secret
        self.socket.setsockopt(zmq.HEARTBEAT_IVL, 2000)
        self.socket.connect(self.token["address"])
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()
        self.context.term()

    # -- frames -------------------------------------------------------------------------------------------------------

    def send(self, kind: str, head: dict[str, Any], body: bytes = b"") -> None:
        self.socket.send_multipart([msgpack.packb({"frame": {kind: head}}), body])

    def receive(self, limit_s: float = 60) -> Frame:
        assert self.socket.poll(limit_s * 1000), f"nothing came within {limit_s} s"
        head, body = self.socket.recv_multipart()
        ((kind, content),) = msgpack.unpackb(head)["frame"].items()
        return Frame(kind, content, body)

    def poll(self, limit_s: float) -> Frame | None:
        """The next frame, if there is one by then."""
        if self.waiting:
            return self.waiting.pop(0)
        return self.receive() if self.socket.poll(limit_s * 1000) else None

    def next(self, kind: str) -> Frame:
        """The next frame of a kind; others are kept."""
        for i, frame in enumerate(self.waiting):
            if frame.kind == kind:
                return self.waiting.pop(i)
        while (frame := self.receive()).kind != kind:
            self.waiting.append(frame)
        return frame

    # -- what a node says ---------------------------------------------------------------------------------------------

    def hello(self, version: dict[str, int] = VERSION) -> Frame:
        """Joins; the answer is a welcome or a refusal."""
        head = {"version": version, "build": "a Python test", "name": self.name, "instance": self.name}
        self.send("hello", {**head, "clock_ms": int(time.time() * 1000), "window": 4})
        return self.receive()

    def lend(self, offer: dict[str, Any]) -> None:
        self.tell("members", "lent_resource", {"offer": {**offer, "node": self.name}, "ready": True})

    def tell(self, actor: str, message: str, content: dict[str, Any]) -> None:
        self.send("tell", {"actor": actor, "message": message}, msgpack.packb(content))

    def ask(self, actor: str, message: str, content: dict[str, Any]) -> dict[str, Any]:
        self.last_call += 1
        head = {"id": self.last_call, "actor": actor, "message": message, "timeout_ms": 60_000}
        self.send("call", head, msgpack.packb(content))
        answer = self.next("answer")
        assert (answer.head["id"], answer.head["failure"]) == (self.last_call, None), answer.head
        return answer.message()

    def read_blob(self, content_hash: str) -> bytes:
        read = b""
        while True:
            part = self.ask("blobs", "read_blob", {"hash": content_hash, "offset": len(read)})
            read += part["bytes"]
            if len(read) >= part["size_bytes"]:
                return read

    def write_blob(self, content_hash: str, content: bytes) -> None:
        head = {"node": self.name, "hash": content_hash, "size_bytes": len(content)}
        for offset in range(0, max(1, len(content)), PART_BYTES):
            part = content[offset : offset + PART_BYTES]
            written = self.ask("blobs", "write_blob", {**head, "offset": offset, "bytes": part})
        assert written["whole"]

    def progress(self, call: Frame, share: float, text: str) -> None:
        self.send("progress", {"id": call.head["id"], "share": share, "text": text})

    def answer(self, call: Frame, outcome: dict[str, Any]) -> None:
        """A stage's result: it names the stage and attempt that were asked for."""
        request = call.message()
        result = {x: request[x] for x in ("stage", "attempt", "kind", "candidate")}
        self.send("answer", {"id": call.head["id"], "failure": None}, msgpack.packb({**result, "outcome": outcome}))
