"""The limits on strict tools, counted over a request."""

from adapters.formats.shared.claude_strict import Left

PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def optional(count):
    return {"type": "object", "properties": {f"p{index}": {"type": "string"} for index in range(count)}}


def unions(count):
    names = [f"p{index}" for index in range(count)]
    return {"type": "object", "properties": {name: {"type": ["string", "null"]} for name in names}, "required": names}


def test_tools():
    left = Left()
    assert [left.takes(PLAIN) for _ in range(21)] == [True] * 20 + [False]


def test_optional_parameters():
    left = Left()
    assert [left.takes(schema) for schema in (optional(20), optional(5), optional(4), optional(1), PLAIN)] == [
        True, False, True, False, True]


def test_unions():
    left = Left()
    assert [left.takes(schema) for schema in (unions(16), unions(1), PLAIN)] == [True, False, True]
