"""Prompt-cache points of a native body (2026-11): at most four, in the order tools, system, messages.

A point is a block of its own right after what it covers. It must not be first, nor directly follow a document: there it
moves before the documents.
"""

from __future__ import annotations

from collections.abc import Iterator

from adapters.formats.bedrock_converse.messages import Block, point
from adapters.formats.bedrock_converse.models import Family
from adapters.model import CacheMark

MOST = 4
_POINT = point(CacheMark())[0]
_LARGE = ("document", "video", "audio")


def settle(body: Block, mode: str, family: Family, warnings: dict[str, None]) -> None:
    """Places and prunes the points of a body, in place. `mode` is `compat.cache`: "auto", "client" or "off"."""
    lists = list(_lists(body))
    if mode == "off" or family.cache == "none":
        if mode != "off" and any("cachePoint" in made for blocks in lists for made in blocks):
            warnings["cache_control: left out, the model is not known to take cache points"] = None
        for blocks in lists:
            blocks[:] = [made for made in blocks if "cachePoint" not in made]
        return
    if not family.tool_cache and lists and any("cachePoint" in made for made in _tools(body)):
        warnings["cache_control: left out of the tools, the model is not known to take it there"] = None
        _tools(body)[:] = [made for made in _tools(body) if "cachePoint" not in made]
    points = [made for blocks in lists for made in blocks if "cachePoint" in made]
    if len(points) > MOST:
        warnings[f"cache_control: only the last {MOST} of the breakpoints are sent"] = None
        dropped = {id(made) for made in points[:-MOST]}
        for blocks in lists:
            blocks[:] = [made for made in blocks if id(made) not in dropped]
    if mode == "auto" and family.cache == "auto" and not points and _tools(body):
        _place(body, family)
    for blocks in lists:
        _moved(blocks, warnings)
        if not family.hour:
            _shortened(blocks, warnings)


def _tools(body: Block) -> list[Block]:
    config = body.get("toolConfig")
    return config["tools"] if config is not None else []


def _lists(body: Block) -> Iterator[list[Block]]:
    if "toolConfig" in body:
        yield _tools(body)
    if "system" in body:
        yield body["system"]
    for turn in body["messages"]:
        yield turn["content"]


def _place(body: Block, family: Family) -> None:
    """On the last tool, the last system block and the last user block."""
    if family.tool_cache:
        _tools(body).append(dict(_POINT))
    if body.get("system"):
        body["system"].append(dict(_POINT))
    last = next((turn for turn in reversed(body["messages"]) if turn["role"] == "user"), None)
    if last is not None:
        last["content"].append(dict(_POINT))


def _moved(blocks: list[Block], warnings: dict[str, None]) -> None:
    """Each point before the documents that it follows; one that would be first is left out, as is a second one."""
    for made in [one for one in blocks if "cachePoint" in one]:
        at = next(index for index, one in enumerate(blocks) if one is made)
        to = at
        while to > 0 and any(kind in blocks[to - 1] for kind in _LARGE):
            to -= 1
        del blocks[at]
        if to > 0 and "cachePoint" not in blocks[to - 1]:
            blocks.insert(to, made)
        elif to == 0:
            warnings["cache_control: left out, a breakpoint cannot follow a document that comes first"] = None


def _shortened(blocks: list[Block], warnings: dict[str, None]) -> None:
    for index, made in enumerate(blocks):
        if made.get("cachePoint", {}).get("ttl") not in (None, "5m"):
            warnings["cache_control.ttl: left out, the model keeps five minutes"] = None
            blocks[index] = dict(_POINT)
