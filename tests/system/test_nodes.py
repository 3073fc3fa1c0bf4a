"""Nodes that join a run: its stages are carried out there, and a node that is lost costs nothing but time."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from cluster import CPU_NODE, Cluster, end_node, simulated_node
from conftest import new_home
from home import ROOT, Home
from journal import assert_whole
from protocol_node import Frame, ProtocolNode, read_token
from simulated_run import SIMULATED
from task_files import task

COMPILER = {"name": "pool.python/compiler.cpp", "kinds": ["static", "compile"], "dsls": ["cpp"], "slots": 1}


@pytest.fixture
def cluster(home: Home) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(home, stack)


def killed(node: subprocess.Popen[str]) -> None:
    node.kill()
    node.wait()


# -- the run is carried out elsewhere ---------------------------------------------------------------------------------


def test_a_joined_node_carries_out_the_stages_of_a_run(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    node = cluster.start_node("one", simulated_node())
    cluster.joined("one", node)
    ended = cluster.home.end(run, limit_s=60)
    assert ended.code == 0, ended.err
    assert "nodes join at tcp://127.0.0.1:" in ended.err and "node pool.one joined" in ended.err
    assert cluster.runners() == {"pool.one/simulated:0", "pool.one/compiler.cpp"}
    assert_whole(cluster.home.only_journal())
    facts = cluster.home.only_journal()
    (spec,) = facts.of_kind("run_started")[0].content["spec"]["jobs"]
    assert cluster.homes["one"].blob(spec["task"]).exists()  # travelled there
    artifact = facts.stages("compile")[0].result["outcome"]["verdict"]["finding"]["compiled"]["artifact"]
    assert cluster.home.blob(artifact).exists()  # and back
    assert end_node(cluster.homes["one"], node).code == 0


def test_a_node_that_is_killed_in_a_stage_loses_it_to_another_and_nothing_is_recorded_twice(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    slow = cluster.start_node("slow", simulated_node(verify_ms=3_000_000))
    cluster.said(run, "/verify: pool.slow/simulated:0")
    cluster.start_node("quick", simulated_node())
    cluster.said(run, "resource_joined pool.quick/simulated:0")
    killed(slow)
    cluster.said(run, "node pool.slow is gone: the connection went down")
    ended = cluster.home.end(run, limit_s=60)
    assert ended.code == 0, ended.err
    assert_whole(cluster.home.only_journal())
    assert not cluster.home.only_journal().lost_stages()
    (first, *_) = cluster.home.only_journal().stages("verify")
    assert (first.result["resource"], first.result["attempt"]) == ("pool.quick/simulated:0", 2)


def test_a_node_that_is_told_to_leave_gives_back_what_it_has_at_the_cost_of_no_attempt(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    slow = cluster.start_node("slow", simulated_node(verify_ms=3_000_000))
    cluster.said(run, "/verify: pool.slow/simulated:0")
    left = end_node(cluster.homes["slow"], slow)
    assert left.code == 0 and "leaving; what runs is given back" in left.err
    cluster.said(run, "node pool.slow is gone: it left: it was stopped")
    cluster.start_node("quick", simulated_node())
    ended = cluster.home.end(run, limit_s=60)
    assert ended.code == 0, ended.err
    assert_whole(cluster.home.only_journal())
    assert {x.result["attempt"] for x in cluster.home.only_journal().of_kind("stage_finished")} == {1}


def test_a_node_outlives_a_run_and_works_for_the_next(cluster: Cluster) -> None:
    node = cluster.start_node("one", simulated_node())
    for _ in range(2):
        ended = cluster.home.end(cluster.start_run(cluster.run_config()), limit_s=60)
        assert ended.code == 0, ended.err
    assert node.poll() is None
    assert cluster.homes["one"].said(node).count("joined tcp://") == 2


def test_a_node_that_is_silent_is_lost_and_works_again_when_it_wakes(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config(silence_ms=600))
    node = cluster.start_node("one", simulated_node(verify_ms=400))
    cluster.said(run, "/verify: pool.one/simulated:0")
    node.send_signal(signal.SIGSTOP)
    cluster.said(run, "node pool.one is gone: the connection went down")
    node.send_signal(signal.SIGCONT)
    ended = cluster.home.end(run, limit_s=60)
    assert ended.code == 0, ended.err
    assert_whole(cluster.home.only_journal())
    assert not cluster.home.only_journal().lost_stages()
    assert ended.err.count("node pool.one joined") >= 2


def test_a_node_finds_a_coordinator_again_that_was_killed_and_resumed(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    node = cluster.start_node("one", simulated_node(ms=50, verify_ms=50))
    cluster.said(run, "/verify: pool.one/simulated:0")
    killed(run)
    ended = cluster.home.run("resume", cluster.home.runs()[0], "--json", limit_s=60)
    assert ended.code == 0, ended.err
    assert_whole(cluster.home.only_journal())
    assert node.poll() is None and cluster.homes["one"].said(node).count("joined tcp://") == 2


@pytest.mark.long
@pytest.mark.alone
def test_a_cpu_on_a_joined_node_does_real_work_and_may_be_killed_in_it(cluster: Cluster) -> None:
    more = "limits: {evaluations: 3}\nstrategy: {enough_roofline_share: 10}\njudge: {timing_budget: 200ms}"
    run = cluster.start_run(cluster.run_config("cpu:0", "gelu", more))
    first = cluster.start_node("first", CPU_NODE)
    cluster.said(run, "/verify: pool.first/cpu:0")
    killed(first)
    second = cluster.start_node("second", CPU_NODE)
    ended = cluster.home.end(run, limit_s=240)
    assert ended.code == 0, ended.err
    (job,) = ended.document("kernelmesh.run/1")["jobs"]
    assert job["best"]["verify"]["verdict"] == "passed"
    assert_whole(cluster.home.only_journal())
    assert "pool.second/cpu:0" in cluster.runners()
    cluster.homes["first"].assert_nothing_runs()
    assert end_node(cluster.homes["second"], second).code == 0
    cluster.homes["second"].assert_nothing_runs()


# -- who may not join -------------------------------------------------------------------------------------------------


def test_a_key_of_another_coordinator_is_refused_on_both_sides(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    with new_home() as other:
        assert other.run("certs", "new", "pool").code == 0
        file = other.state / "certs" / "pool.node"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        foreign = other.run("certs", "token", "pool", "--address", f"127.0.0.1:{cluster.port}", "--json")
        node = cluster.start_node("one", simulated_node(), foreign.document("kernelmesh.certs/1")["token"])
        ended = cluster.homes["one"].end(node, limit_s=60)
        assert ended.code == 3
        assert ended.sentence().endswith(
            "who listens there does not have the coordinator's key of this token: "
            "ask for a new one, `kernelmesh certs token NAME`"
        )
    os.remove(cluster.home.state / "certs" / "pool.node")  # the coordinator is the right one, and knows the key no more
    node = cluster.start_node("two", simulated_node())
    ended = cluster.homes["two"].end(node, limit_s=60)
    assert ended.code == 3 and "the coordinator does not know the key of this token" in ended.sentence()
    cluster.said(run, "refused: a node with the unknown key ")
    run.terminate()


def test_another_first_number_of_the_version_is_refused_in_one_sentence_on_both_sides(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config())
    with ProtocolNode(read_token(cluster.token), "pool.future") as node:
        refused = node.hello({"major": 2, "minor": 0})
        assert refused.kind == "refusal"
        sentence = refused.head["reason"]["detail"]
        assert sentence == (
            'node "pool.future" (a Python test) speaks version 2.0 of the link protocol, this side 1.0: '
            "both need the same first number, so install the same release on both"
        )
        cluster.said(run, f"refused: {sentence[:150]}")
        assert node.hello({"major": 1, "minor": 99}).kind == "welcome"
    run.terminate()


def test_a_second_node_of_a_name_is_told_to_take_another(cluster: Cluster) -> None:
    cluster.start_run(cluster.run_config())
    first = cluster.start_node("one", simulated_node())
    cluster.joined("one", first)
    again = cluster.home_of("again")
    config = again.write("node.yaml", simulated_node())
    ended = again.run("node", "--join", cluster.token, "--name", "pool.one", "--system", config)
    assert ended.code == 3
    assert 'node "pool.one" has joined from another process: give each a name of its own' in ended.sentence()


@pytest.mark.parametrize("token", ["", "nonsense", "km1-AAAA-00000000", "@/nowhere"])
def test_a_bad_token_is_one_sentence(home: Home, token: str) -> None:
    ended = home.run("node", "--join", token)
    assert ended.code == 2 and len(ended.err.strip().splitlines()) == 1, ended.err


def test_a_name_that_is_not_the_tokens_is_refused(cluster: Cluster) -> None:
    ended = cluster.home.run("node", "--join", cluster.token, "--name", "other")
    assert ended.code == 2 and ended.sentence().startswith('kernelmesh: --name: this token is for nodes called "pool"')


def test_nothing_listens_where_others_reach_it_without_keys(home: Home) -> None:
    home.write("relu.py", task("relu"))
    config = home.write("run.yaml", SIMULATED.format(ms=2).replace("system:\n", "system:\n  listen: 0.0.0.0:7411\n"))
    ended = home.run("run", config)
    assert ended.code == 2
    assert "there are no keys yet: make one with `kernelmesh certs new NAME`" in ended.sentence()


def test_certs_say_what_is_wrong(home: Home) -> None:
    assert home.run("certs", "new", "pool").code == 0
    assert "there is a key for pool already" in home.run("certs", "new", "pool").sentence()
    assert "can't be a node's name" in home.run("certs", "new", "a.b").sentence()
    assert "there is no key for" in home.run("certs", "token", "other", "--address", "h:1").sentence()
    assert "--address is missing" in home.run("certs", "token", "pool").sentence()
    assert "is no address" in home.run("certs", "token", "pool", "--address", "h").sentence()


# -- a node in another language ---------------------------------------------------------------------------------------


def test_a_node_written_from_the_protocol_alone_joins_takes_a_compile_request_and_answers_it(cluster: Cluster) -> None:
    run = cluster.start_run(cluster.run_config(more="limits: {evaluations: 1}"))
    device = cluster.start_node("device", simulated_node().partition("compilers:")[0] + "compilers: []")
    cluster.joined("device", device)
    with ProtocolNode(read_token(cluster.token), "pool.python") as node:
        assert node.hello().kind == "welcome"
        node.lend(COMPILER)
        while run.poll() is None:
            frame = node.poll(0.2)
            if frame and frame.kind == "call":
                build(node, frame)
    ended = cluster.home.end(run, limit_s=60)
    assert ended.code == 0, ended.err
    assert "half built" in ended.err
    assert cluster.runners() == {"pool.python/compiler.cpp", "pool.device/simulated:0"}
    assert_whole(cluster.home.only_journal())


def build(node: ProtocolNode, call: Frame) -> None:
    """Reads the candidate's first source, and says that this is what comes of it."""
    request = call.message()
    assert (call.head["actor"], call.head["message"]) == ("pool.python/compiler.cpp", "stage_request")
    node.progress(call, 0.5, "half built")
    source = json.loads(node.read_blob(request["manifest"]))["sources"][0]["blob"]
    content = node.read_blob(source)
    node.write_blob(source, content)
    done = {"artifact": source, "size_bytes": len(content), "toolchain": "none"}
    node.answer(call, {"verdict": {"finding": {"compiled": done}}})


def test_every_frame_and_message_of_the_protocol_is_written_down() -> None:
    folder = ROOT / "messages"
    text = (folder / "PROTOCOL.md").read_text()
    for header in ("link_frame", "membership", "blob"):
        said = (folder / "records" / f"{header}.hpp").read_text().partition("// -- inside a node")[0]
        names = re.findall(r'wire_name = "(\w+)"', said)
        assert names and [x for x in names if f"`{x}`" not in text] == []
