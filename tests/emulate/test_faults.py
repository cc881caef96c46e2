"""Model names and what they play."""

import pytest

from proxy.emulate.faults import LISTED, NAMED, Flaky, Mode, mode


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("agent", Mode("agent")),
        ("agent-claude-opus-4-8", Mode("agent-claude-opus-4-8", family="claude-opus-4-8")),
        ("agent-onechunk", Mode("agent-onechunk", quirk="onechunk")),
        ("quirk-no-index", Mode("quirk-no-index", quirk="no-index")),
        ("quirk-unheard-of", Mode("quirk-unheard-of", "model", 404)),
        ("fault-429", Mode("fault-429", "status", 429)),
        ("fault-529", Mode("fault-529", "status", 529)),
        ("fault-200", Mode("fault-200", "model", 404)),
        ("fault-bad-arguments", Mode("fault-bad-arguments", "bad-arguments")),
        ("fault-nothing", Mode("fault-nothing", "model", 404)),
        ("slow-20", Mode("slow-20", delay=0.02)),
        ("flaky-3", Mode("flaky-3", times=3)),
        ("gpt-4o", Mode("gpt-4o", family="gpt-4o")),
        ("claude-opus-4-5", Mode("claude-opus-4-5", family="claude-opus-4-5")),
        ("qwen3:8b", Mode("qwen3:8b", family="qwen3:8b")),
        ("o3", Mode("o3", family="o3")),
        ("us.anthropic.claude-v1:0", Mode("us.anthropic.claude-v1:0", family="us.anthropic.claude-v1:0")),
        ("amazon.nova-pro-v1:0", Mode("amazon.nova-pro-v1:0", family="amazon.nova-pro-v1:0")),
        ("nobody-serves-this", Mode("nobody-serves-this", "model", 404)),
        ("", Mode("", "model", 404)),
    ],
)
def test_mode(model: str, expected: Mode) -> None:
    assert mode(model, frozenset({"no-index", "onechunk"})) == expected


def test_every_listed_model_is_served() -> None:
    assert [name for name in LISTED if mode(name).kind == "model"] == []
    assert [name for name in NAMED if f"fault-{name}" not in LISTED] == []


def test_flaky_fails_so_often_and_begins_again() -> None:
    flaky = Flaky()
    assert [flaky.fails("a", 2) for _ in range(6)] == [True, True, False, True, True, False]


def test_flaky_counts_each_conversation() -> None:
    flaky = Flaky()
    assert [flaky.fails(key, 1) for key in ("a", "b", "a", "b")] == [True, True, False, False]
