"""Parts as one text."""

import pytest

from adapters.formats.shared.texts import joined, told
from adapters.model import Media, Reasoning, Refusal, Text, ToolCall, ToolResult


def test_joined():
    parts = (Text("a"), Reasoning("no"), Refusal("b"), ToolCall("c", "f", "{}"), Media("image", data="x"),
             Media("file", text="doc", name="n.txt"), Media("file", text="bare"), Text("\ud800"))
    assert joined(parts) == "a\nb\nn.txt:\ndoc\nbare\n\ufffd"
    assert joined((Text("a"), Text("b")), "") == "ab"


@pytest.mark.parametrize(("text", "is_error", "expected"), [
    ("fine", None, "fine"),
    ("fine", False, "fine"),
    ("broken", True, "error: broken"),
    ("(no result)", True, "(no result)"),
])
def test_results(text, is_error, expected):
    assert told(ToolResult("c", (Text(text),), is_error)) == expected
