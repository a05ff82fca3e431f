"""Which tool a part of a request means: by its verb, its nouns, its meaning, and what it says for the parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from signalbox.language.words import stem, tokens
from signalbox.models.offline.accounting import NO_ACCOUNT, Account
from signalbox.models.offline.cards import question_words
from signalbox.models.offline.nouns import kin_of
from signalbox.models.offline.parts import Part
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.verbs import BROADER, OPPOSITES, READING, SPECIFIC, abbreviates, deeds_of

__all__ = ["Choice", "Fitness", "choose", "rank"]

THRESHOLD = 1.0
MARGIN = 0.3
_BARE = 0.4
_INDIRECT = 0.6
_ARGUED = 0.6
_TOUCHED = 0.25
_PLAIN = 0.25
_MOST_STRANGE = 2
_AGREED = 0.5
_SPOKEN = 0.4
_MEANT = 0.85
_TOO_MUCH = 1.2
_LOSS = 0.5
_ENTIRE = 0.5
_UNLIKE = -0.3
_SERVICE = re.compile(
    r"(?i)(?:do|does|can) (?:you|they|we|your \w+)(?: also| even| still)? (?!sell|offer|order|take)(?P<deed>[a-z]+) "
)
_TOLD = 0.4
_NAMED = 0.6
_FADE = (1.0, 0.7, 0.5, 0.35, 0.25, 0.2)
_SHORTLIST = 5
_DANGEROUS = frozenset({"delete", "send", "pay", "buy", "stop", "restart", "reject", "approve"})


@dataclass(frozen=True)
class Choice:
    """A tool for a part, with what speaks for it: the verb, the nouns, the whole meaning."""

    card: ToolCard
    score: float
    action: float
    nouns: float
    named: float
    asked: bool = False
    account: Account = NO_ACCOUNT

    @property
    def explained(self) -> int:
        return self.account.explained

    @property
    def unaccounted(self) -> float:
        return self.account.unaccounted

    @property
    def leftover(self) -> bool:
        return self.account.leftover

    @property
    def sure(self) -> bool:
        """Whether enough speaks for the tool: its thing is named, the verb is its own, or no word is left over."""
        if self.action <= -0.5 or (self.action < 0.0 and self.asked):
            return False
        if self.account.argued and self._is_touched():
            return True
        if self.asked and self.action >= _AGREED and self.account.identified and self.account.strange <= _MOST_STRANGE:
            return True
        if self.account.complete and not self.asked and self._leaves_little():
            return True
        if self.card.reads and not self.asked and self.action < _AGREED and self.unaccounted > _TOO_MUCH:
            return False
        if self.explained >= (2 if self.action > -0.3 else 3):
            return True
        if not self.asked and self.named < 0.9 and self.account.strange > _MOST_STRANGE + self.account.given:
            return False
        if self.action < 0.0:
            return (self.unaccounted < 0.3 or self.action > -0.3) and (
                (self.named >= 0.9 and self.score >= THRESHOLD) or (bool(self.explained) and self.score >= 0.6)
            )
        own = self.action >= 1.0 and not self.leftover and self.unaccounted < 1.2
        strange = self.asked and self.leftover and self.unaccounted > 0.8
        known = own or self.named >= (0.9 if strange else 0.6 if self.leftover else 0.4)
        bar = 0.8 if self.explained or self.named >= 0.9 else THRESHOLD
        if self.explained and not self.unaccounted and self.card.answers:
            bar = _BARE
        return (known or bool(self.explained)) and self.score >= bar

    def _leaves_little(self) -> bool:
        """Whether a call with all it requires leaves little of the request out: less where no verb speaks for it."""
        if self.action >= _MEANT:
            return self.unaccounted < THRESHOLD
        little = self.unaccounted < _AGREED if self.action >= 0.0 else not self.unaccounted and self.action > _UNLIKE
        return little and self.score >= _AGREED

    def _is_touched(self) -> bool:
        """Whether the request touches the tool's meaning too, where its values alone would speak for the tool."""
        if self.action < 0.0 and not self.account.firm:
            return False
        if not self.account.strange:
            return self.score >= _PLAIN
        return self.score >= _ARGUED and (self.nouns >= _TOUCHED or self.action >= _AGREED)


@dataclass(frozen=True)
class Fitness:
    """How a part serves a tool's parameters: a score, and how well they account for its words."""

    score: float
    account: Account = NO_ACCOUNT


Fit = Callable[[ToolCard], Fitness]


def rank(tools: ToolSet, part: Part) -> list[Choice]:
    """Every tool with its score for the part, best first; ties keep the order of the tools."""
    if not part.text:
        return []
    nearness = tools.about(part.text)
    found = [_score(tools, card, part, near) for card, near in zip(tools.cards, nearness, strict=True)]
    return sorted(found, key=lambda choice: -choice.score)


def choose(tools: ToolSet, part: Part, fit: Fit | None = None) -> Choice | None:
    """The best tool for the part after its parameters had a say through `fit`; None when nothing is sure."""
    ranked = rank(tools, part)
    if not ranked:
        return None
    short = [choice for choice in ranked[:_SHORTLIST] if choice.score > ranked[0].score - 1.0]
    if fit is not None:
        short = _fitted(short, [fit(choice.card) for choice in short])
    return next((choice for choice in short if choice.sure and choice.score > short[0].score - MARGIN), None)


def _fitted(short: list[Choice], fits: list[Fitness]) -> list[Choice]:
    """The choices with the say of their parameters; one that leaves more of the part unaccounted for loses by it."""
    least = min(fit.account.unaccounted for fit in fits)
    found = [
        replace(
            choice,
            score=choice.score + fit.score - _LOSS * (fit.account.unaccounted - least) + _whole(choice, fit.account),
            account=fit.account,
        )
        for choice, fit in zip(short, fits, strict=True)
    ]
    return sorted(found, key=lambda choice: -choice.score)


def _whole(choice: Choice, account: Account) -> float:
    """What speaks for a tool whose values are all it requires and leave nothing over, unless it is asked to tell."""
    if choice.asked and not choice.card.families & READING:
        return 0.0
    return _ENTIRE if account.explained >= 2 and account.argued and not account.unaccounted else 0.0


def _score(tools: ToolSet, card: ToolCard, part: Part, nearness: float) -> Choice:
    action = _action(tools, card, part)
    if part.indirect:
        action = max(action, 0.0) * _INDIRECT
    nouns, named = _nouns(tools, card, part)
    covered = _covered(tools, card, part)
    if part.asks and card.told & question_words(tokens(part.text)[:3]):
        nouns, named = nouns + _TOLD, max(named, _NAMED)
    score = action + 1.2 * nouns + 0.45 * covered + 0.8 * max(nearness, 0.0) + _number(card, part)
    return Choice(card, score, action, nouns, named, part.asks)


def _number(card: ToolCard, part: Part) -> float:
    """Several things asked for suit a tool that lists; one suits a tool that gets."""
    return 0.2 if part.many and part.reads and {"list", "search"} & card.families else 0.0


def _action(tools: ToolSet, card: ToolCard, part: Part) -> float:
    """How well the verbs agree: from -1 (opposite) to 1.1 (the same verb)."""
    if not part.asks and card.verb and (stem(part.first) == card.verb or abbreviates(part.first, card.verb)):
        return 1.3
    if part.first and stem(part.first) in card.verbs and not part.vague:
        return 1.1
    if part.pairs and part.pairs[0] in card.verbs:
        return 1.1
    if part.verb in card.options and not part.asks and not card.families & READING:
        return 1.0
    if not part.families:
        if card.reads:
            return 0.45 if part.queried else 0.25
        return -0.2 if part.queried or card.families & _DANGEROUS else 0.05
    if part.asks and (not (card.answers or card.reports) or _asks_deed(card, part)):
        return -0.8
    verb = stem(part.verb)
    if part.families == {verb} and verb in card.nouns and not card.families & READING:
        return 1.0
    if part.vague and verb in card.verbs and not part.families & card.families:
        return 0.6
    if verb in card.verbs or (verb in card.nouns and (not card.families or part.families & card.side_families)):
        return 1.1
    shared = part.families & card.families
    if shared:
        if part.asks and (shared == {"search"} or not card.families <= READING):
            return 0.65
        return 1.0 if _is_its_own(tools, card, part, shared) else 0.85
    if part.families & card.side_families:
        return 0.65
    if {BROADER.get(family) for family in part.families} & (card.families | card.side_families):
        return 0.6
    if not any(map(tools.carriers, part.families)) and _is_akin(card, verb):
        return 0.5
    if part.families & READING and card.reads:
        return 0.55
    if any(frozenset((a, b)) in OPPOSITES for a in part.families for b in card.families):
        return 0.0 if part.vague and not card.reads else -0.8
    return 0.0 if part.vague and not card.reads else -0.35


def _asks_deed(card: ToolCard, part: Part) -> bool:
    """Whether a question is after a deed of which the tool says nothing: do you also mend shoes?"""
    asked = _SERVICE.match(part.text)
    deed = stem(asked["deed"].lower()) if asked else ""
    return bool(deeds_of(deed)) and not (deeds_of(deed) & card.deeds or _is_akin(card, deed))


def _is_akin(card: ToolCard, verb: str) -> bool:
    """Whether the tool speaks of what the verb does: weigh, the weight; print, a printing job."""
    return any(card.terms.get(term, 0.0) >= _SPOKEN for term in {verb, *kin_of(verb)})


def _is_its_own(tools: ToolSet, card: ToolCard, part: Part, shared: frozenset[str]) -> bool:
    """Whether the verb is of a kind so specific that it tells the tool, which no other here does."""
    if part.asks:
        return False
    return any(
        family in SPECIFIC and tools.carriers(family) == 1 and (family != "search" or card.required)
        for family in shared
    )


def _nouns(tools: ToolSet, card: ToolCard, part: Part) -> tuple[float, float]:
    """How much of what the part names the tool speaks of, each further word counting for less; and the surest word."""
    hits, surest = [], 0.0
    for word in (*part.words, *(pair for pair in part.pairs if stem(pair) in tools.spread)):
        rare = 0.0
        for term, sure in tools.near(word).items():
            weight = card.terms.get(term, 0.0) * sure
            surest = max(surest, weight)
            rare = max(rare, weight * tools.rarity(term))
        hits.append(rare)
    hits.sort(reverse=True)
    return sum(hit * fade for hit, fade in zip(hits, _FADE, strict=False)), surest


def _covered(tools: ToolSet, card: ToolCard, part: Part) -> float:
    """The share of the words in the tool's name that the part names too."""
    if not card.nouns:
        return 0.0
    named = {term for word in part.words for term, sure in tools.near(word).items() if sure >= 0.6}
    named.add(stem(part.verb))
    return len(card.nouns & named) / len(card.nouns)
