"""Citations of text blocks: native objects, kept whole, with what other dialects can show of them."""

from __future__ import annotations

from adapters.errors import Malformed
from adapters.formats.anthropic_messages.wire import NAME, own
from adapters.model import Citation, Json


def read(native: Json) -> Citation:
    """Positions in a native citation count characters of the cited document, not of the text: they stay native."""
    if not isinstance(native, dict):
        raise Malformed("a citation that is no object")
    url = native.get("url")
    title = native.get("title") or native.get("document_title")
    quote = native.get("cited_text")
    return Citation(
        url=url if isinstance(url, str) else None,
        title=title if isinstance(title, str) else None,
        quote=quote if isinstance(quote, str) else None,
        extras=own(native),
    )


def read_all(natives: Json) -> list[Citation]:
    """The `citations` of a block; none where it is null or missing."""
    if natives is None:
        return []
    if not isinstance(natives, list):
        raise Malformed("citations that are no list")
    return [read(native) for native in natives]


def write(citations: tuple[Citation, ...]) -> list[Json]:
    """The native ones among them: another API's cannot be told here, they lack what the wire demands."""
    return [dict(c.extras[NAME]) for c in citations if NAME in c.extras]
