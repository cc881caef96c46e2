"""Events per second of the Chat encoder and decoder on streams of 200 events, in one read and in a read for each.

    python bench/micro_chat.py [SECONDS]

CPU time, best of five rounds for each row, in this process. The floor is what `orjson` alone takes to read the chunks:
compare the ratios to it, not the times.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import process_time

import orjson

from adapters import json
from adapters.events import CallDelta, CallStart, Event, Finish, PartEnd, ReasoningDelta, Started, TextDelta
from adapters.format import Reading
from adapters.formats.openai_chat import API, DIALECT
from adapters.formats.openai_chat.request import Reply

EVENTS = 200
REPLY = Reply("chatcmpl-aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 1764500000, "smart", include_usage=True)
READING = Reading("gpt-4o", declared=frozenset({"get_weather"}))
WORDS = ["Look", "ing", " at", " the", " sky", ",\n", ' "rain"', " falls", " on", " Ulm", "."]
STREAM = [WORDS[i % len(WORDS)] for i in range(EVENTS)]


def events(kind: str) -> list[Event]:
    """A stream as the neutral events of a decoder."""
    deltas: dict[str, list[Event]] = {
        "text": [TextDelta(0, word) for word in STREAM],
        "reasoning": [ReasoningDelta(0, word) for word in STREAM],
        "arguments": [CallStart(0, "call_1", "get_weather"), *(CallDelta(0, word) for word in STREAM)],
    }
    return [Started("up", "m"), *deltas[kind], PartEnd(0), Finish("stop")]


def chunks(kind: str) -> list[bytes]:
    """The same stream as OpenAI sends it."""
    head = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764500000,
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_1",
    }

    def chunk(delta: object, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: " + json.dumps({**head, "choices": [choice], "usage": None}) + b"\n\n"

    function = {"name": "get_weather", "arguments": ""}
    opening = {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
    deltas: dict[str, list[object]] = {
        "text": [{"content": word} for word in STREAM],
        "reasoning": [{"reasoning_content": word} for word in STREAM],
        "arguments": [opening, *({"tool_calls": [{"index": 0, "function": {"arguments": word}}]} for word in STREAM)],
    }
    role = {"role": "assistant", "content": "", "refusal": None}
    return [chunk(role), *map(chunk, deltas[kind]), chunk({}, "stop"), b"data: [DONE]\n\n"]


def encode(batches: list[list[Event]]) -> None:
    encoder = DIALECT.encoder(REPLY)
    for batch in batches:
        encoder.feed(batch)
    encoder.close()


def decode(reads: list[bytes]) -> None:
    decoder = API.decoder(READING)
    for read in reads:
        decoder.feed(read)
    decoder.close()


def parse(bodies: list[bytes]) -> None:
    for body in bodies:
        orjson.loads(body)


def rate(run: Callable[[], None], seconds: float) -> float:
    """Streams per second."""
    best = 0.0
    for _ in range(5):
        count, began = 0, process_time()
        while (spent := process_time() - began) < seconds / 5:
            run()
            count += 1
        best = max(best, count / spent)
    return best


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    print(f"{'':24}{'events/s':>12}{'µs/event':>12}{'floor = 1':>12}")
    for kind in ("text", "reasoning", "arguments"):
        told, sent = events(kind), chunks(kind)
        bodies = [chunk.removeprefix(b"data: ").rstrip() for chunk in sent[:-1]]
        rows: list[tuple[str, Callable[[], None]]] = [
            (f"floor {kind}", partial(parse, bodies)),
            (f"encode {kind}, burst", partial(encode, [told])),
            (f"encode {kind}, paced", partial(encode, [[event] for event in told])),
            (f"decode {kind}, burst", partial(decode, [b"".join(sent)])),
            (f"decode {kind}, paced", partial(decode, sent)),
        ]
        floor = 0.0
        for name, run in rows:
            found = rate(run, seconds) * EVENTS
            floor = floor or found
            print(f"{name:24}{found:>12,.0f}{1e6 / found:>12.2f}{floor / found:>12.1f}")


if __name__ == "__main__":
    main()
