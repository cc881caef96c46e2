"""Whatever stands in the file, the answer is a config or problems, never an exception."""

import copy
import json

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from proxy.config.load import read
from proxy.config.schema import schema

FULL = {
    "server": {"host": "127.0.0.1", "port": 1, "fetch_images": "off", "image_hosts": ["x"]},
    "clients": [{"name": "n", "key": "k", "models": ["*"], "allow": ["tool_check"]}, {"name": "m", "key": "j"}],
    "state": {"backend": "redis", "url": "redis://x", "ttl_seconds": 1},
    "providers": {
        "a": {
            "api": "anthropic-messages",
            "api_key": ["k"],
            "headers": {"x": "y"},
            "query": {"q": "w"},
            "timeout": {"idle": 1},
            "compat": {"betas": ["*"], "cache": "auto"},
            "models": {"m": {"context_window": 1, "compat": {"cache": "off"}}},
            "provider_options": {"cohere-chat": {}},
        },
        "b": {"api": "bedrock-converse", "aws": {"region": "r"}},
        "g": {"api": "google-gemini", "vertex": {"project": "p", "location": "l"}},
        "d": {"preset": "deepseek", "compat": {"max_tools": None, "text_tool_calls": ["hermes"]}},
    },
    "models": {
        "m": {
            "target": [{"target": "a/x", "weight": 1}, "b/y"],
            "fallbacks": ["a/z", {"target": {"target": "d/x", "context_window": 5}, "on_errors": [429, "all"]}],
            "retry": {"attempts": 1},
            "params": {"stop": ["x"]},
        },
        "n": "a/x",
        "o*": {"target": "a/b"},
    },
}


PLAIN = Draft202012Validator(schema())
"""The published schema in a validator of the shelf: what passes here must pass there."""


def paths(data: object, path: tuple = ()):
    if path:
        yield path
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in parts:
        yield from paths(value, (*path, key))


VALUES = st.sampled_from(
    [
        None, True, 0, -1, 1.5, "", "x", "a/x", "${SET}", "${UNSET}", "${UNSET}/x", "${", "a\n", [], {}, [1], [None],
        ["a/x"], {"target": "a/x"}, {"a": 1}, [[]], [{}], {"target": {"target": {"target": "a/x"}}}, {"": 1}, 10**30,
    ]
)  # fmt: skip
CHANGES = st.lists(st.tuples(st.sampled_from(list(paths(FULL))), VALUES), min_size=1, max_size=3)


@settings(max_examples=120)
@given(CHANGES, st.booleans(), st.sampled_from(["1", "true", "a/x", "null", ""]))
def test_any_value_anywhere(changes, need_env, value):
    data = copy.deepcopy(FULL)
    for path, new in changes:
        holder = data
        try:
            for part in path[:-1]:
                holder = holder[part]
            holder[path[-1]] = new
        except (TypeError, KeyError, IndexError, AttributeError):
            continue
    report = read(json.dumps(data), "c.yaml", {"SET": value}, need_env=need_env)
    assert report.problems or report.config is not None or not need_env
    if not report.problems and "${" not in json.dumps(data):
        assert PLAIN.is_valid(data)


PIECES = st.sampled_from(
    [
        "{",
        "[",
        ": ",
        "- ",
        "&a ",
        "*a ",
        "!t ",
        "| ",
        "? ",
        "'",
        '"',
        "\n",
        "\t",
        "<<: ",
        "---\n",
        "${",
        "!!int ",
        "\0",
        "é",
    ]
)
TEXT = "providers:\n  a: {api: cohere-chat, api_key: \"k\"}\nmodels:\n  m:\n    target: a/x\n    fallbacks: ['a/y']\n"


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.integers(0, 3), PIECES), min_size=1, max_size=4))
def test_any_text(edits):
    text = TEXT
    for at, cut, piece in edits:
        text = text[:at] + piece + text[at + cut :]
    report = read(text, "c.yaml", {})
    assert bool(report.problems) == (report.config is None)
