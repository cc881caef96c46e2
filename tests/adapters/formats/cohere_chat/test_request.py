"""Requests: full bodies, and each rule of the wire by itself. Every body is also read by the SDK's own types."""

import json

import pytest
from cohere.types import ChatMessageV2, ResponseFormatV2, ToolV2
from cohere.types import Thinking as SdkThinking
from pydantic import TypeAdapter

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.cohere_chat import API
from adapters.model import (
    CacheMark,
    Media,
    Message,
    OutputFormat,
    Reasoning,
    Request,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
)

ORIGIN = "cohere/command-a-03-2025"
TO = Upstream("command-a-03-2025", ORIGIN, {"sort_tools": True})
THINKER = Upstream("command-a-reasoning-08-2025", ORIGIN)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
EMPTY = {"type": "object", "properties": {}}
WEATHER = Tool("get_weather", "Weather in a city.", CITY)
WIRED = {"type": "function", "function": {"name": "get_weather", "description": "Weather in a city.",
                                          "parameters": CITY}}
NOW = Tool("now", "The time.", EMPTY)
GO = (Message("user", (Text("go"),)),)
SEARCH = Tool("web_search", kind="builtin", builtin="web_search")
KNOWN = {
    "model", "stream", "messages", "tools", "tool_choice", "strict_tools", "response_format", "thinking", "max_tokens",
    "stop_sequences", "temperature", "p", "k", "seed", "frequency_penalty", "presence_penalty", "logprobs",
}


def ask(*messages, **fields):
    return Request("m", messages or GO, **fields)


def sent(request, to=TO):
    outgoing = API.encode(request, to)
    body = json.loads(outgoing.body)
    assert body.keys() <= KNOWN
    TypeAdapter(list[ChatMessageV2]).validate_python(body["messages"])
    TypeAdapter(list[ToolV2]).validate_python(body.get("tools", []))
    TypeAdapter(ResponseFormatV2 | None).validate_python(body.get("response_format"))
    TypeAdapter(SdkThinking | None).validate_python(body.get("thinking"))
    for tool in body.get("tools", []):
        assert tool.keys() == {"type", "function"}
        assert tool["function"].keys() <= {"name", "description", "parameters"}
    return body, outgoing


def body(request, to=TO):
    return sent(request, to)[0]


def warnings(request, to=TO):
    return sent(request, to)[1].warnings


def messages(*given, to=TO):
    return body(ask(*given), to)["messages"]


def user(*parts):
    return Message("user", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def model(*parts):
    return Message("assistant", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def results(*parts):
    return Message("tool", parts)


def test_smallest_request():
    outgoing = API.encode(ask(), TO)
    assert outgoing.body == b'{"model":"command-a-03-2025","messages":[{"role":"user","content":"go"}]}'
    assert (outgoing.path, outgoing.method, outgoing.stream, outgoing.query) == ("/v2/chat", "POST", False, {})
    assert (outgoing.headers, outgoing.warnings) == ({}, ())
    assert API.auth("K", TO) == {"authorization": "Bearer K"}
    assert API.count_tokens(ask(), TO) is None


def test_full_request():
    request = ask(
        Message("system", (Text("Be brief."),)),
        Message("developer", (Text("Metric units."),)),
        user("Compare", Media("image", "image/png", "iVBORw0KGgo=", detail="low"), Media("image", url="https://e.x/a")),
        model(
            Reasoning("Two calls.", origin=ORIGIN), "Looking.",
            ToolCall("call_1", "get_weather", '{"city": "Ulm",  "n": 12345678901234567890123}'),
            ToolCall("call_2", "now", ""),
        ),
        results(ToolResult("call_2", (Text("noon"),)), ToolResult("call_1", (Text("rain"), Text("wind")))),
        model("Rain, ", "at noon."),
        user("thanks"),
        tools=(NOW, WEATHER),
        tool_choice=ToolChoice("required"),
        sampling=Sampling(500, 0.2, 0.9, 5, ("END",), 7, 0.5, 0, logprobs=True, n=1),
        stream=True,
    )
    made, outgoing = sent(request)
    assert json.dumps(made) == json.dumps({
        "model": "command-a-03-2025",
        "stream": True,
        "messages": [
            {"role": "system", "content": [{"type": "text", "text": "Be brief."},
                                           {"type": "text", "text": "Metric units."}]},
            {"role": "user", "content": [
                {"type": "text", "text": "Compare"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}},
                {"type": "image_url", "image_url": {"url": "https://e.x/a"}},
            ]},
            {"role": "assistant", "tool_plan": "Two calls.\n\nLooking.", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {
                    "name": "get_weather", "arguments": '{"city": "Ulm",  "n": 12345678901234567890123}'}},
                {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "rain\nwind"},
            {"role": "tool", "tool_call_id": "call_2", "content": "noon"},
            {"role": "assistant", "content": [{"type": "text", "text": "Rain, "},
                                              {"type": "text", "text": "at noon."}]},
            {"role": "user", "content": "thanks"},
        ],
        "tools": [WIRED, {"type": "function", "function": {
            "name": "now", "description": "The time.", "parameters": EMPTY}}],
        "tool_choice": "REQUIRED",
        "max_tokens": 500,
        "stop_sequences": ["END"],
        "temperature": 0.2,
        "p": 0.9,
        "k": 5,
        "seed": 7,
        "presence_penalty": 0.5,
        "logprobs": True,
    })
    assert (outgoing.headers, outgoing.warnings, outgoing.stream) == ({"accept": "text/event-stream"}, (), True)
    assert API.encode(request, TO).body == outgoing.body


# --- messages ----------------------------------------------------------------------------------------------------


CALL, ANSWER = ToolCall("c", "now", "{}"), ToolResult("c", (Text("r"),))
CALLED = {"id": "c", "type": "function", "function": {"name": "now", "arguments": "{}"}}


@pytest.mark.parametrize(("parts", "entry", "of_thinker"), [
    ((CALL,), {}, {}),
    (("text", CALL), {"tool_plan": "text"}, {"tool_plan": "text"}),
    ((Reasoning("plan"), CALL), {"tool_plan": "plan"}, {"content": [{"type": "thinking", "thinking": "plan"}]}),
    ((Reasoning("plan"), "text", CALL), {"tool_plan": "plan\n\ntext"},
     {"content": [{"type": "thinking", "thinking": "plan"}], "tool_plan": "text"}),
])
def test_a_message_with_calls_has_a_plan_and_no_text(parts, entry, of_thinker):
    given = (user("go"), model(*parts), results(ANSWER))
    assert messages(*given)[1] == {"role": "assistant", **entry, "tool_calls": [CALLED]}
    assert messages(*given, to=THINKER)[1] == {"role": "assistant", **of_thinker, "tool_calls": [CALLED]}


def test_thinking_is_replayed_in_the_loop_under_way_only():
    given = (user("one"), model(Reasoning("old"), CALL), results(ANSWER), model(Reasoning("older"), "done"),
             user("two"), model(Reasoning("new"), CALL), results(ANSWER))
    made = messages(*given, to=THINKER)
    assert [entry.get("content") for entry in made if entry["role"] == "assistant"] == [
        None, "done", [{"type": "thinking", "thinking": "new"}]]
    made = messages(*given)
    assert [entry.get("tool_plan") for entry in made if entry["role"] == "assistant"] == ["old", None, "new"]


def test_thinking_before_text_of_a_thinker():
    assert messages(user("go"), model(Reasoning("hm"), "so"), to=THINKER)[1] == {
        "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "so"}]}


def test_reasoning_alone_of_another_model_says_nothing():
    assert messages(user("go"), model(Reasoning("hm")), user("well?")) == [
        {"role": "user", "content": "go"}, {"role": "user", "content": "well?"}]


def test_signed_reasoning_of_others_is_dropped():
    other = Reasoning("theirs", "anthropic-messages", "anthropic/claude", signature="S")
    made, outgoing = sent(ask(user("go"), model(other, CALL), results(ANSWER)))
    assert "tool_plan" not in made["messages"][1]
    assert outgoing.warnings == ("reasoning of another provider or model is left out of the history",)


def test_systems_lead_in_one_message_and_later_ones_are_the_users():
    given = messages(Message("system", (Text("a"),)), user("go"), model("ok"), Message("system", (Text("c"),)))
    assert given == [
        {"role": "system", "content": "a"}, {"role": "user", "content": "go"}, {"role": "assistant", "content": "ok"},
        {"role": "user", "content": "<system>\nc\n</system>"},
    ]


@pytest.mark.parametrize(("result", "content"), [
    (ToolResult("c", (Text("offline"),), True), "error: offline"),
    (ToolResult("c", (Text("fine"),), False), "fine"),
    (ToolResult("c", ()), "(no output)"),
    (ToolResult("c", (Text(" "),)), "(no output)"),
])
def test_results(result, content):
    given = messages(user("go"), model(CALL), results(result))
    assert given[2] == {"role": "tool", "tool_call_id": "c", "content": content}


def test_every_call_has_its_result_before_the_next_user_message():
    given = messages(user("go"), model(CALL), user("well?"), results(ANSWER))
    assert [entry["role"] for entry in given] == ["user", "assistant", "tool", "user"]
    given = messages(user("go"), model(CALL), user("well?"))
    assert given[2] == {"role": "tool", "tool_call_id": "c", "content": "(no result)"}


def test_ids_are_unique_and_kept_where_valid():
    long = "get_weather_" + "x" * 60
    given = messages(user("go"), model(ToolCall("c", "f", "{}"), ToolCall("c", "f", "{}"), ToolCall(long, "f", "{}")),
                     results(ToolResult("c", (Text("r"),)), ToolResult(long, (Text("s"),))))
    ids = [call["id"] for call in given[1]["tool_calls"]]
    assert ids[0] == "c"
    assert len(set(ids)) == 3 and all(len(one) <= 64 for one in ids)
    assert [entry["tool_call_id"] for entry in given[2:]] == ids


@pytest.mark.parametrize(("media", "words"), [
    (Media("audio", "audio/wav", "UklGR"), "takes no audio"),
    (Media("file", "application/pdf", "JVBERi"), "takes no file"),
    (Media("image", file_id="f1"), "knows no files"),
])
def test_media_without_a_place_are_refused(media, words):
    with pytest.raises(Rejected, match=words):
        API.encode(ask(user("see", media)), TO)


def test_a_plain_document_is_text():
    assert messages(user("read", Media("file", text="line", name="a.txt")))[0]["content"][1] == {
        "type": "text", "text": "a.txt:\nline"}


def test_images_of_results_follow_them():
    image = Media("image", "image/png", "iVBORw0KGgo=")
    made = messages(user("go"), model(CALL), results(ToolResult("c", (image,))))
    assert made[2:] == [
        {"role": "tool", "tool_call_id": "c", "content": "(see the attachment that follows)"},
        {"role": "user", "content": [
            {"type": "text", "text": "Attached to the result of now (call c):"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]},
    ]


def test_an_image_of_the_assistant_is_named():
    told = warnings(ask(user("draw"), model("here", Media("image", "image/png", "iVBORw0KGgo=")), user("thanks")))
    assert told == ("messages: image of an assistant message is left out, cohere-chat takes none there",)


# --- tools -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "offered", "word"), [
    (None, ["get_weather", "now"], None),
    (ToolChoice("auto"), ["get_weather", "now"], None),
    (ToolChoice("none"), ["get_weather", "now"], "NONE"),
    (ToolChoice("required"), ["get_weather", "now"], "REQUIRED"),
    (ToolChoice("named", ("now",)), ["now"], "REQUIRED"),
    (ToolChoice("allowed", ("now",)), ["now"], None),
    (ToolChoice("allowed", ("now",), True), ["now"], "REQUIRED"),
])
def test_tool_choice(choice, offered, word):
    made, outgoing = sent(ask(tools=(NOW, WEATHER), tool_choice=choice))
    assert [tool["function"]["name"] for tool in made["tools"]] == offered
    assert made.get("tool_choice") == word
    assert outgoing.warnings == ()


@pytest.mark.parametrize("choice", [ToolChoice("required"), ToolChoice("named", ("now",))])
def test_a_forced_call_without_tools_is_refused(choice):
    with pytest.raises(Rejected):
        API.encode(ask(tool_choice=choice), TO)


def test_no_choice_without_tools():
    assert "tool_choice" not in body(ask(tool_choice=ToolChoice("none")))


@pytest.mark.parametrize(("name", "wire"), [
    ("get_weather", "get_weather"),
    ("get-weather", "get_weather"),
    ("2fast", "_2fast"),
    ("a.b/c", "a_b_c"),
])
def test_names(name, wire):
    made, outgoing = sent(ask(tools=(Tool(name, "x", CITY),), tool_choice=ToolChoice("named", (name,))))
    assert made["tools"][0]["function"]["name"] == wire
    assert outgoing.reading.names == ({} if name == wire else {wire: name})


def test_names_that_meet_stay_apart():
    made = body(ask(tools=(Tool("a-b", "x", CITY), Tool("a_b", "y", CITY))))
    names = [tool["function"]["name"] for tool in made["tools"]]
    assert "a_b" in names and len(set(names)) == 2


@pytest.mark.parametrize(("tool", "function"), [
    (Tool("f"), {"name": "f", "description": "The tool f.", "parameters": EMPTY}),
    (Tool("f", " ", EMPTY), {"name": "f", "description": "The tool f.", "parameters": EMPTY}),
    (Tool("f", "", CITY), {"name": "f", "parameters": CITY}),
    (Tool("f", None, CITY), {"name": "f", "parameters": CITY}),
    (Tool("f", "d"), {"name": "f", "description": "d", "parameters": EMPTY}),
])
def test_a_tool_has_a_description_or_parameters(tool, function):
    assert body(ask(tools=(tool,)))["tools"][0]["function"] == function


def test_custom_tools_become_functions():
    made, outgoing = sent(ask(tools=(Tool("sh", "Runs.", kind="custom"),)))
    assert made["tools"][0]["function"]["parameters"]["required"] == ["input"]
    assert outgoing.reading.custom == {"sh"}


def test_built_in_tools_are_left_out():
    made, outgoing = sent(ask(tools=(WEATHER, SEARCH)))
    assert made["tools"] == [WIRED]
    assert outgoing.warnings == ("tools: web_search is left out, cohere-chat has no such built-in tool",)
    with pytest.raises(Rejected, match="built-in"):
        API.encode(ask(tools=(WEATHER, SEARCH), tool_choice=ToolChoice("named", ("web_search",))), TO)


def test_tools_keep_their_order_unless_told_otherwise():
    request = ask(tools=(NOW, WEATHER))
    assert [t["function"]["name"] for t in body(request)["tools"]] == ["get_weather", "now"]
    plain = Upstream("command-a-03-2025", ORIGIN)
    assert [t["function"]["name"] for t in body(request, plain)["tools"]] == ["now", "get_weather"]


@pytest.mark.parametrize(("compat", "names"), [
    ({"sort_tools": True}, ["get_weather", "now"]),
    ({"sort_tools": False}, ["now", "get_weather"]),
    ({}, ["now", "get_weather"]),
])
def test_sort_tools(compat, names):
    made = body(ask(tools=(NOW, WEATHER)), Upstream("command-a-03-2025", ORIGIN, compat))
    assert [tool["function"]["name"] for tool in made["tools"]] == names


def test_strict_is_for_all_tools_or_none():
    made, outgoing = sent(ask(tools=(Tool("f", "x", CITY, strict=True), Tool("g", "y", CITY))))
    assert "strict_tools" not in made
    assert outgoing.warnings == (
        "tools.f: strict: left out, cohere-chat takes it for all tools of a request or for none",)
    off = Upstream("command-a-03-2025", ORIGIN, {"strict_tools": "off"})
    made, outgoing = sent(ask(tools=(Tool("f", "x", CITY, strict=True),)), off)
    assert "strict_tools" not in made
    assert outgoing.warnings == ("tools.f: strict: left out, strict_tools is off",)


# --- fields ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wish", "field"), [
    (None, None),
    (Thinking(), None),
    (Thinking(visible=True), None),
    (Thinking("none"), {"type": "disabled"}),
    (Thinking("minimal"), {"type": "enabled", "token_budget": 1024}),
    (Thinking("low"), {"type": "enabled", "token_budget": 2048}),
    (Thinking("medium"), {"type": "enabled", "token_budget": 10_000}),
    (Thinking("high"), {"type": "enabled", "token_budget": 16_384}),
    (Thinking("max"), {"type": "enabled", "token_budget": 32_768}),
    (Thinking(budget=0), {"type": "disabled"}),
    (Thinking(budget=777), {"type": "enabled", "token_budget": 777}),
    (Thinking(budget=-1), {"type": "enabled"}),
    (Thinking("high", budget=99), {"type": "enabled", "token_budget": 99}),
])
def test_thinking(wish, field):
    made, outgoing = sent(ask(thinking=wish), THINKER)
    assert made.get("thinking") == field
    assert outgoing.warnings == ()
    assert body(ask(thinking=wish), Upstream("mine", "x", family="command-a-reasoning")).get("thinking") == field
    made, outgoing = sent(ask(thinking=wish))
    assert "thinking" not in made
    asked = field is not None and field["type"] == "enabled"
    assert outgoing.warnings == (("reasoning_effort: left out, the model does not think",) if asked else ())


@pytest.mark.parametrize(("wish", "field"), [
    (None, None), (Thinking(visible=True), None), (Thinking("none"), {"type": "disabled"}),
    (Thinking("low"), {"type": "enabled", "token_budget": 2048}), (Thinking(budget=-1), {"type": "enabled"}),
])
def test_a_model_that_nobody_knows_thinks_when_asked_to(wish, field):
    made, outgoing = sent(ask(user("go"), model(Reasoning("hm"), CALL), results(ANSWER), thinking=wish),
                          Upstream("my-own", "x"))
    assert (made.get("thinking"), outgoing.warnings) == (field, ())
    thought = {"content": [{"type": "thinking", "thinking": "hm"}]}
    asked = field is not None and field["type"] == "enabled"
    assert made["messages"][1] == {
        "role": "assistant", **(thought if asked else {"tool_plan": "hm"}), "tool_calls": [CALLED]}


@pytest.mark.parametrize(("sampling", "fields", "told"), [
    (Sampling(temperature=1.7), {"temperature": 1}, ["temperature: cohere-chat takes 0 to 1, 1 is sent"]),
    (Sampling(temperature=-1), {"temperature": 0}, ["temperature: cohere-chat takes 0 to 1, 0 is sent"]),
    (Sampling(temperature=1), {"temperature": 1}, []),
    (Sampling(top_p=1), {"p": 0.99}, ["top_p: cohere-chat takes 0.01 to 0.99, 0.99 is sent"]),
    (Sampling(top_p=0), {"p": 0.01}, ["top_p: cohere-chat takes 0.01 to 0.99, 0.01 is sent"]),
    (Sampling(top_p=0.5), {"p": 0.5}, []),
    (Sampling(top_k=900), {"k": 500}, ["top_k: cohere-chat takes 0 to 500, 500 is sent"]),
    (Sampling(top_k=0), {"k": 0}, []),
    (Sampling(frequency_penalty=-1), {"frequency_penalty": 0},
     ["frequency_penalty: cohere-chat takes 0 to 1, 0 is sent"]),
    (Sampling(presence_penalty=2), {"presence_penalty": 1}, ["presence_penalty: cohere-chat takes 0 to 1, 1 is sent"]),
    (Sampling(frequency_penalty=0.5, presence_penalty=0.4), {"frequency_penalty": 0.5},
     ["presence_penalty: left out, cohere-chat takes only one of both penalties"]),
    (Sampling(frequency_penalty=0.5, presence_penalty=0), {"frequency_penalty": 0.5}, []),
    (Sampling(frequency_penalty=0, presence_penalty=0.4), {"presence_penalty": 0.4}, []),
    (Sampling(frequency_penalty=0, presence_penalty=0), {"presence_penalty": 0}, []),
    (Sampling(stop=("a", "", "b")), {"stop_sequences": ["a", "b"]}, []),
    (Sampling(stop=tuple("abcdefg")), {"stop_sequences": ["a", "b", "c", "d", "e"]},
     ["stop: only the first 5 sequences are sent, cohere-chat takes no more"]),
    (Sampling(max_tokens=9, seed=0, logprobs=False), {"max_tokens": 9, "seed": 0}, []),
])
def test_sampling(sampling, fields, told):
    made, outgoing = sent(ask(sampling=sampling))
    assert {key: value for key, value in made.items() if key not in ("model", "messages")} == fields
    assert outgoing.warnings == tuple(told)


def test_several_answers_are_refused():
    with pytest.raises(Rejected) as caught:
        API.encode(ask(sampling=Sampling(n=2)), TO)
    assert caught.value.failure.param == "n"


def test_what_has_no_field_is_named():
    request = ask(
        Message("user", (Text("go", CacheMark()),), name="ann"),
        tools=(WEATHER,), parallel=False, sampling=Sampling(logit_bias={"1": 2}, logprobs=True, top_logprobs=3),
        user="u", metadata={"a": "b"}, service_tier="flex", verbosity="low", cache_key="k",
        extras={"openai-chat": {"prediction": {}}},
    )
    made, outgoing = sent(request)
    assert made.keys() == {"model", "messages", "tools", "logprobs"}
    fields = ("logit_bias", "top_logprobs", "user", "metadata", "service_tier", "verbosity", "prompt_cache_key",
              "parallel_tool_calls", "cache_control", "name of a message", "prediction")
    assert outgoing.warnings == tuple(f"{name}: left out, cohere-chat has no such field" for name in fields)


def test_options_come_last_the_operators_over_the_clients():
    to = Upstream("command-a-03-2025", ORIGIN, options={"safety_mode": "OFF", "priority": 1})
    outgoing = API.encode(ask(sampling=Sampling(temperature=0.5), options={
        "cohere-chat": {"safety_mode": "STRICT", "temperature": None, "documents": ["d"]}}), to)
    assert json.loads(outgoing.body) == {
        "model": "command-a-03-2025", "messages": [{"role": "user", "content": "go"}], "safety_mode": "OFF",
        "documents": ["d"], "priority": 1,
    }


# --- structured output -------------------------------------------------------------------------------------------


def test_json_without_tools():
    assert "response_format" not in body(ask(output=OutputFormat("text")))
    assert body(ask(output=OutputFormat("json")))["response_format"] == {"type": "json_object"}


def test_a_schema_beside_tools_is_asked_for_by_a_tool():
    made, outgoing = sent(ask(tools=(WEATHER,), output=OutputFormat("schema", CITY, "city", "The city.")))
    assert "response_format" not in made
    assert made["tools"] == [WIRED, {"type": "function", "function": {
        "name": "json_response", "description": "The city.", "parameters": CITY}}]
    assert (made["tool_choice"], outgoing.reading.answer_tool) == ("REQUIRED", "json_response")


def test_a_schema_beside_allowed_tools():
    made = body(ask(tools=(WEATHER, NOW), tool_choice=ToolChoice("allowed", ("now",)), output=OutputFormat(
        "schema", CITY)))
    assert [tool["function"]["name"] for tool in made["tools"]] == ["json_response", "now"]


@pytest.mark.parametrize("choice", [ToolChoice("required"), ToolChoice("named", ("now",)),
                                    ToolChoice("allowed", ("now",), True)])
def test_a_forced_call_needs_no_form(choice):
    made, outgoing = sent(ask(tools=(NOW,), tool_choice=choice, output=OutputFormat("json")))
    assert "response_format" not in made
    assert outgoing.warnings == ("response_format: left out, tool_choice asks for a call instead",)


def test_tools_that_must_not_be_called_make_room():
    made = body(ask(tools=(NOW,), tool_choice=ToolChoice("none"), output=OutputFormat("json")))
    assert made == {"model": "command-a-03-2025", "messages": [{"role": "user", "content": "go"}],
                    "response_format": {"type": "json_object"}}


def test_json_beside_tools_is_told_in_words():
    made, outgoing = sent(ask(tools=(NOW,), output=OutputFormat("json")))
    assert made["messages"][0]["content"].startswith("Reply with one JSON object")
    assert outgoing.warnings == ("response_format: told in words, cohere-chat takes none beside tools",)


def test_a_schema_that_cannot_be_enforced_is_told_in_words():
    open_schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    made, outgoing = sent(ask(output=OutputFormat("schema", open_schema)))
    assert made["response_format"] == {"type": "json_object"}
    assert made["messages"][0]["content"].endswith(json.dumps(open_schema, separators=(",", ":")))
    assert outgoing.warnings == (
        "response_format: the schema is outside of what cohere-chat enforces, it is told in words",)
