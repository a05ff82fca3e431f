"""What a request to write says and the write does not do: it is told before anybody says yes.

A request is cut into pieces. All names and figures of a piece must be in the write; a piece that says when, or for
whom, is only done by a write that has a rule for it, and one that orders something else is not done.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from signalbox.agents.experiments.asked import STATUS_OF
from signalbox.agents.experiments.candidates import Server
from signalbox.agents.experiments.offline.groups import kinds_named
from signalbox.agents.experiments.offline.names import loosely, mentioned
from signalbox.agents.experiments.plan import ACTIONS
from signalbox.language.clauses import clauses_of
from signalbox.language.words import split_name, stem, tokens, word_set

__all__ = ["find_uncovered"]

_CONDITION = r"(?:if|unless|until|only|after|afterwards|before|once|when|whenever|except|without|while|provided)\b"
_PIECE = re.compile(rf"\S(?:(?!\s(?:but\s+)?{_CONDITION}).)*", re.IGNORECASE | re.DOTALL)
_BEGINS = re.compile(rf"(?:but\s+)?{_CONDITION}", re.IGNORECASE)
_FIGURE = re.compile(r"(?<![\w.-])\d+(?:[.,]\d+)?(?=%|\s|[/:,;.!?)-]|$)")
_MARKED = re.compile(
    r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)((?=[\w.-]*[^\W_])[\w.-]*(?:[^\W\d_][\w.-]*\d|\d[\w.-]*[^\W\d_]|_)[\w-]*)"
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|am|pm|x)", re.IGNORECASE)
_POLITE = word_set("please pls then also and now")
_ORDERS = frozenset(stem(one) for one in (*STATUS_OF, "include", "exclude", "delete", "rename", "describe", "tag"))
_TAKEN = ("new_name", "context", "site", "target", "group_type", "when")
_NEAR = 0.7
_FILLED = "\x00"


def find_uncovered(said: str, state: Mapping[str, Any], pending: Mapping[str, Any], server: Server) -> dict[str, Any]:
    """What a question keeps of all that was said for it: `heard`, the values that are `known` to be taken, and in
    `left` the pieces that its write does not do.

    What was known at an earlier question counts as taken, though it may have been put right since.
    """
    before, fields = state["pending"] or {}, pending["fields"]
    if (before.get("fields") or fields).get("action") != fields.get("action"):
        # Another action was asked for instead: what was said for the first counts no more.
        before = {}
    is_option = bool(before) and (said.strip().isdigit() or said in (before.get("options") or ()))
    heard = [*(before.get("heard") or ()), *([] if is_option else [said])]
    known = [*(before.get("known") or ()), *(str(fields[key]) for key in _TAKEN if fields.get(key))]
    if pending["field"] != "confirm":
        return {"heard": heard, "known": known}
    one, args = server.by_id(pending.get("experiment_id")) or {}, pending["operation"]["args"]
    own = [str(name) for name in (one.get("name"), fields.get("new_name"), fields.get("taken_for")) if name]
    # What a change takes away is in the experiment and no longer in what is sent.
    gone = [name for key in ("conditions", "decision_points") if key in args.get("changes", {}) for name in one[key]]
    values = [*_values_of(args), *known, *own, *(part for name in gone for part in name.split(" / "))]
    values = list(dict.fromkeys([*values, *(str(one[key]) for key in ("id", "context") if key in one)]))
    left = [piece for text in heard for piece in _left_out(text, values, fields, own, server)]
    return {"heard": heard, "known": values, "left": list(dict.fromkeys(left))}


def _left_out(
    text: str, values: Sequence[str], fields: Mapping[str, Any], own: Sequence[str], server: Server
) -> list[str]:
    """The pieces of a text that give nothing to a write of these values; `own` are the names of what is written to."""
    masked = text
    for name in sorted({*own, *(one for one in values if " " in one)}, key=len, reverse=True):
        masked = re.sub(loosely(name), lambda found: _FILLED * len(found[0]), masked, flags=re.IGNORECASE)
    names = [one for one in _names(server) if not _is_part(one, own)]
    kinds = [one for one in server.group_types() if not _is_part(split_name(one)[0], own)]
    keys, action = {_key(one) for one in values}, str(fields.get("action"))
    found: list[str] = []
    for clause in clauses_of(masked):
        at = masked.index(clause)
        gone = [
            piece
            for piece in _PIECE.finditer(clause)
            if not _is_known(piece[0], keys, names, kinds)
            or _is_order(piece[0], action)
            or (_BEGINS.match(piece[0]) and not fields.get("post_rule") and _FILLED not in piece[0])
        ]
        if gone:
            found.append(text[at + gone[0].start() : at + gone[-1].end()].strip(" ,.;:"))
    return found


def _is_known(piece: str, keys: Collection[str], names: Sequence[str], kinds: Sequence[str]) -> bool:
    """True if all that a piece names, and every figure in it, is among the keys of the values that are sent."""
    marked = [*_marks(piece), *mentioned(piece, names), *kinds_named(piece, kinds)]
    figures = [float(one.replace(",", ".")) for one in _FIGURE.findall(piece)]
    sent = [float(one) for one in keys if _is_figure(one)]
    return all(_key(one) in keys for one in marked) and all(
        any(abs(one - figure) < _NEAR for one in sent) for figure in figures
    )


def _values_of(found: Any) -> Iterator[str]:
    """Every value in what is sent, as text."""
    if isinstance(found, Mapping):
        for key, value in found.items():
            yield from _values_of(value)
            if isinstance(value, list):
                yield str(key)
    elif isinstance(found, list | tuple):
        for value in found:
            yield from _values_of(value)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield f"{found:g}"
    elif isinstance(found, str) and found:
        yield found


def _marks(piece: str) -> list[str]:
    """What is written as a name: quoted, or a word with a figure or an underscore in it; no place in a list."""
    found = [next(part for part in one.groups() if part).strip(".-") for one in _MARKED.finditer(piece)]
    return [one for one in found if not _ORDINAL.fullmatch(one)]


def _is_order(piece: str, action: str) -> bool:
    """True if a piece begins with what another action is called: and start it."""
    words = [word for word in tokens(piece) if word not in _POLITE]
    called = {stem(word) for word in tokens(f"{action} {ACTIONS.get(action, '')}".replace("_", " "))}
    return bool(words) and stem(words[0]) in _ORDERS - called


def _names(server: Server) -> list[str]:
    """What the server has names for, other than kinds of group and tags, which are plain words."""
    offered = [
        one for own in server.metadata.values() for kind, every in own.items() if kind != "group_types" for one in every
    ]
    return list(dict.fromkeys([*server.names, *server.contexts, *offered]))


def _is_part(name: str, own: Iterable[str]) -> bool:
    """True if all words of a name stand in one of what is written to: the audio one may be Audio Stories."""
    return any(set(_key(name).split()) <= set(_key(one).split()) for one in own)


def _key(value: str) -> str:
    return value if _is_figure(value) else " ".join(map(stem, split_name(value)))


def _is_figure(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(?:\.\d+)?", text))
