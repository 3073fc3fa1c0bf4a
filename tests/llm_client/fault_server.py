"""A server of language models that misbehaves as it is told, over real sockets, plain and with TLS.

A scenario is a function of one Connection, which has read a request; what it writes is all that the client gets. The
scenario is chosen by the first part of the path, so that many run side by side at one port.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import struct
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Request:
    """As it came."""

    path: str
    headers: dict[str, str]
    body: dict

    @property
    def scenario(self) -> str:
        return self.path.split("/")[1] if "/" in self.path else ""


@dataclass
class Connection:
    """One request and what is sent back for it."""

    socket: socket.socket
    request: Request
    attempt: int  # from 1, of this scenario
    stopped: threading.Event
    client_gone: threading.Event = field(default_factory=threading.Event)

    def send(self, data: bytes | str) -> None:
        try:
            self.socket.sendall(data.encode() if isinstance(data, str) else data)
        except OSError:
            self.client_gone.set()
            raise

    def head(self, status: str = "200 OK", content_type: str = "text/event-stream", *more: str) -> None:
        """A head without a length: the body ends with the connection."""
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close", *more]
        self.send("\r\n".join(lines) + "\r\n\r\n")

    def answer(self, status: str, body: object, *more: str, content_type: str = "application/json") -> None:
        """A whole answer."""
        text = (
            body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        )
        self.head(status, content_type, f"Content-Length: {len(text)}", *more)
        self.send(text)

    def event(self, data: object, name: str = "") -> None:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self.send((f"event: {name}\n" if name else "") + f"data: {text}\n\n")

    def wait_for_client_to_go(self, most: float = 10) -> None:
        """Nothing comes from us any more; ends when the client closes, or the server does."""
        self.socket.settimeout(0.05)
        for _ in range(int(most / 0.05)):
            if self.stopped.is_set():
                return
            try:
                if not self.socket.recv(4096):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        self.client_gone.set()

    def reset(self) -> None:
        """RST in place of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


Scenario = Callable[[Connection], None]


class FaultServer:
    """Listens on loopback until it is closed. `requests` and `connections` are kept by scenario."""

    def __init__(self, scenarios: dict[str, Scenario], tls: ssl.SSLContext | None = None) -> None:
        self.scenarios = scenarios
        self.requests: dict[str, list[Request]] = defaultdict(list)
        self.connections: dict[str, list[Connection]] = defaultdict(list)
        self._tls = tls
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port: int = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> FaultServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), plain:
            plain.settimeout(20)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
            with connection:
                request = read_request(connection)
                if request:
                    self._play(connection, request)

    def _play(self, connection: socket.socket, request: Request) -> None:
        name = request.scenario
        with self._lock:
            self.requests[name].append(request)
            made = Connection(connection, request, len(self.requests[name]), self._stopped)
            self.connections[name].append(made)
        self.scenarios[name](made)


def read_request(connection: socket.socket) -> Request | None:
    """One request with its body; none where the client closed before."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {key.lower(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return Request(first.split(" ")[1], headers, json.loads(body) if body else {})


def make_authority(folder: Path, name: str = "localhost") -> ssl.SSLContext:
    """A new authority, `ca.pem`, and a server's context with a certificate of it for loopback and `name`."""
    run = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
    ]
    ca = [*run, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=kernelmesh test authority"]
    leaf = [
        *run,
        "-keyout",
        "leaf.key",
        "-out",
        "leaf.pem",
        "-subj",
        f"/CN={name}",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
    ]
    leaf += ["-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    for command in (ca, leaf):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "leaf.pem", folder / "leaf.key")
    return context
