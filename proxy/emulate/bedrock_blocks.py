"""The content blocks of Converse, each by itself (bedrock-converse §3–§6, §8, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.bedrock_rules import (
    Problem,
    Rule,
    anything,
    array,
    blob,
    boolean,
    document,
    mapping,
    one_of,
    record,
    string,
    union,
)

Json = Any

TOOL_NAME = string(1, 64, r"[a-zA-Z0-9_-]+")
ID = string(1, 64, r"[a-zA-Z0-9_.:-]+")
IMAGES = ("png", "jpeg", "gif", "webp")
DOCUMENTS = ("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md")
DOCUMENT_NAME = r"[a-zA-Z0-9\-()\[\]]+(?: [a-zA-Z0-9\-()\[\]]+)*"
CACHE_POINT: Rule = record({"type": one_of("default"), "ttl": one_of("5m", "1h")}, "type")

_S3: Rule = record({"uri": string(1), "bucketOwner": string()}, "uri")
_BYTES: dict[str, Rule] = {"bytes": blob, "s3Location": _S3}


def text(value: Json, path: str) -> None:
    """A text that is not blank."""
    string()(value, path)
    if not value.strip():
        where = path.removesuffix(".text")
        raise Problem(
            f"The text field in the ContentBlock object at {where} is blank. Add text to the text field, and try again."
        )


def _name(value: Json, path: str) -> None:
    """A document's name: no dot."""
    string(1, 200)(value, path)
    string(pattern=DOCUMENT_NAME)(value, path)


_TEXTS: Rule = record({"text": text}, "text")
IMAGE: Rule = record({"format": one_of(*IMAGES), "source": union("ImageSource", _BYTES)}, "format", "source")
DOCUMENT: Rule = record(
    {
        "format": one_of(*DOCUMENTS),
        "name": _name,
        "source": union("DocumentSource", {**_BYTES, "text": text, "content": array(_TEXTS, 1)}),
        "context": string(),
        "citations": record({"enabled": boolean}, "enabled"),
    },
    "name", "source",
)  # fmt: skip
_MEDIA: Rule = record({"format": string(1), "source": union("MediaSource", _BYTES)}, "format", "source")

RESULT: Rule = union(
    "ToolResultContentBlock",
    {
        "text": text,
        "json": document,
        "image": IMAGE,
        "document": DOCUMENT,
        "video": _MEDIA,
        "searchResult": mapping,
    },
)
TOOL_RESULT: Rule = record(
    {
        "toolUseId": ID,
        "content": array(RESULT, 1),
        "status": one_of("success", "error"),
        "type": string(),
    },
    "toolUseId", "content",
)  # fmt: skip
TOOL_USE: Rule = record(
    {"toolUseId": ID, "name": TOOL_NAME, "input": document, "type": one_of("server_tool_use")},
    "toolUseId", "name", "input",
)  # fmt: skip
REASONING: Rule = union(
    "ReasoningContentBlock",
    {"reasoningText": record({"text": string(), "signature": string()}, "text"), "redactedContent": blob},
)

BLOCK: Rule = union(
    "ContentBlock",
    {
        "text": text,
        "image": IMAGE,
        "document": DOCUMENT,
        "video": _MEDIA,
        "audio": _MEDIA,
        "toolUse": TOOL_USE,
        "toolResult": TOOL_RESULT,
        "reasoningContent": REASONING,
        "cachePoint": CACHE_POINT,
        "guardContent": mapping,
        "citationsContent": mapping,
        "searchResult": mapping,
    },
)
MESSAGE: Rule = record({"role": one_of("user", "assistant", "system"), "content": array(BLOCK)}, "role", "content")
SYSTEM: Rule = array(
    union("SystemContentBlock", {"text": string(1), "cachePoint": CACHE_POINT, "guardContent": anything})
)


def kind(block: Json) -> str:
    """The one member of a checked block."""
    return next(str(name) for name, member in block.items() if member is not None)
