"""What a candidate says while it is loaded stands beside what it raised; later nobody hears it."""

from __future__ import annotations

import pytest
from family import Family
from kernelmesh_worker.last_words import joined
from kernelmesh_worker.text import describe, error_line
from test_judging import ANSWERED, TASK, candidate, verified

COMPILERS = {
    "k.cpp:4:60: error: expected ';' before '}' token": "k.cpp:4:60: error: expected ';' before '}' token",
    "[1/2] c++ main.cpp\nFAILED: main.o\nmain.cpp:3:2: fatal error: x.h: No such file": "main.cpp:3:2: fatal error: "
    "x.h: No such file",
    "k.cu(3): error: identifier 'y' is undefined\n1 error detected": "k.cu(3): error: identifier 'y' is undefined",
    "a.o: in function f:\na.cpp:(.text+5): undefined reference to `g'": "a.cpp:(.text+5): undefined reference to `g'",
    "ptxas fatal   : Unresolved extern function 'f'": "ptxas fatal   : Unresolved extern function 'f'",
    "warning: unused variable\nall is well": "",
}


@pytest.mark.parametrize("said", COMPILERS)
def test_the_line_that_names_an_error_is_found(said: str) -> None:
    assert error_line(said) == COMPILERS[said]


def test_an_error_further_down_is_told_behind_the_beginning() -> None:
    text = "Error building extension: " + "c++ -I/usr/include " * 30 + "\nk.cpp:1:1: error: no\n1 error"
    said = describe(RuntimeError(text))
    assert said.startswith("RuntimeError: Error building extension: c++") and said.endswith("...: k.cpp:1:1: error: no")
    assert describe(ValueError("plain\nmore")) == "ValueError: plain"


def test_what_was_said_stands_between_the_sentence_and_the_rest() -> None:
    assert joined("E: it failed\ntrace", "x\na: error: b") == "E: it failed (a: error: b)\nx\na: error: b\ntrace"
    assert joined("E: a: error: b", "a: error: b") == "E: a: error: b\na: error: b"
    assert joined("", "killed") == "killed"


def test_errors_of_a_compiler_that_a_candidate_starts_are_told(family: Family) -> None:
    told = "os.write(2, b'k.cpp:1:2: error: no such thing\\n' + b'note: something\\n' * 9)"
    fate = verified(family.judge_python(TASK, f"import os\n{told}\nraise OSError('g++ ended with 1')\n{ANSWERED}"))[
        "fate"
    ]
    first, *others = fate["message"].split("\n")
    assert (fate["end"], first) == ("raised", "OSError: g++ ended with 1 (k.cpp:1:2: error: no such thing)")
    assert others.count("note: something") == 9


def test_who_ends_without_a_word_is_known_by_what_it_said(family: Family) -> None:
    fate = verified(
        family.judge_python(TASK, f"import os\nos.write(2, b'free(): bad pointer')\nos.abort()\n{ANSWERED}")
    )
    assert (fate["fate"]["end"], fate["fate"]["message"]) == ("killed", "Aborted\nfree(): bad pointer")


def test_floods_hold_nobody_up(family: Family) -> None:
    """More than a pipe holds, while it is loaded and in its calls."""
    flood = "os.write(2, b'warning\\n' * 40000)"
    source = candidate(f"{flood}; return y", before=flood)
    assert verified(family.judge_python(TASK, source))["fate"]["end"] == "finished"
