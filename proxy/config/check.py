"""A parsed config against the published schema: every deviation becomes one problem, told in the user's words."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from proxy.config.foreign import alias, hint
from proxy.config.nodes import Document, scalar
from proxy.config.problem import Path, nearest, quoted, suggestion
from proxy.config.schema import schema

_KINDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "empty",
}


def _pattern(validator: Any, rule: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    """As JSON Schema means it: `$` is the very end, where Python's also stands before a last line break."""
    if isinstance(value, str) and not re.search(rule.removesuffix("$") + r"\Z" if rule.endswith("$") else rule, value):
        yield ValidationError(f"does not match {rule}")


def _is_whole(_checker: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {"pattern": _pattern},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


@lru_cache(1)
def _validator() -> Any:
    return _Validator(schema())


def check(document: Document) -> None:
    """Adds what the schema finds to the document's problems.

    A value that was one reference alone counts as the YAML scalar that its text spells where the schema asks for one.
    A misspelt key is told, and its value checked as that of the key that was meant.
    An entry without a value (`--no-env`) is never at fault; where its type would be, it is taken out of the data.
    """
    _respelt(document)
    errors = list(_innermost(document.data))
    if _read_scalars(document, errors):
        errors = list(_innermost(document.data))
    told: set[tuple[Path, str]] = set()
    for error in errors:
        path = tuple(error.absolute_path)
        if path in document.unknown:
            _forgive(document, error, path)
            continue
        for place, message in _told(error, path, document):
            if (place, message) not in told:
                told.add((place, message))
                document.problem(place, message)


def _respelt(document: Document) -> None:
    """Tells of keys that are others misspelt, and takes them as those, so that what is beneath is checked too."""
    found = True
    while found:
        found = False
        for error in list(_innermost(document.data)):  # none has a misspelt key in its path
            if error.validator != "additionalProperties":
                continue
            around: Any = error.schema
            value: Any = error.instance
            path, known = tuple(error.absolute_path), around["properties"]
            for key in list(value):
                other = alias(key, known) or nearest(key, known) if key not in known and hint(key) is None else None
                if other is not None and other not in value:
                    document.problem((*path, key), _unknown(key, known))
                    document.taken(path, key, other)
                    found = True


def _unknown(key: str, known: Mapping[str, Any]) -> str:
    if (told := hint(key)) is not None:
        return f"no key {quoted(key)} here: {told}"
    if (other := alias(key, known)) is not None:
        return f"no key {quoted(key)} here: it is {quoted(other)}"
    return f"no key {quoted(key)} here{suggestion(key, known)}"


def _innermost(data: Any) -> Iterator[ValidationError]:
    for error in _validator().iter_errors(data):
        yield from _branch(error)


def _branch(error: ValidationError) -> list[ValidationError]:
    """Of several alternatives the one for lists says what is wrong inside a list."""
    if error.validator != "anyOf" or not isinstance(error.instance, list):
        return [error]
    inside = [inner for inner in error.context or () if len(inner.path) > 0 or inner.validator == "uniqueItems"]
    return inside or [error]


def _read_scalars(document: Document, errors: list[ValidationError]) -> bool:
    changed = False
    for error in errors:
        path = tuple(error.absolute_path)
        if path in document.whole and path not in document.unknown and error.validator in ("type", "enum", "anyOf"):
            try:
                value = scalar(str(error.instance))
            except ValueError:
                continue
            if not isinstance(value, str):
                _holder(document.data, path)[path[-1]] = value
                changed = True
    return changed


def _holder(data: Any, path: Path) -> Any:
    for part in path[:-1]:
        data = data[part]
    return data


def _forgive(document: Document, error: ValidationError, path: Path) -> None:
    """A plain value that is not known is as good as none; where a structure is not known, the data stays partial."""
    holder = _holder(document.data, path)
    if isinstance(holder, dict) and error.validator_value not in ("object", "array"):
        holder.pop(path[-1], None)
    else:
        document.partial = True


def _told(error: ValidationError, path: Path, document: Document) -> Iterator[tuple[Path, str]]:
    rule: Any = error.validator_value
    value: Any = error.instance
    around: Any = error.schema
    match error.validator:
        case "additionalProperties":
            known = around["properties"]
            for key in value:
                if key not in known:
                    yield (*path, key), _unknown(key, known)
        case "required":
            for key in rule:
                if key not in value:
                    yield path, f"{quoted(key)} is missing"
        case "dependentRequired":
            for key, needed in rule.items():
                for other in needed if key in value else ():
                    if other not in value:
                        yield (*path, key), f"needs {quoted(other)} beside it"
        case "pattern" if "propertyNames" in error.absolute_schema_path:
            yield (*path, value), f"{quoted(value)} cannot be a name here{_allowed_names(rule, value)}"
        case "uniqueItems":
            yield from _twice(value, path)
        case _:
            yield path, _about(error, _shown(value, path, document))


def _shown(value: Any, path: Path, document: Document) -> str:
    """The value, or where it came from: what a reference brought is never shown."""
    return document.origin(path) or quoted(value)


def _about(error: ValidationError, shown: str) -> str:
    rule: Any = error.validator_value
    around: Any = error.schema
    match error.validator:
        case "type":
            return _wrong_type(rule, error.instance)
        case "enum" | "anyOf" if around.get("title") == "error type":
            if type(error.instance) in (int, str) and re.search(r"\d", str(error.instance)):
                return f"no HTTP status of an error: {shown} (allowed: 400 to 599, 4xx, 5xx, an error type or all)"
            return f"no error type {shown}{_near(error.instance, around['anyOf'][0]['enum'])}"
        case "enum":
            return f"no such value: {shown}{_near(error.instance, rule)}"
        case "anyOf" if "properties" in around:
            return 'needs "api" or "preset"'
        case "anyOf":
            return f"no such value: {shown} (known: {', '.join(_alternatives(rule))})"
        case "minLength" | "minItems" | "minProperties":
            return "must not be empty"
        case "minimum":
            return f"must be at least {rule}"
        case "exclusiveMinimum":
            return f"must be more than {rule}"
        case "maximum":
            return f"must be at most {rule}"
        case "pattern":
            return str(around.get("patternErrorMessage", f"must match {rule}"))
    return str(error.message)


def _wrong_type(rule: Any, value: Any) -> str:
    wanted = " or ".join(_KINDS[kind] for kind in ([rule] if isinstance(rule, str) else rule))
    match value:
        case None:
            return f"has no value; must be {wanted}"
        case bool() | int() | float() if "text" in wanted:
            return f"must be {wanted}: put it in quotes"
        case str() if "text" not in wanted:
            return f"must be {wanted}, not text"
    kind = {dict: "object", list: "array", bool: "boolean", int: "integer", float: "number"}[type(value)]
    return f"must be {wanted}, not {_KINDS[kind]}"


def _near(value: Any, known: list[Any]) -> str:
    words = [word for word in known if isinstance(word, str)]
    if isinstance(value, str) and len(words) == len(known):
        return suggestion(value, words)
    told = sorted(words) if len(words) == len(known) else map(_plain, known)
    return f" (known: {', '.join(told)})"


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else quoted(value)


def _alternatives(branches: list[Any]) -> list[str]:
    told: list[str] = []
    for branch in branches:
        if branch.get("type") == "array":
            told.append("a list")
        elif branch.get("type") == "integer":
            told.append("a whole number from 1")
        else:
            told.extend(map(_plain, branch["enum"]))
    return told


def _allowed_names(rule: str, name: str) -> str:
    words = rule.removeprefix("^(").removesuffix(")$").split("|")
    return suggestion(name, words) if len(words) > 1 and rule.startswith("^(") else ""


def _twice(items: list[Any], path: Path) -> Iterator[tuple[Path, str]]:
    for index, item in enumerate(items):
        if item in items[:index]:
            yield (*path, index), "is listed twice"
