"""OpenAI's models by their names."""

import pytest

from adapters.formats.shared.openai_models import Facts, facts, nearest, refuses_stop

LOW = ("low", "medium", "high")


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-4o", Facts(False)),
        ("gpt-4.1-mini", Facts(False)),
        ("gpt-3.5-turbo", Facts(False)),
        ("chatgpt-4o-latest", Facts(False)),
        ("o1", Facts(True, LOW, "medium")),
        ("o1-mini", Facts(True)),
        ("o3-pro", Facts(True, LOW, "medium")),
        ("o4-mini-2025-04-16", Facts(True, LOW, "medium")),
        ("gpt-oss-120b", Facts(False, LOW, "medium")),
        ("openai/gpt-oss-20b", Facts(False, LOW, "medium")),
        ("gpt-5", Facts(True, ("minimal", *LOW), "medium")),
        ("openai/gpt-5-mini", Facts(True, ("minimal", *LOW), "medium")),
        ("gpt-5-pro", Facts(True, ("minimal", *LOW), "medium")),
        ("gpt-5-chat-latest", Facts(False)),
        ("gpt-5.1", Facts(True, ("none", "minimal", *LOW), "none")),
        ("gpt-5.1-chat-latest", Facts(True)),
        ("gpt-5.2", Facts(True, ("none", "minimal", *LOW, "xhigh"), "none")),
        ("gpt-5.2-pro", Facts(True, ("minimal", *LOW, "xhigh"), "medium")),
        ("gpt-5.4-mini", Facts(True, ("none", "minimal", *LOW, "xhigh"), "none")),
        ("gpt-5.5", Facts(True, ("none", "minimal", *LOW, "xhigh"), "medium")),
        ("gpt-5.6-sol", Facts(True, ("none", *LOW, "xhigh", "max"), "medium")),
        ("gpt-6", Facts(True, ("none", *LOW, "xhigh", "max"), "medium")),
        ("GPT-5", Facts(True, ("minimal", *LOW), "medium")),
        ("grok-4", None),
        ("o-series", None),
        ("openchat", None),
        ("my-deployment", None),
    ],
)
def test_facts(model, expected):
    assert facts(model) == expected


@pytest.mark.parametrize(
    ("model", "effort", "refuses"),
    [
        ("gpt-4o", None, False), ("gpt-5", None, True), ("gpt-5", "low", True), ("gpt-5.1", None, False),
        ("gpt-5.1", "none", False), ("gpt-5.1", "low", True), ("gpt-5.5", None, True), ("gpt-5.5", "none", False),
        ("gpt-5.1-chat-latest", None, True), ("gpt-oss-120b", "high", False), ("o3", None, True),
    ],
)
def test_sampling(model, effort, refuses):
    assert facts(model).refuses_sampling(effort) is refuses


@pytest.mark.parametrize(
    ("effort", "efforts", "expected"),
    [
        ("low", LOW, "low"), ("none", LOW, "low"), ("minimal", LOW, "low"), ("xhigh", LOW, "high"),
        ("max", ("none", "low", "xhigh"), "xhigh"), ("minimal", ("none", *LOW), "low"), ("none", ("high",), "high"),
    ],
)
def test_nearest(effort, efforts, expected):
    assert nearest(effort, efforts) == expected


@pytest.mark.parametrize(
    ("model", "refuses"),
    [("o1", False), ("o3-mini", True), ("gpt-5", True), ("openai/gpt-5.6", True), ("gpt-4.1", False), ("other", False)],
)
def test_stop(model, refuses):
    assert refuses_stop(model) is refuses
