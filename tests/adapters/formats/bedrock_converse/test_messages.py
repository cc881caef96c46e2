"""Turns: alternation, results and what may stand beside them, media, documents, cache points."""

import base64
import json

import pytest
from bedrock_wire import EMPTY, NOW, OPUS, SONNET, WIRED_NOW, call, check, model, result, results, user

from adapters.errors import Rejected
from adapters.format import Upstream
from adapters.formats.bedrock_converse import API
from adapters.model import (
    CacheMark,
    Media,
    Message,
    Opaque,
    Reasoning,
    Refusal,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)

N = "bedrock-converse"
ORIGIN = "bedrock/claude"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
NOVA = "amazon.nova-pro-v1:0"
MISTRAL = "mistral.mistral-large-2407-v1:0"
PALMYRA = "us.writer.palmyra-x5-v1:0"
QWEN = "qwen.qwen3-32b-v1:0"
PNG = Media("image", "image/png", "iVBORw0KGgo=")
PDF = Media("file", "application/pdf", "JVBERi0=", name="report.pdf")
NOTE = Media("file", text="line", name="notes.txt")
CALL, CALLED = call("c1", "now", "{}"), {"toolUse": {"toolUseId": "c1", "name": "now", "input": {}}}
DOT = {"text": "."}
IMAGE = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
DOCUMENT = {"document": {"format": "pdf", "name": "report", "source": {"bytes": "JVBERi0="}}}
TEXTS = {"document": {"format": "txt", "name": "notes", "source": {"text": "line"}}}


def sent(*messages, name=SONNET, cache="client", tools=(NOW,)):
    outgoing = API.encode(Request("m", messages, tools=tools), Upstream(name, ORIGIN, {"cache": cache}))
    made = json.loads(outgoing.body)
    check(made, name)
    return made, outgoing.warnings


def turns(*messages, **more):
    return sent(*messages, **more)[0]["messages"]


def said(role, *blocks):
    return {"role": role, "content": list(blocks)}


# --- turns -------------------------------------------------------------------------------------------------------


def test_neighbours_are_one_turn():
    assert turns(user("a"), user("b"), model("c"), model("d"), user("e")) == [
        said("user", {"text": "a"}, {"text": "b"}), said("assistant", {"text": "c"}, {"text": "d"}),
        said("user", {"text": "e"})]


def test_blank_texts_and_empty_messages_are_dropped():
    assert sent(Message("system", (Text(" "),)), user("", "go"), model(""), user("x"), tools=())[0] == {
        "messages": [said("user", {"text": "go"}, {"text": "x"})]}


@pytest.mark.parametrize(("name", "first"), [
    (SONNET, []), (QWEN, []), (NOVA, [said("user", DOT)]), (LLAMA, [said("user", DOT)]),
    (MISTRAL, [said("user", DOT)]),
])
def test_the_first_turn_is_the_users(name, first):
    assert turns(model("hi"), user("go"), name=name) == [
        *first, said("assistant", {"text": "hi"}), said("user", {"text": "go"})]


@pytest.mark.parametrize("name", [SONNET, NOVA])
def test_there_is_a_user_turn(name):
    made = sent(Message("system", (Text("s"),)), name=name, tools=())[0]
    assert made == {"system": [{"text": "s"}], "messages": [said("user", DOT)]}


@pytest.mark.parametrize(("name", "last"), [
    (SONNET, [said("assistant", {"text": "So"})]),
    (OPUS, [said("assistant", {"text": "So "}), said("user", DOT)]),
    (NOVA, [said("assistant", {"text": "So "}), said("user", DOT)]),
])
def test_prefill(name, last):
    assert turns(user("go"), model("So "), name=name)[1:] == last


def test_later_system_messages_are_the_users():
    made = sent(Message("system", (Text("a"),)), user("go"), model("ok"), Message("system", (Text("b"),)), tools=())[0]
    assert made["system"] == [{"text": "a"}]
    assert made["messages"][2] == said("user", {"text": "<system>\nb\n</system>"})


def test_refusals_are_text_and_own_blocks_are_echoed():
    guard = {"guardContent": {"text": {"text": "x"}}}
    assert turns(Message("user", (Opaque(N, guard), Text("go"))), model(Refusal("no"), Refusal(" "))) [:2] == [
        said("user", guard, {"text": "go"}), said("assistant", {"text": "no"})]


# --- reasoning ---------------------------------------------------------------------------------------------------


SIGNED = Reasoning(" hm ", N, ORIGIN, signature="SIG")


@pytest.mark.parametrize(("name", "reasoning", "blocks"), [
    (SONNET, SIGNED, [{"reasoningContent": {"reasoningText": {"text": " hm ", "signature": "SIG"}}}]),
    (SONNET, Reasoning(api=N, origin=ORIGIN, data="UkVE"), [{"reasoningContent": {"redactedContent": "UkVE"}}]),
    (SONNET, Reasoning("hm"), []),
    (SONNET, Reasoning("hm", N, "other/claude", signature="SIG"), []),
    (SONNET, Reasoning("hm", "anthropic-messages", ORIGIN, signature="SIG"), []),
    ("deepseek.r1-v1:0", Reasoning("hm"), [{"reasoningContent": {"reasoningText": {"text": "hm"}}}]),
    ("deepseek.r1-v1:0", SIGNED, [{"reasoningContent": {"reasoningText": {"text": " hm "}}}]),
    (NOVA, SIGNED, []),
    (QWEN, Reasoning("hm"), []),
])
def test_reasoning(name, reasoning, blocks):
    assert turns(user("go"), model(reasoning, "so"), user("on"), name=name)[1] == said(
        "assistant", *blocks, {"text": "so"})


# --- calls and results -------------------------------------------------------------------------------------------


def test_results_of_a_turn_stand_together_in_order():
    made = turns(user("go"), model(call("a", "now", ""), call("b", "now", "{}")), results(result("b", "2")),
                 results(result("a", "1")), user("and?"))
    assert made[2] == said(
        "user", {"toolResult": {"toolUseId": "a", "content": [{"text": "1"}]}},
        {"toolResult": {"toolUseId": "b", "content": [{"text": "2"}]}}, {"text": "and?"})


@pytest.mark.parametrize(("name", "is_error", "body"), [
    (SONNET, None, {"content": [{"text": "x"}]}),
    (SONNET, False, {"content": [{"text": "x"}], "status": "success"}),
    (SONNET, True, {"content": [{"text": "x"}], "status": "error"}),
    (NOVA, True, {"content": [{"text": "x"}], "status": "error"}),
    (PALMYRA, False, {"content": [{"text": "x"}]}),
    (PALMYRA, True, {"content": [{"text": "error: x"}]}),
    (LLAMA, True, {"content": [{"text": "error: x"}]}),
])
def test_status(name, is_error, body):
    assert turns(user("go"), model(CALL), results(result("c1", "x", is_error=is_error)), name=name)[2] == said(
        "user", {"toolResult": {"toolUseId": "c1", **body}})


def test_an_error_that_is_a_picture():
    made = turns(user("go"), model(CALL), results(result("c1", [PNG], is_error=True)), name=LLAMA)
    assert made[2]["content"][0]["toolResult"]["content"] == [{"text": "error:"}, IMAGE]


@pytest.mark.parametrize(("content", "text"), [((), "(no output)"), ((Text(" "),), "(no output)")])
def test_an_empty_result(content, text):
    made = turns(user("go"), model(CALL), results(ToolResult("c1", content)))
    assert made[2]["content"][0]["toolResult"]["content"] == [{"text": text}]


def test_a_missing_result():
    made = turns(user("go"), model(CALL), user("well?"), name=LLAMA)
    assert made[2] == said("user", {"toolResult": {"toolUseId": "c1", "content": [{"text": "(no result)"}]}})


@pytest.mark.parametrize(("text", "content"), [
    ('{"a": 1}', {"json": {"a": 1}}), ("[1]", {"text": "[1]"}), ("rain", {"text": "rain"}), ("3", {"text": "3"})])
def test_mistral_gets_objects(text, content):
    made = turns(user("go"), model(CALL), results(result("c1", text)), name=MISTRAL)
    assert made[2]["content"][0]["toolResult"]["content"] == [content]
    assert turns(user("go"), model(CALL), results(result("c1", text)))[2]["content"][0]["toolResult"]["content"] == [
        {"text": text}]


def test_mistrals_ids_have_nine_characters():
    made = turns(user("go"), model(call("tooluse_abc", "now", "{}")), results(result("tooluse_abc")), name=MISTRAL)
    made_id = made[1]["content"][0]["toolUse"]["toolUseId"]
    assert len(made_id) == 9 and made_id.isalnum()
    assert made[2]["content"][0]["toolResult"]["toolUseId"] == made_id


def test_ids():
    long = "call_" + "x" * 70
    made = turns(user("go"), model(call("a.b:c-d_e", "now", "{}"), call(long, "now", "{}")),
                 results(result("a.b:c-d_e"), result(long)))
    ids = [block["toolUse"]["toolUseId"] for block in made[1]["content"]]
    assert ids[0] == "a.b:c-d_e" and len(ids[1]) <= 64
    assert [block["toolResult"]["toolUseId"] for block in made[2]["content"]] == ids


# --- media of results and beside them ----------------------------------------------------------------------------


LINE = {"text": "Attached to the result of now (call c1):"}


def moved(*blocks):
    return [{"toolResult": {"toolUseId": "c1", "content": [{"text": "(see the attachment that follows)"}]}}, *blocks]


@pytest.mark.parametrize(("name", "media", "inside"), [
    (SONNET, PNG, IMAGE), (SONNET, PDF, DOCUMENT), (SONNET, NOTE, TEXTS),
    (LLAMA, PNG, IMAGE), (LLAMA, PDF, DOCUMENT),
    (NOVA, PNG, IMAGE), (NOVA, NOTE, TEXTS),
    (MISTRAL, PDF, DOCUMENT),
    (QWEN, NOTE, {"text": "notes.txt:\nline"}),
    ("moonshot.kimi-k2-thinking", NOTE, {"text": "notes.txt:\nline"}),
])
def test_media_inside_results(name, media, inside):
    made = turns(user("go"), model(CALL), results(result("c1", [media])), name=name)
    assert made[-1]["content"][0]["toolResult"]["content"] == [inside]


@pytest.mark.parametrize(("name", "media", "after"), [
    (NOVA, PDF, [said("user", *moved(LINE, DOCUMENT))]),
    (QWEN, PNG, [said("user", *moved(LINE, IMAGE))]),
    ("moonshot.kimi-k2-thinking", PNG, [said("user", *moved(LINE, IMAGE))]),
    (MISTRAL, PNG, [said("user", *moved()), said("assistant", DOT), said("user", LINE, IMAGE)]),
    (PALMYRA, PNG, [said("user", *moved()), said("assistant", DOT), said("user", LINE, IMAGE)]),
])
def test_media_after_results(name, media, after):
    made = turns(user("go"), model(CALL), results(result("c1", [media])), name=name)
    if name == MISTRAL:
        wire = made[1]["content"][0]["toolUse"]["toolUseId"]
        after = json.loads(json.dumps(after).replace("c1", wire))
    assert made[2:] == after


RESULT = {"toolResult": {"toolUseId": "c1", "content": [{"text": "rain"}]}}


@pytest.mark.parametrize(("name", "beside", "after"), [
    (SONNET, ["and?"], [said("user", RESULT, {"text": "and?"})]),
    (SONNET, ["and?", PNG], [said("user", RESULT, {"text": "and?"}, IMAGE)]),
    (SONNET, ["read", PDF], [said("user", RESULT), said("assistant", DOT), said("user", {"text": "read"}, DOCUMENT)]),
    (NOVA, ["read", PDF], [said("user", RESULT, {"text": "read"}, DOCUMENT)]),
    (LLAMA, ["and?"], [said("user", RESULT), said("assistant", DOT), said("user", {"text": "and?"})]),
    (PALMYRA, ["and?"], [said("user", RESULT), said("assistant", DOT), said("user", {"text": "and?"})]),
])
def test_what_may_share_a_turn_with_results(name, beside, after):
    assert turns(user("go"), model(CALL), results(result("c1")), user(*beside), name=name)[2:] == after


# --- media -------------------------------------------------------------------------------------------------------


BIG = base64.b64encode(b"x").decode()


@pytest.mark.parametrize(("media", "block"), [
    (Media("image", "image/jpg", BIG), {"image": {"format": "jpeg", "source": {"bytes": BIG}}}),
    (Media("image", "image/webp", BIG), {"image": {"format": "webp", "source": {"bytes": BIG}}}),
    (Media("image", None, "R0lGODlh"), {"image": {"format": "gif", "source": {"bytes": "R0lGODlh"}}}),
    (Media("image", "image/png", url="s3://b/k.png"),
     {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k.png"}}}}),
    (Media("image", None, url="s3://b/k.png"),
     {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://b/k.png"}}}}),
    (Media("image", "image/png", url=f"data:image/png;base64,{BIG}"),
     {"image": {"format": "png", "source": {"bytes": BIG}}}),
    (Media("file", "text/csv", BIG, name="a b.csv"),
     {"document": {"format": "csv", "name": "a b", "source": {"bytes": BIG}}}),
    (Media("file", None, BIG, name="plan.docx"),
     {"document": {"format": "docx", "name": "plan", "source": {"bytes": BIG}}}),
    (Media("file", "application/json", BIG),
     {"document": {"format": "txt", "name": "document", "source": {"bytes": BIG}}}),
    (Media("file", text="t"), {"document": {"format": "txt", "name": "document", "source": {"text": "t"}}}),
])
def test_blocks(media, block):
    assert turns(user("see", media))[0] == said("user", {"text": "see"}, block)


@pytest.mark.parametrize(("media", "block"), [
    (Media("video", "video/quicktime", BIG), {"video": {"format": "mov", "source": {"bytes": BIG}}}),
    (Media("video", "video/3gpp", url="s3://b/v"), {"video": {
        "format": "three_gp", "source": {"s3Location": {"uri": "s3://b/v"}}}}),
    (Media("audio", "audio/wav", BIG), {"audio": {"format": "wav", "source": {"bytes": BIG}}}),
    (Media("audio", "audio/mpeg", BIG), {"audio": {"format": "mp3", "source": {"bytes": BIG}}}),
])
def test_video_and_audio_are_novas(media, block):
    assert turns(user("see", media), name=NOVA)[0] == said("user", {"text": "see"}, block)
    with pytest.raises(Rejected, match=f"takes no {media.kind} input with this model"):
        sent(user("see", media))


@pytest.mark.parametrize(("media", "words"), [
    (Media("image", url="https://e.x/a.png", mime="image/png"), "server.fetch_images"),
    (Media("image", "image/png", file_id="f1"), "knows no files"),
    (Media("image", "image/tiff", BIG), "no image of type image/tiff"),
    (Media("image", None, BIG), "no image of type unknown"),
    (Media("file", "application/zip", BIG, name="a.zip"), "no file of type application/zip"),
])
def test_refused(media, words):
    with pytest.raises(Rejected, match=words):
        sent(user("see", media))


def test_an_image_of_the_assistant_is_named():
    assert sent(user("draw"), model("here", PNG), user("thanks"))[1] == (
        "messages: image of an assistant message is left out, bedrock-converse takes none there",)


@pytest.mark.parametrize(("given", "name"), [
    ("My report (v2) [final].pdf", "My report (v2) [final]"),
    ("a.b.c.pdf", "a-b-c"),
    ("Überblick_2026.pdf", "-berblick-2026"),
    ("two  spaces.pdf", "two spaces"),
    (".pdf", "-pdf"),
    ("   .pdf", "document"),
    ("x" * 300 + ".pdf", "x" * 192),
    (None, "document"),
])
def test_document_names(given, name):
    made = turns(user("see", Media("file", "application/pdf", BIG, name=given)))
    assert made[0]["content"][1]["document"]["name"] == name


def test_document_names_are_unique_and_stable():
    first = user("see", PDF)
    made = turns(first, model("ok"), user("and", PDF, PDF))
    assert made[0] == turns(first)[0]
    names = [block["document"]["name"] for turn in made for block in turn["content"] if "document" in block]
    assert names == ["report", "report (2)", "report (3)"]


def test_a_document_has_a_text_beside_it():
    assert turns(user(PDF)) == [said("user", DOT, DOCUMENT)]
    assert turns(user(PNG, PDF)) == [said("user", IMAGE, DOT, DOCUMENT)]
    assert turns(user(PNG)) == [said("user", IMAGE)]


# --- cache points ------------------------------------------------------------------------------------------------


POINT, HOUR = {"cachePoint": {"type": "default"}}, {"cachePoint": {"type": "default", "ttl": "1h"}}
MARK = CacheMark()
SYSTEM = Message("system", (Text("s"),))


def test_breakpoints_of_our_own():
    made = sent(SYSTEM, user("go"), model(CALL), results(result("c1")), cache="auto")[0]
    assert made["toolConfig"]["tools"] == [WIRED_NOW, POINT]
    assert made["system"] == [{"text": "s"}, POINT]
    assert made["messages"][2] == said("user", RESULT, POINT)
    made = sent(SYSTEM, user("go"), cache="auto", name=NOVA)[0]
    assert made["toolConfig"]["tools"] == [WIRED_NOW]
    assert made["system"] == [{"text": "s"}, POINT]
    assert made["messages"] == [said("user", {"text": "go"}, POINT)]


@pytest.mark.parametrize(("name", "cache", "tools"), [
    (SONNET, "client", (NOW,)), (SONNET, "off", (NOW,)), (SONNET, "auto", ()), (LLAMA, "auto", (NOW,)),
    ("openai.gpt-5.6-v1:0", "auto", (NOW,))])
def test_no_breakpoints(name, cache, tools):
    assert "cachePoint" not in json.dumps(sent(SYSTEM, user("go"), name=name, cache=cache, tools=tools)[0])


MARKED = (
    Message("system", (Text("s", MARK),)), user(Text("a", MARK), "b"), model(ToolCall("c1", "now", "{}", cache=MARK)),
    results(ToolResult("c1", (Text("r"),), cache=MARK)),
)


def test_the_clients_marks():
    made = sent(*MARKED, cache="auto")[0]
    assert made["system"] == [{"text": "s"}, POINT]
    assert made["messages"] == [
        said("user", {"text": "a"}, POINT, {"text": "b"}), said("assistant", CALLED, POINT),
        said("user", {"toolResult": {"toolUseId": "c1", "content": [{"text": "r"}]}}, POINT)]
    assert made["toolConfig"]["tools"] == [WIRED_NOW]
    assert "cachePoint" not in json.dumps(sent(*MARKED, cache="off")[0])


def test_a_mark_inside_a_result_stands_after_it():
    made = turns(user("go"), model(CALL), results(result("c1", [Text("r", MARK)])))
    assert made[2] == said("user", {"toolResult": {"toolUseId": "c1", "content": [{"text": "r"}]}}, POINT)


def test_where_the_model_takes_no_points():
    made, warnings = sent(*MARKED, name=LLAMA)
    assert "cachePoint" not in json.dumps(made)
    assert warnings == ("cache_control: left out, the model is not known to take cache points",)
    made, warnings = sent(user("go"), name=NOVA, tools=(Tool("now", "The time.", EMPTY, cache=MARK),))
    assert made["toolConfig"]["tools"] == [WIRED_NOW]
    assert warnings == ("cache_control: left out of the tools, the model is not known to take it there",)
    assert sent(user(Text("go", MARK)), name="openai.gpt-5.6-v1:0")[0]["messages"][0]["content"][1] == POINT


@pytest.mark.parametrize(("name", "point", "told"), [
    (SONNET, HOUR, ()),
    ("anthropic.claude-3-5-haiku-20241022-v1:0", POINT, ("cache_control.ttl: left out, the model keeps five minutes",)),
    (NOVA, POINT, ("cache_control.ttl: left out, the model keeps five minutes",)),
])
def test_an_hour(name, point, told):
    made, warnings = sent(user(Text("go", CacheMark("1h"))), name=name)
    assert made["messages"] == [said("user", {"text": "go"}, point)]
    assert warnings == told
    five = {"cachePoint": {"type": "default", "ttl": "5m"}}
    assert turns(user(Text("go", CacheMark("5m"))), name=name)[0]["content"][1] == five


def test_four_points_the_last_ones():
    made, warnings = sent(user(*(Text(letter, MARK) for letter in "abcdef")))
    assert made["messages"][0]["content"] == [
        {"text": "a"}, {"text": "b"}, {"text": "c"}, POINT, {"text": "d"}, POINT, {"text": "e"}, POINT, {"text": "f"},
        POINT]
    assert warnings == ("cache_control: only the last 4 of the breakpoints are sent",)


def test_a_point_does_not_follow_a_document():
    marked = Media("file", "application/pdf", "JVBERi0=", name="report.pdf", cache=MARK)
    assert turns(user("read", marked)) == [said("user", {"text": "read"}, POINT, DOCUMENT)]
    assert turns(user(Text("read", MARK), marked)) == [said("user", {"text": "read"}, POINT, DOCUMENT)]
    made, warnings = sent(user(marked, "read"))
    assert made["messages"] == [said("user", DOCUMENT, {"text": "read"})]
    assert warnings == ("cache_control: left out, a breakpoint cannot follow a document that comes first",)
