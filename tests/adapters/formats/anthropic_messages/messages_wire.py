"""Short ways to write native events and answers."""

import json


def sse(*events):
    return b"".join(frame(event) for event in events)


def frame(event):
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def start(message_id="msg_1", **more):
    usage = more.pop("usage", {"input_tokens": 10, "output_tokens": 1})
    message = {
        "id": message_id, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage, **more,
    }
    return {"type": "message_start", "message": message}


def block(index, kind, **fields):
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **fields}}


def text_block(index):
    return block(index, "text", text="")


def call_block(index, call_id, name):
    return block(index, "tool_use", id=call_id, name=name, input={})


def delta(index, kind, **fields):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def text(index, value):
    return delta(index, "text_delta", text=value)


def arguments(index, value):
    return delta(index, "input_json_delta", partial_json=value)


def stop(index):
    return {"type": "content_block_stop", "index": index}


def end(reason, usage=None, **more):
    return {
        "type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None, **more},
        "usage": usage or {"output_tokens": 5},
    }


DONE = {"type": "message_stop"}


def whole(*content, stop_reason="end_turn", **more):
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": list(content),
        "stop_reason": stop_reason, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}, **more,
    }
    return json.dumps(message, ensure_ascii=False).encode()


def read_sse(data):
    """The events of an emitted stream: (name, data)."""
    events = []
    for chunk in data.decode().split("\n\n"):
        if chunk:
            name, _, payload = chunk.partition("\n")
            events.append((name.removeprefix("event: "), json.loads(payload.removeprefix("data: "))))
    return events
