"""AWS credentials: configured, from the environment, from the profile file, or from Botocore's chain (extra `aws`).

The first three need no network. Botocore's chain (SSO, roles, instance metadata) does: it is asked in a thread of its
own, ahead of time and again before what it gave runs out, so that no request waits for it but the very first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from configparser import Error, RawConfigParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.config.model import Aws

LOOK_AGAIN_SECONDS = 60.0
FIRST_WAIT_SECONDS = 3.0
"""How long a request waits for the first look-up of Botocore's chain."""


@dataclass(slots=True, frozen=True)
class Credentials:
    """Long-term keys, or temporary ones with their token."""

    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


Lookup = Callable[[str | None], Credentials | None]
"""A blocking look-up of a profile (None: the default one)."""


class Sources:
    """Where credentials come from. `lookup` stands for Botocore's chain."""

    def __init__(self, environ: Mapping[str, str], lookup: Lookup | None = None) -> None:
        self._environ = environ
        self._lookup = Botocore() if lookup is None else lookup
        self._chains: dict[str | None, _Chain] = {}
        self._file: tuple[tuple[str, int], RawConfigParser] | None = None

    def find(self, aws: Aws, now: float) -> Credentials | None:
        """The credentials for a provider; None where there are none."""
        return self._here(aws) or self._chain(aws).get(now)

    def warm(self, aws: Aws, now: float) -> None:
        """Begins to look for them where only the chain may have some."""
        if self._here(aws) is None:
            self._chain(aws).look(now)

    def _here(self, aws: Aws) -> Credentials | None:
        """Without the network: the configured keys, the configured profile's, the environment's, a profile's."""
        if aws.access_key_id and aws.secret_access_key:
            return Credentials(aws.access_key_id, aws.secret_access_key, aws.session_token)
        if aws.profile:
            return self._profile(aws.profile)
        env = self._environ.get
        access, secret = env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY")
        if access and secret:
            return Credentials(access, secret, env("AWS_SESSION_TOKEN") or None)
        return self._profile(env("AWS_PROFILE") or "default")

    def _chain(self, aws: Aws) -> _Chain:
        profile = aws.profile or self._environ.get("AWS_PROFILE") or None
        if profile not in self._chains:
            self._chains[profile] = _Chain(self._lookup, profile)
        return self._chains[profile]

    # --- the profile file ----------------------------------------------------------------------------------------

    def _profile(self, name: str) -> Credentials | None:
        """Static keys of a profile. A profile without some (SSO, a role) is Botocore's business."""
        parser = self._parsed()
        if parser is None or not parser.has_section(name):
            return None
        section = parser[name]
        access, secret = section.get("aws_access_key_id"), section.get("aws_secret_access_key")
        if not access or not secret:
            return None
        return Credentials(access, secret, section.get("aws_session_token") or section.get("aws_security_token"))

    def _parsed(self) -> RawConfigParser | None:
        """The file, read again when it has changed. A broken one counts as missing."""
        path = self._path()
        try:
            version = (str(path), path.stat().st_mtime_ns)
            if self._file is None or self._file[0] != version:
                parser = RawConfigParser(strict=False)
                parser.read_string(path.read_text("utf-8"))
                self._file = version, parser
        except (OSError, UnicodeDecodeError, Error):
            return None
        return self._file[1]

    def _path(self) -> Path:
        named = self._environ.get("AWS_SHARED_CREDENTIALS_FILE")
        home = self._environ.get("HOME") or self._environ.get("USERPROFILE")
        base = Path(home) if home else Path.home()
        if not named:
            return base / ".aws" / "credentials"
        return base / named[2:] if named.startswith("~/") else Path(named)


class _Chain:
    """What Botocore's chain last gave for one profile."""

    def __init__(self, lookup: Lookup, profile: str | None) -> None:
        self._lookup = lookup
        self._profile = profile
        self._found: Credentials | None = None
        self._began: float | None = None
        self._answered = threading.Event()
        self._thread: threading.Thread | None = None

    def look(self, now: float) -> None:
        """Begins a look-up, unless one is under way or was not long ago."""
        if self._thread is not None and self._thread.is_alive():
            return
        if self._began is not None and 0 <= now - self._began < LOOK_AGAIN_SECONDS:
            return
        self._began = now
        self._thread = threading.Thread(target=self._run, name="aws-credentials", daemon=True)
        self._thread.start()

    def get(self, now: float) -> Credentials | None:
        """What is known. Waits for the first look-up, not for long and not again when it took longer than that."""
        self.look(now)
        if self._began is not None and now - self._began < FIRST_WAIT_SECONDS:
            self._answered.wait(FIRST_WAIT_SECONDS)
        return self._found

    def _run(self) -> None:
        self._found = self._lookup(self._profile)
        self._answered.set()


class Botocore:
    """Botocore's chain. What it gives is kept: Botocore renews it when it is about to run out."""

    def __init__(self) -> None:
        self._held: dict[str | None, Any] = {}

    def __call__(self, profile: str | None) -> Credentials | None:
        """None where it has none, or is not installed."""
        try:
            from botocore.exceptions import BotoCoreError, ClientError
            from botocore.session import Session
        except ImportError:
            return None
        try:
            if self._held.get(profile) is None:
                self._held[profile] = Session(profile=profile).get_credentials()
            held = self._held[profile]
            frozen = held.get_frozen_credentials() if held is not None else None
        except (BotoCoreError, ClientError, OSError, ValueError):
            return None
        if frozen is None or not frozen.access_key or not frozen.secret_key:
            return None
        return Credentials(frozen.access_key, frozen.secret_key, frozen.token)
