"""Answers that refuse: limits, money, keys, parameters, prompts that are too long."""

from __future__ import annotations

import email.utils
import time

from fault_server import Connection
from faults import KEY, Expected, answered, begin_messages, end_messages, fault, good_chat, message_text

# -- limits and money -------------------------------------------------------------------------------------------------

RATE = {
    "error": {
        "message": "Rate limit reached for m on requests per min (RPM)",
        "type": "requests",
        "code": "rate_limit_exceeded",
    }
}


@fault(Expected(text="Hello", requests=2))
def rate_limit_with_seconds(c: Connection) -> None:
    c.answer("429 Too Many Requests", RATE, "Retry-After: 1") if c.attempt == 1 else good_chat(c)


@fault(Expected(text="Hello", requests=2))
def rate_limit_with_date_of_a_server_whose_clock_is_wrong(c: Connection) -> None:
    there = time.time() - 86_400
    date, later = email.utils.formatdate(there, usegmt=True), email.utils.formatdate(there + 1, usegmt=True)
    c.answer("429 Too Many Requests", RATE, f"Date: {date}", f"Retry-After: {later}") if c.attempt == 1 else good_chat(
        c
    )


answered("rate_limit_without_patience", "429 Too Many Requests", RATE, Expected("rate_limited", requests=2))
answered(
    "rate_limit_for_an_hour",
    "429 Too Many Requests",
    RATE,
    Expected("rate_limited", requests=1, failure={"retry_after_ms": 3_600_000}),
    "Retry-After: 3600",
)
answered(
    "quota_at_openai",
    "429 Too Many Requests",
    {
        "error": {
            "message": "You exceeded your current quota, please check your plan",
            "type": "insufficient_quota",
            "code": "insufficient_quota",
        }
    },
    Expected("quota_exhausted"),
)
answered(
    "quota_at_deepseek",
    "402 Payment Required",
    {
        "error": {
            "message": "Insufficient Balance",
            "type": "unknown_error",
            "param": None,
            "code": "invalid_request_error",
        }
    },
    Expected("quota_exhausted"),
    dialect="deepseek",
)
answered(
    "quota_at_anthropic",
    "400 Bad Request",
    {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to access the API"},
    },
    Expected("quota_exhausted"),
    protocol="messages",
)
answered(
    "fails_over",
    "500 Internal Server Error",
    {"error": "boom"},
    Expected(text="Hello", requests=1),
    then=["chat_stream_of_the_next"],
)


@fault(Expected(text="Hello", requests=2))
def chat_stream_of_the_next(c: Connection) -> None:
    good_chat(c)


# -- refusals of the request ------------------------------------------------------------------------------------------

answered(
    "key_is_wrong_and_comes_back",
    "401 Unauthorized",
    {
        "error": {
            "message": f"Incorrect API key provided: {KEY}. Yours begins {KEY[:14]} and ends {KEY[-14:]}",
            "code": "invalid_api_key",
        }
    },
    Expected("unauthorized", detail="[key]"),
)
answered(
    "forbidden", "403 Forbidden", {"error": {"message": "no access", "type": "permission_error"}}, Expected("forbidden")
)
answered(
    "no_such_model",
    "404 Not Found",
    {"error": {"message": "The model `m` does not exist", "type": "invalid_request_error", "code": "model_not_found"}},
    Expected("not_found", detail="does not exist"),
)
answered("request_too_large", "413 Content Too Large", "<html><title>413</title></html>", Expected("request_too_large"))


@fault(
    Expected(text="Hello", requests=2, last_body=lambda x: "temperature" not in x and x["top_p"] == 0.5),
    request={"temperature": 0.5, "top_p": 0.5},
)
def temperature_is_refused(c: Connection) -> None:
    error = {
        "message": "Unsupported value: 'temperature' does not support 0.5",
        "param": "temperature",
        "code": "unsupported_value",
    }
    c.answer("400 Bad Request", {"error": error}) if "temperature" in c.request.body else good_chat(c)


@fault(Expected(text="Hello", requests=2, last_body=lambda x: x["max_tokens"] == 16384))
def limit_has_its_older_name(c: Connection) -> None:
    error = {
        "message": "Unrecognized request argument supplied: max_completion_tokens",
        "type": "invalid_request_error",
    }
    c.answer("400 Bad Request", {"error": error}) if "max_completion_tokens" in c.request.body else good_chat(c)


@fault(Expected(text="Hello", requests=2, last_body=lambda x: "seed" not in x), request={"seed": 5}, dialect="vllm")
def seed_is_an_extra_input(c: Connection) -> None:
    detail = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 5}]
    c.answer("422 Unprocessable Entity", {"detail": detail}) if "seed" in c.request.body else good_chat(c)


@fault(
    Expected(text="Hello", requests=2, last_body=lambda x: "thinking" not in x and x["max_tokens"] == 16384),
    request={"effort": "low"},
    protocol="messages",
)
def thinking_is_refused(c: Connection) -> None:
    if "thinking" in c.request.body:
        error = {"type": "invalid_request_error", "message": "thinking.budget_tokens: Extra inputs are not permitted"}
        return c.answer("400 Bad Request", {"type": "error", "error": error})
    begin_messages(c)
    message_text(c, "Hello")
    return end_messages(c)


answered(
    "refuses_the_same_for_ever",
    "400 Bad Request",
    {"error": {"message": "Unsupported parameter", "param": "temperature", "code": "unsupported_parameter"}},
    Expected("parameter_refused", requests=2, failure={"parameter": "temperature"}),
    request={"temperature": 1.0},
)
answered(
    "bad_request",
    "400 Bad Request",
    {"error": {"message": "messages: at least one is wanted"}},
    Expected("bad_request"),
)

TOO_LONG = {
    "openai": {
        "error": {
            "message": "This model's maximum context length is 128000 tokens. However, your messages had 130000.",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    },
    "azure": {
        "error": {
            "message": "This model's maximum context length is 8192 tokens, however you requested 9000 tokens",
            "type": "invalid_request_error",
            "param": "messages",
            "code": None,
        }
    },
    "vllm": {
        "object": "error",
        "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "type": "BadRequestError",
        "param": None,
        "code": 400,
    },
    "sglang": {
        "object": "error",
        "message": "Requested token count exceeds the model's maximum context length of 8192 tokens.",
        "type": "BadRequestError",
        "code": 400,
    },
    "ollama": {"error": {"message": "the input length exceeds the context length", "type": "invalid_request_error"}},
    "llama.cpp": {
        "error": {
            "code": 400,
            "message": "request (4031 tokens) exceeds the available context size (2048 tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 4031,
            "n_ctx": 2048,
        }
    },
    "deepseek": {
        "error": {
            "message": "This model's maximum context length is 131072 tokens. However, you requested 140000",
            "type": "invalid_request_error",
            "code": "invalid_request_error",
        }
    },
    "openrouter": {
        "error": {
            "message": "This endpoint's maximum context length is 32768 tokens.",
            "code": 400,
            "metadata": {"provider_name": "X"},
        }
    },
}
for name, body in TOO_LONG.items():
    label = "context_too_long_at_" + name.replace(".", "_")
    answered(label, "400 Bad Request", body, Expected("context_too_long"), dialect=name)
for number, words in enumerate(
    (
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
    )
):
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": words}}
    answered(
        f"context_too_long_at_anthropic_{number}",
        "400 Bad Request",
        body,
        Expected("context_too_long"),
        protocol="messages",
    )
body = {
    "error": {
        "message": "Your input exceeds the context window of this model.",
        "type": "invalid_request_error",
        "code": "context_length_exceeded",
    }
}
answered("context_too_long_at_responses", "400 Bad Request", body, Expected("context_too_long"), protocol="responses")

answered(
    "prompt_is_filtered_at_azure",
    "400 Bad Request",
    {
        "error": {
            "message": "The response was filtered",
            "code": "content_filter",
            "innererror": {"code": "ResponsibleAIPolicyViolation"},
        }
    },
    Expected("content_filter"),
    dialect="azure",
)
