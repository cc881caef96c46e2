"""What one upstream of this API can carry: the rules for `prepare`, from model name and compat flags."""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.format import Upstream
from adapters.formats.google_gemini import models
from adapters.history import HistoryRules
from adapters.model import Request, Tool
from adapters.prepare import Rules
from adapters.tools import schema
from adapters.tools.ids import GEMINI as IDS
from adapters.tools.names import GEMINI as NAMES
from adapters.tools.schema import Projection

API = "google-gemini"
DIALECT = "gemini"

GEMINI_3 = (3, 0)
VALIDATED_SINCE = (2, 5)

_CONTENT_WORDS = ("properties", "anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if", "enum", "const")


@dataclass(slots=True, frozen=True)
class Target:
    """An upstream as this format sees it. `vertex`: the API of Google Cloud, else the Gemini API."""

    upstream: Upstream
    model: models.Facts
    vertex: bool
    use_parameters: bool

    @property
    def newest(self) -> bool:
        """Gemini 3 or later: signed calls, ids, media in results, built-in tools beside functions."""
        return self.model.generation >= GEMINI_3

    @property
    def call_ids(self) -> bool:
        """Vertex and older models know no ids of calls."""
        return self.newest and not self.vertex

    @property
    def validated(self) -> bool:
        """Whether the mode VALIDATED exists."""
        return self.model.generation >= VALIDATED_SINCE

    @property
    def json_beside_tools(self) -> bool:
        """Whether structured output and tools go together."""
        return self.newest


def target(upstream: Upstream) -> Target:
    compat = upstream.compat
    return Target(
        upstream,
        models.facts(upstream.model, upstream.family),
        bool(compat.get("vertex")),
        bool(compat.get("use_parameters")) or models.facts(upstream.model, upstream.family).generation < (2, 0),
    )


def rules(to: Target, request: Request) -> Rules:
    """The rules for one request: only Gemini clients have parts for the pictures and sounds of an answer."""
    modes = {"auto", "none", "required", "named"}
    return Rules(
        api=API,
        names=NAMES,
        ids=IDS if to.call_ids else None,
        history=HistoryRules(
            images_in_results=to.newest,
            first_user=True,
            later_system="user",
            merge_roles=frozenset({"user", "assistant"}),
            reasoning="signed",
        ),
        schema=parameters if to.use_parameters else json_schema,
        choices=frozenset(modes | {"allowed"} if to.validated else modes),
        sort_tools=bool(to.upstream.compat.get("sort_tools", True)),
        modalities=frozenset({"audio", "image", "video"}) if request.dialect == DIALECT else frozenset(),
    )


def json_schema(tool: Tool, upstream: Upstream) -> Projection | None:
    """For `parametersJsonSchema`; None: a tool without arguments has neither field.

    Strict as the client asked: the mode VALIDATED follows from it.
    """
    if _empty(tool.schema):
        return None
    return replace(schema.gemini_json_schema(tool.schema, _refused(upstream)), strict=tool.strict)


def parameters(tool: Tool, upstream: Upstream) -> Projection | None:
    """For the older `parameters`, an OpenAPI subset."""
    if _empty(tool.schema):
        return None
    made = schema.gemini_parameters(tool.schema, bool(upstream.compat.get("vertex")), _refused(upstream))
    return None if made is None else replace(made, strict=tool.strict)


def _refused(upstream: Upstream) -> frozenset[str]:
    return frozenset(upstream.compat.get("unsupported_schema_keywords", ()))


def _empty(value: object) -> bool:
    """Whether a schema names no argument: `should be non-empty for OBJECT type` is the error for sending it."""
    if not isinstance(value, dict):
        return True
    if value.get("additionalProperties", False) is not False:
        return False
    return not any(value.get(word) for word in _CONTENT_WORDS)
