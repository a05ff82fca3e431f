"""The client of an UpGrade server's REST API: one method a call, plain data in and out, errors by kind.

What the server can be asked twice without harm is asked again after a failure that may pass, each time later, up to a
limit; nothing else is ever sent twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

import httpx

from signalbox.agents.experiments.connection import Connection, Tokens, read_connection
from signalbox.agents.experiments.errors import RETRYABLE, UpgradeError, broken, refusal, too_slow
from signalbox.errors import ConfigurationError
from signalbox.upgrade.states import stored_state

__all__ = ["Patience", "UpgradeClient"]

_AT_ONCE = 8
_CONNECT_SECONDS = 5.0


@dataclass(frozen=True)
class Patience:
    """How long one call may take, how often a call that may be repeated is made again, and after how long; and how
    long all of that may take together."""

    seconds: float = 20.0
    together: float = 25.0
    retries: int = 3
    first_wait: float = 0.2
    longest_wait: float = 3.0

    def wait(self, failures: int) -> float:
        """The seconds to wait after so many failures: twice as long each time."""
        return min(self.longest_wait, self.first_wait * 2.0 ** (failures - 1))


class UpgradeClient:
    """Talks to one server; may be used from several event loops, each with connections of its own."""

    system = "upgrade"

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str = "",
        connection: Connection | None = None,
        patience: Patience | None = None,
    ) -> None:
        found = connection or (read_connection(url) if url else read_connection())
        if found is None:
            raise ConfigurationError(
                "No UpGrade server is named.", suggestion="Set UPGRADE_URL to the address of its API."
            )
        if token:
            found = Connection(found.url, token)
        self.url = found.url
        self.patience = patience or Patience()
        self._tokens = Tokens(found)
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def __aenter__(self) -> UpgradeClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line:
            await line.aclose()

    # What the server is

    async def health(self) -> dict[str, Any]:
        """`{name, version, description}`; needs no credentials."""
        return _record(await self.call("GET", "/"))

    async def context_metadata(self) -> dict[str, dict[str, list[str]]]:
        """For each context its conditions, group types, targets (EXP_IDS) and sites (EXP_POINTS)."""
        answer = _record(await self.call("GET", "/experiments/contextMetaData"))
        return dict(answer.get("contextMetadata") or {})

    # Experiments

    async def names(self) -> list[dict[str, str]]:
        """`[{id, name}]` of every experiment."""
        return _records(await self.call("GET", "/experiments/names"))

    async def experiments(self) -> list[dict[str, Any]]:
        """Every experiment, whole."""
        return _records(await self.call("GET", "/experiments"))

    async def flags(self) -> list[dict[str, Any]]:
        """Every feature flag."""
        return _records(await self.call("GET", "/flags"))

    async def experiment(self, experiment_id: str) -> dict[str, Any]:
        """One experiment, whole; an UpgradeError of the kind not_found where there is none."""
        return _record(await self.call("GET", f"/experiments/single/{_part(experiment_id)}"))

    async def create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make an experiment; the answer lacks the lists, which the server keeps all the same."""
        return _record(await self.call("POST", "/experiments", body))

    async def update(self, experiment_id: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Replace an experiment by a whole body; the server ignores lists in it."""
        return _record(await self.call("PUT", f"/experiments/{_part(experiment_id)}", body))

    async def set_state(self, experiment_id: str, state: str, *, schedule: str | None = None) -> dict[str, Any]:
        """Move an experiment to a state, of either spelling."""
        body: dict[str, Any] = {"experimentId": experiment_id, "state": stored_state(state)}
        if schedule:
            body["scheduleDate"] = schedule
        return _record(await self.call("POST", "/experiments/state", body))

    async def delete(self, experiment_id: str) -> dict[str, Any]:
        """Remove an experiment, and give what it was: the server answers with an array of it."""
        answer = await self.call("DELETE", f"/experiments/{_part(experiment_id)}")
        return _record(answer[0] if isinstance(answer, list) and answer else answer)

    async def add_list(self, experiment_id: str, kind: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """Add a list of one type of members; kind is inclusion or exclusion."""
        body = {"experimentId": experiment_id, "list": dict(members)}
        return _record(await self.call("POST", f"/experiments/{kind}List", body))

    async def global_exclude(self) -> list[dict[str, Any]]:
        """The lists of those who are kept out of everything, one a context."""
        return _records(await self.call("GET", "/segments/global"))

    async def segment(self, segment_id: str) -> dict[str, Any]:
        """One segment with its users, groups and the segments in it; an UpgradeError of the kind not_found."""
        return _record(await self.call("GET", f"/segments/{_part(segment_id)}"))

    async def enrollment_detail(self, experiment_id: str) -> dict[str, Any]:
        """`{id, users, groups, usersExcluded, groupsExcluded, conditions}` of one experiment."""
        body = {"experimentId": experiment_id}
        return _record(await self.call("POST", "/stats/enrollment/detail", body, repeatable=True))

    async def enrollment(self, experiment_ids: Iterable[str]) -> list[dict[str, Any]]:
        """`[{id, users, groups}]` of several."""
        body = {"experimentIds": list(experiment_ids)}
        return _records(await self.call("POST", "/stats/enrollment", body, repeatable=True))

    # Metrics

    async def metrics(self, context: str) -> list[dict[str, Any]]:
        """The metrics that a context can log, as a tree of `{key, children, metadata, allowedData, context}`."""
        try:
            return _records(await self.call("GET", f"/metric/{_part(context)}"))
        except UpgradeError as error:
            # The server has no answer but this for a context without metrics.
            if error.status != 404:
                raise
            return []

    async def analyse(self, query_ids: Iterable[str]) -> list[dict[str, Any]]:
        """The result of each query of an experiment, by condition: `[{id, mainEffect, interactionEffect}]`."""
        body = {"queryIds": list(query_ids)}
        return _records(await self.call("POST", "/query/analyse", body, repeatable=True))

    async def batch_assign(self, context: str, site: str, target: str, user_ids: Iterable[str]) -> dict[str, Any]:
        """What users that the server knows would get at one decision point; enrols nobody."""
        body = {"context": context, "site": site, "target": target, "userIds": list(user_ids)}
        return _record(await self.call("POST", "/batch-assign", body, repeatable=True))

    # What an application does for its users

    async def init(
        self,
        user_id: str,
        groups: Mapping[str, list[str]] | None = None,
        working_groups: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Make a user known, or say its groups anew; what is left out stays as it was."""
        body: dict[str, Any] = {}
        if groups is not None:
            body["group"] = {kind: list(ids) for kind, ids in groups.items()}
        if working_groups is not None:
            body["workingGroup"] = dict(working_groups)
        return _record(await self.call("POST", "/v6/init", body, user=user_id, repeatable=True))

    async def assign(self, user_id: str, context: str) -> list[dict[str, Any]]:
        """Every decision point of a context at which the user gets a condition; stores nothing."""
        return _records(await self.call("POST", "/v6/assign", {"context": context}, user=user_id, repeatable=True))

    async def mark(
        self,
        user_id: str,
        site: str,
        target: str,
        condition: Mapping[str, Any] | None = None,
        status: str | None = "condition applied",
    ) -> dict[str, Any]:
        """Say that a user was at a decision point, with an assignment's `{id, conditionCode, experimentId}`."""
        data: dict[str, Any] = {"site": site, "target": target}
        if condition is not None:
            kept = ("id", "conditionCode", "experimentId")
            data["assignedCondition"] = {key: condition[key] for key in kept if condition.get(key) is not None}
        body = {"data": data} | ({"status": status} if status else {})
        return _record(await self.call("POST", "/v6/mark", body, user=user_id))

    async def log(self, user_id: str, values: Mapping[str, float | str], at: str) -> list[dict[str, Any]]:
        """Log a user's values of metrics; the server keeps those that a query of some experiment asks for."""
        body = {"value": [{"timestamp": at, "metrics": {"attributes": dict(values), "groupedMetrics": []}}]}
        return _records(await self.call("POST", "/v6/log", body, user=user_id))

    # The line

    async def call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, user: str = "", repeatable: bool = False
    ) -> Any:
        """What the server answers, as plain data. Raises UpgradeError, with the kind in `error_type`.

        A GET, and what is `repeatable`, is made again after a failure that may pass.
        """
        tries = self.patience.retries if method == "GET" or repeatable else 0
        last = asyncio.get_running_loop().time() + self.patience.together - self.patience.seconds
        for failures in range(tries + 1):
            try:
                return await self._once(method, path, body, user)
            except UpgradeError as error:
                is_late = asyncio.get_running_loop().time() > last
                if failures == tries or is_late or error.error_type not in RETRYABLE:
                    raise
                await asyncio.sleep(self.patience.wait(failures + 1))
        raise AssertionError("unreachable")

    async def _once(self, method: str, path: str, body: Mapping[str, Any] | None, user: str) -> Any:
        try:
            return await self._exchange(method, path, body, user)
        except UpgradeError as error:
            # A call that was refused for its token did nothing, so that even a write may be made with a fresh one.
            if error.status != 401 or not self._tokens.renewable:
                raise
            self._tokens.refuse()
            return await self._exchange(method, path, body, user)

    async def _exchange(self, method: str, path: str, body: Mapping[str, Any] | None, user: str) -> Any:
        endpoint, http = f"{method} {path}", self._line()
        token = await self._tokens.current(http)
        headers = ({"Authorization": f"Bearer {token}"} if token else {}) | (
            {"User-Id": quote(user, safe=_PLAIN)} if user else {}
        )
        try:
            async with asyncio.timeout(self.patience.seconds):
                answer = await http.request(method, f"{self.url}{path}", json=body, headers=headers)
        except (TimeoutError, httpx.TimeoutException) as error:
            if isinstance(error, httpx.ConnectTimeout):
                raise broken(self.url, endpoint, error) from None
            raise too_slow(endpoint, self.patience.seconds) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise broken(self.url, endpoint, error) from None
        if not answer.is_success:
            raise refusal(endpoint, answer)
        return _read(endpoint, answer)

    def _line(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self._lines:
            wait = httpx.Timeout(self.patience.seconds, connect=min(_CONNECT_SECONDS, self.patience.seconds), pool=None)
            limits = httpx.Limits(max_connections=_AT_ONCE, max_keepalive_connections=_AT_ONCE)
            self._lines[loop] = httpx.AsyncClient(timeout=wait, limits=limits, follow_redirects=False)
        return self._lines[loop]


# What a header may hold as it stands; everything else in a user's id is percent-encoded.
_PLAIN = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def _part(text: str) -> str:
    return quote(text, safe="")


def _read(endpoint: str, answer: httpx.Response) -> Any:
    if "html" in answer.headers.get("content-type", "").lower():
        raise UpgradeError(
            "The server answered with a web page instead of data.",
            suggestion="Check that UPGRADE_URL is the address of UpGrade's API.",
            status=answer.status_code,
            endpoint=endpoint,
        )
    try:
        return answer.json()
    except ValueError:
        return answer.text


def _record(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise _unknown(answer)
    return answer


def _records(answer: Any) -> list[dict[str, Any]]:
    if not isinstance(answer, list) or not all(isinstance(one, dict) for one in answer):
        raise _unknown(answer)
    return answer


def _unknown(answer: Any) -> UpgradeError:
    return UpgradeError(
        "The server's answer is not what UpGrade answers.",
        suggestion="Check that UPGRADE_URL is the address of UpGrade's API, release 6.",
        answer=str(answer)[:300],
    )
