"""Where a server's configuration comes from, and what the command line sets above it."""

import pytest

from proxy.config.source import Overrides, configured

FILE = "server: {port: 7, host: localhost}\nproviders: {a: {api: ollama-chat}}\n"


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_a_named_file_comes_first(tmp_path):
    (tmp_path / "named.yaml").write_text(FILE)
    (tmp_path / "toolwire.yaml").write_text(FILE.replace("7", "8"))
    report = configured("named.yaml", {"OPENAI_API_KEY": "k"}, Overrides())
    assert report is not None and report.config is not None
    assert (report.name, report.config.server.port) == ("named.yaml", 7)


def test_then_the_file_of_this_directory(tmp_path):
    (tmp_path / "toolwire.yaml").write_text(FILE)
    report = configured(None, {"OPENAI_API_KEY": "k"}, Overrides())
    assert report is not None and report.config is not None
    assert (report.name, list(report.config.providers)) == ("toolwire.yaml", ["a"])


def test_then_the_environment():
    report = configured(None, {"OPENAI_API_KEY": "k"}, Overrides())
    assert report is not None and report.config is not None
    assert (list(report.config.providers), report.config.discovered) == (["openai"], True)


def test_then_nothing():
    assert configured(None, {}, Overrides()) is None


def test_a_named_file_that_is_not_there_is_a_problem():
    report = configured("none.yaml", {"OPENAI_API_KEY": "k"}, Overrides())
    assert report is not None and report.config is None
    assert [problem.message for problem in report.problems] == ["cannot be read: No such file or directory"]


@pytest.mark.parametrize("source", ["file", "environment"])
def test_overrides(tmp_path, source):
    if source == "file":
        (tmp_path / "toolwire.yaml").write_text(FILE)
    report = configured(None, {"OPENAI_API_KEY": "k"}, Overrides(host="::1", port=0, workers=3))
    assert report is not None and report.config is not None
    server = report.config.server
    assert (server.host, server.port, server.workers) == ("::1", 0, 3)


def test_warnings_are_about_what_runs(tmp_path):
    (tmp_path / "toolwire.yaml").write_text(FILE)
    report = configured(None, {}, Overrides(workers=2))
    assert report is not None
    assert "server.workers" in [warning.path for warning in report.warnings]


@pytest.mark.parametrize("source", ["file", "environment"])
def test_an_open_proxy_stays_on_loopback(tmp_path, source):
    if source == "file":
        (tmp_path / "toolwire.yaml").write_text(FILE)
    report = configured(None, {"OPENAI_API_KEY": "k"}, Overrides(host="0.0.0.0"))
    assert report is not None and report.config is None
    assert [problem.path for problem in report.problems] == ["server.host"]
