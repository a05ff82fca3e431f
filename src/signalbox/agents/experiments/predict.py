"""What a user would be given, and why: step by step, by UpGrade's own rules, without enrolling anybody.

A user whom the server knows is asked for as the application would ask (`assign`, which stores nothing): what the
server gives is the answer. What it has recorded cannot be read, but follows from what it gives where the rules alone
would give something else. For a stranger, or where a user's groups are supposed to be others, the rules say what would
happen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from signalbox.agents.experiments.client import UpgradeClient
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.errors import UpgradeError
from signalbox.agents.experiments.finding import enrollment_of, find, is_clone
from signalbox.agents.experiments.outcome import Done, tool
from signalbox.agents.experiments.shape import members_of, read_experiment
from signalbox.agents.experiments.users import assignments
from signalbox.upgrade.arrival import switch_group
from signalbox.upgrade.decision import Decision, decide
from signalbox.upgrade.model import NOBODY, Experiment, Members, Records, User, experiment_of
from signalbox.upgrade.states import ASSIGNING

__all__ = ["SegmentReader", "explain_assignment", "foretell"]

Codes = Mapping[str, str]


@tool
async def explain_assignment(
    user_id: str,
    experiment: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
) -> Done:
    """What the user would get of an experiment, and why: `{experiment, user_id, condition (None: the default),
    decided_by: state|global_exclude|group|segment|pool|enrolment|exclusion|post_rule|hash|server,
    steps: [{step, passed, detail}], known_to_server, server_says, note}`. Groups that are given take the place
    of those of the same type that the server knows."""
    client = current_client()
    raw = await find(client, experiment)
    found = await foretell(client, raw, user_id, groups, working_groups)
    words = f"{user_id}: {found['condition'] or 'default'}, by {found['decided_by']}"
    return Done(found, raw, f"GET /experiments/single/{raw['id']}", words)


async def foretell(
    client: UpgradeClient,
    raw: Mapping[str, Any],
    user_id: str,
    groups: Mapping[str, Sequence[str]] | None = None,
    working_groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What `explain_assignment` gives, for an experiment that was read already."""
    experiment = read_experiment(raw)
    stored, given = await _known(client, user_id, experiment["context"])
    asked = _supposed(stored or User(user_id), groups, working_groups)
    if stored is None or asked != stored:
        _check_foretellable(experiment)
    scene = await _scene(client, raw, experiment["context"])
    records = _inferred(scene, stored, given) if stored else Records()
    if stored and asked == stored:
        decision, says = scene.decided(stored, records), given.get(str(raw["id"]))
        found = _told(decision, scene.unread)
        found = found if found["condition"] == says else _as_served(found, says)
        note = ""
    else:
        says = None
        found, note = await _supposing(client, experiment, scene, stored, asked, given, records)
    return found | {
        "experiment": experiment["name"],
        "experiment_id": experiment["id"],
        "user_id": user_id,
        "known_to_server": stored is not None,
        "server_says": says,
        "note": note,
    }


@dataclass
class _Scene:
    """Everything that decides in a context, but for the user: `asked` is the id of the experiment in question."""

    asked: str
    context: str
    experiments: list[Experiment] = field(default_factory=list)
    kept_out: Members = NOBODY
    unread: str = ""

    def all_decided(self, user: User, records: Records) -> list[Decision]:
        return decide(self.experiments, self.context, user, records, self.kept_out)

    def decided(self, user: User, records: Records) -> Decision:
        return next(one for one in self.all_decided(user, records) if one.experiment.id == self.asked)


async def _scene(client: UpgradeClient, raw: Mapping[str, Any], context: str) -> _Scene:
    """Read what decides. The order of the server's list is that in which it draws from a pool: so it was seen."""
    listed = [one for one in await client.experiments() if not is_clone(one) or one["id"] == raw["id"]]
    segments, scene = SegmentReader(client), _Scene(str(raw["id"]), context)
    for one in listed:
        model = experiment_of(one)
        if model.id == scene.asked or (model.context == context and model.state in ASSIGNING):
            include = await segments.members(one.get("experimentSegmentInclusion"))
            exclude = await segments.members(one.get("experimentSegmentExclusion"))
            scene.experiments.append(replace(model, include=include, exclude=exclude))
    try:
        lists = [one for one in await client.global_exclude() if one.get("context") == context]
        scene.kept_out = await segments.members(lists)
    except UpgradeError as error:
        segments.unread.append(f"the global exclude list ({error.user_message.rstrip('.')})")
    scene.unread = f"Not readable, and so left out: {', '.join(segments.unread)}." if segments.unread else ""
    return scene


async def _known(client: UpgradeClient, user_id: str, context: str) -> tuple[User | None, dict[str, str]]:
    """The user as the server knows it, None for a stranger; and the codes that it is given, by experiment."""
    try:
        given = assignments(await client.assign(user_id, context))
    except UpgradeError as error:
        if error.status != 404:
            raise
        return None, {}
    # To say hello without groups changes none: it is the one call that tells them.
    told = await client.init(user_id)
    user = User(str(told.get("id") or user_id), told.get("group"), told.get("workingGroup"))
    return user, {str(one["experiment_id"]): str(one["condition"]) for one in given if one["condition"] is not None}


def _supposed(stored: User, groups: Mapping[str, Sequence[str]] | None, working: Mapping[str, str] | None) -> User:
    """The user with these groups in place of its own of the same types; who is in one of a type works in it."""
    said = {kind: list(ids) for kind, ids in (groups or {}).items()}
    for kind, chosen in (working or {}).items():
        said.setdefault(kind, [chosen])
    at_work = {kind: ids[0] for kind, ids in said.items() if len(ids) == 1} | dict(working or {})
    held = {**(stored.groups or {}), **said}
    return replace(
        stored,
        groups=held if said else stored.groups,
        working_groups={**(stored.working_groups or {}), **at_work} if at_work else stored.working_groups,
    )


def _inferred(scene: _Scene, user: User, given: Codes) -> Records:
    """What the server must have recorded of the user to give what it gives: enrolments first, then exclusions."""
    records = Records()
    for one in scene.all_decided(user, records):
        code = given.get(one.experiment.id)
        if code is not None and (one.condition is None or one.condition.code != code):
            _enrol(records, one.experiment, user, code)
    for one in scene.all_decided(user, records):
        if one.condition and one.experiment.id not in given:
            records.users_excluded[one.experiment.id, user.id] = "not told"
    return records


def _enrol(records: Records, experiment: Experiment, user: User, code: str) -> None:
    own = next((one.id for one in experiment.conditions if one.code == code), None)
    if own:
        records.users[experiment.id, user.id] = own
        group = user.working_group(experiment.group) if experiment.unit == "group" else None
        if group:
            records.groups[experiment.id, group] = own


async def _supposing(
    client: UpgradeClient,
    experiment: Mapping[str, Any],
    scene: _Scene,
    stored: User | None,
    asked: User,
    given: Codes,
    records: Records,
) -> tuple[dict[str, Any], str]:
    """What would happen to a stranger, or with other groups; and what it hangs on that the server does not tell."""
    counts = await enrollment_of(client, experiment)
    fresh = _told(scene.decided(asked, _switched(scene, stored, asked, records)), scene.unread)
    if stored is None:
        return fresh, _about_group(experiment, counts, fresh)
    # Whoever the server gives a condition may be enrolled with it already, which a change of groups does not end.
    for one in scene.experiments:
        if one.id in given:
            _enrol(records, one, stored, given[one.id])
    kept = _told(scene.decided(asked, _switched(scene, stored, asked, records)), scene.unread)
    if kept["condition"] == fresh["condition"] or not counts["users"]:
        return fresh, "These are not the groups that the server knows of the user."
    other = fresh["condition"] or "the default"
    return kept, f"This supposes that the user is enrolled, which the server does not tell; else it gets {other}."


def _switched(scene: _Scene, stored: User | None, asked: User, records: Records) -> Records:
    """The records after the user's groups have become others."""
    after = Records(*(dict(table) for table in vars(records).values()))
    for one in scene.experiments:
        if stored and one.group and stored.working_group(one.group) != asked.working_group(one.group):
            switch_group(one, asked.id, after)
    return after


def _about_group(experiment: Mapping[str, Any], counts: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    if experiment["assignment_unit"] != "group" or found["decided_by"] != "hash":
        return ""
    if not counts["groups"] and not counts["groups_excluded"]:
        return ""
    return "A group that is enrolled or excluded already stays so, which the server tells only for users it knows."


def _check_foretellable(experiment: Mapping[str, Any]) -> None:
    if experiment["assignment_unit"] == "within-subjects":
        told = "A within-subjects experiment gives every user all of its conditions, one after the other."
        raise UpgradeError(told, "validation", suggestion="Which comes first is known once the server knows the user.")
    if experiment["algorithm"] != "random":
        told = f"'{experiment['name']}' assigns by {experiment['algorithm']}, which looks at who is enrolled already."
        raise UpgradeError(told, "validation", suggestion="Ask for a user whom the server knows.")


def _told(decision: Decision, unread: str) -> dict[str, Any]:
    steps = [{"step": one.name, "passed": one.passed, "detail": one.detail} for one in decision.steps]
    for one in steps:
        if one["step"] in ("global_exclude", "segment") and unread:
            one["detail"] = f"{one['detail']}. {unread}"
    return {
        "condition": decision.condition.code if decision.condition else None,
        "decided_by": decision.decided_by,
        "steps": steps,
    }


def _as_served(found: Mapping[str, Any], says: str | None) -> dict[str, Any]:
    """What the server gives, where the rules with nothing but what can be read give something else."""
    detail = f"the server gives {says or 'the default'}, which does not follow from what it shows of itself"
    step = {"step": "server", "passed": says is not None, "detail": detail}
    return {"condition": says, "decided_by": "server", "steps": [*found["steps"], step]}


_MOST_READ = 100


class SegmentReader:
    """Reads each segment once; `unread` says which could not be read."""

    def __init__(self, client: UpgradeClient) -> None:
        self.unread: list[str] = []
        self._client = client
        self._read: dict[str, dict[str, Any]] = {}

    async def members(self, lists: Any) -> Members:
        """Everybody in these lists, whichever shape the server gives them in."""
        held = members_of(lists)
        users, groups = set(held["users"]), {(one["type"], one["id"]) for one in held["groups"]}
        waiting, seen = list(held["segments"]), set[str]()
        while waiting:
            own = waiting.pop()
            if own in seen:
                continue
            seen.add(own)
            found = members_of([await self._segment(own)])
            users |= set(found["users"])
            groups |= {(one["type"], one["id"]) for one in found["groups"]}
            waiting += found["segments"]
        return Members(frozenset(users), frozenset(groups))

    async def _segment(self, segment_id: str) -> Mapping[str, Any]:
        if segment_id not in self._read:
            self._read[segment_id] = {}
            try:
                if len(self._read) > _MOST_READ:
                    raise UpgradeError(f"more than {_MOST_READ} segments are read for one question")
                self._read[segment_id] = await self._client.segment(segment_id)
            except UpgradeError as error:
                self.unread.append(f"segment {segment_id} ({error.user_message.rstrip('.')})")
        return self._read[segment_id]
