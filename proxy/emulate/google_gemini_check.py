"""What generateContent refuses beside contents: tools, their configuration, output, thinking (google-gemini §2–§7)."""

from __future__ import annotations

import json
from typing import Any

from proxy.emulate.google_gemini_contents import NAME, NAME_RULE, check_contents, check_parts
from proxy.emulate.google_gemini_families import (
    JSON_WITH_TOOLS,
    MIXED,
    PENALTIES,
    SYSTEM,
    VALIDATED,
    Family,
    family,
)
from proxy.emulate.google_gemini_messages import read_request
from proxy.emulate.google_gemini_proto import Problem
from proxy.emulate.google_gemini_schemas import check_json_schema, check_root, check_schema
from proxy.emulate.google_gemini_signatures import check_signatures

Json = Any

MOST_DECLARATIONS = 512
MIME_TYPES = ("text/plain", "application/json", "text/x.enum")


def check(body: Json, name: str = "", *, vertex: bool = False) -> Json:
    """The request in one spelling. Raises Problem for the first rule that is broken; `name` is the model's family."""
    try:
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Problem("Invalid JSON payload received. Unexpected end of string: not valid UTF-8.") from None
    found, model = read_request(body, vertex), family(name)
    contents: list[Json] = found.setdefault("contents", [])
    check_contents(contents, model, vertex)
    _check_system(found, model, vertex)
    _check_cache(found)
    _check_tools(found, model, vertex)
    _check_calling(found, model)
    _check_config(found.get("generationConfig") or {}, model)
    _check_output(found, model, vertex)
    _check_thinking((found.get("generationConfig") or {}).get("thinkingConfig") or {}, model)
    check_signatures(contents, model, "vertex" if vertex else "gemini")
    return found


def _problem(path: str, text: str) -> Problem:
    return Problem(f"* GenerateContentRequest.{path}: {text}", field=path)


def _check_system(body: Json, model: Family, vertex: bool) -> None:
    if "systemInstruction" not in body:
        return
    if SYSTEM not in model.can:
        raise Problem("Developer instruction is not enabled for this model", field="system_instruction")
    check_parts(body["systemInstruction"], "system_instruction", model, vertex)
    if any("text" not in part for part in body["systemInstruction"]["parts"]):
        raise _problem("system_instruction", "only text is supported")


def _check_cache(body: Json) -> None:
    """Nothing is cached by name here."""
    if not body.get("cachedContent"):
        return
    if body.keys() & {"systemInstruction", "tools", "toolConfig"}:
        text = "CachedContent can not be used with GenerateContent request setting system_instruction, tools or"
        raise Problem(f"{text} tool_config.", field="cached_content")
    raise Problem("CachedContent not found (or permission denied)", "PERMISSION_DENIED")


# tools


def declarations(body: Json) -> list[Json]:
    """All functions of a request."""
    return [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations") or []]


def _check_tools(body: Json, model: Family, vertex: bool) -> None:
    built_in = [name for tool in body.get("tools") or [] for name in tool if name != "functionDeclarations"]
    for index, tool in enumerate(body.get("tools") or []):
        for at, one in enumerate(tool.get("functionDeclarations") or []):
            _check_declaration(one, f"tools[{index}].function_declarations[{at}]", vertex)
    names = [one["name"] for one in declarations(body)]
    for name in names:
        if names.count(name) > 1:
            raise Problem(f"Duplicate function declaration found: {name}", field="tools")
    if len(names) > MOST_DECLARATIONS:
        raise _problem("tools", f"at most {MOST_DECLARATIONS} function declarations are supported")
    allows = bool((body.get("toolConfig") or {}).get("includeServerSideToolInvocations"))
    if allows and MIXED not in model.can:
        raise _problem("tool_config.include_server_side_tool_invocations", "is not supported for this model")
    if names and built_in and MIXED not in model.can:
        raise Problem("Multiple tools are supported only when they are all search tools.", field="tools")
    if names and built_in and not vertex and not allows:
        text = "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function"
        raise Problem(f"{text} calling.", field="tool_config")


def _check_declaration(one: Json, path: str, vertex: bool) -> None:
    if not NAME.fullmatch(one.setdefault("name", "")):
        raise _problem(f"{path}.name", NAME_RULE)
    for plain, real in (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")):
        if plain in one and real in one:
            raise _problem(f"{path}.{plain}", f"{plain} and {real} are mutually exclusive")
    if "parameters" in one:
        check_root(one["parameters"], f"{path}.parameters", vertex)
    if "parametersJsonSchema" in one:
        check_json_schema(one["parametersJsonSchema"], f"{path}.parameters_json_schema", is_function=True)
    if "response" in one:
        check_schema(one["response"], f"{path}.response", vertex)


def _check_calling(body: Json, model: Family) -> None:
    calling, path = (body.get("toolConfig") or {}).get("functionCallingConfig"), "tool_config.function_calling_config"
    if calling is None:
        return
    names, mode = [one["name"] for one in declarations(body)], calling.get("mode", "AUTO")
    if not names:
        raise Problem("Function calling config is set without function_declarations.", field=path)
    if mode == "VALIDATED" and VALIDATED not in model.can:
        raise _problem(f"{path}.mode", "VALIDATED is not supported for this model")
    if calling.get("allowedFunctionNames") and mode not in ("ANY", "VALIDATED"):
        text = "should only be set when the function calling mode is ANY or VALIDATED"
        raise _problem(f"{path}.allowed_function_names", text)
    for name in calling.get("allowedFunctionNames") or []:
        if name not in names:
            raise _problem(f"{path}.allowed_function_names", f"'{name}' is not declared in function_declarations")


# generation


def _check_config(config: Json, model: Family) -> None:
    at = "generation_config."
    if not 1 <= config.get("candidateCount", 1) <= model.most:
        text = f"must be in the range of [1, {model.most}]"
        raise _problem(f"{at}candidate_count", text if model.most > 1 else "Multiple candidates is not enabled")
    if config.get("maxOutputTokens", 1) < 1:
        raise _problem(f"{at}max_output_tokens", "must be positive")
    if not 0 <= config.get("temperature", 1) <= 2:
        raise _problem(f"{at}temperature", "must be in the range of [0.0, 2.0]")
    if not 0 <= config.get("topP", 1) <= 1:
        raise _problem(f"{at}top_p", "must be in the range of [0.0, 1.0]")
    if len(config.get("stopSequences") or []) > 5:
        raise _problem(f"{at}stop_sequences", "at most 5 stop sequences are supported")
    if config.keys() & {"presencePenalty", "frequencyPenalty"} and PENALTIES not in model.can:
        raise Problem("Penalty is not enabled for this model", field=f"{at}presence_penalty")
    if "logprobs" in config and not config.get("responseLogprobs"):
        raise _problem(f"{at}logprobs", "response_logprobs must be set")
    if not 0 <= config.get("logprobs", 0) <= 20:
        raise _problem(f"{at}logprobs", "must be in the range of [0, 20]")


def _check_output(body: Json, model: Family, vertex: bool) -> None:
    config: Json = body.get("generationConfig") or {}
    at, mime = "generation_config.", config.get("responseMimeType", "text/plain")
    schemas = [name for name in ("responseSchema", "responseJsonSchema") if name in config]
    if mime not in MIME_TYPES:
        raise _problem(f"{at}response_mime_type", f"allowed mimetypes are {', '.join(MIME_TYPES)}")
    if len(schemas) > 1:
        raise _problem(f"{at}response_json_schema", "only one of response_schema and response_json_schema may be set")
    if schemas and mime == "text/plain":
        text = "Response schema is supported only with response mime types application/json and text/x.enum"
        raise _problem(f"{at}response_schema", text)
    if "responseSchema" in config:
        check_schema(config["responseSchema"], f"{at}response_schema", vertex)
    if "responseJsonSchema" in config:
        check_json_schema(config["responseJsonSchema"], f"{at}response_json_schema", is_function=False)
    if mime != "text/plain" and body.get("tools") and JSON_WITH_TOOLS not in model.can:
        word = "Function calling" if declarations(body) else "Tool use"
        raise Problem(f"{word} with a response mime type: '{mime}' is unsupported", field=f"{at}response_mime_type")


def _check_thinking(thinking: Json, model: Family) -> None:
    if not thinking:
        return
    level, budget, at = thinking.get("thinkingLevel"), thinking.get("thinkingBudget"), "generation_config."
    if not model.levels and model.budget is None:
        raise Problem("Thinking is not enabled for this model", field=f"{at}thinking_config")
    if level is not None and budget is not None:
        raise Problem("You can only set only one of thinking budget and thinking level.", field=f"{at}thinking_config")
    if level is not None and not model.levels:
        raise Problem("Thinking level is not supported for this model.", field=f"{at}thinking_config")
    if level is not None and level not in model.levels:
        text = f"Thinking level {level} is not supported for this model. Please retry with other thinking level."
        raise Problem(text, field=f"{at}thinking_config")
    if budget in (None, -1) or model.budget is None:
        return
    if budget == 0:
        if not model.off:
            raise Problem("Budget 0 is invalid. This model only works in thinking mode.", field=f"{at}thinking_config")
        return
    low, high = model.budget
    if not low <= budget <= high:
        text = f"The thinking budget {budget} is invalid. Please choose a value between {low} and {high}."
        raise Problem(text, field=f"{at}thinking_config")
