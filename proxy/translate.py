"""`toolwire translate`: the native request that a client's request becomes. No network, no config."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import orjson

from adapters import compat, json, registry
from adapters.errors import Rejected
from adapters.format import Call, Upstream
from adapters.presets import preset_of
from proxy.config.model import Provider
from proxy.gateway import family
from proxy.observe.logs import on_one_line

MASK = "***"


def main(args: argparse.Namespace) -> int:
    """Prints the body as JSON, with `--full` method, URL and headers too; warnings go to stderr. Exit status 0 or 1."""
    try:
        text = sys.stdin.buffer.read() if args.file == "-" else Path(args.file).read_bytes()
    except OSError as error:
        return _fail(f"{args.file}: {error.strerror}")
    try:
        body = json.loads(text)
    except ValueError as error:
        return _fail(f"{args.file}: no valid JSON: {error}")
    if not isinstance(body, dict):
        return _fail(f"{args.file}: a request is a JSON object")
    if args.model is not None:
        body["model"] = args.model
    try:
        shown, warnings = translated(body, args.dialect, args.to, args.model, args.full)
    except Rejected as error:
        where = f" ({error.failure.param})" if error.failure.param else ""
        return _fail(f"refused{where}: {error.failure.message}")
    except LookupError as error:
        return _fail(str(error.args[0]))
    sys.stdout.buffer.write(_pretty(shown))
    for warning in warnings:
        print(f"warning: {on_one_line(warning)}", file=sys.stderr)
    return 0


def translated(
    body: dict[str, Any], dialect: str, to: str, model: str | None = None, full: bool = False
) -> tuple[Any, tuple[str, ...]]:
    """The native body (or the whole request) and the warnings. Raises Rejected, and LookupError for a format that
    this version does not have."""
    server, api = registry.dialect(dialect), registry.api(to)
    if server is None or api is None:
        missing = f"the dialect {dialect}" if server is None else f"the api {to}"
        raise LookupError(f"{missing} is not in this version")
    incoming = server.decode(body, Call(model=model or body.get("model"), stream=bool(body.get("stream"))))
    name = model or incoming.request.model
    flags = compat.resolve(to, preset_of(to, None), {})
    upstream = Upstream(model=name, origin=f"{to}/{family(to, name)}", compat=flags)
    outgoing = api.encode(incoming.request, upstream)
    warnings = (*incoming.warnings, *outgoing.warnings)
    native = json.loads(outgoing.body)
    if not full:
        return native, warnings
    base = _base(to)
    query = "&".join(f"{key}={value}" for key, value in outgoing.query.items())
    headers = {"content-type": "application/json", **outgoing.headers,
               **{header: MASK for header in api.auth(MASK, upstream)}}
    url = base + outgoing.path + (f"?{query}" if query else "")
    return {"method": outgoing.method, "url": url, "headers": headers, "body": native}, warnings


def _base(api: str) -> str:
    return compat.BASE_URLS[api]


def _pretty(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return json.dumps(value) + b"\n"


def _fail(message: str) -> int:
    print(f"toolwire translate: {on_one_line(message)}", file=sys.stderr)
    return 1


__all__ = ["Provider", "main", "translated"]
