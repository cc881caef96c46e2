"""Every key of the config schema has a test that shows its effect.

`EFFECTS` names it (file under tests/, then the function). A new key in the schema comes with its row.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from adapters.compat import FLAGS
from proxy.config.reference import keys

TESTS = Path(__file__).parents[2]

CHAT = "adapters/formats/openai_chat/test_flags.py"
GEMINI = "adapters/formats/google_gemini"
MISTRAL = "adapters/formats/mistral_chat/test_request.py"
MESSAGES = "adapters/formats/anthropic_messages/test_request.py"
CHECK = "proxy/test_tool_check.py"
RESPONSES = "adapters/formats/openai_responses/test_request.py"
SKIPPED = "proxy/engine/test_run.py::test_a_target_that_cannot_take_the_request_is_skipped_unasked"

BEDROCK = "adapters/formats/bedrock_converse"
COHERE = "adapters/formats/cohere_chat"
TEXT = "adapters/tools/test_text_calls.py"
OLLAMA = "adapters/formats/ollama_chat/test_request.py"

PARAMETERS = (
    "effort", "frequency_penalty", "max_tokens", "parallel_tool_calls", "presence_penalty", "seed", "service_tier",
    "stop", "temperature", "top_k", "top_p", "verbosity",
)  # fmt: skip

EFFECTS: dict[str, str] = {
    "compat.mistral-chat.inline_think": f"{TEXT}::test_inline_think",
    "compat.mistral-chat.text_tool_calls": f"{TEXT}::test_text_tool_calls",
    "compat.mistral-chat.tools": f"{TEXT}::test_tools_in_the_prompt",
    "compat.ollama-chat.inline_think": f"{TEXT}::test_inline_think",
    "compat.ollama-chat.text_tool_calls": f"{TEXT}::test_text_tool_calls",
    "compat.ollama-chat.tools": f"{TEXT}::test_tools_in_the_prompt",
    "compat.openai-chat.inline_think": f"{TEXT}::test_inline_think",
    "compat.openai-chat.text_tool_calls": f"{TEXT}::test_text_tool_calls",
    "compat.openai-chat.tools": f"{TEXT}::test_tools_in_the_prompt",
    "clients[].allow": f"{CHECK}::test_for_a_client_that_may_not_the_header_is_ignored_with_a_warning",
    "compat.bedrock-converse.betas": f"{BEDROCK}/test_request.py::test_betas",
    "compat.bedrock-converse.cache": f"{BEDROCK}/test_messages.py::test_no_breakpoints",
    "compat.bedrock-converse.sort_tools": f"{BEDROCK}/test_request.py::test_sort_tools",
    "compat.bedrock-converse.stream_tools": f"{BEDROCK}/test_request.py::test_stream_tools",
    "compat.bedrock-converse.strict_tools": f"{BEDROCK}/test_request.py::test_strict",
    "compat.bedrock-converse.structured_output": f"{BEDROCK}/test_request.py::test_structured_output",
    "compat.cohere-chat.sort_tools": f"{COHERE}/test_request.py::test_sort_tools",
    "compat.cohere-chat.strict_tools": f"{COHERE}/test_strict.py::test_all_tools_strict",
    "compat.ollama-chat.sort_tools": f"{OLLAMA}::test_tools_go_by_name_unless_told_otherwise",
    "compat.anthropic-messages.betas": f"{MESSAGES}::test_headers",
    "compat.anthropic-messages.cache": f"{MESSAGES}::test_breakpoints",
    "compat.anthropic-messages.eager_input_streaming": f"{MESSAGES}::test_eager_input_streaming",
    "compat.anthropic-messages.key_header": f"{MESSAGES}::test_key_header",
    "compat.anthropic-messages.sort_tools": f"{MESSAGES}::test_tool_order",
    "compat.anthropic-messages.strict_tools": f"{MESSAGES}::test_strict",
    "compat.anthropic-messages.unsupported_fields": f"{MESSAGES}::test_own_fields_options_and_hosts_that_refuse_some",
    "compat.google-gemini.unsupported_fields": f"{GEMINI}/test_request.py::test_fields_that_the_host_refuses",
    "compat.google-gemini.use_parameters": f"{GEMINI}/test_tools.py::test_just_one_of_the_two_schema_fields",
    "compat.openai-responses.custom_tools": f"{RESPONSES}::test_custom_tools_where_there_are_none",
    "compat.openai-responses.encrypted_reasoning": f"{RESPONSES}::test_include",
    "compat.openai-responses.key_header": f"{RESPONSES}::test_auth",
    "compat.openai-responses.max_tools": f"{RESPONSES}::test_too_many_tools",
    "compat.openai-responses.metadata": f"{RESPONSES}::test_fields_that_a_host_is_not_known_to_take",
    "compat.openai-responses.parallel_tool_calls": f"{RESPONSES}::test_parallel_calls",
    "compat.openai-responses.prompt_cache_key": f"{RESPONSES}::test_fields_that_a_host_is_not_known_to_take",
    "compat.openai-responses.service_tier": f"{RESPONSES}::test_fields_that_a_host_is_not_known_to_take",
    "compat.openai-responses.sort_tools": f"{RESPONSES}::test_tools_that_keep_their_order",
    "compat.openai-responses.store": f"{RESPONSES}::test_store",
    "compat.openai-responses.strict_tools": f"{RESPONSES}::test_strict",
    "compat.openai-responses.unsupported_fields": f"{RESPONSES}::test_fields_that_the_upstream_refuses",
    "compat.openai-responses.unsupported_schema_keywords": f"{RESPONSES}::test_keywords_that_a_host_refuses",
    "providers.NAME.preset": "proxy/config/test_build.py::test_api_preset_and_base_url",
    "providers.NAME.models.NAME.compat": "proxy/config/test_build.py::test_flags_of_a_model",
    "providers.NAME.vertex.project": f"{GEMINI}/test_request.py::test_path",
    "providers.NAME.vertex.location": "proxy/config/test_build.py::test_vertex_hosts",
    "providers.NAME.vertex.credentials": "proxy/test_vertex.py::test_one_token_serves_all_requests",
    "providers.NAME.aws.access_key_id": "proxy/test_signing.py::test_a_request_is_signed_as_it_is_sent",
    "providers.NAME.aws.profile": "proxy/upstream/test_aws_credentials.py::test_without_the_network",
    "providers.NAME.aws.region": "proxy/config/test_build.py::test_api_preset_and_base_url",
    "providers.NAME.aws.secret_access_key": "proxy/test_signing.py::test_a_request_is_signed_as_it_is_sent",
    "providers.NAME.aws.session_token": "proxy/test_signing.py::test_a_request_is_signed_as_it_is_sent",
    "models.NAME.fallbacks[].on_errors": "proxy/engine/test_decide.py::test_rules_name_types_and_upstream_statuses",
    "models.NAME.retry.attempts": "proxy/engine/test_decide.py::test_decide",
    "models.NAME.retry.backoff_seconds": "proxy/engine/test_decide.py::test_backoff_is_full_jitter_under_its_bound",
    "models.NAME.retry.max_backoff_seconds": "proxy/engine/test_decide.py::test_backoff_is_full_jitter_under_its_bound",
    "models.NAME.tool_check": f"{CHECK}::test_fallback_moves_on_to_a_target_that_answers_validly",
    "models.NAME.tool_check_hint": f"{CHECK}::test_a_retry_of_the_same_target_carries_the_error",
    "models.NAME.commit": "proxy/engine/test_gate.py::test_commit_answer_holds_reasoning_back_too",
    "compat.mistral-chat.sort_tools": f"{MISTRAL}::test_sort_tools",
    "compat.mistral-chat.strict_tools": f"{MISTRAL}::test_strict_tools",
    "compat.openai-chat.assistant_after_tool_result": f"{CHAT}::test_assistant_after_tool_result",
    "compat.openai-chat.cache": f"{CHAT}::test_cache",
    "compat.openai-chat.custom_tools": f"{CHAT}::test_custom_tools",
    "compat.openai-chat.developer_role": f"{CHAT}::test_developer_role",
    "compat.openai-chat.key_header": f"{CHAT}::test_key_header",
    "compat.openai-chat.max_tokens_field": f"{CHAT}::test_max_tokens_field",
    "compat.openai-chat.max_tools": f"{CHAT}::test_max_tools",
    "compat.openai-chat.merge_system": f"{CHAT}::test_merge_system",
    "compat.openai-chat.message_name": f"{CHAT}::test_message_name",
    "compat.openai-chat.metadata": f"{CHAT}::test_fields_that_few_hosts_know",
    "compat.openai-chat.null_content": f"{CHAT}::test_null_content",
    "compat.openai-chat.openai_reasoning_models": f"{CHAT}::test_openai_reasoning_models",
    "compat.openai-chat.parallel_tool_calls": f"{CHAT}::test_parallel_tool_calls",
    "compat.openai-chat.parsed_arguments": f"{CHAT}::test_parsed_arguments",
    "compat.openai-chat.prompt_cache_key": f"{CHAT}::test_fields_that_few_hosts_know",
    "compat.openai-chat.reasoning_echo": f"{CHAT}::test_reasoning_echo",
    "compat.openai-chat.reasoning_style": f"{CHAT}::test_reasoning_style",
    "compat.openai-chat.repeats": f"{CHAT}::test_repeats",
    "compat.openai-chat.response_format": f"{CHAT}::test_response_format",
    "compat.openai-chat.service_tier": f"{CHAT}::test_fields_that_few_hosts_know",
    "compat.openai-chat.sort_tools": f"{CHAT}::test_sort_tools",
    "compat.openai-chat.store": f"{CHAT}::test_fields_that_few_hosts_know",
    "compat.openai-chat.stream_usage": f"{CHAT}::test_stream_usage",
    "compat.openai-chat.strict_formats": f"{CHAT}::test_strict_formats",
    "compat.openai-chat.strict_tools": f"{CHAT}::test_strict_tools",
    "compat.openai-chat.tool_choice": f"{CHAT}::test_tool_choice",
    "compat.openai-chat.tool_id": f"{CHAT}::test_tool_id",
    "compat.openai-chat.tool_result_name": f"{CHAT}::test_tool_result_name",
    "compat.openai-chat.unsupported_fields": f"{CHAT}::test_unsupported_fields",
    "compat.openai-chat.unsupported_schema_keywords": f"{CHAT}::test_unsupported_schema_keywords",
    "providers.NAME.models.NAME.context_window": SKIPPED,
    "providers.NAME.models.NAME.images": SKIPPED,
    "providers.NAME.models.NAME.tools": SKIPPED,
    "server.fetch_images": "proxy/upstream/test_images.py::test_fetch_images_and_image_hosts",
    "server.log_content": "proxy/test_content_log.py::test_what_is_asked_and_answered_is_told_where_a_name_says_so",
    "server.image_hosts": "proxy/upstream/test_images.py::test_fetch_images_and_image_hosts",
    "state.backend": "proxy/test_shared_state.py::test_reasoning_is_restored_by_another_worker",
    "state.url": "proxy/test_shared_state.py::test_reasoning_is_restored_by_another_worker",
    "state.ttl_seconds": "proxy/state/test_redis.py::test_values_end",
    "state.max_bytes": "proxy/state/test_memory.py::test_100_000_calls_stay_within_the_bound",
    "clients[].key": "proxy/test_access.py::test_places_of_a_key",
    "clients[].models": "proxy/test_access.py::test_models_of_a_client",
    "clients[].name": "proxy/test_access.py::test_places_of_a_key",
    "clients[].requests_per_minute": "proxy/test_access.py::test_requests_per_minute",
    "models.NAME.deadline_seconds": "proxy/test_timeouts.py::test_deadline",
    "providers.NAME.ca_file": "proxy/test_routes.py::test_ca_file_and_transport",
    "providers.NAME.transport": "proxy/test_routes.py::test_ca_file_and_transport",
    "providers.NAME.api": "proxy/test_routes.py::test_a_targets_upstream",
    "providers.NAME.base_url": "proxy/test_routes.py::test_a_targets_upstream",
    "providers.NAME.api_key": "proxy/test_routes.py::test_a_list_of_keys",
    "providers.NAME.headers": "proxy/test_routes.py::test_what_a_provider_adds",
    "providers.NAME.query": "proxy/test_routes.py::test_what_a_provider_adds",
    "providers.NAME.provider_options": "proxy/test_routes.py::test_what_a_provider_adds",
    "providers.NAME.models.NAME.family": "proxy/test_routes.py::test_facts_of_a_model",
    "providers.NAME.models.NAME.max_output_tokens": "proxy/test_routes.py::test_facts_of_a_model",
    "providers.NAME.timeout.connect": "proxy/test_timeouts.py::test_connect",
    "providers.NAME.timeout.first_content": "proxy/test_timeouts.py::test_first_content",
    "providers.NAME.timeout.idle": "proxy/test_timeouts.py::test_idle",
    "providers.NAME.timeout.total": "proxy/test_timeouts.py::test_total",
    "server.drain_seconds": "proxy/test_process.py::test_a_drain_that_takes_too_long",
    "server.early_head_seconds": "proxy/test_early_head.py::test_signs_of_life_then_a_retry",
    "server.keepalive_seconds": "proxy/test_early_head.py::test_signs_of_life_inside_a_stream",
    "server.host": "proxy/test_access.py::test_an_open_proxy_listens_on_loopback_only",
    "server.port": "proxy/test_process.py::test_a_port_that_is_taken",
    "server.workers": "proxy/test_process.py::test_workers",
    "server.max_json_depth": "proxy/test_bodies.py::test_bad_json",
    "server.max_request_bytes": "proxy/test_bodies.py::test_the_largest_that_fits",
    "compat.google-gemini.sort_tools": f"{GEMINI}/test_tools.py::test_tool_order",
    "compat.google-gemini.unsupported_schema_keywords": f"{GEMINI}/test_tools.py::test_keywords_that_a_host_refuses",
    **dict.fromkeys(
        (
            "models.NAME.target",
            "models.NAME.target.target",
            "models.NAME.target[].target",
            "models.NAME.fallbacks[].target",
            "models.NAME.fallbacks[].target.target",
            "models.NAME.fallbacks[].target[].target",
        ),
        "proxy/test_routes.py::test_forms_of_targets",
    ),
    **dict.fromkeys(
        (
            "models.NAME.target.context_window",
            "models.NAME.target[].context_window",
            "models.NAME.fallbacks[].context_window",
            "models.NAME.fallbacks[].target.context_window",
            "models.NAME.fallbacks[].target[].context_window",
        ),
        "proxy/test_routes.py::test_windows_of_targets",
    ),
    "models.NAME.target[].weight": "proxy/test_routes.py::test_spread",
    "models.NAME.fallbacks[].target[].weight": "proxy/test_routes.py::test_spread",
    **{f"models.NAME.params.{name}": "adapters/test_params.py::test_params" for name in PARAMETERS},
    **{f"models.NAME.force.{name}": "adapters/test_params.py::test_force" for name in PARAMETERS},
}


def leaves() -> set[str]:
    """Keys that hold a value; those that only hold other keys have no effect of their own. Compat flags by API."""
    found = list(keys())
    outer = {path.rpartition(".")[0] for path, _ in found} | {path.rpartition("[]")[0] for path, _ in found}
    named = {path for path, node in found if node.get("type") != "object" and not _holds_only(path, node, outer)}
    flags = {f"compat.{api}.{flag.name}" for api, known in FLAGS.items() for flag in known}
    maps = {path for path, node in found if node.get("type") == "object" and path.rpartition(".")[2] in MAPS}
    return named | maps | flags


MAPS = ("headers", "query", "provider_options", "compat")


def _holds_only(path: str, node: dict, outer: set[str]) -> bool:
    return node.get("type") == "array" and f"{path}[]" in outer


ALL = leaves() - {"providers.NAME.compat"}  # its flags stand one by one


@cache
def functions(file: str) -> frozenset[str]:
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text())
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds) and node.name.startswith("test"))


@pytest.mark.parametrize("key", sorted(EFFECTS))
def test_the_named_test_exists(key):
    file, _, function = EFFECTS[key].partition("::")
    assert function in functions(file), f"{EFFECTS[key]} does not exist"


def test_no_row_without_a_key():
    assert set(EFFECTS) - ALL == set()


def test_every_key_has_a_row():
    assert sorted(ALL - set(EFFECTS)) == []


def test_the_walk_finds_keys_on_every_level():
    assert {
        "server.port",
        "clients[].requests_per_minute",
        "state.url",
        "providers.NAME.api_key",
        "providers.NAME.headers",
        "providers.NAME.timeout.idle",
        "providers.NAME.models.NAME.compat",
        "models.NAME.target",
        "models.NAME.target[].weight",
        "models.NAME.fallbacks[].on_errors",
        "models.NAME.force.stop",
        } <= ALL
    assert not {"server", "clients", "providers", "models", "providers.NAME.timeout", "models.NAME.fallbacks"} & ALL
