"""Words that say the opposite of one another, and turns of speech that stand for one word."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.english.thesaurus import same_meaning, stands_for

__all__ = ["COVERED", "TURNS", "Said", "akin", "opposed", "turns_of_speech"]

# Left of the bar stands one side, right of it the other. Only general words belong here.
_PAIRS = """
live | recorded recording prerecorded taped repeat
open | closed shut locked
opened | unopened sealed
public | private internal confidential
indoor indoors inside | outdoor outdoors outside
paid | unpaid owed owing outstanding
new | used secondhand old
new | existing repeat
enabled enable active activated | disabled disable inactive deactivated paused suspended dormant
start | stop
running operating | stopped idle
stop abort halt cancel break | continue
keep retain preserve | delete discard remove overwrite erase drop
include | exclude omit
visible shown show | hidden hide invisible
return | oneway single
now immediately | later
full | empty
occupied inhabited | empty vacant unoccupied
automatic automatically | manual manually
standing | seated sitting seats
colour color | monochrome greyscale grayscale blackandwhite
free | paid
present | absent away
married | single unmarried divorced
alive living | dead
armed arm | disarmed disarm
permanent | temporary
online | offline inperson
remote remotely | onsite inperson
accept agree approve | refuse reject decline object disagree
allowed permitted allow permit | forbidden prohibited banned forbid
attend participate come go join | absent stay miss
approved accepted | rejected declined refused
resolved solved fixed closed | unresolved unsolved open
working | broken defective faulty
clean | dirty
wet | dry
warm hot | cold cool
loud | quiet silent
lit | dark
sharp | blunt
loaded | unloaded empty
shared | own private
urgent express rush | leisurely
paperless | paper
digital electronic | paper printed
frozen | fresh
raw | cooked
sweet | dry
valid | expired invalid
blocking | harmless
single | double both
ready | unfinished
found | missing
healthy | ill sick
first | repeat
formal | informal casual
released | kept
late | ontime punctual early
alone | accompanied
""".strip().splitlines()

TURNS = {
    "now": r"straight ?away|right away|right now|at once|without delay|as soon as possible|asap|instantly|immediately|"
    r"on the spot|yet",
    "later": r"later on|some other time|for later|at a later date",
    "continu": r"carr(?:y|ies|ying) on|ke(?:ep|eps|eping|pt) (?:going|running|on)|runs? on|go(?:es)? on|press on|"
    r"to the (?:very )?end|regardless|(?:run|go) through|finish anyway|even then",
    "cancel": r"call(?:ed|ing)? off|scrapped|isn't happening|is off\b",
    "oneway": r"one[- ]way|single (?:ticket|trip|journey|fare|(?=to\b|from\b))|no (?:way|trip|flight) back|"
    r"not (?:coming |going )?back",
    "return": r"there and back|round[- ]?trip|both ways|and back again|two[- ]way|"
    r"return (?:ticket|fare|flight|journey|trip)|and back(?= *(?:$|[,.;!?]|on\b))",
    "repeat": r"been (?:\w+ ){0,4}before|"
    r"(?:was|were|came|stayed) (?:\w+ ){1,4}(?:before|last (?:year|month|time|week|summer))|"
    r"(?:bought|ordered|booked|stayed|visited|donated|come) (?:\w+ ){0,4}before|a regular\b|"
    r"(?:regular|existing|returning|old) (?:customer|patient|client|guest|member|user)|know me already|"
    r"coming (?:\w+ ){0,2}for (?:\w+ )?years",
    "experienced": r"done (?:it|this|that) (?:\w+ )?before",
    "first": r"never (?:been|ordered|booked|stayed|visited|bought|donated|come)\b|"
    r"new (?:here|to (?:you|your))|newcomer",
    "automatic": r"by (?:itself|themselves)|on (?:its|their) own|of (?:its|their) own accord",
    "manual": r"by hand",
    "stop": r"(?:at|to) a (?:standstill|halt)|stand(?:s|ing)? still|not moving",
    "blackandwhite": r"black[ -](?:and|&|n)[ -]white|\bb ?& ?w\b|\bb/w\b",
    "inperson": r"in person|face[- ]to[- ]face|on[- ]site",
    "participat": r"tak(?:e|es|ing) part|comes? along|com(?:e|ing) with|joins? in|(?:be|is|are) there|on board",
    "secondhand": r"second[- ]hand|pre[- ]owned",
    "outdoor": r"open[- ]air|in the open|under the open sky",
    "ontim": r"on time|in time",
    "releas": r"(?:let|lets|letting) (?:it |them |him |her )?go|(?:set|put) (?:it |them )?(?:free|back)",
    "double": r"both sides|two[- ]sided|duplex",
    "single": r"(?:only |just )?(?:on )?one side(?: only)?|one[- ]sided|only the front|front (?:side )?only",
    "free": r"free of charge|at no (?:cost|charge)|costs? nothing|for nothing|no charge",
    "leisurely": r"take your time|no (?:hurry|rush)|(?:it )?can wait|not urgent|whenever (?:you|it)",
    "fragile": r"handle with care|breakable|breaks easily",
}
_SPOKEN = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in TURNS.items()), re.IGNORECASE)
_OPPOSITES: dict[str, set[str]] = {}
for _line in _PAIRS:
    _left, _right = ([stem(word) for word in side.split()] for side in _line.split("|"))
    for _one, _others in ((_left, _right), (_right, _left)):
        for _word in _one:
            _OPPOSITES.setdefault(_word, set()).update(_others)

# Kin only where a yes or no is asked: a nest that is seen is also found.
_AKIN = [
    frozenset(stem(word) for word in line.split())
    for line in ("see find spot notice sight discover detect", "urgent rush express now quickly")
]

# What a turn of speech says along with its own word: a "return ticket" is a trip, who has been before visited.
_VISITS = "visit time appointment order customer patient client guest stay booking purchase member donation"
_TRIPS = "trip ticket journey way flight fare travel leg"
COVERED = {
    stem(turn): frozenset(stem(word) for word in words.split())
    for turn, words in {
        "free": "entry admission entrance",
        "repeat": _VISITS,
        "first": _VISITS,
        "oneway": _TRIPS,
        "return": _TRIPS,
    }.items()
}

Said = tuple[str, int, int]


def opposed(a: str, b: str) -> bool:
    """Whether two stems, or one and what the other may stand for, say the opposite of one another."""
    others = _OPPOSITES.get(a, set())
    return b in others or (bool(others) and not others.isdisjoint(stands_for(b)))


def akin(a: str, b: str) -> bool:
    """Whether two stems say the same of a thing."""
    return same_meaning(a, b) or any(a in family and b in family for family in _AKIN)


@lru_cache(maxsize=64)
def turns_of_speech(text: str) -> tuple[Said, ...]:
    """The stems that turns of speech in a text stand for, with their places."""
    return tuple((stem(str(found.lastgroup)), *found.span()) for found in _SPOKEN.finditer(text))
