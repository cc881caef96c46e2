"""`groundingMetadata`: sources of an answer's text, to citations and back. Google counts UTF-8 bytes (2026-11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from adapters.model import Citation, Json


def citations(metadata: Json, text: str) -> list[Citation]:
    """The citations of a text, each support with each of its sources; sources without a support stand alone."""
    if not isinstance(metadata, dict):
        return []
    sources = [_source(chunk) for chunk in _list(metadata.get("groundingChunks"))]
    found: list[Citation] = []
    cited: set[int] = set()
    raw = text.encode("utf-8", "surrogatepass")
    for support in _list(metadata.get("groundingSupports")):
        if not isinstance(support, dict):
            continue
        segment = support.get("segment")
        segment = segment if isinstance(segment, dict) else {}
        start, end = _characters(raw, segment.get("startIndex", 0)), _characters(raw, segment.get("endIndex"))
        quote = segment.get("text")
        for index in _list(support.get("groundingChunkIndices")):
            if isinstance(index, int) and 0 <= index < len(sources) and (source := sources[index]) is not None:
                cited.add(index)
                place = (start, end) if start is not None and end is not None else (None, None)
                words = quote if isinstance(quote, str) else None
                found.append(Citation(source[0], source[1], place[0], place[1], words))
    found += [Citation(one[0], one[1]) for index, one in enumerate(sources) if one is not None and index not in cited]
    return found


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _source(chunk: Json) -> tuple[str | None, str | None] | None:
    for kind in ("web", "retrievedContext", "maps"):
        source = chunk.get(kind) if isinstance(chunk, dict) else None
        if isinstance(source, dict):
            url, title = source.get("uri"), source.get("title")
            return url if isinstance(url, str) else None, title if isinstance(title, str) else None
    return None


def _characters(raw: bytes, offset: Json) -> int | None:
    if not isinstance(offset, int) or isinstance(offset, bool) or not 0 <= offset <= len(raw):
        return None
    return len(raw[:offset].decode("utf-8", "ignore"))


def metadata(parts: Sequence[tuple[str, Iterable[Citation]]]) -> dict[str, Json] | None:
    """groundingMetadata of an answer whose text parts have these citations; None where there are none."""
    chunks: list[dict[str, Json]] = []
    places: dict[tuple[str | None, str | None], int] = {}
    supports: list[dict[str, Json]] = []
    for number, (text, cited) in enumerate(parts):
        for one in cited:
            key = (one.url, one.title)
            if key not in places:
                places[key] = len(chunks)
                web = {name: value for name, value in (("uri", one.url), ("title", one.title)) if value is not None}
                chunks.append({"web": web})
            if (segment := _segment(one, text, number)) is not None:
                supports.append({"segment": segment, "groundingChunkIndices": [places[key]]})
    if not chunks:
        return None
    return {"groundingChunks": chunks, **({"groundingSupports": supports} if supports else {})}


def _segment(citation: Citation, text: str, number: int) -> Mapping[str, Json] | None:
    if citation.start is None or citation.end is None or not 0 <= citation.start <= citation.end <= len(text):
        return None
    before = len(text[: citation.start].encode("utf-8", "replace"))
    inside = text[citation.start : citation.end]
    after = before + len(inside.encode("utf-8", "replace"))
    return {**({"partIndex": number} if number else {}), "startIndex": before, "endIndex": after, "text": inside}
