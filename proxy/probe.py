"""`toolwire probe`: asks each target one tiny question and one tiny tool call, and prints how it went."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote, urlsplit

from adapters.compat import PATHS
from adapters.errors import Failure, Rejected
from adapters.model import Message, Request, Sampling, Text, Tool, ToolCall, ToolChoice
from proxy.app import App
from proxy.config.load import read_file
from proxy.config.model import Config, Retry
from proxy.config.problem import rows
from proxy.engine.plan import Destination, Plan
from proxy.engine.run import Job, Lost, Whole, run
from proxy.observe.logs import on_one_line

SECONDS = 60.0

MOST = 300
"""Characters of an upstream's message."""

_VERSION = re.compile(r"/v\d")
_TWICE = re.compile(r"/v\d\w*/(?:.*/)?v\d\w*(?=/|$)")

QUESTION = Request("", (Message("user", (Text("Answer with the word: yes"),)),), sampling=Sampling(max_tokens=2048))
TOOL = Tool("get_time", "The time in a city.", {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
CALL = replace(
    QUESTION,
    messages=(Message("user", (Text("What time is it in Rome? Use the tool."),)),),
    tools=(TOOL,),
    tool_choice=ToolChoice("named", (TOOL.name,)),
)


def main(args: argparse.Namespace) -> int:
    """Exit status 0 if every target answered the question and called the tool as its schema says, else 1."""
    report = read_file(args.file, os.environ)
    if report.config is None:
        print("\n".join(rows(report.name, report.problems)), file=sys.stderr)
        return 1
    if args.provider is not None and args.provider not in report.config.providers:
        print(f"toolwire probe: provider {args.provider!r} is not defined (defined: "
              f"{', '.join(report.config.providers)})", file=sys.stderr)
        return 1
    return asyncio.run(_all(report.config, args.provider))


async def _all(config: Config, provider: str | None) -> int:
    app = App(config, os.environ, log=lambda *_, **__: None)
    targets = [to for to in app.gateway.targets() if provider in (None, to.provider)]
    if not targets:
        print("toolwire probe: no target is named in this config: name models in `models` or `providers.*.models`",
              file=sys.stderr)
        return 1
    good = True
    try:
        for to in targets:
            for what, request in _questions(to):
                told, ok = await _one(app, to, what, request)
                good = good and ok
                print("\n".join(map(on_one_line, told)), flush=True)
    finally:
        await app.aclose()
    return 0 if good else 1


def _questions(to: Destination) -> Iterator[tuple[str, Request]]:
    """A model of which the config says that it calls no tools is not asked to."""
    yield "question", QUESTION
    if "tools" not in to.lacks:
        yield "tool call", CALL


async def _one(app: App, to: Destination, what: str, request: Request) -> tuple[list[str], bool]:
    """The lines that are printed, and whether it went well."""
    found = app.gateway.table.find(to.name, app.random)
    assert isinstance(found, Plan)
    plan = replace(
        found, chain=(replace(found.chain[0], to=to),), retry=Retry(attempts=1), deadline=SECONDS, tool_check="report"
    )
    began = time.monotonic()
    try:
        result = await run(Job(request, plan, False, app.clock()), app.tools)
    except Rejected as error:
        return [f"{to.name:40} {what:10} {error.failure.type}: {error.failure.message}"], False
    milliseconds = (time.monotonic() - began) * 1000
    if isinstance(result, Whole):
        wrong = _wrong(result) if request is CALL else None
        word, more = ("failed", f"  {wrong}") if wrong else ("ok", "")
        return [f"{to.name:40} {what:10} {word:24} {milliseconds:8.0f} ms{more}"], wrong is None
    assert isinstance(result, Lost)
    failure = result.failure
    line = f"{to.name:40} {what:10} {failure.type:24} {milliseconds:8.0f} ms  {failure.message[:MOST]}"
    return [line, f"  asked {_asked(to, request)}", *_hints(to, failure)], False


def _wrong(result: Whole) -> str | None:
    """What is wrong with the call of the one tool that had to be called."""
    calls = [part for part in result.answer.parts if isinstance(part, ToolCall)]
    checked = result.tally.checked
    if not calls and result.answer.stop == "length":
        return "the tool was not called: the output limit came first"
    if not calls:
        return "the tool was not called: the model answered in text"
    if checked is not None and checked.invalid:
        return f"invalid call of {checked.invalid[0]}"
    return None if len(calls) == 1 else f"the tool was called {len(calls)} times for one question"


def _asked(to: Destination, request: Request) -> str:
    """The address, for the operator alone: without query, and without what the config says is secret."""
    outgoing = to.api.encode(request, to.upstream)
    url = urlsplit(to.base + outgoing.path)
    shown = f"{outgoing.method} {url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
    for secret in to.secrets:
        shown = shown.replace(secret, "[redacted]").replace(quote(secret, safe=""), "[redacted]")
    return shown


def _hints(to: Destination, failure: Failure) -> Iterator[str]:
    """What a 404 may mean."""
    if failure.status != 404:
        return
    path = urlsplit(to.base).path + PATHS[to.api.name][0]
    if twice := _TWICE.search(path):
        yield f"  base_url: {twice[0]} says the version twice"
    elif not to.api.name.startswith("openai-"):
        yield "  404: the model's name is wrong, or base_url is"
    elif not _VERSION.search(path):
        yield "  base_url: the path has no /v1: most hosts want one (or the model's name is wrong)"
    else:
        yield "  404: the model's name is wrong, or base_url: /v1 may be missing in it, or stand in it twice"


__all__ = ["main"]
