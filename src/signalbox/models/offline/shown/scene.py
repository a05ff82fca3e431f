"""What was spoken of and shown before the request: the ground that references stand on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from signalbox.language.words import stem, tokens
from signalbox.models.offline.arguments import Filler
from signalbox.models.offline.conversation import Conversation, Turn
from signalbox.models.offline.fill import Filling
from signalbox.models.offline.kinds import is_id
from signalbox.models.offline.shown.deeds import thing_dealt_with
from signalbox.models.offline.shown.givens import asks_identity, identity, is_same_thing, names_key, value_for
from signalbox.models.offline.shown.mentioning import describe_match
from signalbox.models.offline.shown.records import Record, records_in
from signalbox.models.offline.shown.references import Setting, find_reference
from signalbox.models.offline.tools import ToolCard, ToolSet, narrowed
from signalbox.models.offline.wording import mask
from signalbox.settings import now

__all__ = ["NOTHING", "Scene", "results_shown", "setting_of", "spoken_of", "things_shown"]


@dataclass(frozen=True)
class Scene:
    """What was spoken of before: words for it, which count where a clause alone is not clear, and the things shown."""

    words: tuple[str, ...] = ()
    shown: tuple[tuple[Record, ...], ...] = ()
    setting: Setting = field(default_factory=Setting)

    def points(self, text: str) -> bool:
        """Whether the text points at one thing shown, or at some of them."""
        found = [find_reference(mask(text), records, self.setting) for records in self.shown[:2]]
        return any(reference is not None and reference.records for reference in found)

    def led_by(self, text: str) -> Scene:
        """The scene after a remark: where that points at something shown, `it` is just that."""
        for records in self.shown[:2]:
            reference = find_reference(mask(text), records, self.setting)
            if reference is not None and reference.records:
                return replace(self, shown=(reference.records,))
        return self

    def beside(self, text: str, card: ToolCard) -> ToolCard:
        """The tool without the identifiers that what the text points at gives."""
        for records in self.shown[:2]:
            reference = find_reference(mask(text), records, self.setting)
            if reference is not None and reference.records and reference.kind != "one":
                own = [name for name in card.required if asks_identity(name, reference.records[0])]
                rest = {name: schema for name, schema in card.properties.items() if name not in own}
                return narrowed(card, rest, [name for name in card.required if name in rest]) if own else card
        return card

    def plain(self, text: str, tools: ToolSet) -> tuple[str, tuple[str, ...]]:
        """The text with what it points at as `it`, and words for that which name what the tools deal with."""
        for records in self.shown[:2]:
            reference = find_reference(mask(text), records, self.setting)
            if reference is not None and reference.records and reference.kind != "one":
                said = tokens(text[reference.start : reference.end])
                values = {stem(word) for record in records for word in tokens(record.text)}
                nouns = frozenset(noun for card in tools.cards for noun in card.nouns) - values
                return reference.plain(text), tuple(word for word in said if stem(word) in nouns)
        return text, ()

    def serves(self, card: ToolCard, text: str, words: tuple[str, ...], filling: Filling) -> bool:
        """Whether the text points at something shown, or names it, and the tool needs just that."""
        if any(_names(record, card, filling) for records in self.shown[:1] for record in records):
            return True
        lacking = [name for name in card.required if name not in filling.values or is_id(name)]
        if not lacking:
            return False
        for records in self.shown[:2]:
            reference = find_reference(mask(text), records, self.setting)
            if reference is not None and reference.records:
                return _gives(reference.records[0], card, lacking)
            described = describe_match(" ".join(words), records) if words else []
            if len(described) == 1:
                return _gives(described[0], card, lacking)
        return False


def _names(record: Record, card: ToolCard, filling: Filling) -> bool:
    """Whether a value for something the tool needs is just what a record has under that name."""
    given = {name: value for name in card.required if isinstance(value := filling.values.get(name), str)}
    return any(names_key(name, record) and value_for(name, {}, record) == value for name, value in given.items())


def _gives(record: Record, card: ToolCard, names: list[str]) -> bool:
    """Whether a record gives all that a tool lacks: by its identifier, where it has one."""
    asked = [name for name in names if asks_identity(name, record)]
    if identity(record) is not None and not any(is_same_thing(name, record) for name in asked):
        return False
    return all(value_for(name, card.properties.get(name) or {}, record) is not None for name in names)


def things_shown(turns: Sequence[Turn]) -> list[list[Record]]:
    """What was shown before, the latest first: results, lists in the answers, or else what was dealt with."""
    groups = []
    for turn in reversed(turns):
        done = [call for call in reversed(turn.results) if not call.failed]
        dealt = [[thing] for call in done if (thing := thing_dealt_with(call))]
        groups += results_shown([turn]) if len(dealt) < len(done) or not dealt else dealt
    return [_with_answer(records, turns[-1].answer) for records in groups[:1]] + groups[1:]


def _with_answer(records: list[Record], answer: str) -> list[Record]:
    """The records with what the answer says of each in brackets after its identifier: `R-12 (the corner room)`."""
    named = [re.escape(str(identity(record) or next(iter(record.fields.values()), ""))) for record in records]
    told = [re.search(rf"(?i)(?<![\w-]){name} \((?P<said>[^()]+)\)", answer) if name else None for name in named]
    return [
        replace(record, text=f"{record.text} {found['said']}") if found else record
        for record, found in zip(records, told, strict=True)
    ]


def results_shown(turns: Sequence[Turn]) -> list[list[Record]]:
    """What the results of calls say, the latest first; the lists in the answers where they say nothing."""
    groups = []
    for turn in reversed(turns):
        found = [
            records for call in reversed(turn.results) if not call.failed and (records := records_in(call.text or ""))
        ]
        if not found and turn.answer and (records := records_in(turn.answer)):
            found = [records]
        groups += found
    return groups


def setting_of(conversation: Conversation, filler: Filler) -> Setting:
    """The moment, and the values that the latest calls were given."""
    given = [value for turn in conversation.turns[-4:] for call in turn.calls for value in call.args.values()]
    each = [one for value in given for one in (value if isinstance(value, list) else [value])]
    moment = filler.clock or now()
    local = moment.astimezone(filler.tz) if filler.tz and moment.tzinfo else moment
    return Setting(local, frozenset(str(one).lower() for one in each))


def spoken_of(conversation: Conversation, tools: ToolSet) -> tuple[str, ...]:
    """The things that the last calls were about."""
    calls = [call for turn in conversation.earlier[-2:] for call in turn.calls]
    cards = [tools.by_name[call.tool] for call in calls[-1:] if call.tool in tools.by_name]
    given = {stem(word) for call in calls[-1:] for value in call.args.values() for word in tokens(str(value))}
    named = frozenset(noun for card in tools.cards for noun in card.nouns)
    return tuple(sorted({noun for card in cards for noun in card.nouns} | (given & named)))


NOTHING = Scene()
