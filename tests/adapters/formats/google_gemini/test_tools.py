"""tools and toolConfig (wire page, section 4)."""

import pytest
from gemini_wire import CITY, FLASH, NOW, THREE, VERTEX, WEATHER, ask, body, call, model, result, results, sent, user

from adapters import json
from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.google_gemini import API
from adapters.model import Tool, ToolChoice

OLDER = Upstream("gemini-2.5-flash", compat={"use_parameters": True})
SEARCH = Tool("web_search", kind="builtin", builtin="web_search",
              extras={"openai-responses": {"type": "web_search", "search_context_size": "low"}})


def declared(tool, upstream=FLASH):
    return body(ask(tools=(tool,)), upstream)["tools"][0]["functionDeclarations"][0]


@pytest.mark.parametrize(
    "schema",
    [None, {}, {"type": "object"}, {"type": "object", "properties": {}}, True,
     {"type": "object", "properties": {}, "additionalProperties": False}],
)
@pytest.mark.parametrize("upstream", [FLASH, OLDER])
def test_a_tool_without_arguments_has_no_schema(schema, upstream):
    assert declared(Tool("ping", schema=schema), upstream) == {"name": "ping"}


def test_an_open_object_takes_arguments():
    assert "parametersJsonSchema" in declared(Tool("f", schema={"type": "object", "additionalProperties": True}))


def test_just_one_of_the_two_schema_fields():
    assert declared(WEATHER).keys() == {"name", "description", "parametersJsonSchema"}
    assert declared(WEATHER, OLDER).keys() == {"name", "description", "parameters"}
    assert declared(WEATHER, Upstream("gemini-1.5-pro")).keys() == {"name", "description", "parameters"}


@pytest.mark.parametrize(
    "flag, tools, names",
    [
        (True, "ba", ["a", "b"]),
        (False, "ba", ["b", "a"]),
    ],
)
def test_tool_order(flag, tools, names):
    upstream = Upstream("gemini-2.5-flash", compat={"sort_tools": flag})
    made = body(ask(tools=tuple(Tool(name, schema=CITY) for name in tools)), upstream)
    assert [one["name"] for one in made["tools"][0]["functionDeclarations"]] == names


def test_keywords_that_a_host_refuses():
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 9}}}
    upstream = Upstream("gemini-2.5-flash", compat={"unsupported_schema_keywords": ("minimum",)})
    made, warnings = sent(ask(tools=(Tool("f", schema=schema),)), upstream)
    assert made["tools"][0]["functionDeclarations"][0]["parametersJsonSchema"] == {
        "type": "object", "properties": {"n": {"type": "integer", "maximum": 9, "description": "(minimum=1)"}}}
    assert any("minimum" in one for one in warnings)


def test_names_are_rewritten_and_come_back():
    request = ask(user("go"), model(call(name="look.up")), results(result()), tools=(Tool("look.up", schema=CITY),),
                  tool_choice=ToolChoice("named", ("look.up",)))
    outgoing = API.encode(request, FLASH)
    made = json.loads(outgoing.body)
    assert made["tools"][0]["functionDeclarations"][0]["name"] == "look_up"
    assert made["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["look_up"]
    assert made["contents"][1]["parts"][0]["functionCall"]["name"] == "look_up"
    assert made["contents"][2]["parts"][0]["functionResponse"]["name"] == "look_up"
    assert outgoing.reading.names == {"look_up": "look.up"}


NATIVE = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER", "nullable": True}}, "propertyOrdering": ["n"]}


def test_a_gemini_clients_own_schema_goes_as_it_came():
    tool = Tool("f", schema={"type": "object", "properties": {"n": {"type": ["integer", "null"]}}},
                extras={"google-gemini": {"parameters": NATIVE, "response": {"type": "STRING"}}})
    made, warnings = sent(ask(tools=(tool,)))
    assert made["tools"] == [
        {"functionDeclarations": [{"name": "f", "parameters": NATIVE, "response": {"type": "STRING"}}]}
    ]
    assert warnings == ()


def test_custom_tools_become_functions():
    made = declared(Tool("shell", "Runs.", kind="custom"))
    assert made["parametersJsonSchema"]["required"] == ["input"]


# --- choice ------------------------------------------------------------------------------------------------------

STRICT = Tool("s", schema=CITY, strict=True)


@pytest.mark.parametrize(
    ("choice", "tools", "upstream", "config"),
    [
        (None, (WEATHER,), FLASH, None),
        (ToolChoice("auto"), (WEATHER,), FLASH, {"mode": "AUTO"}),
        (ToolChoice("none"), (WEATHER,), FLASH, {"mode": "NONE"}),
        (ToolChoice("required"), (WEATHER,), FLASH, {"mode": "ANY"}),
        (ToolChoice("named", ("now",)), (WEATHER, NOW), FLASH, {"mode": "ANY", "allowedFunctionNames": ["now"]}),
        (
            ToolChoice("allowed", ("now", "get_weather"), required=True),
            (WEATHER, NOW),
            FLASH,
            {"mode": "ANY", "allowedFunctionNames": ["now", "get_weather"]},
        ),
        (
            ToolChoice("allowed", ("now",)),
            (WEATHER, NOW),
            FLASH,
            {"mode": "VALIDATED", "allowedFunctionNames": ["now"]},
        ),
        (ToolChoice("auto"), (STRICT,), FLASH, {"mode": "VALIDATED"}),
        (None, (STRICT,), FLASH, {"mode": "VALIDATED"}),
        (ToolChoice("required"), (STRICT,), FLASH, {"mode": "ANY"}),
        (ToolChoice("auto"), (STRICT,), Upstream("gemini-2.0-flash"), {"mode": "AUTO"}),
        (ToolChoice("auto", extras={"google-gemini": {"mode": "VALIDATED"}}), (WEATHER,), FLASH, {"mode": "VALIDATED"}),
        (ToolChoice("auto"), (), FLASH, None),
        (ToolChoice("none"), (), FLASH, None),
    ],
)
def test_mode(choice, tools, upstream, config):
    made = body(ask(tools=tools, tool_choice=choice), upstream)
    assert made.get("toolConfig", {}).get("functionCallingConfig") == config


def test_an_allowed_set_of_older_models_is_what_is_offered():
    made = body(ask(tools=(WEATHER, NOW), tool_choice=ToolChoice("allowed", ("now",))), Upstream("gemini-2.0-flash"))
    assert [one["name"] for one in made["tools"][0]["functionDeclarations"]] == ["now"]
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}


def test_none_keeps_the_declarations():
    made = body(ask(tools=(WEATHER,), tool_choice=ToolChoice("none")))
    assert made["tools"][0]["functionDeclarations"][0]["name"] == "get_weather"


# --- built-in tools ----------------------------------------------------------------------------------------------


def own(name, value=None):
    return Tool(name, kind="builtin", builtin="x", extras={"google-gemini": {name: {} if value is None else value}})


@pytest.mark.parametrize(
    ("word", "upstream", "native"),
    [
        ("web_search", FLASH, {"googleSearch": {}}),
        ("web_search", Upstream("gemini-1.5-pro"), {"googleSearchRetrieval": {}}),
        ("web_fetch", FLASH, {"urlContext": {}}),
        ("code_execution", FLASH, {"codeExecution": {}}),
    ],
)
def test_counterparts(word, upstream, native):
    assert body(ask(tools=(Tool(word, kind="builtin", builtin=word),)), upstream)["tools"] == [native]


def test_options_of_another_api_are_named():
    made, warnings = sent(ask(tools=(SEARCH,)))
    assert made["tools"] == [{"googleSearch": {}}]
    assert warnings == ("tools: the options of web_search are left out, they are another API's",)


def test_a_gemini_clients_tools_pass_each_in_its_own_object():
    tools = (own("googleSearch"), own("fileSearch", {"fileSearchStoreNames": ["s"]}), own("newThing", {"a_b": 1}))
    made, warnings = sent(ask(tools=tools))
    assert sorted(made["tools"], key=str) == [
        {"fileSearch": {"fileSearchStoreNames": ["s"]}},
        {"googleSearch": {}},
        {"newThing": {"a_b": 1}},
    ]
    assert "toolConfig" not in made
    assert warnings == ()


def test_tools_without_counterpart_are_left_out():
    made, warnings = sent(ask(tools=(Tool("computer", kind="builtin", builtin="computer"), WEATHER)))
    assert [one.keys() for one in made["tools"]] == [{"functionDeclarations"}]
    assert warnings == ("tools: computer is left out, google-gemini has no such built-in tool",)


def test_before_gemini_3_functions_win():
    made, warnings = sent(ask(tools=(own("googleSearch"), WEATHER)))
    assert [one.keys() for one in made["tools"]] == [{"functionDeclarations"}]
    assert "toolConfig" not in made
    assert warnings == (
        "tools: googleSearch is left out, gemini-2.5-flash takes no built-in tools beside functions",
    )


@pytest.mark.parametrize(
    ("upstream", "choice", "config"),
    [
        (THREE, None, {"functionCallingConfig": {"mode": "VALIDATED"}, "includeServerSideToolInvocations": True}),
        (
            THREE,
            ToolChoice("required"),
            {"functionCallingConfig": {"mode": "ANY"}, "includeServerSideToolInvocations": True},
        ),
        (VERTEX, None, {"functionCallingConfig": {"mode": "VALIDATED"}}),
    ],
)
def test_gemini_3_takes_both(upstream, choice, config):
    made = body(ask(tools=(own("googleSearch"), WEATHER), tool_choice=choice), upstream)
    assert [list(one) for one in made["tools"]] == [["functionDeclarations"], ["googleSearch"]]
    assert made["toolConfig"] == config


def test_no_tool_may_run_then_no_built_in_tool_is_offered():
    made, warnings = sent(ask(tools=(own("googleSearch"), WEATHER), tool_choice=ToolChoice("none")), THREE)
    assert [one.keys() for one in made["tools"]] == [{"functionDeclarations"}]
    assert warnings == ("tools: googleSearch is left out, tool_choice is none",)


def test_an_allowed_set_with_a_built_in_tool():
    choice = ToolChoice("allowed", ("googleSearch", "now"))
    made = body(ask(tools=(own("googleSearch"), own("urlContext"), WEATHER, NOW), tool_choice=choice), THREE)
    assert [list(one) for one in made["tools"]] == [["functionDeclarations"], ["googleSearch"]]
    assert made["toolConfig"]["functionCallingConfig"] == {"mode": "VALIDATED", "allowedFunctionNames": ["now"]}


@pytest.mark.parametrize(
    ("choice", "tools"),
    [
        (ToolChoice("named", ("web_search",)), (SEARCH, WEATHER)),
        (ToolChoice("required"), (SEARCH,)),
        (ToolChoice("allowed", ("web_search",), required=True), (SEARCH,)),
    ],
)
def test_a_forced_built_in_tool_is_refused(choice, tools):
    with pytest.raises(Rejected) as refused:
        API.encode(ask(tools=tools, tool_choice=choice), THREE)
    assert refused.value.failure.param == "tool_choice"
