"""What is to be done to which experiment, as far as a request and the replies to it tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signalbox.agents.experiments.actions import action_beside, list_named, ordered, other_action, sure_action
from signalbox.agents.experiments.asked import STATUS_OF, fields_of, whole
from signalbox.agents.experiments.names import mentioned, placed, shortlist, states_named
from signalbox.agents.experiments.node import Fault
from signalbox.agents.experiments.plan import create_schema, management_schema, params_schema, rules_schema
from signalbox.agents.experiments.questions import NOT_UNDERSTOOD, again
from signalbox.agents.experiments.reading import read
from signalbox.agents.experiments.replies import with_reply
from signalbox.agents.experiments.retold import retold
from signalbox.agents.experiments.server_names import Server
from signalbox.agents.experiments.swaps import swapped
from signalbox.agents.experiments.weights import said_split
from signalbox.language.words import tokens, word_set

__all__ = ["action_by_state", "corrected", "other_than_told", "params_of", "wanted"]

_OWN = "experiment_management"
_MORE = word_set("also too and plus add")
_SHORT = 6
"""How many words another action may be asked for in, where none is called by its name."""
_FIXED = ("action", "experiment", "experiment_id", "experiment_name")
_WHICH = ("experiment", "experiment_id", "experiment_name", "named", "reference", "sure")


async def wanted(state: Mapping[str, Any], server: Server) -> tuple[dict[str, Any], str]:
    """What is known of the request, and the words that names are to be found in."""
    text, pending = state["user_input"], state["pending"] or {}
    if pending.get("decision") == "change":
        fixed = await corrected(pending, state, server)
        if fixed:
            return fixed
        heard = f"{pending.get('text') or ''}. {text}" if _adds(pending, text) else text
        return await _revised(pending, text, server), heard
    fields = await fields_of(state, management_schema(shortlist(text, server.names, _spoken_of(state))))
    if pending:
        return await with_reply(fields, state, server), str(pending.get("text") or text)
    fields["action"] = await _action(fields, text, server)
    return {**fields, **await params_of(str(fields.get("action") or ""), text, server)}, text


async def corrected(
    pending: Mapping[str, Any], state: Mapping[str, Any], server: Server
) -> tuple[dict[str, Any], str] | None:
    """What was shown with other values that a reply gives for it, and the words that names are to be found in; None
    where it gives none that are certain. A no may come with them: no, 40/60."""
    text, known = state["user_input"], {key: value for key, value in pending["fields"].items() if value}
    action = str(known.get("action"))
    at_place = placed(text, state["shown"])[0]
    if at_place not in ("", known.get("experiment_id")) and action != "create":
        # Not that one, the third.
        which = {"experiment_id": at_place}
        return {**{key: value for key, value in known.items() if key not in _WHICH}, **which}, text
    kept = {key: value for key, value in known.items() if key not in _FIXED}
    if swap := swapped(text, kept, str(pending.get("text") or "")):
        return {**known, **swap[0]}, swap[1]
    if action == "create":
        more = await retold(text, "", known, (), server)
        return ({**known, **more}, text) if more else None
    if action == "change_weights":
        one = server.by_id(str(known.get("experiment_id")))
        stretch = said_split("", text, one["conditions"] if one else ())
        return ({**known, "conditions": stretch, "weights": None}, text) if stretch else None
    return None


async def _action(fields: Mapping[str, Any], text: str, server: Server) -> str:
    """What is to be done: as it was read, unless it is ordered by name. Raises Fault for what takes from a list."""
    action = str(fields.get("action") or "")
    is_of_list = bool(list_named(text)) and action != "create"
    if is_of_list or (action == "change_weights" and _names_some(text, server)):
        how = (await read(params_schema("change_conditions") or {}, text, (), _OWN)).get("change")
        if how == "remove" and not is_of_list:
            return "change_conditions"
        if how == "remove" or action == "delete":
            raise Fault(
                "The lists of an experiment are only added to here; nobody is taken off one.",
                "unsupported",
                "Take somebody off on UpGrade's page. To add somebody, say: exclude user 7 from it.",
            )
    return await ordered(text, is_named=bool(mentioned(text, server.names))) or action


def _names_some(text: str, server: Server) -> bool:
    """Whether a text names some of the conditions of its experiment and no figure: shares of all are not said so."""
    named = [one for one in server.experiments if [one["name"]] == mentioned(text, server.names)]
    codes = named[0]["conditions"] if named else []
    return 0 < len(mentioned(text, codes)) < len(codes) and not any(letter.isdigit() for letter in text)


def _adds(pending: Mapping[str, Any], text: str) -> bool:
    """Whether a reply adds to those who are to be put on a list: also u-9."""
    return pending["fields"].get("action") in ("include", "exclude") and bool(_MORE & set(tokens(text)))


def _spoken_of(state: Mapping[str, Any]) -> list[str]:
    return [one["name"] for one in state["shown"]]


async def params_of(action: str, text: str, server: Server) -> dict[str, Any]:
    """What else the action needs, by a schema of its own."""
    schema = params_schema(action)
    if action == "create":
        schema = create_schema(server.contexts, server.group_types())
    elif action == "change_rules":
        schema = rules_schema(server.group_types())
    said = whole(await read(schema, text, (), _OWN), text) if schema else {}
    if action == "create" and said.get("post_rule") == "assign":
        said["condition"] = (await read(rules_schema(server.group_types()), text, (), _OWN)).get("condition")
    return said


async def _revised(pending: Mapping[str, Any], text: str, server: Server) -> dict[str, Any]:
    """The request with what the reply to its confirmation says otherwise: another value, experiment or action."""
    known = dict(pending["fields"])
    action = str(known.get("action"))
    more = await params_of(action, text, server) if action != "create" else {}
    named = mentioned(text, server.names) if action != "create" else []
    others = [name for name in named if name != known.get("experiment_name")]
    if len(others) == 1:
        known = {key: value for key, value in known.items() if key not in _WHICH}
        return {**known, **more, "experiment": others[0], "sure": True}
    if more:
        if _adds(pending, text):
            more = {key: f"{known[key]}, {more[key]}" if known.get(key) else more[key] for key in more}
        return {**known, **more, **({"weights": None} if "conditions" in more else {})}
    other = await other_action(text, action)
    if not other and len(tokens(text)) <= _SHORT:
        other = await sure_action(text, is_named=True)
    if other in ("", action):
        raise again(pending, NOT_UNDERSTOOD)
    which = {key: known[key] for key in _WHICH if key in known}
    return {"action": other, **which, **await params_of(other, text, server)}


async def other_than_told(action: str, experiment: Mapping[str, Any], text: str) -> str:
    """The action that is asked for where the one that was read is so already: what was told of the experiment is not
    what is to be done to it ("delete it, it was cancelled anyway"). Empty where there is none."""
    states = [str(experiment[key]).casefold() for key in ("state", "state_shown")]
    other = await action_beside(text, str(experiment["name"]), states)
    return other if other not in ("", "create", action) else await other_action(text, action)


def action_by_state(text: str) -> str:
    """The action that brings about the only state that is named, where no action was read: set it to running."""
    named = states_named(text)
    return next((action for action, state in STATUS_OF.items() if [state] == named), "")
