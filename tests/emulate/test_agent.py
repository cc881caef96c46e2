"""The deterministic model: what it calls, what it says, where it stops."""

import json

import pytest

from proxy.emulate.agent import Plan, Result, Task, Tool, cut, plan, tokens, with_broken_arguments

CITY = {"type": "object", "properties": {"city": {"enum": ["Rome"]}}, "required": ["city"]}
WEATHER, CLOCK = Tool("get_weather", CITY), Tool("now", {"type": "object", "properties": {}})


def names(task: Task) -> list[str]:
    return [call.name for call in plan(task).calls]


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (Task("hi"), []),
        (Task("hi", (WEATHER,)), ["get_weather"]),
        (Task("do both", (WEATHER,)), ["get_weather", "get_weather"]),
        (Task("hi", (WEATHER, CLOCK)), ["get_weather", "now"]),
        (Task("hi", (WEATHER, CLOCK), parallel=False), ["get_weather"]),
        (Task("call 5", (WEATHER, CLOCK)), ["get_weather", "now", "get_weather", "now", "get_weather"]),
        (Task("call 20", (WEATHER, CLOCK), parallel=False), ["get_weather"]),
        (Task("hi", (WEATHER, CLOCK), choice="none"), []),
        (Task("hi", (WEATHER, CLOCK), choice="required", allowed=("now",)), ["now"]),
        (Task("hi", (WEATHER, CLOCK), allowed=("now",)), ["now"]),
        (Task("hi", (WEATHER,), rounds=1, results=(Result("1", "get_weather", "21C"),)), []),
        (Task("hi", (WEATHER,), rounds=1, choice="required"), ["get_weather"]),
        (Task("hi", (WEATHER, CLOCK), rounds=1, choice="required", results=(Result("1", "get_weather", ""),)), ["now"]),
        (Task("3 rounds", (WEATHER,), rounds=2), ["get_weather"]),
        (Task("3 rounds", (WEATHER,), rounds=3), []),
    ],
)
def test_which_tools_are_called(task: Task, expected: list[str]) -> None:
    assert names(task) == expected
    assert plan(task).finish == ("tool_calls" if expected else "stop")


def test_arguments_satisfy_the_schema_and_are_the_text() -> None:
    (call,) = plan(Task("hi", (WEATHER,))).calls
    assert call.arguments == {"city": "Rome"}
    assert (call.text, call.whole) == ('{"city":"Rome"}', True)


@pytest.mark.parametrize(("user", "city", "expected"), [
    ("What is the weather in Rome?", {"type": "string"}, "Rome"),
    ("What is the weather in Rome?", {"type": "string", "enum": ["Bonn"]}, "Bonn"),
])
def test_a_place_in_the_question_is_the_city(user: str, city: dict[str, object], expected: str) -> None:
    schema = {"type": "object", "properties": {"city": city}, "required": ["city"]}
    (call, *_) = plan(Task(user=user, tools=(Tool("f", schema),))).calls
    assert call.arguments == {"city": expected}


def test_a_tool_without_schema_takes_text() -> None:
    (call,) = plan(Task("hi", (Tool("sql", None),))).calls
    assert call.arguments == call.text == "SELECT 1 -- sql"


READ = Tool("fs__read", {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})


@pytest.mark.parametrize(
    ("user", "name", "text"),
    [
        ('Call the tool read with {"path": "a", "n": 1.0}. Then say it.', "fs__read", '{"path": "a", "n": 1.0}'),
        ("please call the tool get_weather.", "get_weather", '{"city":"Rome"}'),
        ('call the tool nobody has, or call the tool read with {"path": "é"}', "fs__read", '{"path": "é"}'),
        ("call the tool get_weather with {broken", "get_weather", '{"city":"Rome"}'),
    ],
)
def test_a_user_may_name_the_tool_and_its_arguments(user: str, name: str, text: str) -> None:
    (call,) = plan(Task(user, (WEATHER, CLOCK, READ))).calls
    assert (call.name, call.text, call.arguments) == (name, text, json.loads(text))


def test_a_named_tool_that_is_not_offered_changes_nothing() -> None:
    assert names(Task("call the tool read", (WEATHER, CLOCK))) == ["get_weather", "now"]


def test_results_are_quoted() -> None:
    said = plan(Task("hi", (WEATHER,), rounds=1, results=(Result("1", "get_weather", "21C"), Result("2", "", "no"))))
    assert said == Plan(text="The tools answered:\nget_weather: 21C\n2: no")


def test_without_tools_the_user_is_quoted() -> None:
    assert plan(Task("naïve “words”")) == Plan(text="You said: naïve “words”")


def test_structured_output_is_an_instance() -> None:
    assert plan(Task("hi", output=CITY)).text == '{"city": "Rome"}'
    assert list(json.loads(plan(Task("hi", output={})).text or "")) == ["answer"]


def test_reasoning_only_when_wanted() -> None:
    assert plan(Task("hi")).reasoning is None
    assert plan(Task("hi", reasoning=True)).reasoning == "The user says “hi”. No tool is needed."


def test_a_sentence_before_calls_when_aloud() -> None:
    assert plan(Task("hi", (WEATHER, CLOCK), aloud=True)).text == "I will use get_weather, now."


def test_stop_sequence_nearest_to_the_start_wins() -> None:
    assert plan(Task("one END two STOP", stop=("STOP", "END"))) == Plan(
        text="You said: one ", finish="stop_sequence", stopped="END"
    )


@pytest.mark.parametrize(
    ("limit", "expected"),
    [(3, "You said: he"), (4, "You said: hello "), (100, "You said: hello world")],
)
def test_token_limit_cuts_text(limit: int, expected: str) -> None:
    said = plan(Task("hello world", max_tokens=limit))
    assert said.text == expected
    assert said.finish == ("stop" if limit == 100 else "length")


def test_token_limit_cuts_the_last_call() -> None:
    said = plan(Task("call 2", (WEATHER,), max_tokens=5))
    assert [(call.text, call.whole) for call in said.calls] == [('{"city":"Rome"}', True), ('{"cit', False)]
    assert said.finish == "length"


def test_token_limit_counts_reasoning_first() -> None:
    said = cut(Plan("12345678", "abcdefgh"), 3)
    assert said == Plan("12345678", "abcd", (), "length")


def test_broken_arguments_are_no_json() -> None:
    for call in with_broken_arguments(plan(Task("hi", (WEATHER, CLOCK)))).calls:
        with pytest.raises(ValueError, match=r"."):
            json.loads(call.text)


def test_the_same_task_gives_the_same_plan() -> None:
    task = Task("hi", (Tool("a", {"type": "object", "properties": {"x": {}, "y": {"type": "number"}}}),))
    assert plan(task) == plan(task)


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_tokens(text: str, expected: int) -> None:
    assert tokens(text) == expected
