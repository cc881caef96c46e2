"""The opaque reference to a reasoning block: there and back, and what is none."""

from base64 import b64decode, b64encode

import pytest

from adapters.formats.shared.reference import pack, unpack
from adapters.model import Reasoning

BLOCKS = [
    Reasoning(),
    Reasoning("Let me see."),
    Reasoning("Hm.", "openai-responses", "openai/gpt-5", "rs_1", None, "gAAAA+/=="),
    Reasoning("Ä 東京", "google-gemini", "google/gemini-3", signature="c2ln"),
    Reasoning("one\n\ntwo\n\nmore", "openai-responses", "o", "rs_2", sections=("one\n\ntwo", "more")),
    Reasoning("", "openai-responses", "o", "rs_3", data="x", sections=()),
    Reasoning("t", "openai-responses", extras={"openai-responses": {"status": "completed", "big": 2**70}}),
]


@pytest.mark.parametrize("block", BLOCKS)
def test_there_and_back(block):
    assert unpack(pack(block), block.text) == block


@pytest.mark.parametrize("block", BLOCKS)
def test_is_base64_as_a_whole(block):
    reference = pack(block)
    assert b64encode(b64decode(reference, validate=True)).decode() == reference
    unpadded = reference.rstrip("=").replace("+", "-").replace("/", "_")
    assert unpack(unpadded, block.text) == block


def test_is_fixed():
    block = Reasoning("seen", "google-gemini", "g", signature="s")
    assert pack(block) == "tw1r" + b64encode(b'{"api":"google-gemini","origin":"g","signature":"s"}').decode()


def test_changed_text_is_one_section():
    block = Reasoning("one\n\ntwo", "openai-responses", sections=("one", "two"))
    assert unpack(pack(block), "other").sections == ("other",)
    assert unpack(pack(block)).sections == ()


@pytest.mark.parametrize(
    "text",
    [
        "", "tw1", "tw1r", "tw1r!", "EqQBCgIYAhIM1", "tw1rW10=", "tw1r" + b64encode(b'{"api":1}').decode(),
        "tw1r" + b64encode(b'{"extras":[]}').decode(), "tw1r" + b64encode(b'{"extras":{"a":1}}').decode(), "tw1r\u00e9",
    ],
)
def test_no_reference(text):
    assert unpack(text) is None
