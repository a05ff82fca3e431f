"""Every setting, read from the environment (prefix `SIGNALBOX_`), a `.env` file and a config file.

The environment goes before the `.env` file, and that before the config file; a variable that is empty is not set. A
setting has one name, one default and one meaning; nothing else in the package reads the environment, except model
providers and clients of live systems, which read their own addresses and keys.
"""

from __future__ import annotations

import json
import os
import re
import threading
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_config_path, user_data_path
from pydantic import BaseModel, Field, Json, ValidationError, field_validator

from signalbox.errors import ConfigurationError

__all__ = [
    "SECRET_NAME",
    "Settings",
    "config_file",
    "file_variables",
    "forget_settings",
    "get_settings",
    "home_file",
    "home_folder",
    "now",
    "person_zone",
    "setting_origins",
]


_PREFIX = "SIGNALBOX_"
_FILE = Path(".env")
_VARIABLES_TABLE = "environment"
SECRET_NAME = re.compile(r"(TOKEN|KEY|SECRET|PASSWORD|ACCOUNT)$", re.IGNORECASE)
"""Names of variables whose values are never shown."""
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
        description="Faults of the embedded network: kind:device or kind:device:target between commas, or a JSON list "
        "(or @file) of these and of overrides of what a device tells.",
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
    max_queued: int = Field(
        default=10_000,
        gt=0,
        description="How many runs may wait or be under way (on PostgreSQL half of them one person's); more get 429.",
    )
    worker_runs: int = Field(default=16, gt=0, description="How many runs one worker carries at a time (PostgreSQL).")
    drain_seconds: float = Field(
        default=30.0, ge=0, description="Seconds that a worker which is stopped gives its runs to end (PostgreSQL)."
    )
    max_body: int = Field(default=1_000_000, gt=0, description="The largest body of a request, in bytes.")
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description=(
            "Names under which the service is reached through a proxy, between them commas; *.example.org stands for "
            "every name below it."
        ),
    )
    webhook_hosts: list[str] = Field(
        default_factory=list,
        description=(
            "Hosts that the webhook of a run may name, between them commas; *.example.org stands for every public host "
            "below it. By default none."
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

    @field_validator("allowed_hosts", "webhook_hosts", mode="before")
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


_VARIABLES = ("SIGNALBOX_CONFIG", *(_PREFIX + field.upper() for field in Settings.model_fields))
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


def _said() -> dict[str, Any]:
    """What is set, by the names of fields."""
    return {name: value for origin in reversed(_origins()) for name, value in origin[1].items()}


def setting_origins() -> dict[str, str]:
    """Where each setting comes from: the environment, a file by its path, or nowhere (its default stands)."""
    found = {name: origin for origin, values in reversed(_origins()) for name in values}
    return {name: found.get(name, "") for name in Settings.model_fields}


def _origins() -> list[tuple[str, dict[str, Any]]]:
    """Each place where settings are read, the first one first, with what it sets by the names of fields."""
    path = config_file()
    in_file = {name: value for name, value in _config().items() if name != _VARIABLES_TABLE}
    if unknown := sorted(set(in_file) - set(Settings.model_fields)):
        raise ConfigurationError(
            f"{path} sets '{unknown[0]}', which is no setting.",
            suggestion="signalbox config lists the settings; other variables go below [environment].",
        )
    # A value that is parsed from JSON where it stands in the environment may be written as TOML here.
    told = {name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in in_file.items()}
    return [
        ("environment", dict(_named(os.environ))),
        (str(_FILE), dict(_named(_in_file()))),
        (str(path), told),
    ]


def _named(variables: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """The variables of settings that are not empty, by the names of fields; capitals are all one."""
    for name, value in variables.items():
        if value and value.strip() and name.upper().startswith(_PREFIX):
            yield name[len(_PREFIX) :].lower(), value


def _in_file() -> Mapping[str, str | None]:
    if not _FILE.is_file():
        return {}
    from dotenv import dotenv_values

    return dotenv_values(_FILE)


def config_file() -> Path:
    """Where the config file is looked for: SIGNALBOX_CONFIG, else `config.toml` in the user's config folder."""
    named = os.environ.get("SIGNALBOX_CONFIG", "").strip()
    return Path(named).expanduser() if named else user_config_path("signalbox") / "config.toml"


def file_variables() -> dict[str, tuple[str, str]]:
    """The environment variables that files set for what reads its own, such as the address of a live system.

    Each comes with the file that sets it; the `.env` file goes before the config file. Raises ConfigurationError if
    the config file's table holds anything but text, or a key that other people on this machine can read.
    """
    found = {name: (value, str(config_file())) for name, value in _config_variables().items()}
    for name, value in _in_file().items():
        if value and value.strip() and not name.upper().startswith(_PREFIX):
            found[name] = (value, str(_FILE))
    return found


def _config_variables() -> dict[str, str]:
    path, given = config_file(), _config().get(_VARIABLES_TABLE, {})
    if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
        raise ConfigurationError(
            f"[{_VARIABLES_TABLE}] in {path} must hold names and texts.", suggestion='Write GRAFANA_URL = "https://…".'
        )
    if ours := next((name for name in given if name.upper().startswith(_PREFIX)), ""):
        raise ConfigurationError(
            f"{path} sets {ours} below [{_VARIABLES_TABLE}].",
            suggestion=f"It is a setting: write {ours[len(_PREFIX) :].lower()} = … above the table.",
        )
    secret = next((name for name in given if SECRET_NAME.search(name)), "")
    if secret and os.name == "posix" and path.stat().st_mode & 0o077:
        raise ConfigurationError(
            f"{path} holds {secret}, and other people on this machine can read it.", suggestion=f"chmod 600 {path}"
        )
    return given


def _config() -> dict[str, Any]:
    path = config_file()
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        if os.environ.get("SIGNALBOX_CONFIG", "").strip():
            raise ConfigurationError(f"There is no file {path}.", suggestion="Correct SIGNALBOX_CONFIG.") from None
        return {}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", suggestion="Correct the file.") from None


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
