"""Facts by model name, and what to send for a wish to think."""

import pytest

from adapters.formats.shared.claude import OTHER, facts
from adapters.formats.shared.claude_thinking import Limit, Plan, level, limit, plan
from adapters.model import Thinking

ROWS = [
    # name, maximum, default streamed, default whole, thinking, off, on by default, structured, forced
    ("claude-3-opus-20240229", 4096, 4096, 4096, "none", "omit", False, False, True),
    ("claude-3-5-haiku-latest", 8192, 4096, 4096, "none", "omit", False, False, True),
    ("claude-3-7-sonnet-20250219", 64000, 4096, 4096, "budget", "omit", False, False, True),
    ("claude-sonnet-4-20250514", 64000, 4096, 4096, "budget", "omit", False, False, True),
    ("claude-opus-4-0", 32000, 4096, 4096, "budget", "omit", False, False, True),
    ("claude-opus-4-1-20250805", 32000, 4096, 4096, "budget", "omit", False, True, True),
    ("claude-haiku-4-5", 64000, 32000, 20000, "budget", "omit", False, True, True),
    ("claude-sonnet-4-5@20250929", 64000, 32000, 20000, "budget", "omit", False, True, True),
    ("anthropic/claude-opus-4.5", 64000, 32000, 20000, "budget", "omit", False, True, True),
    ("us.anthropic.claude-opus-4-6-v1:0", 128000, 128000, 20000, "adaptive", "disabled", False, True, True),
    ("claude-opus-4-7", 128000, 128000, 20000, "adaptive", "disabled", False, True, True),
    ("claude-opus-4-9", 128000, 128000, 20000, "adaptive", "disabled", False, True, True),
    ("claude-opus-5", 128000, 128000, 20000, "adaptive", "disabled", True, True, True),
    ("claude-opus-5-5", 128000, 128000, 20000, "adaptive", "never", True, True, False),
    ("claude-opus-7", 128000, 128000, 20000, "adaptive", "never", True, True, False),
    ("claude-sonnet-5", 128000, 128000, 20000, "adaptive", "disabled", True, True, True),
    ("claude-sonnet-5-5", 128000, 128000, 20000, "adaptive", "between_tools", True, True, False),
    ("claude-haiku-5-5-20261012", 128000, 128000, 20000, "adaptive", "disabled", True, True, True),
    ("claude-fable-5", 128000, 128000, 20000, "adaptive", "never", True, True, True),
    ("claude-fable-5-2", 128000, 128000, 20000, "adaptive", "never", True, True, False),
    ("claude-mythos-preview", 128000, 128000, 20000, "adaptive", "never", True, True, True),
    ("claude-mythos-5-1", 128000, 128000, 20000, "adaptive", "never", True, True, False),
    ("claude-sonnet-latest", 128000, 128000, 20000, "adaptive", "between_tools", True, True, False),
    ("kimi-k2", None, 8192, 8192, "budget", "omit", False, False, True),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rows(row):
    f = facts(row[0])
    assert (row[0], f.maximum, f.default_stream, f.default_whole, f.thinking, f.off, f.default_on, f.structured,
            f.forced) == row


@pytest.mark.parametrize(
    ("model", "sampling", "prefill", "system_entries", "bound"),
    [
        ("claude-3-5-sonnet-latest", "both", True, False, False),
        ("claude-sonnet-4-5", "one", True, False, False),
        ("claude-sonnet-4-6", "one", False, False, False),
        ("claude-opus-4-7", "none", False, False, False),
        ("claude-opus-4-8", "none", False, True, False),
        ("claude-sonnet-5", "none", False, False, False),
        ("claude-haiku-5-5", "none", False, True, True),
        ("claude-mythos-5-1", "none", False, True, False),
        ("claude-mythos-5-2", "none", False, True, True),
        ("claude-mythos-preview", "none", False, False, False),
    ],
)
def test_refusals(model, sampling, prefill, system_entries, bound):
    f = facts(model)
    assert (f.sampling, f.prefill, f.system_entries, f.bound) == (sampling, prefill, system_entries, bound)


@pytest.mark.parametrize(
    ("effort", "model", "sent"),
    [
        ("minimal", "claude-opus-4-6", "low"),
        ("medium", "claude-opus-4-6", "medium"),
        ("xhigh", "claude-opus-4-6", "max"),
        ("xhigh", "claude-opus-4-7", "xhigh"),
        ("max", "claude-opus-4-7", "max"),
        ("xhigh", "claude-opus-4-5", "high"),
        ("max", "claude-opus-4-5", "high"),
        ("high", "claude-sonnet-4-5", None),
        ("none", "claude-opus-4-7", None),
        (None, "claude-opus-4-7", None),
    ],
)
def test_levels(effort, model, sent):
    assert level(effort, facts(model)) == sent


@pytest.mark.parametrize(
    ("asked", "model", "ceiling", "stream", "expected"),
    [
        (None, "claude-opus-5", None, True, Limit(128000, 128000)),
        (None, "claude-opus-5", None, False, Limit(20000, 128000)),
        (None, "claude-opus-5", 8000, False, Limit(8000, 8000)),
        (None, "claude-opus-4", None, True, Limit(4096, 32000)),
        (0, "claude-opus-4", None, True, Limit(0, 32000)),
        (128000, "claude-sonnet-4-5", None, True, Limit(64000, 64000, (
            "max_tokens: 128000 is more than the model takes, 64000 is sent",))),
        (500000, "kimi-k2", None, True, Limit(500000)),
        (None, "kimi-k2", 4000, True, Limit(4000, 4000)),
    ],
)
def test_limit(asked, model, ceiling, stream, expected):
    assert limit(asked, facts(model), ceiling, stream) == expected


def shown(kind="adaptive"):
    return {"type": kind, "display": "summarized"}


@pytest.mark.parametrize(
    ("model", "wish", "limits", "expected"),
    [
        ("claude-opus-5", None, Limit(100), Plan(100)),
        ("claude-opus-5", Thinking(), Limit(100), Plan(100)),
        ("claude-opus-5", Thinking(visible=True), Limit(100), Plan(100, shown())),
        ("claude-opus-5", Thinking("high"), Limit(100), Plan(100, shown(), "high")),
        ("claude-opus-5", Thinking("minimal"), Limit(100), Plan(100, shown(), "low")),
        ("claude-opus-4-6", Thinking("xhigh"), Limit(100), Plan(100, shown(), "max")),
        ("claude-opus-5", Thinking("low", visible=False), Limit(100),
         Plan(100, {"type": "adaptive", "display": "omitted"}, "low")),
        ("claude-opus-5", Thinking(budget=5000), Limit(100), Plan(100, shown(), "medium")),
        ("claude-opus-5", Thinking(budget=-1), Limit(100), Plan(100, shown())),
        ("claude-opus-5", Thinking("none"), Limit(100), Plan(100, {"type": "disabled"})),
        ("claude-opus-5", Thinking(budget=0), Limit(100), Plan(100, {"type": "disabled"})),
        ("claude-sonnet-5-5", Thinking("none"), Limit(100), Plan(100, {"type": "between_tools"})),
        ("claude-opus-5-5", Thinking("none"), Limit(100), Plan(100, {"type": "adaptive"}, "low", (
            "reasoning_effort: the model cannot stop thinking, the lowest effort is sent",))),
        ("claude-sonnet-4-5", Thinking("none"), Limit(100, 64000), Plan(100)),
        ("claude-sonnet-4-5", Thinking("low"), Limit(0, 64000), Plan(0)),
        ("claude-sonnet-4-5", Thinking("low"), Limit(20000, 64000),
         Plan(20000, {"type": "enabled", "budget_tokens": 2048})),
        ("claude-sonnet-4-5", Thinking("medium"), Limit(8000, 64000),
         Plan(18000, {"type": "enabled", "budget_tokens": 10000})),
        ("claude-sonnet-4-5", Thinking("medium"), Limit(10000, 64000),
         Plan(20000, {"type": "enabled", "budget_tokens": 10000})),
        ("claude-sonnet-4-5", Thinking("max"), Limit(32768, 64000),
         Plan(64000, {"type": "enabled", "budget_tokens": 32000})),
        ("claude-sonnet-4-5", Thinking(budget=31999), Limit(8192, 8192),
         Plan(8192, {"type": "enabled", "budget_tokens": 4096})),
        ("claude-sonnet-4-5", Thinking("high"), Limit(1500, 2000), Plan(1500, warnings=(
            "reasoning_effort: left out, the output limit leaves no room for thinking",))),
        ("claude-sonnet-4-5", Thinking(budget=100), Limit(4096, 64000),
         Plan(4096, {"type": "enabled", "budget_tokens": 1024})),
        ("claude-sonnet-4-5", Thinking(budget=-1), Limit(20000, 64000),
         Plan(20000, {"type": "enabled", "budget_tokens": 10000})),
        ("claude-sonnet-4-5", Thinking("low", visible=False), Limit(20000, 64000),
         Plan(20000, {"type": "enabled", "budget_tokens": 2048, "display": "omitted"})),
        ("kimi-k2", Thinking("low", visible=False), Limit(1000),
         Plan(3048, {"type": "enabled", "budget_tokens": 2048})),
        ("claude-3-5-sonnet-latest", Thinking("low"), Limit(100), Plan(100, warnings=(
            "reasoning_effort: left out, the model does not think",))),
        ("claude-3-5-sonnet-latest", Thinking("none"), Limit(100), Plan(100)),
    ],
)
def test_plan(model, wish, limits, expected):
    assert plan(wish, facts(model), limits) == expected


def test_other_is_cautious():
    assert facts("gpt-4o") is OTHER
    assert not OTHER.structured
    assert not OTHER.known
