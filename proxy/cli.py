"""The command line: arguments, exit codes, and which module does the work."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import NoReturn

from adapters.compat import APIS
from adapters.errors import ERROR_TYPES
from adapters.registry import DIALECTS
from proxy import __version__
from proxy.config.load import Report, read_file
from proxy.config.problem import Problem, rows
from proxy.config.schema import schema
from proxy.config.source import DEFAULT_FILE, Overrides, configured
from proxy.listen import EMULATE_PORT

VARIABLES = {
    "config": ("TOOLWIRE_CONFIG", "–", f"`./{DEFAULT_FILE}` if it exists, else providers whose keys are set"),
    "host": ("TOOLWIRE_HOST", "`server.host`", "`127.0.0.1`"),
    "port": ("TOOLWIRE_PORT", "`server.port`", "`4100`"),
    "workers": ("TOOLWIRE_WORKERS", "`server.workers`", "`1`"),
}
"""Arguments of `serve` -> variable, config key and default."""

NOTHING = f"""\
toolwire: nothing to serve: there is no --config, no ./{DEFAULT_FILE} and no provider's key in the environment
  set a key, such as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, and start again
  or try it without any:  toolwire serve --demo
  or write a config:      toolwire serve --demo --print-config > {DEFAULT_FILE}
                          (its upstreams are those of `toolwire emulate`, which must run beside it)"""


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    args = parser(os.environ).parse_args(argv)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        code = run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return _fail(f"toolwire: {error}", 1)
    return code


def _later(module: str, name: str) -> Callable[[argparse.Namespace], int]:
    """A command of another module, which is imported only when the command runs."""

    def run(args: argparse.Namespace) -> int:
        return int(getattr(import_module(module), name)(args))

    return run


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


# --- arguments ---------------------------------------------------------------------------------------------------


def parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """All commands. `environ` gives the defaults of `serve`."""
    top = _Parser(
        prog="toolwire",
        description="An HTTP proxy that makes tool calling the same across LLM providers.",
        epilog="A first run without any key: toolwire serve --demo",
    )
    top.add_argument("--version", action="version", version=f"toolwire {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)
    _serve_arguments(_command(commands, "serve", _serve, "run the proxy"), environ)
    _emulate_arguments(
        _command(commands, "emulate", _later("proxy.emulate", "main"), "run emulated upstreams, faults included")
    )
    _check_arguments(_command(commands, "check", _check, "validate a config file"))
    _route_arguments(
        _command(
            commands, "route", _later("proxy.dryrun", "route"), "show which targets a model name tries, without network"
        )
    )
    _probe_arguments(
        _command(
            commands, "probe", _later("proxy.probe", "main"), "ask each target one tiny question and one tiny tool call"
        )
    )
    _translate_arguments(
        _command(
            commands,
            "translate",
            _later("proxy.translate", "main"),
            "print the native body that a request becomes, without network",
        )
    )
    _command(commands, "schema", _schema, "print the JSON Schema of the config file")
    return top


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, run: Callable[[argparse.Namespace], int], about: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    parser.set_defaults(run=run)
    return parser


class _Variable(str):
    """A default that an environment variable gave. `name` is the variable's."""

    name: str


def _variable(environ: Mapping[str, str], name: str) -> _Variable | None:
    made = _Variable(environ.get(name) or "")
    made.name = name
    return made or None


def _number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdecimal()) or len(text) > 9 or not low <= int(text) <= high:
            message = f"{text!r} is no whole number from {low} to {high}"
            if isinstance(text, _Variable):
                raise argparse.ArgumentError(None, f"{text.name}: {message}")
            raise argparse.ArgumentTypeError(message)
        return int(text)

    return number


_PORT = _number(0, 65535)


def _serve_arguments(parser: argparse.ArgumentParser, environ: Mapping[str, str]) -> None:
    parser.epilog = (
        f"Without --config: ./{DEFAULT_FILE} if it exists, else the providers whose keys are in the environment. "
        "SIGTERM lets running answers finish, SIGHUP reads the config again."
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--config", metavar="FILE", help="the config file (default: TOOLWIRE_CONFIG)")
    source.add_argument("--demo", action="store_true", help="serve embedded emulated upstreams: no key, no network")
    parser.add_argument("--print-config", action="store_true", help="with --demo: print its config and stop")
    parser.add_argument("--tour", action="store_true", help="with --demo: play one tool loop and show it")
    parser.add_argument(
        "--log-format", choices=("json", "text"), default="json", help="of the log on stderr (default: %(default)s)"
    )
    parser.add_argument("--host", metavar="H", help="the address (default: TOOLWIRE_HOST, the config's, 127.0.0.1)")
    parser.add_argument(
        "--port",
        metavar="P",
        type=_PORT,
        help="the port, 0 for a free one (default: TOOLWIRE_PORT, the config's, 4100)",
    )
    parser.add_argument(
        "--workers", metavar="N", type=_number(1, 256), help="processes (default: TOOLWIRE_WORKERS, the config's, 1)"
    )
    parser.set_defaults(**{name: _variable(environ, variable) for name, (variable, *_) in VARIABLES.items()})


def _emulate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "One provider per API, for tests: models `agent`, `fault-STATUS`, `slow-MS`, `flaky-N` and more."
    parser.add_argument("--host", metavar="H", default="127.0.0.1", help="the address (default: %(default)s)")
    parser.add_argument(
        "--port",
        metavar="P",
        type=_PORT,
        default=EMULATE_PORT,
        help="the port, 0 for a free one (default: %(default)s)",
    )


def _file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the config file")


def _check_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit status 0: nothing wrong; 1: every problem is listed with line, column and path."
    _file(parser)
    parser.add_argument("--no-env", action="store_true", help="variables and files that are missing are no problem")


def _route_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Example: toolwire route toolwire.yaml smart --error rate_limit_error --error 503"
    _file(parser)
    parser.add_argument("model", metavar="MODEL", help="the model name as a client writes it")
    parser.add_argument(
        "--error",
        metavar="TYPE",
        action="append",
        default=[],
        type=_error,
        help="what the next attempt fails with: an error type or an HTTP status; may be repeated",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _error(text: str) -> str:
    if text not in ERROR_TYPES and not (text.isdecimal() and 400 <= int(text) <= 599):
        raise argparse.ArgumentTypeError(f"{text!r} is neither an HTTP status nor one of: {', '.join(ERROR_TYPES)}")
    return text


def _probe_arguments(parser: argparse.ArgumentParser) -> None:
    _file(parser)
    parser.add_argument("provider", metavar="PROVIDER", nargs="?", help="ask this provider alone")


def _translate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Example: toolwire translate --to anthropic-messages request.json"
    parser.add_argument("--to", metavar="API", required=True, choices=APIS, help=f"one of: {', '.join(APIS)}")
    parser.add_argument(
        "--from",
        dest="dialect",
        metavar="DIALECT",
        default="chat",
        choices=tuple(DIALECTS),
        help=f"what the request is written in: {', '.join(DIALECTS)} (default: %(default)s)",
    )
    parser.add_argument("--model", metavar="M", help="the upstream's model (default: the request's)")
    parser.add_argument("--full", action="store_true", help="method, URL and headers too, keys masked")
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the request as JSON; - is standard input")


# --- commands ----------------------------------------------------------------------------------------------------


def _serve(args: argparse.Namespace) -> int:
    for given, name in ((args.print_config, "--print-config"), (args.tour, "--tour")):
        if given and not args.demo:
            return _fail(f"toolwire serve: {name} goes with --demo", 2)
    if args.print_config:
        from proxy.demo import demo_config

        print(demo_config().rstrip())
        return 0
    config = None
    if not args.demo:
        report = configured(args.config, os.environ, Overrides(args.host, args.port, args.workers))
        if report is None:
            return _fail(NOTHING + _hint(os.environ), 2)
        config = report.config
        if config is None:
            _tell(report)
            return 1
        _log_warnings(report, args.log_format)
    from proxy import serve

    return serve.run(args, config)


def _log_warnings(report: Report, log_format: str) -> None:
    """Once, not by every worker."""
    from proxy.observe.logs import json_log, text_log
    from proxy.workers import WORKER_FD

    if WORKER_FD not in os.environ:
        for line in rows(report.name, report.warnings):
            (text_log if log_format == "text" else json_log)("warning", message=line)


def _hint(environ: Mapping[str, str]) -> str:
    keys = environ.get("AWS_BEARER_TOKEN_BEDROCK") or environ.get("AWS_ACCESS_KEY_ID") or environ.get("AWS_PROFILE")
    return "\n  (there are AWS credentials, but no AWS_REGION)" if keys else ""


def _check(args: argparse.Namespace) -> int:
    report = read_file(args.file, os.environ, need_env=not args.no_env)
    if report.problems:
        _tell(report)
        return 1
    for line in rows(report.name, report.warnings, "warning: "):
        print(line, file=sys.stderr)
    good = f"no problem, {_count(report.warnings, 'warning')}" if report.warnings else "nothing wrong"
    print(f"{report.name}: {good}")
    return 0


def _tell(report: Report) -> None:
    for line in rows(report.name, report.problems):
        print(line, file=sys.stderr)
    print(_count(report.problems, "problem"), file=sys.stderr)


def _count(found: Sequence[Problem], word: str) -> str:
    return f"{len(found)} {word}{'s' if len(found) > 1 else ''}"


def _schema(_args: argparse.Namespace) -> int:
    print(json.dumps(schema(), indent=2, ensure_ascii=False))
    return 0
