"""A tool call's arguments against the tool's own schema.

The schema is a client's: it is checked in its canonical form (draft 2020-12, whatever it was written in; `format` is a
remark), never fetches anything, and is asked only as much as `cost` says it can bear. What cannot be judged is
`Unchecked`: no schema and no argument text raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import Any, NoReturn

from jsonschema_rs import Draft202012Validator, FancyRegexOptions, ValidationError, ValidationErrorKind

from adapters import json
from adapters.tools.cost import LIMIT, MAX_LEVELS, weights
from adapters.tools.recent import Recent
from adapters.tools.schema.canon import canonical
from adapters.tools.schema.words import Node

MAX_ARGUMENTS = 256 * 1024
"""Characters of arguments that are checked."""
MAX_SCHEMA = 64 * 1024
"""Bytes of a schema that is checked against."""
MAX_PATTERNS = 100
"""Regular expressions in a schema that is checked against: each takes up to a millisecond to compile."""
MAX_WORK = 500_000
"""Schemas applied to places of one value: some ten milliseconds, mostly far less."""
MAX_TOLD = 20_000
"""The same, where the validator is to say what is wrong: it then keeps an error, with a copy, for each that failed."""

_PLACE = 20
"""Applications that take as long as one place of a value does by itself: to be read, converted, compared."""
_READ = 32
"""Characters that a pattern reads in the time of one application."""
_HIDDEN = "the value"
_PATTERNS = FancyRegexOptions(backtrack_limit=10_000, size_limit=200_000, dfa_size_limit=1_000_000)
_BASE = frozenset({"$schema", "$id", "$anchor", "$dynamicAnchor", "$vocabulary"})
_GAVE_UP = (ValidationErrorKind.BacktrackLimitExceeded, ValidationErrorKind.RegexEngineFailure)


@dataclass(slots=True, frozen=True)
class Valid:
    """The call fits."""


@dataclass(slots=True, frozen=True)
class Invalid:
    """`reason` is fit for logs: it quotes no argument. `hint` tells the model what was wrong."""

    reason: str
    hint: str


@dataclass(slots=True, frozen=True)
class Unchecked:
    """It cannot be said whether the call fits."""

    reason: str


Verdict = Valid | Invalid | Unchecked
VALID = Valid()
_TOO_LONG = Unchecked("checking would take too long")
_TOO_LARGE = Unchecked(f"a schema over {MAX_SCHEMA} bytes")
_UNTOLD = Invalid("schema", "The arguments do not fit the schema of the tool.")


def check(schema: bytes, arguments: str) -> Verdict:
    """Judges arguments. `schema` is its JSON text, `null` where the tool declares none."""
    if len(arguments) > MAX_ARGUMENTS:
        return Unchecked(f"arguments over {MAX_ARGUMENTS} characters")
    if arguments.count("{") + arguments.count("[") > MAX_LEVELS and _levels(arguments) > MAX_LEVELS:
        return Unchecked(f"arguments over {MAX_LEVELS} levels deep")
    try:
        value: Any = json.loads(arguments) if arguments.strip() else {}
    except ValueError as error:
        return Invalid("no JSON", f"The arguments are no valid JSON: {error}.")
    if not isinstance(value, dict):
        return Invalid("no object", "The arguments must be a JSON object.")
    judge = compiled(schema)
    return judge if isinstance(judge, Unchecked) else judge.judge(value, len(arguments))


def check_text(text: str) -> Verdict:
    """Judges the input of a custom tool, which is any text but none."""
    return VALID if text.strip() else Invalid("no input", "The input is empty.")


@dataclass(slots=True)
class Compiled:
    """A schema that can be checked against. Arguments of at most `small` characters need no look at their work: none of
    it judges one place twice, so that its length bounds it. Else `bounds` (of `cost.weights`, found when they are first
    needed) do."""

    validator: Draft202012Validator
    schema: bytes
    small: int
    bounds: tuple[int, ...] = ()

    def judge(self, value: Node, length: int) -> Verdict:
        """The verdict on a value whose text has so many characters."""
        if length > self.small and not self.bears(value, length, MAX_WORK):
            return _TOO_LONG
        try:
            if self.validator.is_valid(value):
                return VALID
            if not self.bears(value, length, MAX_TOLD):
                return _TOO_LONG if b"attern" in self.schema else _UNTOLD
            self.validator.validate(value)
        except ValidationError as error:
            return _invalid(error)
        except BaseException as error:
            return _unchecked(error)
        return VALID

    def bears(self, value: Node, length: int, most: int) -> bool:
        """Whether checking this value is at most so much work. A pattern counts by what it has to read, too."""
        bounds = self._bounds()
        if length * (bounds[-1] + _PLACE) <= most:
            return True
        places, levels = _measured(value, most // _PLACE)
        bound = bounds[min(levels, len(bounds) - 1)]
        work = places * (bound + _PLACE)
        return work + (length * bound // _READ if b"attern" in self.schema else 0) <= most

    def _bounds(self) -> tuple[int, ...]:
        if not self.bounds:
            root = _root(json.loads(self.schema or b"null"))
            self.bounds = weights(root) if isinstance(root, dict) else (LIMIT,)
        return self.bounds

    def errors(self, value: Node, most: int) -> list[ValidationError]:
        """What is wrong with a value, at most so many errors; none if that cannot be said."""
        try:
            return list(islice(self.validator.iter_errors(value), most))
        except BaseException as error:
            _unchecked(error)
            return []


def _invalid(error: ValidationError) -> Verdict:
    if isinstance(error.kind, _GAVE_UP):
        return Unchecked("a pattern of the schema takes too long")
    place = ".".join(map(str, error.instance_path))
    rule = ".".join(map(str, error.schema_path))
    return Invalid(f"schema: {rule:.200}", f"{place or 'The arguments'}: {error.message:.500}")


def _unchecked(error: BaseException) -> Unchecked:
    """For what the validator raises, a panic of its Rust side (which is no Exception) included."""
    if isinstance(error, KeyboardInterrupt | SystemExit):
        raise error
    return Unchecked("the validator failed")


def _measured(value: Node, most: int) -> tuple[int, int]:
    """Values in a value, with the names of members, and levels below its root. Stops behind `most` values."""
    places, levels = 1, 0
    layer: list[Any] = [value]
    while layer and places <= most:
        below: list[Any] = []
        for item in layer:
            named = isinstance(item, dict)
            places += 2 * len(item) if named else len(item)
            below += [one for one in (item.values() if named else item) if one.__class__ in (dict, list)]
        levels += any(layer)
        layer = below
    return places, levels


_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKET = re.compile(r"[\[\]{}]")


def _levels(text: str) -> int:
    """Levels of a JSON text, or of something like it."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


# --- compiled schemas --------------------------------------------------------------------------------------------


_by_text: Recent[bytes, Compiled | Unchecked] = Recent(4 * 1024 * 1024)
_by_sense: Recent[bytes, Compiled | Unchecked] = Recent(4 * 1024 * 1024)
"""By the hash of the schema with sorted keys: clients write one schema in several ways."""


def compiled(schema: bytes) -> Compiled | Unchecked:
    """The schema made ready, or why calls of a tool with this schema are not checked."""
    if len(schema) > MAX_SCHEMA:
        return _TOO_LARGE
    found = _by_text.get(schema)
    if found is None:
        found = _read(schema)
        _by_text.put(schema, found, len(schema) + 200)
    return found


def _read(schema: bytes) -> Compiled | Unchecked:
    try:
        value = json.loads(schema or b"null")
    except ValueError:
        return Unchecked("the schema is no JSON")
    key = blake2b(json.sorted_bytes(value)).digest()
    found = _by_sense.get(key)
    if found is None:
        found = _compile(value, schema)
        _by_sense.put(key, found, len(schema) + 200)
    return found


def _compile(value: Any, schema: bytes) -> Compiled | Unchecked:
    root = _root(value)
    if isinstance(root, Unchecked):
        return root
    try:
        validator = _validator(root)
    except BaseException as error:
        _unchecked(error)
        return Unchecked("the schema is not valid JSON Schema")
    plain = not any(word in schema for word in (b"$ref", b"$dynamicRef", b"$recursiveRef", b"unevaluated", b"attern"))
    return Compiled(validator, schema, MAX_WORK // (len(schema) // 2 + _PLACE) if plain else -1)


def _root(value: Any) -> Node | Unchecked:
    """The schema in canonical form, with nothing that leads out of it."""
    if value is None or value is True:
        return {}
    read = canonical(value, inline=False)
    if read.notes:
        return Unchecked(f"schema: {read.notes[0]:.200}")
    if json.dumps(read.schema).count(b"attern") > MAX_PATTERNS:
        return Unchecked(f"a schema with over {MAX_PATTERNS} patterns")
    return {key: item for key, item in read.schema.items() if key not in _BASE}


def _refused(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")


_validator = partial(
    Draft202012Validator, validate_formats=False, retriever=_refused, mask=_HIDDEN, pattern_options=_PATTERNS
)
