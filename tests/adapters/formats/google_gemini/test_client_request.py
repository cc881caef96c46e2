"""A Gemini client's body -> neutral request (wire page, sections 1, 2, 4, 6, 7, 11)."""

import pytest

from adapters import json
from adapters.errors import Rejected
from adapters.format import Call
from adapters.formats.google_gemini import DIALECT
from adapters.model import Message, OutputFormat, Request, Sampling, Text, Thinking, Tool, ToolChoice

HI = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
OWN = "google-gemini"


def decode(body, **call):
    return DIALECT.decode(body, Call(**{"model": "smart", **call}))


def request(**more):
    return decode({**HI, **more}).request


def test_a_whole_request_in_mixed_spelling():
    """As google-genai 3.6 for Python writes it."""
    body = {
        "contents": [{"parts": [{"text": "hi"}], "role": "user"}],
        "systemInstruction": {"parts": [{"text": "Be brief."}], "role": "user"},
        "tools": [
            {
                "functionDeclarations": [
                    {
                        "description": "w",
                        "name": "get_weather",
                        "parameters_json_schema": {"type": "object", "properties": {"zip_code": {"type": "string"}}},
                    }
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "any", "allowed_function_names": ["get_weather"]}},
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
        "labels": {"my_team": "a"},
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "topK": 40.0,
            "maxOutputTokens": 100,
            "stopSequences": ["END"],
            "seed": 3,
            "candidateCount": 2,
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "responseLogprobs": True,
            "logprobs": 4,
            "response_json_schema": {"type": "object", "properties": {"full_name": {"type": "string"}}},
            "responseMimeType": "application/json",
            "thinkingConfig": {"include_thoughts": True, "thinking_level": "LOW"},
            "speech_config": {"voice_config": {"prebuilt_voice_config": {"voice_name": "Kore"}}},
        },
    }
    incoming = decode(body, model="models/smart", stream=True, query={"alt": "sse"}, new_id=lambda n: "x" * n)
    schema = {"type": "object", "properties": {"full_name": {"type": "string"}}}
    assert incoming.request == Request(
        model="smart",
        messages=(Message("system", (Text("Be brief."),)), Message("user", (Text("hi"),))),
        tools=(Tool("get_weather", "w", {"type": "object", "properties": {"zip_code": {"type": "string"}}}),),
        tool_choice=ToolChoice("named", ("get_weather",)),
        sampling=Sampling(max_tokens=100, temperature=0.5, top_p=0.9, top_k=40, stop=("END",), seed=3, n=2,
                          presence_penalty=0.1, frequency_penalty=0.2, logprobs=True, top_logprobs=4),
        output=OutputFormat("schema", schema, extras={OWN: {
            "responseMimeType": "application/json", "responseJsonSchema": schema}}),
        thinking=Thinking("low", visible=True),
        stream=True,
        dialect="gemini",
        extras={
            OWN: {
                "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
                "labels": {"my_team": "a"},
                "generationConfig": {"speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Kore"}}}},
            }
        },
    )
    reply = incoming.reply
    assert (reply.model, reply.stream, reply.sse, reply.thoughts) == ("smart", True, True, True)
    assert reply.response_id == "x" * 22


def test_the_smallest_request():
    incoming = decode(HI)
    assert incoming.request == Request("smart", (Message("user", (Text("hi"),)),), dialect="gemini")
    assert incoming.warnings == ()
    assert (incoming.reply.stream, incoming.reply.sse, incoming.reply.thoughts) == (False, False, False)


def test_null_fields_are_absent():
    fields = ("systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "serviceTier")
    assert request(**dict.fromkeys(fields)) == request()


def test_the_model_may_stand_in_the_body():
    assert DIALECT.decode({**HI, "model": "models/x"}, Call()).request.model == "x"


@pytest.mark.parametrize("name", ["provider_options", "providerOptions"])
def test_options_keep_their_spelling(name):
    options = {"anthropic-messages": {"top_k": 1, "snake_case": {"a_b": 2}}}
    assert request(**{name: options}).options == options


@pytest.mark.parametrize(
    "value",
    ["Be brief.", {"text": "Be brief."}, {"parts": {"text": "Be brief."}}, [{"text": "Be brief."}],
     {"role": "system", "parts": [{"text": "Be brief."}, {"text": ""}]}],
)
@pytest.mark.parametrize("name", ["systemInstruction", "system_instruction"])
def test_system_instruction(name, value):
    assert request(**{name: value}).messages[0] == Message("system", (Text("Be brief."),))


@pytest.mark.parametrize(("tier", "neutral"), [("flex", "flex"), ("PRIORITY", "priority"), ("standard", "standard"),
                                               ("SERVICE_TIER_UNSPECIFIED", None)])
def test_service_tier(tier, neutral):
    assert request(serviceTier=tier).service_tier == neutral


def test_cached_content_is_for_this_api():
    assert request(cachedContent="cachedContents/c").extras == {OWN: {"cachedContent": "cachedContents/c"}}


# --- generationConfig --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "thinking"),
    [
        ({"thinkingLevel": "MINIMAL"}, Thinking("minimal", visible=False)),
        ({"thinkingLevel": "low"}, Thinking("low", visible=False)),
        ({"thinking_level": "MEDIUM", "include_thoughts": True}, Thinking("medium", visible=True)),
        ({"thinkingLevel": "HIGH"}, Thinking("high", visible=False)),
        ({"thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"}, Thinking(visible=False)),
        ({"thinkingLevel": "XHIGH"}, Thinking("xhigh", visible=False, extras={OWN: {"thinkingLevel": "XHIGH"}})),
        ({"thinkingBudget": 0}, Thinking("none", 0, False)),
        ({"thinkingBudget": 2048}, Thinking("low", 2048, False)),
        ({"thinkingBudget": 2049}, Thinking("medium", 2049, False)),
        ({"thinkingBudget": 8192}, Thinking("medium", 8192, False)),
        ({"thinkingBudget": 8193}, Thinking("high", 8193, False)),
        ({"thinkingBudget": -1}, Thinking(None, -1, False)),
        ({"includeThoughts": True}, Thinking(visible=True)),
        ({"newField": 1}, Thinking(visible=False, extras={OWN: {"newField": 1}})),
    ],
)
def test_thinking(config, thinking):
    assert request(generationConfig={"thinkingConfig": config}).thinking == thinking


SCHEMA = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}}
PLAIN = {"type": "object", "properties": {"n": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("config", "kind", "schema"),
    [
        ({"responseMimeType": "application/json"}, "json", None),
        ({"responseMimeType": "application/json", "responseSchema": SCHEMA}, "schema", PLAIN),
        ({"responseSchema": SCHEMA}, "schema", PLAIN),
        ({"responseMimeType": "application/json", "responseJsonSchema": PLAIN}, "schema", PLAIN),
        ({"responseFormat": [{"text": {"mimeType": "application/json", "schema": PLAIN}}]}, "schema", PLAIN),
        ({"responseFormat": {"text": {"mimeType": "application/json"}}}, "json", None),
    ],
)
def test_output(config, kind, schema):
    made = request(generationConfig=config)
    assert made.output == OutputFormat(kind, schema, extras={OWN: config})
    assert made.extras == {}


@pytest.mark.parametrize("config", [{}, {"responseMimeType": "text/plain"}])
def test_plain_output(config):
    made = request(generationConfig=config)
    assert (made.output, made.extras) == (None, {})


def test_an_enum_is_for_this_api():
    config = {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["a"]}}
    made = request(generationConfig=config)
    assert (made.output, made.extras) == (None, {OWN: {"generationConfig": config}})


def test_what_the_answer_may_hold():
    made = request(generationConfig={"responseModalities": ["TEXT", "Image"]})
    assert made.modalities == ("image",)
    assert made.extras == {OWN: {"generationConfig": {"responseModalities": ["TEXT", "Image"]}}}


def test_numbers_may_be_texts():
    made = request(generationConfig={"maxOutputTokens": "64", "seed": "-1", "topK": "5"}).sampling
    assert made == Sampling(max_tokens=64, seed=-1, top_k=5)


# --- tools -------------------------------------------------------------------------------------------------------


def test_functions_of_the_older_field():
    parameters = {
        "type": "OBJECT",
        "properties": {
            "zip_code": {"type": "STRING", "format": "enum", "enum": ["a", "b"], "nullable": True},
            "when": {"type": "string", "format": "date-time"},
            "many": {"type": "ARRAY", "items": {"type": "NUMBER"}, "min_items": "1", "maxItems": 3},
            "any_of": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}], "nullable": True},
        },
        "required": ["zip_code"],
        "property_ordering": ["zip_code", "when"],
    }
    tool = request(tools=[{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]).tools[0]
    assert tool.schema == {
        "type": "object",
        "properties": {
            "zip_code": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "when": {"type": "string", "format": "date-time"},
            "many": {"type": "array", "items": {"type": "number"}, "minItems": 1, "maxItems": 3},
            "any_of": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        },
        "required": ["zip_code"],
    }
    native = tool.extras[OWN]["parameters"]
    assert native["propertyOrdering"] == ["zip_code", "when"]
    assert native["properties"].keys() == parameters["properties"].keys()
    assert native["properties"]["many"]["minItems"] == "1"


def test_a_schema_with_definitions():
    parameters = {"type": "OBJECT", "properties": {"a": {"ref": "#/defs/A"}}, "defs": {"A": {"type": "STRING"}}}
    tool = request(tools=[{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]).tools[0]
    assert tool.schema == {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "string"}},
    }


def test_a_client_s_own_names_stay():
    schema = {"type": "object", "properties": {"a_b": {"type": "object", "properties": {"c_d": {"enum": ["e_f"]}}}}}
    tool = request(tools=[{"function_declarations": [{"name": "f", "parametersJsonSchema": schema}]}]).tools[0]
    assert tool == Tool("f", None, schema)


def test_other_fields_of_a_function():
    declared = {"name": "f", "response": {"type": "STRING"}, "behavior": "BLOCKING"}
    tool = request(tools=[{"functionDeclarations": [declared]}]).tools[0]
    assert tool == Tool("f", extras={OWN: {"response": {"type": "STRING"}}})


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("googleSearch", "web_search"), ("googleSearchRetrieval", "web_search"), ("enterpriseWebSearch", "web_search"),
        ("urlContext", "web_fetch"), ("codeExecution", "code_execution"), ("fileSearch", "file_search"),
        ("computerUse", "computer"), ("mcpServers", "mcp"), ("googleMaps", "maps"), ("brandNew", "brandNew"),
    ],
)
def test_built_in_tools(name, word):
    made = request(tools=[{name: {"x": 1}, "functionDeclarations": [{"name": "f"}]}])
    assert made.tools == (Tool(name, kind="builtin", builtin=word, extras={OWN: {name: {"x": 1}}}), Tool("f"))


def test_headers_of_a_server_keep_their_names():
    server = [{"name": "s", "streamable_http_transport": {"url": "u", "headers": {"x_api_key": "k"}}}]
    tool = request(tools=[{"mcp_servers": server}]).tools[0]
    assert tool.extras[OWN] == {
        "mcpServers": [{"name": "s", "streamableHttpTransport": {"url": "u", "headers": {"x_api_key": "k"}}}]
    }


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "AUTO"}, ToolChoice("auto")),
        ({"mode": "auto"}, ToolChoice("auto")),
        ({"mode": "NONE"}, ToolChoice("none")),
        ({"mode": "ANY"}, ToolChoice("required")),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, ToolChoice("named", ("f",))),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]}, ToolChoice("allowed", ("f", "g"), True)),
        ({"mode": "VALIDATED"}, ToolChoice("auto", extras={OWN: {"mode": "VALIDATED"}})),
        ({"mode": "VALIDATED", "allowedFunctionNames": ["f"]}, ToolChoice("allowed", ("f",))),
        ({"mode": "AUTO", "allowedFunctionNames": ["f"]}, ToolChoice("allowed", ("f",))),
        ({"mode": "MODE_UNSPECIFIED"}, None),
        ({}, None),
    ],
)
def test_choice(config, choice):
    tools = [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}]
    made = request(tools=tools, toolConfig={"functionCallingConfig": config})
    assert made.tool_choice == choice
    assert made.extras == {}


def test_a_choice_without_functions_says_nothing():
    assert request(toolConfig={"functionCallingConfig": {"mode": "ANY"}}).tool_choice is None


def test_other_fields_of_the_tool_config():
    config = {"functionCallingConfig": {"mode": "AUTO", "streamFunctionCallArguments": True},
              "retrievalConfig": {"languageCode": "de"}}
    made = request(tools=[{"functionDeclarations": [{"name": "f"}]}], toolConfig=config)
    assert made.extras == {OWN: {"toolConfig": {
        "retrievalConfig": {"languageCode": "de"}, "functionCallingConfig": {"streamFunctionCallArguments": True}}}}


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "contents"),
        ({"contents": []}, "contents"),
        ({"contents": 5}, "contents"),
        ({"contents": "hi"}, "contents"),
        ({**HI, "systemInstruction": 5}, "systemInstruction"),
        ({**HI, "systemInstruction": {"parts": [{"inlineData": {}}]}}, "systemInstruction.parts[0]"),
        ({**HI, "generationConfig": 5}, "generationConfig"),
        ({**HI, "generationConfig": {"maxOutputTokens": "many"}}, "generationConfig.maxOutputTokens"),
        ({**HI, "generationConfig": {"maxOutputTokens": True}}, "generationConfig.maxOutputTokens"),
        ({**HI, "generationConfig": {"maxOutputTokens": 1.5}}, "generationConfig.maxOutputTokens"),
        ({**HI, "generationConfig": {"temperature": "x"}}, "generationConfig.temperature"),
        ({**HI, "generationConfig": {"stopSequences": [5]}}, "generationConfig.stopSequences"),
        ({**HI, "generationConfig": {"responseMimeType": 5}}, "generationConfig.responseMimeType"),
        ({**HI, "generationConfig": {"responseSchema": 5}}, "generationConfig.responseSchema"),
        ({**HI, "generationConfig": {"thinkingConfig": 5}}, "generationConfig.thinkingConfig"),
        ({**HI, "generationConfig": {"thinkingConfig": {"thinkingBudget": "x"}}},
         "generationConfig.thinkingConfig.thinkingBudget"),
        ({**HI, "tools": 5}, "tools"),
        ({**HI, "tools": [5]}, "tools[0]"),
        ({**HI, "tools": [{"functionDeclarations": 5}]}, "tools[0].functionDeclarations"),
        ({**HI, "tools": [{"functionDeclarations": [{}]}]}, "tools[0].functionDeclarations[0].name"),
        ({**HI, "tools": [{"functionDeclarations": [{"name": "f", "parameters": {}, "parametersJsonSchema": {}}]}]},
         "tools[0].functionDeclarations[0]"),
        ({**HI, "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"items": 5}}]}]},
         "tools[0].functionDeclarations[0].parameters.items"),
        ({**HI, "tools": [{"functionDeclarations": [{"name": "f", "parametersJsonSchema": 5}]}]},
         "tools[0].functionDeclarations[0].parametersJsonSchema"),
        ({**HI, "toolConfig": 5}, "toolConfig"),
        ({**HI, "tools": [{"functionDeclarations": [{"name": "f"}]}],
          "toolConfig": {"functionCallingConfig": {"mode": "MAYBE"}}}, "toolConfig.functionCallingConfig.mode"),
        ({**HI, "provider_options": 5}, "provider_options"),
        ({**HI, "provider_options": {"openai-chat": 5}}, "provider_options"),
        ({**HI, "serviceTier": 5}, "serviceTier"),
    ],
)
def test_refused(body, param):
    with pytest.raises(Rejected) as refused:
        decode(body)
    assert refused.value.failure.param == param


@pytest.mark.parametrize("body", [5, [], "x", None])
def test_a_body_that_is_no_object(body):
    for decode_it in (DIALECT.decode, DIALECT.decode_count):
        with pytest.raises(Rejected):
            decode_it(body, Call(model="m"))


def test_a_request_without_a_model():
    with pytest.raises(Rejected) as refused:
        DIALECT.decode(HI, Call())
    assert refused.value.failure.param == "model"


@pytest.mark.parametrize("depth", [95, 150, 500])
def test_a_schema_nested_too_deeply(depth):
    schema: dict = {"type": "OBJECT"}
    for _ in range(depth + 10):
        schema = {"type": "ARRAY", "items": schema}
    with pytest.raises(Rejected):
        request(tools=[{"functionDeclarations": [{"name": "f", "parameters": schema}]}])


# --- counting and the model list ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {**HI, "systemInstruction": {"parts": [{"text": "A"}]}},
        {"generateContentRequest": {**HI, "model": "models/smart", "systemInstruction": {"parts": [{"text": "A"}]}}},
        {"generate_content_request": {**HI, "system_instruction": {"parts": [{"text": "A"}]}}},
    ],
)
def test_count(body):
    made = DIALECT.decode_count(body, Call(model="smart")).request
    assert made == Request("smart", (Message("system", (Text("A"),)), Message("user", (Text("hi"),))), dialect="gemini")
    assert DIALECT.counted(31) == b'{"totalTokens":31}'


def test_models():
    one = {
        "name": "models/smart",
        "displayName": "smart",
        "supportedGenerationMethods": ["generateContent", "streamGenerateContent", "countTokens"],
    }
    assert json.loads(DIALECT.models(["smart"], 0)) == {"models": [one]}
    assert json.loads(DIALECT.model("smart", 0)) == one
