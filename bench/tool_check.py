"""What tool_check costs: a call, a request, and the worst that a schema and a model can do together.

    python bench/tool_check.py [call] [request] [worst]

CPU time of this process. `request` sends requests through the whole application without sockets, so that the share of
the check is rather too large than too small; modes take turns at every request, so that a busy machine disturbs them
alike, and the figure is the 10th percentile.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any

from adapters.tools import check as module
from adapters.tools.check import Unchecked, check
from adapters.tools.recent import Recent
from adapters.tools.repair import mend
from proxy.app import App
from proxy.config.load import load
from proxy.config.model import Config

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Name of the city."},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "units": {"enum": ["metric", "imperial"]},
        "places": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object", "properties": {"wind": {"type": "boolean"}, "humidity": {"type": "boolean"}}},
    },
    "required": ["city"],
    "additionalProperties": False,
}
ARGUMENTS = {
    "city": "Ulm",
    "days": 3,
    "units": "metric",
    "places": [f"a place with the number {n}" for n in range(7)],
    "options": {"wind": True, "humidity": False},
}
"""About 300 bytes."""
REFERRING = {
    **WEATHER,
    "properties": {**WEATHER["properties"], "options": {"$ref": "#/$defs/o"}},  # type: ignore[dict-item]
    "$defs": {"o": WEATHER["properties"]["options"]},  # type: ignore[index]
}


def text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def best(run: Callable[[], object], rounds: int = 7, seconds: float = 0.1) -> float:
    """Seconds of one run."""
    found = float("inf")
    for _ in range(rounds):
        count, began = 0, process_time()
        while (spent := process_time() - began) < seconds:
            run()
            count += 1
        found = min(found, spent / count)
    return found


# --- a call ------------------------------------------------------------------------------------------------------


def call() -> None:
    arguments = text(ARGUMENTS)
    print(f"one call, arguments of {len(arguments)} characters                  µs")
    plain, referring = text(WEATHER).encode(), text(REFERRING).encode()
    broken = text({**ARGUMENTS, "days": "3"})
    rows: list[tuple[str, Callable[[], object]]] = [
        ("json.loads alone", lambda: json.loads(arguments)),
        ("valid", lambda: check(plain, arguments)),
        ("valid, schema with references", lambda: check(referring, arguments)),
        ("invalid by its schema", lambda: check(plain, broken)),
        ("invalid, mended: a number as text", lambda: mend(plain, broken, True)),
        ("invalid, mended: trailing comma", lambda: mend(plain, arguments[:-1] + ",}", True)),
        ("invalid, not to be mended", lambda: mend(plain, arguments[:-9], True)),
        ("a schema seen for the first time", lambda: (_forget(), check(plain, arguments))),
    ]
    for name, run in rows:
        print(f"  {name:44}{1e6 * best(run):12.1f}")


def _forget() -> None:
    module._by_text = Recent(4 * 1024 * 1024)
    module._by_sense = Recent(4 * 1024 * 1024)


# --- a request ---------------------------------------------------------------------------------------------------


@dataclass
class Canned:
    """A transport that answers each request with the same bytes, in pieces."""

    kind: str
    pieces: list[bytes]

    async def open(self, *_: Any) -> Canned:
        return Canned(self.kind, list(self.pieces))

    @property
    def status(self) -> int:
        return 200

    @property
    def headers(self) -> dict[str, str]:
        return {"content-type": self.kind}

    async def read(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    async def body(self, limit: int) -> bytes:
        return b"".join(self.pieces)

    def close(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


def answered(stream: bool) -> Canned:
    """A Claude answer: some text, and a call of the first tool."""
    use = {"type": "tool_use", "id": "toolu_01", "name": "get_weather_0"}
    usage = {"input_tokens": 400, "output_tokens": 90}
    head = {"id": "msg_01", "type": "message", "role": "assistant", "model": "claude", "stop_sequence": None}
    if not stream:
        content = [{"type": "text", "text": "I will look."}, {**use, "input": ARGUMENTS}]
        body = {**head, "content": content, "stop_reason": "tool_use", "usage": usage}
        return Canned("application/json", [text(body).encode()])
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**head, "content": [], "usage": usage}}]
    events.append({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    events += [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f"word {n} "}}
        for n in range(60)
    ]
    events.append({"type": "content_block_stop", "index": 0})
    events.append({"type": "content_block_start", "index": 1, "content_block": {**use, "input": {}}})
    arguments = text(ARGUMENTS)
    events += [
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in (arguments[at : at + 8] for at in range(0, len(arguments), 8))
    ]
    events.append({"type": "content_block_stop", "index": 1})
    events.append({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": usage})
    events.append({"type": "message_stop"})
    return Canned("text/event-stream", [f"event: {e['type']}\ndata: {text(e)}\n\n".encode() for e in events])


def asked(model: str, stream: bool) -> bytes:
    """20 tools, 10 messages."""
    tools = [
        {"type": "function", "function": {"name": f"get_weather_{n}", "description": "x" * 300, "parameters": WEATHER}}
        for n in range(20)
    ]
    turns = [{"role": role, "content": "What about the weather? " * 20} for role in ("user", "assistant") * 5]
    return text({"model": model, "stream": stream, "messages": [*turns[1:], turns[0]], "tools": tools}).encode()


def application() -> App:
    routes = "".join(f"  {mode}: {{target: up/claude, tool_check: {mode}}}\n" for mode in MODES)
    loaded = load(f"providers:\n  up: {{api: anthropic-messages, api_key: k}}\nmodels:\n{routes}", "bench", {})
    assert isinstance(loaded, Config), loaded
    return App(loaded, {}, log=lambda *_, **__: None)


MODES = ("off", "report", "repair", "fallback")


async def once(app: App, body: bytes) -> None:
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    gone = asyncio.get_running_loop().create_future()

    async def receive() -> Any:
        return incoming.pop() if incoming else await gone

    async def send(message: Any) -> None:
        assert message.get("status", 200) == 200, message

    scope = {
        "type": "http", "method": "POST", "path": "/v1/chat/completions", "raw_path": b"/v1/chat/completions",
        "query_string": b"", "headers": [(b"content-type", b"application/json")],
    }  # fmt: skip
    await app(scope, receive, send)


async def measured(stream: bool, rounds: int) -> dict[str, float]:
    """Seconds of CPU a request, by mode."""
    app = application()
    app._transports["aiohttp"] = answered(stream)  # type: ignore[assignment]
    app.reload(app.gateway.config)
    bodies = {mode: asked(mode, stream) for mode in MODES}
    found: dict[str, list[float]] = {mode: [] for mode in MODES}
    for turn in range(rounds):
        first = turn % len(MODES)
        for mode in (*MODES[first:], *MODES[:first]):
            began = process_time()
            await once(app, bodies[mode])
            found[mode].append(process_time() - began)
    return {mode: sorted(spent)[rounds // 10] for mode, spent in found.items()}


def request() -> None:
    for stream, rounds in ((False, 2000), (True, 500)):
        found = asyncio.run(measured(stream, rounds))
        what = "streamed, 100 deltas, a read for each" if stream else "whole"
        print(f"a request ({what}), 20 tools, one call of 300 characters")
        for mode, spent in found.items():
            print(f"  {mode:40}{1e6 * spent:12.1f} µs{100 * (spent / found['off'] - 1):10.2f} %")


# --- the worst ---------------------------------------------------------------------------------------------------


def doubling(levels: int) -> dict[str, Any]:
    steps = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(levels)}
    return {"$defs": {**steps, f"d{levels}": {"const": 0}}, "properties": {"a": {"items": {"$ref": "#/$defs/d0"}}}}


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"properties": {"b": True}}
    for _ in range(levels):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    return {"properties": {"a": {"items": schema}}}


UNION = {
    "anyOf": [
        {"properties": {"k": {"const": 1}, "a": {"$ref": "#"}}, "required": ["k"]},
        {"properties": {"k": {"const": 2}, "a": {"$ref": "#"}}, "required": ["k"]},
    ]
}


def in_list(items: Any) -> dict[str, Any]:
    return {"properties": {"a": {"type": "array", "items": items}}}


def nest(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {"k": 3}
    for _ in range(depth):
        value = {"k": 2, "a": value}
    return value


WORST: list[tuple[str, Any, Callable[[int], Any]]] = [
    ("a long enum for each item", in_list({"enum": [f"value {n}" for n in range(500)]}), lambda n: {"a": ["no"] * n}),
    ("200 alternatives for each item", in_list({"anyOf": [{"const": n} for n in range(200)]}),
     lambda n: {"a": [-1] * n}),
    ("references that double 7 times", doubling(7), lambda n: {"a": [1] * n}),
    ("unevaluatedProperties 4 deep", nested(4), lambda n: {"a": [{"b": 1}] * n}),
    ("a recursive union", UNION, lambda n: nest(n.bit_length())),
    ("a pattern with look-ahead for each item", in_list({"pattern": "^(?=(a+)+$)(a|aa)+\\1b"}),
     lambda n: {"a": ["aaab"] * n}),
    ("100 patterns on one text", {"properties": {"a": {"allOf": [{"pattern": f"a.*b.*a|{n}$"} for n in range(100)]}}},
     lambda n: {"a": "ab" * n}),
    ("patternProperties for each name", {"patternProperties": {f"^p.*{n}$": {"type": "object"} for n in range(50)}},
     lambda n: {f"p{i}x": 1 for i in range(n)}),
    ("uniqueItems of objects", in_list(True) | {"properties": {"a": {"uniqueItems": True}}},
     lambda n: {"a": [{"x": [i], "y": {"z": i}} for i in range(n)]}),
    ("100 required names for each item", in_list({"required": [f"name {n}" for n in range(100)]}),
     lambda n: {"a": [{}] * n}),
    ("contains without a hit", {"properties": {"a": {"contains": {"anyOf": [{"const": n} for n in range(50)]}}}},
     lambda n: {"a": [-1] * n}),
    ("plain items, the longest list", in_list({"type": "integer"}), lambda n: {"a": [1] * n}),
]  # fmt: skip


def sizes() -> Iterator[int]:
    yield from (2**n for n in range(4, 18))


def worst() -> None:
    """The arguments grow until they are no longer judged; the time is that of the longest that were."""
    heads = f"{'characters':>12}{'ms':>8}{'× a doubling':>14}{'given up, ms':>14}"
    print(f"{'the longest arguments that are judged':44}{heads}")
    for name, schema, instance in WORST:
        source = text(schema).encode()
        taken: list[tuple[int, float]] = []
        given_up = 0.0
        for size in sizes():
            arguments = text(instance(size))
            verdict = check(source, arguments)
            spent = best(partial(check, source, arguments), 3, 0.01)
            if isinstance(verdict, Unchecked):
                given_up = spent
                break
            taken.append((len(arguments), spent))
        if not taken:
            print(f"{name:44}{'none':>12}{'':>22}{1e3 * given_up:>14.2f}")
            continue
        (length, last), before = taken[-1], taken[-2][1] if len(taken) > 1 else taken[-1][1]
        print(f"{name:44}{length:>12,}{1e3 * last:>8.2f}{last / before:>14.1f}{1e3 * given_up:>14.2f}")


def main() -> None:
    wanted = sys.argv[1:] or ["call", "request", "worst"]
    for name, run in (("call", call), ("request", request), ("worst", worst)):
        if name in wanted:
            run()


if __name__ == "__main__":
    main()
