"""The clients that are tried: what each needs installed, and the file that runs it."""

from __future__ import annotations

from dataclasses import dataclass

ALL = ("anthropic-messages/agent", "openai-responses/agent", "google-gemini/agent", "openai-chat/agent")


@dataclass(frozen=True, slots=True)
class Client:
    """A program that is pointed at toolwire.

    `packages` are PyPI requirements when `kind` is `pip`, npm ones when it is `npm` (Node comes from PyPI). `file`
    is in `scripts` and is run by what its suffix says. `note` is shown with the settings; `lacks` tells what the
    program itself cannot do: its failures count as explained.
    """

    name: str
    file: str
    kind: str
    packages: tuple[str, ...]
    speaks: str
    note: str = ""
    lacks: str = ""
    models: tuple[str, ...] = ALL


CLIENTS = (
    Client("openai-python 1", "openai_python.py", "pip", ("openai>=1,<2",), "chat, responses"),
    Client("openai-python 2", "openai_python.py", "pip", ("openai>=2,<3",), "chat, responses"),
    Client("openai-python 3", "openai_python.py", "pip", ("openai>=3,<4",), "chat, responses"),
    Client("anthropic-python", "anthropic_python.py", "pip", ("anthropic>=2",), "messages"),
    Client("google-genai", "google_genai.py", "pip", ("google-genai>=3",), "gemini"),
    Client(
        "langchain-openai", "langchain_openai.py", "pip", ("langchain-openai>=1", "langchain>=1"), "chat, responses"
    ),
    Client("pydantic-ai", "pydantic_ai.py", "pip", ("pydantic-ai-slim[openai,anthropic,google]>=2",), "all four"),
    Client("openai-agents", "openai_agents.py", "pip", ("openai-agents>=0.20",), "responses, chat"),
    Client("instructor", "instructor.py", "pip", ("instructor>=1.10",), "chat"),
    Client("litellm", "litellm.py", "pip", ("litellm>=1.100",), "chat, messages"),
    Client(
        "smolagents", "smolagents.py", "pip", ("smolagents[openai]>=1.20",), "chat",
        note="It refuses `final_answer` beside another call. Gemini has no switch for one call at a time "
        "(`parallel_tool_calls: false` becomes a warning there), so a Gemini model may end a "
        "run early: not tried over Gemini.",
        models=tuple(model for model in ALL if "gemini" not in model),
    ),
    Client("openai-node", "openai_node.mjs", "npm", ("openai@7",), "chat, responses"),
    Client("anthropic-node", "anthropic_node.mjs", "npm", ("@anthropic-ai/sdk@1",), "messages"),
    Client(
        "vercel-ai-sdk", "vercel_ai.mjs", "npm", ("ai@7", "@ai-sdk/openai@4", "zod@4"), "chat, responses"
    ),
    Client(
        "claude-code", "claude_code.sh", "npm", ("@anthropic-ai/claude-code@2",), "messages",
        note="It asks for Claude models by name for side tasks: `ANTHROPIC_DEFAULT_HAIKU_MODEL` is the small one.",
    ),
    Client("codex", "codex.sh", "npm", ("@openai/codex@0",), "responses"),
    Client("opencode", "opencode.sh", "npm", ("opencode-ai@1",), "chat"),
    Client(
        "openclaw", "openclaw.sh", "npm", ("openclaw@2026",), "chat",
        note="Needs Node 24. Its own start takes 25 s and more before the first request on two busy cores.",
    ),
    Client("nanobot", "nanobot.sh", "pip", ("nanobot-ai>=0.3",), "chat"),
)
