"""A Responses client and a Responses upstream: what neither of us understands passes, the rest comes out as it came."""

from test_emit import ECHO, ids, parse

from adapters import json
from adapters.compat import defaults
from adapters.format import Call, Reading, Upstream
from adapters.formats.openai_responses import API, DIALECT
from adapters.formats.openai_responses.incoming import Reply
from adapters.restore import Restorer
from adapters.tools.ids import RESPONSES

FLAGS = {**defaults(API.name), "custom_tools": "native", "metadata": True, "service_tier": True,
         "prompt_cache_key": True}
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"], "additionalProperties": False}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "**Plan**"},
                                                        {"type": "summary_text", "text": "More"}],
           "encrypted_content": "sealed"}
LINK = {"type": "url_citation", "start_index": 0, "end_index": 4, "url": "https://x.org", "title": "X"}
SEARCHED = {"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}

BODY = {
    "model": "gpt-5",
    "instructions": "Be brief.",
    "input": [
        {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "go", "prompt_cache_breakpoint": {"mode": "explicit"}},
            {"type": "input_image", "image_url": "https://x.org/a.png", "detail": "original"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="},
            {"type": "input_smell", "smell": "sea"},
        ]},
        THOUGHT,
        {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
         "content": [{"type": "output_text", "text": "Here", "annotations": [LINK]},
                     {"type": "refusal", "refusal": "no"}], "phase": "commentary"},
        SEARCHED,
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "find", "arguments": '{"q": "x"}',
         "namespace": "crm", "caller": {"type": "direct"}},
        {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c2", "name": "sql", "input": "SELECT 1"},
        {"type": "function_call_output", "call_id": "c1", "output": [
            {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "1"},
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Hurry."}]},
        {"type": "brand_new", "x": {"y": 1}},
    ],
    "tools": [
        {"type": "namespace", "name": "crm", "description": "d", "tools": [
            {"type": "function", "name": "find", "parameters": SCHEMA, "strict": True, "defer_loading": True}]},
        {"type": "function", "name": "f", "parameters": SCHEMA, "output_schema": {"type": "object"}},
        {"type": "custom", "name": "sql", "format": {"type": "grammar", "syntax": "lark", "definition": "x"}},
        {"type": "tool_search", "execution": "server"},
        {"type": "web_search", "filters": {"allowed_domains": ["x.org"]}},
    ],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"},
                                                                       {"type": "custom", "name": "sql"}]},
    "parallel_tool_calls": True,
    "max_output_tokens": 100,
    "text": {"format": {"type": "json_schema", "name": "n", "description": "d", "schema": SCHEMA, "strict": True},
             "verbosity": "low"},
    "reasoning": {"effort": "low", "summary": "detailed", "context": "all_turns"},
    "include": ["reasoning.encrypted_content", "file_search_call.results"],
    "store": False,
    "stream": True,
    "prompt_cache_key": "k",
    "metadata": {"k": "v"},
    "service_tier": "flex",
    "user": "u",
    "truncation": "auto",
    "max_tool_calls": 3,
    "brand_new": {"x": 1},
    "stream_options": {"include_obfuscation": False},
}


def test_requests_pass_unchanged():
    incoming = DIALECT.decode(BODY, Call())
    outgoing = API.encode(incoming.request, Upstream("gpt-5", "openai/gpt-5", FLAGS))
    assert (incoming.warnings, outgoing.warnings) == ((), ())
    assert json.loads(outgoing.body) == BODY
    assert outgoing.reading.names == {} and outgoing.reading.namespaces == {}


def events_of_an_upstream():
    number = 0

    def event(type, **data):
        nonlocal number
        told = {"type": type, "sequence_number": number, **data}
        number += 1
        return f"event: {type}\n".encode() + b"data: " + json.dumps(told) + b"\n\n"

    def item(index, item):
        return event("response.output_item.done", output_index=index, item=item)

    token = {"token": "Here", "logprob": -0.5, "bytes": [72], "top_logprobs": []}
    place = {"item_id": "msg_1", "output_index": 2, "content_index": 0}
    text = {"type": "output_text", "text": "Here", "annotations": [LINK], "logprobs": [token]}
    message = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": [text],
               "phase": "final_answer"}
    thought = {"id": "rs_1", **THOUGHT}
    call = {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "c1", "name": "find",
            "arguments": '{"q": "x"}', "namespace": "crm"}
    head = {"id": "resp_1", "object": "response", "created_at": 1700000000}
    asked = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": None}
    usage = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
             "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 13}

    def response(status, output, usage, **more):
        return {**head, "status": status, "error": None, "incomplete_details": None, "model": "smart",
                "output": output, "usage": usage, **asked, **more}

    yield event("response.created", response=response("in_progress", [], None))
    yield event("response.in_progress", response=response("in_progress", [], None))
    yield event("response.output_item.added", output_index=0, item={"id": "rs_1", "type": "reasoning", "summary": []})
    for index, section in enumerate(("**Plan**", "More")):
        at = {"item_id": "rs_1", "output_index": 0, "summary_index": index}
        whole = {"type": "summary_text", "text": section}
        yield event("response.reasoning_summary_part.added", **at, part={"type": "summary_text", "text": ""})
        yield event("response.reasoning_summary_text.delta", **at, delta=section[:2])
        yield event("response.reasoning_summary_text.delta", **at, delta=section[2:])
        yield event("response.reasoning_summary_text.done", **at, text=section)
        yield event("response.reasoning_summary_part.done", **at, part=whole)
    yield item(0, thought)
    yield event("response.output_item.added", output_index=1, item={**SEARCHED, "status": "in_progress"})
    yield event("response.web_search_call.in_progress", output_index=1, item_id="ws_1")
    yield event("response.web_search_call.searching", output_index=1, item_id="ws_1")
    yield event("response.web_search_call.completed", output_index=1, item_id="ws_1")
    yield item(1, SEARCHED)
    yield event("response.output_item.added", output_index=2,
                item={**message, "status": "in_progress", "content": []})
    yield event("response.content_part.added", **place,
                part={"type": "output_text", "text": "", "annotations": [], "logprobs": []})
    yield event("response.output_text.delta", **place, delta="He", logprobs=[token])
    yield event("response.brand_new", output_index=2, x=1)
    yield event("response.output_text.delta", **place, delta="re", logprobs=[])
    yield event("response.output_text.annotation.added", **place, annotation_index=0, annotation=LINK)
    yield event("response.output_text.done", **place, text="Here", logprobs=[token])
    yield event("response.content_part.done", **place, part=text)
    yield item(2, message)
    yield event("response.output_item.added", output_index=3, item={**call, "status": "in_progress", "arguments": ""})
    at = {"item_id": "fc_1", "output_index": 3}
    yield event("response.function_call_arguments.delta", **at, delta='{"q": ')
    yield event("response.function_call_arguments.delta", **at, delta='"x"}')
    yield event("response.function_call_arguments.done", **at, name="find", arguments='{"q": "x"}')
    yield item(3, call)
    yield event("response.completed",
                response=response("completed", [thought, SEARCHED, message, call], usage, service_tier="flex"))


def test_streams_pass_unchanged():
    data = list(events_of_an_upstream())
    reading = Reading("gpt-5", "openai/gpt-5", True)
    decoder, restorer = API.decoder(reading), Restorer(reading, RESPONSES, ids())
    encoder = DIALECT.encoder(Reply("resp_1", "smart", 1700000000, ids(), ECHO, sealed=True, scored=True))
    out = b"".join(encoder.feed(restorer.feed(decoder.feed(piece))) for piece in data)
    decoder.close()
    assert parse(out + encoder.close()) == parse(b"".join(data))
