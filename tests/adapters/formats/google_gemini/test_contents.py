"""Messages -> contents: roles, turns, calls and results, signatures, media (wire page, sections 3, 5, 6)."""

import pytest
from gemini_wire import FLASH, THREE, VERTEX, ask, body, call, model, result, results, sent, user

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.google_gemini import API
from adapters.model import Media, Message, Opaque, Reasoning, Refusal, Text

BYPASS = "skip_thought_signature_validator"
GEMMA = Upstream("gemma-3-27b-it")


def contents(*messages, upstream=FLASH):
    return body(ask(*messages), upstream)["contents"]


# --- turns -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param(
            [model("hello"), user("go")],
            [("user", [{"text": "."}]), ("model", [{"text": "hello"}]), ("user", [{"text": "go"}])],
            id="the first entry is the user's",
        ),
        pytest.param(
            [user("a"), user("b"), model("c"), model("d"), user("e")],
            [("user", [{"text": "a"}, {"text": "b"}]), ("model", [{"text": "c"}, {"text": "d"}]),
             ("user", [{"text": "e"}])],
            id="neighbours of one role are one entry",
        ),
        pytest.param(
            [user("a"), Message("system", (Text("Be kind."),)), model("b"), Message("developer", (Text("Stop."),))],
            [("user", [{"text": "a"}, {"text": "<system>\nBe kind.\n</system>"}]), ("model", [{"text": "b"}]),
             ("user", [{"text": "<system>\nStop.\n</system>"}])],
            id="later system messages are the user's, in place",
        ),
        pytest.param(
            [user("a"), model(""), user("", "b", " ")],
            [("user", [{"text": "a"}, {"text": "b"}])],
            id="entries without parts are dropped",
        ),
        pytest.param(
            [user("a"), model(Refusal("no"), "well")],
            [("user", [{"text": "a"}]), ("model", [{"text": "no"}, {"text": "well"}])],
            id="a refusal is text",
        ),
    ],
)
def test_turns(messages, expected):
    assert contents(*messages) == [{"role": role, "parts": parts} for role, parts in expected]


def test_leading_system_messages_are_the_instruction():
    messages = [Message("system", (Text("A"), Text("B"))), Message("developer", (Text("C"),)), user("go")]
    made = body(ask(*messages))
    assert made["systemInstruction"] == {"role": "user", "parts": [{"text": "A"}, {"text": "B"}, {"text": "C"}]}
    assert made["contents"] == [{"role": "user", "parts": [{"text": "go"}]}]


def test_gemma_gets_the_system_text_in_its_first_user_turn():
    made = body(ask(Message("system", (Text("A"),)), user("go"), model("x"), user("y")), GEMMA)
    assert "systemInstruction" not in made
    assert made["contents"][0] == {"role": "user", "parts": [{"text": "A"}, {"text": "go"}]}


def test_a_system_message_alone():
    made = body(ask(Message("system", (Text("A"),))))
    assert made == {
        "systemInstruction": {"role": "user", "parts": [{"text": "A"}]},
        "contents": [{"role": "user", "parts": [{"text": "."}]}],
    }


def test_unpaired_surrogates_do_not_reach_the_wire():
    assert contents(user("a\ud800b"))[0]["parts"] == [{"text": "a\ufffdb"}]


def test_the_name_of_a_message_is_left_out():
    _, warnings = sent(ask(Message("user", (Text("go"),), name="ann")))
    assert warnings == ("name of a message: left out, google-gemini has no such field",)


# --- calls and results -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ('{"city":"Ulm","n":12345678901234567890123}', {"city": "Ulm", "n": 12345678901234567890123}),
        ("", {}),
        ("{}", {}),
        ('{"city": "Ul', {"_raw": '{"city": "Ul'}),
        ("[1]", {"_raw": "[1]"}),
        ('"x"', {"_raw": '"x"'}),
    ],
)
def test_arguments_are_an_object(text, args):
    made = contents(user("go"), model(call(arguments=text)), results(result()))
    assert made[1]["parts"] == [{"functionCall": {"name": "get_weather", "args": args}}]


@pytest.mark.parametrize(
    ("upstream", "ids"),
    [(FLASH, False), (THREE, True), (VERTEX, False), (Upstream("gemini-2.0-flash"), False)],
)
def test_ids_go_to_upstreams_that_know_them(upstream, ids):
    made = contents(user("go"), model(call("toolu_01")), results(result("toolu_01")), upstream=upstream)
    assert made[1]["parts"][0]["functionCall"].get("id") == ("toolu_01" if ids else None)
    assert made[2]["parts"][0]["functionResponse"].get("id") == ("toolu_01" if ids else None)


def test_results_stand_alone_in_one_entry_in_call_order():
    made = contents(
        user("go"),
        model("Looking.", call("c1", arguments='{"city":"Ulm"}'), call("c2", arguments='{"city":"Bonn"}')),
        results(result("c2", "sun")),
        results(result("c1", "rain")),
        user("thanks"),
    )
    assert made == [
        {"role": "user", "parts": [{"text": "go"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Looking."},
                {"functionCall": {"name": "get_weather", "args": {"city": "Ulm"}}},
                {"functionCall": {"name": "get_weather", "args": {"city": "Bonn"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "get_weather", "response": {"output": "rain"}}},
                {"functionResponse": {"name": "get_weather", "response": {"output": "sun"}}},
            ],
        },
        {"role": "user", "parts": [{"text": "thanks"}]},
    ]


def test_a_missing_result_is_made_and_of_several_the_last_counts():
    made = contents(user("go"), model(call("c1"), call("c2")), results(result("c1", "old"), result("c1", "new")))
    assert made[2]["parts"] == [
        {"functionResponse": {"name": "get_weather", "response": {"output": "new"}}},
        {"functionResponse": {"name": "get_weather", "response": {"error": "(no result)"}}},
    ]


def test_an_orphan_is_told_as_text():
    made, warnings = sent(ask(user("go"), results(result("gone", "rain"))))
    assert [entry["role"] for entry in made["contents"]] == ["user"]
    assert made["contents"][0]["parts"][-1] == {"text": "rain"}
    assert warnings == ("a tool result without its call is told as text",)


DEEP = '{"a":' * 900 + "1" + "}" * 900


@pytest.mark.parametrize(
    ("made", "response"),
    [
        (result(text="21C"), {"output": "21C"}),
        (result(text="42"), {"output": "42"}),
        (result(text="[1, 2]"), {"output": "[1, 2]"}),
        (result(text="null"), {"output": "null"}),
        (result(text='{"deg": 7}'), {"deg": 7}),
        (result(text=' {"deg": 7} '), {"deg": 7}),
        (result(text="{}"), {}),
        (result(text='{"deg": '), {"output": '{"deg": '}),
        (result(text='{"a": {"$ref": "x"}}'), {"output": '{"a": {"$ref": "x"}}'}),
        (result(text='{"a": [{"$ref": "x"}]}'), {"output": '{"a": [{"$ref": "x"}]}'}),
        (result(text='{"id": 9007199254740993}'), {"output": '{"id": 9007199254740993}'}),
        (result(text='{"id": 9007199254740992}'), {"id": 9007199254740992}),
        (result(text=DEEP), {"output": DEEP}),
        (result(text="boom", is_error=True), {"error": "boom"}),
        (result(text='{"a": 1}', is_error=True), {"error": '{"a": 1}'}),
        (result(text='{"a": 1}', is_error=False), {"a": 1}),
        (result(text=[Text("a"), Text("b")]), {"output": "a\nb"}),
        (result(text=[]), {"output": "(no output)"}),
        (result(extras={"google-gemini": {"response": {"result": [1, 2]}}}), {"result": [1, 2]}),
    ],
)
def test_a_response_is_an_object(made, response):
    turn = contents(user("go"), model(call()), results(made))[2]
    assert turn["parts"] == [{"functionResponse": {"name": "get_weather", "response": response}}]


# --- signatures --------------------------------------------------------------------------------------------------

SIGNED = "c2lnbmF0dXJl"
OWN = "gemini/gemini-3"


def signatures(*messages, upstream=THREE):
    return [
        part.get("thoughtSignature")
        for entry in contents(*messages, upstream=upstream)
        if entry["role"] == "model"
        for part in entry["parts"]
    ]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        pytest.param([user("go"), model(call(signature=SIGNED, origin=OWN), call("c2")), results(result())],
                     [SIGNED, None], id="own signature, on its part"),
        pytest.param([user("go"), model(call(signature=SIGNED)), results(result())],
                     [SIGNED], id="a client's, who does not say whose it is"),
        pytest.param([user("go"), model(call(signature=SIGNED, origin="vertex/gemini-3")), results(result())],
                     [BYPASS], id="another platform's"),
        pytest.param([user("go"), model(call(signature="not base64!")), results(result())],
                     [BYPASS], id="no base64"),
        pytest.param([user("go"), model("Hm.", call(), call("c2")), results(result())],
                     [None, BYPASS, None], id="unsigned: the first call of the step only"),
        pytest.param([user("go"), model(call()), results(result()), model(call("c2")), results(result("c2"))],
                     [BYPASS, BYPASS], id="every step of the current turn"),
        pytest.param([user("go"), model(call()), results(result()), user("and?"), model(call("c2")),
                      results(result("c2"))],
                     [None, BYPASS], id="older turns are not checked"),
        pytest.param([user("go"), model(call(signature=SIGNED, origin=OWN)), results(result()), user("more")],
                     [SIGNED], id="older turns are signed all the same"),
    ],
)
def test_the_first_call_of_a_current_step_is_signed(messages, expected):
    assert signatures(*messages) == expected


def test_the_bypass_is_told():
    _, warnings = sent(ask(user("go"), model(call()), results(result())), THREE)
    assert warnings == (f"thought signature: a call of this turn has none of its own, {BYPASS} is sent",)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("gemini-2.5-flash", [SIGNED, None]), ("gemini-2.0-flash", [None, None]), ("gemma-3-27b-it", [None, None])],
)
def test_older_models_want_none(name, expected):
    messages = [user("go"), model(call(signature=SIGNED)), results(result()), model(call("c2")), results(result("c2"))]
    assert signatures(*messages, upstream=Upstream(name)) == expected


def test_a_signed_text_stays_apart_even_if_empty():
    made = contents(user("a"), model("b", Text("", signature=SIGNED)), user("c"), upstream=THREE)
    assert made[1]["parts"] == [{"text": "b"}, {"text": "", "thoughtSignature": SIGNED}]


def test_an_empty_text_with_a_bad_signature_goes():
    made = contents(user("a"), model("b", Text("", signature="%")), user("c"), upstream=THREE)
    assert made[1]["parts"] == [{"text": "b"}]


def test_own_signed_thoughts_go_back_and_foreign_ones_do_not():
    own = Reasoning("plan", "google-gemini", OWN, signature=SIGNED)
    foreign = Reasoning("idea", "anthropic-messages", "a/claude", signature="x")
    made, warnings = sent(ask(user("a"), model(own, foreign, "b"), user("c")), THREE)
    assert made["contents"][1]["parts"] == [
        {"text": "plan", "thought": True, "thoughtSignature": SIGNED},
        {"text": "b"},
    ]
    assert warnings == ("reasoning of another provider or model is left out of the history",)


def test_server_tools_of_this_api_are_echoed():
    part = {"toolCall": {"id": "t1", "toolType": "GOOGLE_SEARCH", "args": {}}, "thoughtSignature": SIGNED}
    foreign = Opaque("anthropic-messages", {"type": "server_tool_use"}, "searched")
    made = contents(user("a"), model(Opaque("google-gemini", part), foreign, "b"), user("c"), upstream=THREE)
    assert made[1]["parts"] == [part, {"text": "searched"}, {"text": "b"}]


# --- media -------------------------------------------------------------------------------------------------------

PNG = "iVBORw0KGgoAAAA="


@pytest.mark.parametrize(
    ("media", "part"),
    [
        (Media("image", "image/png", PNG), {"inlineData": {"mimeType": "image/png", "data": PNG}}),
        (Media("image", None, PNG), {"inlineData": {"mimeType": "image/png", "data": PNG}}),
        (Media("image", None, "AAAA"), {"inlineData": {"mimeType": "image/jpeg", "data": "AAAA"}}),
        (Media("audio", "audio/wav", "AAAA"), {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}),
        (Media("file", None, "JVBERi0x"), {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0x"}}),
        (Media("file", text="héllo"), {"inlineData": {"mimeType": "text/plain", "data": "aMOpbGxv"}}),
        (Media("image", url=f"data:image/webp;base64,{PNG}"), {"inlineData": {"mimeType": "image/webp", "data": PNG}}),
        (
            Media("video", url="https://www.youtube.com/watch?v=1"),
            {"fileData": {"mimeType": "video/mp4", "fileUri": "https://www.youtube.com/watch?v=1"}},
        ),
        (
            Media("file", "text/csv", url="https://generativelanguage.googleapis.com/v1beta/files/f1"),
            {"fileData": {"mimeType": "text/csv",
                          "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/f1"}},
        ),
        (
            Media("video", "video/mp4", PNG, extras={"google-gemini": {"videoMetadata": {"fps": 2},
                                                                       "inside": {"displayName": "a"}}}),
            {"inlineData": {"mimeType": "video/mp4", "data": PNG, "displayName": "a"}, "videoMetadata": {"fps": 2}},
        ),
    ],
)
def test_media(media, part):
    assert contents(user(media))[0]["parts"] == [part]


@pytest.mark.parametrize(
    ("upstream", "url", "mime"),
    [
        (THREE, "https://e.x/a.PNG?q=1", "image/png"),
        (THREE, "https://e.x/a", "image/jpeg"),
        (VERTEX, "https://e.x/a.webp", "image/webp"),
        (VERTEX, "gs://bucket/a.gif", "image/gif"),
    ],
)
def test_remote_media_that_google_reads(upstream, url, mime):
    made = contents(user(Media("image", url=url)), upstream=upstream)
    assert made[0]["parts"] == [{"fileData": {"mimeType": mime, "fileUri": url}}]


@pytest.mark.parametrize(
    ("upstream", "media", "words"),
    [
        (FLASH, Media("image", url="https://e.x/a.png"), "server.fetch_images"),
        (FLASH, Media("image", url="http://e.x/a.png"), "server.fetch_images"),
        (THREE, Media("image", url="http://e.x/a.png"), "server.fetch_images"),
        (THREE, Media("image", url="gs://bucket/a.png"), "Vertex"),
        (VERTEX, Media("file", url="https://generativelanguage.googleapis.com/v1beta/files/f1"), "the Gemini API"),
        (FLASH, Media("file", file_id="file-1"), "file-1"),
    ],
)
def test_media_that_cannot_be_read(upstream, media, words):
    with pytest.raises(Rejected, match=words):
        API.encode(ask(user(media)), upstream)


def test_media_in_results_of_gemini_3():
    shown = result(text=[Text("a map"), Media("image", "image/png", PNG), Media("audio", "audio/wav", "AAAA")])
    made = contents(user("go"), model(call(signature=SIGNED)), results(shown), user("so?"), upstream=THREE)
    assert made[2:] == [
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "c1",
                        "name": "get_weather",
                        "response": {"output": "a map"},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}],
                    }
                }
            ],
        },
        {
            "role": "user",
            "parts": [
                {"text": "Attached to the result of get_weather (call c1):"},
                {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}},
            ],
        },
        {"role": "user", "parts": [{"text": "so?"}]},
    ]


def test_media_in_results_of_older_models_follow_all_responses():
    shown = result(text=[Media("image", "image/png", PNG)])
    made = contents(user("go"), model(call(), call("c2")), results(shown, result("c2")))
    assert len(made[2]["parts"]) == 2
    assert made[3]["parts"] == [
        {"text": "Attached to the result of get_weather (call c1):"},
        {"inlineData": {"mimeType": "image/png", "data": PNG}},
    ]


def test_bucket_files_in_results_on_vertex():
    shown = result(text=[Media("image", url="gs://b/a.png")])
    made = contents(user("go"), model(call(signature=SIGNED)), results(shown), upstream=VERTEX)
    assert made[2]["parts"][0]["functionResponse"] == {
        "name": "get_weather",
        "response": {"output": "(see the attachment)"},
        "parts": [{"fileData": {"mimeType": "image/png", "fileUri": "gs://b/a.png"}}],
    }
