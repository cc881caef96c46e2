"""Where credentials come from, in which order, and how often Botocore's chain is asked."""

import os
import threading

import pytest

from proxy.config.model import Aws
from proxy.upstream.aws_credentials import FIRST_WAIT_SECONDS, LOOK_AGAIN_SECONDS, Botocore, Credentials, Sources

FILE = """
[default]
aws_access_key_id = DA
aws_secret_access_key = DS

[work]
aws_access_key_id=WA
aws_secret_access_key = W%S/+=
aws_session_token = WT

[old]
aws_access_key_id = OA
aws_secret_access_key = OS
aws_security_token = OT

[role]
role_arn = arn:aws:iam::1:role/x
source_profile = default
"""
CHAIN = Credentials("CA", "CS", "CT")


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text(FILE)
    return str(tmp_path)


def sources(environ, found=CHAIN):
    asked = []

    def lookup(profile):
        asked.append(profile)
        return found

    return Sources(environ, lookup), asked


ENV = {"AWS_ACCESS_KEY_ID": "EA", "AWS_SECRET_ACCESS_KEY": "ES"}


@pytest.mark.parametrize(("aws", "environ", "expected"), [
    (Aws(None, "A", "S"), ENV, Credentials("A", "S")),
    (Aws(None, "A", "S", "T"), ENV, Credentials("A", "S", "T")),
    (Aws(None, "A", None), ENV, Credentials("EA", "ES")),
    (Aws(profile="work"), ENV, Credentials("WA", "W%S/+=", "WT")),
    (Aws(profile="old"), {}, Credentials("OA", "OS", "OT")),
    (Aws(), ENV, Credentials("EA", "ES")),
    (Aws(), {**ENV, "AWS_SESSION_TOKEN": "ET"}, Credentials("EA", "ES", "ET")),
    (Aws(), {**ENV, "AWS_SESSION_TOKEN": ""}, Credentials("EA", "ES")),
    (Aws(), {**ENV, "AWS_PROFILE": "work"}, Credentials("EA", "ES")),
    (Aws(), {"AWS_ACCESS_KEY_ID": "EA"}, Credentials("DA", "DS")),
    (Aws(), {"AWS_PROFILE": "work"}, Credentials("WA", "W%S/+=", "WT")),
    (Aws(), {}, Credentials("DA", "DS")),
])
def test_without_the_network(home, aws, environ, expected):
    found, asked = sources({"HOME": home, **environ})
    assert (found.find(aws, 0.0), asked) == (expected, [])


@pytest.mark.parametrize(("aws", "environ", "profile"), [
    (Aws(profile="role"), ENV, "role"),
    (Aws(profile="sso"), {}, "sso"),
    (Aws(), {"AWS_PROFILE": "role"}, "role"),
])
def test_profiles_that_only_the_chain_can_follow(home, aws, environ, profile):
    found, asked = sources({"HOME": home, **environ})
    assert (found.find(aws, 0.0), asked) == (CHAIN, [profile])


def test_the_chain_comes_last(tmp_path):
    found, asked = sources({"HOME": str(tmp_path)})
    assert (found.find(Aws(), 0.0), asked) == (CHAIN, [None])


@pytest.mark.parametrize("name", ["mine", "~/mine"])
def test_the_file_may_be_elsewhere(tmp_path, name):
    (tmp_path / "mine").write_text("[default]\naws_access_key_id=MA\naws_secret_access_key=MS\n")
    path = name if name.startswith("~") else str(tmp_path / name)
    found, _ = sources({"USERPROFILE": str(tmp_path), "AWS_SHARED_CREDENTIALS_FILE": path})
    assert found.find(Aws(), 0.0) == Credentials("MA", "MS")


def test_a_changed_file_is_read_again(home, tmp_path):
    found, _ = sources({"HOME": home})
    assert found.find(Aws(), 0.0) == Credentials("DA", "DS")
    file = tmp_path / ".aws" / "credentials"
    file.write_text(FILE.replace("= DA", "= NEW"))
    os.utime(file, ns=(1, 1))
    assert found.find(Aws(), 0.0) == Credentials("NEW", "DS")
    file.unlink()
    assert found.find(Aws(), 0.0) == CHAIN


@pytest.mark.parametrize("text", [
    b"[default", b"\xff\xfe", b"key without a section = 1\n", b"[default]\naws_access_key_id\n"])
def test_a_broken_file_counts_as_missing(tmp_path, text):
    (tmp_path / "c").write_bytes(text)
    found, _ = sources({"AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "c"), "HOME": str(tmp_path)})
    assert found.find(Aws(), 0.0) == CHAIN


# --- how often the chain is asked --------------------------------------------------------------------------------


class Slow:
    """A chain whose look-ups end when they are told to."""

    def __init__(self):
        self.asked = 0
        self.go = threading.Event()
        self.ended = threading.Semaphore(0)

    def __call__(self, profile):
        self.asked += 1
        number = self.asked
        self.go.wait(10)
        self.ended.release()
        return Credentials(f"A{number}", "S")


def settled(found):
    """Waits for the running look-up to be over."""
    found._chain(Aws())._thread.join(10)


def test_it_is_asked_again_after_a_while_and_nobody_waits(tmp_path):
    slow = Slow()
    slow.go.set()
    found = Sources({"HOME": str(tmp_path)}, slow)
    assert found.find(Aws(), 100.0) == Credentials("A1", "S")
    assert found.find(Aws(), 100.0 + LOOK_AGAIN_SECONDS - 1) == Credentials("A1", "S")
    assert slow.asked == 1
    slow.go.clear()
    assert found.find(Aws(), 100.0 + LOOK_AGAIN_SECONDS + FIRST_WAIT_SECONDS) == Credentials("A1", "S")
    slow.go.set()
    settled(found)
    assert (found.find(Aws(), 170.0), slow.asked) == (Credentials("A2", "S"), 2)


def test_a_look_up_that_hangs_is_not_waited_for_twice(tmp_path):
    slow = Slow()
    found = Sources({"HOME": str(tmp_path)}, slow)
    found.warm(Aws(), 100.0)
    assert found.find(Aws(), 100.0 + FIRST_WAIT_SECONDS) is None
    assert found.find(Aws(), 100.0 + 2 * LOOK_AGAIN_SECONDS) is None
    assert slow.asked == 1
    slow.go.set()
    settled(found)
    assert found.find(Aws(), 110.0) == Credentials("A1", "S")


def test_nothing_found_is_looked_for_again(tmp_path):
    answers = [None, CHAIN]
    found = Sources({"HOME": str(tmp_path)}, lambda profile: answers.pop(0))
    assert found.find(Aws(), 0.0) is None
    assert found.find(Aws(), LOOK_AGAIN_SECONDS - 1) is None
    found.find(Aws(), LOOK_AGAIN_SECONDS)
    settled(found)
    assert found.find(Aws(), LOOK_AGAIN_SECONDS + 1) == CHAIN


def test_botocores_chain(tmp_path, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    (tmp_path / "config").write_text(
        "[profile p]\ncredential_process = printf "
        "'{\"Version\":1,\"AccessKeyId\":\"PA\",\"SecretAccessKey\":\"PS\",\"SessionToken\":\"PT\"}'\n")
    chain = Botocore()
    assert chain("p") == Credentials("PA", "PS", "PT")
    assert chain("p") == Credentials("PA", "PS", "PT")
    assert chain("unknown") is None
    assert Botocore()(None) is None
