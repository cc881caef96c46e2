"""The file as text: YAML 1.2, positions, references to the environment and to files."""

import pytest

from proxy.config.env import Sources, resolve
from proxy.config.load import load, load_file, read, read_file
from proxy.config.model import Config, Retry, Route, Server, Step, Target, Timeouts
from proxy.config.nodes import parse
from proxy.config.problem import Problem, Problems, dotted

EXAMPLE = """\
server: {host: 127.0.0.1, port: 4100, max_request_bytes: 33554432, drain_seconds: 30}
clients:                       # inbound keys
  - {name: team-a, key: "${TEAM_A_KEY}", models: ["*"], requests_per_minute: 600}
state: {backend: memory, ttl_seconds: 3600, max_bytes: 67108864}
providers:
  anthropic: {api: anthropic-messages, api_key: "${ANTHROPIC_API_KEY}"}
  openai:    {api: openai-responses,   api_key: "${OPENAI_API_KEY}"}
  deepseek:  {preset: deepseek,        api_key: "${DEEPSEEK_API_KEY}"}
  local:     {api: ollama-chat, base_url: "http://127.0.0.1:11434"}
models:
  smart:
    target: anthropic/claude-opus-4-5
    fallbacks:
      - {target: openai/gpt-4o, on_errors: [rate_limit_error, overloaded_error]}
      - {target: local/llama3.1, on_errors: [all]}
    retry: {attempts: 2, backoff_seconds: 0.25, max_backoff_seconds: 8}
    deadline_seconds: 300
    tool_check: report
"""
KEYS = {"TEAM_A_KEY": "t1", "ANTHROPIC_API_KEY": "a1", "OPENAI_API_KEY": "o1", "DEEPSEEK_API_KEY": "d1"}


def test_the_example_of_the_contract():
    config = load(EXAMPLE, "toolwire.yaml", KEYS)
    assert isinstance(config, Config)
    assert config.server == Server()
    assert [client.key for client in config.clients] == ["t1"]
    assert config.clients[0].requests_per_minute == 600
    assert [(p.name, p.api, p.preset, p.base_url, p.api_keys) for p in config.providers.values()] == [
        ("anthropic", "anthropic-messages", None, "https://api.anthropic.com", ("a1",)),
        ("openai", "openai-responses", "openai", "https://api.openai.com/v1", ("o1",)),
        ("deepseek", "openai-chat", "deepseek", "https://api.deepseek.com", ("d1",)),
        ("local", "ollama-chat", None, "http://127.0.0.1:11434", ()),
    ]
    assert config.providers["anthropic"].timeout == Timeouts(10, 120, 120, 600)
    assert config.routes == (
        Route(
            pattern="smart",
            steps=(
                Step((Target("anthropic", "claude-opus-4-5"),), ()),
                Step((Target("openai", "gpt-4o"),), ("rate_limit_error", "overloaded_error")),
                Step((Target("local", "llama3.1"),), ("all",)),
            ),
            retry=Retry(2, 0.25, 8),
            deadline_seconds=300,
            tool_check="report",
        ),
    )
    assert not config.discovered


def test_the_example_has_no_warning():
    found = [warning.message for warning in read(EXAMPLE, "toolwire.yaml", KEYS).warnings]
    assert [message for message in found if not message.endswith("is not part of this version")] == []


def test_no_secret_in_repr():
    environ = {name: f"secret-{name}" for name in KEYS}
    text = (
        EXAMPLE.replace("backend: memory", 'backend: redis, url: "redis://u:secret-r@h"').replace(
            "api: anthropic-messages,",
            "api: anthropic-messages, headers: {x: secret-h}, query: {q: secret-q}, "
            "provider_options: {cohere-chat: {o: secret-o}},",
        )
        + "  b: {target: local/x}\n"
    )
    text = text.replace(
        "  local:",
        "  v: {api: google-gemini, vertex: {project: p, location: l, credentials: '{\"type\": \"authorized_user\", "
        "\"client_id\": \"i\", \"client_secret\": \"secret-c\", \"refresh_token\": \"secret-d\"}'}}\n"
        "  w: {api: bedrock-converse, aws: {region: r, access_key_id: secret-i, secret_access_key: secret-s, "
        "session_token: secret-t}}\n  local:",
    )
    config = load(text, "toolwire.yaml", environ)
    assert isinstance(config, Config)
    assert "secret" not in repr(config)


PLACES = """\
server:
  port: 1
models: {"a.b": {target: x/y, fallbacks: [p/q,  {target: r/s}]}}
"""


def test_every_key_and_value_has_its_place(tmp_path):
    document = parse(PLACES, Sources({}, tmp_path))
    assert document.keys == {
        ("server",): (1, 1),
        ("server", "port"): (2, 3),
        ("models",): (3, 1),
        ("models", "a.b"): (3, 10),
        ("models", "a.b", "target"): (3, 18),
        ("models", "a.b", "fallbacks"): (3, 31),
        ("models", "a.b", "fallbacks", 1, "target"): (3, 50),
    }
    assert document.values == {
        (): (1, 1),
        ("server",): (2, 3),
        ("server", "port"): (2, 9),
        ("models",): (3, 9),
        ("models", "a.b"): (3, 17),
        ("models", "a.b", "target"): (3, 26),
        ("models", "a.b", "fallbacks"): (3, 42),
        ("models", "a.b", "fallbacks", 0): (3, 43),
        ("models", "a.b", "fallbacks", 1): (3, 49),
        ("models", "a.b", "fallbacks", 1, "target"): (3, 58),
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", "off"), ("on", "on"), ("yes", "yes"), ("no", "no"), ("y", "y"),
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("12", 12), ("-3", -3), ("012", 12), ("0o14", 12), ("0x1F", 31), ("1_000", "1_000"), ("0b1", "0b1"),
        ("12345678901234567890123", 12345678901234567890123),
        ("1.5", 1.5), (".5", 0.5), ("1e3", 1000.0), ("1.", 1.0), ("5xx", "5xx"), ("1:30", "1:30"),
        ("2026-11-30", "2026-11-30"), ("=", "="), ("'1'", "1"), ('"true"', "true"), ("!!str 5", "5"),
    ],
)  # fmt: skip
def test_scalars_are_yaml_1_2(text, value, tmp_path):
    document = parse(f"k: {text}", Sources({}, tmp_path))
    assert document.problems == []
    assert document.data == {"k": value} and type(document.data["k"]) is type(value)


def test_a_directive_does_not_make_it_yaml_1_1(tmp_path):
    assert parse("%YAML 1.1\n---\na: off", Sources({}, tmp_path)).data == {"a": "off"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["1:1 the file is empty"]),
        ("# nothing\n", ["1:1 the file is empty"]),
        ("a: 1\nb: \x01\n", ["2:4 character U+0001 is not allowed"]),
        ("[1]", ["1:1 must be a mapping, not a list"]),
        ("text", ["1:1 must be a mapping, not text"]),
    ],
)
def test_what_is_no_config(problems, text, expected):
    assert problems(text) == expected


def test_nesting_without_end(problems):
    assert problems("[" * 5000) == ["1:1 nested too deeply"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\n", [Problem(3, 1, "a", 'key "a" stands already in line 1')]),
        ("x: {a: 1, a: 2, a: 3}", [
            Problem(1, 11, "x.a", 'key "a" stands already in line 1'),
            Problem(1, 17, "x.a", 'key "a" stands already in line 1'),
        ]),
        ("1: a\n'1': b", [Problem(2, 1, "1", 'key "1" stands already in line 1')]),
        ("? [a]\n: 1\n", [Problem(1, 3, "", "a key must be a plain word or a quoted text")]),
        ("a: &x [*x]", [Problem(1, 4, "a[0]", "alias *x contains itself")]),
        ("a: !secret x", [Problem(1, 4, "a", "tag !secret is not known")]),
        ("a: .inf\nb: .nan\nc: 1e999", [
            Problem(1, 1, "a", ".inf is not a finite number"),
            Problem(2, 1, "b", ".nan is not a finite number"),
            Problem(3, 1, "c", "1e999 is not a finite number"),
        ]),
        ("a: $x ${", [Problem(1, 1, "a", '"${" is not closed; write "$${" for the characters themselves')]),
        ("a: ${1X}", [
            Problem(1, 1, "a", '"${1X}" is not a reference: use ${NAME}, ${NAME:-default} or ${file:PATH}')
        ]),
    ],
)  # fmt: skip
def test_problems_of_the_text(text, expected, tmp_path):
    assert parse(text, Sources({}, tmp_path)).problems == expected


def test_too_many_values(tmp_path):
    text = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcde", "bcdef", strict=True)
    )
    assert parse(text, Sources({}, tmp_path)).problems == [Problem(1, 1, "", "more than 200000 values")]


def test_aliases_stand_for_what_they_name(tmp_path):
    document = parse("a: &x {n: 1}\nb: *x\n", Sources({}, tmp_path))
    assert document.data == {"a": {"n": 1}, "b": {"n": 1}}
    assert document.at(("b", "n")) == (1, 8)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${A}", "1"),
        ("x${A}y${B}z", "x1y2z"),
        ("${EMPTY}", ""),
        ("${EMPTY:-d}", "d"),
        ("${NONE:-d}", "d"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b}", "a:-b"),
        ("${A:-d}", "1"),
        ("$${A}", "${A}"),
        ("$A $ 5", "$A $ 5"),
        ("${file:secret}", "from file"),
        ("<${file:sub/other}>", "<two\nlines>"),
        ("${WITH}", "${A}"),
    ],
)
def test_references(text, value, tmp_path):
    (tmp_path / "secret").write_text("from file\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other").write_bytes(b"\xef\xbb\xbftwo\nlines\r\n")
    environ = {"A": "1", "B": "2", "EMPTY": "", "WITH": "${A}"}
    resolved = resolve(text, Sources(environ, tmp_path))
    assert (resolved.text, resolved.missing, resolved.broken) == (value, (), ())


def test_missing_references_are_named_all_at_once(problems, tmp_path):
    text = (
        "clients: [{name: n, key: '${ONE}'}]\n"
        "providers:\n"
        "  a: {api: anthropic-messages, api_key: ['${TWO}', 'x${THREE}y${FOUR}'], headers: {h: '${file:gone}'}}\n"
    )
    assert problems(text) == [
        "1:21 clients[0].key: environment variable ONE is not set",
        "3:42 providers.a.api_key[0]: environment variable TWO is not set",
        "3:52 providers.a.api_key[1]: environment variable FOUR is not set",
        "3:52 providers.a.api_key[1]: environment variable THREE is not set",
        "3:84 providers.a.headers.h: file gone cannot be read: No such file or directory",
    ]
    assert problems(text, need_env=False) == []


def test_files_are_relative_to_the_config(tmp_path):
    (tmp_path / "key").write_text("k1\n")
    path = tmp_path / "toolwire.yaml"
    path.write_text("providers: {a: {api: anthropic-messages, api_key: '${file:key}'}}")
    config = load_file(str(path), {})
    assert isinstance(config, Config)
    assert config.providers["a"].api_keys == ("k1",)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "file f is not UTF-8 text"), (b"x" * 1_048_577, "file f is larger than 1048576 bytes")],
)
def test_files_that_are_no_values(content, message, tmp_path):
    (tmp_path / "f").write_bytes(content)
    assert resolve("${file:f}", Sources({}, tmp_path)).broken == (message,)


A_PROVIDER = "providers: {a: {api: anthropic-messages, api_key: k}}\n"


def test_a_value_that_is_one_reference_is_read_as_yaml():
    text = (
        "server: {port: '${PORT}', drain_seconds: '${DRAIN:-1.5}', host: '${HOST}'}\n"
        "providers: {o: {api: openai-chat, compat: {max_tools: '${TOOLS}', developer_role: '${ROLE}'}, "
        "api_key: '${KEY}'}}\n"
        "models: {m: {target: o/x, tool_check_hint: '${HINT}', fallbacks: [{target: o/y, on_errors: ['${CODE}']}]}}\n"
    )
    environ = {
        "PORT": "0",
        "HOST": "127.0.0.1",
        "TOOLS": "null",
        "ROLE": "true",
        "HINT": "true",
        "CODE": "429",
        "KEY": "12",
    }
    config = load(text, "toolwire.yaml", environ)
    assert isinstance(config, Config)
    assert (config.server.port, config.server.drain_seconds, config.server.host) == (0, 1.5, "127.0.0.1")
    assert config.providers["o"].compat["max_tools"] is None
    assert config.providers["o"].compat["developer_role"] is True
    assert config.providers["o"].api_keys == ("12",)
    assert config.routes[0].tool_check_hint is True
    assert config.routes[0].steps[1].on_errors == ("429",)


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("{port: '${P}'}", ["1:10 server.port: must be a whole number, not text"]),
        ("{port: '4${N}'}", ["1:10 server.port: must be a whole number, not text"]),
        ("{port: '${BIG}'}", ["1:10 server.port: must be at most 65535"]),
        ("{fetch_images: '${P}'}", ["1:10 server.fetch_images: no such value: from ${P} (known: off, public)"]),
    ],
)
def test_a_reference_may_bring_the_wrong_thing(problems, server, expected):
    found = problems(f"server: {server}\n{A_PROVIDER}", {"P": "s3cret", "N": "1", "BIG": "99999"})
    assert found == expected


def test_without_environment_the_rest_is_still_checked(problems):
    text = (
        "server: {port: '${PORT}', hst: localhost}\n"
        "providers: {a: {api: '${API}', base_url: 'https://${HOST}/', timeout: {idle: '${IDLE}'}}}\n"
        "models: {m: {target: '${TARGET}'}, n: {target: b/x}}\n"
    )
    assert problems(text, need_env=False) == [
        '1:27 server.hst: no key "hst" here; did you mean "host"?',
        '3:40 models.n.target: provider "b" is not defined (defined: a)',
    ]


def test_without_environment_a_config_is_built_where_it_can_be():
    report = read(EXAMPLE.replace("port: 4100", "port: '${PORT}'"), "toolwire.yaml", {}, need_env=False)
    assert report.problems == ()
    assert report.config is not None and report.config.server.port == 4100


@pytest.mark.parametrize(
    "text",
    [
        "providers: {a: {api: cohere-chat}}\nmodels: {m: '${TARGET}'}\n",
        "providers: {a: {api: '${API}'}}\n",
        "providers: {a: {preset: '${PRESET}'}}\n",
        "providers: {a: '${PROVIDER}'}\nmodels: {m: a/x}\n",
        "providers: '${PROVIDERS}'\n",
        "providers: {a: {api: cohere-chat}}\nclients: ['${CLIENT}']\n",
        "'${ALL}'\n",
    ],
)
def test_without_environment_there_is_no_config_where_its_shape_is_unknown(text):
    report = read(text, "toolwire.yaml", {}, need_env=False)
    assert (report.problems, report.config) == ((), None)


def test_files_that_cannot_be_read(tmp_path):
    missing = str(tmp_path / "none.yaml")
    assert load_file(missing, {}) == Problems(
        missing, (Problem(1, 1, "", "cannot be read: No such file or directory"),)
    )
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: 1\nbc: \xff\n")
    assert read_file(str(binary), {}).problems == (Problem(2, 5, "", "is not UTF-8 text"),)


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + A_PROVIDER.encode())
    assert isinstance(load_file(str(path), {}), Config)


def test_problems_as_the_user_reads_them():
    text = EXAMPLE.replace("overloaded_error]", "overloaded_eror]") + "  fast: {target: opnai/gpt-4o}\n"
    outcome = load(text, "toolwire.yaml", KEYS)
    assert isinstance(outcome, Problems)
    assert str(outcome) == (
        'toolwire.yaml:14:63  models.smart.fallbacks[0].on_errors[1]: no error type "overloaded_eror"; did you mean '
        '"overloaded_error"?\n'
        'toolwire.yaml:19:10  models.fast.target: provider "opnai" is not defined (defined: anthropic, openai, '
        "deepseek, local)\n"
        "2 problems"
    )


def test_one_problem_is_one_and_places_are_aligned():
    assert str(Problems("c", (Problem(1, 1, "", "is empty"),))) == "c:1:1  is empty\n1 problem"
    assert str(Problems("c", (Problem(9, 1, "a", "x"), Problem(10, 22, "b", "y")))) == (
        "c:9:1    a: x\nc:10:22  b: y\n2 problems"
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("models", "smart", "fallbacks", 0, "on_errors", 1), "models.smart.fallbacks[0].on_errors[1]"),
        (("models", "gpt-4.1", "target"), 'models["gpt-4.1"].target'),
        (("models", "gpt-*"), "models.gpt-*"),
        (("a b",), '["a b"]'),
        ((), ""),
    ],
)
def test_dotted(path, text):
    assert dotted(path) == text
