"""The demo: the same proxy on embedded emulated upstreams, one provider per API, and routes that show each fallback."""

from __future__ import annotations

from collections.abc import Callable

from adapters import registry
from proxy.listen import EMULATE_PORT

HEADER = f"""\
# toolwire's demo configuration: a starting point for your own.
# Each provider is an emulated upstream. They must run, or every request is a 502: in another terminal
#   toolwire emulate
# which listens on port {EMULATE_PORT}. Put your own keys and base URLs in their place, and it is not needed.
"""

NAMED = {"anthropic": "anthropic-messages", "openai": "openai-responses", "local": "ollama-chat"}
"""Providers of the example chain, by the names that people give them."""

ROUTES = """\
models:
  # A plain name for one upstream model.
  claude: anthropic-messages/agent
  gpt: openai-chat/agent
  # The usual chain: another vendor when the first is busy, a local model when nothing else helps.
  smart:
    target: anthropic/claude-opus-4-5
    fallbacks:
      - {target: openai/gpt-4o, on_errors: [rate_limit_error, overloaded_error]}
      - {target: local/llama3.1, on_errors: [all]}
  # The same chain on a day when the first two are down: see the walk in log, headers and metrics.
  smart-bad-day:
    target: anthropic/fault-429
    fallbacks:
      - {target: openai/fault-503, on_errors: [rate_limit_error, overloaded_error]}
      - {target: local/llama3.1, on_errors: [all]}
    retry: {attempts: 1}
  # And when all three are: one clear error, with each attempt in it.
  smart-worst-day:
    target: anthropic/fault-429
    fallbacks:
      - {target: openai/fault-503, on_errors: [rate_limit_error, overloaded_error]}
      - {target: local/fault-500, on_errors: [all]}
    retry: {attempts: 1}
  # The first target is rate limited: after its tries the chain moves on.
  after-rate-limit:
    target: openai-chat/fault-429
    fallbacks:
      - {target: anthropic-messages/agent, on_errors: [rate_limit_error, overloaded_error]}
    retry: {attempts: 1}
  # Overloaded, answered by its fallback; omitted on_errors take every passing fault.
  after-overload:
    target: anthropic-messages/fault-529
    fallbacks: [openai-chat/agent]
    retry: {attempts: 1}
  # No credit left is not retried; the chain moves on at once.
  after-no-credit:
    target: openai-chat/fault-quota
    fallbacks:
      - {target: anthropic-messages/agent, on_errors: [billing_error]}
  # A prompt that is too long goes to a model with a longer window.
  after-too-long:
    target: openai-chat/fault-context
    fallbacks:
      - {target: anthropic-messages/agent, on_errors: [context_length_exceeded]}
  # A stream that fails before it said anything is replaced unseen.
  after-early-error:
    target: anthropic-messages/fault-error-first
    fallbacks: [openai-chat/agent]
    retry: {attempts: 1}
  # Fails twice with 503, then answers: retries alone are enough.
  flaky:
    target: openai-chat/flaky-2
    retry: {attempts: 3, backoff_seconds: 0.05}
  # Nothing helps: one clear error with all attempts in it.
  all-fail:
    target: anthropic-messages/fault-429
    fallbacks:
      - {target: openai-chat/fault-503, on_errors: [all]}
    retry: {attempts: 1}
"""


def _emulate_command(api: str) -> str:
    """The base URL that `toolwire emulate` has by default."""
    from proxy.emulate.registry import APIS

    return f"http://127.0.0.1:{EMULATE_PORT}/{api}{next(known.base for known in APIS if known.name == api)}"


def demo_config(base_url: Callable[[str], str] = _emulate_command) -> str:
    """The demo's YAML. `base_url` gives the emulated upstream of an API; by default that of `toolwire emulate`."""
    providers = "".join(
        f"  {api}: {{api: {api}, base_url: \"{base_url(api)}\", api_key: demo-key}}\n" for api in emulated()
    )
    named = "".join(
        f"  {name}: {{api: {api}, base_url: \"{base_url(api)}\", api_key: demo-key}}\n" for name, api in NAMED.items()
    )
    return f"{HEADER}providers:\n{providers}{named}{ROUTES}"


def emulated() -> list[str]:
    """APIs that have both a client half and an emulated upstream."""
    from proxy.emulate.registry import APIS

    have = {api.name for api in APIS}
    return [name for name in registry.APIS if name in have and registry.api(name) is not None]
