"""How the emulated models write calls into their text, letter by letter, and what a prompted one understands."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.emulate.agent import Call, Plan, Result, Task, Tool
from proxy.emulate.openai_chat_text import ALONE, FORMS, QUIRKS, prompted, refused, written

TWO = (
    Call("f", {"s": "x y", "n": 1}, '{"s":"x y","n":1}'),
    Call("g", {"l": [True, None]}, '{"l":[true,null]}'),
)
M3 = "]<]minimax[>["

WRITTEN: dict[str, str] = {
    "hermes": '<tool_call>\n{"name": "f", "arguments": {"s":"x y","n":1}}\n</tool_call>\n'
    '<tool_call>\n{"name": "g", "arguments": {"l":[true,null]}}\n</tool_call>',
    "qwen3-coder": "<tool_call>\n<function=f>\n<parameter=s>\nx y\n</parameter>\n<parameter=n>\n1\n</parameter>\n"
    "</function>\n<function=g>\n<parameter=l>\n[true, null]\n</parameter>\n</function>\n</tool_call>",
    "invoke": '<function_calls>\n<invoke name="f">\n<parameter name="s">x y</parameter>\n<parameter name="n">1'
         '</parameter>'
    '\n</invoke>\n<invoke name="g">\n<parameter name="l">[true, null]</parameter>\n</invoke>\n</function_calls>',
    "nullclaw": '[TOOL_CALL]{"name": "f", "arguments": {"s":"x y","n":1}}[/TOOL_CALL]\n'
    '[TOOL_CALL]{"name": "g", "arguments": {"l":[true,null]}}[/TOOL_CALL]',
    "deepseek-v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n"
    '{"s":"x y","n":1}\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>g\n```json\n'
    '{"l":[true,null]}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "deepseek-v31": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"s":"x y","n":1}<｜tool▁call▁end｜>'
    '<｜tool▁call▁begin｜>g<｜tool▁sep｜>{"l":[true,null]}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "dsml": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="s" string="true">x y'
    '</｜DSML｜parameter>\n<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    '<｜DSML｜invoke name="g">\n<｜DSML｜parameter name="l" string="false">[true, null]</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "llama3-json": '{"name": "f", "parameters": {"s":"x y","n":1}}; {"name": "g", "parameters": {"l":[true,null]}}',
    "llama3-func": '<function=f>{"s":"x y","n":1}</function>\n<function=g>{"l":[true,null]}</function>',
    "pythonic": "[f(s='x y', n=1), g(l=[True, None])]",
    "mistral-v3": '[TOOL_CALLS] [{"name": "f", "arguments": {"s": "x y", "n": 1}}, '
    '{"name": "g", "arguments": {"l": [true, null]}}]',
    "mistral-v11": '[TOOL_CALLS]f{"s":"x y","n":1}[TOOL_CALLS]g{"l":[true,null]}',
    "kimi-k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>"
    '{"s":"x y","n":1}<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_argument_begin|>'
    '{"l":[true,null]}<|tool_call_end|><|tool_calls_section_end|>',
    "kimi-k3": '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="s" type="string"'
         '<|sep|>x y'
    '<|close|>argument<|sep|><|open|>argument key="n" type="json"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>'
    '<|open|>call tool="g" index="2"<|sep|><|open|>argument key="l" type="json"<|sep|>[true, null]'
    "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
    "glm45": "<tool_call>f\n<arg_key>s</arg_key>\n<arg_value>x y</arg_value>\n<arg_key>n</arg_key>\n<arg_value>1"
         "</arg_value>"
    "\n</tool_call>\n<tool_call>g\n<arg_key>l</arg_key>\n<arg_value>[true, null]</arg_value>\n</tool_call>",
    "minimax-m2": '<minimax:tool_call>\n<invoke name="f">\n<parameter name="s">x y</parameter>\n'
    '<parameter name="n">1</parameter>\n</invoke>\n<invoke name="g">\n<parameter name="l">[true, null]</parameter>\n'
    "</invoke>\n</minimax:tool_call>",
    "minimax-m3": f'{M3}<tool_call>\n{M3}<invoke name="f">\n{M3}<s>x y{M3}</s>\n{M3}<n>1{M3}</n>\n{M3}</invoke>\n'
    f'{M3}<invoke name="g">\n{M3}<l>[true, null]{M3}</l>\n{M3}</invoke>\n{M3}</tool_call>',
    "minimax-m1": '<tool_calls>\n{"name": "f", "arguments": {"s":"x y","n":1}}\n{"name": "g", "arguments": '
    '{"l":[true,null]}}\n</tool_calls>',
    "harmony": '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"s":"x y","n":1}<|call|>'
    '<|start|>assistant<|channel|>commentary to=functions.g <|constrain|>json<|message|>{"l":[true,null]}<|call|>',
    "gemma4": '<|tool_call>call:f{s:<|"|>x y<|"|>,n:1}<tool_call|><|tool_call>call:g{l:[true, null]}<tool_call|>',
    "phi4-mini": 'functools[{"name": "f", "arguments": {"s": "x y", "n": 1}}, '
    '{"name": "g", "arguments": {"l": [true, null]}}]',
    "granite": '<|tool_call|>[{"name": "f", "arguments": {"s": "x y", "n": 1}}, '
    '{"name": "g", "arguments": {"l": [true, null]}}]',
    "cohere": '<|START_ACTION|>[{"tool_name": "f", "parameters": {"s": "x y", "n": 1}}, '
    '{"tool_name": "g", "parameters": {"l": [true, null]}}]<|END_ACTION|>',
    "internlm": '<|action_start|><|plugin|>{"name": "f", "arguments": {"s":"x y","n":1}}<|action_end|>\n'
    '<|action_start|><|plugin|>{"name": "g", "arguments": {"l":[true,null]}}<|action_end|>',
    "jamba": '<tool_calls>[{"name": "f", "arguments": {"s": "x y", "n": 1}}, '
    '{"name": "g", "arguments": {"l": [true, null]}}]</tool_calls>',
    "seed-oss": "<seed:tool_call>\n<function=f>\n<parameter=s>\nx y\n</parameter>\n<parameter=n>\n1\n</parameter>\n"
    "</function>\n<function=g>\n<parameter=l>\n[true, null]\n</parameter>\n</function>\n</seed:tool_call>",
    "xlam": '[{"name": "f", "arguments": {"s": "x y", "n": 1}}, {"name": "g", "arguments": {"l": [true, null]}}]',
    "nemotron-nano": '<TOOLCALL>[{"name": "f", "arguments": {"s": "x y", "n": 1}}, '
    '{"name": "g", "arguments": {"l": [true, null]}}]</TOOLCALL>',
    "functionary": '>>>f\n{"s":"x y","n":1}\n>>>g\n{"l":[true,null]}',
    "command-r": 'Action: ```json\n[{"tool_name": "f", "parameters": {"s": "x y", "n": 1}}, '
    '{"tool_name": "g", "parameters": {"l": [true, null]}}]\n```',
}


def test_every_form_is_here() -> None:
    assert FORMS.keys() == WRITTEN.keys()
    assert {*(f"text-{form}" for form in FORMS), "prompted"} == QUIRKS


@pytest.mark.parametrize("form", WRITTEN)
def test_a_form(form: str) -> None:
    assert FORMS[form](TWO) == WRITTEN[form]


def test_a_sentence_stands_before_calls_that_have_a_mark() -> None:
    whole = Plan(calls=TWO, finish="tool_calls")
    assert written(whole, "text-hermes") == Plan(text="I look it up.\n\n" + WRITTEN["hermes"])
    assert written(whole, "prompted") == written(whole, "text-hermes")
    assert written(whole, "text-xlam") == Plan(text=WRITTEN["xlam"])
    assert {"xlam", "pythonic", "llama3-json"} == ALONE
    assert written(whole, "text-harmony").text == (
        "<|channel|>commentary<|message|>I look it up.<|end|><|start|>assistant" + WRITTEN["harmony"]
    )
    assert written(Plan(text="Hi"), "text-hermes") == Plan(text="Hi")


def test_groqs_refusal() -> None:
    error = refused(Plan(calls=TWO))["error"]
    assert (error["code"], error["failed_generation"]) == ("tool_use_failed", WRITTEN["llama3-func"])


TOOLS = '<tools>\n{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}\n</tools>'
RESPONSE = '<tool_response>\n{"name": "f", "content": "12"}\n</tool_response>'
UNDERSTOOD: list[tuple[list[tuple[str, str]], dict[str, Any]]] = [
    ([("user", "hi")], {"user": "hi"}),
    ([("system", f"Be brief.\n{TOOLS}"), ("user", "hi")], {"user": "hi", "tools": (Tool("f", {"type": "object"}),)}),
    ([("system", f"{TOOLS}\nThis time you must call the tool f, and no other."), ("user", "hi")],
     {"user": "hi", "tools": (Tool("f", {"type": "object"}),), "choice": "required", "allowed": ("f",)}),
    ([("system", f"{TOOLS}\nThis time you must call at least one tool.\nWrite no more than one call in a message."),
      ("user", "hi")],
     {"user": "hi", "tools": (Tool("f", {"type": "object"}),), "choice": "required", "parallel": False}),
    ([("user", "hi"), ("assistant", "<tool_call>{}</tool_call>"), ("user", f"{RESPONSE}\n{RESPONSE}")],
     {"user": "hi", "rounds": 1, "results": (Result("", "f", "12"), Result("", "f", "12"))}),
    ([("user", "hi"), ("assistant", "<tool_call>{}</tool_call>"), ("user", f"{RESPONSE}\nAnd?")],
     {"user": "And?", "results": (Result("", "f", "12"),)}),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "expected"), UNDERSTOOD)
def test_what_a_prompted_model_understands(texts: list[tuple[str, str]], expected: dict[str, Any]) -> None:
    assert prompted(Task(), texts) == Task(**expected)
