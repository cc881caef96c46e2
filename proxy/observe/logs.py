"""One JSON line per request and per attempt on stderr; plain lines with `--log-format text`.

No message content and no key ever goes into a field: fields are ids, names from the configuration, types and numbers.
But for `event: content`, one line per request to a model that `server.log_content` names.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson

Log = Callable[..., None]
"""Called with an event word and its fields."""

_PLAIN = re.compile(r'[^\s"]+')


def json_log(event: str, **fields: Any) -> None:
    """One JSON line."""
    told = {"time": _now(), "event": event, **fields}
    try:
        line = orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE, default=str)
    except TypeError:  # half a surrogate pair, which a client's JSON may hold
        line = json.dumps(told, default=str).encode() + b"\n"
    sys.stderr.buffer.write(line)
    sys.stderr.buffer.flush()


def text_log(event: str, **fields: Any) -> None:
    """One line for people: time, event, key=value."""
    words = " ".join(f"{key}={_word(value)}" for key, value in fields.items() if value not in (None, "", [], ()))
    sys.stderr.write(f"{_now()[11:23]} {event:8} {words}\n")
    sys.stderr.flush()


class Lines(logging.Handler):
    """What libraries have to say, as lines of this log: who and what kind of mistake, without its values."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        kind = record.exc_info[0] if record.exc_info else None
        error = {"type": kind.__name__} if kind is not None else {}
        self._log("warning", source=record.name, message=str(record.msg)[:200], **error)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _word(value: Any) -> str:
    """A value as one word, or as JSON: nothing that a client or an upstream says can begin another field or line."""
    match value:
        case float():
            return f"{value:.3f}"
        case str() if _PLAIN.fullmatch(value) and value.isprintable():
            return value
        case str() | bool() | list() | tuple() | dict():
            return shown(value)
        case _:
            return shown(str(value)) if not str(value).isprintable() else str(value)


def on_one_line(text: str) -> str:
    """Another's text in a line for people: what a terminal would obey is escaped."""
    return text if text.isprintable() else shown(text)[1:-1]


def shown(value: Any) -> str:
    """As JSON on one line, without a character that a terminal would obey."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if text.isprintable() else json.dumps(value, default=str)
