"""Every form of calls written as text (text-tool-calls §1): its marks, and the grammar behind each.

A mark may belong to several forms: what follows it decides, among the forms that are looked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from adapters.tools.grammars import literals, mixed, tokens
from adapters.tools.grammars.bare import STARTING
from adapters.tools.grammars.mixed import Grammar


@dataclass(slots=True, frozen=True)
class Mark:
    """What a block begins with. `line`: at the start of a line only."""

    text: str
    grammar: Grammar
    forms: frozenset[str]
    line: bool = False


def _mark(text: str, grammar: Grammar, *forms: str, line: bool = False) -> Mark:
    return Mark(text, grammar, frozenset(forms), line)


MARKS: tuple[Mark, ...] = (
    _mark(
        "<tool_call>", mixed.tool_call,
        "hermes", "qwen3-coder", "invoke", "nullclaw", "glm45", "granite", "minimax-m2",
    ),
    *(_mark(text, mixed.tool_call, "nullclaw") for text in ("[TOOL_CALL]", "[tool_call]")),
    _mark("<scratch_pad>", mixed.reasoning("</scratch_pad>"), "hermes"),
    *(_mark(text, mixed.function, "qwen3-coder", "llama3-func", "nullclaw") for text in mixed.NAME_MARKS),
    _mark("<seed:tool_call>", mixed.tag_calls(mixed.QWEN), "seed-oss"),
    *(
        _mark(text, mixed.invoke, "invoke", "minimax-m2", "pythonic")
        for text in (*mixed.INVOKE_WRAPS, *mixed.INVOKE_CALLS)
    ),
    *(_mark(f"<{prefix}", mixed.dsml, "dsml") for prefix in mixed.DSML_PREFIXES),
    *(
        _mark(text, tokens.deepseek, "deepseek-v3", "deepseek-v31")
        for text in (tokens.DEEPSEEK_CALLS, tokens.DEEPSEEK_CALL)
    ),
    _mark("<|python_tag|>", mixed.python_tag, "llama3-json"),
    _mark("<|python_start|>", mixed.python("<|python_end|>"), "pythonic"),
    _mark("<|tool_call_start|>", mixed.lfm, "pythonic"),
    _mark("```tool_code", mixed.python("```"), "pythonic", line=True),
    _mark(tokens.MISTRAL, tokens.mistral, "mistral-v3", "mistral-v11"),
    *(_mark(text, tokens.kimi, "kimi-k2") for text in (*tokens.KIMI_SECTIONS, tokens.KIMI_CALL)),
    _mark("<|open|>", tokens.kimi3, "kimi-k3"),
    _mark(literals.PREFIX, literals.minimax3, "minimax-m3"),
    _mark("<tool_calls>", mixed.objects("</tool_calls>"), "minimax-m1", "jamba"),
    *(_mark(text, tokens.harmony, "harmony") for text in (tokens.HARMONY_START, tokens.HARMONY_CHANNEL)),
    *(_mark(text, literals.gemma, "gemma4") for text in ("<|tool_call>", "<start_function_call>")),
    _mark("functools[", mixed.functools, "phi4-mini"),
    _mark("<|tool_call|>", mixed.objects(), "granite"),
    _mark("<function_call>", mixed.objects("</function_call>"), "granite"),
    _mark("<|START_ACTION|>", mixed.objects("<|END_ACTION|>"), "cohere"),
    *(_mark(text, mixed.dropped, "cohere") for text in ("<|START_RESPONSE|>", "<|END_RESPONSE|>")),
    _mark("<|action_start|><|plugin|>", mixed.objects("<|action_end|>"), "internlm"),
    _mark("<TOOLCALL>", mixed.objects("</TOOLCALL>"), "nemotron-nano"),
    _mark(">>>", mixed.functionary, "functionary", line=True),
    _mark("Action:", mixed.objects(), "command-r", line=True),
)  # fmt: skip

FORMS = frozenset(form for mark in MARKS for form in mark.forms) | STARTING

RESULTS = ("<tool_response>", "[TOOL_RESULTS]", "<function_results>", "<｜tool▁outputs▁begin｜>", "Observation:")
"""What a model goes on with that makes up the results of its calls."""

END_TOKENS = ("<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<｜end▁of▁sentence｜>", "<|tool_call_end|>")
"""Special tokens that may be left behind a block."""

THOUGHTS = (
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<seed:think>", "</seed:think>"),
    ("<|channel>thought", "<channel|>"),
)
"""What reasoning at the start of an answer stands between."""


@lru_cache(maxsize=64)
def of_forms(forms: frozenset[str]) -> dict[str, Mark]:
    """The marks of these forms by their text."""
    return {mark.text: mark for mark in MARKS if mark.forms & forms}
