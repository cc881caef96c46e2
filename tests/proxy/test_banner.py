"""What start-up prints where there is no config: what can be asked for."""

import pytest

from proxy.banner import lines
from proxy.config.discover import discover


@pytest.mark.parametrize(("environ", "expected"), [
    ({"OPENAI_API_KEY": "x", "GROQ_API_KEY": "y"}, [
        "  models           any of openai/MODEL, groq/MODEL: put its name for MODEL",
        "  by bare name     gpt-*, o1*, o3*, o4*, chatgpt-*, codex-*, computer-use-*",
    ]),
    ({"GROQ_API_KEY": "y"}, ["  models           any of groq/MODEL: put its name for MODEL"]),
])
def test_what_can_be_asked_for(environ, expected):
    config = discover(environ)
    assert config is not None
    said = list(lines(config, 4100))
    assert said[4:said.index("")] == [*expected, "  No config: the providers come from the environment's keys. "
                                      "GET /v1/models lists a config's routes."]
