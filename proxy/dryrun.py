"""`toolwire route`: which targets a model name tries, in which order, after these errors. No network."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, cast, get_args

import orjson

from adapters.errors import STATUS, ErrorType, Failure
from proxy.config import model as configured
from proxy.config.load import read_file
from proxy.config.model import Config
from proxy.config.problem import rows
from proxy.engine.decide import Budget, Next, NextKey, Retry, decide
from proxy.engine.plan import Plan
from proxy.gateway import Gateway
from proxy.observe.logs import on_one_line
from proxy.upstream.transport import Transport


def route(args: argparse.Namespace) -> int:
    """Prints the walk; `--json` for machines. Exit status 0, or 1 for a bad config or an unknown model."""
    report = read_file(args.file, os.environ, need_env=False)
    if report.config is None:
        print("\n".join(rows(report.name, report.problems)), file=sys.stderr)
        return 1
    gateway = Gateway(report.config, os.environ, _no_transport)
    plan = gateway.table.find(args.model, lambda: 0.0)
    if isinstance(plan, Failure):
        print(f"toolwire route: {plan.message}", file=sys.stderr)
        return 1
    steps = walk(plan, args.error)
    if args.json:
        sys.stdout.buffer.write(orjson.dumps({"model": args.model, "route": plan.label, "steps": steps},
                                             option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    else:
        print("\n".join(map(on_one_line, told(plan, args.model, steps))))
    return 0


def _no_transport(kind: str) -> Transport:
    return cast(Transport, None)


def walk(plan: Plan, errors: Sequence[str]) -> list[dict[str, Any]]:
    """One entry per attempt: target, the error it fails with (None: not told), what follows. Waits are not made:
    a retry is shown with the longest wait that its backoff can take."""
    rules = [candidate.on_errors for candidate in plan.chain]
    steps: list[dict[str, Any]] = []
    at, key, tries, left = 0, 0, 0, list(errors)
    while True:
        to = plan.chain[at].to
        tries += 1
        step: dict[str, Any] = {"target": to.name, "key": key + 1, "try": tries, "error": None, "then": "answer"}
        steps.append(step)
        if not left:
            return steps
        failure = _failure(left.pop(0))
        step["error"] = failure.type if failure.status is None else f"{failure.type} ({failure.status})"
        longest = min(plan.retry.max_backoff_seconds, plan.retry.backoff_seconds * 2.0 ** (tries - 1))
        budget = Budget(plan.retry.attempts, plan.deadline, longest, plan.retry.max_backoff_seconds)
        if failure.type == "stream_interrupted":
            step["then"] = "content has reached the client: it gets an error event, nothing else is tried"
            return steps
        match decide(failure, at, tries, key + 1 < len(to.keys), rules, budget):
            case Retry(wait):
                step["then"] = _pause(wait, failure, plan.retry)
            case NextKey():
                step["then"], key, tries = "its next key", key + 1, 0
            case Next(index):
                step["then"], at, key, tries = f"{plan.chain[index].to.name}", index, 0, 0
            case _:
                step["then"] = f"the client gets {STATUS[_failure(errors[0]).type]}, the first attempt's error"
                return steps


def _pause(wait: float, failure: Failure, retry: configured.Retry) -> str:
    """How long a retry waits: by its backoff, or as the upstream asks, where it may."""
    again = f"the same target again, after up to {wait:g} s"
    if failure.type not in ("rate_limit_error", "overloaded_error") or retry.max_backoff_seconds <= wait:
        return again
    return f"{again} (or its retry-after, if that is at most {retry.max_backoff_seconds:g} s)"


def _failure(word: str) -> Failure:
    if word in get_args(ErrorType):
        return Failure(cast(ErrorType, word), "")
    status = int(word)
    by_status: dict[int, ErrorType] = {
        401: "upstream_auth_error", 402: "billing_error", 403: "upstream_auth_error", 404: "not_found_error",
        408: "timeout_error", 409: "api_error", 413: "request_too_large", 429: "rate_limit_error",
        503: "overloaded_error", 504: "timeout_error", 524: "timeout_error", 529: "overloaded_error",
    }
    return Failure(by_status.get(status, "api_error" if status >= 500 else "invalid_request_error"), "", status=status)


def told(plan: Plan, model: str, steps: Sequence[dict[str, Any]]) -> list[str]:
    """The walk as lines for people, after the chain itself."""
    lines = [f"{model}: route {plan.label}, {plan.retry.attempts} attempts per target and key, "
             f"deadline {plan.deadline:g} s"]
    for number, candidate in enumerate(plan.chain, 1):
        rules = f"  on [{', '.join(candidate.on_errors)}]" if candidate.on_errors else ""
        window = f"  context window {candidate.context_window}" if candidate.context_window else ""
        lines.append(f"  {number}. {candidate.to.name}{rules}{window}")
    if any(step["error"] for step in steps):
        lines.append("walk:")
        for step in steps:
            fails = f"fails with {step['error']}" if step["error"] else "answers"
            then = f" -> {step['then']}" if step["error"] else ""
            lines.append(f"  {step['target']} (try {step['try']}) {fails}{then}")
    return lines


__all__ = ["Config", "route", "told", "walk"]
