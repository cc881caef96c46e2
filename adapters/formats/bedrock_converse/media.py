"""Images, documents, video and audio as Converse blocks (2026-11). Bytes are base64; only S3 is read by address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from adapters import json
from adapters.errors import Rejected
from adapters.formats.shared import data_url
from adapters.model import Json, Media

Kind = Literal["image", "document", "text", "video", "audio"]
"""What a family may take in a place. "text" is a document of plain text."""

_IMAGES: Mapping[str, str] = {
    "image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp",
}  # fmt: skip
_OFFICE = "application/vnd.openxmlformats-officedocument"
_DOCUMENTS: Mapping[str, str] = {
    "application/pdf": "pdf", "text/csv": "csv", "application/msword": "doc",
    f"{_OFFICE}.wordprocessingml.document": "docx", "application/vnd.ms-excel": "xls",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx", "text/html": "html", "text/plain": "txt", "text/markdown": "md",
}  # fmt: skip
_TEXTS = frozenset({"csv", "html", "txt", "md"})
_VIDEOS: Mapping[str, str] = {
    "video/mp4": "mp4", "video/quicktime": "mov", "video/x-matroska": "mkv", "video/webm": "webm", "video/x-flv": "flv",
    "video/mpeg": "mpeg", "video/mpg": "mpg", "video/x-ms-wmv": "wmv", "video/3gpp": "three_gp",
}  # fmt: skip
_AUDIOS: Mapping[str, str] = {
    "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/opus": "opus", "audio/wav": "wav", "audio/x-wav": "wav",
    "audio/aac": "aac", "audio/flac": "flac", "audio/mp4": "mp4", "audio/m4a": "m4a", "audio/ogg": "ogg",
    "audio/webm": "webm",
}  # fmt: skip
_MAGIC = (("iVBORw0KGgo", "png"), ("/9j/", "jpeg"), ("R0lGOD", "gif"), ("UklGR", "webp"))
_LONGEST_NAME = 200


class Names:
    """The document names of one request: valid, unique, the same on every turn."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, given: str | None) -> str:
        """Letters, digits, single spaces and `-()[]`, from the file's name without its extension."""
        stem, dot, extension = (given or "").rpartition(".")
        base = stem if dot and stem and len(extension) <= 5 else (given or "")
        clean = re.sub(r" +", " ", re.sub(r"[^A-Za-z0-9 \-()\[\]]", "-", base)).strip() or "document"
        clean = clean[: _LONGEST_NAME - 8].strip()
        made, count = clean, 1
        while made in self._taken:
            count += 1
            made = f"{clean} ({count})"
        self._taken.add(made)
        return made


def kind_of(media: Media) -> Kind:
    """What the media count as, where a place takes only some."""
    if media.kind != "file":
        return media.kind
    return "text" if media.text is not None or _format(media) in _TEXTS else "document"


def block(media: Media, names: Names) -> dict[str, Json]:
    """The content block. Raises Rejected for what the API has no form for."""
    match media.kind:
        case "image":
            form = _IMAGES.get(media.mime or "") or _guessed(media)
            return {"image": {"format": _known(form, media), "source": _source(media)}}
        case "file":
            return {"document": _document(media, names)}
        case "video":
            return {"video": {"format": _known(_VIDEOS.get(media.mime or "video/mp4"), media),
                              "source": _source(media)}}
        case "audio":
            return {"audio": {"format": _known(_AUDIOS.get(media.mime or ""), media), "source": _source(media)}}


def _document(media: Media, names: Names) -> dict[str, Json]:
    name = names.name(media.name)
    if media.text is not None:
        return {"format": "txt", "name": name, "source": {"text": json.clean(media.text)}}
    return {"format": _known(_format(media), media), "name": name, "source": _source(media)}


def _format(media: Media) -> str | None:
    """By type, else by the file name's extension."""
    if (form := _DOCUMENTS.get(media.mime or "")) is not None:
        return form
    extension = (media.name or "").rpartition(".")[2].lower()
    if extension in _DOCUMENTS.values():
        return extension
    return "txt" if (media.mime or "").startswith("text/") or media.mime == "application/json" else None


def _guessed(media: Media) -> str | None:
    if media.mime is not None:
        return None
    if media.url is not None and data_url.split(media.url) is None:
        extension = media.url.rpartition(".")[2].lower()
        return _IMAGES.get(f"image/{extension}")
    return next((form for start, form in _MAGIC if (media.data or "").startswith(start)), None)


def _known(form: str | None, media: Media) -> str:
    if form is None:
        raise Rejected(f"bedrock-converse takes no {media.kind} of type {media.mime or 'unknown'}", "messages")
    return form


def _source(media: Media) -> dict[str, Json]:
    if media.data is not None:
        return {"bytes": media.data}
    if media.url is not None and media.url.startswith("s3://"):
        return {"s3Location": {"uri": media.url}}
    if media.url is not None and (found := data_url.split(media.url)) is not None:
        return {"bytes": found[1]}
    if media.url is not None:
        raise Rejected(
            f"bedrock-converse reads no remote {media.kind}: send the bytes, or let the proxy fetch images "
            "(server.fetch_images)", "messages",
        )
    raise Rejected("bedrock-converse knows no files of other APIs", "messages")
