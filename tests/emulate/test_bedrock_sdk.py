"""boto3 against the emulated Bedrock, over a socket: signed with the known key, or with a bearer key."""

import json
from typing import Any

import boto3  # type: ignore[import-untyped]
import httpx2
import pytest
import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.eventstream import ChecksumMismatch
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EventStreamError,
    ReadTimeoutError,
)

from proxy.emulate import Emulation

Json = Any
CITY = {
    "type": "object",
    "properties": {"city": {"enum": ["Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS: Json = [
    {"toolSpec": {"name": "get_weather", "inputSchema": {"json": CITY}}},
    {"toolSpec": {"name": "get_time", "inputSchema": {"json": CITY}}},
]
CONFIG: Json = {"toolConfig": {"tools": TOOLS}}
HI: Json = [{"role": "user", "content": [{"text": "hi there"}]}]
POINT: Json = {"cachePoint": {"type": "default"}}
ADAPTIVE: Json = {"additionalModelRequestFields": {"thinking": {"type": "adaptive"}}}
BUDGET: Json = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}


def client_of(emulation: Emulation, secret: str = "emulated-secret", timeout: float = 5, **keys: Json) -> Any:
    known = {"aws_access_key_id": "AKIDEMULATED", "aws_secret_access_key": secret, "region_name": "us-east-1"}
    settings = Config(read_timeout=timeout, retries={"max_attempts": 0})
    url = emulation.base_url("bedrock-converse")
    return boto3.client("bedrock-runtime", endpoint_url=url, config=settings, **{**known, **keys})


@pytest.fixture(scope="module")
def client(emulation: Emulation) -> Any:
    return client_of(emulation)


def whole(client: Any, model: str = "agent", **body: Json) -> Any:
    return client.converse(**{"modelId": model, "messages": HI, **body})


def events(client: Any, model: str = "agent", **body: Json) -> list[Json]:
    return list(client.converse_stream(**{"modelId": model, "messages": HI, **body})["stream"])


def said(response: Json) -> list[Json]:
    content: list[Json] = response["output"]["message"]["content"]
    return content


def added(found: list[Json]) -> list[Json]:
    """The blocks of a stream."""
    blocks: dict[int, Json] = {}
    for event in found:
        if start := event.get("contentBlockStart"):
            blocks[start["contentBlockIndex"]] = {"toolUse": {**start["start"]["toolUse"], "input": ""}}
        if delta := event.get("contentBlockDelta"):
            _add(blocks, delta["contentBlockIndex"], delta["delta"])
    made = [blocks[index] for index in sorted(blocks)]
    for block in made:
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    return made


def _add(blocks: dict[int, Json], index: int, delta: Json) -> None:
    if "text" in delta:
        block = blocks.setdefault(index, {"text": ""})
        block["text"] += delta["text"]
    elif "toolUse" in delta:
        blocks[index]["toolUse"]["input"] += delta["toolUse"]["input"]
    elif "redactedContent" in delta["reasoningContent"]:
        blocks[index] = {"reasoningContent": delta["reasoningContent"]}
    else:
        inside = blocks.setdefault(index, {"reasoningContent": {"reasoningText": {"text": ""}}})
        text = inside["reasoningContent"]["reasoningText"]
        text["text"] += delta["reasoningContent"].get("text", "")
        text |= {name: v for name, v in delta["reasoningContent"].items() if name == "signature"}


def test_text(client: Any) -> None:
    found = whole(client, system=[{"text": "Be brief."}])
    assert said(found) == [{"text": "You said: hi there"}]
    assert (found["stopReason"], found["output"]["message"]["role"]) == ("end_turn", "assistant")
    assert found["usage"]["outputTokens"] == 5
    assert found["usage"]["totalTokens"] == found["usage"]["inputTokens"] + 5
    assert found["ResponseMetadata"]["RequestId"] and found["metrics"]["latencyMs"] > 0


BODIES: list[Json] = [
    {},
    CONFIG,
    {"toolConfig": {"tools": TOOLS, "toolChoice": {"any": {}}}},
    {**CONFIG, "messages": [{"role": "user", "content": [{"text": "call 20"}]}]},
    {"toolConfig": {"tools": [{"toolSpec": {"name": "now", "inputSchema": {"json": {"type": "object"}}}}]}},
    {**CONFIG, **ADAPTIVE},
    {**ADAPTIVE, "messages": [{"role": "user", "content": [{"text": "say REDACTED_THINKING"}]}]},
    {**CONFIG, "model": "agent-us.amazon.nova-2-lite-v1:0"},
    {**CONFIG, "model": "agent-mistral.mistral-large-3"},
    {"inferenceConfig": {"stopSequences": ["there"]}},
    {"inferenceConfig": {"maxTokens": 2}},
    {"model": "agent-openai.gpt-oss-120b", "additionalModelRequestFields": {"reasoning_effort": "low"}},
]


@pytest.mark.parametrize("body", BODIES)
def test_the_stream_adds_up_to_the_whole(client: Any, body: Json) -> None:
    one, found = whole(client, **body), events(client, **body)
    assert added(found) == said(one)
    assert [next(iter(event)) for event in (found[0], *found[-2:])] == ["messageStart", "messageStop", "metadata"]
    assert found[-2]["messageStop"]["stopReason"] == one["stopReason"]
    assert found[-1]["metadata"]["usage"]["outputTokens"] == one["usage"]["outputTokens"]
    indexes = [event["contentBlockStop"]["contentBlockIndex"] for event in found if "contentBlockStop" in event]
    assert indexes == list(range(len(said(one))))


def test_only_calls_have_a_start(client: Any) -> None:
    found = events(client, **CONFIG, **ADAPTIVE)
    assert [event["contentBlockStart"]["start"].keys() for event in found if "contentBlockStart" in event] == [
        {"toolUse"}, {"toolUse"},
    ]  # fmt: skip


def test_tool_loop(client: Any) -> None:
    first = whole(client, **CONFIG)
    assert first["stopReason"] == "tool_use"
    text, *calls = said(first)
    assert text == {"text": "I will use get_weather, get_time."}
    assert [(c["toolUse"]["name"], c["toolUse"]["input"]) for c in calls] == [
        ("get_weather", {"city": "Rome"}), ("get_time", {"city": "Rome"}),
    ]  # fmt: skip
    results = [
        {
            "toolResult": {
                "toolUseId": calls[0]["toolUse"]["toolUseId"],
                "content": [{"text": "r0"}],
                "status": "success",
            }
        },
        {"toolResult": {"toolUseId": calls[1]["toolUse"]["toolUseId"], "content": [{"json": {"a": 1}}]}},
    ]
    history: Json = [*HI, first["output"]["message"], {"role": "user", "content": results}]
    last = whole(client, messages=history, **CONFIG)
    assert said(last) == [{"text": 'The tools answered:\nget_weather: r0\nget_time: {"a":1}'}]


def test_signed_reasoning_in_a_tool_loop(client: Any) -> None:
    body: Json = {"toolConfig": {"tools": TOOLS[:1]}, **BUDGET}
    message = whole(client, **body)["output"]["message"]
    reasoning, _, call = message["content"]
    text = reasoning["reasoningContent"]["reasoningText"]
    assert text["text"].startswith("The user asks") and text["signature"]
    result = {"toolResult": {"toolUseId": call["toolUse"]["toolUseId"], "content": [{"text": "r"}]}}

    def again(*content: Json) -> Any:
        history = [*HI, {"role": "assistant", "content": list(content)}, {"role": "user", "content": [result]}]
        return whole(client, messages=history, **body)

    assert said(again(reasoning, call))[-1] == {"text": "The tools answered:\nget_weather: r"}
    with pytest.raises(ClientError, match="Expected `thinking` or `redacted_thinking`, but found `tool_use`"):
        again(call)
    with pytest.raises(ClientError, match="Invalid `signature` in `thinking` block"):
        again({"reasoningContent": {"reasoningText": {**text, "text": "changed"}}}, call)
    with pytest.raises(ClientError, match="signature: Field required"):
        again({"reasoningContent": {"reasoningText": {"text": text["text"]}}}, call)


def test_choice(client: Any) -> None:
    def names(choice: Json = None, **extra: Json) -> list[str]:
        config = {"tools": TOOLS, **({"toolChoice": choice} if choice else {})}
        found = said(whole(client, toolConfig=config, additionalModelRequestFields=extra))
        return [block["toolUse"]["name"] for block in found if "toolUse" in block]

    assert names({"tool": {"name": "get_time"}}) == ["get_time"] * 1
    assert names({"auto": {}}) == ["get_weather", "get_time"]
    assert names(tool_choice={"type": "none"}) == []
    assert names(tool_choice={"type": "auto", "disable_parallel_tool_use": True}) == ["get_weather"]


def test_structured_output(client: Any) -> None:
    structure = {"jsonSchema": {"schema": json.dumps(CITY), "name": "a"}}
    wanted = {"textFormat": {"type": "json_schema", "structure": structure}}
    (block,) = said(whole(client, outputConfig=wanted))
    assert json.loads(block["text"]) == {"city": "Rome"}


def test_the_stop_sequence_is_told_where_asked(client: Any) -> None:
    config: Json = {"inferenceConfig": {"stopSequences": [" there"]}}
    one = whole(client, additionalModelResponseFieldPaths=["/stop_sequence"], **config)
    assert (one["stopReason"], one["additionalModelResponseFields"]) == ("stop_sequence", {"stop_sequence": " there"})
    stop = events(client, additionalModelResponseFieldPaths=["/delta/stop_sequence"], **config)[-2]["messageStop"]
    assert stop["additionalModelResponseFields"] == {"delta": {"stop_sequence": " there"}}


def test_cache_points(client: Any) -> None:
    tools = [{"toolSpec": {"name": "f", "description": "cache test " * 30, "inputSchema": {"json": CITY}}}, POINT]
    body: Json = {"toolConfig": {"tools": tools}}
    first, second = whole(client, **body)["usage"], whole(client, **body)["usage"]
    assert first["cacheReadInputTokens"] == 0 < first["cacheWriteInputTokens"]
    assert second["cacheReadInputTokens"] == first["cacheWriteInputTokens"]
    assert (second["cacheWriteInputTokens"], second["inputTokens"]) == (0, first["inputTokens"])
    assert "cacheReadInputTokens" not in whole(client)["usage"]


def test_count_tokens(client: Any) -> None:
    counted = client.count_tokens(modelId="agent", input={"converse": {"messages": HI, **CONFIG}})
    assert counted["inputTokens"] == whole(client, **CONFIG)["usage"]["inputTokens"]
    with pytest.raises(ClientError, match="doesn't support counting tokens"):
        client.count_tokens(modelId="agent-nova-pro", input={"converse": {"messages": HI}})


ERRORS: list[tuple[str, int, str]] = [
    ("fault-400", 400, "ValidationException"),
    ("fault-403", 403, "AccessDeniedException"),
    ("fault-404", 404, "ResourceNotFoundException"),
    ("fault-408", 408, "ModelTimeoutException"),
    ("fault-424", 424, "ModelErrorException"),
    ("fault-429", 429, "ThrottlingException"),
    ("fault-500", 500, "InternalServerException"),
    ("fault-503", 503, "ServiceUnavailableException"),
    ("fault-529", 529, "ServiceUnavailableException"),
    ("fault-quota", 400, "ServiceQuotaExceededException"),
    ("fault-context", 400, "ValidationException"),
    ("fault-auth", 403, "UnrecognizedClientException"),
    ("nobody", 400, "ValidationException"),
]


@pytest.mark.parametrize("call", [whole, events])
@pytest.mark.parametrize(("model", "status", "code"), ERRORS)
def test_errors(client: Any, model: str, status: int, code: str, call: Any) -> None:
    with pytest.raises(ClientError) as caught:
        call(client, model)
    answer = caught.value.response
    assert (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]) == (status, code)
    assert answer["ResponseMetadata"]["HTTPHeaders"].get("retry-after") == ("1" if status == 429 else None)


def test_words_that_clients_look_for(client: Any) -> None:
    for model, words in (("fault-context", "Input is too long"), ("nobody", "provided model identifier is invalid")):
        with pytest.raises(ClientError, match=words):
            whole(client, model)


def test_a_broken_rule_is_a_validation_exception(client: Any) -> None:
    with pytest.raises(client.exceptions.ValidationException, match=r"content\.0 is blank"):
        whole(client, messages=[{"role": "user", "content": [{"text": " "}]}])


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"aws_secret_access_key": "x"}, "InvalidSignatureException"),
        ({"aws_access_key_id": "AKIDOTHER"}, "UnrecognizedClientException"),
        ({"aws_session_token": "expired-token"}, "ExpiredTokenException"),
    ],
)
def test_other_keys(emulation: Emulation, keys: Json, code: str) -> None:
    with pytest.raises(ClientError) as caught:
        whole(client_of(emulation, **keys))
    assert caught.value.response["Error"]["Code"] == code


@pytest.mark.parametrize("model", ["agent", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"])
def test_session_tokens_and_names_with_colons(emulation: Emulation, model: str) -> None:
    assert said(whole(client_of(emulation, aws_session_token="t"), model)) == [{"text": "You said: hi there"}]


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 403, "MissingAuthenticationTokenException"),
        ({"authorization": "Bearer bad-key"}, 403, "AccessDeniedException"),
        ({"authorization": "Bearer k"}, 200, ""),
    ],
)
def test_bearer_keys(emulation: Emulation, headers: dict[str, str], status: int, code: str) -> None:
    url = emulation.base_url("bedrock-converse") + "/model/agent/converse"
    answer = httpx2.post(url, headers=headers, json={"messages": HI})
    assert answer.status_code == status
    assert answer.headers.get("x-amzn-errortype", "").partition(":")[0] == code


def test_a_model_is_one_segment(emulation: Emulation) -> None:
    base, headers = emulation.base_url("bedrock-converse"), {"authorization": "Bearer k"}
    arn = "agent-arn:aws:bedrock:us-east-1:1:inference-profile%2Fus.anthropic.claude-opus-4-5"
    assert httpx2.post(f"{base}/model/{arn}/converse", headers=headers, json={"messages": HI}).status_code == 200
    answer = httpx2.post(f"{base}/model/agent-a/b/converse", headers=headers, json={"messages": HI})
    assert (answer.status_code, answer.headers["x-amzn-errortype"][:25]) == (404, "UnknownOperationException")
    assert httpx2.post(f"{base}/model/agent/converse", headers=headers, content=b"{").status_code == 400


def test_a_signature_over_the_path_as_it_was_sent(emulation: Emulation) -> None:
    """A colon that is sent raw is signed raw."""
    url = emulation.base_url("bedrock-converse") + "/model/agent-claude-v1:0/converse"
    body = json.dumps({"messages": HI}).encode()
    request: Any = AWSRequest("POST", url, {"content-type": "application/json"}, body)
    SigV4Auth(Credentials("AKIDEMULATED", "emulated-secret"), "bedrock", "us-east-1").add_auth(request)
    assert httpx2.post(url, headers=dict(request.headers), content=body).status_code == 200


def test_refusal_and_empty(client: Any) -> None:
    for model, blocks, reason in (
        ("fault-refusal", [{"text": "I can't help with that."}], "content_filtered"),
        ("fault-empty", [], "end_turn"),
    ):
        one, found = whole(client, model, **CONFIG), events(client, model, **CONFIG)
        assert said(one) == added(found) == blocks
        assert one["stopReason"] == found[-2]["messageStop"]["stopReason"] == reason


def test_bad_arguments(client: Any) -> None:
    one, found = whole(client, "fault-bad-arguments", **CONFIG), events(client, "fault-bad-arguments", **CONFIG)
    assert one["stopReason"] == found[-2]["messageStop"]["stopReason"] == "malformed_tool_use"
    assert said(one) == added(found) == [{"text": "I will use get_weather, get_time."}]


def test_malformed(client: Any) -> None:
    assert "output" not in whole(client, "fault-malformed")
    with pytest.raises(ChecksumMismatch):
        events(client, "fault-malformed")


def test_error_before_content(client: Any) -> None:
    with pytest.raises(ClientError):
        whole(client, "fault-error-first")
    with pytest.raises(EventStreamError, match="internalServerException"):
        events(client, "fault-error-first")


@pytest.mark.parametrize(
    ("quirk", "code"),
    [
        ("throttled-late", "throttlingException"),
        ("model-error-late", "modelStreamErrorException"),
        ("error-message-late", "InternalFailure"),
    ],
)
def test_exceptions_after_content(client: Any, quirk: str, code: str) -> None:
    found: list[Json] = []
    with pytest.raises(EventStreamError, match=code):
        found.extend(client.converse_stream(modelId=f"quirk-{quirk}", messages=HI)["stream"])
    assert added(found) == [{"text": "You said: hi"}]


def texts(client: Any, model: str, found: list[str]) -> None:
    for event in client.converse_stream(modelId=model, messages=HI)["stream"]:
        if "contentBlockDelta" in event:
            found.append(event["contentBlockDelta"]["delta"]["text"])


def test_cut(client: Any) -> None:
    assert "output" not in whole(client, "fault-cut")
    found = events(client, "fault-cut")
    assert added(found) == [{"text": "You said: hi there"}]
    assert next(iter(found[-1])) == "contentBlockStop"


def test_reset_and_stall(emulation: Emulation) -> None:
    impatient = client_of(emulation, timeout=0.3)
    for model, error in (
        ("fault-reset", urllib3.exceptions.ProtocolError),
        ("fault-stall", urllib3.exceptions.ReadTimeoutError),
    ):
        found: list[str] = []
        with pytest.raises(error):
            texts(impatient, model, found)
        assert found == ["You said: hi"]
    with pytest.raises((ReadTimeoutError, ConnectionClosedError)):
        whole(impatient, "fault-silent")


def test_flaky(client: Any) -> None:
    for _ in range(2):
        with pytest.raises(ClientError):
            whole(client, "flaky-2", requestMetadata={"test": "flaky"})
    assert whole(client, "flaky-2", requestMetadata={"test": "flaky"})["stopReason"] == "end_turn"


@pytest.mark.parametrize("quirk", ["metadata-first", "no-metadata", "unknown-events", "citations", "no-message-start"])
def test_what_boto_forgives(client: Any, quirk: str) -> None:
    found: list[str] = []
    for event in events(client, f"quirk-{quirk}"):
        found.append(event.get("contentBlockDelta", {}).get("delta", {}).get("text", ""))
    assert "".join(found) == "You said: hi there"
