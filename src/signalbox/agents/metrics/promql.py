"""PromQL from templates: filled in, escaped, and parsed before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from string import Template

import promql_parser

from signalbox.agents.metrics.errors import InvalidQueryError
from signalbox.agents.metrics.promapi import selector_of
from signalbox.agents.metrics.slots import Matcher

__all__ = ["check_promql", "duration_text", "fill_template", "match_text", "selector_text"]

_PLAIN_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_META = re.compile(r"[\\.+*?()|\[\]{}^$]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`')
_IN_BRACES = re.compile(r"\{[^{}]*\}")
_NESTING = re.compile(r"[-+*/%^(<>=!]|\b(?:and|or|unless|atan2)\b", re.IGNORECASE)
_MOST_NESTING = 150
_SPANS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def fill_template(
    template: str,
    *,
    matchers: Iterable[Matcher] = (),
    info: Iterable[Matcher] = (),
    by: Sequence[str] = (),
    window: float = 300,
    quantile: float = 0.95,
    agg: str = "sum",
) -> str:
    """The template's PromQL. What is put in is escaped, and can neither end a text nor start another matcher."""
    match, told, labels = match_text(matchers), match_text(info), ", ".join(map(_label_text, by))
    for name, text in (("match", match), ("info", told), ("by", labels)):
        if not text:
            template = _without(template, name)
    return Template(template).safe_substitute(
        match=match, info=told, by=labels, window=duration_text(window), quantile=f"{quantile:.10g}", agg=agg
    )


def match_text(matchers: Iterable[Matcher]) -> str:
    """The matchers as they stand between the braces of a selector."""
    return ",".join(map(_matcher_text, matchers))


def selector_text(metric: str, matchers: Iterable[Matcher] = ()) -> str:
    """A selector of the metric's series, also of a name that PromQL does not take bare."""
    match = match_text(matchers)
    if not metric:
        return f"{{{match}}}"
    name = selector_of(metric)
    if not match:
        return name
    return f"{name[:-1]},{match}}}" if name.endswith("}") else f"{name}{{{match}}}"


def duration_text(seconds: float) -> str:
    """The duration as PromQL writes it, in whole seconds: 5m, 1d12h."""
    left, parts = max(round(seconds), 1), ""
    for name, length in _SPANS:
        count, left = divmod(left, length)
        parts += f"{count}{name}" if count else ""
    return parts


def check_promql(promql: str) -> str:
    """The query as it came, if it is PromQL; raises InvalidQueryError."""
    # The parser recurses on the machine's stack: what nests without end would end the process.
    if len(_NESTING.findall(_IN_BRACES.sub("", _STRING.sub("", promql)))) > _MOST_NESTING:
        raise InvalidQueryError(
            "The query is too deeply nested to be sent.",
            suggestion="Ask for less at once, or simplify the recipe.",
            details={"promql": promql[:2_000]},
        )
    try:
        promql_parser.parse(promql)
    except ValueError as error:
        raise InvalidQueryError(
            "The query that was made of the question is not valid PromQL.",
            suggestion="Name the metric itself; if a recipe of your own is behind it, correct its PromQL.",
            details={"promql": promql[:2_000], "error": str(error)[:500]},
        ) from None
    return promql


def _without(template: str, name: str) -> str:
    """The template without a placeholder that has nothing to say, and without what stood only for it."""
    field = rf"(?<!\$)\$(?:{name}\b|\{{{name}\}})"
    alone = rf"\s*\bby\s*\(\s*{field}\s*\)\s*" if name == "by" else rf"(?<=\w)\{{\s*{field}\s*\}}"
    return re.sub(rf"{alone}|{field}\s*,\s*|\s*,\s*{field}|{field}", "", template)


def _matcher_text(matcher: Matcher) -> str:
    label = _label_text(matcher.label)
    if len(matcher.values) == 1:
        return f"{label}{'!=' if matcher.negated else '='}{_quoted(matcher.values[0])}"
    alternatives = "|".join(_META.sub(r"\\\g<0>", value) for value in matcher.values)
    return f"{label}{'!~' if matcher.negated else '=~'}{_quoted(alternatives)}"


def _label_text(label: str) -> str:
    return label if _PLAIN_LABEL.fullmatch(label) else _quoted(label)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'
