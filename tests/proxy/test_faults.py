"""Every fault of the contract (§7) on every API that exists, whole and streamed, over real sockets: its type, and
what the default rules decide. A new API joins by existing; a row that differs for an API stands in OWN."""

from __future__ import annotations

import json

import httpx2
import pytest

from adapters.errors import DEFAULT_ON_ERRORS
from proxy.demo import emulated as apis
from tests.serving import Served, config_of

TYPES = {
    "fault-400": "invalid_request_error",
    "fault-401": "upstream_auth_error",
    "fault-402": "billing_error",
    "fault-403": "upstream_auth_error",
    "fault-404": "not_found_error",
    "fault-408": "timeout_error",
    "fault-409": "api_error",
    "fault-413": "request_too_large",
    "fault-422": "invalid_request_error",
    "fault-429": "rate_limit_error",
    "fault-500": "api_error",
    "fault-502": "api_error",
    "fault-503": "overloaded_error",
    "fault-504": "timeout_error",
    "fault-524": "timeout_error",
    "fault-529": "overloaded_error",
    "fault-quota": "billing_error",
    "fault-context": "context_length_exceeded",
    "fault-auth": "upstream_auth_error",
    "fault-empty": "malformed_response",
    "fault-malformed": "malformed_response",
    "fault-silent": "timeout_error",
}
"""Before any content, whole and streamed."""

STREAMED = {
    "fault-error-first": "api_error",
    "fault-cut": "stream_interrupted",
    "fault-reset": "stream_interrupted",
    "fault-stall": "timeout_error",
}
"""Faults of streams: the first before content, the others after some."""

OWN = {
    ("anthropic-messages", "fault-error-first"): "overloaded_error",
}
"""(api, fault) -> type, where the API's own table says otherwise."""

ROWS = [(api, fault, stream) for api in apis() for fault in TYPES for stream in (False, True)]
TEXT = {"messages": [{"role": "user", "content": "hi"}]}


LIMITS = {"": "total: 60", "-silent": "first_content: 0.4, total: 0.4", "-stall": "idle: 0.4"}
"""Short only where the fault is that nothing comes: on a busy machine an answer takes its time."""


def target(api, fault):
    kind = fault.removeprefix("fault")
    return f"{api}{kind if kind in LIMITS else ''}/{fault}"


@pytest.fixture(scope="module")
def faulty(emulated):
    providers = "".join(
        f'  {api}{kind}: {{api: {api}, base_url: "{emulated.base_url(api)}", api_key: k, timeout: {{{limits}}}}}\n'
        for api in apis()
        for kind, limits in LIMITS.items()
    ) + f'  good: {{api: openai-chat, base_url: "{emulated.base_url("openai-chat")}", api_key: k}}\n'
    routes = "".join(
        f"  {api}--{fault}: {{target: {target(api, fault)}, fallbacks: [good/agent], retry: {{attempts: 1}}}}\n"
        for api in apis()
        for fault in (*TYPES, *STREAMED, "fault-refusal", "fault-bad-arguments")
    )
    with Served(config_of(f"providers:\n{providers}models:\n{routes}")) as served:
        yield served


def ask(served, model, stream, **more):
    served.app.circuits.records.clear()  # each row for itself: a lasting failure opens its circuit at once
    return httpx2.post(f"{served.base}/v1/chat/completions", json={"model": model, "stream": stream, **TEXT, **more})


def first_attempt(served, response):
    """The log line of the request's first attempt."""
    served.lines("request", 1)
    wanted = response.headers["x-request-id"]
    with served._said:
        served._said.wait_for(
            lambda: any(e == "request" and f["request_id"] == wanted for e, f in served.logged), timeout=5
        )
    return next(f for e, f in served.logged if e == "attempt" and f["request_id"] == wanted)


@pytest.mark.parametrize("api, fault, stream", ROWS, ids=[f"{a}-{f}-{'stream' if s else 'whole'}" for a, f, s in ROWS])
def test_type_and_decision(faulty, api, fault, stream):
    expected = OWN.get((api, fault), TYPES[fault])
    response = ask(faulty, f"{api}--{fault}", stream)
    attempt = first_attempt(faulty, response)
    assert attempt["target"] == target(api, fault) and attempt["type"] == expected
    if expected in DEFAULT_ON_ERRORS:
        assert response.status_code == 200 and response.headers["x-toolwire-target"] == "good/agent"
        assert response.headers["x-toolwire-attempts"] == "2"
    else:
        error = response.json()["error"]
        assert error["type"] == expected and len(error["attempts"]) == 1
        assert response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize("api", apis())
def test_an_error_event_before_content_is_replaced_unseen(faulty, api):
    response = ask(faulty, f"{api}--fault-error-first", True)
    assert first_attempt(faulty, response)["type"] == OWN.get((api, "fault-error-first"), STREAMED["fault-error-first"])
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == "good/agent"
    assert response.text.count('"role":"assistant"') == 1 and response.text.endswith("data: [DONE]\n\n")


@pytest.mark.parametrize("fault", ["fault-cut", "fault-reset", "fault-stall"])
@pytest.mark.parametrize("api", apis())
def test_a_break_after_content_looks_broken(faulty, api, fault):
    response = ask(faulty, f"{api}--{fault}", True)
    expected = OWN.get((api, fault), STREAMED[fault])
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == target(api, fault)
    *_, last = [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: ")]
    assert last["error"]["type"] == expected
    assert "[DONE]" not in response.text and '"finish_reason":"stop"' not in response.text
    assert first_attempt(faulty, response)["type"] == expected


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", apis())
def test_a_refusal_is_an_answer(faulty, api, stream):
    response = ask(faulty, f"{api}--fault-refusal", stream)
    attempt = first_attempt(faulty, response)
    assert response.status_code == 200 and response.headers["x-toolwire-target"] == f"{api}/fault-refusal"
    assert attempt["type"] == "ok"


def test_a_failure_with_usage_in_the_same_chunk_is_still_a_failure(emulated, faulty):
    """Mistral's finish_reason "error" comes with the usage so far (2026-11)."""
    response = ask(faulty, "mistral-chat/quirk-finish-error", True)
    attempt = first_attempt(faulty, response)
    assert attempt["type"] == "api_error"
    assert "[DONE]" not in response.text and '"type":"api_error"' in response.text


def test_a_field_that_an_older_host_refuses_is_left_out_and_named(emulated, faulty):
    """Old Azure versions know neither `stream_options` nor, then, `parallel_tool_calls` (2026-11)."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    emulated.requests.clear()
    response = ask(faulty, "openai-chat/agent-azure-old", True, tools=tools)
    assert (response.status_code, response.headers["x-toolwire-attempts"]) == (200, "2")
    assert "stream_options: left out" in response.headers["x-toolwire-warnings"]
    assert response.text.endswith("data: [DONE]\n\n")
    sent = [set(request.body) for request in emulated.requests]
    assert sent[0] - sent[1] == {"stream_options"} and sent[1] <= sent[0]
