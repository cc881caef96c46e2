"""What is no request is a 400 or 413 in the client's own envelope, never a 500."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from proxy.emulate import Emulation
from proxy.http import depth_over
from tests.proxy.talk import asked, http, talk
from tests.serving import Served, demo

DIALECTS = ["chat", "responses", "messages", "gemini"]


@pytest.fixture(scope="module")
def served(emulated: Emulation) -> Iterator[Served]:
    with Served(demo(emulated, max_request_bytes=2000, max_json_depth=12)) as running:
        yield running


def post(served: Served, dialect: str, body: bytes, **headers: str) -> httpx2.Response:
    path, _ = asked(dialect, "gpt", stream=False)
    return http.post(f"{served.base}{path}", content=body, headers={"content-type": "application/json", **headers})


def type_of(response: httpx2.Response) -> str:
    """toolwire's own name of the failure, wherever the dialect has it."""
    error = response.json()["error"]
    return str(error.get("toolwire_type") or error["type"])


def deep(levels: int) -> bytes:
    return b'{"model":"gpt","x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no valid JSON"),
        (b"{", "no valid JSON"),
        (b'{"model":"gpt"} more', "no valid JSON"),
        (b'{"model":"gp\xff"}', "no valid JSON"),
        (b"\xff\xfe{\x00}\x00", "no valid JSON"),
        (b'{"model":"gpt","temperature":NaN}', "no valid JSON"),
        (b'["model"]', "must be a JSON object"),
        (b'"model"', "must be a JSON object"),
        (b"17", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (deep(13), "deeper than 12"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "deeper than 12"),
        (b"[" * 1900, "deeper than 12"),
    ],
    ids=["empty", "cut", "more", "bad-utf8", "utf16", "nan", "list", "string", "number", "null", "deep", "deeper",
         "never-closed"],
)
def test_bad_json(served: Served, dialect: str, body: bytes, words: str) -> None:
    response = post(served, dialect, body)
    assert (response.status_code, type_of(response)) == (400, "invalid_request_error")
    assert words in response.json()["error"]["message"]
    assert response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    ("body", "over"),
    [
        (b"[[[]]]", False),
        (b"[[[[]]]]", True),
        (b'{"a":[{"b":1}]}', False),
        (b'{"a":[{"b":[]}]}', True),
        (b"[[],[[]],[[],[]]]", False),
        (b"[[],[[]],[[],[[]]]]", True),
        (b'["[[[[","]]]]"]', False),
        (b'["\\"[[[[", "\\\\"]', False),
        (b"[[[", False),
        (b"[[[[", True),
        (b"]]]]", False),
        (b"", False),
    ],
)
def test_depth_over_three(body: bytes, over: bool) -> None:
    assert depth_over(body, 3) is over


def test_brackets_in_texts_are_no_depth(served: Served) -> None:
    text = b'{"model":"gpt","messages":[{"role":"user","content":"' + b"[{" * 200 + b'"}]}'
    assert post(served, "chat", text).status_code == 200
    assert post(served, "chat", deep(12)).json()["error"]["param"] == "messages"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_too_large(served: Served, dialect: str) -> None:
    response = post(served, dialect, b'{"model":"gpt","x":"' + b"x" * 2000 + b'"}')
    assert (response.status_code, type_of(response)) == (413, "request_too_large")
    assert "2000 bytes" in response.json()["error"]["message"]


@pytest.mark.anyio
async def test_too_large_without_a_length(served: Served) -> None:
    """A chunked body is counted as it comes, and the answer does not wait for its end."""
    async with talk(served.port) as client:
        client.writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: p\r\ntransfer-encoding: chunked\r\n\r\n"
            + b"400\r\n" + b" " * 1024 + b"\r\n" + b"400\r\n" + b" " * 1024 + b"\r\n"
        )
        status, body = await client.answer()
    assert (status, body["error"]["type"]) == (413, "request_too_large")


@pytest.mark.anyio
async def test_too_large_is_told_before_it_is_sent(served: Served) -> None:
    async with talk(served.port) as client:
        client.send("/v1/chat/completions", b"{", content_length="40000000")
        status, body = await client.answer()
    assert (status, body["error"]["type"]) == (413, "request_too_large")


def test_the_largest_that_fits(served: Served) -> None:
    body = b'{"model":"gpt","messages":[{"role":"user","content":"hi"}]}'
    assert post(served, "chat", body.ljust(2000)).status_code == 200
    assert post(served, "chat", body.ljust(2001)).status_code == 413


def test_in_many_pieces(served: Served) -> None:
    pieces = [b'{"model":"gpt",', b'"messages":[{"role":"user",', b'"content":"hi"}]}']
    response = http.post(f"{served.base}/v1/chat/completions", content=iter(pieces))
    assert response.json()["choices"][0]["message"]["content"] == "You said: hi"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_content_encoding(served: Served, dialect: str) -> None:
    response = post(served, dialect, gzip.compress(b'{"model":"gpt"}'), **{"content-encoding": "gzip"})
    assert (response.status_code, type_of(response)) == (400, "invalid_request_error")
    assert "content-encoding" in response.json()["error"]["message"]
    body = b'{"model":"gpt","messages":[{"role":"user","content":"hi"}]}'
    assert post(served, "chat", body, **{"content-encoding": "identity"}).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_any_content_type(served: Served, kind: str) -> None:
    body = b'{"model":"gpt","messages":[{"role":"user","content":"hi"}]}'
    assert post(served, "chat", body, **{"content-type": kind}).status_code == 200


ODD: list[Any] = [None, True, -1, 1e400, "\ud800", [[]], {"type": "x"}, [{"role": 5}, None]]


@pytest.mark.anyio
async def test_odd_values_anywhere(emulated: Emulation) -> None:
    """Each top-level field of each dialect with values that it must not have."""
    fields = {
        "chat": "model messages tools tool_choice functions function_call stream stream_options max_tokens n stop "
        "response_format temperature reasoning_effort metadata user logit_bias parallel_tool_calls",
        "responses": "model input tools tool_choice instructions stream text reasoning max_output_tokens include "
        "previous_response_id store metadata truncation",
        "messages": "model messages tools tool_choice system stream max_tokens stop_sequences thinking metadata "
        "output_config temperature",
        "gemini": "contents tools toolConfig systemInstruction generationConfig safetySettings cachedContent",
    }
    with Served(demo(emulated)) as served:
        async with httpx2.AsyncClient(base_url=served.base) as client:

            async def one(dialect: str, field: str, value: Any) -> tuple[str, str, Any, int]:
                path, body = asked(dialect, "gpt", stream=False)
                text = json.dumps({**body, field: value}).replace("Infinity", "1e400")
                response = await client.post(path, content=text)
                if response.headers["content-type"] == "application/json":
                    response.json()
                return dialect, field, value, response.status_code

            rows = [(d, f, v) for d, names in fields.items() for f in names.split() for v in ODD]
            seen = []
            for start in range(0, len(rows), 50):
                seen += await asyncio.gather(*(one(*row) for row in rows[start : start + 50]))
        assert [row for row in seen if row[3] not in (200, 400, 404)] == []
        assert not [fields for event, fields in served.logged if event == "fault"]
