"""The only place of `adapters` that reads and writes JSON.

orjson does the work. It turns integers beyond 64 bits into floats and refuses to write them, so a text with a run of
20 digits or more takes the standard library's `json`, which keeps them exact. Key order is kept both ways; output is
compact UTF-8 with non-ASCII unescaped, so that the same value always gives the same bytes.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

_DIGITS = bytes(0x30 if 0x30 <= byte <= 0x39 else 0x20 for byte in range(256))
_LONG = b"0" * 20
_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(text: bytes | str) -> Any:
    """Decoded JSON. Raises ValueError for what is no JSON, no UTF-8, or nested over orjson's 1,024 levels.

    An unpaired surrogate escape becomes U+FFFD: no UTF-8 can carry it on.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    # 20 digits in a row are four in a row of every fifth byte: a tenth of what a regular expression takes
    if b"0000" not in data[4::5].translate(_DIGITS) or _LONG not in data.translate(_DIGITS):
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            if b"\\u" not in data:
                raise
    return _exact(data)


def _exact(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return _paired(value) if b"\\u" in data else value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _paired(value: Any) -> Any:
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_paired(item) for item in value]
        case dict():
            return {_paired(key): _paired(item) for key, item in value.items()}
        case _:
            return value


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON of a value that `loads` made or that our own code built. Same value, same bytes."""
    try:
        return orjson.dumps(value)
    except TypeError:  # an integer beyond 64 bits, an unpaired surrogate, or nesting over orjson's 254 levels
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode("utf-8") if _SURROGATE.search(text) is None else clean(text).encode()


def text(value: Any) -> str:
    """`dumps` as str."""
    return dumps(value).decode()


def sorted_bytes(value: Any) -> bytes:
    """JSON with sorted keys: for hashing only, never for a wire."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def clean(value: str) -> str:
    """A text without unpaired surrogates, each replaced by U+FFFD."""
    return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
