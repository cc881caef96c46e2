"""The messages of Converse: roles, calls and results, media, returned reasoning (bedrock-converse §3, §5, §6)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Any

from proxy.emulate.bedrock_blocks import kind
from proxy.emulate.bedrock_families import Family
from proxy.emulate.bedrock_rules import Problem, constraint, model

Json = Any

MOST_IMAGES, MOST_DOCUMENTS = 20, 5
_KEY = b"the emulator's own"
_NINE = re.compile(r"[a-zA-Z0-9]{9}")


def sign(text: str) -> str:
    """The signature of a reasoning text."""
    mac = hmac.new(_KEY, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return base64.b64encode(b"\x12emulated" + mac).decode()


def check_messages(messages: list[Json], rules: Family, thinking: Json) -> None:
    """Every message, then the turns that they make: neighbours of one role are one."""
    if all(message["role"] == "system" for message in messages):
        raise Problem("A conversation must start with a user message. Add a user message and try again.")
    names: list[str] = []
    for index, message in enumerate(messages):
        _check_content(message, f"messages.{index}", rules, names)
    for name in names:
        if names.count(name) > 1:
            raise Problem(f"Messages can't contain duplicate document names. Document names: [{name}]")
    turns = merged(messages)
    if turns[0]["role"] == "assistant" and not rules.starts:
        text = "A conversation must start with a user message. Try again with a conversation that starts with a user"
        raise Problem(f"{text} message.")
    if turns[-1]["role"] == "assistant":
        _check_prefill(turns[-1], rules)
    _check_pairs(turns)
    for index, turn in enumerate(turns):
        _check_beside(turn, index, rules)
    _check_reasoning(turns, rules, thinking)


def merged(messages: list[Json]) -> list[Json]:
    """Neighbours of one role as one message; system messages stand between none."""
    turns: list[Json] = []
    for message in messages:
        if message["role"] == "system":
            continue
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1] = {**turns[-1], "content": [*turns[-1]["content"], *message["content"]]}
        else:
            turns.append(message)
    return turns


def _check_content(message: Json, path: str, rules: Family, names: list[str]) -> None:
    role, kinds = message["role"], [kind(block) for block in message["content"]]
    if not kinds:
        text = f"The content field in the Message object at {path} is empty. Add a ContentBlock object to the content"
        raise Problem(f"{text} field and try again.")
    if role == "system" and not rules.system_turns:
        raise constraint(f"{path}.role", "satisfy enum value set: [user, assistant]")
    own = {"toolUse": "assistant", "reasoningContent": "assistant", "toolResult": "user", "document": "user",
           "image": "user", "video": "user", "audio": "user"}  # fmt: skip
    for index, name in enumerate(kinds):
        if own.get(name, role) != role:
            text = f"The {name} field in the ContentBlock object at {path}.content.{index} is not allowed for the role"
            raise Problem(f"{text} {role}.")
    if kinds.count("image") > MOST_IMAGES or kinds.count("document") > MOST_DOCUMENTS:
        raise Problem(f"{path}: at most {MOST_IMAGES} images and {MOST_DOCUMENTS} documents are allowed in a message.")
    if "document" in kinds and "text" not in kinds:
        raise Problem(f"A text block must be included with a document. Add a text block at {path}.content.")
    names += [block["document"]["name"] for block in message["content"] if kind(block) == "document"]


def _check_prefill(turn: Json, rules: Family) -> None:
    last = turn["content"][-1]
    if not rules.ends:
        text = "This model does not support assistant message prefill. The conversation must end with a user message."
        raise model(text)
    if kind(last) == "text" and last["text"] != last["text"].rstrip():
        raise model("messages: final assistant content cannot end with trailing whitespace")


# calls and results


def _check_pairs(turns: list[Json]) -> None:
    """Every call is answered in the next turn, once; nothing else is."""
    for index, turn in enumerate(turns):
        calls = [b["toolUse"]["toolUseId"] for b in turn["content"] if kind(b) == "toolUse" and not _is_server(b)]
        before = turns[index - 1]["content"] if index else []
        called = [block["toolUse"]["toolUseId"] for block in before if kind(block) == "toolUse"]
        given = [block["toolResult"]["toolUseId"] for block in turn["content"] if kind(block) == "toolResult"]
        if turn["role"] == "user":
            for identifier in given:
                if identifier not in called:
                    text = f"The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse"
                    raise Problem(f"{text} blocks of previous turn.")
                if given.count(identifier) > 1:
                    text = f"The toolResult blocks at messages.{index}.content contain duplicate Ids: {identifier}"
                    raise Problem(text)
        after = turns[index + 1]["content"] if index + 1 < len(turns) else []
        answered = [block["toolResult"]["toolUseId"] for block in after if kind(block) == "toolResult"]
        if missing := [identifier for identifier in calls if identifier not in answered]:
            text = f"Expected toolResult blocks at messages.{index + 1}.content for the following Ids:"
            raise Problem(f"{text} {', '.join(missing)}")
        if len(set(calls)) < len(calls):
            raise Problem(f"The toolUse blocks at messages.{index}.content contain duplicate Ids")


def _is_server(block: Json) -> bool:
    return bool(block["toolUse"].get("type") == "server_tool_use")


def _check_beside(turn: Json, index: int, rules: Family) -> None:
    """What a family allows in results, beside them, and as their ids."""
    kinds = [kind(block) for block in turn["content"]]
    for at, block in enumerate(turn["content"]):
        path = f"messages.{index}.content.{at}"
        name = kind(block)
        if name in ("toolUse", "toolResult") and rules.ids and not _NINE.fullmatch(block[name]["toolUseId"]):
            text = f"Tool call id was {block[name]['toolUseId']} but must be a-z, A-Z, 0-9, with a length of 9."
            raise model(text)
        if name == "toolResult":
            _check_result(block["toolResult"], path, rules)
        elif "toolResult" in kinds and name not in (*rules.beside, "cachePoint"):
            text = f"This model doesn't support the {name} field beside toolResult blocks. Remove {path} and try again."
            raise Problem(text)


def _check_result(result: Json, path: str, rules: Family) -> None:
    if "status" in result and not rules.status:
        text = f"This model doesn't support the toolResult.status field. Remove {path}.toolResult.status and try again."
        raise Problem(text)
    for block in result["content"]:
        name = kind(block)
        if name in ("image", "document", "video") and name not in rules.media:
            text = f"This model doesn't support the toolResult.content.{name} field. Remove it and try again."
            raise Problem(text)


# reasoning


def _check_reasoning(turns: list[Json], rules: Family, thinking: Json) -> None:
    for index, turn in enumerate(turns):
        for at, block in enumerate(turn["content"]):
            if kind(block) == "reasoningContent":
                _check_block(block["reasoningContent"], f"messages.{index}.content.{at}", rules)
    if rules.reasoning == "claude" and (thinking or {}).get("type") == "enabled":
        _check_start(turns)


def _check_block(block: Json, path: str, rules: Family) -> None:
    inside = block.get("reasoningText")
    if rules.reasoning != "claude":
        if rules.reasoning == "none" or inside is None:
            raise Problem("This model doesn't support the reasoningContent field. Remove it and try again.")
        if "signature" in inside:
            text = "This model doesn't support the reasoningContent.reasoningText.signature field. Remove"
            raise Problem(f"{text} reasoningContent.reasoningText.signature and try again.")
    elif inside is not None:
        if not inside.get("signature"):
            raise model(f"{path}.thinking.signature: Field required")
        if inside["signature"] != sign(inside["text"]):
            raise model(f"{path}: Invalid `signature` in `thinking` block")
    elif base64.b64decode(block["redactedContent"]) != base64.b64decode(sign("")):
        raise model(f"{path}: Invalid `data` in `redacted_thinking` block")


def _check_start(turns: list[Json]) -> None:
    """With thinking switched on the running turn's first call message begins with it."""
    last = max((i for i, turn in enumerate(turns) if _is_user(turn)), default=-1)
    for index, turn in enumerate(turns[last + 1 :], last + 1):
        if turn["role"] != "assistant":
            continue
        kinds = [kind(block) for block in turn["content"]]
        if "toolUse" in kinds and kinds[0] != "reasoningContent":
            found = {"toolUse": "tool_use"}.get(kinds[0], kinds[0])
            text = f"messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `{found}`."
            raise model(
                f"{text} When `thinking` is enabled, a final `assistant` message must start with a thinking block"
            )
        return


def _is_user(turn: Json) -> bool:
    return bool(turn["role"] == "user" and any(kind(block) != "toolResult" for block in turn["content"]))
