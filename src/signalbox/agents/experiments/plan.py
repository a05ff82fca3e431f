"""What the model is asked for: first the kind of a request, then its parameters, by a schema made for that kind.

The names of the server are the candidates: its experiments, contexts and kinds of group. Lists (of conditions with
their weights, of groups) are read as one stretch of the request, which `grounding` takes apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = [
    "ACTIONS",
    "CAPABILITIES",
    "CONSISTENCY",
    "FEATURES",
    "LISTED",
    "POST_RULES",
    "STATUSES",
    "action_schema",
    "confirm_schema",
    "create_schema",
    "details_schema",
    "kind_schema",
    "list_schema",
    "management_schema",
    "params_schema",
    "reply_schema",
    "rules_schema",
    "simulation_schema",
    "terminology_schema",
    "testing_schema",
    "unsupported_schema",
    "user_schema",
]

Schema = dict[str, Any]

CAPABILITIES = {
    "terminology": "explains a term or concept of the platform, or how two of them work together",
    "version_check": "health or version of the server",
    "list_experiments": "lists or selects experiments, contexts or names",
    "experiment_details": "details of one named experiment: conditions, weights, state, decision points",
    "experiment_management": "creates, changes, starts, stops, archives or deletes an experiment",
    "user_simulation": "one named user: initialise, assignment, visit a decision point, groups",
    "testing": "tests with a number of made-up users: balance of conditions, consistency rules",
    "clarification_needed": "about experiments, but not enough to act on: no experiment, user or action named",
    "unsupported": "something the platform's agent cannot do",
}
STATUSES = {
    "inactive": "draft, not started",
    "preview": "test users only",
    "scheduled": "to start later",
    "enrolling": "running, live, active, started",
    "enrollmentComplete": "stopped, paused, finished, done",
    "cancelled": "called off, completed",
    "archived": "put away",
}
LISTED = {
    "experiments": "experiments, tests, studies",
    "contexts": "contexts, the apps of the server",
    "decision_points": "sites and targets that a context knows",
    "group_types": "kinds of group, such as class or school",
    "conditions": "conditions that a context knows",
    "feature_flags": "feature flags, toggles",
}
DESIGNS = {
    "within_subjects": "each user sees several conditions, repeated measures",
    "factorial": "several factors and their combinations",
    "stratified": "stratified random sampling",
}
SITUATIONS = {
    "change_weights": "the weights, the split, change while users are enrolled",
    "stop": "an experiment is stopped, ends, is over",
    "change_group": "a user changes class, school or group",
    "reached_before": "a user came to the decision point before the start",
    "remove_condition": "a condition or an arm is removed while it runs",
    "delete": "an experiment is deleted",
    "shared_point": "two experiments at one decision point",
}
EVENTS = {"created": "made, new", "changed": "edited, updated", "started": "launched, went live"}
ASPECTS = {
    "conditions": "arms, weights and payloads",
    "state": "whether it runs",
    "decision_points": "its sites and targets",
    "rules": "unit of assignment, consistency rule, post-experiment rule",
    "segments": "who is included or excluded",
    "enrolment": "how many users take part",
    "dates": "when it was created or changed",
    "results": "did it work, outcomes, metrics, which condition wins, significance",
}
ACTIONS = {
    "create": "a new experiment",
    "start": "launch, go live, begin or resume enrolling",
    "stop": "end or pause the enrolment",
    "preview": "open to test users only",
    "schedule": "start by itself at a later time",
    "cancel": "call off",
    "archive": "put away",
    "deactivate": "back to inactive, to a draft",
    "delete": "remove for good",
    "rename": "give another name",
    "change_weights": "other shares for the conditions",
    "change_conditions": "add or remove a condition",
    "change_rules": "unit of assignment, consistency rule, post-experiment rule",
    "change_points": "add or remove a decision point",
    "include": "let users or groups in",
    "exclude": "keep users or groups out",
    "describe": "description or tags",
}
UNITS = {"individual": "each user by itself", "group": "whole groups, such as classes"}
CONSISTENCY = {
    "individual": "a user keeps the condition",
    "group": "a group keeps the condition",
    "experiment": "the experiment decides, users may change",
}
POST_RULES = {
    "continue": "users keep their condition",
    "revert": "back to the default",
    "assign": "everybody gets one condition",
}
TASKS = {
    "predict": "which condition the user gets or would get, and why",
    "initialise": "register the user, or set groups",
    "visit": "the user reaches a decision point, mark it",
    "journey": "the whole way of the user: initialise, assign, mark",
}
TESTS = {
    "balance": "how users are shared out over the conditions",
    "consistency": "whether users or groups keep their condition",
    "users": "only make up users",
}
FEATURES = {
    "within_subjects": "each user sees several conditions",
    "factorial": "several factors, their combinations",
    "stratified": "stratified or blocked random sampling",
    "metrics": "defining or removing a metric, logging an outcome",
    "feature_flags": "flags, toggles, gradual rollout",
    "adaptive": "bandits, weights that move by themselves",
    "other": "nothing to do with experiments",
}
_USER = "The user that is named, exactly as written."
_EXPERIMENT = "The experiment that is named, as the server calls it."
_CONDITIONS = "The conditions with their weights, the whole list as it was said."
_GROUPS = "The groups that are named, with their kind, the whole list as it was said."


_CONFIDENCE = {"type": "number", "description": "How sure the kind is, from 0 to 1."}


def kind_schema(*, has_history: bool = False) -> Schema:
    """The kind of a request and how sure it is; in a conversation also whether it goes on with the request before."""
    fields = {
        "capability": _option("What kind of request it is.", CAPABILITIES),
        "raw": _flag("raw response, as JSON"),
        "confidence": dict(_CONFIDENCE),
    }
    if has_history:
        fields["follows"] = _flag("the same request as before, for another name, user or group")
    return _object("ExperimentRequest", "What is asked of an A/B testing platform.", fields, ["capability"])


def terminology_schema() -> Schema:
    """The terms that are to be explained."""
    fields = {
        "situation": _option("What the question supposes to happen.", SITUATIONS),
        "concept": _text("The term that is to be explained, as it was said."),
        "second_concept": _text("The other term, where two are compared or related."),
    }
    return _object("TermQuestion", "A question about terms of an A/B testing platform.", fields)


def list_schema(contexts: Iterable[str]) -> Schema:
    """What is listed, and how it is narrowed."""
    fields = {
        "what": _option("What is listed.", LISTED),
        "status": _option("The state of experiments that are asked for.", STATUSES),
        "excluded": _flag("that state is to be left out, not"),
        "context": _choice("The context (the app) that is named.", contexts),
        "name_part": _text("Words that the names of experiments contain."),
        "tag": _text("The tag or label that they have."),
        "owner": _text("The person who made or owns them."),
        "design": _option("The design of experiments that are asked for.", DESIGNS),
        **_point(),
        "when": _text("When they were created, changed or started, as it was said."),
        "event": _option("What happened to them then.", EVENTS),
    }
    return _object("ExperimentList", "Which experiments are to be listed.", fields)


def details_schema(experiments: Iterable[str]) -> Schema:
    """Which experiment is shown, and what of it."""
    fields = {**_named(experiments), "aspect": _option("What of the experiment is asked.", ASPECTS)}
    return _object("ExperimentQuestion", "A question about one experiment.", fields)


def management_schema(experiments: Iterable[str]) -> Schema:
    """What is to be done to which experiment."""
    fields = {"action": _option("What is to be done to the experiment.", ACTIONS), **_named(experiments)}
    return _object("ExperimentChange", "What is to be done to an experiment.", fields)


def action_schema() -> Schema:
    """What is to be done to an experiment, whichever it is, and how sure that is."""
    schema = management_schema(())
    schema["properties"]["confidence"] = dict(_CONFIDENCE)
    return schema


def create_schema(contexts: Iterable[str], group_types: Iterable[str]) -> Schema:
    """The parameters of a new experiment."""
    fields = {
        "new_name": _text("The name of the experiment, as it was said."),
        "context": _choice("The context (the app) that is named.", contexts),
        "conditions": _text(_CONDITIONS),
        **_point(),
        **_rules(group_types),
    }
    return _object("NewExperiment", "A new experiment.", fields)


def rules_schema(group_types: Iterable[str]) -> Schema:
    """The rules of an experiment that are to be changed."""
    fields = {**_rules(group_types), "condition": _text("The condition that everybody gets afterwards.")}
    return _object("ExperimentRules", "The rules of an experiment.", fields)


def params_schema(action: str) -> Schema | None:
    """What else an action needs, where its schema has no candidates; None where it needs nothing."""
    fields = _params().get(action)
    return _object("Change", "What is to change.", fields) if fields else None


def simulation_schema(experiments: Iterable[str], contexts: Iterable[str]) -> Schema:
    """What one user does, and where."""
    fields = {
        "task": _option("What is to be done with the user.", TASKS),
        "user_id": _text(_USER),
        **_named(experiments),
        "context": _choice("The context (the app) that is named.", contexts),
        **_point(),
        "groups": _text(_GROUPS),
        "on_live": _flag("on the live experiment itself, for real"),
    }
    return _object("UserSimulation", "What one user of an A/B testing platform gets or does.", fields)


def testing_schema(experiments: Iterable[str], contexts: Iterable[str]) -> Schema:
    """What is tested, and with how many users."""
    fields = {
        "test": _option("What is tested.", TESTS),
        **_named(experiments),
        "num_users": {"type": "integer", "description": "How many made-up users a test has."},
        "context": _choice("The context (the app) that is named.", contexts),
        "groups": _text(_GROUPS),
        "on_live": _flag("on the live experiment itself, for real"),
    }
    return _object("ExperimentTest", "A test of an experiment with made-up users.", fields)


def user_schema() -> Schema:
    """The user that a test names."""
    return _object("ExperimentTest", "A test of an experiment with made-up users.", {"user_id": _text(_USER)})


def unsupported_schema(*, is_sure: bool = False) -> Schema:
    """What is asked for that nothing here does; and how sure that is."""
    fields = {"feature": _option("What is asked for.", FEATURES)}
    if is_sure:
        fields["confidence"] = dict(_CONFIDENCE)
    return _object("Unsupported", "What an A/B testing platform is asked for.", fields)


def reply_schema() -> Schema:
    """What the reply to a question is."""
    means = {
        "answer": "answers the question",
        "cancel": "no longer wanted, never mind",
        "new_request": "asks for something else",
    }
    return _object("Reply", "The reply to a question.", {"means": _option("What the reply is.", means)})


def confirm_schema() -> Schema:
    """What the reply to a question of yes or no is, and how sure that is."""
    decisions = {
        "yes": "do it as shown",
        "no": "do not do it",
        "change": "do it, but otherwise",
        "new_request": "asks for something else",
    }
    fields = {"decision": _option("Whether it is to be done.", decisions), "confidence": dict(_CONFIDENCE)}
    return _object("Confirmation", "The reply to whether a change is to be made.", fields)


def _named(experiments: Iterable[str]) -> dict[str, Schema]:
    return {
        "experiment": _choice(_EXPERIMENT, experiments),
        "named": _text("An experiment that is not among these, as it was said."),
        "reference": _text("Words for what was shown before: it, that one, the second."),
    }


def _point() -> dict[str, Schema]:
    return {"site": _text("The site of a decision point."), "target": _text("The target of a decision point.")}


def _rules(group_types: Iterable[str]) -> dict[str, Schema]:
    return {
        "unit": _option("What is assigned to a condition.", UNITS),
        "group_type": _choice("The kind of group.", group_types),
        "consistency_rule": _option("The consistency rule.", CONSISTENCY),
        "post_rule": _option("What holds after the experiment.", POST_RULES),
    }


def _text(about: str) -> Schema:
    return {"type": "string", "description": about}


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def _option(about: str, options: Mapping[str, str]) -> Schema:
    return {"type": "string", "description": about, "enum": list(options), "enumDescriptions": dict(options)}


def _choice(about: str, names: Iterable[str]) -> Schema:
    """One of the names; a text where there are none to choose from."""
    known = list(dict.fromkeys(names))
    return {"type": "string", "description": about, **({"enum": known} if known else {})}


def _object(title: str, about: str, fields: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    return {
        "title": title,
        "description": about,
        "type": "object",
        "properties": dict(fields),
        "required": list(required),
    }


def _params() -> dict[str, dict[str, Schema]]:
    users = {"users": _text("The users that are named, the whole list as it was said."), "groups": _text(_GROUPS)}
    how = {"add": "one more", "remove": "one less"}
    return {
        "rename": {"new_name": _text("The new name, as it was said.")},
        "change_weights": {"conditions": _text(_CONDITIONS)},
        "change_conditions": {
            "change": _option("What is done to the condition.", how),
            "conditions": _text(_CONDITIONS),
        },
        "change_points": {"change": _option("What is done to the decision point.", how), **_point()},
        "schedule": {"when": _text("When it is to start, as it was said.")},
        "include": users,
        "exclude": users,
        "describe": {
            "description": _text("The new description, as it was said."),
            "tags": _text("The tags that are named, the whole list as it was said."),
        },
    }
