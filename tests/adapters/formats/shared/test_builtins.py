"""Built-in tools for APIs that have few or none."""

import pytest

from adapters.errors import Rejected
from adapters.formats.shared.builtins import usable
from adapters.model import Request, Tool, ToolChoice

F = Tool("f", schema={"type": "object"})
SEARCH = Tool("search", kind="builtin", builtin="web_search", extras={"openai-responses": {"type": "web_search"}})
CODE = Tool("code", kind="builtin", builtin="code_execution")
NATIVE = {"web_search": {"systemTool": {"name": "grounding"}}}


def ask(*tools, choice=None):
    return Request("m", (), tools=tools, tool_choice=choice)


def test_native_ones_are_declared_and_others_left_out():
    warnings = {}
    made = usable(ask(CODE, F, SEARCH, choice=ToolChoice("auto")), "x-api", NATIVE, warnings)
    assert made.tools == (F, Tool("search", kind="builtin", builtin="web_search", extras={
        "x-api": {"systemTool": {"name": "grounding"}}}))
    assert made.tool_choice == ToolChoice("auto")
    assert list(warnings) == ["tools: code_execution is left out, x-api has no such built-in tool"]


@pytest.mark.parametrize(("tools", "choice", "left"), [
    ((F, CODE), None, None),
    ((F, CODE), ToolChoice("required"), ToolChoice("required")),
    ((F, CODE), ToolChoice("named", ("f",)), ToolChoice("named", ("f",))),
    ((F, CODE), ToolChoice("allowed", ("f", "code"), True), ToolChoice("allowed", ("f",), True)),
    ((F, CODE), ToolChoice("allowed", ("code",)), ToolChoice("allowed", ())),
    ((CODE,), ToolChoice("none"), ToolChoice("none")),
])
def test_choices_without_what_was_left_out(tools, choice, left):
    assert usable(ask(*tools, choice=choice), "x-api", {}, {}).tool_choice == left


@pytest.mark.parametrize(("tools", "choice"), [
    ((F, CODE), ToolChoice("named", ("code",))),
    ((CODE,), ToolChoice("required")),
    ((F, CODE), ToolChoice("allowed", ("code",), True)),
])
def test_forced_ones_are_refused(tools, choice):
    with pytest.raises(Rejected, match="built-in tool that x-api does not have"):
        usable(ask(*tools, choice=choice), "x-api", {}, {})
