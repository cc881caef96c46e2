"""YAML text -> plain data, with the line and column of every key and value.

YAML 1.2 core schema whatever the text claims: `on`, `off`, `yes`, `no` are strings, and `<<` is a key like any other.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from proxy.config.env import Sources, resolve
from proxy.config.problem import Path, Problem, dotted, quoted
from proxy.config.syntax import told

Mark = tuple[int, int]
"""Line and column, from 1."""

_NULL = re.compile(r"null|Null|NULL|~|")
_BOOL = re.compile(r"true|True|TRUE|false|False|FALSE")
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_CORE = "tag:yaml.org,2002:"
_MAX_NODES = 200_000


def scalar(text: str) -> Any:
    """What a plain scalar means. Raises ValueError for numbers that are not finite."""
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() == "true"
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text) or _HEX.fullmatch(text):
        return int(text, 0)
    number = float(text) if _FLOAT.fullmatch(text) else 0.0
    if _NOT_FINITE.fullmatch(text) or not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number if _FLOAT.fullmatch(text) else text


@dataclass(slots=True)
class Document:
    """A parsed file. `values` and `keys` hold where each value and each mapping key begins.

    `references` names what a value took from outside (so that it is never shown), `whole` are values that were one
    reference alone, `unknown` those whose reference has no value and need none (`check --no-env`). `partial`: the data
    has a reference where it would need a structure. `spelt`: where a key was taken as another, how the file spells it.
    """

    data: Any = None
    values: dict[Path, Mark] = field(default_factory=dict)
    keys: dict[Path, Mark] = field(default_factory=dict)
    references: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    whole: set[Path] = field(default_factory=set)
    unknown: set[Path] = field(default_factory=set)
    spelt: dict[Path, str] = field(default_factory=dict)
    partial: bool = False
    problems: list[Problem] = field(default_factory=list)

    def taken(self, path: Path, key: str, other: str) -> None:
        """From here on this key of the mapping at `path` stands in the data as the `other` one, in its old place."""
        holder = self.data
        for part in path:
            holder = holder[part]
        entries = [(other if name == key else name, value) for name, value in holder.items()]
        holder.clear()
        holder.update(entries)
        old, new = (*path, key), (*path, other)
        self.spelt[new] = key
        for places in (self.values, self.keys, self.references):
            _moved(places, old, new)
        for marked in (self.whole, self.unknown):
            within = {place for place in marked if place[: len(old)] == old}
            marked |= {new + place[len(old) :] for place in within}

    def written(self, path: Path) -> Path:
        """The path as the file spells it."""
        return tuple(self.spelt.get(path[: index + 1], part) for index, part in enumerate(path))

    def at(self, path: Path) -> Mark:
        """Where a reader looks for an entry: its key, else its value, else what is around it."""
        while path not in self.keys and path not in self.values:
            path = path[:-1]
        return self.keys.get(path) or self.values[path]

    def origin(self, path: Path) -> str:
        """Which references a value came from, as the user reads it; empty for what stands in the file itself."""
        references = self.references.get(path)
        return f"from {' '.join(references)}" if references else ""

    def problem(self, path: Path, message: str, mark: Mark | None = None) -> None:
        line, column = mark or self.at(path)
        self.problems.append(Problem(line, column, dotted(self.written(path)), message))


def parse(text: str, sources: Sources, need_env: bool = True) -> Document:
    """Everything that is wrong on this level is in the document's `problems`; after a YAML error there is no data."""
    document = Document(values={(): (1, 1)})
    yaml = YAML(typ="safe", pure=True)
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        document.problem((), *told(error, text))
    except ReaderError as error:
        before = text[: error.position]
        mark = before.count("\n") + 1, len(before) - before.rfind("\n")
        document.problem((), f"character U+{ord(text[error.position]):04X} is not allowed", mark)
    except RecursionError:
        document.problem((), "nested too deeply")
    else:
        if root is None:
            document.problem((), "the file is empty")
        else:
            _Reader(document, sources, need_env).root(root)
    return document


def _moved(places: dict[Path, Any], old: Path, new: Path) -> None:
    for place in [place for place in places if place[: len(old)] == old]:
        places[new + place[len(old) :]] = places[place]


class _Reader:
    """Walks the node tree once, filling the document."""

    def __init__(self, document: Document, sources: Sources, need_env: bool) -> None:
        self._document = document
        self._sources = sources
        self._need_env = need_env
        self._count = 0
        self._open: set[int] = set()

    def root(self, node: Node) -> None:
        try:
            self._document.data = self._read((), node)
        except OverflowError:
            self._document.problem((), f"more than {_MAX_NODES} values")

    def _read(self, path: Path, node: Node) -> Any:
        self._count += 1
        if self._count > _MAX_NODES:
            raise OverflowError
        self._document.values[path] = _mark(node.start_mark)
        if node.anchor and id(node) in self._open:
            self._document.problem(path, f"alias *{node.anchor} contains itself", _mark(node.start_mark))
            return None
        if not str(node.tag).startswith(_CORE):
            self._document.problem(path, f"tag {node.tag} is not known", _mark(node.start_mark))
        self._open.add(id(node))
        try:
            match node:
                case MappingNode():
                    return self._mapping(path, node)
                case SequenceNode():
                    return [self._read((*path, index), item) for index, item in enumerate(node.value)]
                case ScalarNode():
                    return self._scalar(path, node)
                case _:
                    return None
        finally:
            self._open.discard(id(node))

    def _mapping(self, path: Path, node: MappingNode) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            mark = _mark(key_node.start_mark)
            if not isinstance(key_node, ScalarNode):
                self._document.problem(path, "a key must be a plain word or a quoted text", mark)
                continue
            key = str(key_node.value)
            if key in data:
                first = self._document.keys[*path, key][0]
                self._document.problem((*path, key), f"key {quoted(key)} stands already in line {first}", mark)
                continue
            self._document.keys[*path, key] = mark
            data[key] = self._read((*path, key), value_node)
        return data

    def _scalar(self, path: Path, node: ScalarNode) -> Any:
        text = str(node.value)
        if node.style is None and node.tag != f"{_CORE}str":
            try:
                return scalar(text)
            except ValueError as error:
                self._document.problem(path, str(error))
                return None
        return self._text(path, text)

    def _text(self, path: Path, text: str) -> str:
        resolved = resolve(text, self._sources)
        for message in (*resolved.broken, *(resolved.missing if self._need_env else ())):
            self._document.problem(path, message)
        if resolved.references:
            self._document.references[path] = resolved.references
        if resolved.whole:
            self._document.whole.add(path)
        if resolved.missing or resolved.broken:
            self._document.unknown.add(path)
        return resolved.text


def _mark(mark: Any) -> Mark:
    return mark.line + 1, mark.column + 1
