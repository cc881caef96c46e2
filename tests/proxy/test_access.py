"""Client keys: where they may stand, what they may ask for, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from proxy.config.load import read
from proxy.emulate import Emulation
from tests.proxy.talk import asked, http
from tests.serving import Served, demo

CLIENTS = """\
clients:
  - {name: all, key: all-key}
  - {name: some, key: some-key, models: [gpt, "openai-chat/*", "cl*"]}
  - {name: slow, key: slow-key, requests_per_minute: 2}
"""
DIALECTS = ["chat", "responses", "messages", "gemini"]


@pytest.fixture(scope="module")
def served(emulated: Emulation) -> Iterator[Served]:
    with Served(demo(emulated, CLIENTS)) as running:
        yield running


def ask(served: Served, dialect: str, model: str = "gpt", query: str = "", **headers: str) -> httpx2.Response:
    path, body = asked(dialect, model, stream=False)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.post(f"{served.base}{path}{query}", json=body, headers=named)


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"authorization": "Bearer all-key"}),
        ("", {"authorization": "bearer  all-key"}),
        ("", {"x_api_key": "all-key"}),
        ("", {"x_goog_api_key": "all-key"}),
        ("", {"x_api_key": "all-key", "authorization": "Bearer something-else"}),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_places_of_a_key(served: Served, dialect: str, query: str, headers: dict[str, str]) -> None:
    response = ask(served, dialect, query=query, **headers)
    assert response.status_code == 200
    assert served.request(response.headers["x-request-id"])["client"] == "all"


@pytest.mark.parametrize("query", ["?key=all-key", "?a=b&key=all-key"])
def test_only_gemini_takes_a_key_in_the_query(served: Served, query: str) -> None:
    assert [ask(served, dialect, query=query).status_code for dialect in DIALECTS] == [
        200 if dialect == "gemini" else 401 for dialect in DIALECTS]
    paths = ("/v1beta/models", "/v1/models", "/v1/responses/resp_1")
    assert [http.get(f"{served.base}{path}{query}").status_code for path in paths] == [200, 401, 401]


WRONG: list[dict[str, str]] = [
    {},
    {"authorization": "Bearer nobodys-key"},
    {"authorization": "Basic YWxsLWtleQ=="},
    {"authorization": "all-key"},
    {"x_api_key": "All-Key"},
    {"x_api_key": "all-key-and-more"},
    {"x_goog_api_key": "all"},
    {"x_api_key": "all-key all-key"},
]


def envelope(dialect: str, response: httpx2.Response) -> tuple[Any, Any]:
    """Its own name of the error, and toolwire's."""
    body = response.json()
    match dialect:
        case "messages":
            assert body["type"] == "error" and body["request_id"] == response.headers["request-id"]
            return body["error"]["type"], body["error"]["toolwire_type"]
        case "gemini":
            assert body["error"]["code"] == response.status_code
            return body["error"]["status"], body["error"]["toolwire_type"]
    return body["error"]["code"], body["error"]["type"]


UNAUTHENTICATED = {
    "chat": "invalid_api_key", "responses": "invalid_api_key", "messages": "authentication_error",
    "gemini": "UNAUTHENTICATED",
}
FORBIDDEN = {"chat": None, "responses": None, "messages": "permission_error", "gemini": "PERMISSION_DENIED"}


@pytest.mark.parametrize("headers", WRONG)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_wrong_keys(served: Served, dialect: str, headers: dict[str, str]) -> None:
    response = ask(served, dialect, **headers)
    assert response.status_code == 401
    assert envelope(dialect, response) == (UNAUTHENTICATED[dialect], "authentication_error")
    assert response.headers["x-should-retry"] == "false"
    for value in headers.values():
        assert value not in response.text, "a key is not repeated"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_models_of_a_client(served: Served, dialect: str) -> None:
    """Patterns on the name as the client wrote it."""
    for model in ("gpt", "openai-chat/agent", "claude"):
        assert ask(served, dialect, model, x_api_key="some-key").status_code == 200
    for model in ("anthropic-messages/agent", "GPT", "after-no-credit"):
        response = ask(served, dialect, model, x_api_key="some-key")
        assert response.status_code == 403
        assert envelope(dialect, response) == (FORBIDDEN[dialect], "permission_error")
        assert model in response.json()["error"]["message"]


def test_unknown_models_name_only_what_the_client_may_ask_for(served: Served) -> None:
    told = ask(served, "chat", "clade", x_api_key="some-key").json()["error"]["message"]
    assert "claude" in told
    told = ask(served, "chat", "clxxxxxx", x_api_key="some-key").json()["error"]["message"]
    assert "gpt" in told and "openai-chat/…" in told
    assert "anthropic" not in told and "after-" not in told
    assert "after-" in ask(served, "chat", "after-nothing", x_api_key="all-key").json()["error"]["message"]


def test_model_lists_are_filtered(served: Served) -> None:
    def listed(key: str) -> set[str]:
        got = http.get(f"{served.base}/v1/models", headers={"authorization": f"Bearer {key}"})
        return {one["id"] for one in got.json()["data"]}

    assert listed("some-key") == {"gpt", "claude"}
    assert listed("some-key") < listed("all-key")
    headers = {"authorization": "Bearer some-key"}
    assert http.get(f"{served.base}/v1/models/claude", headers=headers).status_code == 200
    assert http.get(f"{served.base}/v1/models/flaky", headers=headers).status_code == 404
    refused = http.get(f"{served.base}/v1/models")
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")


def test_what_needs_no_key(served: Served) -> None:
    for path in ("/", "/healthz", "/readyz", "/metrics"):
        assert http.get(f"{served.base}{path}").status_code == 200


def test_requests_per_minute(emulated: Emulation) -> None:
    with Served(demo(emulated, CLIENTS)) as served:
        order = ("chat", "messages", "gemini", "responses")
        answers = [ask(served, dialect, x_api_key="slow-key") for dialect in order]
        assert [one.status_code for one in answers] == [200, 200, 429, 429]
        assert answers[2].json()["error"]["status"] == "RESOURCE_EXHAUSTED"
        limited = answers[3]
        assert (limited.json()["error"]["type"], limited.json()["error"]["code"]) == (
            "rate_limit_error", "rate_limit_exceeded")
        assert 1 <= int(limited.headers["retry-after"]) <= 90
        assert "x-should-retry" not in limited.headers
        assert ask(served, "chat", x_api_key="all-key").status_code == 200, "the others are not slowed down"
        line = served.request(limited.headers["x-request-id"])
        assert (line["type"], line["status"], line["client"], line["attempts"]) == ("rate_limit_error", 429, "slow", 0)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_an_open_proxy_listens_on_loopback_only(host: str) -> None:
    providers = "providers: {up: {api: openai-chat, base_url: \"http://127.0.0.1:1\"}}\n"
    server = f"server: {{host: \"{host}\"}}\n"
    (problem,) = read(f"{server}{providers}", "c.yaml", {}).problems
    assert problem.path == "server.host" and "clients" in problem.message
    assert not read(f"{server}{providers}clients: [{{name: a, key: b}}]\n", "c.yaml", {}).problems


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_hosts(host: str) -> None:
    text = f"server: {{host: \"{host}\"}}\nproviders: {{up: {{api: openai-chat, base_url: \"http://127.0.0.1:1\"}}}}\n"
    assert not read(text, "c.yaml", {}).problems
