"""Finding the best of several named things for a request: by their names, words and likeness, else by a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rapidfuzz import fuzz

from signalbox.errors import ConfigurationError, ModelMalformedError
from signalbox.language.names import did_you_mean
from signalbox.maps.agents.models import ask_object

__all__ = ["NONE", "STRATEGIES", "best_by_model", "best_by_words", "choose", "fallback_by_model"]

STRATEGIES = ("tiered", "algorithm", "llm")
NONE = "none"
_CHOOSE = "Choose the one option that fits the request, by its name, or none if no option fits."
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_COMMON = frozenset(
    "a an and any are as at be best by do for from get give go i in is it like me my need node of on or our please "
    "route some that the this to triggered us user want was we what when where which with would you your".split()
)


def choose(
    request: str,
    candidates: Mapping[str, str],
    strategy: str,
    threshold: float,
    model: Callable[[], Any],
    instruction: str = "",
) -> tuple[str | None, float]:
    """The candidate (name to description) that fits the request, with a confidence from 0 to 1.

    `algorithm` goes by words alone, `llm` asks the model, `tiered` asks it only below the threshold. If the model is
    not certain, the words decide. Raises LLMAPIError if it fails."""
    if strategy not in STRATEGIES:
        raise ConfigurationError(
            f"There is no matching_strategy '{strategy}'.", suggestion=did_you_mean(strategy, STRATEGIES)
        )
    if not candidates:
        return None, 0.0
    name, confidence = best_by_words(request, candidates)
    by_words = (name, confidence) if confidence > 0 else (None, 0.0)
    if strategy == "algorithm" or (strategy == "tiered" and confidence >= threshold):
        return by_words
    asked = best_by_model(request, candidates, model(), instruction)
    if asked == NONE:
        return None, 0.0
    return (asked, 1.0) if asked else by_words


def best_by_words(request: str, candidates: Mapping[str, str]) -> tuple[str | None, float]:
    """The candidate named in the request, or else the one that shares the most words with it."""
    folded = request.casefold()
    named = [name for name in candidates if re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", folded)]
    if len(named) == 1:
        return named[0], 1.0
    asked = _words(request)
    if not asked:
        return None, 0.0
    scores = {name: _overlap(asked, name, text) for name, text in candidates.items()}
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    best, score = ranked[0]
    runner_up = ranked[1][1] if len(ranked) > 1 else 0.0
    return best, round(score if score > runner_up else score * 0.5, 3)


def best_by_model(request: str, candidates: Mapping[str, str], model: Any, instruction: str = "") -> str | None:
    """The candidate that the model names, NONE if it says that none fits, None if it is not certain."""
    told = {**candidates, NONE: "something that none of these does"}
    return _ask(model, told, "The option that fits the request.", f"{instruction}\n\n{_CHOOSE}".strip(), request)


def fallback_by_model(candidates: Mapping[str, str], model: Any) -> str | None:
    """The fallback candidate for requests that fit no other, according to the model, or None."""
    about = "The option for requests that fit no other; nothing if no option is described as that."
    try:
        return _ask(model, candidates, about, _CHOOSE, "fallback if no other option fits the request", required=False)
    except ModelMalformedError:
        # It says in other words that there is none.
        return None


def _ask(
    model: Any, told: Mapping[str, str], about: str, system: str, request: str, *, required: bool = True
) -> str | None:
    option = {"type": "string", "description": about, "enum": list(told), "enumDescriptions": dict(told)}
    schema = {
        "title": "Choice",
        "description": "Which option a request is for.",
        "type": "object",
        "properties": {"option": option},
        "required": ["option"] if required else [],
    }
    chosen = ask_object(model, schema, [("system", system), ("human", request)]).get("option")
    return None if chosen is None else str(chosen)


def _words(text: str) -> set[str]:
    words = {_stem(word.casefold()) for word in _WORD.findall(text)}
    return words - _COMMON


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _overlap(asked: set[str], name: str, text: str) -> float:
    """How much of the request the candidate's name and words cover; its name counts double."""
    in_name, in_text = _words(name), _words(text)
    by_name = sum(_like(word, asked) for word in in_name) / max(1, len(in_name))
    by_text = sum(_like(word, in_name | in_text) for word in asked) / len(asked)
    return min(1.0, 0.6 * by_name + 0.6 * by_text)


def _like(word: str, others: set[str]) -> float:
    if word in others:
        return 1.0
    near = max((fuzz.ratio(word, other) for other in others), default=0.0) if len(word) > 3 else 0.0
    return 0.8 if near >= 80 else 0.0
