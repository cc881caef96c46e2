"""Amazon Bedrock Converse (2026-11): what upstreams speak."""

from adapters.format import Api
from adapters.formats.bedrock_converse.api import BedrockConverse

API: Api = BedrockConverse()
