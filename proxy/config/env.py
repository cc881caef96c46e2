"""References in config values: `${NAME}`, `${NAME:-default}`, `${file:PATH}`; `$${` stands for `${` itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_REFERENCE = re.compile(r"\$\$\{|\$\{(?P<body>[^{}]*)\}|\$\{")
_NAME = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>.*))?", re.DOTALL)
_MAX_FILE_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Sources:
    """Where references are looked up. `directory` is the config file's: `${file:PATH}` is relative to it."""

    environ: Mapping[str, str]
    directory: Path


@dataclass(frozen=True, slots=True)
class Resolved:
    """A value after substitution. What was missing stands in `text` as it was written.

    `references` are the references found, `missing` messages for those without a value, `broken` for those that are
    none. `whole`: the value was one reference and nothing else.
    """

    text: str
    references: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    whole: bool = False


def resolve(text: str, sources: Sources) -> Resolved:
    if "${" not in text:
        return Resolved(text)
    pieces: list[str] = []
    references: list[str] = []
    missing: list[str] = []
    broken: list[str] = []
    end = 0
    for found in _REFERENCE.finditer(text):
        pieces.append(text[end : found.start()])
        end = found.end()
        if found[0] == "$${":
            pieces.append("${")
            continue
        references.append(found[0])
        try:
            pieces.append(_value(found, sources))
        except LookupError as error:
            missing.append(str(error.args[0]))
            pieces.append(found[0])
        except ValueError as error:
            broken.append(str(error))
            pieces.append(found[0])
    pieces.append(text[end:])
    whole = references == [text]
    return Resolved("".join(pieces), tuple(references), tuple(missing), tuple(broken), whole)


def _value(found: re.Match[str], sources: Sources) -> str:
    """Raises LookupError for what is missing, ValueError for what is no reference."""
    body = found["body"]
    if body is None:
        raise ValueError('"${" is not closed; write "$${" for the characters themselves')
    name = _NAME.fullmatch(body)
    if name is not None:
        value = sources.environ.get(name["name"])
        if name["default"] is not None:
            return value or name["default"]
        if value is None:
            raise LookupError(f"environment variable {name['name']} is not set")
        return value
    if body.startswith("file:"):
        return _file(body.removeprefix("file:"), sources.directory)
    raise ValueError(f'"{found[0]}" is not a reference: use ${{NAME}}, ${{NAME:-default}} or ${{file:PATH}}')


def _file(path: str, directory: Path) -> str:
    try:
        with (directory / path).open("rb") as file:
            content = file.read(_MAX_FILE_BYTES + 1)
    except OSError as error:
        raise LookupError(f"file {path} cannot be read: {error.strerror or error}") from None
    if len(content) > _MAX_FILE_BYTES:
        raise ValueError(f"file {path} is larger than {_MAX_FILE_BYTES} bytes")
    try:
        return content.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ValueError(f"file {path} is not UTF-8 text") from None
