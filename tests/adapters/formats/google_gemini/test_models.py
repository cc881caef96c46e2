"""What is known of models by name, and thinkingConfig from effort and budget (wire page, section 6)."""

import pytest

from adapters.formats.google_gemini.models import facts
from adapters.formats.google_gemini.thinking import Config, config
from adapters.model import Thinking

ALL = ("MINIMAL", "LOW", "MEDIUM", "HIGH")


@pytest.mark.parametrize(
    ("model", "generation", "thinking", "levels"),
    [
        ("gemini-3-pro-preview", (3, 0), "level", ("LOW", "HIGH")),
        ("gemini-3-flash-preview", (3, 0), "level", ALL),
        ("gemini-3.1-pro-preview", (3, 1), "level", ("LOW", "MEDIUM", "HIGH")),
        ("gemini-3.1-pro-preview-customtools", (3, 1), "level", ("LOW", "MEDIUM", "HIGH")),
        ("gemini-3.1-flash-lite", (3, 1), "level", ALL),
        ("gemini-3.1-flash-lite-image", (3, 1), "level", ("MINIMAL", "HIGH")),
        ("gemini-3.5-flash", (3, 5), "level", ALL),
        ("gemini-3.7-flash", (3, 7), "level", ("LOW", "MEDIUM", "HIGH")),
        ("gemini-3.7-flash-lite", (3, 7), "level", ALL),
        ("gemini-3.8-flash-preview-11-2026", (3, 8), "level", ("LOW", "MEDIUM", "HIGH")),
        ("gemini-4-argon", (4, 0), "level", ("LOW", "MEDIUM", "HIGH")),
        ("gemini-4-carbon", (4, 0), "level", ("LOW", "MEDIUM", "HIGH")),
        ("models/gemini-4-argon", (4, 0), "level", ("LOW", "MEDIUM", "HIGH")),
        ("publishers/google/models/gemini-2.5-pro", (2, 5), "budget", ()),
        ("gemini-2.5-flash", (2, 5), "budget", ()),
        ("gemini-2.5-flash-image", (2, 5), "none", ()),
        ("gemini-2.0-flash", (2, 0), "none", ()),
        ("gemini-1.5-pro-002", (1, 5), "none", ()),
        ("gemini-pro", (1, 0), "none", ()),
        ("gemma-3-27b-it", (2, 0), "none", ()),
        ("gemini-flash-latest", (3, 0), "level", ALL),
        ("my-tuned-model", (3, 0), "level", ALL),
    ],
)
def test_facts(model, generation, thinking, levels):
    known = facts(model)
    assert (known.generation, known.thinking, known.levels) == (generation, thinking, levels)


def test_a_name_that_says_nothing_goes_by_its_family():
    assert facts("tuned-7", "gemini-2.5-flash") == facts("gemini-2.5-flash")


def test_gemma_has_no_system_instruction_and_new_models_no_penalties():
    assert not facts("gemma-3-27b-it").system
    assert facts("gemini-2.5-flash").penalties
    assert not facts("gemini-2.5-flash-preview-09-2025").penalties
    assert not facts("gemini-3.5-flash").penalties


FLASH, LITE, PRO = "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.5-pro"
TWO_LEVELS, THREE_LEVELS, IMAGE, FOUR = (
    "gemini-3-pro-preview", "gemini-3.7-flash", "gemini-3.1-flash-lite-image", "gemini-3.5-flash",
)


@pytest.mark.parametrize(
    ("model", "effort", "body"),
    [
        (FOUR, "minimal", {"thinkingLevel": "MINIMAL"}),
        (FOUR, "low", {"thinkingLevel": "LOW"}),
        (FOUR, "medium", {"thinkingLevel": "MEDIUM"}),
        (FOUR, "high", {"thinkingLevel": "HIGH"}),
        (FOUR, "xhigh", {"thinkingLevel": "HIGH"}),
        (FOUR, "max", {"thinkingLevel": "HIGH"}),
        (FOUR, "none", {"thinkingLevel": "MINIMAL"}),
        (TWO_LEVELS, "none", {"thinkingLevel": "LOW"}),
        (TWO_LEVELS, "minimal", {"thinkingLevel": "LOW"}),
        (TWO_LEVELS, "medium", {"thinkingLevel": "LOW"}),
        (THREE_LEVELS, "minimal", {"thinkingLevel": "LOW"}),
        (IMAGE, "low", {"thinkingLevel": "MINIMAL"}),
        (IMAGE, "medium", {"thinkingLevel": "HIGH"}),
        (FLASH, "none", {"thinkingBudget": 0}),
        (FLASH, "minimal", {"thinkingBudget": 128}),
        (FLASH, "low", {"thinkingBudget": 2048}),
        (FLASH, "medium", {"thinkingBudget": 8192}),
        (FLASH, "high", {"thinkingBudget": 24576}),
        (FLASH, "max", {"thinkingBudget": 24576}),
        (LITE, "minimal", {"thinkingBudget": 512}),
        (LITE, "none", {"thinkingBudget": 0}),
        (PRO, "none", {"thinkingBudget": 128}),
        (PRO, "high", {"thinkingBudget": 24576}),
        ("gemini-2.0-flash", "none", {}),
    ],
)
def test_effort(model, effort, body):
    assert config(Thinking(effort, visible=False), facts(model), False, model).body == body


@pytest.mark.parametrize(
    ("model", "budget", "body"),
    [
        (FLASH, -1, {"thinkingBudget": -1}),
        (FLASH, 5000, {"thinkingBudget": 5000}),
        (FLASH, 99_999, {"thinkingBudget": 24576}),
        (PRO, 99_999, {"thinkingBudget": 32768}),
        (PRO, 5, {"thinkingBudget": 128}),
        (PRO, 0, {"thinkingBudget": 128}),
        (FOUR, -1, {}),
        (FOUR, 0, {"thinkingLevel": "MINIMAL"}),
        (FOUR, 2048, {"thinkingLevel": "LOW"}),
        (FOUR, 2049, {"thinkingLevel": "MEDIUM"}),
        (FOUR, 8192, {"thinkingLevel": "MEDIUM"}),
        (FOUR, 8193, {"thinkingLevel": "HIGH"}),
    ],
)
def test_budget(model, budget, body):
    assert config(Thinking(budget=budget, visible=False), facts(model), False, model).body == body


def test_thoughts_are_asked_for_with_an_effort_or_by_the_client():
    known = facts(FLASH)
    assert config(Thinking("low"), known, False, FLASH).body == {"includeThoughts": True, "thinkingBudget": 2048}
    assert config(Thinking("low", visible=False), known, False, FLASH).body == {"thinkingBudget": 2048}
    assert config(Thinking(visible=True), known, False, FLASH).body == {"includeThoughts": True}
    assert config(Thinking("none", visible=True), known, False, FLASH).body == {"thinkingBudget": 0}


def test_what_thinking_may_take_of_the_output():
    assert config(Thinking("minimal"), facts(FLASH), False, FLASH).room == 1024
    assert config(Thinking("high"), facts(FLASH), False, FLASH).room == 24576
    assert config(Thinking("low"), facts(FOUR), False, FOUR).room == 2048
    assert config(Thinking("none"), facts(FLASH), False, FLASH).room == 0


def test_3_1_pro_can_be_switched_off_on_vertex_only():
    name = "gemini-3.1-pro-preview"
    assert config(Thinking("none"), facts(name), True, name) == Config({"thinkingBudget": 0}, 0)
    assert config(Thinking("none"), facts(name), False, name).body == {"thinkingLevel": "LOW"}


def test_what_cannot_be_done_is_told():
    assert config(Thinking("none"), facts(PRO), False, PRO).warnings == (
        "reasoning effort none: gemini-2.5-pro cannot stop thinking, a budget of 128 tokens is asked for",
    )
    assert config(Thinking("none"), facts(FOUR), False, FOUR).warnings == (
        "reasoning effort none: gemini-3.5-flash cannot stop thinking, its lowest level MINIMAL is asked for",
    )
    assert config(Thinking(budget=99_999), facts(FLASH), False, FLASH).warnings == (
        "thinking budget 99999: gemini-2.5-flash takes 1 to 24576 tokens, 24576 is asked for",
    )
    old = config(Thinking("high"), facts("gemini-2.0-flash"), False, "gemini-2.0-flash")
    assert old == Config({}, 0, ("reasoning effort: left out, gemini-2.0-flash does not think",))


def test_a_gemini_clients_own_fields_go_on():
    own = {"google-gemini": {"thinkingLevel": "XHIGH", "new": 1}}
    assert config(Thinking("xhigh", visible=False, extras=own), facts(FOUR), False, FOUR).body == {
        "thinkingLevel": "XHIGH",
        "new": 1,
    }
    assert config(Thinking("xhigh", visible=False, extras=own), facts(FOUR), True, FOUR).body == {
        "thinkingLevel": "HIGH",
        "new": 1,
    }
    assert config(Thinking("xhigh", visible=False, extras=own), facts(FLASH), False, FLASH).body == {
        "thinkingBudget": 24576,
        "new": 1,
    }
