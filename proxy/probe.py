"""`toolwire probe`: asks each target one tiny question and one tiny tool call, and prints how it went."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from adapters.errors import Rejected
from adapters.model import Message, Request, Sampling, Text, Tool, ToolCall
from proxy.app import App
from proxy.config.load import read_file
from proxy.config.model import Config, Retry
from proxy.config.problem import rows
from proxy.engine.plan import Destination, Plan
from proxy.engine.run import Job, Whole, run
from proxy.observe.logs import on_one_line

SECONDS = 60.0

QUESTION = Request("", (Message("user", (Text("Answer with the word: yes"),)),), sampling=Sampling(max_tokens=512))
CALL = replace(
    QUESTION,
    messages=(Message("user", (Text("What time is it in Rome? Use the tool."),)),),
    tools=(Tool("get_time", "The time in a city.", {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),),
)


def main(args: argparse.Namespace) -> int:
    """Exit status 0 if every target answered both, else 1."""
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
            for line, ok in [await _one(app, to, what, request) for what, request in _questions()]:
                good = good and ok
                print(on_one_line(line), flush=True)
    finally:
        await app.aclose()
    return 0 if good else 1


def _questions() -> Iterator[tuple[str, Request]]:
    yield "question", QUESTION
    yield "tool call", CALL


async def _one(app: App, to: Destination, what: str, request: Request) -> tuple[str, bool]:
    found = app.gateway.table.find(to.name, app.random)
    assert isinstance(found, Plan)
    plan = replace(found, chain=(replace(found.chain[0], to=to),), retry=Retry(attempts=1), deadline=SECONDS)
    began = time.monotonic()
    try:
        result = await run(Job(request, plan, False, app.clock()), app.tools)
    except Rejected as error:
        return f"{to.name:40} {what:10} {error.failure.type}: {error.failure.message}", False
    seconds = time.monotonic() - began
    if isinstance(result, Whole):
        called = any(isinstance(part, ToolCall) for part in result.answer.parts)
        word = "ok" if what == "question" or called else "answered in text"
        return f"{to.name:40} {what:10} {word:24} {seconds * 1000:8.0f} ms", True
    failure = getattr(result, "failure", None)
    kind, message = (failure.type, failure.message) if failure else ("api_error", "")
    return f"{to.name:40} {what:10} {kind:24} {seconds * 1000:8.0f} ms  {message[:120]}", False


__all__ = ["Iterable", "main"]
