"""Which row a model's id gets."""

import pytest

from adapters.format import Upstream
from adapters.formats.bedrock_converse.models import OTHER, known


@pytest.mark.parametrize(("name", "family"), [
    ("anthropic.claude-3-haiku-20240307-v1:0", "claude"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude"),
    ("global.anthropic.claude-opus-5-v1:0", "claude"),
    ("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude"),
    ("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0", "nova"),
    ("apac.amazon.nova-lite-v1:0", "nova"), ("amazon.nova-2-lite-v1:0", "nova"),
    ("openai.gpt-oss-20b-1:0", "gpt-oss"), ("openai.gpt-5.6-v1:0", "openai"), ("openai.gpt-6-v1:0", "openai"),
    ("mistral.mistral-large-2407-v1:0", "mistral"), ("mistral.ministral-3-3b-instruct", "mistral"),
    ("mistral.mixtral-8x7b-instruct-v0:1", "mistral"), ("us.mistral.pixtral-large-2502-v1:0", "mistral"),
    ("meta.llama3-8b-instruct-v1:0", "llama"), ("us.meta.llama4-scout-17b-instruct-v1:0", "llama"),
    ("qwen.qwen3-coder-480b-a35b-v1:0", "qwen"), ("deepseek.r1-v1:0", "deepseek"), ("deepseek.v3-v1:0", "deepseek"),
    ("google.gemma-3-12b-it", "gemma"), ("zai.glm-4.7-flash", "glm"), ("moonshotai.kimi-k2.5", "kimi"),
    ("minimax.minimax-m2.1", "minimax"), ("nvidia.nemotron-nano-12b-v2", "nemotron"), ("xai.grok-4", "grok"),
    ("writer.palmyra-x4-v1:0", "palmyra"), ("ai21.jamba-1-5-mini-v1:0", "ai21"),
    ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "other"), ("cohere.command-r-v1:0", "other"),
])
def test_families(name, family):
    found = known(Upstream(name))
    assert found.family.name == family
    assert found.claude == (family == "claude")


def test_the_configured_family_comes_first():
    profile = "arn:aws:bedrock:us-east-1:1:application-inference-profile/abc"
    assert known(Upstream(profile, family="claude-opus-4-8")).facts.system_entries
    assert known(Upstream(profile, family="amazon.nova-pro-v1:0")).family.name == "nova"
    assert known(Upstream("amazon.nova-pro-v1:0", family="my own word")).family.name == "nova"
    assert known(Upstream(profile, family="my own word")).family is OTHER


@pytest.mark.parametrize(("name", "structured", "hour"), [
    ("anthropic.claude-3-5-sonnet-20241022-v2:0", False, False),
    ("anthropic.claude-opus-4-1-20250805-v1:0", True, False),
    ("anthropic.claude-sonnet-4-20250514-v1:0", False, False),
    ("anthropic.claude-sonnet-4-5-20250929-v1:0", True, True),
    ("anthropic.claude-haiku-4-5-20251001-v1:0", False, True),
    ("anthropic.claude-opus-4-5-20251101-v1:0", True, True),
    ("anthropic.claude-opus-4-6-v1:0", True, True),
    ("anthropic.claude-sonnet-4-6-v1:0", False, True),
    ("anthropic.claude-opus-4-7-v1:0", False, True),
    ("anthropic.claude-opus-4-8-v1:0", False, True),
    ("anthropic.claude-opus-5-v1:0", False, True),
    ("anthropic.claude-sonnet-5-v1:0", False, True),
    ("anthropic.claude-fable-5-v1:0", False, True),
    ("anthropic.claude-opus-5-5-v1:0", True, True),
])
def test_claudes(name, structured, hour):
    family = known(Upstream(name)).family
    assert (family.structured, family.hour) == (structured, hour)
