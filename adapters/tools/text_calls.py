"""What is looked for in the text of an answer, by the flags of its upstream."""

from __future__ import annotations

from adapters.format import Upstream
from adapters.model import Request
from adapters.tools.prompted import taught


def looked_for(request: Request, upstream: Upstream, offers: bool) -> tuple[str, ...]:
    """`Reading.recover`. `offers`: the model may call functions. OpenAI's own hosts never write calls as text."""
    flag = upstream.compat.get
    forms = flag("text_tool_calls", "off") if offers else "off"
    if offers and is_prompted(upstream):
        forms = "auto" if isinstance(forms, str) else tuple(dict.fromkeys((*forms, taught(upstream))))
    elif flag("openai_reasoning_models", False):
        return ()
    wanted: tuple[str, ...] = () if forms == "off" else (forms,) if isinstance(forms, str) else tuple(forms)
    match flag("inline_think", False):
        case True if request.thinking is None or request.thinking.effort != "none":
            return (*wanted, "within")
        case True | "auto":
            return (*wanted, "think")
    return wanted


def is_prompted(upstream: Upstream) -> bool:
    """Whether tools are told in the prompt and calls read from the text."""
    return bool(upstream.compat.get("tools", "native") == "prompted")
