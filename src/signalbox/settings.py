"""Every setting, read from the environment (prefix `SIGNALBOX_`), a `.env` file and a config file.

The environment takes precedence over the `.env` file, and that over the config file; an empty variable counts as not
set. Nothing else in the package reads the environment, except model providers and clients of live systems, which read
their own addresses and keys.
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
    """What an operator can set. The environment variable is `SIGNALBOX_` and the field's name in capitals."""

    home: Path = Field(
        default_factory=lambda: user_data_path("signalbox"),
        description="The folder for everything stored on disk: databases, checkpoints, runs.",
    )
    now: datetime | None = Field(
        default=None,
        description="A fixed time (ISO 8601) to use as the current time everywhere, for tests and demonstrations.",
    )
    user: str = Field(
        default="00000000-0000-4000-8000-000000000001",
        description="The id (a UUID) of the person using the command line. Tasks, threads and runs belong to it.",
    )
    tz: str = Field(default="UTC", description="Your time zone, as an IANA name such as Europe/Berlin.")
    database_url: str = Field(
        default="",
        description="The database for tasks, conversations and runs: postgresql://…; default: SQLite in the home.",
    )
    data: Path | None = Field(
        default=None, description="The data folder of storage agents; by default `data` next to the map."
    )
    max_steps: int = Field(default=10_000, gt=0, description="The most nodes that one run may execute.")
    success_policy: str = Field(
        default="all_nodes",
        description="When a run is a success: all_nodes, final_node, critical_nodes, or your own module:function.",
    )
    strict: bool = Field(
        default=False, description="Raise an error if an agent has no injected tracker, as its contract says."
    )
    read_only: bool = Field(
        default=False, description="Do not let agents change live systems; they can still read them."
    )
    demo: bool = Field(
        default=False,
        description="Use the embedded demonstrations even if a real system is connected. Answers say so.",
    )
    default_agent: str = Field(default="", description="The agent to ask if none is named; by default the front door.")
    metrics_recipes: str = Field(
        default="",
        description="Files with your own recipes for the metrics agent, separated like paths in PATH.",
    )
    world_faults: str = Field(
        default="",
        description="Faults in the embedded network: kind:device or kind:device:target, separated by commas, or a JSON "
        "list (or @file) of these and of overrides of what a device reports.",
    )
    oncall_server: str = Field(
        default="",
        description="The MCP server for the on-call agent, as JSON or a file name; default: `signalbox mcp gnmi`.",
    )
    oncall_plans: Path | None = Field(default=None, description="A folder with your own plans for the on-call agent.")
    oncall_checks: Path | None = Field(default=None, description="A file with your own checks for the on-call agent.")
    oncall_max_retries: int = Field(
        default=2, ge=0, le=10, description="How often the on-call agent retries failed steps."
    )
    oncall_parallel: int = Field(default=8, gt=0, description="How many devices the on-call agent reads in parallel.")
    oncall_deadline: float = Field(
        default=120.0, gt=0, description="The on-call agent's time limit per device, in seconds."
    )
    maps: str = Field(default="", description="Maps that the service offers as agents, separated like paths in PATH.")
    chat: str = Field(
        default="", description="Which package answers the chat endpoint, if several can; by default the first."
    )
    investigate_agent: str = Field(default="investigate", description="The agent that investigates alerts.")
    dependencies: Path | None = Field(
        default=None, description="Your file that says what depends on what (dependencies.yaml)."
    )
    runbooks: Path | None = Field(default=None, description="A folder with your runbooks (Markdown).")
    report_webhook: str = Field(
        default="",
        description="Where reports about alerts are sent: https://…; default: nowhere. It may contain a secret.",
    )
    report_format: Literal["json", "slack", "mattermost"] = Field(
        default="json",
        description="The format of these reports: the Answer as JSON, or a message for Slack or Mattermost.",
    )
    report_private: bool = Field(
        default=False, description="Allow reports to be sent to private and loopback addresses."
    )
    jwt_secret: str = Field(
        default="",
        description="The secret that signs and verifies tokens (HS256); by default one is created in the home folder.",
    )
    jwks_url: str = Field(
        default="", description="The address of the public keys that verify tokens, instead of a secret."
    )
    jwt_audience: str = Field(default="", description="The audience that tokens must name, if any.")
    jwt_issuer: str = Field(default="", description="The issuer that tokens must name, if any.")
    rate_limit: int = Field(default=300, gt=0, description="How many requests per minute each person may send.")
    max_queued: int = Field(
        default=10_000,
        gt=0,
        description="How many runs may be waiting or active (on PostgreSQL, half from one person); more get 429.",
    )
    worker_runs: int = Field(default=16, gt=0, description="How many runs one worker executes at a time (PostgreSQL).")
    drain_seconds: float = Field(
        default=30.0,
        ge=0,
        description="How many seconds a stopping worker gives its active runs to finish (PostgreSQL).",
    )
    max_body: int = Field(default=1_000_000, gt=0, description="The maximum size of a request body, in bytes.")
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description=(
            "Host names under which the service is reached through a proxy, separated by commas; *.example.org covers "
            "all its subdomains."
        ),
    )
    webhook_hosts: list[str] = Field(
        default_factory=list,
        description=(
            "Hosts that webhooks of runs may use, separated by commas; *.example.org covers all its public subdomains. "
            "By default none."
        ),
    )
    cors_origins: Json[list[str]] = Field(
        default_factory=list,
        description='Other web origins that may call the service, as ["https://…"]; by default none.',
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="The format of the log: text, or one JSON object per line."
    )
    model: str = Field(default="offline", description="The chat model, as provider/model.")
    model_base_url: str | None = Field(default=None, description="The address of an OpenAI-compatible server.")
    model_timeout: float = Field(default=60.0, gt=0, description="How long to wait for a model's answer, in seconds.")
    model_max_tokens: int | None = Field(
        default=None, gt=0, description="The maximum length of a model's answer in tokens, not counting reasoning."
    )
    model_temperature: float = Field(
        default=0.0, ge=0, le=2, description="The sampling temperature of the model; 0 is the most predictable."
    )
    model_plans: bool = Field(
        default=False,
        description="Let the model fill in plans, as the offline model does, instead of working with tools. Suits "
        "small local models.",
    )
    model_run_tokens: int | None = Field(
        default=None, gt=0, description="How many tokens the model calls of one run may use; by default unlimited."
    )
    model_person_tokens: int | None = Field(
        default=None,
        gt=0,
        description="How many tokens one person's runs may use per day; by default unlimited.",
    )
    model_prices: Json[dict[str, dict[str, float]]] = Field(
        default_factory=dict,
        description='US dollars per million tokens: {"name": {"input": 2.5, "output": 10}}. None are built in.',
    )

    @field_validator("tz")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"'{value}' is not a time zone; use an IANA name such as Europe/Berlin") from error
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        # The address may hold a password, so that it is not repeated.
        if value and value.partition("://")[0].partition("+")[0] not in ("postgresql", "postgres", "sqlite"):
            raise ValueError("use postgresql://user:password@host/name or sqlite:////path/to/file.db")
        return value

    @field_validator("allowed_hosts", "webhook_hosts", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Names separated by commas, or a JSON list."""
        if isinstance(value, str):
            listed = json.loads(value) if value.strip().startswith("[") else value.split(",")
            value = [str(one).strip() for one in listed if str(one).strip()]
        for one in value:
            if not _HOST_NAME.fullmatch(one):
                raise ValueError(f"'{one}' is not a host name such as signalbox.example.org or *.example.org")
        return value


_VARIABLES = ("SIGNALBOX_CONFIG", *(_PREFIX + field.upper() for field in Settings.model_fields))
_latest: tuple[Any, Settings] | None = None


def get_settings() -> Settings:
    """The current settings. They are read again only if the environment has changed."""
    global _latest
    # Settings are looked up about twenty times per request; comparing the dictionary behind `os.environ` costs a
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
        told = str(first["msg"]).removeprefix("Value error, ")
        raise ConfigurationError(f"{name} is wrong: {told}.", suggestion=f"Correct or unset {name}.") from None


def _said() -> dict[str, Any]:
    """The values that are set, by field name."""
    return {name: value for origin in reversed(_origins()) for name, value in origin[1].items()}


def setting_origins() -> dict[str, str]:
    """Where each setting comes from: the environment, the path of a file, or "" for the default."""
    found = {name: origin for origin, values in reversed(_origins()) for name in values}
    return {name: found.get(name, "") for name in Settings.model_fields}


def _origins() -> list[tuple[str, dict[str, Any]]]:
    """The places where settings are read, highest precedence first, with the values they set by field name."""
    path = config_file()
    in_file = {name: value for name, value in _config().items() if name != _VARIABLES_TABLE}
    if unknown := sorted(set(in_file) - set(Settings.model_fields)):
        raise ConfigurationError(
            f"{path} sets '{unknown[0]}', which is not a setting.",
            suggestion="signalbox config --all lists the settings; other variables belong under [environment].",
        )
    # Values that are JSON in the environment may be written as TOML here.
    told = {name: json.dumps(value) if isinstance(value, dict | list) else value for name, value in in_file.items()}
    return [
        ("environment", dict(_named(os.environ))),
        (str(_FILE), dict(_named(_in_file()))),
        (str(path), told),
    ]


def _named(variables: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """The variables of settings that are not empty, by field name; case does not matter."""
    for name, value in variables.items():
        if value and value.strip() and name.upper().startswith(_PREFIX):
            yield name[len(_PREFIX) :].lower(), value


def _in_file() -> Mapping[str, str | None]:
    if not _FILE.is_file():
        return {}
    from dotenv import dotenv_values

    return dotenv_values(_FILE)


def config_file() -> Path:
    """The path of the config file: SIGNALBOX_CONFIG, or `config.toml` in the user's config folder."""
    named = os.environ.get("SIGNALBOX_CONFIG", "").strip()
    return Path(named).expanduser() if named else user_config_path("signalbox") / "config.toml"


def file_variables() -> dict[str, tuple[str, str]]:
    """Environment variables set in files for code that reads its own, such as the address of a live system.

    Each comes with the file that sets it; the `.env` file takes precedence over the config file. Raises
    ConfigurationError if the config file's table has a value that is not text, or a key that other people on this
    machine can read.
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
            f"[{_VARIABLES_TABLE}] in {path} may contain only texts.", suggestion='Write GRAFANA_URL = "https://…".'
        )
    if ours := next((name for name in given if name.upper().startswith(_PREFIX)), ""):
        raise ConfigurationError(
            f"{path} sets {ours} under [{_VARIABLES_TABLE}].",
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
    """Forget the cached settings, so that a changed `.env` file is read again."""
    global _latest
    _latest = None
    _read.cache_clear()


def home_folder() -> Path:
    """The folder for everything stored on disk. It is created if needed, readable only by its owner.

    Raises ConfigurationError if it cannot be created.
    """
    home = get_settings().home
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{home}, where runs and conversations are stored, cannot be created: {error.strerror}.",
            suggestion="Set SIGNALBOX_HOME.",
        ) from None
    return home


def home_file(name: str) -> Path:
    """A file in the home folder that only its owner can read, created if needed. The same goes for files that SQLite
    puts next to a database. Raises ConfigurationError if it cannot be created."""
    path = home_folder() / name
    try:
        # Opening and closing a database that another thread uses would release that thread's lock on it. So only a
        # file that does not exist yet is opened, and nobody gets its name before it is closed.
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
    """The person's time zone (`SIGNALBOX_TZ`)."""
    return ZoneInfo(get_settings().tz)


def now() -> datetime:
    """The current time, with its time zone; `SIGNALBOX_NOW` freezes it."""
    frozen = get_settings().now
    if frozen is None:
        return datetime.now(UTC)
    return frozen if frozen.tzinfo else frozen.replace(tzinfo=person_zone())
