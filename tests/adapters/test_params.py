"""A route's `params` stand in where the client said nothing; its `force` holds whatever the client said."""

import pytest

from adapters.model import Message, Request, Sampling, Text, Thinking
from adapters.params import apply

ASKED = Request("m", (Message("user", (Text("hi"),)),))
FIELDS = {
    "max_tokens": 100,
    "temperature": 0.5,
    "top_p": 0.9,
    "top_k": 40,
    "stop": ["END"],
    "seed": 7,
    "presence_penalty": 0.25,
    "frequency_penalty": -0.25,
    "effort": "low",
    "parallel_tool_calls": False,
    "service_tier": "flex",
    "verbosity": "low",
}
"""Every key of `params` and `force`, with a value."""

SAID = Request(
    "m", ASKED.messages, parallel=True, service_tier="auto", verbosity="high", thinking=Thinking(effort="high"),
    sampling=Sampling(
        max_tokens=9, temperature=1.5, top_p=0.1, top_k=1, stop=("X",), seed=1, presence_penalty=1.0,
        frequency_penalty=1.0,
    ),
)
"""A client that said something of everything."""


def value(request, name):
    match name:
        case "effort":
            return request.thinking and request.thinking.effort
        case "stop":
            return list(request.sampling.stop)
        case "parallel_tool_calls":
            return request.parallel
        case "service_tier" | "verbosity":
            return getattr(request, name)
    return getattr(request.sampling, name)


@pytest.mark.parametrize("name", FIELDS)
def test_params(name):
    params = {name: FIELDS[name]}
    assert value(apply(ASKED, params, {}), name) == FIELDS[name]
    assert apply(SAID, params, {}) == SAID, "what the client says stays"
    others = [other for other in FIELDS if other != name]
    assert [value(apply(ASKED, params, {}), other) for other in others] == [value(ASKED, other) for other in others]


@pytest.mark.parametrize("name", FIELDS)
def test_force(name):
    force = {name: FIELDS[name]}
    assert value(apply(ASKED, {}, force), name) == FIELDS[name]
    assert value(apply(SAID, {}, force), name) == FIELDS[name]
    others = [other for other in FIELDS if other != name]
    assert [value(apply(SAID, {}, force), other) for other in others] == [value(SAID, other) for other in others]


def test_both():
    made = apply(ASKED, {"temperature": 0.1, "seed": 1}, {"temperature": 0.2})
    assert (made.sampling.temperature, made.sampling.seed) == (0.2, 1)


def test_effort_and_a_budget():
    """A budget is the client's own word on effort; a forced effort replaces it."""
    budget = Request("m", ASKED.messages, thinking=Thinking(budget=2048, visible=True))
    assert apply(budget, {"effort": "low"}, {}) == budget
    assert apply(budget, {}, {"effort": "low"}).thinking == Thinking(effort="low", visible=True)
