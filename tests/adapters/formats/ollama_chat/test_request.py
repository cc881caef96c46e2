"""Requests: full bodies, and each rule of the wire by itself. Every body is also read by the SDK's own types."""

import json

import pytest
from ollama._types import ChatRequest

from adapters.errors import Failure, Rejected
from adapters.format import Mends, Upstream
from adapters.formats.ollama_chat import API
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

ORIGIN = "local/qwen3"
TO = Upstream("qwen3", ORIGIN)
OSS = Upstream("gpt-oss:20b", "local/gpt-oss:20b")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("get_weather", "Weather in a city.", CITY)
WIRED = {"type": "function", "function": {"name": "get_weather", "description": "Weather in a city.",
                                          "parameters": CITY}}
NOW = Tool("now", "The time.", {"type": "object", "properties": {}})
GO = (Message("user", (Text("go"),)),)
SEARCH = Tool("web_search", kind="builtin", builtin="web_search")


def ask(*messages, **fields):
    return Request("m", messages or GO, **fields)


def sent(request, to=TO):
    outgoing = API.encode(request, to)
    body = json.loads(outgoing.body)
    ChatRequest.model_validate({**body, "think": None})
    return body, outgoing


def body(request, to=TO):
    return sent(request, to)[0]


def warnings(request, to=TO):
    return sent(request, to)[1].warnings


def messages(*given):
    return body(ask(*given))["messages"]


def user(*parts):
    return Message("user", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def model(*parts):
    return Message("assistant", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def results(*parts):
    return Message("tool", parts)


def test_smallest_request():
    outgoing = API.encode(ask(), TO)
    assert outgoing.body == (
        b'{"model":"qwen3","stream":false,"messages":[{"role":"user","content":"go"}],"truncate":false}'
    )
    assert (outgoing.path, outgoing.method, outgoing.stream, outgoing.query) == ("/api/chat", "POST", False, {})
    assert (outgoing.headers, outgoing.warnings) == ({}, ())
    assert API.auth("K", TO) == {"authorization": "Bearer K"}
    assert API.count_tokens(ask(), TO) is None


def test_full_request():
    request = ask(
        Message("system", (Text("Be brief."),)),
        Message("developer", (Text("Metric units."),)),
        user("Compare", "these", Media("image", "image/png", "iVBORw0KGgo=")),
        model(
            Reasoning("Two calls.", origin=ORIGIN), "Looking.",
            ToolCall("call_1", "get_weather", '{"zeta": 1, "city": "Ulm", "n": 12345678901234567890123}'),
            ToolCall("call_2", "now", ""),
        ),
        results(ToolResult("call_2", (Text("noon"),)), ToolResult("call_1", (Text("rain"), Text("wind")))),
        tools=(NOW, WEATHER),
        tool_choice=ToolChoice("auto"),
        sampling=Sampling(500, 0.2, 0.9, 5, ("END",), 7, 0.5, -0.5, logprobs=True, top_logprobs=2, n=1),
        thinking=Thinking("high"),
        output=OutputFormat("schema", CITY, "weather"),
        stream=True,
    )
    made, outgoing = sent(request)
    assert json.dumps(made) == json.dumps({
        "model": "qwen3",
        "stream": True,
        "messages": [
            {"role": "system", "content": "Be brief.\nMetric units."},
            {"role": "user", "content": "Compare\nthese", "images": ["iVBORw0KGgo="]},
            {"role": "assistant", "content": "Looking.", "thinking": "Two calls.", "tool_calls": [
                {"id": "call_1", "function": {"index": 0, "name": "get_weather", "arguments": {
                    "zeta": 1, "city": "Ulm", "n": 12345678901234567890123}}},
                {"id": "call_2", "function": {"index": 1, "name": "now", "arguments": {}}},
            ]},
            {"role": "tool", "content": "rain\nwind", "tool_name": "get_weather", "tool_call_id": "call_1"},
            {"role": "tool", "content": "noon", "tool_name": "now", "tool_call_id": "call_2"},
        ],
        "tools": [WIRED, {"type": "function", "function": {
            "name": "now", "description": "The time.", "parameters": {"type": "object", "properties": {}}}}],
        "think": True,
        "format": CITY,
        "options": {"num_predict": 500, "temperature": 0.2, "top_k": 5, "top_p": 0.9, "stop": ["END"], "seed": 7,
                    "presence_penalty": 0.5, "frequency_penalty": -0.5},
        "logprobs": True,
        "top_logprobs": 2,
        "truncate": False,
    })
    assert outgoing.warnings == ()
    assert outgoing.stream and outgoing.reading.stream
    assert API.encode(request, TO).body == outgoing.body


# --- messages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "arguments"), [
    ('{"a": 1}', {"a": 1}),
    ("", {}),
    ("{}", {}),
    ("[1]", {"_raw": "[1]"}),
    ('{"a": ', {"_raw": '{"a": '}),
    ('{"a":1}{"b":2}', {"_raw": '{"a":1}{"b":2}'}),
])
def test_arguments_are_objects(text, arguments):
    given = messages(user("go"), model(ToolCall("c", "f", text)), results(ToolResult("c", (Text("r"),))))
    assert given[1]["tool_calls"][0]["function"]["arguments"] == arguments
    assert given[1]["content"] == ""


def test_systems_lead_in_one_message_and_later_ones_are_the_users():
    given = messages(Message("system", (Text("a"),)), Message("developer", (Text("b"),)), user("go"), model("ok"),
                     Message("system", (Text("c"),)))
    assert given[0] == {"role": "system", "content": "a\nb"}
    assert given[3] == {"role": "user", "content": "<system>\nc\n</system>"}


@pytest.mark.parametrize(("media", "words"), [
    (Media("image", url="https://e.x/a.png"), "server.fetch_images"),
    (Media("image", file_id="f1"), "knows no files"),
    (Media("audio", "audio/wav", "UklGR"), "takes no audio"),
    (Media("file", "application/pdf", "JVBERi"), "takes no file"),
    (Media("video", "video/mp4", "AAAA"), "takes no video"),
])
def test_media_without_a_place_are_refused(media, words):
    with pytest.raises(Rejected, match=words):
        API.encode(ask(user("see", media)), TO)


def test_images():
    assert messages(user(Media("image", url="data:image/png;base64,iVBORw0KGgo="), "what?")) == [
        {"role": "user", "content": "what?", "images": ["iVBORw0KGgo="]}]


def test_a_plain_document_is_text():
    assert messages(user("read", Media("file", text="line", name="a.txt"))) == [
        {"role": "user", "content": "read\na.txt:\nline"}]


def test_images_of_results_follow_them():
    made = messages(
        user("go"),
        model(ToolCall("c1", "shot", "{}"), ToolCall("c2", "now", "{}")),
        results(ToolResult("c1", (Media("image", "image/png", "iVBORw0KGgo="),)), ToolResult("c2", (Text("noon"),))),
    )
    assert made[2:] == [
        {"role": "tool", "content": "(see the attachment that follows)", "tool_name": "shot", "tool_call_id": "c1"},
        {"role": "tool", "content": "noon", "tool_name": "now", "tool_call_id": "c2"},
        {"role": "user", "content": "Attached to the result of shot (call c1):", "images": ["iVBORw0KGgo="]},
    ]


def test_an_image_of_the_assistant_is_named():
    told = warnings(ask(user("draw"), model("here", Media("image", "image/png", "iVBORw0KGgo=")), user("thanks")))
    assert told == ("messages: image of an assistant message is left out, ollama-chat takes none there",)


@pytest.mark.parametrize(("result", "content"), [
    (ToolResult("c", (Text("offline"),), True), "error: offline"),
    (ToolResult("c", (Text("fine"),), False), "fine"),
    (ToolResult("c", ()), "(no output)"),
])
def test_results(result, content):
    given = messages(user("go"), model(ToolCall("c", "f", "{}")), results(result))
    assert given[2] == {"role": "tool", "content": content, "tool_name": "f", "tool_call_id": "c"}


def test_an_unanswered_call_gets_a_placeholder():
    assert messages(user("go"), model(ToolCall("c", "f", "{}")), user("well?"))[2]["content"] == "(no result)"


def test_thinking_is_replayed_in_the_loop_under_way_only():
    call, answer = ToolCall("c", "f", "{}"), ToolResult("c", (Text("r"),))
    given = messages(user("one"), model(Reasoning("old"), call), results(answer), model("done"),
                     user("two"), model(Reasoning("new"), Reasoning("er"), call), results(answer), user("go on"),
                     model(Reasoning("newest"), call), results(answer))
    assert [entry.get("thinking") for entry in given if entry["role"] == "assistant"] == [
        None, None, "new\n\ner", "newest"]


def test_thinking_of_others_is_dropped():
    other = Reasoning("theirs", "anthropic-messages", "anthropic/claude", signature="S")
    made, outgoing = sent(ask(user("go"), model(other, ToolCall("c", "f", "{}")), results(
        ToolResult("c", (Text("r"),)))))
    assert "thinking" not in made["messages"][1]
    assert outgoing.warnings == ("reasoning of another provider or model is left out of the history",)


def test_blank_texts_are_dropped():
    assert messages(Message("system", (Text(" "),)), user("", "go"), model(""), user("x")) == [
        {"role": "user", "content": "go"}, {"role": "user", "content": "x"}]


# --- tools -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("choice", "offered", "told"), [
    (None, ["get_weather", "now"], None),
    (ToolChoice("auto"), ["get_weather", "now"], None),
    (ToolChoice("none"), None, None),
    (ToolChoice("named", ("now",)), ["now"], "Answer by calling the tool that you have, not in text."),
    (ToolChoice("required"), ["get_weather", "now"], "Answer by calling one of your tools, not in text."),
    (ToolChoice("allowed", ("now",)), ["now"], None),
    (ToolChoice("allowed", ("now",), True), ["now"], "Answer by calling the tool that you have, not in text."),
    (ToolChoice("allowed", ("now", "get_weather"), True), ["get_weather", "now"],
     "Answer by calling one of your tools, not in text."),
])
def test_tool_choice(choice, offered, told):
    made, outgoing = sent(ask(tools=(NOW, WEATHER), tool_choice=choice))
    tools = made.get("tools")
    assert (tools and [tool["function"]["name"] for tool in tools]) == offered
    system = [m["content"] for m in made["messages"] if m["role"] == "system"]
    assert system == ([told] if told else [])
    forced = ("tool_choice: ollama-chat cannot force a call here, the model is free to answer in text",)
    assert outgoing.warnings == (forced if told else ())
    assert "tool_choice" not in made


def test_the_instruction_follows_the_clients_own():
    given = body(ask(Message("system", (Text("Be brief."),)), user("go"), tools=(NOW,),
                     tool_choice=ToolChoice("required")))["messages"]
    assert given[0]["content"] == "Be brief.\nAnswer by calling the tool that you have, not in text."


@pytest.mark.parametrize("choice", [ToolChoice("required"), ToolChoice("named", ("now",))])
def test_a_forced_call_without_tools_is_refused(choice):
    with pytest.raises(Rejected):
        API.encode(ask(tool_choice=choice), TO)


def test_names_are_projected_and_come_back():
    made, outgoing = sent(ask(user("go"), model(ToolCall("c", "a.b", "{}")), results(ToolResult("c", (Text("r"),))),
                              tools=(Tool("a.b", "x", CITY),)))
    assert made["tools"][0]["function"]["name"] == "a_b"
    assert made["messages"][1]["tool_calls"][0]["function"]["name"] == made["messages"][2]["tool_name"] == "a_b"
    assert outgoing.reading.names == {"a_b": "a.b"}


def test_a_tool_without_schema_or_description():
    assert body(ask(tools=(Tool("f"),)))["tools"] == [
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}]


def test_custom_tools_become_functions():
    made, outgoing = sent(ask(tools=(Tool("sh", "Runs.", kind="custom"),)))
    assert made["tools"][0]["function"]["parameters"]["required"] == ["input"]
    assert outgoing.reading.custom == {"sh"}


def test_strict_is_named():
    assert warnings(ask(tools=(Tool("f", "x", CITY, strict=True),))) == (
        "tools.f: strict: left out, ollama-chat has no strict tools",)


def test_built_in_tools_are_left_out():
    made, outgoing = sent(ask(tools=(WEATHER, SEARCH)))
    assert made["tools"] == [WIRED]
    assert outgoing.warnings == ("tools: web_search is left out, ollama-chat has no such built-in tool",)
    with pytest.raises(Rejected, match="built-in"):
        API.encode(ask(tools=(WEATHER, SEARCH), tool_choice=ToolChoice("named", ("web_search",))), TO)


def test_tools_go_by_name_unless_told_otherwise():
    request = ask(tools=(NOW, WEATHER))
    assert [t["function"]["name"] for t in body(request)["tools"]] == ["get_weather", "now"]
    plain = Upstream("qwen3", ORIGIN, {"sort_tools": False})
    assert [t["function"]["name"] for t in body(request, plain)["tools"]] == ["now", "get_weather"]


# --- fields ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wish", "other", "level"), [
    (None, None, None),
    (Thinking(), None, None),
    (Thinking(visible=True), None, None),
    (Thinking("none"), False, "low"),
    (Thinking("minimal"), True, "low"),
    (Thinking("low"), True, "low"),
    (Thinking("medium"), True, "medium"),
    (Thinking("high"), True, "high"),
    (Thinking("xhigh"), True, "high"),
    (Thinking("max"), True, "high"),
    (Thinking(budget=0), False, "low"),
    (Thinking(budget=2048), True, "low"),
    (Thinking(budget=9000), True, "medium"),
    (Thinking(budget=-1), True, True),
])
def test_think(wish, other, level):
    assert body(ask(thinking=wish)).get("think") == other
    assert body(ask(thinking=wish), OSS).get("think") == level
    assert body(ask(thinking=wish), Upstream("mine", "x", family="gpt-oss")).get("think") == level


def test_gpt_oss_cannot_stop_thinking():
    assert warnings(ask(thinking=Thinking("none")), OSS) == (
        "reasoning_effort: the model cannot stop thinking, the lowest effort is sent",)
    assert warnings(ask(thinking=Thinking("none"))) == ()


def test_a_model_that_cannot_think_is_asked_again_without():
    refused = API.failure(400, {}, b'{"error":"\\"gemma\\" does not support thinking"}')
    assert isinstance(API, Mends)
    again = API.mended(ask(thinking=Thinking("high")), TO, refused)
    made, outgoing = sent(again)
    assert "think" not in made
    assert outgoing.warnings == ("reasoning_effort: left out, the model does not think",)
    assert API.mended(again, TO, refused) is None
    assert API.mended(ask(), TO, refused) is None
    assert API.mended(ask(thinking=Thinking("high")), TO, Failure("invalid_request_error", "other", 400)) is None


@pytest.mark.parametrize(("output", "sent_format"), [
    (None, None),
    (OutputFormat("text"), None),
    (OutputFormat("json"), "json"),
    (OutputFormat("schema", CITY), CITY),
    (OutputFormat("schema", None), "json"),
    (OutputFormat("schema", {}), "json"),
    (OutputFormat("schema", True), "json"),
])
def test_format(output, sent_format):
    assert body(ask(output=output)).get("format") == sent_format


def test_several_answers_are_refused():
    with pytest.raises(Rejected) as caught:
        API.encode(ask(sampling=Sampling(n=2)), TO)
    assert caught.value.failure.param == "n"


def test_what_has_no_field_is_named():
    request = ask(
        Message("user", (Text("go", CacheMark()),), name="ann"),
        tools=(WEATHER,), parallel=False, sampling=Sampling(logit_bias={"1": 2}), user="u", metadata={"a": "b"},
        service_tier="flex", verbosity="low", cache_key="k", extras={"openai-chat": {"prediction": {}}},
    )
    made, outgoing = sent(request)
    assert made.keys() == {"model", "stream", "messages", "tools", "truncate"}
    fields = ("logit_bias", "user", "metadata", "service_tier", "verbosity", "prompt_cache_key", "parallel_tool_calls",
              "cache_control", "name of a message", "prediction")
    assert outgoing.warnings == tuple(f"{name}: left out, ollama-chat has no such field" for name in fields)


def test_options_come_last_the_operators_over_the_clients():
    to = Upstream("qwen3", ORIGIN, options={"options": {"num_ctx": 32768}, "keep_alive": "5m"})
    request = ask(sampling=Sampling(temperature=0.5), options={
        "ollama-chat": {"options": {"num_ctx": 8192, "min_p": 0.1}, "truncate": None}, "openai-chat": {"x": 1}})
    assert body(request, to) == {
        "model": "qwen3", "stream": False, "messages": [{"role": "user", "content": "go"}],
        "options": {"temperature": 0.5, "num_ctx": 32768, "min_p": 0.1}, "keep_alive": "5m",
    }
