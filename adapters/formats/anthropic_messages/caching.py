"""Prompt-cache breakpoints of a native body (2026-11): at most four, in the order tools, system, messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adapters.formats.anthropic_messages.blocks import Block

MOST = 4
_MARK: Mapping[str, str] = {"type": "ephemeral"}
_MARKABLE = frozenset({"text", "image", "document", "tool_result"})


def settle(body: Block, mode: str, warnings: dict[str, None]) -> None:
    """Marks the body's own blocks, in place. `mode` is `compat.cache`: "auto", "client" or "off".

    auto: where the request has tools and nobody set a mark, the last tool, system block and user block get one.
    """
    if mode == "off":
        body.pop("cache_control", None)
        for block in _carriers(body):
            block.pop("cache_control", None)
        return
    marked = [block for block in _carriers(body) if block.get("cache_control") is not None]
    most = MOST - (1 if body.get("cache_control") is not None else 0)
    if len(marked) > most:
        warnings[f"cache_control: only the last {MOST} of the breakpoints are sent"] = None
        for block in marked[:-most]:
            del block["cache_control"]
    if mode == "auto" and not marked and most == MOST and body.get("tools"):
        _place(body)


def _carriers(body: Block) -> Iterator[Block]:
    yield from body.get("tools", ())
    yield from body.get("system", ())
    for turn in body["messages"]:
        for block in turn["content"]:
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                yield from block["content"]
            yield block


def _place(body: Block) -> None:
    tools = [tool for tool in body["tools"] if not tool.get("defer_loading")]
    if tools:
        tools[-1]["cache_control"] = dict(_MARK)
    system = [block for block in body.get("system", ()) if block.get("type") == "text"]
    if system:
        system[-1]["cache_control"] = dict(_MARK)
    last = next((turn for turn in reversed(body["messages"]) if turn["role"] == "user"), None)
    blocks = [block for block in last["content"] if block.get("type") in _MARKABLE] if last else []
    if blocks:
        blocks[-1]["cache_control"] = dict(_MARK)
