"""The published schema is a valid one, says every key, and is what the check uses."""

import json

import pytest
from jsonschema import Draft202012Validator

from adapters.compat import APIS, FLAGS
from adapters.errors import ERROR_TYPES
from adapters.presets import PRESETS
from proxy.config.schema import schema

SCHEMA = schema()


def test_it_is_a_schema_of_its_draft():
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def properties(node: object, path: tuple[str, ...] = ()):
    """Every property of every object in the schema, with its description."""
    if isinstance(node, dict):
        for name, value in node.get("properties", {}).items():
            if "if" not in path and "then" not in path:
                yield (*path, name), value
        for key, value in node.items():
            yield from properties(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from properties(value, (*path, str(index)))


def resolved(node: dict) -> dict:
    return {**SCHEMA["$defs"][node["$ref"].rsplit("/", 1)[1]], **node} if "$ref" in node else node


@pytest.mark.parametrize(("path", "node"), list(properties(SCHEMA)))
def test_every_key_has_a_description(path, node):
    assert resolved(node).get("description", "").endswith("."), path


def test_it_names_everything():
    text = json.dumps(SCHEMA)
    for word in (*APIS, *PRESETS, *ERROR_TYPES):
        assert f'"{word}"' in text
    for api in APIS:
        assert set(SCHEMA["$defs"][f"compat-{api}"]["properties"]) == {flag.name for flag in FLAGS[api]}


VALID = {
    "providers": {"d": {"preset": "deepseek", "compat": {"tool_choice": "full"}}},
    "models": {"m": {"target": "d/x", "fallbacks": ["d/y", {"target": ["d/z"], "on_errors": [429, "5xx", "all"]}]}},
}


def test_a_plain_validator_agrees():
    validator = Draft202012Validator(SCHEMA)
    assert list(validator.iter_errors(VALID)) == []
    wrong = {**VALID, "providers": {"d": {"preset": "deepseek", "compat": {"cache": "auto"}}}}
    assert len(list(validator.iter_errors(wrong))) == 1


def test_defaults_fit_their_own_schema():
    for path, node in properties(SCHEMA):
        if "default" in node:
            own = {**SCHEMA, **resolved(node)} if "$ref" in json.dumps(node) else node
            assert Draft202012Validator(own).is_valid(node["default"]), path
