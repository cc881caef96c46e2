"""The PromQL expressions under deploy/, and what they name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ruamel.yaml import YAML

from tests.deploy.tools import DEPLOY

WORDS = frozenset({"sum", "max", "count", "rate", "increase", "histogram_quantile", "or", "unless", "offset"})


def rules() -> Iterator[tuple[str, str]]:
    """(name, expression) of each rule."""
    for group in YAML(typ="safe", pure=True).load((DEPLOY / "prometheus/rules.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule.get("alert") or rule["record"], rule["expr"]


def panels() -> Iterator[tuple[str, str]]:
    """(title, expression) of each query of the dashboard, with a window in place of Grafana's variable."""
    for panel in json.loads((DEPLOY / "grafana/dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$__rate_interval", "1m")


def used(expression: str) -> tuple[set[str], list[tuple[str, set[str]]], set[str]]:
    """Names outside braces and label lists; (metric, labels in its braces); labels of `by`, `on` and the like."""
    selectors = [(name, set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', '""', inner))))
                 for name, inner in re.findall(r"(\w+)\{([^}]*)\}", expression)]
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", expression)
    lists = re.findall(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)", bare)
    grouped = {label.strip() for found in lists for label in found.split(",") if label.strip()}
    names = set(re.findall(r"\b[a-zA-Z_]\w*", re.sub(r"\b(by|on|without|ignoring)\s*\([^)]*\)", "", bare))) - WORDS
    return names, selectors, grouped
