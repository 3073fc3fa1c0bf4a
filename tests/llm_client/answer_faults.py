"""Answers that are whole and of no use, or of use in an odd way."""

from __future__ import annotations

import json

from fault_server import Connection
from faults import (
    NO_STREAM,
    SCHEMA,
    USAGE,
    WHOLE,
    Expected,
    answered,
    begin_messages,
    chat_piece,
    end_messages,
    fault,
    finish_chat,
    good_chat,
    good_response,
    response,
    typed,
)

# -- answers that are whole and of no use -----------------------------------------------------------------------------


@fault(Expected("content_filter", failure={"text": "Hel"}))
def answer_is_filtered(c: Connection) -> None:
    c.head()
    c.event({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]})
    c.event(chat_piece("Hel"))
    finish_chat(c, "content_filter")


@fault(Expected("refused_by_model", detail="I can't"))
def refusal_in_chat(c: Connection) -> None:
    c.head()
    c.event(chat_piece(refusal="I can't"))
    finish_chat(c)


@fault(Expected("refused_by_model", detail="I can't"), protocol="responses")
def refusal_in_responses(c: Connection) -> None:
    c.head()
    typed(c, "response.refusal.delta", delta="I can't")
    typed(c, "response.completed", response=response())


@fault(Expected("refused_by_model", failure={"output_tokens": 6}), protocol="messages")
def refusal_in_messages(c: Connection) -> None:
    begin_messages(c)
    end_messages(c, "refusal")


@fault(Expected("empty_reply", requests=2))
def empty_reply(c: Connection) -> None:
    c.head()
    finish_chat(c)


@fault(Expected("empty_reply", requests=2))
def empty_body(c: Connection) -> None:
    c.answer("200 OK", "")


answered(
    "null_content",
    "200 OK",
    {"choices": [{"message": {"content": None}, "finish_reason": "stop"}], "usage": USAGE},
    Expected("empty_reply", requests=2),
    request=NO_STREAM,
)


@fault(Expected("empty_reply", requests=2, detail="reasoning only", failure={"reasoning": "Hm."}), dialect="vllm")
def reasoning_only(c: Connection) -> None:
    c.head()
    c.event(chat_piece(reasoning_content="Hm."))
    finish_chat(c)


@fault(Expected(text="Hello", reply={"reasoning": "Hm."}), dialect="openrouter")
def reasoning_apart(c: Connection) -> None:
    c.head()
    c.event(chat_piece(reasoning="Hm.", content=""))
    c.event(chat_piece("Hello"))
    finish_chat(c)


@fault(Expected(text="Hello", reply={"reasoning": "Hm."}), dialect="llama.cpp")
def reasoning_in_the_text(c: Connection) -> None:
    good_chat(c, "<thi", "nk>Hm.</th", "ink>\n\nHel", "lo")


@fault(Expected("output_limit", failure={"text": "Hel", "output_tokens": 2}))
def cut_at_the_limit(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    finish_chat(c, "length")


@fault(Expected("output_limit"), protocol="responses", dialect="llama.cpp", request={"output_tokens": 16})
def completed_on_a_cut_answer(c: Connection) -> None:
    c.head()
    typed(c, "response.output_text.delta", delta="Hel")
    typed(c, "response.completed", response=response(output_tokens=16))


@fault(Expected("tool_call", requests=2))
def tool_call_in_chat(c: Connection) -> None:
    c.head()
    c.event(chat_piece(tool_calls=[{"index": 0, "id": "t", "function": {"name": "shell", "arguments": "{}"}}]))
    finish_chat(c, "tool_calls")


@fault(Expected("tool_call", requests=2, failure={"tool_calls": ["shell"]}), protocol="messages")
def tool_call_in_messages(c: Connection) -> None:
    begin_messages(c)
    typed(c, "content_block_start", index=0, content_block={"type": "tool_use", "name": "shell", "input": {}})
    typed(c, "content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": "{}"})
    end_messages(c, "tool_use")


@fault(WHOLE)
def choices_side_by_side(c: Connection) -> None:
    c.head()
    for text in ("Hel", "lo"):
        other = chat_piece("other")
        other["choices"][0]["index"] = 1
        c.event(other)
        c.event(chat_piece(text))
    finish_chat(c)


ASKED_FOR_JSON = {"schema": {"name": "n", "json": json.dumps(SCHEMA)}}


@fault(
    Expected(
        text='{"n": 3}',
        reply={"structured": '{"n": 3}'},
        last_body=lambda x: x["response_format"]["json_schema"]["strict"],
    ),
    request=ASKED_FOR_JSON,
)
def json_of_the_schema(c: Connection) -> None:
    good_chat(c, '{"n":', " 3}")


@fault(
    Expected(text='```json\n{"n": 3}\n```', reply={"structured": '{"n": 3}'}),
    request=ASKED_FOR_JSON,
    dialect="deepseek",
)
def json_in_a_fence(c: Connection) -> None:
    good_chat(c, '```json\n{"n": 3}\n```')


@fault(Expected("schema_mismatch", requests=2, detail="n: expected integer, got string"), request=ASKED_FOR_JSON)
def json_of_another_schema(c: Connection) -> None:
    good_chat(c, '{"n": "3"}')


@fault(Expected("schema_mismatch", requests=2), request=ASKED_FOR_JSON, protocol="responses", dialect="llama.cpp")
def schema_is_ignored(c: Connection) -> None:
    good_response(c)


answered(
    "schema_that_cannot_be_checked",
    "200 OK",
    {},
    Expected("bad_request", requests=0, detail='"pattern"'),
    request={"schema": {"name": "n", "json": '{"type":"string","pattern":"a"}'}},
)
