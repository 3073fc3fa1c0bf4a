"""Packets between judge, zygote and candidates: MessagePack over SEQPACKET sockets, descriptors beside it."""

from __future__ import annotations

import array
import os
import socket
from typing import Any

import msgpack

PACKET_BYTES = 64 << 10
MOST_DESCRIPTORS = 16


class Unreadable(Exception):
    """A packet that is too long, no MessagePack, or has more in it than is allowed."""


def unpack(data: bytes, limit_bytes: int = PACKET_BYTES) -> dict[str, Any]:
    """A map with text keys. Memory is bounded by the input's length: every value takes at least a byte of it."""
    if len(data) > limit_bytes:
        raise Unreadable("too long")
    try:
        message = msgpack.unpackb(data, max_ext_len=0)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise Unreadable(str(error) or type(error).__name__) from error
    if not isinstance(message, dict) or not all(isinstance(key, str) for key in message):
        raise Unreadable("not a map")
    return message


def send(sock: socket.socket, message: dict[str, Any], descriptors: tuple[int, ...] = ()) -> None:
    packet = msgpack.packb(message)
    if len(packet) > PACKET_BYTES:
        raise Unreadable("too long")
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([packet], rights)


def receive(sock: socket.socket) -> dict[str, Any] | None:
    """None: closed. Descriptors that come with it are dropped by the kernel."""
    data = sock.recv(PACKET_BYTES + 1)
    return unpack(data) if data else None


def receive_with_descriptors(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """None: closed. The descriptors are the caller's to close; they close on exec."""
    room = socket.CMSG_SPACE(MOST_DESCRIPTORS * 4)
    data, ancillary, _, _ = sock.recvmsg(PACKET_BYTES + 1, room, socket.MSG_CMSG_CLOEXEC)
    found = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(content[: len(content) - len(content) % found.itemsize])
    if not data:
        return None
    try:
        return unpack(data), list(found)
    except Unreadable:
        close_all(list(found))
        raise


def close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
