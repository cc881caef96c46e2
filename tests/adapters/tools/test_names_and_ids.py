"""Wire names and ids: valid, unique, deterministic, and back."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.tools import ids, names

RULES = [names.OPENAI, names.ANTHROPIC, names.GEMINI, names.COHERE, names.BEDROCK]


@pytest.mark.parametrize(
    "given_names, rule, wire",
    [
        (["get_weather"], names.OPENAI, {"get_weather": "get_weather"}),
        (["a.b"], names.OPENAI, {"a.b": "a_b"}),
        (["mcp://x/y:z"], names.OPENAI, {"mcp://x/y:z": "mcp___x_y_z"}),
        (["wetter_für"], names.ANTHROPIC, {"wetter_für": "wetter_f_r"}),
        (["get-weather"], names.COHERE, {"get-weather": "get_weather"}),
        (["1st"], names.COHERE, {"1st": "_1st"}),
        (["1st"], names.BEDROCK, {"1st": "t_1st"}),
        (["-x"], names.GEMINI, {"-x": "_-x"}),
        ([""], names.OPENAI, {"": "_"}),
    ],
)
def test_rewritten_names(given_names, rule, wire):
    assert names.project(given_names, rule).wire == wire


def test_a_valid_name_keeps_its_place_and_the_other_gets_a_hash():
    made = names.project(["a.b", "a_b", "a/b"], names.OPENAI)
    assert made["a_b"] == "a_b"
    assert re.fullmatch("a_b_[0-9a-f]{8}", made["a.b"]) and re.fullmatch("a_b_[0-9a-f]{8}", made["a/b"])
    assert made["a.b"] != made["a/b"]
    assert made.original == {made["a.b"]: "a.b", made["a/b"]: "a/b"}


def test_long_names_that_differ_at_their_end_stay_apart():
    long = ["x" * 199 + end for end in "ab"]
    made = names.project(long, names.OPENAI)
    assert len({made[name] for name in long}) == 2 and all(len(made[name]) == 64 for name in long)


@settings(max_examples=200)
@given(st.lists(st.text(max_size=12), max_size=8), st.sampled_from(RULES), st.randoms())
def test_names_round_trip_in_any_order(many, rule, random):
    made = names.project(many, rule)
    shuffled = list(many)
    random.shuffle(shuffled)
    assert names.project(shuffled, rule) == made
    wires = {made[name] for name in many}
    assert len(wires) == len(set(many))
    for name in many:
        wire = made[name]
        assert re.fullmatch(rule.pattern, wire)
        assert made.original.get(wire, wire) == name


def test_valid_ids_stay_and_foreign_ones_are_hashed():
    mapping = ids.IdMap(ids.MISTRAL)
    assert mapping.call("aB3dE5gH7", 0, "f", "{}") == "aB3dE5gH7"
    first, second = (mapping.call(f"call_{n}", n, "f", "{}") for n in (1, 2))
    assert first != second and re.fullmatch("[a-zA-Z0-9]{9}", first)
    assert ids.IdMap(ids.MISTRAL).call("call_1", 7, "g", "") == first


def test_missing_ids_are_made_unique_and_stable():
    def make():
        mapping = ids.IdMap(ids.ANTHROPIC)
        return [mapping.call(missing, n, "f", "{}") for n, missing in enumerate(["null", "", "None"])]

    assert make() == make() and len(set(make())) == 3
    assert all(re.fullmatch("toolu_[a-zA-Z0-9]{24}", one) for one in make())


def test_an_id_used_again_gets_another_wire_id():
    mapping = ids.IdMap(ids.CHAT)
    assert mapping.call("call_0", 0, "f", "{}") == "call_0"
    again = mapping.call("call_0", 1, "f", "{}")
    assert again != "call_0" and len(again) <= 40


@settings(max_examples=200)
@given(st.lists(st.text(max_size=80), max_size=12), st.sampled_from(sorted(ids.RULES)))
def test_ids_are_valid_and_unique_on_every_api(many, api):
    rule = ids.RULES[api]
    mapping = ids.IdMap(rule)
    wire = [mapping.call(one, at, "f", "{}") for at, one in enumerate(many)]
    assert len(set(wire)) == len(wire) and all(re.fullmatch(rule.pattern, one) for one in wire)
    assert re.fullmatch(rule.pattern, ids.fresh(rule, lambda n: "a" * n))
