"""Faults of streams, of bytes and of time."""

from __future__ import annotations

import gzip
import json

from fault_server import Connection
from faults import (
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
    good_chat_bytes,
    message_text,
    response,
    typed,
)

CUT = Expected("cut_stream", requests=2, failure={"text": "Hel"}, quick=True)


# -- errors within an answer ------------------------------------------------------------------------------------------


@fault(Expected(text="Hello", requests=2))
def error_event_in_chat(c: Connection) -> None:
    if c.attempt > 1:
        return good_chat(c)
    c.head()
    c.event(chat_piece("Hel"))
    return c.event({"error": {"message": "The server had an error", "type": "server_error", "code": None}})


@fault(Expected("server_error", requests=2, failure={"provider_code": "502"}), dialect="openrouter")
def error_with_a_numeric_code(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error"}
    c.event({"id": "c", "error": {"code": 502, "message": "Provider returned error"}, "choices": [choice]})


@fault(Expected("overloaded", requests=2, detail="overloaded_error"), protocol="messages")
def error_event_in_messages(c: Connection) -> None:
    begin_messages(c)
    typed(c, "error", error={"type": "overloaded_error", "message": "Overloaded"})


@fault(Expected("server_error", requests=2, detail="it broke"), protocol="responses")
def failed_response(c: Connection) -> None:
    c.head()
    error = {"code": "server_error", "message": "it broke"}
    typed(c, "response.failed", response=response("failed", error=error))


@fault(Expected("context_too_long"), protocol="responses")
def error_event_in_responses(c: Connection) -> None:
    c.head()
    typed(c, "error", code="context_length_exceeded", message="Your input exceeds the context window", param=None)


answered(
    "error_with_status_200",
    "200 OK",
    {"error": {"message": "no room", "code": 503}},
    Expected("overloaded", requests=2, failure={"provider_code": "503"}),
    dialect="openrouter",
)
LOADING = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}


@fault(Expected(text="Hello", requests=2), dialect="llama.cpp")
def loads_the_model(c: Connection) -> None:
    c.answer("503 Service Unavailable", LOADING) if c.attempt == 1 else good_chat(c)


@fault(Expected(text="Hello", requests=2), protocol="messages")
def overloaded_at_anthropic(c: Connection) -> None:
    if c.attempt == 1:
        error = {"type": "overloaded_error", "message": "Overloaded"}
        return c.answer("529 Overloaded", {"type": "error", "error": error})
    begin_messages(c)
    message_text(c, "Hello")
    return end_messages(c)


# -- streams that end too early ---------------------------------------------------------------------------------------


@fault(CUT)
def cut_in_mid_token(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    c.send('data: {"choices":[{"index":0,"delta":{"con')


@fault(CUT)
def cut_between_tokens(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))


@fault(CUT)
def done_without_a_reason(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    c.event("[DONE]")


@fault(CUT, dialect="vllm")
def aborted_by_the_server(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    finish_chat(c, "abort")


@fault(CUT)
def cut_in_a_chunk(c: Connection) -> None:
    c.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    data = f"data: {json.dumps(chat_piece('Hel'))}\n\n"
    c.send(f"{len(data):x}\r\n{data}\r\n40\r\ndata: ")


@fault(CUT)
def reset_in_the_stream(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    c.wait_for_client_to_go(0.3)  # it reads what came first
    c.reset()


@fault(Expected("connection_failed", requests=2, quick=True))
def reset_before_an_answer(c: Connection) -> None:
    c.reset()


@fault(Expected("connection_failed", requests=2, quick=True))
def closed_before_an_answer(c: Connection) -> None:
    c.socket.close()


@fault(Expected("cut_stream", requests=2), protocol="messages")
def cut_in_messages(c: Connection) -> None:
    begin_messages(c)
    message_text(c, "Hel")


@fault(Expected("cut_stream", requests=2), protocol="responses")
def cut_in_responses(c: Connection) -> None:
    c.head()
    typed(c, "response.output_text.delta", delta="Hel")


@fault(Expected("cut_stream", requests=2))
def cut_in_a_character(c: Connection) -> None:
    c.head()
    c.send(b'data: {"choices":[{"index":0,"delta":{"content":"H' + b"\xc3")


@fault(Expected(text="Hello", reply={"reported": False}))
def ends_without_done_and_usage(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hello"))
    c.event(chat_piece(finish="stop"))


@fault(Expected(text="Hello", quick=True))
def stays_open_when_it_is_done(c: Connection) -> None:
    good_chat(c)
    c.wait_for_client_to_go()


# -- odd bytes that mean the same -------------------------------------------------------------------------------------


@fault(Expected(text="Héllo", quick=True))
def one_byte_a_packet(c: Connection) -> None:
    c.head()
    for byte in good_chat_bytes():
        c.send(bytes([byte]))


@fault(Expected(text="Héllo"))
def line_ends_split_over_packets(c: Connection) -> None:
    c.head()
    for piece in good_chat_bytes().replace(b"\r\n", b"\r|\n").split(b"|"):
        c.send(piece)
        c.stopped.wait(0.005)  # so that it is a packet of its own


@fault(Expected(text="Héllo"))
def line_ends_of_old(c: Connection) -> None:
    c.head()
    c.send(b"\xef\xbb\xbf" + good_chat_bytes().replace(b"\r\n", b"\r"))


@fault(WHOLE, dialect="openrouter")
def comments_between(c: Connection) -> None:
    c.head()
    for text in ("Hel", "lo"):
        c.send(": OPENROUTER PROCESSING\n\n:\n\n")
        c.event(chat_piece(text))
    finish_chat(c)


@fault(Expected(text="H\ufffdllo"))
def bytes_that_are_no_text(c: Connection) -> None:
    c.head()
    c.send(b'data: {"choices":[{"index":0,"delta":{"content":"H' + b'\xc3"}}]}\n\n')
    c.event(chat_piece("llo"))
    finish_chat(c)


@fault(Expected(text="H\ufffdllo"))
def half_of_a_surrogate_pair(c: Connection) -> None:
    c.head()
    c.event(r'{"choices":[{"index":0,"delta":{"content":"H\ud83d"}}]}')
    c.event(chat_piece("llo"))
    finish_chat(c)


@fault(WHOLE)
def compressed_unasked(c: Connection) -> None:
    c.head("200 OK", "text/event-stream", "Content-Encoding: gzip")
    events = [chat_piece("Hello"), chat_piece(finish="stop"), {"choices": [], "usage": USAGE}]
    c.send(gzip.compress("".join(f"data: {json.dumps(x)}\n\n" for x in events).encode()))


@fault(WHOLE)
def usage_with_every_chunk(c: Connection) -> None:
    c.head()
    for count, text in enumerate(("Hel", "lo"), 1):
        c.event({**chat_piece(text), "usage": {"prompt_tokens": 7, "completion_tokens": count}})
    c.event({**chat_piece(finish="stop"), "usage": USAGE})
    c.event({"choices": [], "usage": USAGE})
    c.event("[DONE]")


@fault(WHOLE, protocol="responses", dialect="llama.cpp")
def events_without_places(c: Connection) -> None:
    c.head()
    for text in ("Hel", "lo"):
        typed(c, "response.output_text.delta", delta=text)
    typed(c, "response.completed", response=response())


@fault(WHOLE)
def wrong_content_type(c: Connection) -> None:
    c.head("200 OK", "application/octet-stream")
    c.event(chat_piece("Hello"))
    finish_chat(c)


@fault(WHOLE, dialect="deepseek")
def document_after_blank_lines(c: Connection) -> None:
    c.head("200 OK", "application/json")
    c.send("\n\n \n")
    choice = {"message": {"content": "Hello"}, "finish_reason": "stop"}
    c.send(json.dumps({"choices": [choice], "usage": USAGE}))


@fault(WHOLE)
def early_hints(c: Connection) -> None:
    c.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
    good_chat(c)


# -- what is no reply -------------------------------------------------------------------------------------------------

PAGE = "<!DOCTYPE html><html><head><title>Sign in to the network</title></head></html>"


@fault(Expected("malformed_reply", requests=2, detail="Sign in to the network"))
def page_of_a_portal(c: Connection) -> None:
    c.answer("200 OK", PAGE, content_type="text/html")


@fault(Expected("server_error", requests=2, detail="502 Bad Gateway"))
def page_of_a_gateway(c: Connection) -> None:
    c.answer("502 Bad Gateway", "<html><title>502 Bad Gateway</title></html>", content_type="text/html")


@fault(Expected("malformed_reply", requests=2))
def event_that_is_no_json(c: Connection) -> None:
    c.head()
    c.event("{not json")


@fault(Expected("malformed_reply", requests=2, detail="no end", client_closes=True))
def line_without_end(c: Connection) -> None:
    c.head()
    c.send("data: ")
    for _ in range(6 << 4):
        c.send(b"x" * 65536)
    c.wait_for_client_to_go()


@fault(Expected("malformed_reply", requests=2, client_closes=True))
def compressed_bomb(c: Connection) -> None:
    c.head("200 OK", "text/event-stream", "Content-Encoding: gzip")
    c.send(gzip.compress(b"data: " + b"x" * (32 << 20), 9))
    c.wait_for_client_to_go()


@fault(Expected("server_error", requests=2, quick=True, client_closes=True))
def error_page_without_end(c: Connection) -> None:
    c.head("500 Internal Server Error", "text/plain")
    while not c.stopped.is_set():
        c.send(b"x" * 65536)


@fault(Expected("malformed_reply", requests=2, quick=True, client_closes=True))
def headers_without_end(c: Connection) -> None:
    c.send("HTTP/1.1 200 OK\r\n")
    while not c.stopped.is_set():
        c.send(b"X-A: " + b"x" * 8000 + b"\r\n")


@fault(Expected("malformed_reply", requests=2))
def no_http(c: Connection) -> None:
    c.send("SSH-2.0-OpenSSH_9.2\r\n")


# -- time -------------------------------------------------------------------------------------------------------------


@fault(Expected("first_token_timeout", requests=2, client_closes=True))
def silence(c: Connection) -> None:
    c.wait_for_client_to_go()


@fault(Expected("idle_timeout", requests=2, failure={"text": "Hel"}, client_closes=True))
def silence_after_a_token(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    c.wait_for_client_to_go()


@fault(Expected("first_token_timeout", requests=2, client_closes=True))
def headers_one_by_one(c: Connection) -> None:
    c.send("HTTP/1.1 200 OK\r\n")
    while not c.stopped.wait(0.05):
        c.send("X-A: b\r\n")


@fault(Expected("first_token_timeout", requests=2, client_closes=True), protocol="messages")
def flood_of_pings(c: Connection) -> None:
    begin_messages(c)
    while not c.stopped.wait(0.001):
        typed(c, "ping")


@fault(Expected("first_token_timeout", requests=2, client_closes=True))
def flood_of_comments(c: Connection) -> None:
    c.head()
    while not c.stopped.wait(0.001):
        c.send(":\n\n" * 10)


@fault(Expected("total_timeout", requests=1, client_closes=True))
def answer_without_end(c: Connection) -> None:
    c.head()
    while not c.stopped.wait(0.02):
        c.event(chat_piece("x"))


@fault(Expected("cancelled", client_closes=True, quick=True), cancel=True)
def cancelled_in_the_stream(c: Connection) -> None:
    c.head()
    c.event(chat_piece("Hel"))
    c.wait_for_client_to_go()
