"""Streams of the Responses API as data, and helpers that feed them in pieces."""

from adapters import json
from adapters.format import Reading
from adapters.formats.openai_responses.stream import Decoder

READING = Reading("gpt-5", origin="openai/gpt-5", stream=True)


def event(type, named=True, **data):
    """One event as the API writes it."""
    line = b"event: " + type.encode() + b"\n" if named else b""
    return line + b"data: " + json.dumps({"type": type, **data}) + b"\n\n"


def created(**response):
    fields = {"id": "resp_1", "object": "response", "status": "in_progress", "model": "gpt-5-2026", "output": []}
    return event("response.created", response={**fields, **response})


def ended(output, status="completed", usage=True, **response):
    counts = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 1},
        "output_tokens": 7,
        "output_tokens_details": {"reasoning_tokens": 3},
        "total_tokens": 16,
    }
    fields = {"id": "resp_1", "object": "response", "status": status, "model": "gpt-5-2026", "output": output}
    return event(f"response.{status}", response={**fields, **response, "usage": counts if usage else None})


def added(index, item):
    return event("response.output_item.added", output_index=index, item=item)


def done(index, item):
    return event("response.output_item.done", output_index=index, item=item)


def message(text=None, id="msg_1", status="completed", annotations=(), **more):
    part = {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}
    content = [] if text is None else [part]
    return {"type": "message", "id": id, "status": status, "role": "assistant", "content": content, **more}


def text_delta(index, delta, content=0, **more):
    return event("response.output_text.delta", output_index=index, content_index=content, delta=delta, **more)


def call(arguments="", call_id="call_1", name="f", id="fc_1", status="completed", **more):
    return {"type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments,
            "status": status, **more}


def call_delta(index, delta, item_id="fc_1"):
    return event("response.function_call_arguments.delta", output_index=index, item_id=item_id, delta=delta)


def call_done(index, arguments, item_id="fc_1"):
    return event("response.function_call_arguments.done", output_index=index, item_id=item_id, arguments=arguments)


def reasoning(summary=(), id="rs_1", **more):
    return {"type": "reasoning", "id": id, "summary": [{"type": "summary_text", "text": t} for t in summary], **more}


def summary_delta(index, section, delta):
    return event("response.reasoning_summary_text.delta", output_index=index, summary_index=section, delta=delta)


def decode(*pieces, reading=READING):
    """All events of a stream fed in these pieces."""
    decoder = Decoder(reading)
    events = []
    for piece in pieces:
        events += decoder.feed(piece)
    return events + decoder.close()
