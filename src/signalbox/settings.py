"""Every setting, read from the environment (prefix `SIGNALBOX_`) and from a `.env` file in the working folder.

A setting has one name, one default and one meaning; nothing else in the package reads the environment, except
model providers and clients of live systems, which read their own addresses and keys.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_data_path
from pydantic import BaseModel, Field, Json, ValidationError, field_validator

from signalbox.errors import ConfigurationError

__all__ = ["Settings", "forget_settings", "get_settings", "home_file", "home_folder", "now", "person_zone"]


_PREFIX = "SIGNALBOX_"
_FILE = Path(".env")
_making = threading.Lock()
_HOST_NAME = re.compile(r"(\*\.)?[A-Za-z0-9_-][A-Za-z0-9._-]*(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")


class Settings(BaseModel):
    """What an operator may set. The environment variable is the field's name in capitals, after `SIGNALBOX_`."""

    home: Path = Field(
        default_factory=lambda: user_data_path("signalbox"),
        description="Where everything kept on disk lives: database, checkpoints, runs.",
    )
    now: datetime | None = Field(default=None, description="Freezes the clock everywhere (ISO 8601).")
    user: str = Field(
        default="00000000-0000-4000-8000-000000000001",
        description="Who asks on the command line: the id (a UUID) that tasks, threads and runs belong to.",
    )
    tz: str = Field(default="UTC", description="The person's time zone, as an IANA name.")
    database_url: str = Field(
        default="",
        description="Where tasks, conversations and runs are kept: postgresql://…; by default SQLite under the home.",
    )
    data: Path | None = Field(
        default=None, description="The data folder of storage agents; by default `data` beside the map."
    )
    max_steps: int = Field(default=10_000, gt=0, description="How many nodes one run may execute.")
    success_policy: str = Field(
        default="all_nodes",
        description="all_nodes, final_node, critical_nodes, or module:function for one of your own.",
    )
    strict: bool = Field(
        default=False, description="An agent without an injected tracker raises, as its contract says."
    )
    read_only: bool = Field(default=False, description="Agents that can change a live system only read it.")
    demo: bool = Field(
        default=False,
        description="Use the embedded demonstrations even though a real system is connected. Answers say so.",
    )
    default_agent: str = Field(
        default="", description="The agent that is asked where none is named; by default the front door."
    )
    metrics_recipes: str = Field(
        default="",
        description="Files with recipes of your own for the metrics agent, between them the path separator.",
    )
    world_faults: str = Field(
        default="",
        description="Faults of the embedded network, between them commas: kind:device or kind:device:target.",
    )
    oncall_server: str = Field(
        default="",
        description="The MCP server of the on-call agent, as JSON or a file with it; by default `signalbox mcp gnmi`.",
    )
    oncall_plans: Path | None = Field(
        default=None, description="A folder with plans of your own for the on-call agent."
    )
    oncall_checks: Path | None = Field(
        default=None, description="A file with checks of your own for the on-call agent."
    )
    oncall_max_retries: int = Field(
        default=2, ge=0, le=10, description="How often the on-call agent tries steps again."
    )
    oncall_parallel: int = Field(default=8, gt=0, description="How many devices the on-call agent reads at a time.")
    oncall_deadline: float = Field(default=120.0, gt=0, description="Seconds that the on-call agent gives each device.")
    maps: str = Field(
        default="", description="Maps that the service offers as agents; between them the path separator."
    )
    chat: str = Field(
        default="", description="What answers the chat endpoint, where several packages offer to; default: the first."
    )
    investigate_agent: str = Field(default="investigate", description="The agent that is asked when an alert fires.")
    dependencies: Path | None = Field(
        default=None, description="A file of yours that says what depends on what (dependencies.yaml)."
    )
    runbooks: Path | None = Field(default=None, description="A folder with runbooks of yours (Markdown).")
    report_webhook: str = Field(
        default="", description="Where reports of alerts are sent: https://…; by default nowhere. It may hold a secret."
    )
    report_format: Literal["json", "slack", "mattermost"] = Field(
        default="json", description="What is sent there: the Answer as JSON, or a message for Slack or Mattermost."
    )
    report_private: bool = Field(
        default=False, description="Reports may be sent to private and loopback addresses, too."
    )
    jwt_secret: str = Field(default="", description="Signs and checks tokens (HS256); by default one made at home.")
    jwks_url: str = Field(default="", description="Where the public keys of the tokens are, instead of a secret.")
    jwt_audience: str = Field(default="", description="The audience that a token must name, if any.")
    jwt_issuer: str = Field(default="", description="The issuer that a token must name, if any.")
    rate_limit: int = Field(default=300, gt=0, description="How many requests a person may send in a minute.")
    max_body: int = Field(default=1_000_000, gt=0, description="The largest body of a request, in bytes.")
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description=(
            "Names under which the service is reached through a proxy, between them commas; *.example.org stands for "
            "every name below it."
        ),
    )
    cors_origins: Json[list[str]] = Field(
        default_factory=list, description='Web origins that may call the service, as ["https://…"]; by default none.'
    )
    log_format: Literal["text", "json"] = Field(default="text", description="The log as text or as JSON lines.")
    model: str = Field(default="offline", description="The chat model, as provider/model.")
    model_base_url: str | None = Field(default=None, description="An OpenAI-compatible server's address.")
    model_timeout: float = Field(default=60.0, gt=0, description="Seconds that a model may take to answer.")
    model_max_tokens: int | None = Field(
        default=None, gt=0, description="The longest answer, in tokens; what a model reasons is not counted."
    )
    model_temperature: float = Field(default=0.0, ge=0, le=2, description="0 is the most predictable.")
    model_plans: bool = Field(
        default=False,
        description="Have the model fill in plans, as the offline model does, instead of working with tools: for small "
        "local models.",
    )
    model_run_tokens: int | None = Field(
        default=None, gt=0, description="How many tokens the model calls of one run may use; by default any number."
    )
    model_person_tokens: int | None = Field(
        default=None,
        gt=0,
        description="How many tokens the runs of one person may use in a day; by default any number.",
    )
    model_prices: Json[dict[str, dict[str, float]]] = Field(
        default_factory=dict,
        description='US dollars a million tokens, by model: {"name": {"input": 2.5, "output": 10}}. None are built in.',
    )

    @field_validator("tz")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"'{value}' is no time zone; use an IANA name such as Europe/Berlin") from error
        return value

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """The names between commas; a list in JSON is read as well."""
        if isinstance(value, str):
            listed = json.loads(value) if value.strip().startswith("[") else value.split(",")
            value = [str(one).strip() for one in listed if str(one).strip()]
        for one in value:
            if not _HOST_NAME.fullmatch(one):
                raise ValueError(f"'{one}' is no host name such as signalbox.example.org or *.example.org")
        return value


_VARIABLES = tuple(_PREFIX + field.upper() for field in Settings.model_fields)
_latest: tuple[Any, Settings] | None = None


def get_settings() -> Settings:
    """The settings as the environment says now; they are read anew only where it has changed."""
    global _latest
    # Settings are looked up some twenty times in a request: comparing the dictionary behind `os.environ` costs a
    # fiftieth of reading every variable.
    environment = getattr(os.environ, "_data", os.environ)
    latest = _latest
    if latest is not None and latest[0] == environment:
        return latest[1]
    settings = _read(tuple(map(os.environ.get, _VARIABLES)))
    _latest = (dict(environment), settings)
    return settings


@lru_cache(maxsize=8)
def _read(_variables: tuple[str | None, ...]) -> Settings:
    try:
        return Settings.model_validate(_said())
    except ValidationError as error:
        first = error.errors()[0]
        name = _PREFIX + str(first["loc"][0]).upper()
        raise ConfigurationError(f"{name} is wrong: {first['msg']}", suggestion=f"Correct or unset {name}.") from None


def _said() -> dict[str, str]:
    """What is set, by the names of fields; the environment goes before the file, and capitals are all one."""
    said = {}
    for name, value in (*_in_file().items(), *os.environ.items()):
        if value is not None and name.upper().startswith(_PREFIX):
            said[name[len(_PREFIX) :].lower()] = value
    return said


def _in_file() -> Mapping[str, str | None]:
    if not _FILE.is_file():
        return {}
    from dotenv import dotenv_values

    return dotenv_values(_FILE)


def forget_settings() -> None:
    """Have the settings read anew: for who changes the `.env` file while the process runs."""
    global _latest
    _latest = None
    _read.cache_clear()


def home_folder() -> Path:
    """The folder for everything kept on disk; where it has to be made, nobody else can look into it.

    Raises ConfigurationError where it cannot be made.
    """
    home = get_settings().home
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{home}, where runs and conversations are kept, cannot be made: {error.strerror}.",
            suggestion="Set SIGNALBOX_HOME.",
        ) from None
    return home


def home_file(name: str) -> Path:
    """A file in the home that nobody else can read, made where it is not there. What SQLite puts beside a database
    has the database's own mode. Raises ConfigurationError where it cannot be made."""
    path = home_folder() / name
    try:
        # To open and close a database that another thread uses would end that thread's lock on it: only a file that
        # is not there is opened, and nobody gets its name before it is closed.
        with _making, suppress(FileExistsError):
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        for file in (path, *path.parent.glob(f"{name}-*")):
            with suppress(FileNotFoundError):
                if file.stat().st_mode & 0o077:
                    file.chmod(0o600)
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be used: {error.strerror}.", suggestion="Set SIGNALBOX_HOME."
        ) from None
    return path


def person_zone() -> tzinfo:
    """The zone of the person asking (`SIGNALBOX_TZ`)."""
    return ZoneInfo(get_settings().tz)


def now() -> datetime:
    """The present moment, aware; frozen by `SIGNALBOX_NOW`."""
    frozen = get_settings().now
    if frozen is None:
        return datetime.now(UTC)
    return frozen if frozen.tzinfo else frozen.replace(tzinfo=person_zone())
