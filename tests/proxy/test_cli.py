"""The command line: exit statuses, what goes to which stream, defaults from the environment."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from proxy.cli import main, parser
from proxy.config.schema import schema
from proxy.emulate import Emulation
from tests.serving import Served, config_of

GOOD = "providers: {a: {api: ollama-chat}}\nmodels: {m: a/x}\n"
NEEDS = "providers: {a: {api: ollama-chat, api_key: '${NONE_SUCH}'}}\n"
BAD = "providers: {a: {api: olama-chat}}\nmodels: {m: b/x}\n"


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    """No keys, no toolwire.yaml."""
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name.startswith(("TOOLWIRE_", "AWS_", "OLLAMA_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def write(tmp_path):
    def make(text: str, name: str = "c.yaml") -> str:
        (tmp_path / name).write_text(text)
        return name

    return make


def test_check_of_a_good_file(write, capsys):
    assert main(["check", write(GOOD)]) == 0
    out = capsys.readouterr()
    assert out.out == "c.yaml: nothing wrong\n"


def test_check_of_a_bad_file(write, capsys):
    assert main(["check", write(BAD)]) == 1
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err == (
        'c.yaml:1:17  providers.a.api: no such value: "olama-chat"; did you mean "ollama-chat"?\n'
        'c.yaml:2:10  models.m: provider "b" is not defined (defined: a)\n'
        "2 problems\n"
    )


def test_check_without_the_secrets(write, capsys):
    name = write(NEEDS)
    assert main(["check", name]) == 1
    assert capsys.readouterr().err == (
        "c.yaml:1:35  providers.a.api_key: environment variable NONE_SUCH is not set\n1 problem\n"
    )
    assert main(["check", name, "--no-env"]) == 0


def test_check_of_no_file(capsys):
    assert main(["check", "none.yaml"]) == 1
    assert capsys.readouterr().err == "none.yaml:1:1  cannot be read: No such file or directory\n1 problem\n"


def test_warnings_do_not_fail(write, capsys):
    text = GOOD.replace("m: a/x", "m: {target: a/x, fallbacks: [a/x]}")
    assert main(["check", write(text)]) == 0
    out = capsys.readouterr()
    assert "c.yaml:2:39  warning: models.m.fallbacks[0]: a/x is tried as target already\n" in out.err
    assert out.out == "c.yaml: no problem, 1 warning\n"


def test_schema(capsys):
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()


def test_nothing_to_serve(capsys):
    assert main(["serve"]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.startswith(
        "toolwire: nothing to serve: there is no --config, no ./toolwire.yaml and no provider's key"
    )
    assert "toolwire serve --demo\n" in out.err
    assert "toolwire serve --demo --print-config > toolwire.yaml" in out.err
    assert "`toolwire emulate`" in out.err


def test_the_printed_config_works_with_the_emulate_command(capsys):
    """On its default port; here on a free one."""
    assert main(["serve", "--demo", "--print-config"]) == 0
    text = capsys.readouterr().out
    assert "\n#   toolwire emulate\n" in text
    address = f"127.0.0.1:{parser({}).parse_args(['emulate']).port}"
    urls = re.findall(r'base_url: "http://([^/"]+)', text)
    assert set(urls) == {address}
    with Emulation() as up, Served(config_of(text.replace(address, f"127.0.0.1:{up.port}"))) as served:
        for provider in served.app.gateway.config.providers:
            body = {"model": f"{provider}/agent", "messages": [{"role": "user", "content": "Hello"}]}
            assert httpx2.post(f"{served.base}/v1/chat/completions", json=body).status_code == 200, provider


def test_emulate_on_a_port_that_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["emulate", "--port", str(port)]) == 1
    assert f"port {port} on 127.0.0.1 is taken. Choose another with --port N, or stop" in capsys.readouterr().err


def test_aws_without_a_region(monkeypatch, capsys):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "i")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    assert main(["serve"]) == 2
    assert "AWS_REGION" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["flag", "variable", "default"])
def test_serve_refuses_a_bad_config(write, monkeypatch, capsys, how):
    name = write(BAD, "toolwire.yaml" if how == "default" else "c.yaml")
    if how == "variable":
        monkeypatch.setenv("TOOLWIRE_CONFIG", name)
    assert main(["serve", *(["--config", name] if how == "flag" else [])]) == 1
    assert capsys.readouterr().err.endswith("2 problems\n")


@pytest.mark.parametrize("source", ["file", "environment"])
def test_serve_stays_at_home_without_clients(write, monkeypatch, capsys, source):
    if source == "file":
        write(GOOD, "toolwire.yaml")
    else:
        monkeypatch.setenv("OPENAI_API_KEY", "s3cret")
    assert main(["serve", "--host", "0.0.0.0"]) == 1
    err = capsys.readouterr().err
    assert "server.host: 0.0.0.0 is reachable by others and no client keys are set" in err
    assert "s3cret" not in err


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_served_configs_warnings_are_logged(write, capfd, form):
    name = write(GOOD.replace("m: a/x", "m: {target: a/x, fallbacks: [a/x]}"))
    told = "c.yaml:2:39  models.m.fallbacks[0]: a/x is tried as target already"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--config", name, "--port", port, "--log-format", form]) == 1
    lines = capfd.readouterr().err.splitlines()
    if form == "json":
        assert told in [json.loads(line)["message"] for line in lines[:-1]]
    else:
        assert any(line.endswith(f'warning  message="{told}"') for line in lines)
    assert f"port {port} on 127.0.0.1 is taken" in lines[-1]


@pytest.mark.parametrize("flag", ["--print-config", "--tour"])
def test_what_goes_with_demo(capsys, flag):
    assert main(["serve", flag]) == 2
    assert capsys.readouterr().err == f"toolwire serve: {flag} goes with --demo\n"


ARGUMENTS = [
    (
        [],
        {},
        {
            "config": None,
            "host": None,
            "port": None,
            "workers": None,
            "demo": False,
            "print_config": False,
            "tour": False,
            "log_format": "json",
        },
    ),
    (
        ["--config", "f", "--host", "h", "--port", "0", "--workers", "3"],
        {"TOOLWIRE_CONFIG": "x", "TOOLWIRE_HOST": "x", "TOOLWIRE_PORT": "9", "TOOLWIRE_WORKERS": "9"},
        {"config": "f", "host": "h", "port": 0, "workers": 3},
    ),
    (
        [],
        {"TOOLWIRE_CONFIG": "f", "TOOLWIRE_HOST": "h", "TOOLWIRE_PORT": "5", "TOOLWIRE_WORKERS": "2"},
        {"config": "f", "host": "h", "port": 5, "workers": 2},
    ),
    ([], {"TOOLWIRE_PORT": "", "TOOLWIRE_HOST": ""}, {"port": None, "host": None}),
    (["--port", "7"], {"TOOLWIRE_PORT": "x"}, {"port": 7}),
    (["--demo"], {"TOOLWIRE_CONFIG": "f"}, {"demo": True}),
]


@pytest.mark.parametrize(("argv", "environ", "expected"), ARGUMENTS)
def test_arguments_of_serve(argv, environ, expected):
    args = vars(parser(environ).parse_args(["serve", *argv]))
    assert {name: args[name] for name in expected} == expected


OTHERS = [
    (["emulate"], {"host": "127.0.0.1", "port": 4200}),
    (["emulate", "--port", "1", "--host", "h"], {"host": "h", "port": 1}),
    (["check", "f"], {"file": "f", "no_env": False}),
    (["route", "f", "m"], {"file": "f", "model": "m", "error": [], "json": False}),
    (
        ["route", "f", "m", "--error", "timeout_error", "--error", "503", "--json"],
        {"error": ["timeout_error", "503"], "json": True},
    ),
    (["probe", "f"], {"file": "f", "provider": None}),
    (["probe", "f", "p"], {"provider": "p"}),
    (["translate", "--to", "cohere-chat"], {
        "to": "cohere-chat", "dialect": "chat", "model": None, "full": False, "file": "-",
    }),
    (["translate", "--to", "ollama-chat", "--from", "gemini", "--model", "m", "--full", "f"], {
        "dialect": "gemini", "model": "m", "full": True, "file": "f",
    }),
]  # fmt: skip


@pytest.mark.parametrize(("argv", "expected"), OTHERS)
def test_arguments_of_the_others(argv, expected):
    args = vars(parser({}).parse_args(argv))
    assert {name: args[name] for name in expected} == expected


WRONG = [
    (["serve", "--port", "65536"], {}, "argument --port: '65536' is no whole number from 0 to 65535"),
    (["serve", "--port", "-1"], {}, "argument --port: '-1' is no whole number from 0 to 65535"),
    (["serve"], {"TOOLWIRE_PORT": "x"}, "toolwire serve: TOOLWIRE_PORT: 'x' is no whole number from 0 to 65535"),
    (["serve"], {"TOOLWIRE_WORKERS": "0"}, "toolwire serve: TOOLWIRE_WORKERS: '0' is no whole number from 1 to 256"),
    (["serve", "--workers", "0"], {}, "argument --workers: '0' is no whole number from 1 to 256"),
    (["serve", "--demo", "--config", "f"], {}, "argument --config: not allowed with argument --demo"),
    (["serv"], {}, "invalid choice: 'serv'"),
    ([], {}, "the following arguments are required: COMMAND"),
    (["route", "f"], {}, "the following arguments are required: MODEL"),
    (["route", "f", "m", "--error", "200"], {}, "argument --error: '200' is neither an HTTP status nor one of: "),
    (["translate"], {}, "the following arguments are required: --to"),
    (["translate", "--to", "x"], {}, "argument --to: invalid choice: 'x'"),
]


@pytest.mark.parametrize(("argv", "environ", "expected"), WRONG)
def test_wrong_arguments_are_told_in_one_line(capsys, argv, environ, expected):
    with pytest.raises(SystemExit) as stopped:
        parser(environ).parse_args(argv)
    err = capsys.readouterr().err
    assert stopped.value.code == 2
    assert expected in err
    assert err.startswith("toolwire") and err.endswith("--help)\n") and err.count("\n") == 1


@pytest.mark.parametrize("command", ["serve", "emulate", "check", "route", "probe", "translate", "schema"])
def test_every_command_has_help(capsys, command):
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert f"usage: toolwire {command}" in capsys.readouterr().out


def run(*argv: str, **options) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).parents[2])
    environ = {**os.environ, "PYTHONPATH": root, **options}
    return subprocess.run(
        [sys.executable, "-m", "proxy", *argv], capture_output=True, text=True, env=environ, check=False
    )


def test_route_tells_how_long_a_retry_waits(write, capsys):
    name = write("providers: {a: {api: ollama-chat}}\nmodels: {m: {target: a/x, retry: {backoff_seconds: 0.05}}}\n")
    for error, waits in (
        ("429", "after up to 0.05 s (or its retry-after, if that is at most 8 s)"), ("500", "after up to 0.05 s"),
    ):
        assert main(["route", name, "m", "--error", error]) == 0
        walk = capsys.readouterr().out.splitlines()
        assert walk[-2].endswith(f" -> the same target again, {waits}")


def test_the_tour_is_told_in_one_piece_and_the_log_after_it(tmp_path):
    command = [sys.executable, "-m", "proxy", "serve", "--demo", "--tour", "--port", "0"]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        command, text=True, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as demo:
        assert demo.stdout is not None
        lines = []
        try:
            while sum('"event":"request"' in line for line in lines) < 2:
                lines.append(demo.stdout.readline())
                assert lines[-1], "it ended"
        finally:
            demo.terminate()
    steps = [line[:2] for line in lines if line[:2] in ("1.", "2.", "3.", "4.")]
    last = lines.index("The demo stays up; end it with Ctrl-C.\n")
    assert steps == ["1.", "2.", "3.", "4."]
    assert [number for number, line in enumerate(lines) if line.startswith("{")] == list(range(last + 1, len(lines)))


def test_as_a_module():
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("toolwire ")


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    root = str(Path(__file__).parents[2])
    command = f"{sys.executable} -m proxy schema | head -c 1"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root}, check=False
    )
    assert (done.stdout, done.stderr) == ("{", "")
