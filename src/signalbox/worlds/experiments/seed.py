"""The experiments that an empty server starts with: of a mathematics tutor, a reading coach and a shop.

They are made by the server's own calls, so that everything in them is as it would be on a real one; only their ids are
fixed, for by them the server draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import NormalDist
from typing import Any
from uuid import NAMESPACE_URL, uuid4, uuid5

from signalbox.settings import now
from signalbox.upgrade.seedrandom import first
from signalbox.worlds.experiments import admin, metrics, visitors
from signalbox.worlds.experiments.rows import at_moment, moment
from signalbox.worlds.experiments.store import Store

__all__ = ["CONTEXTS", "PLANTED", "fill"]

CONTEXTS: dict[str, dict[str, list[str]]] = {
    "assign-prog": {
        "CONDITIONS": ["control", "variant", "condition-a", "condition-b"],
        "GROUP_TYPES": ["schoolId", "classId", "instructorId"],
        "EXP_IDS": ["absolute_value_plot_equality", "using_fractions"],
        "EXP_POINTS": ["SelectSection", "SelectStream"],
    },
    "mathstream": {
        "CONDITIONS": ["control", "treatment", "hint-early", "hint-late"],
        "GROUP_TYPES": ["classId", "schoolId"],
        "EXP_IDS": ["question-hint", "progress-bar", "lesson-end"],
        "EXP_POINTS": ["lesson-stream", "dashboard"],
    },
    "reading-coach": {
        "CONDITIONS": ["control", "audio", "large-print", "stars"],
        "GROUP_TYPES": ["classId", "districtId"],
        "EXP_IDS": ["story-page", "reward", "vocabulary-card"],
        "EXP_POINTS": ["StoryPage", "ResultPage"],
    },
    "web-shop": {
        "CONDITIONS": ["control", "one-page", "free-shipping", "urgent-copy"],
        "GROUP_TYPES": ["storeId"],
        "EXP_IDS": ["payment", "banner", "reminder-mail"],
        "EXP_POINTS": ["Checkout", "HomePage"],
    },
}


@dataclass(frozen=True)
class Measured:
    """A metric of a planted experiment: for each condition the mean, or the percentage of users with the first of the
    values; three in four users log one."""

    key: str
    by_arm: Mapping[str, float]
    spread: float = 0.0
    values: Sequence[str] = ()


@dataclass(frozen=True)
class Planted:
    """One experiment of the seed: what it is, how many came to it, and in which state it ends."""

    name: str
    context: str
    arms: Mapping[str, float]
    points: Sequence[tuple[str, str]]
    state: str = "inactive"
    days_old: int = 10
    visitors: int = 0
    unit: str = "individual"
    rule: str = "individual"
    group: str | None = None
    post: str = "continue"
    revert_to: str | None = None
    filter_mode: str = "includeAll"
    tags: Sequence[str] = ()
    about: str = ""
    include_users: Sequence[str] = ()
    exclude_groups: Sequence[tuple[str, str]] = ()
    strict: bool = False
    limit: Mapping[str, int] | None = None
    payloads: Mapping[str, str] = field(default_factory=dict)
    metrics: Sequence[Measured] = ()


HALVES = {"control": 50.0, "variant": 50.0}

PLANTED = (
    Planted(
        "Absolute Value Plot",
        "assign-prog",
        HALVES,
        [("SelectSection", "absolute_value_plot_equality")],
        "enrolling",
        21,
        80,
        tags=["algebra", "pilot"],
        about="Does a plotted number line help with equations of absolute values?",
    ),
    Planted(
        "Fractions by School",
        "assign-prog",
        {"control": 33.33, "variant": 33.33, "condition-a": 33.34},
        [("SelectSection", "using_fractions")],
        "enrolling",
        30,
        60,
        unit="group",
        rule="group",
        group="schoolId",
        tags=["fractions"],
        about="Whole schools use one of three ways into fractions.",
        exclude_groups=[("schoolId", "school-pilot")],
    ),
    Planted(
        "Stream Order Pilot",
        "assign-prog",
        {"control": 70.0, "condition-b": 30.0},
        [("SelectStream", "using_fractions")],
        "enrollmentComplete",
        60,
        50,
        post="assign",
        revert_to="condition-b",
        tags=["pilot"],
        about="The order of streams was decided: everybody who took part now gets condition-b.",
    ),
    Planted(
        "Old Section Picker",
        "assign-prog",
        HALVES,
        [("SelectStream", "absolute_value_plot_equality")],
        "archived",
        400,
        tags=["legacy"],
    ),
    Planted(
        "Hint Timing",
        "mathstream",
        {"hint-early": 50.0, "hint-late": 50.0},
        [("lesson-stream", "question-hint")],
        "enrolling",
        14,
        120,
        tags=["hints"],
        about="Are hints better when they come early?",
        payloads={"hint-early": "10", "hint-late": "45"},
        metrics=[
            Measured("problemsSolved", {"hint-early": 14.0, "hint-late": 11.0}, 3.5),
            Measured("finishedLesson", {"hint-early": 70.0, "hint-late": 64.0}, values=["yes", "no"]),
        ],
    ),
    Planted(
        "Hint Wording",
        "mathstream",
        {"control": 50.0, "treatment": 50.0},
        [("lesson-stream", "question-hint"), ("lesson-stream", "lesson-end")],
        "inactive",
        5,
        tags=["hints", "draft"],
        about="Friendlier words in hints. It shares a decision point with Hint Timing.",
    ),
    Planted(
        "Progress Bar",
        "mathstream",
        {"control": 50.0, "treatment": 50.0},
        [("dashboard", "progress-bar")],
        "enrollmentComplete",
        45,
        40,
        unit="group",
        group="classId",
        tags=["dashboard"],
        about="Classes with and without a progress bar; who was enrolled keeps what it had.",
        metrics=[Measured("lessonsFinished", {"control": 5.0, "treatment": 5.5}, 2.0)],
    ),
    Planted(
        "Lesson Summary",
        "mathstream",
        {"control": 50.0, "treatment": 50.0},
        [("lesson-stream", "lesson-end")],
        "scheduled",
        3,
        about="Starts with the next term.",
    ),
    Planted(
        "Night Reader",
        "reading-coach",
        {"control": 60.0, "large-print": 40.0},
        [("StoryPage", "story-page")],
        "enrolling",
        12,
        90,
        rule="experiment",
        tags=["accessibility"],
    ),
    Planted(
        "Audio Stories",
        "reading-coach",
        {"control": 50.0, "audio": 50.0},
        [("StoryPage", "vocabulary-card")],
        "preview",
        2,
        filter_mode="excludeAll",
        include_users=["tester-ana", "tester-ben"],
        about="Only two testers are let in.",
    ),
    Planted(
        "Reward Stars",
        "reading-coach",
        {"control": 50.0, "stars": 50.0},
        [("ResultPage", "reward")],
        "cancelled",
        90,
        30,
        post="revert",
        tags=["motivation"],
    ),
    Planted(
        "One-Page Checkout",
        "web-shop",
        {"control": 80.0, "one-page": 20.0},
        [("Checkout", "payment")],
        "enrolling",
        7,
        100,
        strict=True,
        limit={"userCount": 500},
        tags=["checkout"],
        about="A careful start: one in five. Who has seen the checkout before is left out.",
        metrics=[Measured("purchased", {"control": 40.0, "one-page": 45.0}, values=["yes", "no"])],
    ),
    Planted(
        "Free Shipping Banner",
        "web-shop",
        {"control": 34.0, "free-shipping": 33.0, "urgent-copy": 33.0},
        [("HomePage", "banner")],
        "inactive",
        1,
        tags=["banner"],
    ),
    Planted(
        "Cart Reminder",
        "web-shop",
        {"control": 50.0, "urgent-copy": 50.0},
        [("HomePage", "reminder-mail")],
        "draft",
        1,
    ),
)


def fill(store: Store) -> None:
    """Put the contexts, the experiments and those who came to them into an empty store."""
    for context, offered in CONTEXTS.items():
        store.metadata[context] = offered
    for planted in PLANTED:
        _plant(store, planted)
    store.previews["tester-ana"] = True


def _plant(store: Store, planted: Planted) -> None:
    own = str(uuid5(NAMESPACE_URL, f"https://signalbox.example/experiments/{planted.name}"))
    kinds = [
        {"metric": one.key, "datatype": "categorical" if one.values else "continuous"}
        | ({"allowedValues": list(one.values)} if one.values else {})
        for one in planted.metrics
    ]
    made, began, ended, changed = _times(planted)
    with at_moment(made):
        metrics.save(store, {"metricUnit": kinds, "context": [planted.context]})
        admin.create(store, _body(planted, own))
        if planted.post != "continue" or planted.payloads:
            _refine(store, planted, own)
    if planted.visitors:
        with at_moment(began):
            admin.move(store, {"experimentId": own, "state": "enrolling"})
        for number in range(planted.visitors):
            with at_moment(began + (ended - began) * (number + 1) / planted.visitors):
                _visit(store, planted, own, number)
        with at_moment(ended):
            _log(store, planted, own)
    if store.experiments[own]["state"] != planted.state:
        with at_moment(changed):
            admin.move(store, {"experimentId": own, "state": planted.state})


def _times(planted: Planted) -> tuple[datetime, datetime, datetime, datetime]:
    """When an experiment was made, when people began and ceased to come, and when its state last changed: on mornings
    before today, at whichever hour the world is opened. Nothing was changed lately: who looks for what changed
    yesterday finds what people did."""
    today = now().astimezone(UTC).replace(hour=9, minute=0, second=0, microsecond=0)
    made = today - timedelta(days=planted.days_old)
    changed = max(made, today - timedelta(days=round(planted.days_old * 0.6 + 3), minutes=-25))
    if planted.state == "enrolling":
        return made, changed, today - timedelta(days=1), changed
    return made, made + (changed - made) / 5, changed, changed


def _body(planted: Planted, own: str) -> dict[str, Any]:
    return {
        "id": own,
        "name": planted.name,
        "description": planted.about,
        "context": [planted.context],
        "state": "inactive",
        "type": "Simple",
        "assignmentUnit": planted.unit,
        "consistencyRule": planted.rule,
        "postExperimentRule": "continue",
        "filterMode": planted.filter_mode,
        "tags": list(planted.tags),
        "group": planted.group,
        "enrollmentCompleteCondition": dict(planted.limit) if planted.limit else None,
        "conditions": [
            {"id": code, "conditionCode": code, "assignmentWeight": weight, "order": order}
            for order, (code, weight) in enumerate(planted.arms.items(), 1)
        ],
        "partitions": [
            {"id": f"p{order}", "site": site, "target": target, "order": order, "excludeIfReached": planted.strict}
            for order, (site, target) in enumerate(planted.points, 1)
        ],
        "queries": [query for one in planted.metrics for query in _queries(one)],
        "experimentSegmentInclusion": _list(planted.context, users=planted.include_users),
        "experimentSegmentExclusion": _list(planted.context, groups=planted.exclude_groups),
    }


def _queries(one: Measured) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = [{"operationType": "avg"}, {"operationType": "stddev"}]
    if one.values:
        asked = [{"operationType": "percentage", "compareFn": "=", "compareValue": one.values[0]}]
    return [
        {
            "name": f"{one.key} {query['operationType']}",
            "query": query,
            "metric": {"key": one.key},
            "repeatedMeasure": "MOST RECENT",
        }
        for query in asked
    ]


def _list(context: str, users: Sequence[str] = (), groups: Sequence[tuple[str, str]] = ()) -> list[dict[str, Any]]:
    if not users and not groups:
        return []
    held = {
        "individualForSegment": [{"userId": user} for user in users],
        "groupForSegment": [{"type": kind, "groupId": group} for kind, group in groups],
    }
    return [{"segment": {"name": "list", "context": context, "type": "private", **held}}]


def _refine(store: Store, planted: Planted, own: str) -> None:
    one = admin.single(store, own)
    ids = {condition["conditionCode"]: condition["id"] for condition in one["conditions"]}
    payloads = [
        {
            "id": str(uuid4()),
            "parentCondition": ids[code],
            "decisionPoint": point["id"],
            "payload": {"type": "string", "value": planted.payloads.get(code, code)},
        }
        for code in planted.arms
        for point in one["partitions"]
    ]
    said = {"postExperimentRule": planted.post, "revertTo": ids.get(planted.revert_to or "")}
    admin.update(store, own, one | said | {"conditionPayloads": payloads})


def _visit(store: Store, planted: Planted, own: str, number: int) -> None:
    user_id = f"{planted.context.split('-')[0]}-{number + 1:03}"
    group = f"{(planted.group or 'classId').removesuffix('Id')}-{number % 8 + 1}"
    groups = {planted.group: [group]} if planted.group else {}
    known = store.users.get(user_id) or {}
    visitors.init(
        store,
        user_id,
        {
            "group": (known.get("group") or {}) | groups,
            "workingGroup": (known.get("workingGroup") or {}) | ({planted.group: group} if planted.group else {}),
        },
    )
    for site, target in planted.points:
        data = {"site": site, "target": target, "assignedCondition": {"experimentId": own}}
        visitors.mark(store, user_id, {"data": data, "status": "condition applied"})


def _log(store: Store, planted: Planted, own: str) -> None:
    """Log what those who are enrolled did, as their condition has it, the same in every world."""
    codes = {one["id"]: one["conditionCode"] for one in store.experiments[own]["conditions"]}
    enrolled = [(key[1], codes[arm]) for key, arm in store.records.users.items() if key[0] == own]
    for one in planted.metrics:
        for user, arm in enrolled:
            if first(f"{one.key}_{user}_logs") < 0.75:
                value = _value(one, one.by_arm[arm], first(f"{one.key}_{user}"))
                entry = {"timestamp": moment(), "metrics": {"attributes": {one.key: value}}}
                metrics.log(store, user, {"value": [entry]})


def _value(one: Measured, level: float, number: float) -> float | str:
    if one.values:
        return one.values[0] if number * 100 < level else one.values[-1]
    return round(NormalDist(level, one.spread).inv_cdf(min(max(number, 0.001), 0.999)), 1)
