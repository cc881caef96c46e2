"""The log's lines: no text of a client or an upstream can begin another field or line."""

from __future__ import annotations

import io
import sys
from typing import Any

import orjson
import pytest

from proxy.observe.logs import json_log, on_one_line, text_log


def written(monkeypatch: pytest.MonkeyPatch, log: Any, **fields: Any) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace")
    monkeypatch.setattr(sys, "stderr", stream)
    log("request", **fields)
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("value", "word"), [
    ("gpt-5", "gpt-5"),
    ("größe", "größe"),
    ("a=b", "a=b"),
    ("a b=c", '"a b=c"'),
    ('a"b', '"a\\"b"'),
    ("x\n22:00:00.000 request  type=ok", '"x\\n22:00:00.000 request  type=ok"'),
    ("x\x1b[2J", '"x\\u001b[2J"'),
    ("x\x7f", '"x\\u007f"'),
    ("x\u202e", '"x\\u202e"'),
    ("x\u2028y", '"x\\u2028y"'),
    ("x\ud800", '"x\\ud800"'),
    (True, "true"),
    (False, "false"),
    (3, "3"),
    (0.25, "0.250"),
    (["get_weather: no JSON"], '["get_weather: no JSON"]'),
    (["f\n: no JSON", "g"], '["f\\n: no JSON", "g"]'),
    (OSError("a\nb"), '"a\\nb"'),
])
def test_words(value: Any, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line = written(monkeypatch, text_log, model=value)
    assert line[12:] == f" request  model={word}\n"


def test_what_is_empty_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert written(monkeypatch, text_log, a=None, b="", c=[], d=0)[12:] == " request  d=0\n"


@pytest.mark.parametrize("name", ["x\ny", "x\x1b", "x\ud800"])
def test_json_lines_hold_any_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line = written(monkeypatch, json_log, model=name)
    assert line.count("\n") == 1 and line.endswith("\n")
    assert orjson.loads(line.replace("\\ud800", "?"))["model"] == name.replace("\ud800", "?")


def test_texts_on_a_terminal() -> None:
    assert on_one_line("a 'b' \"c\" größe") == "a 'b' \"c\" größe"
    assert on_one_line('a\x1b[31m"b"\nc') == 'a\\u001b[31m\\"b\\"\\nc'
