"""`toolwire probe` over emulated upstreams: what passes, what fails, and what the operator reads."""

from __future__ import annotations

import re

import pytest

from proxy.cli import main
from proxy.emulate import Emulation


@pytest.fixture
def probe(tmp_path, capsys, emulated: Emulation):
    """Exit status and printed lines for one model of one provider, its base URL's `/v1` replaced by `version`; the
    port as PORT, times left out."""

    def asked(model: str, version: str = "/v1", api: str = "openai-chat", facts: str = "{}") -> tuple[int, list[str]]:
        url = emulated.base_url(api).replace("/v1", version)
        (tmp_path / "c.yaml").write_text(
            f'providers: {{up: {{api: {api}, base_url: "{url}", api_key: s3cret-k3y, '
            f'query: {{tenant: s3cret-tenant}}, models: {{"{model}": {facts}}}}}}}\n'
        )
        code = main(["probe", str(tmp_path / "c.yaml")])
        out = re.sub(r" +\d+ ms", "", capsys.readouterr().out)
        return code, [" ".join(line.split()) for line in out.replace(str(emulated.port), "PORT").splitlines()]

    return asked


@pytest.mark.parametrize("api", ["openai-chat", "anthropic-messages", "google-gemini", "ollama-chat"])
def test_a_good_model(probe, api):
    assert probe("agent", api=api) == (0, ["up/agent question ok", "up/agent tool call ok"])


def test_arguments_that_are_no_json(probe):
    assert probe("fault-bad-arguments") == (1, [
        "up/fault-bad-arguments question ok",
        "up/fault-bad-arguments tool call failed invalid call of get_time: no JSON",
    ])


def test_an_answer_in_text(probe):
    code, lines = probe("fault-refusal")
    assert code == 1
    assert "up/fault-refusal tool call failed the tool was not called: the model answered in text" in lines


def test_a_model_that_calls_no_tools_is_not_asked_to(probe):
    assert probe("agent", facts="{tools: false}") == (0, ["up/agent question ok"])


def test_an_upstreams_failure_shows_the_address(probe):
    code, lines = probe("fault-503")
    assert code == 1
    assert lines[1::2] == ["asked POST http://127.0.0.1:PORT/openai-chat/v1/chat/completions"] * 2
    assert "s3cret" not in "".join(lines)


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("/v1/v1", "base_url: /v1/v1 says the version twice"),
        ("/v1x", "404: the model's name is wrong, or base_url: /v1 may be missing in it, or stand in it twice"),
        ("", "base_url: the path has no /v1: most hosts want one (or the model's name is wrong)"),
    ],
)
def test_a_wrong_base_url(probe, version, hint):
    code, lines = probe("agent", version)
    assert code == 1
    assert lines[1:3] == [f"asked POST http://127.0.0.1:PORT/openai-chat{version}/chat/completions", hint]
