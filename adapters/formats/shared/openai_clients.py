"""What clients of OpenAI's two dialects mean by fields that both have, where they differ (2026-11)."""

from __future__ import annotations

from adapters.model import Request

_CHAT, _RESPONSES = "chat", "responses"
_SCHEMAS = {_CHAT: "response_format.json_schema.schema", _RESPONSES: "text.format.schema"}


def stores(request: Request) -> bool:
    """Whether the client wants the upstream to keep the answer: in Responses `store` is for this proxy."""
    return bool(request.store) and request.dialect == _CHAT


def strict_output(request: Request) -> bool | None:
    """What an output schema without `strict` is: not strict for Chat, the API's own default for Responses; None too for
    dialects that know no such field, see `may_choose`."""
    return False if request.dialect == _CHAT else None


def may_choose(request: Request) -> bool:
    """Whether `strict` was the client's to say."""
    return request.dialect in _SCHEMAS


def schema_path(request: Request) -> str:
    """Where the output's schema stands in the client's body."""
    return _SCHEMAS.get(request.dialect, "schema")
