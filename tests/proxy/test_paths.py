"""Paths: aliases, slashes, methods, and the answers to what is not there."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from proxy import __version__
from proxy.endpoints import LISTED
from tests.proxy.talk import asked, http
from tests.serving import Served

CHAT = asked("chat", "gpt", stream=False)[1]
RESPONSES = asked("responses", "gpt", stream=False)[1]
MESSAGES = asked("messages", "gpt", stream=False)[1]
GEMINI = asked("gemini", "gpt", stream=False)[1]
COUNT = {"model": "gpt", "messages": MESSAGES["messages"]}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", CHAT),
        ("/chat/completions", CHAT),
        ("/v1/chat/completions/", CHAT),
        ("//v1//chat///completions//", CHAT),
        ("/v1/responses", RESPONSES),
        ("/responses/", RESPONSES),
        ("/v1/messages", MESSAGES),
        ("/messages", MESSAGES),
        ("/v1/messages?beta=true", MESSAGES),
        ("/v1/messages/count_tokens", COUNT),
        ("/messages/count_tokens/", COUNT),
        ("/v1beta/models/gpt:generateContent", GEMINI),
        ("/v1/models/gpt:generateContent", GEMINI),
        ("/v1alpha/models/gpt:generateContent", GEMINI),
        ("/models/gpt:generateContent", GEMINI),
        ("/v1beta//models//gpt:generateContent/", GEMINI),
        ("/v1beta/models/models/gpt:generateContent", GEMINI),
        ("/v1beta/models/openai-chat/agent:generateContent", GEMINI),
        ("/v1beta/models/openai-chat%2Fagent:generateContent", GEMINI),
        ("/v1beta/models/openai-chat%2Fagent%3AgenerateContent", GEMINI),
        ("/v1beta/models/gpt:streamGenerateContent", GEMINI),
        ("/v1beta/models/gpt:streamGenerateContent?alt=sse", GEMINI),
        ("/v1beta/models/gpt:countTokens", GEMINI),
    ],
)
def test_paths_that_generate(proxied: Served, path: str, body: Any) -> None:
    response = http.post(f"{proxied.base}{path}", json=body)
    assert response.status_code == 200, response.text


def test_a_model_with_colons_in_a_path(proxied: Served) -> None:
    """The method is what follows the last colon."""
    response = http.post(f"{proxied.base}/v1beta/models/up/a:b:generateContent", json=GEMINI)
    assert response.status_code == 404
    assert "'up/a:b'" in response.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/", "", "//", "/v1", "/v1/", "/v1beta"])
def test_root(proxied: Served, path: str) -> None:
    response = http.get(f"{proxied.base}{path}")
    assert response.json() == {"name": "toolwire", "version": __version__, "endpoints": list(LISTED)}


@pytest.mark.parametrize(
    "path",
    ["/", "/healthz", "/readyz", "/metrics", "/v1/models", "/v1/models/gpt", "/v1/chat/completions", "/v1/messages",
     "/v1/responses"],
)
def test_head(proxied: Served, path: str) -> None:
    response = http.head(f"{proxied.base}{path}")
    assert (response.status_code, response.content) == (200, b"")


def test_health(proxied: Served) -> None:
    assert http.get(f"{proxied.base}/healthz").json() == {"status": "ok"}
    assert http.get(f"{proxied.base}/readyz").json() == {"status": "ready"}


def message_of(response: httpx2.Response, dialect: str) -> str:
    error = response.json()["error"]
    match dialect:
        case "messages":
            assert (response.json()["type"], error["type"]) == ("error", "not_found_error")
            assert response.headers["request-id"]
        case "gemini":
            assert error["status"] == "NOT_FOUND"
        case _:
            assert error["type"] == "not_found_error"
    return str(error["message"])


UNKNOWN = [
    ("GET", "/nothing", {}, "chat"),
    ("POST", "/v1/embeddings", {}, "chat"),
    ("POST", "/v1/chat/completion", {}, "chat"),
    ("POST", "/v2/chat/completions", {}, "chat"),
    ("GET", "/v1/responses/a/b", {}, "chat"),
    ("POST", "/v1/messages/batches", {}, "messages"),
    ("POST", "/v1/complete", {"anthropic-version": "2023-06-01"}, "messages"),
    ("POST", "/v1beta/models/gpt:embedContent", {}, "gemini"),
    ("POST", "/v1beta/cachedContents", {"x-goog-api-key": "k"}, "gemini"),
    ("GET", "/" + "x" * 3000, {}, "chat"),
    ("GET", "/%00/%ff", {}, "chat"),
]


@pytest.mark.parametrize(("method", "path", "headers", "dialect"), UNKNOWN, ids=[row[1][:30] for row in UNKNOWN])
def test_unknown_paths(proxied: Served, method: str, path: str, headers: dict[str, str], dialect: str) -> None:
    response = http.request(method, f"{proxied.base}{path}", headers=headers)
    message = message_of(response, dialect)
    assert all(endpoint in message for endpoint in LISTED)
    assert len(message) < 1500
    assert response.headers["x-request-id"]
    assert response.status_code == 404


METHODS = [
    ("GET", "/v1/chat/completions", "chat", "POST"),
    ("PUT", "/v1/responses", "responses", "POST"),
    ("DELETE", "/v1/messages", "messages", "POST"),
    ("GET", "/v1beta/models/gpt:generateContent", "gemini", "POST"),
    ("POST", "/v1/models", "chat", "GET, HEAD"),
    ("POST", "/healthz", "chat", "GET, HEAD"),
    ("POST", "/", "chat", "GET, HEAD"),
    ("PATCH", "/v1/responses/resp_1", "responses", "GET, DELETE"),
]


@pytest.mark.parametrize(("method", "path", "dialect", "allow"), METHODS)
def test_methods(proxied: Served, method: str, path: str, dialect: str, allow: str) -> None:
    response = http.request(method, f"{proxied.base}{path}")
    assert (response.status_code, response.headers["allow"]) == (405, allow)
    message = message_of(response, dialect)
    assert message.startswith(f"{method} is not allowed here")
    code = response.json()["error"]["code"]
    assert code == (405 if dialect == "gemini" else "method_not_allowed")
    assert all(endpoint in message for endpoint in LISTED)


def test_bytes_that_are_no_http(proxied: Served) -> None:
    import socket

    with socket.create_connection(("127.0.0.1", proxied.port), timeout=5) as sock:
        sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
        assert sock.recv(100).startswith(b"HTTP/1.1 400")
    assert http.get(f"{proxied.base}/healthz").status_code == 200


# --- model lists -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "headers", "shape"),
    [
        ("/v1/models", {}, "openai"),
        ("/models", {"authorization": "Bearer k"}, "openai"),
        ("/v1/models", {"anthropic-version": "2023-06-01"}, "anthropic"),
        ("/v1/models/", {"x-goog-api-key": "k"}, "gemini"),
        ("/v1beta/models", {}, "gemini"),
        ("/v1alpha/models", {"anthropic-version": "2023-06-01"}, "gemini"),
    ],
)
def test_model_lists(proxied: Served, path: str, headers: dict[str, str], shape: str) -> None:
    body = http.get(f"{proxied.base}{path}", headers=headers).json()
    one = http.get(f"{proxied.base}{path.rstrip('/')}/claude", headers=headers).json()
    match shape:
        case "openai":
            assert (body["object"], one["object"], one["owned_by"]) == ("list", "model", "toolwire")
            names = [entry["id"] for entry in body["data"]]
        case "anthropic":
            assert (body["has_more"], one["type"], one["display_name"]) == (False, "model", "claude")
            names = [entry["id"] for entry in body["data"]]
            assert (body["first_id"], body["last_id"]) == (names[0], names[-1])
        case _:
            assert one["name"] == "models/claude" and "generateContent" in one["supportedGenerationMethods"]
            names = [entry["name"].removeprefix("models/") for entry in body["models"]]
    assert {"claude", "gpt", "flaky"} <= set(names)
    missing = http.get(f"{proxied.base}{path.rstrip('/')}/nobody", headers=headers)
    assert missing.status_code == 404
    assert "error" in missing.json()


def test_a_model_whose_name_has_slashes(proxied: Served) -> None:
    """Names of the list can be asked for, encoded or not."""
    for path in ("/v1/models/models/claude", "/v1/models/claude"):
        assert http.get(f"{proxied.base}{path}", headers={"x-goog-api-key": "k"}).json()["name"] == "models/claude"
