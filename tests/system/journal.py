"""A run's journal, read beside the process that writes it (actors/JOURNAL.md)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgpack


@dataclass(frozen=True)
class Fact:
    number: int
    job: str
    kind: str
    content: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        """Of stage_finished and stage_failed."""
        return self.content["result"]

    @property
    def rejection(self) -> dict[str, Any] | None:
        """What is wrong with the candidate, if this is such a verdict."""
        finding = self.result["outcome"].get("verdict", {}).get("finding", {}) if self.kind == "stage_finished" else {}
        return finding["rejected"]["failure"] if "rejected" in finding else None


class Journal:
    def __init__(self, file: Path) -> None:
        self.file = file

    def rows(self) -> list[tuple[int, str, str, bytes]]:
        """Empty as long as there is no journal, or its tables are not made yet."""
        if not self.file.exists():
            return []
        try:
            database = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)
            try:
                return database.execute("select number, job, kind, body from facts order by number").fetchall()
            finally:
                database.close()
        except sqlite3.OperationalError:
            return []

    def count(self) -> int:
        return len(self.rows())

    def facts(self) -> list[Fact]:
        made = []
        for number, job, kind, body in self.rows():
            record = msgpack.unpackb(body)
            assert (record["number"], record["job"]) == (number, job)
            made.append(Fact(number, job, kind, record["content"][kind]))
        return made

    def of_kind(self, *kinds: str) -> list[Fact]:
        return [x for x in self.facts() if x.kind in kinds]

    def stages(self, kind: str) -> list[Fact]:
        """Outcomes of the stages of one kind: trace, compile, verify, time."""
        return [x for x in self.of_kind("stage_finished", "stage_failed") if x.result["kind"] == kind]

    def lost_stages(self) -> list[Fact]:
        """Those that failed for good; a profile is not tried again, and nothing depends on it."""
        return [x for x in self.of_kind("stage_failed") if x.result["kind"] != "profile"]


def _once(things: list[object], what: str) -> None:
    twice = [x for x, n in Counter(things).items() if n != 1]
    assert not twice, f"{what} more than once: {twice}"


def assert_whole(journal: Journal) -> None:
    """The run ended, and nothing in its journal is missing or doubled."""
    facts = journal.facts()
    assert [x.number for x in facts] == list(range(1, len(facts) + 1))
    assert [x.kind for x in facts if x.kind.startswith("run_")] == ["run_started", "run_finished"]
    assert (facts[0].kind, facts[-1].kind) == ("run_started", "run_finished")
    jobs = [x["job"] for x in facts[0].content["spec"]["jobs"]]
    assert {x.job for x in facts if x.kind == "job_started"} == set(jobs)  # once more each time it is taken up
    assert sorted(x.job for x in facts if x.kind == "job_finished") == sorted(jobs)
    results = [x for x in facts if x.kind in ("stage_finished", "stage_failed")]
    _once([x.result["stage"] for x in results], "outcomes of stages")
    _once([(x.job, x.content["question"]) for x in facts if x.kind == "reply_received"], "replies")
    made = [x for x in facts if x.kind == "candidate_created"]  # two questions may lead to the same program
    _once([(x.job, x.content["candidate"], x.content["question"]) for x in made], "candidates")
