"""`experiment_management_node`: creates, changes, moves and deletes experiments.

Nothing is written unseen: what would change is shown, and the person's yes is for that experiment as it was then. One
that has changed since is shown again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments import drafts, journal
from signalbox.agents.experiments.asked import STATUS_OF, named_params, said_params
from signalbox.agents.experiments.asking import Ask, Calls, Fault
from signalbox.agents.experiments.candidates import choose_experiment, look_around
from signalbox.agents.experiments.changes import ask_for, changes_for, moment_of, new_experiment
from signalbox.agents.experiments.clients import current_client
from signalbox.agents.experiments.finding import metadata_of
from signalbox.agents.experiments.node import at_once, capability_node
from signalbox.agents.experiments.outcome import ToolResult, refuse_writes
from signalbox.agents.experiments.plan import ACTIONS
from signalbox.agents.experiments.questions import (
    NOT_UNDERSTOOD,
    STILL_OPEN,
    again,
    change_question,
    check_server_asked,
    confirm,
    deletion,
    what_goes,
)
from signalbox.agents.experiments.reader import note_uncovered
from signalbox.agents.experiments.reports import change_rows, new_rows, told_change, told_notes
from signalbox.agents.experiments.shares import Split
from signalbox.agents.experiments.steps import advance_step, init_multi_step_operation
from signalbox.agents.experiments.tools import (
    create_experiment,
    delete_experiment,
    get_experiment_details,
    update_experiment,
    update_experiment_status,
)
from signalbox.contract import blocks
from signalbox.upgrade.changing import effects_of_update
from signalbox.upgrade.states import shown_state

__all__ = [
    "aexperiment_management_node",
    "experiment_management_node",
    "move_question",
    "problems_of",
    "report_write",
]

_TOOLS: Mapping[str, Callable[..., Awaitable[ToolResult]]] = {
    "create_experiment": create_experiment,
    "update_experiment": update_experiment,
    "update_experiment_status": update_experiment_status,
    "delete_experiment": delete_experiment,
}
_OWN = "experiment_management"
_POINT = ("site", "target")
_NOTHING = "Nothing was changed."
Update = dict[str, Any]


@capability_node(_OWN)
async def aexperiment_management_node(state: dict[str, Any], calls: Calls) -> Update:
    """Show what is to be done, and do it once the person has said yes."""
    pending, fields = state["pending"] or {}, dict(state["fields"])
    if pending.get("decision") == "no":
        return {"bot_response": _NOTHING, "told": _NOTHING, "operation_type": None, "previous": state["previous"]}
    if pending.get("decision") == "yes":
        return await _execute(pending, state, calls)
    if fields.get("is_unclear"):
        raise again(pending, NOT_UNDERSTOOD if pending.get("decision") == "change" else STILL_OPEN)
    calls.said = said_params(fields)
    try:
        return await _prepare(fields, state, calls)
    except Ask as asked:
        asked.pending |= note_uncovered(state, asked.pending, calls.server)
        if left := asked.pending.get("left"):
            asked.question["message"] += f"\n\nNot considered: {'; '.join(left)}."
        if pending.get("field") == asked.pending["field"] == "confirm":
            asked.question["message"] += "\n\nThis takes the place of the question before; nothing was done yet."
        raise


experiment_management_node = at_once(aexperiment_management_node)


async def _prepare(fields: dict[str, Any], state: Mapping[str, Any], calls: Calls) -> Update:
    """Everything up to the question: raises Ask with what would change, or for what is missing."""
    action, server = str(fields.get("action") or ""), calls.server
    if action not in ACTIONS:
        if fields.get("which"):
            choose_experiment(fields, server, state["shown"])
        raise Ask("What is to be done?", "action", fields, ["start", "stop", "change_weights", "rename", "delete"])
    refuse_writes()
    if action == "create":
        raise await _confirm_new(new_experiment(fields, server), fields)
    chosen = choose_experiment(fields, server, state["shown"])
    experiment = await calls.look(get_experiment_details, experiment=chosen["id"])
    known = {**fields, "experiment_id": experiment["id"], "experiment_name": experiment["name"]}
    is_simple = experiment["type"] == "Simple" and experiment["assignment_unit"] in drafts.UNITS
    if not is_simple and action not in (*STATUS_OF, "delete"):
        raise Fault("This kind of experiment is only shown here.", "unsupported", "Change it on UpGrade's page.")
    if action == "delete":
        operation = {"tool": "delete_experiment", "args": {}}
        raise confirm(known, experiment, operation, deletion(experiment), what_goes(experiment))
    if action in STATUS_OF:
        return _confirm_move(action, known, experiment)
    changes = changes_for(action, known, experiment, server)
    rows = change_rows(experiment, changes)
    if not rows:
        told = f"{experiment['name']} is so already. {_NOTHING}"
        return {"bot_response": told, "told": told, **_spoken(experiment, known)}
    if action == "change_weights":
        known = {**known, "split": _split(changes["conditions"])}
    warnings = await _problems(known, experiment, changes)
    operation = {"tool": "update_experiment", "args": {"changes": changes}}
    raise confirm(known, experiment, operation, change_question(experiment, rows), rows, warnings)


async def _confirm_new(args: dict[str, Any], fields: Mapping[str, Any]) -> Ask:
    """The question whether a new experiment is to be made; the question for what is wrong with it, if anything is."""
    problems = await problems_of(drafts.Draft(**args))
    for problem in problems:
        if problem.severity == "error":
            return ask_for(problem, fields)
    rows = new_rows(args)
    arms = ", ".join(f"{one['code']} {one['weight']:g}%" for one in args["conditions"])
    point = args["decision_points"][0]
    unit = f" by {args['group']}" if args.get("group") else ""
    after = f" Afterwards: {args['post_rule']} {args.get('revert_to') or ''}".rstrip() + "."
    message = (
        f"Create the experiment '{args['name']}' in {args['context']} with {arms}{unit} at {point['site']} / "
        f"{point['target']}? It will be inactive.{after if args['post_rule'] != 'continue' else ''}"
    )
    # What was found by its name in the request is kept: a reply that changes something does not say it again.
    found = {"context": args["context"], **{key: point[key] for key in _POINT}}
    known = {**found, **fields, "split": _split(args["conditions"]), "new_name": args["name"]}
    operation, notes = {"tool": "create_experiment", "args": args}, [one.message for one in problems]
    return confirm(known, {"id": None, "name": args["name"]}, operation, message, rows, notes)


async def problems_of(draft: drafts.Draft, own_id: str = "") -> list[drafts.Problem]:
    """What is wrong with a draft, or may surprise, by what the server has."""
    client = current_client()
    return drafts.check_draft(draft, metadata_of(await client.context_metadata()), await client.experiments(), own_id)


def _split(conditions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return Split(tuple(one["code"] for one in conditions), tuple(one["weight"] for one in conditions)).as_field()


def move_question(action: str, experiment: Mapping[str, Any], status: str, schedule: str = "") -> str:
    """The question whether an experiment is to go to another state."""
    when = f" for {schedule[:16].replace('T', ' ')}" if schedule else ""
    way = f"from {experiment['state_shown']} to {shown_state(status)}"
    return f"{action.capitalize()} '{experiment['name']}'{when}? It would go {way}."


def _confirm_move(action: str, fields: Mapping[str, Any], experiment: Mapping[str, Any]) -> Update:
    """Raises Ask for a move to another state; an experiment that is there already is only told of."""
    status = STATUS_OF[action]
    args: dict[str, Any] = {"status": status}
    if action == "schedule":
        args["schedule"] = moment_of(fields)
    elif experiment["state"] == status:
        told = f"{experiment['name']} is {experiment['state_shown']} already. {_NOTHING}"
        return {"bot_response": told, "told": told, **_spoken(experiment, fields)}
    enrolled = experiment["enrollment"]["users"]
    now_at = f" {enrolled} users are enrolled." if enrolled else ""
    message = f"{move_question(action, experiment, status, args.get('schedule', ''))}{now_at}"
    warnings = experiment["warnings"] if action in ("start", "schedule") else []
    rows = [("state", experiment["state_shown"], shown_state(status))]
    raise confirm(fields, experiment, {"tool": "update_experiment_status", "args": args}, message, rows, warnings)


async def _problems(fields: Mapping[str, Any], experiment: Mapping[str, Any], changes: Mapping[str, Any]) -> list[str]:
    """What is to be said before the change; raises Ask for what is wrong with it."""
    draft = drafts.apply(drafts.draft_of(experiment), changes)
    found = await problems_of(draft, experiment["id"])
    for problem in found:
        if problem.severity == "error":
            raise ask_for(problem, fields)
    return [one.message for one in found if one.field in changes] + effects_of_update(experiment, vars(draft))


async def _execute(pending: Mapping[str, Any], state: Mapping[str, Any], calls: Calls) -> Update:
    """Do what was confirmed, once. What has changed since it was shown is shown anew, and nothing is done."""
    refuse_writes()
    check_server_asked(pending)
    operation = pending["operation"]
    name, args, key = str(operation["tool"]), dict(operation["args"]), str(pending["key"])
    progress: Any = init_multi_step_operation({}, 3)
    # What was begun under this key has itself changed what was shown: only the tool can tell how far it came.
    if journal.find_write(key, str(pending["server"])) is None:
        args |= await _still_as_shown(name, pending, state, calls)
    if name != "create_experiment":
        args["experiment"] = str(pending["experiment_id"])
    progress = advance_step(progress, {"step": "validate", "ok": True})
    try:
        result = await calls(_TOOLS[name], **args, key=key)
    except Fault as fault:
        if fault.kind != "conflict":
            raise
        now_there = await calls.look(get_experiment_details, experiment=args["experiment"])
        await _changed_since(pending, now_there, state, calls)
        raise
    progress = advance_step(progress, {"step": "execute", "tool": name})
    update = report_write(name, result, pending["operation"]["args"], pending["fields"])
    progress = advance_step(progress, {"step": "verify", "read_back": name != "delete_experiment"})
    left = list(pending.get("left") or ())
    return {**update, **progress, "total_steps": 3, "pending_confirmations": [], "not_covered": left}


async def _still_as_shown(
    name: str, pending: Mapping[str, Any], state: Mapping[str, Any], calls: Calls
) -> dict[str, Any]:
    """What the tool is to expect of the experiment. Raises Ask where it is not as it was shown any more."""
    if name == "create_experiment":
        args = pending["operation"]["args"]
        asked = await _confirm_new(args, pending["fields"])
        if asked.pending.get("notes") != pending.get("notes"):
            asked.question["message"] = f"Something has changed since you were asked. {asked.question['message']}"
            raise asked
        return {}
    try:
        now_there = await calls.look(get_experiment_details, experiment=str(pending["experiment_id"]))
    except Fault as fault:
        if fault.kind != "not_found":
            raise
        told = f"'{pending['fields'].get('experiment_name')}' is not on {pending['server']} any more. {_NOTHING}"
        raise Fault(told, "conflict") from None
    enrolled = now_there["enrollment"]["users"]
    is_deletion = name == "delete_experiment"
    if now_there["revision"] != pending["revision"] or (is_deletion and enrolled != pending["enrolled"]):
        await _changed_since(pending, now_there, state, calls)
    return {"expected_revision": now_there["revision"]} | ({"expected_users": enrolled} if is_deletion else {})


async def _changed_since(
    pending: Mapping[str, Any], experiment: Mapping[str, Any], state: Mapping[str, Any], calls: Calls
) -> None:
    """Raises the question anew, for the experiment as it is now."""
    said = f"'{experiment['name']}' has changed since you were asked, and nothing was done. "
    calls.server = await look_around()
    fields = {**pending["fields"], "experiment_id": experiment["id"]}
    try:
        update = await _prepare(fields, state, calls)
    except Ask as asked:
        asked.question["message"] = f"{said}{asked.question['message']}"
        raise
    raise Fault(f"{said}{update['bot_response']}", "conflict", "Ask again if it is still wanted.")


def report_write(
    name: str, result: Mapping[str, Any], args: Mapping[str, Any], fields: Mapping[str, Any] | None = None
) -> Update:
    """What a tool has written, by the arguments that it was called with: what was asked against what is stored."""
    if name == "delete_experiment":
        lost = f"{result['users']} enrolments went with it." if result["users"] else "Nobody was enrolled in it."
        told = f"'{result['name']}' is deleted. {lost}"
        return {
            "bot_response": told,
            "told": told,
            "current_experiment_id": None,
            "operation_type": "delete",
            "params": named_params({}, experiment_name=result["name"]),
            "previous": {"capability": "experiment_management", "fields": {"action": "delete"}},
        }
    experiment = result["experiment"]
    if name == "update_experiment_status":
        told = (
            f"'{experiment['name']}' is {experiment['state_shown']} now; it was {shown_state(result['before'])}."
            if result["changed"]
            else f"'{experiment['name']}' is {experiment['state_shown']} already."
        )
        rows = [("state", shown_state(result["before"]), experiment["state_shown"])]
    else:
        verb = "created" if name == "create_experiment" else "changed"
        rows = change_rows(
            result.get("before") or {}, args if verb == "created" else args["changes"], stored=experiment
        )
        told = f"'{experiment['name']}' is {verb}, and stored as asked."
    different = result.get("differences") or {}
    if different:
        told = f"'{experiment['name']}' was written, but is not stored as asked: " + "; ".join(
            f"{key} was asked as {told_change(key, one['asked'])} and is {told_change(key, one['stored'])}"
            for key, one in different.items()
        )
    notes = told_notes(result.get("notes") or ())
    return {
        "bot_response": f"{told}{notes}",
        "told": told,
        "blocks": [blocks.diff(experiment["name"], rows)] if rows else [],
        "operation_type": {"create_experiment": "create"}.get(name, "update"),
        "experiment_details": experiment,
        **_spoken(experiment, fields or {}),
    }


def _spoken(experiment: Mapping[str, Any], fields: Mapping[str, Any]) -> Update:
    """What the conversation is about now, and the parameters of the request under their names."""
    return {
        "current_experiment_id": experiment["id"],
        "active_context": experiment.get("context"),
        "shown": [{"id": experiment["id"], "name": experiment["name"]}],
        "params": said_params({**fields, "experiment_name": experiment["name"]}),
        "previous": {"capability": "experiment_management", "fields": {"action": fields.get("action")}},
    }
