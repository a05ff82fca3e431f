"""A request as wishes: stretches of it that each mean one tool."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from signalbox.language.words import split_name, stem, tokens
from signalbox.models.offline.accounting import account_for, trusted
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.choose import Choice, Fitness, choose, rank
from signalbox.models.offline.clauses import Clause, coordinations, first_code, joints_of, split_request
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.kinds import definite_values, is_id, is_list, is_text
from signalbox.models.offline.parts import Part, read_part
from signalbox.models.offline.repeats import repeats_of, segments
from signalbox.models.offline.shown.scene import NOTHING, Scene
from signalbox.models.offline.tools import ToolCard, ToolSet
from signalbox.models.offline.verbs import READING
from signalbox.models.offline.wording import forbids, is_courtesy, opens_content, strip_padding

__all__ = ["Wish", "asks_for_all", "read_wishes"]

_MOST_CLAUSES = 12
_LONGEST_LEAD = 500
_REMARK = 0.8
_UNSERVED = 0.4
_LEFT_OUT = 0.8
_REPEATED = 4
_REMARKED = 2
_DEED = 0.85
_BACK = re.compile(r"(?i)\b(?:it|its|them|they|those|these|that|she|he|him|her|both|all of them)\b")
_STATING = re.compile(
    r"(?i)\W*(?:(?:and|with|the|its|my|a)\s+)*(?P<what>\w+)\s*(?:\b(?:is|are|should be|will be)\b|[:=])"
)
_ALL_OF = re.compile(r"(?i)\b(?:all|every|any|each)(?: the| my| our)? (?!of\b|ones?\b|them\b|those\b|these\b)\w+")
_TELLS_MORE = re.compile(
    r"(?i)\W*(?:and |but )?(?:it|that|this|they|he|she)(?:'s|'re| is| was| are| were| has| had)\b[^?]*$"
)
_PREDICATE = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|had|should|must|can|will|would|needs?|wants?|goes|gets?|came|\w{3,}ed)\b"
)
_CODED = re.compile(r"[\d@\"'“]|(?<=\s)[A-Z]")
_REPORTING = re.compile(
    r"(?i)(?:let (?:me|us) know|tell|inform|show|give|report|explain|summari[sz]e|thank|see|check if|look)\b"
)


@dataclass(frozen=True)
class Wish:
    """What is wished, in the person's words, and the tool for it."""

    text: str
    choice: Choice
    start: int = 0
    end: int = 0
    core: str = ""

    @property
    def card(self) -> ToolCard:
        return self.choice.card


def read_wishes(request: str, tools: ToolSet, filler: Filler, scene: Scene = NOTHING) -> tuple[list[Wish], list[str]]:
    """The wishes of a request, in order, and clauses that ask for what no tool does, where others are served."""
    if is_courtesy(request):
        return [], []
    clauses = split_request(request, tools.verbs)
    at_once = _pick_at_once(request, clauses, tools, filler, scene)
    if at_once is not None:
        return [Wish(request, at_once, 0, len(request))], []
    wishes, unserved = _by_clause(request, clauses, tools, filler, scene)
    if not wishes:
        whole = _pick(request, tools, filler, scene)
        wishes = [Wish(request, whole, 0, len(request))] if whole else []
    pointing = [scene.plain(wish.text, tools)[0] != wish.text for wish in wishes]
    spread = [[wish] if points else _spread(wish, tools, filler) for wish, points in zip(wishes, pointing, strict=True)]
    return [single for singles in spread for single in singles], unserved


def _pick(text: str, tools: ToolSet, filler: Filler, scene: Scene = NOTHING, core: str = "") -> Choice | None:
    """The tool for a text; the verb that rules is that of its core, when what stands before only leads up to it."""
    whole = read_part(text, tools.own_verbs)
    plain, nouns = (text, ()) if asks_for_all(whole) else scene.plain(text, tools)
    part = read_part(plain, tools.own_verbs) if plain != text else whole
    part = replace(part, words=(*part.words, *nouns)) if nouns else part
    ruling = read_part(core, tools.own_verbs) if core else part
    if ruling.families and ruling is not part:
        part = replace(part, verb=ruling.verb, families=ruling.families, first=ruling.first, pairs=ruling.pairs)

    def fit(card: ToolCard) -> Fitness:
        here = scene.beside(text, card) if plain != text else card
        filling = filler.fill(here, part.text)
        pointed = 0.6 if scene.shown and scene.serves(card, whole.text, whole.words, filling) else 0.0
        agrees = not part.families & READING or bool(card.families & READING)
        meant = pointed and agrees and (part.families or _speaks_of(card, part, filling, tools))
        account = account_for(part, here, filling)
        if meant and not account.explained:
            account = replace(account, explained=1)
        fitting = account.fit + pointed + (0.2 if account.explained >= 2 else 0.0)
        if plain != text and not pointed and card.required:
            fitting -= _UNSERVED
        states = part.states or whole.states
        remark = states and not part.families and not definite_values(card.properties, filling.values)
        if remark or (part.tells and card.families <= READING):
            fitting -= _REMARK
        return Fitness(fitting, account)

    found = choose(tools, part, fit)
    if found is None and scene.words:
        part = replace(part, words=(*part.words, *scene.words))
        found = choose(tools, part, fit)
    return found


def asks_for_all(part: Part) -> bool:
    """Whether a part asks to see all things of a kind: that is a look of its own, not one at what was shown."""
    return bool(part.families & READING and _ALL_OF.search(part.text))


def _speaks_of(card: ToolCard, part: Part, filling: Filling, tools: ToolSet) -> bool:
    """Whether a part without a verb has a word of the tool's, or a definite value for it beside what it points at."""
    told = definite_values(card.properties, filling.values)
    return any(not is_id(name) for name in told) or any(
        term in card.terms for word in part.words for term in tools.near(word)
    )


def _pick_at_once(request: str, clauses: list[Clause], tools: ToolSet, filler: Filler, scene: Scene) -> Choice | None:
    """The tool for clauses without any verb that only together say all it needs: `to B, 12 of X, they're in A`."""
    texts = [request[clause.start : clause.end] for clause in clauses]
    if len(texts) < 2 or any(read_part(text, tools.own_verbs).families for text in texts):
        return None
    found = _pick(request, tools, filler, scene)
    return found if found is not None and found.explained == 3 and not found.unaccounted else None


def _pick_any(text: str, tools: ToolSet, filler: Filler, scene: Scene) -> Choice | None:
    """The tool for a clause, or for each of the clauses that an enumeration in it stands for."""
    found = _pick(first_code(text), tools, filler, scene)
    if found is None and not opens_content(text):
        for way in coordinations(text):
            picked = [_pick(one, tools, filler, scene) for one in way]
            sure = [choice for choice in picked if choice is not None]
            alike = len({choice.card.name for choice in sure}) == 1
            if len(sure) == len(way) and (alike or all(choice.explained for choice in sure)):
                return picked[0]
        return _pick_repeated(text, tools, filler, scene)
    return found


def _pick_repeated(text: str, tools: ToolSet, filler: Filler, scene: Scene) -> Choice | None:
    """The tool that a clause means several times, each time with other values: B1 for five minutes and B2 for eight."""
    for ranked in rank(tools, read_part(text, tools.own_verbs))[:_REPEATED] if len(segments(text)) > 1 else ():
        ways = repeats_of(text, ranked.card, filler)
        found = _pick(ways[0], tools, filler, scene) if ways else None
        if found is not None and found.card.name == ranked.card.name:
            return found
    return None


def _pick_deed(text: str, before: Wish, tools: ToolSet, filler: Filler) -> Choice | None:
    """The one tool that does what a bare verb says (`and restart it`) with what the wish before tells."""
    part = read_part(text, tools.own_verbs)
    if part.said or not part.families or not _BACK.search(text):
        return None
    known = filler.fill(before.card, read_part(before.text, tools.own_verbs).text).values.keys()
    fitting = [one for one in rank(tools, part) if one.card.required and set(one.card.required) <= known]
    fitting.sort(key=lambda one: -one.action)
    clear = bool(fitting) and all(one.action < fitting[0].action for one in fitting[1:])
    return fitting[0] if clear and fitting[0].action >= _DEED else None


def _halves(clause: Clause, request: str, tools: ToolSet, filler: Filler) -> list[Clause]:
    """The clause in two, where each half alone means a tool and has values for it, and the whole leaves values out."""
    text = request[clause.start : clause.end]
    joints = [] if opens_content(text) else joints_of(text)
    whole = _pick(text, tools, filler) if joints else None
    if not joints or (whole is not None and whole.unaccounted < _LEFT_OUT):
        return [clause]
    for start, end in joints:
        if not (_PREDICATE.search(text, end) or read_part(text[end:], tools.own_verbs).families):
            continue
        left = _pick(first_code(text[:start]), tools, filler)
        right = _pick(first_code(text[end:]), tools, filler) if _has_values(left) else None
        if left and right and _has_values(right) and left.card.name != right.card.name:
            rest = replace(clause, start=clause.start + end)
            return [replace(clause, end=clause.start + start), *_halves(rest, request, tools, filler)]
    return [clause]


def _has_values(choice: Choice | None) -> bool:
    return choice is not None and (choice.account.argued or choice.explained > 0)


def _is_demand(text: str, before: Wish, filler: Filler) -> bool:
    """Whether a clause without a tool asks for something of its own, rather than saying more of the wish before."""
    part = read_part(text, filler.verbs)
    if not part.families or part.asks or _REPORTING.match(part.text) or opens_content(before.text) or not part.words:
        return False
    return filler.fill(before.card, f"{before.text} {text}").values == filler.fill(before.card, before.text).values


def _by_clause(
    request: str, clauses: list[Clause], tools: ToolSet, filler: Filler, scene: Scene
) -> tuple[list[Wish], list[str]]:
    wishes: list[Wish] = []
    unserved: list[str] = []
    lead: int | None = None
    parted = [one for clause in clauses for one in _halves(clause, request, tools, filler)]
    for clause in parted[:_MOST_CLAUSES]:
        text = request[clause.start : clause.end]
        if is_courtesy(text):
            continue
        if wishes and forbids(text):
            wishes[-1] = _limited(wishes[-1], request, clause.end, filler)
            continue
        here = replace(scene, words=tuple(sorted(wishes[-1].card.nouns))) if wishes else scene
        here = here if lead is None else here.led_by(request[lead : clause.start])
        choice = _pick_deed(text, wishes[-1], tools, filler) if wishes else None
        choice = choice or _pick_any(text, tools, filler, here)
        if choice is None and lead is not None and clause.end - lead < _LONGEST_LEAD:
            choice = _pick(request[lead : clause.end], tools, filler, core=text)
        leads = bool(wishes) and choice is not None and _leads_up(wishes[-1], text, filler, scene)
        if wishes and choice is None and not scene.points(text) and _is_demand(text, wishes[-1], filler):
            unserved.append(text.strip())
        elif wishes and not leads and (choice is None or _belongs(wishes[-1], choice, text, clause.fresh, filler)):
            if choice is None or not _repeats(wishes[-1], choice, text):
                wishes[-1] = _extended(wishes[-1], request, clause.end)
        elif choice is None:
            lead = clause.start if lead is None else lead
        else:
            if leads:
                lead = wishes.pop().start
            start = clause.start if lead is None else lead
            core = text if lead is not None else ""
            wishes.append(Wish(request[start : clause.end], choice, start, clause.end, core))
            lead = None
    return wishes, unserved


def _leads_up(wish: Wish, text: str, filler: Filler, scene: Scene) -> bool:
    """Whether a wish is only a remark about how things are, or about a thing shown, before the demand in `text`."""
    part = read_part(wish.text, filler.verbs)
    if part.families or part.queried or not read_part(text, filler.verbs).families:
        return False
    if wish.card.reads and len(part.words) > _REMARKED and _BACK.search(text):
        return True
    if not part.states and not wish.card.required:
        return False
    about = bool(_BACK.search(text)) and scene.points(part.text)
    return about or not filler.fill(wish.card, part.text).values


def _limited(wish: Wish, request: str, end: int, filler: Filler) -> Wish:
    """The wish with a clause that says what not to do, where that tells one of its parameters something."""
    longer = _extended(wish, request, end)
    before = filler.fill(wish.card, read_part(wish.text, filler.verbs).text).values
    after = filler.fill(wish.card, read_part(longer.text, filler.verbs).text).values
    return longer if opens_content(wish.text) or before != after else wish


def _extended(wish: Wish, request: str, end: int) -> Wish:
    return replace(wish, text=request[wish.start : end], end=end)


def _repeats(before: Wish, choice: Choice, text: str) -> bool:
    """Whether a clause only says again, of the same things, what the wish before says."""
    return choice.card.name == before.card.name and bool(_BACK.search(text)) and not _CODED.search(text)


def _belongs(before: Wish, choice: Choice, text: str, fresh: bool, filler: Filler) -> bool:
    """Whether a clause that could be a wish is still part of the one before."""
    if _repeats(before, choice, text) or _TELLS_MORE.match(text):
        return True
    if opens_content(before.text) and not fresh:
        return choice.nouns < 0.6
    stated = _STATING.match(text)
    if stated and stem(stated["what"].lower()) in {
        stem(word) for name in before.card.properties for word in split_name(name)
    }:
        return True
    if choice.card.name != before.card.name or not choice.card.properties:
        return False
    part = read_part(text, filler.verbs)
    filling = filler.fill(choice.card, part.text)
    again = set(trusted(part, choice.card, filling)) & filler.fill(before.card, before.text).values.keys()
    if fresh and not part.families:
        return not definite_values(choice.card.properties, {name: filling.values[name] for name in again})
    return not again


def _spread(wish: Wish, tools: ToolSet, filler: Filler) -> list[Wish]:
    """The wish once for each element of an enumeration in it, where the elements mean different tools or calls."""
    told = opens_content(wish.text) and any(is_text(*named) for named in wish.card.properties.items())
    repeated = repeats_of(wish.text, wish.card, filler) if not told else []
    if repeated:
        return [Wish(text, wish.choice, wish.start, wish.end) for text in repeated]
    ways = coordinations(strip_padding(wish.text))
    for way in ways[:1]:
        spread = [Wish(text, wish.choice, wish.start, wish.end) for text in way]
        if _codes_each(wish, spread, filler):
            return spread
    for way in ways if not told else ():
        picked = [_pick(text, tools, filler) for text in way]
        if any(choice is None for choice in picked):
            continue
        spread = [Wish(text, choice, wish.start, wish.end) for text, choice in zip(way, picked, strict=True) if choice]
        if _takes_all(wish, spread, filler):
            return [wish]
        names = {single.card.name for single in spread}
        if len(names) == len(spread) and all(single.choice.nouns >= 0.4 for single in spread):
            return spread
        if len(names) == 1 and spread[0].card.name == wish.card.name and _one_each(wish, spread, filler):
            return spread
    return [wish]


def _codes_each(wish: Wish, spread: list[Wish], filler: Filler) -> bool:
    """Whether the elements are codes for one required parameter, and nothing else differs."""
    fills = [filler.fill(wish.card, single.text).values for single in spread]
    differing = {name for values in fills for name in values if any(values.get(name) != o.get(name) for o in fills)}
    if len(differing) != 1 or len(spread) < 2:
        return False
    name = differing.pop()
    values = [str(values.get(name, "")) for values in fills]
    coded = all(re.fullmatch(r"[A-Z#]*-?\d[\w-]*", value) for value in values)
    return coded and name in wish.card.required and not is_list(wish.card.properties.get(name))


def _takes_all(wish: Wish, spread: list[Wish], filler: Filler) -> bool:
    """Whether a list of the wish's own tool takes in the elements together."""
    whole = filler.fill(wish.card, wish.text).values
    several = {name: value for name, value in whole.items() if isinstance(value, list | dict) and len(value) > 1}
    fills = [filler.fill(wish.card, single.text).values for single in spread]
    return any(value != fill.get(name) for name, value in several.items() for fill in fills)


def _one_each(wish: Wish, spread: list[Wish], filler: Filler) -> bool:
    """Whether the elements give different values to one single-valued parameter, and nothing else differs."""
    fills = [filler.fill(wish.card, single.text).values for single in spread]
    differing = {
        name for values in fills for name in values if any(values.get(name) != other.get(name) for other in fills)
    }
    if len(differing) != 1:
        return False
    name = differing.pop()
    schema = wish.card.properties.get(name)
    if not all(name in values for values in fills) or is_list(schema):
        return False
    return not is_text(name, schema) or _names_several(wish)


def _names_several(wish: Wish) -> bool:
    """Whether the text speaks of the tool's things in the plural, or of a list of them."""
    words = tokens(wish.text)
    return "list" in words or any(
        word.endswith("s") and stem(word) != word and stem(word) in wish.card.nouns for word in words
    )
