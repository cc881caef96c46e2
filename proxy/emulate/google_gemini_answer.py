"""Gemini answers, whole and streamed (google-gemini §5, §6, §8–§10)."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any, Literal

from proxy.emulate.agent import tokens
from proxy.emulate.api import Ask, Frame, Reply, Stream, Turn, dumps, identifier
from proxy.emulate.google_gemini_families import family
from proxy.emulate.google_gemini_partial import partial_calls
from proxy.emulate.google_gemini_quirks import CHUNKS, ERRORS, FINISHES, WRITING, Chunk, copied
from proxy.emulate.google_gemini_signatures import sign

Json = Any

QUIRKS = frozenset({*CHUNKS, *FINISHES, *ERRORS, *WRITING, "continuation"})

PIECE = 12
"""Characters in one chunk's text."""

SSE, VERTEX = "alt=sse", "vertex"
"""What `Ask.betas` may hold: the form of the stream, and which of the two platforms was asked."""

HEADERS = (("content-type", "text/event-stream"), ("server", "scaffolding on HTTPServer2"))
JSON_HEADERS = (("content-type", "application/json; charset=UTF-8"), ("server", "scaffolding on HTTPServer2"))

_FINISH = {"length": "MAX_TOKENS", "refusal": "SAFETY"}


def whole(turn: Turn) -> Reply:
    """One response object."""
    said: Json = {}
    if not _is_silent(turn):
        said = {"content": {"role": "model", "parts": list(parts_of(turn))}, **logprobs(turn, turn.plan.text or "")}
    ends = [{**copy.deepcopy(said), **_finish(turn, index)} for index in _candidates(turn)]
    chunk = Chunk("end", {"candidates": ends, **_tail(turn, usage(turn))})
    (played,) = CHUNKS.get(turn.mode.quirk, list)([chunk])
    return Reply(200, dumps(played.body), JSON_HEADERS)


def parts_of(turn: Turn) -> Iterator[Json]:
    """Thought, text and calls. What the model signs, it signs on the first call, else on the text."""
    plan, ask = turn.plan, turn.ask
    if plan.reasoning and _shows(ask):
        yield {"text": plan.reasoning, "thought": True}
    if (text := _text(turn)) or not (plan.calls or plan.finish == "length"):
        yield _signed(turn, {"text": text}) if text and not plan.calls else {"text": text}
    for index, call in enumerate(plan.calls):
        if call.whole:
            inside = {"name": call.name, "args": call.arguments}
            if family(turn.mode.family).ids and VERTEX not in ask.betas:
                inside = {"id": identifier(ask, f"call {index}", 8), **inside}
            part = {"functionCall": inside}
            yield _signed(turn, part) if index == 0 else part


def _shows(ask: Ask) -> bool:
    thinking = (ask.body.get("generationConfig") or {}).get("thinkingConfig") or {}
    return bool(thinking.get("includeThoughts"))


def _text(turn: Turn) -> str:
    """The text; a bare value for an enum; a part of it where it is continued."""
    text = turn.plan.text or ""
    config = turn.ask.body.get("generationConfig") or {}
    if config.get("responseMimeType") == "text/x.enum" and turn.plan.finish == "stop":
        text = str(json.loads(text))
    if turn.mode.quirk == "continuation":
        return text[len(text) // 2 :] if turn.ask.body.get("continuationToken") else text[: len(text) // 2]
    return text


def _signed(turn: Turn, part: Json) -> Json:
    model = family(turn.mode.family)
    if not model.signs or not (model.needs_signatures or turn.ask.task.reasoning):
        return part
    if "text" in part and not model.needs_signatures and turn.mode.family:
        return part
    return {**part, "thoughtSignature": sign("vertex" if VERTEX in turn.ask.betas else "gemini", part)}


def _is_silent(turn: Turn) -> bool:
    """Whether candidates have no content, only an end."""
    return turn.plan.finish == "refusal" or turn.mode.quirk in FINISHES or _is_malformed(turn)


def _is_malformed(turn: Turn) -> bool:
    """Arguments are objects on this wire: a call that cannot be read is the answer's end."""
    return turn.mode.kind == "bad-arguments" and bool(turn.plan.calls)


def _finish(turn: Turn, index: int) -> Json:
    reason, text = FINISHES.get(turn.mode.quirk, (_FINISH.get(turn.plan.finish, "STOP"), ""))
    more: Json = {}
    if _is_malformed(turn):
        reason, text = "MALFORMED_FUNCTION_CALL", f"Malformed function call: {turn.plan.calls[0].text}"
    if turn.mode.quirk == "continuation" and not turn.ask.body.get("continuationToken") and turn.plan.text:
        reason, more = "CONTINUATION", {"continuationToken": base64.b64encode(b"half").decode()}
    if reason in ("SAFETY", "PROHIBITED_CONTENT"):
        rating = {"category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": True}
        more = {"safetyRatings": [rating]}
    return {"finishReason": reason, "index": index, **({"finishMessage": text} if text else {}), **more}


def _candidates(turn: Turn) -> range:
    return range((turn.ask.body.get("generationConfig") or {}).get("candidateCount") or 1)


def _tail(turn: Turn, spent: Json) -> Json:
    return {"usageMetadata": spent, "modelVersion": turn.ask.model, "responseId": identifier(turn.ask, "answer", 22)}


def usage(turn: Turn, said: int | None = None, thought: int | None = None) -> Json:
    """Candidates do not count thoughts, the prompt counts what was cached. `said`, `thought`: so far."""
    spent = turn.usage
    thought = spent.reasoning if thought is None else thought
    said = spent.output - spent.reasoning if said is None else said
    found: Json = {"promptTokenCount": spent.prompt, "candidatesTokenCount": said} if said else {}
    found = found or {"promptTokenCount": spent.prompt}
    found["totalTokenCount"] = spent.prompt + said + thought
    if spent.cached:
        found["cachedContentTokenCount"] = spent.cached
    found["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": spent.prompt}]
    return found | ({"thoughtsTokenCount": thought} if thought else {})


def logprobs(turn: Turn, text: str) -> Json:
    """Of a text, if they were asked for; tokens of four characters."""
    config = turn.ask.body.get("generationConfig") or {}
    if not config.get("responseLogprobs") or not text:
        return {}
    chosen = [{"token": text[at : at + 4], "tokenId": at + 1, "logProbability": -0.25} for at in range(0, len(text), 4)]
    top = [{"candidates": [entry][: config.get("logprobs", 0)]} for entry in chosen]
    return {"avgLogprobs": -0.25, "logprobsResult": {"chosenCandidates": chosen, "topCandidates": top}}


# streams


def stream(turn: Turn) -> Stream:
    """The chunks, as events or as one JSON list over time; with the oddity that the model name asks for."""
    quirk, sse = turn.mode.quirk, SSE in turn.ask.betas
    chunks = CHUNKS.get(quirk, list)(copied(list(_chunks(turn))))
    if quirk in ERRORS:
        chunks = [*chunks[:1], Chunk("end", ERRORS[quirk])]
    frames = [Frame(chunk.kind, _event(chunk.body, quirk)) for chunk in chunks] if sse else list(_listed(chunks))
    if sse and quirk in WRITING:
        frames = [Frame(frame.kind, WRITING[quirk](frame.data, index)) for index, frame in enumerate(frames)]
    return Stream(HEADERS if sse else JSON_HEADERS, frames)


def _event(body: Json, quirk: str) -> bytes:
    if quirk == "error-bare" and "error" in body:
        return json.dumps(body, indent=2).encode() + b"\r\n"
    return b"data: " + dumps(body) + b"\r\n\r\n"


def _listed(chunks: list[Chunk]) -> Iterator[Frame]:
    """`[{…}`, `,\\r\\n{…}`, `]`."""
    for index, chunk in enumerate(chunks):
        closed = b"]" if index == len(chunks) - 1 else b""
        yield Frame(chunk.kind, (b",\r\n" if index else b"[") + dumps(chunk.body) + closed)


def error_frame(ask: Ask) -> bytes:
    """An error inside a stream that had no chunk yet."""
    error = {"error": {"code": 500, "message": "An internal error has occurred.", "status": "INTERNAL"}}
    return _event(error, "") if SSE in ask.betas else b"[" + dumps(error) + b"]"


def _chunks(turn: Turn) -> Iterator[Chunk]:
    silent = _is_silent(turn)
    said = thought = 0
    for part in () if silent else _stream_parts(turn):
        size = tokens(part.get("text") or dumps(part.get("functionCall")).decode())
        said, thought = (said, thought + size) if part.get("thought") else (said + size, thought)
        for index in _candidates(turn):
            candidate = {"content": {"role": "model", "parts": [part]}, "index": index}
            if "text" in part and not part.get("thought"):
                candidate |= logprobs(turn, part["text"])
            yield Chunk("content", {"candidates": [candidate], **_tail(turn, usage(turn, said, thought))})
    empty = {} if silent else {"content": {"role": "model", "parts": [{"text": ""}]}}
    for index in _candidates(turn):
        kind: Literal["end"] = "end"
        yield Chunk(kind, {"candidates": [{**empty, **_finish(turn, index)}], **_tail(turn, usage(turn))})


def _stream_parts(turn: Turn) -> Iterator[Json]:
    """Thoughts and text in pieces, a signature on the last; every call whole, except where pieces are asked for."""
    calling = (turn.ask.body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    for part in parts_of(turn):
        if "functionCall" in part and calling.get("streamFunctionCallArguments"):
            for index, inside in enumerate(partial_calls(part["functionCall"]["name"], part["functionCall"]["args"])):
                yield {**(part if index == 0 else {}), "functionCall": inside}
        elif "functionCall" in part:
            yield part
        elif part["text"]:
            texts = [part["text"][at : at + PIECE] for at in range(0, len(part["text"]), PIECE)]
            plain = {name: value for name, value in part.items() if name != "thoughtSignature"}
            yield from ({**plain, "text": text} for text in texts[:-1])
            yield {**part, "text": texts[-1]}
