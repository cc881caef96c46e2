"""Every check a row: what is written, what the user reads."""

import sys

import pytest

from proxy.config.overrides import Overrides

P = "providers: {a: {api: anthropic-messages, api_key: k}, o: {api: openai-chat, api_key: k}}\n"

SHAPE = [
    # unknown keys
    ("serveur: {}\n" + P, ['1:1 serveur: no key "serveur" here; did you mean "server"?']),
    (P + "zzz: 1\n", ['2:1 zzz: no key "zzz" here (known: clients, models, providers, server, state)']),
    ("server: {prt: 1, hst: localhost}\n" + P, [
        '1:10 server.prt: no key "prt" here; did you mean "port"?',
        '1:18 server.hst: no key "hst" here; did you mean "host"?',
    ]),
    ("providers: {a: {api: cohere-chat, basse_url: 'http://x'}}", [
        '1:35 providers.a.basse_url: no key "basse_url" here; did you mean "base_url"?'
    ]),
    ("providers: {a: {api: cohere-chat, timeout: {Connect: 1}}}", [
        '1:45 providers.a.timeout.Connect: no key "Connect" here; did you mean "connect"?'
    ]),
    (P + "models: {m: {target: a/x, fallback: [o/y]}}", [
        '2:27 models.m.fallback: no key "fallback" here; did you mean "fallbacks"?'
    ]),
    (P + "models: {m: {target: a/x, fallbacks: [{target: o/y, onerrors: [all]}]}}", [
        '2:53 models.m.fallbacks[0].onerrors: no key "onerrors" here; did you mean "on_errors"?'
    ]),
    (P + "models: {m: {target: [{target: a/x, wieght: 2}]}}", [
        '2:37 models.m.target[0].wieght: no key "wieght" here; did you mean "weight"?'
    ]),
    (P + "models: {m: {target: a/x, params: {temprature: 1}, force: {max_token: 1}}}", [
        '2:36 models.m.params.temprature: no key "temprature" here; did you mean "temperature"?',
        '2:60 models.m.force.max_token: no key "max_token" here; did you mean "max_tokens"?',
    ]),
    # what is beneath a misspelt key is told with it, in the file's spelling
    ("providers: {a: {api: olama-chat, api_kye: [k, k], modells: {x: {context_windwo: no}}}}\n"
     "modles: {m: {tagret: b/x, fallback: [{target: c/y, onerrors: [timeout]}]}}\nserver: {prot: 0x}\n", [
        '1:17 providers.a.api: no such value: "olama-chat"; did you mean "ollama-chat"?',
        '1:34 providers.a.api_kye: no key "api_kye" here; did you mean "api_key"?',
        "1:47 providers.a.api_kye[1]: is listed twice",
        '1:51 providers.a.modells: no key "modells" here; did you mean "models"?',
        "1:65 providers.a.modells.x.context_windwo: must be a whole number, not text",
        '1:65 providers.a.modells.x.context_windwo: no key "context_windwo" here; did you mean "context_window"?',
        '2:1 modles: no key "modles" here; did you mean "models"?',
        '2:14 modles.m.tagret: no key "tagret" here; did you mean "target"?',
        '2:14 modles.m.tagret: provider "b" is not defined (defined: a)',
        '2:27 modles.m.fallback: no key "fallback" here; did you mean "fallbacks"?',
        '2:39 modles.m.fallback[0].target: provider "c" is not defined (defined: a)',
        '2:52 modles.m.fallback[0].onerrors: no key "onerrors" here; did you mean "on_errors"?',
        '2:63 modles.m.fallback[0].onerrors[0]: no error type "timeout"; did you mean "timeout_error"?',
        '3:10 server.prot: must be a whole number, not text',
        '3:10 server.prot: no key "prot" here; did you mean "port"?',
    ]),
    ("server: {port: 1, prot: x}\n" + P, ['1:19 server.prot: no key "prot" here; did you mean "port"?']),
    # keys of other programs
    ("providers: {a: {api: openai-chat, api_base: x}}", [
        '1:35 providers.a.api_base: must be an http:// or https:// URL without user, query or fragment',
        '1:35 providers.a.api_base: no key "api_base" here: it is "base_url"',
    ]),
    ("model_list: []\n" + P, [
        '1:1 model_list: no key "model_list" here: "models" and "providers" stand for it, see docs/litellm.md'
    ]),
    (P + "models: {m: {litellm_params: {model: a/x}}}", [
        '2:10 models.m: "target" is missing',
        '2:14 models.m.litellm_params: no key "litellm_params" here: its "model" is a "target", the rest stands once '
        'in "providers", see docs/litellm.md',
    ]),
    # compat flags go by the api
    ("providers: {a: {api: anthropic-messages, compat: {use_parameters: true}}}", [
        '1:51 providers.a.compat.use_parameters: no key "use_parameters" here (known: betas, cache, '
        "eager_input_streaming, key_header, sort_tools, strict_tools, unsupported_fields)"
    ]),
    ("providers: {a: {preset: deepseek, compat: {betas: ['*']}}}", [
        '1:44 providers.a.compat.betas: no key "betas" here (known: assistant_after_tool_result, cache, custom_tools, '
        "developer_role, inline_think, key_header, max_tokens_field, max_tools, merge_system, message_name, metadata, "
        "null_content, openai_reasoning_models, parallel_tool_calls, parsed_arguments, prompt_cache_key, "
        "reasoning_echo, reasoning_style, repeats, response_format, "
        "service_tier, sort_tools, store, stream_usage, strict_formats, strict_tools, text_tool_calls, tool_choice, "
        "tool_id, tool_result_name, tools, unsupported_fields, unsupported_schema_keywords)"
    ]),
    ("providers: {a: {api: google-gemini, models: {x: {compat: {tool_id: any}}}}}", [
        '1:59 providers.a.models.x.compat.tool_id: no key "tool_id" here (known: sort_tools, '
        "unsupported_fields, unsupported_schema_keywords, use_parameters)"
    ]),
    ("providers: {a: {api: openai-chat, compat: {strict_tools: true}}}", [
        "1:44 providers.a.compat.strict_tools: no such value: true (known: lossless, off, rewrite)"
    ]),
    ("providers: {a: {api: openai-chat, compat: {tool_choice: no-require}}}", [
        '1:44 providers.a.compat.tool_choice: no such value: "no-require"; did you mean "no-required"?'
    ]),
    ("providers: {a: {api: openai-chat, compat: {max_tools: 0}}}", [
        "1:44 providers.a.compat.max_tools: no such value: 0 (known: null, a whole number from 1)"
    ]),
    ("providers: {a: {api: openai-chat, compat: {max_tools: [5]}}}", [
        "1:44 providers.a.compat.max_tools: no such value: [5] (known: null, a whole number from 1)"
    ]),
    ("providers: {a: {api: openai-chat, compat: {text_tool_calls: [hermes, hermes]}}}", [
        "1:70 providers.a.compat.text_tool_calls[1]: is listed twice"
    ]),
    ("providers: {a: {api: openai-chat, compat: {text_tool_calls: [hermes, herms]}}}", [
        '1:70 providers.a.compat.text_tool_calls[1]: no such value: "herms"; did you mean "hermes"?'
    ]),
    ("providers: {a: {api: openai-chat, compat: {text_tool_calls: always}}}", [
        '1:44 providers.a.compat.text_tool_calls: no such value: "always" (known: off, auto, a list)'
    ]),
    ("providers: {a: {api: anthropic-messages, compat: {eager_input_streaming: on}}}", [
        '1:51 providers.a.compat.eager_input_streaming: no such value: "on" (known: auto, true, false)'
    ]),
    # values that are none
    ("providers: {a: {api: anthropic-mesages}}", [
        '1:17 providers.a.api: no such value: "anthropic-mesages"; did you mean "anthropic-messages"?'
    ]),
    ("providers: {a: {preset: deepsek}}", [
        '1:17 providers.a.preset: no such value: "deepsek"; did you mean "deepseek"?'
    ]),
    (P + "models: {m: {target: a/x, tool_check: warn, commit: contnet}}", [
        '2:27 models.m.tool_check: no such value: "warn" (known: fallback, off, repair, report)',
        '2:45 models.m.commit: no such value: "contnet"; did you mean "content"?',
    ]),
    (P + "models: {m: {target: a/x, fallbacks: [{target: o/y, on_errors: [429, 5xx, all, content_filter]}]}}", []),
    (P + "models: {m: {target: a/x, fallbacks: [{target: o/y, on_errors: [200, 6xx, timeout]}]}}", [
        "2:65 models.m.fallbacks[0].on_errors[0]: no HTTP status of an error: 200 (allowed: 400 to 599, 4xx, 5xx, an "
        "error type or all)",
        '2:70 models.m.fallbacks[0].on_errors[1]: no HTTP status of an error: "6xx" (allowed: 400 to 599, 4xx, 5xx, an '
        "error type or all)",
        '2:75 models.m.fallbacks[0].on_errors[2]: no error type "timeout"; did you mean "timeout_error"?',
    ]),
    (P + "models: {m: {target: a/x, fallbacks: [{target: o/y, on_errors: [[all]]}]}}", [
        '2:65 models.m.fallbacks[0].on_errors[0]: no error type ["all"] (known: all, api_error, authentication_error, '
        "billing_error, connection_error, content_filter, context_length_exceeded, invalid_request_error, "
        "invalid_tool_call, malformed_response, not_found_error, overloaded_error, permission_error, "
        "rate_limit_error, request_too_large, stream_interrupted, timeout_error, upstream_auth_error)"
    ]),
    (P + "models: {m: {target: a/x, fallbacks: [{target: o/y, on_errors: [all, 429, all]}]}}", [
        "2:75 models.m.fallbacks[0].on_errors[2]: is listed twice"
    ]),
    # kinds of values
    ("server: 5\n" + P, ["1:1 server: must be a mapping, not a whole number"]),
    ("server: {port: '4100'}\n" + P, ["1:10 server.port: must be a whole number, not text"]),
    ("server: {port: 4100.0}\n" + P, ["1:10 server.port: must be a whole number, not a number"]),
    ("server: {port: true}\n" + P, ["1:10 server.port: must be a whole number, not true or false"]),
    ("server: {host: }\n" + P, ["1:10 server.host: has no value; must be text"]),
    ("server: {image_hosts: x}\n" + P, ["1:10 server.image_hosts: must be a list, not text"]),
    ("providers: {a: {api: cohere-chat, api_key: 12345}}", [
        "1:35 providers.a.api_key: must be text or a list: put it in quotes"
    ]),
    ("providers: {a: {api: cohere-chat, headers: {x: 1}}}", [
        "1:45 providers.a.headers.x: must be text: put it in quotes"
    ]),
    (P + "models: {m: {target: a/x, tool_check_hint: 'yes'}}", [
        "2:27 models.m.tool_check_hint: must be true or false, not text"
    ]),
    (P + "models: {m: {target: 5}}", ["2:14 models.m.target: must be text or a mapping or a list: put it in quotes"]),
    ("providers:\n", ["1:1 providers: has no value; must be a mapping"]),
    # what is missing or empty
    ("server: {port: 1}\n", ['1:1 "providers" is missing']),
    ("providers: {}\n", ["1:1 providers: must not be empty"]),
    ("providers: {a: {base_url: 'http://127.0.0.1'}}", ['1:13 providers.a: needs "api" or "preset"']),
    ("providers: {a: {api: cohere-chat, api_key: ''}}", ["1:35 providers.a.api_key: must not be empty"]),
    ("providers: {a: {api: cohere-chat, api_key: []}}", ["1:35 providers.a.api_key: must not be empty"]),
    ("providers: {a: {api: cohere-chat, api_key: [k, j, k]}}", ["1:51 providers.a.api_key[2]: is listed twice"]),
    ("providers: {a: {api: cohere-chat, api_key: 'k k'}}", [
        "1:35 providers.a.api_key: must have no spaces or line breaks"
    ]),
    ('providers: {a: {api: cohere-chat, api_key: ["k\\n"]}}', [
        "1:45 providers.a.api_key[0]: must have no spaces or line breaks"
    ]),
    ("clients: [{name: n}]\n" + P, ['1:11 clients[0]: "key" is missing']),
    ("clients: [{}]\n" + P, ['1:11 clients[0]: "key" is missing', '1:11 clients[0]: "name" is missing']),
    (P + "models: {m: {fallbacks: [a/x]}}", ['2:10 models.m: "target" is missing']),
    (P + "models: {m: {target: a/x, fallbacks: [{on_errors: [all]}]}}", [
        '2:39 models.m.fallbacks[0]: "target" is missing'
    ]),
    (P + "models: {m: {target: [{weight: 1}]}}", ['2:23 models.m.target[0]: "target" is missing']),
    (P + "models: {m: {target: []}}", ["2:14 models.m.target: must not be empty"]),
    ("providers: {a: {api: google-gemini, vertex: {project: p}}}", ['1:37 providers.a.vertex: "location" is missing']),
    ("providers: {a: {api: bedrock-converse, aws: {region: r, access_key_id: i}}}", [
        '1:57 providers.a.aws.access_key_id: needs "secret_access_key" beside it'
    ]),
    ("providers: {a: {api: bedrock-converse, aws: {region: r, session_token: t}}}", [
        '1:57 providers.a.aws.session_token: needs "access_key_id" beside it'
    ]),
    # names
    ("providers: {a/b: {api: cohere-chat}}", ['1:13 providers["a/b"]: "a/b" cannot be a name here']),
    (P + "models: {'a b': {target: a/x}}", ['2:10 models["a b"]: "a b" cannot be a name here']),
    ("providers: {a: {api: cohere-chat, headers: {'x y': z}}}", [
        '1:45 providers.a.headers["x y"]: "x y" cannot be a name here'
    ]),
    ("providers: {a: {api: cohere-chat, headers: {x: \"a\\nb\"}}}", ["1:45 providers.a.headers.x: must be one line"]),
    ("providers: {a: {api: cohere-chat, provider_options: {cohere: {}}}}", [
        '1:54 providers.a.provider_options.cohere: "cohere" cannot be a name here; did you mean "cohere-chat"?'
    ]),
    # base URLs
    *(
        (f"providers: {{a: {{api: cohere-chat, base_url: '{url}'}}}}", [
            "1:35 providers.a.base_url: must be an http:// or https:// URL without user, query or fragment"
        ])
        for url in ("api.cohere.com", "ftp://x", "http://", "http://u:p@x", "http://x?y=1", "http://x/#y", "http://a b")
    ),
    ("providers: {a: {api: cohere-chat, base_url: \"http://x\\n\"}}", [
        "1:35 providers.a.base_url: must be an http:// or https:// URL without user, query or fragment"
    ]),
    ("state: {backend: redis, url: 'http://x'}\n" + P, [
        "1:25 state.url: must begin with redis://, rediss:// or unix://"
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SHAPE)
def test_shape(problems, text, expected):
    assert problems(text) == expected


BOUNDS = [
    ("server: {port: -1}", "1:10 server.port: must be at least 0"),
    ("server: {port: 65536}", "1:10 server.port: must be at most 65535"),
    ("server: {workers: 0}", "1:10 server.workers: must be at least 1"),
    ("server: {workers: 257}", "1:10 server.workers: must be at most 256"),
    ("server: {max_request_bytes: 10}", "1:10 server.max_request_bytes: must be at least 1024"),
    ("server: {max_json_depth: 7}", "1:10 server.max_json_depth: must be at least 8"),
    ("server: {max_json_depth: 257}", "1:10 server.max_json_depth: must be at most 256"),
    ("server: {drain_seconds: -1}", "1:10 server.drain_seconds: must be at least 0"),
    ("server: {keepalive_seconds: 0}", "1:10 server.keepalive_seconds: must be more than 0"),
    ("server: {early_head_seconds: 3601}", "1:10 server.early_head_seconds: must be at most 3600"),
    ("clients: [{name: n, key: k, requests_per_minute: 0}]", "1:29 clients[0].requests_per_minute: must be at least 1"),
    ("state: {ttl_seconds: 0}", "1:9 state.ttl_seconds: must be more than 0"),
    ("state: {max_bytes: 1}", "1:9 state.max_bytes: must be at least 65536"),
]


@pytest.mark.parametrize(("text", "expected"), BOUNDS)
def test_bounds(problems, text, expected):
    assert problems(f"{text}\n{P}") == [expected]


PROVIDER_BOUNDS = [
    ("timeout: {connect: 0}", "timeout.connect: must be more than 0"),
    ("timeout: {first_content: -1}", "timeout.first_content: must be more than 0"),
    ("timeout: {idle: 86401}", "timeout.idle: must be at most 86400"),
    ("timeout: {total: 0}", "timeout.total: must be more than 0"),
    ("models: {x: {context_window: 0}}", "models.x.context_window: must be at least 1"),
    ("models: {x: {max_output_tokens: 0}}", "models.x.max_output_tokens: must be at least 1"),
]


@pytest.mark.parametrize(("text", "expected"), PROVIDER_BOUNDS)
def test_bounds_of_providers(problems, text, expected):
    found = problems(f"providers: {{a: {{api: cohere-chat, {text}}}}}")
    assert [line.partition(" ")[2] for line in found] == [f"providers.a.{expected}"]


ROUTE_BOUNDS = [
    ("retry: {attempts: 0}", "retry.attempts: must be at least 1"),
    ("retry: {attempts: 21}", "retry.attempts: must be at most 20"),
    ("retry: {backoff_seconds: -1}", "retry.backoff_seconds: must be at least 0"),
    ("retry: {max_backoff_seconds: -1}", "retry.max_backoff_seconds: must be at least 0"),
    ("deadline_seconds: 0", "deadline_seconds: must be more than 0"),
    ("params: {max_tokens: 0}", "params.max_tokens: must be at least 1"),
    ("params: {temperature: 3}", "params.temperature: must be at most 2"),
    ("params: {top_p: 2}", "params.top_p: must be at most 1"),
    ("params: {top_k: 0}", "params.top_k: must be at least 1"),
    ("params: {presence_penalty: 3}", "params.presence_penalty: must be at most 2"),
    ("params: {frequency_penalty: -3}", "params.frequency_penalty: must be at least -2"),
    (
        "force: {effort: huge}",
        'force.effort: no such value: "huge" (known: high, low, max, medium, minimal, none, xhigh)',
    ),
    ("force: {stop: []}", "force.stop: must not be empty"),
    ("target: [{target: a/y, weight: 0}]", "target[0].weight: must be more than 0"),
    ("target: [{target: a/y, weight: -1}]", "target[0].weight: must be more than 0"),
    ("target: {target: a/y, context_window: 0}", "target.context_window: must be at least 1"),
    ("fallbacks: [{target: a/y, context_window: 0}]", "fallbacks[0].context_window: must be at least 1"),
]


@pytest.mark.parametrize(("text", "expected"), ROUTE_BOUNDS)
def test_bounds_of_routes(problems, text, expected):
    target = "" if text.startswith("target") else "target: a/x, "
    found = problems(f"{P}models: {{m: {{{target}{text}}}}}")
    assert [line.partition(" ")[2] for line in found] == [f"models.m.{expected}"]


REFERENCES = [
    # targets
    (P + "models: {m: {target: opnai/x}}", ['2:14 models.m.target: provider "opnai" is not defined (defined: a, o)']),
    (P + "models: {m: b/x}", ['2:10 models.m: provider "b" is not defined (defined: a, o)']),
    (P + "models: {m: {target: [a/x, {target: b/x}], fallbacks: [c/x, {target: d/x}, {target: [e/x]}]}}", [
        '2:29 models.m.target[1].target: provider "b" is not defined (defined: a, o)',
        '2:56 models.m.fallbacks[0]: provider "c" is not defined (defined: a, o)',
        '2:62 models.m.fallbacks[1].target: provider "d" is not defined (defined: a, o)',
        '2:86 models.m.fallbacks[2].target[0]: provider "e" is not defined (defined: a, o)',
    ]),
    (P + "models: {m: {target: gpt-4o}}", [
        '2:14 models.m.target: a target is "provider/model", not "gpt-4o" (providers: a, o)'
    ]),
    (P + "models: {m: {target: a/}}", ['2:14 models.m.target: the model is missing after "a/"']),
    (P + "models: {m: {target: a/x, fallbacks: [m, n]}, n: {target: m}}", [
        '2:39 models.m.fallbacks[0]: "m" is another entry of models; a target is "provider/model", chains do not nest',
        '2:42 models.m.fallbacks[1]: "n" is another entry of models; a target is "provider/model", chains do not nest',
        '2:51 models.n.target: "m" is another entry of models; a target is "provider/model", chains do not nest',
    ]),
    (P + "models: {m: {target: a/vendor/model:8b}}", []),
    # patterns
    (P + "models: {'gpt-*': {target: a/x}, 'gpt-**': {target: o/x}}", [
        '2:34 models.gpt-**: matches the same names as "gpt-*"'
    ]),
    # api and preset
    ("providers: {a: {api: anthropic-messages, preset: deepseek}}", [
        '1:17 providers.a.api: preset "deepseek" speaks openai-chat'
    ]),
    ("providers: {a: {api: openai-chat, preset: deepseek}}", []),
    ("providers: {a: {api: openai-responses, preset: azure, base_url: 'https://r.openai.azure.com/openai/v1'}}", []),
    ("providers: {a: {api: cohere-chat, preset: xai}}", [
        '1:17 providers.a.api: preset "xai" speaks openai-chat or openai-responses'
    ]),
    ("providers: {a: {preset: azure}}", [
        '1:13 providers.a: preset "azure" needs "base_url", such as https://RESOURCE.openai.azure.com/openai/v1'
    ]),
    # platforms
    ("providers: {a: {api: cohere-chat, vertex: {project: p, location: l}}}", [
        "1:35 providers.a.vertex: is for google-gemini only"
    ]),
    ("providers: {a: {api: google-gemini, api_key: k, vertex: {project: p, location: l}}}", [
        "1:37 providers.a.api_key: has no place beside vertex, which uses OAuth"
    ]),
    ("providers: {a: {api: cohere-chat, aws: {region: r}}}", ["1:35 providers.a.aws: is for bedrock-converse only"]),
    ("providers: {a: {api: bedrock-converse, api_key: k}}", [
        "1:13 providers.a: the region is missing: set aws.region, AWS_REGION or base_url"
    ]),
    ("providers: {a: {api: bedrock-converse, aws: {region: us-east-1}}}", []),
    ("providers: {a: {api: bedrock-converse, base_url: 'https://bedrock.example'}}", []),
    ("providers: {a: {api: cohere-chat, headers: {Host: x, Content-Length: '1', x-mine: y}}}", [
        "1:45 providers.a.headers.Host: is set by toolwire itself",
        "1:54 providers.a.headers.Content-Length: is set by toolwire itself",
    ]),
    # clients
    ("clients: [{name: n, key: k}, {name: n, key: j}, {name: m, key: k}]\n" + P, [
        "1:31 clients[1].name: is the name of clients[0] too",
        "1:59 clients[2].key: is the key of clients[0] too",
    ]),
    ("clients: [{name: n, key: k, allow: [tool_chek]}]\n" + P, [
        '1:37 clients[0].allow[0]: no such value: "tool_chek"; did you mean "tool_check"?'
    ]),
    ("server: {host: 0.0.0.0}\n" + P, [
        "1:10 server.host: 0.0.0.0 is reachable by others and no client keys are set: "
        'add clients: [{name: me, key: "${TOOLWIRE_KEY}"}], or listen on 127.0.0.1'
    ]),
    ("server: {host: 0.0.0.0}\nclients: [{name: n, key: k}]\n" + P, []),
    ("server: {host: '::'}\nclients: []\n" + P, [
        "1:10 server.host: :: is reachable by others and no client keys are set: "
        'add clients: [{name: me, key: "${TOOLWIRE_KEY}"}], or listen on 127.0.0.1'
    ]),
    *((f"server: {{host: '{h}'}}\n{P}", []) for h in ("127.0.0.1", "127.1.2.3", "::1", "localhost", "a.localhost")),
    # state
    ("state: {backend: redis}\n" + P, ['1:1 state: redis needs "url", such as redis://127.0.0.1:6379/0']),
    ("state: {backend: redis, url: 'redis://127.0.0.1:6379/0'}\n" + P, []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), REFERENCES)
def test_references(problems, text, expected):
    assert problems(text) == expected


def test_redis_without_its_package(problems, monkeypatch):
    text = "state: {backend: redis, url: 'redis://127.0.0.1'}\n" + P
    monkeypatch.setitem(sys.modules, "redis", None)
    assert problems(text) == [
        "1:9 state.backend: needs the package redis: pip install '.[redis]' in toolwire's folder"
    ]
    assert problems(text, need_env=False) == []


def test_the_environment_may_say_the_region(problems):
    text = "providers: {a: {api: bedrock-converse}}"
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        assert problems(text, {name: "eu-west-1"}) == []
    assert problems(text, need_env=False) == []


def test_the_address_of_the_command_line_counts(problems):
    assert problems(P, overrides=Overrides(host="0.0.0.0")) == [
        "1:1 server.host: 0.0.0.0 is reachable by others and no client keys are set: "
        'add clients: [{name: me, key: "${TOOLWIRE_KEY}"}], or listen on 127.0.0.1'
    ]
    assert problems("server: {host: 0.0.0.0}\n" + P, overrides=Overrides(host="127.0.0.1")) == []


def test_no_value_of_a_reference_is_shown(problems):
    text = (
        "providers: {a: {api: '${S}', preset: '${S}', base_url: '${S}', timeout: {idle: '${S}'}, compat: '${S}'}}\n"
        "models: {m: {target: '${S}', tool_check: '${S}', fallbacks: [{target: a/x, on_errors: ['${S}']}]}}\n"
        "clients: [{name: n, key: '${S}', allow: ['${S}']}]\n"
        "state: {url: '${S}'}\n"
    )
    found = problems(text, {"S": "s3cret"})
    assert len(found) == 10
    assert not any("s3cret" in line for line in found)
    assert "2:14 models.m.target: from ${S} does not name a target" in found


def test_many_problems_come_in_the_order_of_the_file(problems):
    text = "models: {m: {target: zz/x}}\nproviders: {a: {api: nope, base_url: x}}\nserver: {port: x}\nfoo: 1\n"
    assert [line.partition(" ")[0] for line in problems(text)] == ["1:14", "2:17", "2:28", "3:10", "4:1"]


# --- credentials of Vertex ---------------------------------------------------------------------------------------

SERVICE = '{"type": "service_account", "client_email": "e", "token_uri": "u", "private_key": "secret"}'
CREDENTIALS = [
    ("", "is no JSON, as a Google credentials file would be"),
    ("[1]", "is no JSON object, as in a Google credentials file"),
    ('{"type": "gdch_service_account"}', 'has no known "type" of Google credentials (known: service_account, '
     "authorized_user, external_account, external_account_authorized_user, impersonated_service_account)"),
    ('{"type": "authorized_user", "client_id": "c", "client_secret": "secret"}',
     'lacks "refresh_token", which credentials of the type authorized_user have'),
    (SERVICE, 'has a "private_key" that is no PEM private key'),
    (SERVICE.replace('"secret"', r'"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"'), ""),
    ('{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}', ""),
]  # fmt: skip


@pytest.mark.parametrize(("content", "wrong"), CREDENTIALS)
def test_credentials_in_a_file_from_a_variable_and_as_text(content, wrong, tmp_path, problems):
    path = tmp_path / "account.json"
    path.write_text(content)
    text = "providers: {v: {api: google-gemini, vertex: {project: p, location: l, credentials: '%s'}}}"
    place = "1:71 providers.v.vertex.credentials: "
    assert problems(text % path) == ([f'{place}"{path}" {wrong}'] if wrong else [])
    environ = {"FILE": str(path), "TEXT": content}
    assert problems(text % "${FILE}", environ) == ([f"{place}from ${{FILE}} {wrong}"] if wrong else [])
    if content.startswith("{"):
        assert problems(text % content) == ([f"{place}{wrong}"] if wrong else [])
        assert problems(text % "${TEXT}", environ) == ([f"{place}from ${{TEXT}} {wrong}"] if wrong else [])


def test_credentials_that_are_not_there(problems, monkeypatch):
    text = "providers: {v: {api: google-gemini, vertex: {project: p, location: l, credentials: /no/such/file}}}"
    missing = '1:71 providers.v.vertex.credentials: "/no/such/file" cannot be read: No such file or directory'
    assert problems(text) == [missing]
    assert problems(text, need_env=False) == []
    monkeypatch.setitem(sys.modules, "google.auth", None)
    extra = "1:37 providers.v.vertex: needs the package google-auth: pip install '.[vertex]' in toolwire's folder"
    assert problems(text) == [extra, missing]
    assert problems(text, need_env=False) == []
