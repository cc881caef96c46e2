"""Neutral request -> path, headers and body (wire page, sections 1, 2, 6, 7)."""

import pytest
from gemini_wire import CITY, FLASH, NOW, THREE, VERTEX, WEATHER, ask, body, call, model, result, results, sent, user

from adapters import json
from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.google_gemini import API
from adapters.model import (
    CacheMark,
    Message,
    OutputFormat,
    Sampling,
    Text,
    Thinking,
    Tool,
    ToolChoice,
)


def test_a_whole_request():
    request = ask(
        Message("system", (Text("Be brief."),)),
        user("Weather in Rome?"),
        model(call("fc1", arguments='{"city":"Rome"}')),
        results(result("fc1", "21C")),
        tools=(NOW, WEATHER),
        tool_choice=ToolChoice("auto"),
        sampling=Sampling(max_tokens=2048, temperature=0.2, top_p=0.9, top_k=40, stop=("END",), seed=7, n=2,
                          presence_penalty=0.1, frequency_penalty=0.2, logprobs=True, top_logprobs=3),
        thinking=Thinking("low"),
    )
    outgoing = API.encode(request, FLASH)
    assert outgoing.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert (outgoing.method, outgoing.stream, outgoing.query, outgoing.headers) == ("POST", False, {}, {})
    assert outgoing.warnings == ()
    assert json.loads(outgoing.body) == {
        "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Weather in Rome?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Rome"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "21C"}}}]},
        ],
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "get_weather", "description": "Weather in a city.", "parametersJsonSchema": CITY},
                    {"name": "now", "description": "The time."},
                ]
            }
        ],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "generationConfig": {
            "candidateCount": 2,
            "stopSequences": ["END"],
            "maxOutputTokens": 4096,
            "temperature": 0.2,
            "topP": 0.9,
            "topK": 40,
            "seed": 7,
            "presencePenalty": 0.1,
            "frequencyPenalty": 0.2,
            "responseLogprobs": True,
            "logprobs": 3,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 2048},
        },
    }


def test_the_same_request_is_the_same_bytes():
    request = ask(tools=(WEATHER, NOW))
    assert API.encode(request, FLASH).body == API.encode(ask(tools=(NOW, WEATHER)), FLASH).body


def test_a_stream_asks_for_sse():
    outgoing = API.encode(ask(stream=True), FLASH)
    assert outgoing.path == "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
    assert outgoing.query == {"alt": "sse"}
    assert outgoing.stream
    assert outgoing.reading.stream


@pytest.mark.parametrize(
    ("upstream", "path"),
    [
        (Upstream("models/gemini-2.5-flash"), "/v1beta/models/gemini-2.5-flash"),
        (Upstream("../../admin?x"), "/v1beta/models/..%2F..%2Fadmin%3Fx"),
        (Upstream("google/gemini-2.5-pro:free"), "/v1beta/models/google%2Fgemini-2.5-pro%3Afree"),
        (VERTEX, "/v1/projects/p1/locations/us-east1/publishers/google/models/gemini-3-pro-preview"),
        (
            Upstream("publishers/google/models/gemini-2.5-pro", compat={"vertex": True, "vertex_project": "p/1"}),
            "/v1/projects/p%2F1/locations/global/publishers/google/models/gemini-2.5-pro",
        ),
        (
            Upstream("gemini-2.5-pro", compat={"vertex": True}),
            "/v1beta1/publishers/google/models/gemini-2.5-pro",
        ),
    ],
)
def test_path(upstream, path):
    assert API.encode(ask(), upstream).path == path + ":generateContent"


@pytest.mark.parametrize(
    ("upstream", "headers"),
    [
        (FLASH, {"x-goog-api-key": "K"}),
        (VERTEX, {"authorization": "Bearer K"}),
        (Upstream("m", compat={"vertex": True}), {"x-goog-api-key": "K"}),
    ],
)
def test_auth(upstream, headers):
    assert API.auth("K", upstream) == headers


# --- generationConfig --------------------------------------------------------------------------------------------


def generation(upstream=FLASH, **more):
    return body(ask(**more), upstream).get("generationConfig")


@pytest.mark.parametrize(
    ("seed", "sent_seed"),
    [(0, 0), (-5, -5), (2**31 - 1, 2**31 - 1), (2**31, 0), (2**40 + 3, 3), (-(2**31) - 1, 2**31 - 1)],
)
def test_seed_is_an_int32(seed, sent_seed):
    assert generation(sampling=Sampling(seed=seed)) == {"seed": sent_seed}


def test_a_request_that_says_nothing_has_no_generation_config():
    assert body(ask()) == {"contents": [{"role": "user", "parts": [{"text": "go"}]}]}
    assert generation(sampling=Sampling(n=1)) is None


@pytest.mark.parametrize("name", ["gemini-3.5-flash", "gemini-2.5-flash-preview-09-2025"])
def test_penalties_are_left_out_where_they_are_refused(name):
    made, warnings = sent(ask(sampling=Sampling(presence_penalty=1, frequency_penalty=1)), Upstream(name))
    assert "generationConfig" not in made
    assert warnings == (f"presence_penalty, frequency_penalty: left out, {name} refuses them",)


@pytest.mark.parametrize(
    ("upstream", "thinking", "dialect", "limit"),
    [
        (FLASH, None, "chat", 100),
        (FLASH, Thinking("none"), "chat", 100),
        (FLASH, Thinking("minimal"), "chat", 1124),
        (FLASH, Thinking("high"), "chat", 24676),
        (FLASH, Thinking("high"), "gemini", 100),
        (FLASH, Thinking(budget=5000), "messages", 5100),
        (FLASH, Thinking(budget=50), "messages", 100),
        (THREE, Thinking("low"), "chat", 2148),
        (THREE, Thinking("high"), "chat", 24676),
        (Upstream("gemini-3.5-flash", max_output_tokens=1000), Thinking("high"), "chat", 1000),
        (Upstream("gemini-3.5-flash", max_output_tokens=50), Thinking("high"), "chat", 100),
    ],
)
def test_thinking_comes_on_top_of_the_output_limit(upstream, thinking, dialect, limit):
    made = generation(upstream, sampling=Sampling(max_tokens=100), thinking=thinking, dialect=dialect)
    assert made["maxOutputTokens"] == limit


# --- fields that only some have ----------------------------------------------------------------------------------


def test_what_this_api_lacks_is_named():
    request = ask(
        user(Text("go", cache=CacheMark())),
        sampling=Sampling(logit_bias={"1": 1}),
        verbosity="low",
        cache_key="k",
        user="u1",
        metadata={"a": "b"},
        parallel=False,
        service_tier="scale",
        tools=(WEATHER,),
    )
    made, warnings = sent(request)
    assert made.keys() == {"contents", "tools"}
    assert set(warnings) == {
        "logit_bias: left out, google-gemini has no such field",
        "verbosity: left out, google-gemini has no such field",
        "prompt_cache_key: left out, google-gemini has no such field",
        "cache_control: left out, google-gemini has no such field",
        "metadata, user: left out, the Gemini API has no such field",
        "parallel_tool_calls: google-gemini has no switch, several calls may come",
        "service_tier scale: left out, google-gemini has no such tier",
    }


def test_user_and_metadata_are_labels_on_vertex():
    made = body(ask(user="User One", metadata={"Team A": "x", "1st": 5}), VERTEX)
    assert made["labels"] == {"team_a": "x", "l_1st": "5", "user": "user_one"}


@pytest.mark.parametrize(
    ("tier", "upstream", "field", "header"),
    [
        ("auto", FLASH, None, None),
        ("default", FLASH, "standard", None),
        ("flex", FLASH, "flex", None),
        ("priority", FLASH, "priority", None),
        ("default", VERTEX, None, None),
        ("flex", VERTEX, None, "flex"),
        ("priority", VERTEX, None, "priority"),
    ],
)
def test_service_tier(tier, upstream, field, header):
    outgoing = API.encode(ask(service_tier=tier), upstream)
    assert json.loads(outgoing.body).get("serviceTier") == field
    assert outgoing.headers.get("x-vertex-ai-llm-shared-request-type") == header


OWN = {
    "google-gemini": {
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        "cachedContent": "cachedContents/c1",
        "generationConfig": {"responseModalities": ["TEXT"], "temperature": 9},
        "toolConfig": {"retrievalConfig": {"languageCode": "de"}},
    },
}


def test_a_gemini_clients_own_fields_go_where_they_stood():
    request = ask(dialect="gemini", sampling=Sampling(temperature=1), extras=OWN, tools=(NOW,))
    made = body(request)
    assert made["safetySettings"] == [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
    assert made["cachedContent"] == "cachedContents/c1"
    assert made["generationConfig"] == {"temperature": 1, "responseModalities": ["TEXT"]}
    assert made["toolConfig"] == {"retrievalConfig": {"languageCode": "de"}}


def test_fields_of_other_apis_stay_behind():
    made, warnings = sent(ask(extras={"openai-chat": {"prediction": {}, "audio": {}}}))
    assert made.keys() == {"contents"}
    assert warnings == (
        "prediction: left out, google-gemini has no such field",
        "audio: left out, google-gemini has no such field",
    )


def test_options_are_laid_over_last():
    request = ask(
        sampling=Sampling(temperature=1, max_tokens=5),
        options={"google-gemini": {"generationConfig": {"temperature": 0.5}, "labels": {"a": "b"}}, "x": {"y": 1}},
    )
    upstream = Upstream("gemini-2.5-flash", options={"labels": {"a": "c"}, "generationConfig": {"topK": 3}})
    assert body(request, upstream) == {
        "contents": [{"role": "user", "parts": [{"text": "go"}]}],
        "generationConfig": {"maxOutputTokens": 5, "temperature": 0.5, "topK": 3},
        "labels": {"a": "c"},
    }


def test_fields_that_the_host_refuses():
    upstream = Upstream("gemini-2.5-flash", compat={"unsupported_fields": ("topK", "safetySettings")})
    made, warnings = sent(ask(sampling=Sampling(top_k=3, top_p=0.5), extras=OWN, dialect="gemini"), upstream)
    assert made["generationConfig"].keys() == {"topP", "responseModalities", "temperature"}
    assert "safetySettings" not in made
    assert warnings == (
        "topK: left out, this host does not take it",
        "safetySettings: left out, this host does not take it",
    )


def test_an_answer_with_sound_is_for_gemini_clients_only():
    assert body(ask(modalities=("audio",), dialect="gemini"))
    with pytest.raises(Rejected) as refused:
        API.encode(ask(modalities=("audio",)), FLASH)
    assert refused.value.failure.param == "modalities"


# --- structured output -------------------------------------------------------------------------------------------

OBJECT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
SCHEMA = OutputFormat("schema", OBJECT, name="answer")


def test_json_mode():
    assert generation(output=OutputFormat("json")) == {"responseMimeType": "application/json"}
    assert generation(output=SCHEMA) == {"responseMimeType": "application/json", "responseJsonSchema": OBJECT}
    assert generation(output=OutputFormat("text")) is None
    listed = OutputFormat("schema", {"type": "array", "items": OBJECT})
    assert generation(output=listed)["responseJsonSchema"] == {"type": "array", "items": OBJECT}


def test_the_older_field_on_request():
    older = Upstream("gemini-2.5-flash", compat={"use_parameters": True})
    assert generation(older, output=SCHEMA).keys() == {"responseMimeType", "responseSchema"}


def test_the_older_field_cannot_say_every_schema():
    older = Upstream("gemini-2.5-flash", compat={"use_parameters": True})
    made, warnings = sent(ask(output=OutputFormat("schema", {"type": "object", "properties": {}})), older)
    assert made["generationConfig"] == {"responseMimeType": "application/json"}
    assert "JSON Schema" in made["systemInstruction"]["parts"][0]["text"]
    assert warnings == ("response_format: its schema is told in words, gemini-2.5-flash cannot take it whole",)


def test_a_gemini_clients_own_form_goes_as_it_came():
    own = {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "propertyOrdering": ["n"]}}
    output = OutputFormat("schema", OBJECT, extras={"google-gemini": own})
    assert generation(output=output, dialect="gemini") == own


def test_gemini_3_takes_json_mode_beside_tools():
    made = body(ask(output=SCHEMA, tools=(WEATHER,)), THREE)
    assert made["generationConfig"]["responseJsonSchema"] == OBJECT
    assert "toolConfig" not in made


def test_before_gemini_3_a_tool_takes_the_answer():
    outgoing = API.encode(ask(output=SCHEMA, tools=(WEATHER,)), FLASH)
    made = json.loads(outgoing.body)
    assert "generationConfig" not in made
    assert [one["name"] for one in made["tools"][0]["functionDeclarations"]] == ["get_weather", "json_response"]
    assert made["tools"][0]["functionDeclarations"][1]["parametersJsonSchema"] == OBJECT
    assert made["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert outgoing.reading.answer_tool == "json_response"
    assert outgoing.warnings == ()


def test_the_answers_tool_gives_way_to_a_clients_own_of_that_name():
    taken = Tool("json_response", schema=OBJECT)
    outgoing = API.encode(ask(output=SCHEMA, tools=(taken,)), FLASH)
    names = [one["name"] for one in json.loads(outgoing.body)["tools"][0]["functionDeclarations"]]
    assert names == ["json_response", "json_response_"]
    assert outgoing.reading.answer_tool == "json_response_"


def test_the_answers_tool_beside_an_allowed_set():
    choice = ToolChoice("allowed", ("now",))
    made = body(ask(output=SCHEMA, tools=(WEATHER, NOW), tool_choice=choice))
    assert [one["name"] for one in made["tools"][0]["functionDeclarations"]] == ["json_response", "now"]


def test_no_tool_may_be_called_then_none_is_offered():
    made = body(ask(output=SCHEMA, tools=(WEATHER,), tool_choice=ToolChoice("none")))
    assert made.keys() == {"contents", "generationConfig"}
    assert made["generationConfig"]["responseJsonSchema"] == OBJECT


@pytest.mark.parametrize("choice", [ToolChoice("required"), ToolChoice("named", ("get_weather",))])
def test_a_forced_call_needs_no_format(choice):
    made, warnings = sent(ask(output=SCHEMA, tools=(WEATHER,), tool_choice=choice))
    assert "generationConfig" not in made
    assert warnings == ("response_format: left out, the model must call a tool",)


@pytest.mark.parametrize(
    ("output", "tools", "words"),
    [
        (OutputFormat("json"), (WEATHER,), "Give the final answer as one JSON value"),
        (OutputFormat("schema", {"type": "array"}), (WEATHER,), 'JSON Schema:\n{"type":"array"}'),
        (SCHEMA, (Tool("s", kind="builtin", builtin="web_search"),), '"required":["n"]'),
    ],
)
def test_else_it_is_told_in_words(output, tools, words):
    made, warnings = sent(ask(Message("system", (Text("Be brief."),)), user("go"), output=output, tools=tools))
    assert "generationConfig" not in made
    assert made["systemInstruction"]["parts"][0] == {"text": "Be brief."}
    assert words in made["systemInstruction"]["parts"][1]["text"]
    assert warnings == ("response_format: told in words, gemini-2.5-flash takes none beside tools",)


# --- counting ----------------------------------------------------------------------------------------------------


def test_count_tokens():
    request = ask(Message("system", (Text("Be brief."),)), user("go"), tools=(NOW,), sampling=Sampling(top_k=1))
    outgoing = API.count_tokens(request, FLASH)
    assert outgoing.path == "/v1beta/models/gemini-2.5-flash:countTokens"
    assert json.loads(outgoing.body) == {
        "generateContentRequest": {
            "model": "models/gemini-2.5-flash",
            "systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "go"}]}],
            "tools": [{"functionDeclarations": [{"name": "now", "description": "The time."}]}],
            "generationConfig": {"topK": 1},
        }
    }
    assert json.loads(API.count_tokens(request, VERTEX).body).keys() == {"systemInstruction", "contents", "tools"}
    assert API.counted(b'{"totalTokens": 31}') == 31
