"""Media parts: `inlineData` (bytes) and `fileData` (an address that Google reads itself)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from adapters.errors import Rejected
from adapters.formats.google_gemini.target import API, Target
from adapters.formats.shared.data_url import split
from adapters.model import NOTHING, Json, Media

_BY_EXTENSION: Mapping[str, str] = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif",
    "heic": "image/heic", "heif": "image/heif", "bmp": "image/bmp", "avif": "image/avif",
    "pdf": "application/pdf", "txt": "text/plain", "html": "text/html", "css": "text/css", "md": "text/md",
    "csv": "text/csv", "xml": "text/xml", "rtf": "text/rtf", "json": "application/json",
    "wav": "audio/wav", "mp3": "audio/mp3", "aac": "audio/aac", "ogg": "audio/ogg", "flac": "audio/flac",
    "aiff": "audio/aiff", "m4a": "audio/m4a", "opus": "audio/opus",
    "mp4": "video/mp4", "mov": "video/quicktime", "mpeg": "video/mpeg", "mpg": "video/mpeg", "webm": "video/webm",
    "avi": "video/x-msvideo", "wmv": "video/x-ms-wmv", "flv": "video/x-flv", "3gp": "video/3gpp",
}  # fmt: skip
_BY_KIND = {"image": "image/jpeg", "audio": "audio/mp3", "video": "video/mp4", "file": "application/pdf"}
_MAGIC = (("iVBORw0KGgo", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"),
          ("JVBERi", "application/pdf"))
IN_RESULTS = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"})
"""What Gemini 3 takes inside a `functionResponse`."""

_YOUTUBE = ("youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be")
_FILES_HOST = "generativelanguage.googleapis.com"


def part(media: Media, to: Target, warnings: dict[str, None]) -> dict[str, Json]:
    """A part with the media. Raises Rejected for an address that this upstream cannot read."""
    if media.detail not in (None, "auto"):
        warnings["image detail: left out, google-gemini has no such field"] = None
    own = dict(media.extras.get(API, NOTHING))
    inside = own.pop("inside", NOTHING)
    if (data := _bytes(media)) is not None:
        mime, text = data
        return {"inlineData": {"mimeType": mime, "data": text, **inside}, **own}
    if media.url is None:
        raise Rejected(f"a {media.kind} with file id {media.file_id!r}: google-gemini knows no files of other APIs")
    return {"fileData": {"mimeType": _mime_of_url(media), "fileUri": _readable(media.url, to), **inside}, **own}


def in_result(media: Media, to: Target) -> bool:
    """Whether the media may stand inside a `functionResponse` of this upstream."""
    if (data := _bytes(media)) is not None:
        return data[0] in IN_RESULTS
    return to.vertex and (media.url or "").startswith("gs://") and _mime_of_url(media) in IN_RESULTS


def _bytes(media: Media) -> tuple[str, str] | None:
    """Mime type and base64 of media that carry their bytes."""
    if media.text is not None:
        return media.mime or "text/plain", b64encode(media.text.encode("utf-8", "replace")).decode("ascii")
    if media.data is not None:
        return media.mime or _guess(media.data, media.kind), media.data
    if media.url is not None and (found := split(media.url)) is not None:
        mime, data = found
        return media.mime or mime or _guess(data, media.kind), data
    return None


def _guess(data: str, kind: str) -> str:
    return next((mime for start, mime in _MAGIC if data.startswith(start)), _BY_KIND[kind])


def _mime_of_url(media: Media) -> str:
    if media.mime:
        return media.mime
    url = urlsplit(media.url or "")
    if url.hostname in _YOUTUBE:
        return "video/mp4"
    extension = url.path.rpartition("/")[2].rpartition(".")[2].lower()
    return _BY_EXTENSION.get(extension, _BY_KIND[media.kind])


def _readable(address: str, to: Target) -> str:
    url = urlsplit(address)
    if url.hostname in _YOUTUBE:
        return address
    if url.scheme == "gs" or url.hostname == _FILES_HOST or address.startswith("files/"):
        if (url.scheme == "gs") == to.vertex:
            return address
        raise Rejected(f"{url.scheme or 'files'}: addresses of this kind are read by "
                       f"{'the Gemini API' if to.vertex else 'Vertex'} only")
    if url.scheme == "https" and (to.vertex or to.newest):
        return address
    raise Rejected(
        f"{to.upstream.model} reads no remote media at {url.scheme or 'such'} addresses: send the bytes, or let the "
        "proxy fetch them (server.fetch_images)"
    )


def decoded(body: Json, kind: Literal["inlineData", "fileData"], own: Mapping[str, Json]) -> Media:
    """The neutral media of a part. `own` are the part's other fields, which only this API knows."""
    rest = {key: value for key, value in body.items() if key not in ("mimeType", "data", "fileUri")}
    mime = body.get("mimeType")
    mime = mime if isinstance(mime, str) and mime else None
    extras = {**({"inside": rest} if rest else {}), **own}
    media = Media(_kind(mime), mime, extras={API: extras} if extras else NOTHING)
    if kind == "inlineData":
        media.data = body["data"].translate(str.maketrans("-_", "+/"))
    else:
        media.url = body["fileUri"]
    return media


def _kind(mime: str | None) -> Literal["image", "file", "audio", "video"]:
    match (mime or "").partition("/")[0]:
        case "image":
            return "image"
        case "audio":
            return "audio"
        case "video":
            return "video"
    return "file"


def encoded(media: Media) -> dict[str, Json]:
    """The part that shows an answer's media to a client."""
    own = dict(media.extras.get(API, NOTHING))
    inside = own.pop("inside", NOTHING)
    if (data := _bytes(media)) is not None:
        return {"inlineData": {"mimeType": data[0], "data": data[1], **inside}, **own}
    return {"fileData": {"mimeType": _mime_of_url(media), "fileUri": media.url or media.file_id or "", **inside}, **own}
