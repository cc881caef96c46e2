"""The SSE grammar, whole, byte by byte and split at every place."""

import pytest

from adapters.errors import Malformed
from adapters.framing.ndjson import Lines
from adapters.framing.sse import SSE

STREAMS = [
    ("one event", b"data: {}\n\n", [(None, b"{}")]),
    ("no space after the colon", b"data:{}\n\n", [(None, b"{}")]),
    ("only one space is taken", b"data:  x\n\n", [(None, b" x")]),
    ("a named event", b"event: ping\ndata: {}\n\n", [(b"ping", b"{}")]),
    ("the name after the data", b"data: 1\nevent: late\n\n", [(b"late", b"1")]),
    ("several data lines", b"data: a\ndata: b\ndata:\n\n", [(None, b"a\nb\n")]),
    ("CRLF", b"event: e\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [(b"e", b"1"), (None, b"2")]),
    ("CR", b"data: 1\r\rdata: 2\r\r", [(None, b"1"), (None, b"2")]),
    ("mixed line ends", b"event: e\rdata: 1\n\r\ndata: 2\r\n\n", [(b"e", b"1"), (None, b"2")]),
    ("comments and other fields", b": hi\n\nid: 7\nretry: 10\ndata: 1\n: x\n\n:\n\n", [(None, b"1")]),
    ("a name without data is no event", b"event: ping\n\ndata: 1\n\n", [(None, b"1")]),
    ("blank lines between events", b"\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n", [(None, b"1"), (None, b"2")]),
    ("a field without a colon", b"data\n\n", [(None, b"")]),
    ("a byte-order mark", b"\xef\xbb\xbfdata: 1\n\n", [(None, b"1")]),
    ("UTF-8 is not looked into", "data: é…😀\n\n".encode(), [(None, "é…😀".encode())]),
    ("a line separator is no line end", "data: a\u2028b\n\n".encode(), [(None, "a\u2028b".encode())]),
]


@pytest.mark.parametrize("stream, frames", [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS])
def test_whole_split_everywhere_and_byte_by_byte(stream, frames):
    assert SSE().feed(stream) == frames
    for cut in range(1, len(stream)):
        machine = SSE()
        assert machine.feed(stream[:cut]) + machine.feed(stream[cut:]) == frames, stream[:cut]
    machine = SSE()
    assert [frame for at in range(len(stream)) for frame in machine.feed(stream[at : at + 1])] == frames


def test_an_event_is_given_as_soon_as_its_blank_line_begins():
    machine = SSE()
    assert machine.feed(b"data: 1\r\n\r") == [(None, b"1")]
    assert machine.feed(b"\ndata: 2\r\r") == [(None, b"2")]


def test_the_last_event_may_lack_its_blank_line():
    machine = SSE()
    assert machine.feed(b"data: 1\n\nevent: e\ndata: 2") == [(None, b"1")]
    assert machine.close() == [(b"e", b"2")]
    assert SSE().close() == []


def test_an_endless_event_is_refused():
    machine = SSE(limit=100)
    machine.feed(b"data: " + b"x" * 90)
    with pytest.raises(Malformed):
        machine.feed(b"x" * 20)


def test_lines_whole_and_split_everywhere():
    stream, lines = b'{"a":1}\n\r\n {"b":"\xc3\xa9"}\r\n{"c":3}', [b'{"a":1}', b'{"b":"\xc3\xa9"}', b'{"c":3}']
    for cut in range(len(stream) + 1):
        machine = Lines()
        assert machine.feed(stream[:cut]) + machine.feed(stream[cut:]) + machine.close() == lines
    with pytest.raises(Malformed):
        Lines(limit=10).feed(b"x" * 11)
