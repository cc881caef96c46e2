"""Event-stream framing: the page's own frame, every kind of header, in pieces of any size, broken anywhere."""

import struct
import zlib
from uuid import UUID

import pytest
from botocore.eventstream import EventStreamBuffer

from adapters.errors import Malformed
from adapters.framing.aws import MAX_HEADERS, MAX_PAYLOAD, EventStream

PAGE = bytes.fromhex(
    "0000007b00000051f74c6fd50b3a6576656e742d7479706507000b6d65737361676553746f700d3a636f6e74656e742d74797065070010"
    "6170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b2273746f70526561736f6e223a202265"
    "6e645f7475726e227de70e424b"
)
READ = ({":event-type": "messageStop", ":content-type": "application/json", ":message-type": "event"},
        b'{"stopReason": "end_turn"}')


def framed(headers, payload=b"{}"):
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    made = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + payload
    return made + struct.pack("!I", zlib.crc32(made))


def read(data):
    stream = EventStream()
    found = stream.feed(data)
    stream.close()
    return found




def test_the_pages_frame():
    assert read(PAGE) == [READ]


def test_kinds_of_headers():
    packed = (
        b"\x01a\x00" b"\x01b\x01" b"\x01c\x02\xff" b"\x01d\x03\xff\xfe" b"\x01e\x04\x00\x00\x00\x07"
        + b"\x01f\x05" + struct.pack("!q", -(2**40)) + b"\x01g\x06\x00\x02\xff\x00" + b"\x01h\x07\x00\x03\xc3\xbcx"
        + b"\x01i\x08" + struct.pack("!q", 1_796_000_000_000) + b"\x01j\x09" + bytes(range(16))
    )
    assert read(framed(packed)) == [({
        "a": True, "b": False, "c": -1, "d": -2, "e": 7, "f": -(2**40), "g": b"\xff\x00", "h": "üx",
        "i": 1_796_000_000_000, "j": UUID(bytes=bytes(range(16))),
    }, b"{}")]


def test_no_headers_and_no_payload():
    assert read(framed(b"", b"")) == [({}, b"")]


THREE = PAGE + framed(b"", b"x" * 1000) + PAGE
OF_THREE = [READ, ({}, b"x" * 1000), READ]


def test_byte_by_byte():
    stream = EventStream()
    assert [one for i in range(len(THREE)) for one in stream.feed(THREE[i : i + 1])] == OF_THREE
    stream.close()


def test_split_anywhere():
    for at in range(len(THREE)):
        stream = EventStream()
        assert stream.feed(THREE[:at]) + stream.feed(THREE[at:]) == OF_THREE, at
        stream.close()


def test_as_botocore_reads_it():
    buffer = EventStreamBuffer()
    buffer.add_data(THREE)
    assert [(one.headers, one.payload) for one in buffer] == OF_THREE


@pytest.mark.parametrize("cut", [*range(1, len(PAGE)), len(PAGE) + 5])
def test_an_end_inside_a_message(cut):
    stream = EventStream()
    stream.feed((PAGE + PAGE)[:cut])
    with pytest.raises(Malformed, match="inside a message"):
        stream.close()


@pytest.mark.parametrize("at", range(len(PAGE)))
def test_any_changed_byte_is_found(at):
    broken = PAGE[:at] + bytes([PAGE[at] ^ 1]) + PAGE[at + 1 :]
    with pytest.raises(Malformed):
        read(broken)


@pytest.mark.parametrize("data", [b'{"message":"no frames here"}', b"              ", b"<html><body>502</body>"])
def test_a_body_without_frames(data):
    with pytest.raises(Malformed, match="checksum"):
        EventStream().feed(data)


def head(total, headers):
    lengths = struct.pack("!II", total, headers)
    return lengths + struct.pack("!I", zlib.crc32(lengths))


@pytest.mark.parametrize(("total", "headers"), [
    (15, 0), (20, 5), (MAX_HEADERS + 17, MAX_HEADERS + 1), (MAX_PAYLOAD + 17, 0), (0, 0),
])
def test_lengths_out_of_bounds(total, headers):
    with pytest.raises(Malformed, match="bytes of headers"):
        EventStream().feed(head(total, headers))


def test_the_longest_are_waited_for():
    assert EventStream().feed(head(MAX_PAYLOAD + 16, 0)) == []
    assert EventStream().feed(head(MAX_HEADERS + 16, MAX_HEADERS)) == []


@pytest.mark.parametrize("packed", [
    b"\x05a", b"\x01", b"\x01a", b"\x01a\x0a", b"\x01a\x07", b"\x01a\x07\x00", b"\x01a\x07\x00\x05abc",
    b"\x01a\x04\x00\x00", b"\x01a\x09\x00", b"\x01\xff\x00", b"\x01a\x07\x00\x01\xff",
])
def test_broken_headers(packed):
    with pytest.raises(Malformed):
        read(framed(packed))


def test_many_different_headers_are_read_as_they_are():
    stream = EventStream()
    for number in range(200):
        name = f"n{number}".encode()
        packed = bytes([len(name)]) + name + b"\x00"
        assert stream.feed(framed(packed)) == [({f"n{number}": True}, b"{}")]
