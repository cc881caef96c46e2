"""Options laid over a native body."""

import pytest

from adapters import json
from adapters.formats.shared.merge import merge


@pytest.mark.parametrize(
    ("body", "options", "merged"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1, "b": 2}, {"c": 3, "a": 4}, {"a": 4, "b": 2, "c": 3}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"y": 3, "z": {"q": 1}}}, {"a": {"x": 1, "y": 3, "z": {"q": 1}}}),
        ({"a": {"x": 1}, "b": 1}, {"a": {"x": None}, "b": None, "c": None}, {"a": {}}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({"a": 1}, {"a": {"x": None, "y": 1}}, {"a": {"y": 1}}),
    ],
)
def test_merge(body, options, merged):
    before = json.dumps(body)
    assert json.dumps(merge(body, options)) == json.dumps(merged)
    assert json.dumps(body) == before
