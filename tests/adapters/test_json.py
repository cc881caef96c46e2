"""Exactness of what is read and written."""

import pytest

from adapters import json

EXACT = [
    '{"b":1,"a":2}',
    '{"id":12345678901234567890123}',
    '{"id":-98765432109876543210}',
    '{"max":18446744073709551615,"min":-9223372036854775808}',
    '{"text":"é 😀 \\" \\\\ \\u0000"}',
    '{"deep":[[[{"a":[]}]]],"f":1.5}',
]


@pytest.mark.parametrize("text", EXACT)
def test_same_bytes_again(text):
    assert json.dumps(json.loads(text)) == text.encode()
    assert json.loads(text.encode()) == json.loads(text)


def test_an_unpaired_surrogate_is_replaced():
    assert json.loads('{"a":"x\\ud800y","\\udfff":"\\ud83d\\ude00"}') == {"a": "x\ufffdy", "\ufffd": "😀"}
    assert json.dumps({"a": "\ud800"}) == '{"a":"\ufffd"}'.encode()


@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b'"\xc3"',
        b"{",
        b"",
        b"NaN",
        b'{"a":Infinity}',
        b'{"a":1}x',
        b"'a'",
        b'{"a":12345678901234567890,"b":NaN}',
        b"\xff\xfe{\x00}\x00",
    ],
)
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        json.loads(text)


def test_nesting_beyond_reason_is_a_value_error():
    for text in (b"[" * 5000 + b"]" * 5000, b"[" * 5000 + b"12345678901234567890123" + b"]" * 5000):
        with pytest.raises(ValueError):
            json.loads(text)
