"""The messages of generateContent, field by field (google-gemini §2–§7, 2026-11)."""

from __future__ import annotations

from typing import Any

from proxy.emulate.google_gemini_proto import (
    Kind,
    anything,
    boolean,
    enum,
    integer,
    invalid,
    message,
    number,
    octets,
    repeated,
    string,
    struct,
    unknown,
)

Json = Any

INT32, INT64 = integer(32), integer(64)
TYPES = ("TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
MODES = ("MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED")
LEVELS = ("THINKING_LEVEL_UNSPECIFIED", "LOW", "MEDIUM", "HIGH", "MINIMAL", "XHIGH")

DATA = frozenset({
    "text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
    "toolCall", "toolResponse",
})  # fmt: skip


def _bare(kind: str, *names: str) -> Kind:
    """A message whose fields are not looked into."""
    return message(kind, dict.fromkeys(names, anything))


# contents

BLOB: Kind = message("Blob", {"mimeType": string, "data": octets, "displayName": string})
FILE: Kind = message("FileData", {"mimeType": string, "fileUri": string, "displayName": string})

CALL: Kind = message(
    "FunctionCall",
    {"id": string, "name": string, "args": struct, "partialArgs": anything, "willContinue": boolean},
)
RESPONSE: Kind = message(
    "FunctionResponse",
    {
        "id": string,
        "name": string,
        "response": struct,
        "parts": repeated(message("FunctionResponsePart", {"inlineData": BLOB, "fileData": FILE})),
        "willContinue": boolean,
        "scheduling": string,
    },
)

PART: Kind = message(
    "Part",
    {
        "text": string,
        "inlineData": BLOB,
        "fileData": FILE,
        "functionCall": CALL,
        "functionResponse": RESPONSE,
        "executableCode": _bare("ExecutableCode", "language", "code", "id"),
        "codeExecutionResult": _bare("CodeExecutionResult", "outcome", "output", "id"),
        "toolCall": _bare("ToolCall", "id", "toolType", "args"),
        "toolResponse": _bare("ToolResponse", "id", "toolType", "response"),
        "thought": boolean,
        "thoughtSignature": octets,
        "videoMetadata": anything,
        "mediaResolution": anything,
        "partMetadata": struct,
        "audioTranscription": anything,
        "speechMetadata": anything,
        "mediaProcessing": anything,
    },
    DATA,
)
CONTENT: Kind = message("Content", {"role": string, "parts": repeated(PART)})


# schemas


def schema(vertex: bool) -> Kind:
    """The OpenAPI subset. Vertex knows three names more."""
    fields: dict[str, Kind] = {
        "type": enum("Type", *TYPES),
        "format": string,
        "title": string,
        "description": string,
        "nullable": boolean,
        "default": anything,
        "enum": repeated(string),
        "minItems": INT64,
        "maxItems": INT64,
        "required": repeated(string),
        "minProperties": INT64,
        "maxProperties": INT64,
        "minLength": INT64,
        "maxLength": INT64,
        "pattern": string,
        "example": anything,
        "propertyOrdering": repeated(string),
        "minimum": number,
        "maximum": number,
    }

    def read(value: Json, path: str) -> Json:
        return one(value, path)

    def properties(value: Json, path: str) -> Json:
        if not isinstance(value, dict):
            raise invalid(path, "Map", value)
        return {name: read(inner, f"{path}[{index}].value") for index, (name, inner) in enumerate(value.items())}

    fields |= {"items": read, "properties": properties, "anyOf": repeated(read)}
    if vertex:
        fields |= {"additionalProperties": anything, "defs": properties, "ref": string}
    one = message("Schema", fields)
    return read


# tools and configuration


def _declaration(vertex: bool) -> Kind:
    return message(
        "FunctionDeclaration",
        {
            "name": string,
            "description": string,
            "parameters": schema(vertex),
            "parametersJsonSchema": anything,
            "response": schema(vertex),
            "responseJsonSchema": anything,
            "behavior": string,
        },
    )


_COMMON = ("googleSearch", "urlContext", "codeExecution", "googleMaps", "computerUse", "googleSearchRetrieval")
_GEMINI = (*_COMMON, "fileSearch", "mcpServers")
_VERTEX = (*_COMMON, "retrieval", "enterpriseWebSearch", "parallelAiSearch", "exaAiSearch")


def _tool(vertex: bool) -> Kind:
    built_in = dict.fromkeys(_VERTEX if vertex else _GEMINI, anything)
    return message("Tool", {"functionDeclarations": repeated(_declaration(vertex)), **built_in})


def _tool_config(vertex: bool) -> Kind:
    calling: dict[str, Kind] = {"mode": enum("Mode", *MODES), "allowedFunctionNames": repeated(string)}
    if vertex:
        calling["streamFunctionCallArguments"] = boolean
    fields: dict[str, Kind] = {
        "functionCallingConfig": message("FunctionCallingConfig", calling),
        "retrievalConfig": anything,
    }
    if not vertex:
        fields["includeServerSideToolInvocations"] = boolean
    return message("ToolConfig", fields)


_TEXT_FORMAT: Kind = message("TextFormat", {"mimeType": string, "schema": anything})


def _generation_config(vertex: bool) -> Kind:
    fields: dict[str, Kind] = {
        "candidateCount": INT32,
        "stopSequences": repeated(string),
        "maxOutputTokens": INT32,
        "temperature": number,
        "topP": number,
        "topK": number,
        "seed": INT32,
        "presencePenalty": number,
        "frequencyPenalty": number,
        "responseLogprobs": boolean,
        "logprobs": INT32,
        "responseMimeType": string,
        "responseSchema": schema(vertex),
        "responseJsonSchema": anything,
        "responseFormat": repeated(message("ResponseFormat", {"text": _TEXT_FORMAT})),
        "responseModalities": repeated(string),
        "speechConfig": anything,
        "imageConfig": anything,
        "mediaResolution": string,
        "enableEnhancedCivicAnswers": boolean,
        "thinkingConfig": message(
            "ThinkingConfig",
            {"includeThoughts": boolean, "thinkingBudget": INT32, "thinkingLevel": enum("ThinkingLevel", *LEVELS)},
        ),
    }
    if vertex:
        fields |= {"audioTimestamp": boolean, "routingConfig": anything}
    return message("GenerationConfig", fields)


def request(vertex: bool) -> Kind:
    """GenerateContentRequest."""
    safety: dict[str, Kind] = {"category": string, "threshold": string}
    fields: dict[str, Kind] = {
        "model": string,
        "contents": repeated(CONTENT),
        "systemInstruction": CONTENT,
        "tools": repeated(_tool(vertex)),
        "toolConfig": _tool_config(vertex),
        "safetySettings": repeated(message("SafetySetting", safety | ({"method": string} if vertex else {}))),
        "generationConfig": _generation_config(vertex),
        "cachedContent": string,
        "labels": struct,
        "serviceTier": string,
        "continuationToken": string,
    }
    fields |= {"modelArmorConfig": anything, "outputConfig": anything} if vertex else {"store": boolean}
    return message("GenerateContentRequest", fields)


GEMINI, VERTEX = request(False), request(True)


def read_request(body: Json, vertex: bool) -> Json:
    """The request in one spelling."""
    if isinstance(body, list):
        raise unknown("", "", "Root element must be a message.")
    return (VERTEX if vertex else GEMINI)(body, "")
