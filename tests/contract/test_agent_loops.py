"""The agent loops that people write, as they write them: three rounds of one shell tool, then text.

Those on the plain SDKs of Anthropic and OpenAI run over every API there is.
"""

from __future__ import annotations

import json
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

TASK = "List the files, please: 3 rounds."
COMMAND = {"enum": ["ls -la \"$HOME\"", "echo 'größe' | wc -c"], "type": "string", "description": "What to run."}
SCHEMA = {"type": "object", "properties": {"command": COMMAND}, "required": ["command"], "additionalProperties": False}
SHELL = "Run a command in bash. Output is stdout and stderr."
STREAMED = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


class Shell:
    """Runs nothing; keeps what it was told to run."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    def __call__(self, command: str) -> str:
        assert command in COMMAND["enum"]
        self.commands.append(command)
        return f"$ {command}\nfile-{len(self.commands)}.txt\n"

    def check(self, said: str | None) -> None:
        """Three rounds were made, and the answer quotes the last result."""
        assert len(self.commands) == 3
        assert said is not None
        assert said.strip() == f"The tools answered:\nshell: $ {self.commands[-1]}\nfile-3.txt"


@STREAMED
def test_anthropic_sdk(claude: anthropic.Anthropic, every_api: str, streamed: bool) -> None:
    shell = Shell()
    tools: Any = [{"name": "shell", "description": SHELL, "input_schema": SCHEMA}]
    messages: list[Any] = [{"role": "user", "content": TASK}]
    body: Any = {"model": f"{every_api}/agent", "max_tokens": 1024, "tools": tools, "messages": messages}
    while True:
        if streamed:
            with claude.messages.stream(**body) as stream:
                response: Any = stream.get_final_message()
        else:
            response = claude.messages.create(**body)
        messages.append({"role": "assistant", "content": response.content})
        if response.stop_reason != "tool_use":
            break
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": shell(**block.input)}
            for block in response.content
            if block.type == "tool_use"
        ]
        messages.append({"role": "user", "content": results})
    assert response.stop_reason == "end_turn"
    shell.check("".join(block.text for block in response.content if block.type == "text"))


@STREAMED
def test_openai_responses(chat: openai.OpenAI, every_api: str, streamed: bool) -> None:
    shell = Shell()
    tools: Any = [{"type": "function", "name": "shell", "description": SHELL, "parameters": SCHEMA, "strict": True}]
    items: list[Any] = [{"role": "user", "content": TASK}]
    body: Any = {"model": f"{every_api}/agent", "tools": tools, "input": items, "store": False}
    while True:
        if streamed:
            with chat.responses.stream(**body) as stream:
                response: Any = stream.get_final_response()
        else:
            response = chat.responses.create(**body)
        items += response.output
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            break
        for call in calls:
            output = shell(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    assert response.status == "completed"
    shell.check(response.output_text)


def test_openai_responses_continued_by_id(chat: openai.OpenAI, api: str) -> None:
    """The same loop with only what is new: the proxy keeps the conversation."""
    shell = Shell()
    tools: Any = [{"type": "function", "name": "shell", "description": SHELL, "parameters": SCHEMA, "strict": True}]
    response = chat.responses.create(model=f"{api}/agent", tools=tools, input=TASK)
    while calls := [item for item in response.output if item.type == "function_call"]:
        outputs: Any = [
            {"type": "function_call_output", "call_id": call.call_id, "output": shell(**json.loads(call.arguments))}
            for call in calls
        ]
        response = chat.responses.create(
            model=f"{api}/agent", tools=tools, input=outputs, previous_response_id=response.id
        )
    shell.check(response.output_text)


@STREAMED
def test_google_genai_automatic_function_calling(gemini: genai.Client, api: str, streamed: bool) -> None:
    """`chats` with a Python function: the SDK calls it, and keeps the history."""
    run = Shell()

    def shell(command: str) -> str:
        """Run a command in bash."""
        run.commands.append(command)
        return f"$ {command}\nfile-{len(run.commands)}.txt\n"

    history = gemini.chats.create(model=f"{api}/agent", config=types.GenerateContentConfig(tools=[shell]))
    if streamed:
        said = "".join(chunk.text or "" for chunk in history.send_message_stream(TASK))
    else:
        said = history.send_message(TASK).text or ""
    run.check(said[said.index("The tools answered"):])
    again = history.send_message("And now: 1 rounds.").text or ""
    assert len(run.commands) == 4
    assert again.endswith("file-4.txt\n")


@STREAMED
def test_google_genai_by_hand(gemini: genai.Client, api: str, streamed: bool) -> None:
    shell = Shell()
    declared = types.FunctionDeclaration(name="shell", description=SHELL, parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
    chat: Any = gemini.chats.create(model=f"{api}/agent", config=config)
    message: Any = TASK
    while True:
        if streamed:
            chunks = chat.send_message_stream(message)
            parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        else:
            parts = chat.send_message(message).candidates[0].content.parts
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            break
        message = [
            types.Part.from_function_response(name=call.name, response={"result": shell(**call.args)}) for call in calls
        ]
    shell.check("".join(part.text or "" for part in parts if not part.thought))
