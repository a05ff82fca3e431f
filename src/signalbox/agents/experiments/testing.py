"""`testing_node`: balance and consistency of an experiment, tried out with made-up users on a disposable copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.config import get_stream_writer

from signalbox.agents.experiments.asked import said_params
from signalbox.agents.experiments.asking import Ask, Calls
from signalbox.agents.experiments.candidates import choose_experiment
from signalbox.agents.experiments.consistency import consistency_blocks
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.outcome import refuse_writes
from signalbox.agents.experiments.questions import again, ask_yes, done_once
from signalbox.agents.experiments.steps import advance_step, init_multi_step_operation
from signalbox.agents.experiments.tools import (
    generate_test_users,
    get_experiment_details,
    test_condition_balance,
    test_consistency_rules,
)
from signalbox.contract import blocks

__all__ = ["atesting_node", "run_test", "testing_node", "told_users"]

_USERS = 1000
_MADE_UP = 10
_SHOWN = 20
_NOT_DONE = "Nothing was tested."
Update = dict[str, Any]


@capability_node("testing")
async def atesting_node(state: dict[str, Any], calls: Calls) -> Update:
    """Put balance or consistency to the test, or make up users. The live experiment is used only after a yes."""
    pending = state["pending"] or {}
    decision = pending.get("decision")
    if decision == "no":
        return {"bot_response": _NOT_DONE, "told": _NOT_DONE, "previous": state["previous"]}
    if decision == "yes":
        refuse_writes()
        operation = pending["operation"]
        return await done_once(
            pending,
            "everybody was enrolled",
            lambda: run_test(str(operation["test"]), dict(operation["args"]), operation["experiment"], calls),
        )
    fields = dict(state["fields"])
    if fields.get("is_unclear"):
        raise again(pending)
    groups = {kind: ids for kind, ids in (fields.get("groups") or {}).items() if kind}
    calls.said = said_params(fields, groups=groups)
    test = str(fields.get("test") or "balance")
    if test == "users" and not (fields.get("experiment_id") or fields.get("which")):
        return await _users(fields, calls)
    one = choose_experiment(fields, calls.server, state["shown"])
    args: dict[str, Any] = {"experiment": one["id"]}
    test = "balance" if test == "users" else test
    left: list[str] = []
    if test == "balance":
        args["num_users"] = int(fields.get("num_users") or _USERS)
        of_groups, left = await _of_groups(one, fields, calls)
        args |= of_groups
    else:
        left = [f"the groups {_listed(groups)}: made-up users get groups of their own"] if groups else []
        if user := fields.get("user_id"):
            left.append(f"user {user} alone: the rules are tried out with made-up users, and hold for every user")
    known = {**fields, "experiment_id": one["id"], "experiment_name": one["name"]}
    refuse_writes()
    if fields.get("on_live") and test == "consistency":
        # The tool says why not: nobody is asked to confirm what is then refused.
        args["on_live"] = True
    elif fields.get("on_live"):
        raise _confirm_live(test, known, args, one)
    update = await run_test(test, args, one, calls)
    return {
        **update,
        "params": {"experiment_name": one["name"]},
        "not_covered": left,
        "previous": {"capability": "testing", "fields": {k: v for k, v in known.items() if k != "taken_for"}},
    }


testing_node = at_once(atesting_node)


async def _of_groups(one: Mapping[str, Any], fields: Mapping[str, Any], calls: Calls) -> tuple[Update, list[str]]:
    """Which groups the made-up users of a balance test are in, and how many; and what of that cannot be followed."""
    groups: Mapping[str, list[str]] = fields.get("groups") or {}
    count, kinds = fields.get("group_count"), list(fields.get("group_kinds") or ())
    if not groups and not kinds and not count:
        return {}, []
    experiment = await calls.look(get_experiment_details, experiment=one["id"])
    own = experiment["group"] if experiment["assignment_unit"] == "group" else None
    told = f"the groups {_listed(groups)}" if groups else f"by {' and '.join(kinds) or 'group'}"
    if own is None:
        return {}, [f"{told}: {one['name']} assigns each user alone, so a group makes no difference"]
    if any(kind != own for kind in kinds):
        return {}, [f"{told}: {one['name']} assigns by {own}"]
    named = [name for kind in (own, "") for name in groups.get(kind, ())]
    if named and fields.get("on_live"):
        return {}, [f"{told}: on the live experiment made-up users get groups of their own"]
    if named or not count:
        return ({"groups": named} if named else {}), []
    # A number of groups is no number of users, though it may have been read as one.
    users = {"num_users": max(_USERS, count)} if fields.get("num_users") == count else {}
    return {"num_groups": count, **users}, []


def _listed(groups: Mapping[str, list[str]]) -> str:
    return ", ".join(f"{kind} {one}".strip() for kind, ids in groups.items() for one in ids)


def _confirm_live(test: str, fields: Mapping[str, Any], args: Mapping[str, Any], one: Mapping[str, Any]) -> Ask:
    who = f"{args['num_users']:,} made-up users" if "num_users" in args else "made-up users"
    message = f"Enrol {who} in the live experiment '{one['name']}'? They would count in its data, and stay there."
    operation = {
        "test": test,
        "args": {**args, "on_live": True},
        "experiment": {"id": one["id"], "name": one["name"]},
    }
    return ask_yes(message, fields, operation)


async def _users(fields: Mapping[str, Any], calls: Calls) -> Update:
    count = int(fields.get("num_users") or _MADE_UP)
    wanted = next(iter(fields.get("group_kinds") or ()), None)
    found = await calls(generate_test_users, count=count, group_type=wanted)
    return {**told_users(found), "previous": {"capability": "testing", "fields": dict(fields)}}


def told_users(found: Sequence[Mapping[str, Any]]) -> Update:
    """Users that were made up: the first of them as a table."""
    rows = [[one["id"], ", ".join(f"{k} {v}" for k, v in one["working_groups"].items())] for one in found[:_SHOWN]]
    told = f"{len(found)} users were made up; nothing was sent to the server."
    return {
        "bot_response": told,
        "told": told,
        "blocks": [blocks.table(["user", "group"], rows, f"The first {len(rows)} users")],
    }


async def run_test(test: str, args: dict[str, Any], one: Mapping[str, Any], calls: Calls) -> Update:
    """Put the balance or the consistency of an experiment to the test. Raises Fault."""
    progress: Any = init_multi_step_operation({}, 2)
    tool = test_condition_balance if test == "balance" else test_consistency_rules
    found = await calls(tool, **args, progress=_progress())
    progress = advance_step(progress, {"step": "execute", "test": test})
    told = _balance(found, one) if test == "balance" else _consistency(found, one)
    progress = advance_step(progress, {"step": "report"})
    return {
        **told,
        **progress,
        "operation_type": "test",
        "current_experiment_id": one["id"],
        "shown": [{"id": one["id"], "name": one["name"]}],
    }


def _progress() -> Callable[[int, int], None]:
    """Says how far a test is, to who streams the run."""
    try:
        writer = get_stream_writer()
    except RuntimeError:
        return lambda done, total: None
    return lambda done, total: writer({"progress": f"{done:,} of {total:,} users"})


def _balance(found: Mapping[str, Any], one: Mapping[str, Any]) -> Update:
    """Observed against expected, in words, as a table and as a picture."""
    unit = "groups" if found["unit"] == "group" else "users"
    verdict = "Balanced" if found["balanced"] else "NOT balanced (sample ratio mismatch)"
    if found["units"] == 1:
        unit, verdict = unit.removesuffix("s"), "One is too few for a verdict"
    arms = ", ".join(f"{arm['code']} {arm['observed']} (expected {arm['expected']:.4g})" for arm in found["arms"])
    where = "on the live experiment" if found["on_live"] else "on a disposable copy, which is gone again"
    p = f"p = {found['p_value']:.3g}, {found['test']} test" if found["p_value"] is not None else "no test"
    told = f"{one['name']}, {found['units']:,} {unit}: {arms}. {verdict} ({p})."
    rows = [
        [arm["code"], arm["weight"], arm["observed"], arm["expected"], arm["share"], arm["low"], arm["high"]]
        for arm in found["arms"]
    ]
    columns: list[str | tuple[str, str]] = [
        "condition", ("weight", "%"), "observed", "expected", "share", "low (95%)", "high (95%)",
    ]  # fmt: skip
    picture: list[tuple[str, dict[str, str], float]] = [
        (str(arm["code"]), {}, float(arm["observed"])) for arm in found["arms"]
    ]
    bounds = {
        str(arm["code"]): (float(arm["expected"]), arm["low"] * found["units"], arm["high"] * found["units"])
        for arm in found["arms"]
    }
    return {
        "bot_response": f"{told}\n\n{found['users']:,} made-up users came, {where}. {' '.join(found['notes'])}",
        "told": told,
        "blocks": [
            blocks.table(columns, rows, f"Balance of {one['name']}"),
            blocks.ranking(f"Observed {unit} by condition", sorted(picture, key=lambda arm: -arm[2]), expected=bounds),
        ],
    }


def _consistency(found: Mapping[str, Any], one: Mapping[str, Any]) -> Update:
    verdict = "Every rule held." if found["consistent"] else "Violations: " + " ".join(found["violations"])
    told = (
        f"{one['name']}: unit {found['unit']}, consistency rule {found['consistency_rule']}, afterwards "
        f"{found['post_rule']}. {verdict}"
    )
    return {"bot_response": told, "told": told, "blocks": consistency_blocks(found)}
