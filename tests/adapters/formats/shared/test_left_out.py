"""Each field that a request may say is named when it is lost, and only then."""

import pytest

from adapters.formats.shared.left_out import FIELDS, told
from adapters.model import CacheMark, Message, Request, Sampling, Text, Tool

GO = (Message("user", (Text("go"),)),)
USED = {
    "top_k": Request("m", GO, sampling=Sampling(top_k=1)),
    "seed": Request("m", GO, sampling=Sampling(seed=0)),
    "presence_penalty": Request("m", GO, sampling=Sampling(presence_penalty=0.0)),
    "frequency_penalty": Request("m", GO, sampling=Sampling(frequency_penalty=1)),
    "logit_bias": Request("m", GO, sampling=Sampling(logit_bias={"1": 1})),
    "logprobs": Request("m", GO, sampling=Sampling(logprobs=True)),
    "top_logprobs": Request("m", GO, sampling=Sampling(top_logprobs=2)),
    "user": Request("m", GO, user="u"),
    "metadata": Request("m", GO, metadata={"a": "b"}),
    "service_tier": Request("m", GO, service_tier="flex"),
    "verbosity": Request("m", GO, verbosity="low"),
    "prompt_cache_key": Request("m", GO, cache_key="k"),
    "parallel_tool_calls": Request("m", GO, tools=(Tool("f"),), parallel=False),
    "cache_control": Request("m", GO, tools=(Tool("f", cache=CacheMark()),)),
    "name of a message": Request("m", (Message("user", (Text("go"),), name="ann"),)),
}


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_named_where_used(name):
    warnings = {}
    told(USED[name], "x-api", FIELDS, warnings)
    assert list(warnings) == [f"{name}: left out, x-api has no such field"]
    told(USED[name], "x-api", FIELDS - {name}, none := {})
    assert none == {}


def test_nothing_said():
    quiet = Request("m", GO, sampling=Sampling(logprobs=False, logit_bias={}), metadata={}, service_tier="auto",
                    parallel=False)
    told(quiet, "x-api", FIELDS, warnings := {})
    assert warnings == {}
    marked = Request("m", (Message("user", (Text("go", CacheMark()),)),))
    told(marked, "x-api", FIELDS, warnings)
    assert list(warnings) == ["cache_control: left out, x-api has no such field"]
