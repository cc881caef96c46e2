"""Ollama's chat answers, whole and as lines (ollama-chat §5, §6)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from proxy.emulate.api import CREATED, Ask, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.ollama_quirks import LINES, WRITING, Line

Json = Any

QUIRKS = frozenset({*LINES, *WRITING})

PIECE = 12
"""Characters on one line."""

CREATED_AT = datetime.fromtimestamp(CREATED, UTC).strftime("%Y-%m-%dT%H:%M:%S.123456789Z")
HEADERS = (("content-type", "application/x-ndjson"),)
JSON_HEADERS = (("content-type", "application/json; charset=utf-8"),)


def whole(turn: Turn) -> Reply:
    """The one object."""
    if _is_malformed(turn):
        return Reply(500, dumps(_parse_error(turn)), JSON_HEADERS)
    message: Json = {"role": "assistant", "content": turn.plan.text or ""}
    message |= {"thinking": turn.plan.reasoning} if turn.plan.reasoning else {}
    message |= {"tool_calls": calls} if (calls := _calls(turn)) else {}
    line = Line("end", {**_head(turn), "message": message, **_end(turn), **logprobs(turn, turn.plan.text or "")})
    (played,) = LINES.get(turn.mode.quirk, list)([line])[:1] or [line]
    return Reply(200, dumps(played.body), JSON_HEADERS)


def _head(turn: Turn) -> Json:
    return {"model": turn.ask.model, "created_at": CREATED_AT}


def _calls(turn: Turn) -> list[Json]:
    """Calls that are complete; the server shows no others."""
    return [
        {
            "id": "call_" + identifier(turn.ask, f"call {index}", 8).lower(),
            "function": {"index": index, "name": call.name, "arguments": call.arguments},
        }
        for index, call in enumerate(turn.plan.calls)
        if call.whole
    ]


def _end(turn: Turn) -> Json:
    """Calls end with `stop` too. Durations are in nanoseconds."""
    return {
        "done": True,
        "done_reason": "length" if turn.plan.finish == "length" else "stop",
        "total_duration": 3_000_000_000,
        "load_duration": 100_000_000,
        "prompt_eval_count": turn.usage.prompt,
        "prompt_eval_duration": 900_000_000,
        "eval_count": turn.usage.output,
        "eval_duration": 2_000_000_000,
    }


def _is_malformed(turn: Turn) -> bool:
    """Arguments are objects on this wire: a call that cannot be read is an error."""
    return turn.mode.kind == "bad-arguments" and bool(turn.plan.calls)


def _parse_error(turn: Turn) -> Json:
    raw = turn.plan.calls[0].text.replace("'", '"')
    return {"error": f"error parsing tool call: raw='{raw}', err=unexpected end of JSON input"}


def logprobs(turn: Turn, text: str) -> Json:
    """Of a text, if they were asked for; tokens of four characters."""
    if not turn.ask.body.get("logprobs") or not text:
        return {}
    entries = []
    for at in range(0, len(text), 4):
        token = text[at : at + 4]
        entry = {"token": token, "logprob": -0.25, "bytes": list(token.encode("utf-8", "replace"))}
        most = turn.ask.body.get("top_logprobs", 0)
        entries.append({**entry, **({"top_logprobs": [entry][:most]} if most else {})})
    return {"logprobs": entries}


def loaded(ask: Ask) -> Reply:
    """The answer to a request without messages: the model was loaded, or unloaded."""
    reason = "unload" if ask.body.get("keep_alive") in (0, "0") else "load"
    body = {"model": ask.model, "created_at": CREATED_AT, "message": {"role": "assistant", "content": ""}}
    return Reply(200, dumps({**body, "done": True, "done_reason": reason}), JSON_HEADERS)


# streams


def stream(turn: Turn) -> Stream:
    """The lines; with the oddity that the model name asks for."""
    quirk = turn.mode.quirk
    lines = [Line("end", {**_parse_error(turn), "status": 500})] if _is_malformed(turn) else list(_lines(turn))
    frames = [Frame(line.kind, dumps(line.body) + b"\n") for line in LINES.get(quirk, list)(lines)]
    if quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream(HEADERS, frames)


def error_frame(ask: Ask) -> bytes:
    """An error on a line of its own."""
    return dumps({"error": "llama runner process has terminated: exit status 2"}) + b"\n"


def _lines(turn: Turn) -> Iterator[Line]:
    def line(message: Json) -> Line:
        text = logprobs(turn, message["content"])
        body = {**_head(turn), "message": {"role": "assistant", **message}, "done": False, **text}
        return Line("content", body)

    yield from (line({"content": "", "thinking": piece}) for piece in pieces(turn.plan.reasoning or ""))
    yield from (line({"content": piece}) for piece in pieces(turn.plan.text or ""))
    yield from (line({"content": "", "tool_calls": [call]}) for call in _calls(turn))
    yield Line("end", {**_head(turn), "message": {"role": "assistant", "content": ""}, **_end(turn)})


def pieces(text: str) -> list[str]:
    """A text in deltas."""
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
