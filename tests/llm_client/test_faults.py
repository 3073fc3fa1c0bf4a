"""Every fault that the server can play, against the client, side by side: each ends as it should."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import answer_faults  # noqa: F401  adds its faults to the list, as the next two do
import pytest
import refusal_faults  # noqa: F401
import stream_faults  # noqa: F401
from fault_server import Connection, FaultServer, make_authority
from faults import FAULTS, KEY, Expected, Fault, good_chat

BUILD = Path(os.environ.get("KERNELMESH_BUILD", Path(__file__).resolve().parents[2] / "build" / "dev"))
PROGRAM = BUILD / "kernelmesh-llm-cases"
LIMITS = """
  deadlines: {connect: 1s, first_token: 2s, idle: 1500ms, total: 4s}
  retry: {attempts: 2, first_wait: 20ms, longest_wait: 1500ms, breaker_failures: 100}
"""


def provider(x: Fault, port: int, **more: str) -> dict[str, str]:
    url = f"http://127.0.0.1:{port}/{x.name}/v1"
    return {
        "protocol": x.protocol,
        "dialect": x.dialect,
        "base_url": url,
        "key_variable": "TEST_KEY",
        "proxy": "none",
        **more,
    }


def run(folder: Path, providers: dict[str, dict[str, str]], what: str) -> str:
    """What the program printed; the key is nowhere in it."""
    models = {name: {"provider": name, "model": "m"} for name in providers}
    config = f"llm:\n  providers: {json.dumps(providers)}\n  models: {json.dumps(models)}{LIMITS}"
    (folder / "system.yaml").write_text(config)
    argv = [str(PROGRAM), str(folder / "system.yaml"), what]
    environment = {**os.environ, "TEST_KEY": KEY}
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    assert KEY[:14] not in done.stdout and KEY[-14:] not in done.stdout
    return done.stdout


def ask(folder: Path, providers: dict[str, dict[str, str]], cases: list[dict]) -> dict[str, dict]:
    """What became of each case."""
    file = folder / "cases.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in cases))
    return {x["name"]: x for x in map(json.loads, run(folder, providers, str(file)).splitlines())}


def case_of(x: Fault) -> dict:
    request = {"system": "You are terse.", "messages": [{"text": "Say hello."}], **x.request}
    return {"name": x.name, "models": [x.name, *x.then], "request": request, "cancel_on_text": x.cancel}


def flat(x: dict | None) -> dict:
    """A reply or failure with its usage, and a failure's partial reply, among its own members."""
    inner = [flat(value) for key, value in (x or {}).items() if key in ("usage", "partial")]
    return {key: value for part in (*inner, x or {}) for key, value in part.items()}


def deviations(name: str, want: Expected, got: dict, server: FaultServer) -> Iterator[str]:
    """Everything in which an outcome is not the expected one."""
    reply, failure = got["reply"], got["failure"]
    kind = failure["kind"] if failure else ""
    if kind != want.kind or (reply["text"] if reply else None) != want.text:
        yield f"{kind or reply}: {failure['detail'] if failure else ''}"
    if got["done"] != 1:
        yield f"its end was told {got['done']} times"
    if len(server.requests[name]) != want.requests:
        yield f"{len(server.requests[name])} requests, not {want.requests}: {[x['kind'] for x in got['failed']]}"
    if want.detail not in (failure["detail"] if failure else ""):
        yield f"not in its sentence: {want.detail}: {failure['detail']}"
    for members, found in ((want.reply, flat(reply)), (want.failure, flat(failure))):
        yield from (f"{key} is {found.get(key)}, not {x}" for key, x in members.items() if found.get(key) != x)
    if want.quick and got["total_ms"] > 1500:
        yield f"it took {got['total_ms']} ms"
    if server.requests[name] and not want.last_body(server.requests[name][-1].body):
        yield f"the last body: {server.requests[name][-1].body}"


def client_left(name: str, want: Expected, server: FaultServer) -> Iterator[str]:
    """Where a scenario goes on until then: did the client close the connection?"""
    for x in server.connections[name] if want.client_closes else []:
        if not x.client_gone.wait(5):
            yield "the client left its connection open"


@pytest.fixture
def scenarios() -> dict[str, object]:
    return {x.name: x.play for x in FAULTS}


def test_every_fault_ends_as_it_should(tmp_path: Path, scenarios: dict) -> None:
    assert len(FAULTS) > 90 and len(scenarios) == len(FAULTS)
    with FaultServer(scenarios) as server:
        providers = {x.name: provider(x, server.port) for x in FAULTS}
        found = ask(tmp_path, providers, [case_of(x) for x in FAULTS])
        wrong = [
            f"{x.name}: {problem}"
            for x in FAULTS
            for problem in (
                *deviations(x.name, x.expected, found[x.name], server),
                *client_left(x.name, x.expected, server),
            )
        ]
    assert not wrong, "\n".join(wrong)


def plain_case(name: str) -> Fault:
    return Fault(name, good_chat, Expected())


def test_a_redirect_is_not_followed_and_no_other_host_sees_the_key(tmp_path: Path) -> None:
    names = [f"redirect_{code}" for code in (301, 302, 303, 307, 308)]
    with FaultServer(dict.fromkeys([*names, "elsewhere"], good_chat)) as other:

        def redirect(c: Connection) -> None:
            code = c.request.scenario.removeprefix("redirect_")
            c.answer(f"{code} Moved", "", f"Location: http://localhost:{other.port}/elsewhere/v1?k={KEY}")

        with FaultServer(dict.fromkeys(names, redirect)) as server:
            providers = {name: provider(plain_case(name), server.port) for name in names}
            found = ask(tmp_path, providers, [case_of(plain_case(name)) for name in names])
    assert {x["failure"]["kind"] for x in found.values()} == {"redirected"}
    assert all(f"localhost:{other.port}: a key is sent" in x["failure"]["detail"] for x in found.values())
    assert not other.connections


def test_certificates_are_checked_and_a_ca_file_is_used(tmp_path: Path) -> None:
    ours, wrong = tmp_path / "ours", tmp_path / "wrong"
    ours.mkdir(), wrong.mkdir()
    context, misnamed = make_authority(ours), make_authority(wrong, "elsewhere.example")
    with (
        FaultServer({"trusted": good_chat, "stranger": good_chat}, context) as server,
        FaultServer({"misnamed": good_chat}, misnamed) as other,
    ):

        def at(name: str, host: str, port: int, ca: Path | None) -> dict[str, str]:
            more = {"ca_file": str(ca / "ca.pem")} if ca else {}
            return provider(plain_case(name), 0, base_url=f"https://{host}:{port}/{name}/v1", **more)

        providers = {
            "trusted": at("trusted", "localhost", server.port, ours),
            "stranger": at("stranger", "localhost", server.port, None),
            "misnamed": at("misnamed", "localhost", other.port, wrong),
        }
        found = ask(tmp_path, providers, [case_of(plain_case(name)) for name in providers])
    assert found["trusted"]["reply"]["text"] == "Hello", found["trusted"]
    for name in ("stranger", "misnamed"):
        assert found[name]["failure"]["kind"] == "tls_failed", found[name]
        assert len(found[name]["attempts"]) == 1
    assert list(server.requests) == ["trusted"] and not other.requests


def test_where_nobody_answers(tmp_path: Path) -> None:
    """Names that are none, ports that are closed, a handshake that never comes, a proxy that wants a password."""
    seen: list[Connection] = []

    def refuse(c: Connection) -> None:
        seen.append(c)
        c.answer("407 Proxy Authentication Required", "<html>no</html>", content_type="text/html")

    closed = socket.create_server(("127.0.0.1", 0))
    port = closed.getsockname()[1]
    closed.close()
    with socket.create_server(("127.0.0.1", 0)) as mute, FaultServer({"": refuse}) as proxy:
        urls = {
            "no_name": "http://nowhere.invalid/v1",
            "closed_port": f"http://127.0.0.1:{port}/v1",
            "mute": f"https://127.0.0.1:{mute.getsockname()[1]}/v1",
            "behind_proxy": "https://api.invalid/v1",
        }
        providers = {name: provider(plain_case(name), 0, base_url=url) for name, url in urls.items()}
        providers["behind_proxy"]["proxy"] = f"http://127.0.0.1:{proxy.port}"
        found = ask(tmp_path, providers, [case_of(plain_case(name)) for name in urls])
    kinds = {name: x["failure"]["kind"] for name, x in found.items()}
    assert kinds == {
        "no_name": "name_not_found",
        "closed_port": "connection_failed",
        "mute": "connect_timeout",
        "behind_proxy": "connection_failed",
    }, found
    assert seen and all("authorization" not in x.request.headers for x in seen)
    assert all(len(x["attempts"]) == 2 for x in found.values())


def test_a_probe_says_one_line_a_model_and_what_to_do(tmp_path: Path) -> None:
    def refuse(c: Connection) -> None:
        c.answer("401 Unauthorized", {"error": {"message": f"Incorrect API key provided: {KEY}"}})

    with FaultServer({"good": good_chat, "bad_key": refuse}) as server:
        providers = {name: provider(plain_case(name), server.port) for name in ("good", "bad_key", "no_key", "nobody")}
        providers["no_key"]["key_variable"] = "NOT_SET_ANYWHERE"
        providers["nobody"]["base_url"] = "http://nowhere.invalid/v1"
        lines = run(tmp_path, providers, "--probe").splitlines()
    assert [x.split()[1].rstrip(":") for x in lines] == ["bad_key", "good", "no_key", "nobody"]
    assert [x[0] for x in lines] == ["-", "+", "-", "-"]
    assert "answered 401: Incorrect API key provided: [key]; check the key in the variable TEST_KEY" in lines[0]
    assert "NOT_SET_ANYWHERE" in lines[2]
    assert lines[3].endswith("check base_url and proxy, and whether the server runs")
