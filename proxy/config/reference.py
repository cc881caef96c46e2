"""`python -m proxy.config.reference` prints docs/config.md, made from the schema, the compat flags and the presets."""

import json
from collections.abc import Iterator
from typing import Any

from adapters.compat import APIS, BASE_URLS, FLAGS, PATHS, TEXT_FORMS
from adapters.presets import PRESETS, Preset
from proxy.config.schema import schema

Node = dict[str, Any]

INTRO = """\
# Configuration

This page is made from the schema: `python -m proxy.config.reference > docs/config.md`.
`toolwire check FILE` validates a file, `toolwire schema` prints the JSON Schema for editors.

One YAML 1.2 file. Unknown and duplicate keys are errors. In every text value `${NAME}` and `${NAME:-default}` take from
the environment and `${file:PATH}` from a file, relative to the config file; what is missing is an error that names it.
A value that is one reference and nothing else may stand for a number, `true`, `false` or `null` too. `$${` is a plain
`${`.

```yaml
server: {port: 4100}
clients:
  - {name: team-a, key: "${TEAM_A_KEY}"}
providers:
  anthropic: {api: anthropic-messages, api_key: "${ANTHROPIC_API_KEY}"}
  openai: {api: openai-responses, api_key: "${OPENAI_API_KEY}"}
models:
  smart:
    target: anthropic/claude-opus-4-5
    fallbacks:
      - {target: openai/gpt-4o, on_errors: [rate_limit_error, overloaded_error]}
```
"""

KEYS = """\
## Keys

`NAME` stands for a name of your own, `[]` for each element of a list. A target is `provider/model`.
"""

FLAGS_INTRO = """\
## Compat flags

`compat` of a provider, or of one of its `models`, says how a host differs from others that speak the same API. The
defaults are for a host nobody knows; a preset sets them for a known one, and `openai-*` without a base URL, or with one
of a preset's hosts, is that preset. What is configured wins.
"""


def reference() -> str:
    """The whole page."""
    return "\n".join(
        [INTRO, KEYS, *_keys(), "", "## APIs", "", *_apis(), "", FLAGS_INTRO, *_flags(), "## Presets", "", *_presets()]
    )


def keys() -> Iterator[tuple[str, Node]]:
    """Every key that a config may have, as a dotted path, with its schema. Compat flags apart: they go by API."""
    top = schema()
    yield from _walk("", top, top["$defs"], ())


def _walk(prefix: str, node: Node, definitions: Node, within: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        if name in within:
            return
        node, within = {**definitions[name], **node}, (*within, name)
        node.pop("$ref")
    for name, value in node.get("properties", {}).items():
        path = f"{prefix}.{name}".lstrip(".")
        yield path, {**_definition(value, definitions), **value}
        yield from _walk(path, value, definitions, within)
    if isinstance(node.get("additionalProperties"), dict):
        yield from _walk(f"{prefix}.NAME", node["additionalProperties"], definitions, within)
    if "items" in node:
        yield from _walk(f"{prefix}[]", node["items"], definitions, within)


def _definition(node: Node, definitions: Node) -> Node:
    found: Node = definitions[node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else {}
    return found


def _keys() -> Iterator[str]:
    yield from _table("Key", "Type", "Default", "Meaning")
    for path, node in keys():
        yield _row(f"`{path}`", _type(node), _shown(node), _meaning(node))


def _meaning(node: Node) -> str:
    limits = [
        f"{word} {node[key]}"
        for key, word in (("exclusiveMinimum", "more than"), ("minimum", "at least"), ("maximum", "at most"))
        if key in node
    ]
    return f"{node['description']} {', '.join(limits).capitalize()}{'.' if limits else ''}".strip()


def _type(node: Node) -> str:
    if "enum" in node:
        return ", ".join(f"`{_value(value)}`" for value in node["enum"])
    if "anyOf" in node and "type" not in node:
        return ", ".join(_type(branch) for branch in node["anyOf"])
    kinds = node.get("type", "")
    words = {
        "object": "mapping",
        "array": "list",
        "string": "text",
        "integer": "whole number",
        "boolean": "true, false",
    }
    return " or ".join(words.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _shown(node: Node) -> str:
    return f"`{_value(node['default'])}`" if "default" in node else ""


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return value if isinstance(value, str) and value != "*" else json.dumps(value)


def _apis() -> Iterator[str]:
    yield from _table("API", "Base URL", "Appended")
    for api in APIS:
        yield _row(f"`{api}`", f"`{BASE_URLS[api]}`", f"`{PATHS[api][0]}`")


def _flags() -> Iterator[str]:
    definitions = schema()["$defs"]
    for api in APIS:
        yield f"### {api}\n"
        yield from _table("Flag", "Values", "Default", "Meaning")
        for flag in FLAGS[api]:
            node = definitions[f"compat-{api}"]["properties"][flag.name]
            values = "list of text forms" if flag.words is TEXT_FORMS else "list" if flag.words is not None else ""
            shown = ", ".join(filter(None, [_values(node), values]))
            yield _row(f"`{flag.name}`", shown, _shown(node), flag.doc)
        yield ""
    yield f"Text forms: {', '.join(f'`{form}`' for form in TEXT_FORMS)}.\n"


def _values(node: Node) -> str:
    branches = [branch for branch in node.get("anyOf", [node]) if branch.get("type") != "array"]
    return ", ".join(map(_type, branches))


def _presets() -> Iterator[str]:
    yield from _table("Preset", "API", "Base URL", "Flags that differ", "Note")
    for name, preset in PRESETS.items():
        base_url = f"`{preset.base_url}`" if preset.base_url else f"yours: `{preset.example}`"
        yield _row(f"`{name}`", ", ".join(f"`{api}`" for api in preset.compat), base_url, _differ(preset), preset.note)
    yield ""
    yield "The first API of a preset is the one taken where `api` is not set. Looked at in 2026-11."


def _differ(preset: Preset) -> str:
    told = [f"`{flag}: {_flag(value)}`" for flag, value in preset.compat[preset.api].items()]
    for pattern, facts in preset.models.items():
        told += [f"{pattern}: `{flag}: {_flag(value)}`" for flag, value in facts.compat[preset.api].items()]
    return ", ".join(told)


def _flag(value: Any) -> str:
    return _value(list(value) if isinstance(value, tuple) else value)


def _table(*heads: str) -> Iterator[str]:
    yield _row(*heads)
    yield _row(*("---" for _ in heads))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


if __name__ == "__main__":
    print(reference())
