"""What the fault server plays, and what must come of it: one function a fault, with what is expected. Here are the good
answers, to which the modules refusal_faults, answer_faults and stream_faults add their faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from fault_server import Connection, Scenario

KEY = "sk-test-5up3r53cr3t-0123456789abcdef"
USAGE = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@dataclass
class Expected:
    """Of one case. A failure has a kind, a reply has a text."""

    kind: str = ""
    text: str | None = None
    requests: int = 1
    detail: str = ""  # stands in the failure's sentence
    reply: dict = field(default_factory=dict)  # members of the reply, usage flattened into it
    failure: dict = field(default_factory=dict)
    last_body: Callable[[dict], bool] = lambda _: True
    quick: bool = False  # well before any deadline
    client_closes: bool = False


@dataclass
class Fault:
    name: str
    play: Scenario
    expected: Expected
    protocol: str = "chat_completions"
    dialect: str = "standard"
    request: dict = field(default_factory=dict)
    then: list[str] = field(default_factory=list)  # models to fail over to, by the name of their fault
    cancel: bool = False


FAULTS: list[Fault] = []


def fault(expected: Expected, **more: object) -> Callable[[Scenario], Scenario]:
    def add(play: Scenario) -> Scenario:
        FAULTS.append(Fault(play.__name__, play, expected, **more))
        return play

    return add


def answered(name: str, status: str, body: object, expected: Expected, *headers: str, **more: object) -> None:
    """A fault that is one whole answer."""
    FAULTS.append(Fault(name, lambda c: c.answer(status, body, *headers), expected, **more))


# -- good answers, to which faults are added --------------------------------------------------------------------------


def chat_piece(text: str | None = None, finish: str | None = None, **delta: object) -> dict:
    if text is not None:
        delta["content"] = text
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


def finish_chat(c: Connection, finish: str = "stop") -> None:
    c.event(chat_piece(finish=finish))
    c.event({"id": "c1", "choices": [], "usage": USAGE})
    c.event("[DONE]")


def good_chat(c: Connection, *texts: str) -> None:
    c.head()
    c.event(chat_piece(role="assistant", content=None))
    for text in texts or ("Hel", "lo"):
        c.event(chat_piece(text))
    finish_chat(c)


def good_chat_bytes() -> bytes:
    events = [chat_piece("Hé"), chat_piece("llo"), chat_piece(finish="stop"), {"choices": [], "usage": USAGE}]
    lines = [f"data: {json.dumps(x, ensure_ascii=False)}\r\n\r\n" for x in events]
    return "".join([*lines, "data: [DONE]\r\n\r\n"]).encode()


def typed(c: Connection, name: str, **data: object) -> None:
    c.event({"type": name, **data}, name)


def begin_messages(c: Connection) -> None:
    c.head()
    usage = {"input_tokens": 3, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 5, "output_tokens": 1}
    typed(c, "message_start", message={"id": "m1", "model": "claude", "content": [], "usage": usage})
    typed(c, "ping")


def message_text(c: Connection, text: str) -> None:
    typed(c, "content_block_start", index=0, content_block={"type": "text", "text": ""})
    typed(c, "content_block_delta", index=0, delta={"type": "text_delta", "text": text})
    typed(c, "content_block_stop", index=0)


def end_messages(c: Connection, reason: str = "end_turn") -> None:
    typed(c, "message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 6})
    typed(c, "message_stop")


def response(status: str = "completed", output_tokens: int = 2, **more: object) -> dict:
    usage = {"input_tokens": 7, "output_tokens": output_tokens, "input_tokens_details": {"cached_tokens": 4}}
    return {"id": "r1", "object": "response", "model": "m", "status": status, "output": [], "usage": usage, **more}


def good_response(c: Connection) -> None:
    c.head()
    typed(c, "response.created", response={"id": "r1", "status": "in_progress"}, sequence_number=0)
    for text in ("Hel", "lo"):
        typed(c, "response.output_text.delta", delta=text, output_index=0, content_index=0, sequence_number=1)
    typed(c, "response.completed", response=response(), sequence_number=3)


# -- what is no fault, and must work ----------------------------------------------------------------------------------

WHOLE = Expected(text="Hello", reply={"input_tokens": 7, "output_tokens": 2, "reported": True}, quick=True)


@fault(WHOLE)
def chat_stream(c: Connection) -> None:
    good_chat(c)


@fault(
    Expected(text="Hello", reply={"input_tokens": 7, "cached_input_tokens": 4, "output_tokens": 2}),
    protocol="responses",
)
def responses_stream(c: Connection) -> None:
    good_response(c)


@fault(
    Expected(
        text="Hello",
        reply={
            "input_tokens": 18,
            "cached_input_tokens": 10,
            "cache_written_tokens": 5,
            "output_tokens": 6,
            "reasoning": "Hm.",
        },
    ),
    protocol="messages",
)
def messages_stream(c: Connection) -> None:
    begin_messages(c)
    typed(c, "content_block_start", index=0, content_block={"type": "thinking", "thinking": ""})
    typed(c, "content_block_delta", index=0, delta={"type": "thinking_delta", "thinking": "Hm."})
    typed(c, "content_block_delta", index=0, delta={"type": "signature_delta", "signature": "x"})
    message_text(c, "Hello")
    end_messages(c)


NO_STREAM = {"stream": False}
answered(
    "chat_document",
    "200 OK",
    {
        "id": "c",
        "choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
        "usage": USAGE,
    },
    WHOLE,
    request=NO_STREAM,
)
answered(
    "responses_document",
    "200 OK",
    response(
        output=[
            {"type": "reasoning", "summary": [{"text": "Hm."}]},
            {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
        ]
    ),
    Expected(text="Hello", reply={"reasoning": "Hm.", "output_tokens": 2}),
    protocol="responses",
    request=NO_STREAM,
)
answered(
    "messages_document",
    "200 OK",
    {
        "id": "m",
        "content": [{"type": "text", "text": "Hello"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "cache_read_input_tokens": 6, "output_tokens": 2},
    },
    WHOLE,
    protocol="messages",
    request=NO_STREAM,
)
