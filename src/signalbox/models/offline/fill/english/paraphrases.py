"""How people say what an option means without any of its words: "it doesn't fit" for wrong_size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from signalbox.models.offline.fill.english.opposites import TURNS, opposed, turns_of_speech
from signalbox.models.offline.fill.english.sentence import split_name, stem

__all__ = ["paraphrases_of"]

_NOT = (
    r"(?:do|does|did|wo|is|are|was|were|ca|has|have|could|would)(?:n'?t| not)|cannot|can not|will not|no longer|never"
)
_MINE = r"(?:my|our|the|his|her|their|your)"

_CONTACT = "email sms text post mail letter video chat whatsapp phone call online"

# The words that an option must hold (several ways apart by a comma), behind a bar one of the words that another option
# must hold beside it, and what may be said in their stead.
# Only general English belongs here, and only what nobody says of anything else.
_SAID = {
    "changed mind, unwanted, not wanted, no longer needed, no longer wanted, not needed": (
        rf"(?:no longer|{_NOT}) (?:really )?(?:want|need|like)\b(?! to\b)|changed {_MINE} mind|"
        r"not (?:needed|wanted) any ?more"
    ),
    "wrong size, size issue, size problem, bad fit, poor fit, doesnt fit, does not fit, sizing": (
        rf"(?:{_NOT}|not) fit(?:ting|s)?\b|"
        r"(?:too|much|far) (?:small|big|large|tight|loose|wide|narrow|long|short)\b|"
        r"(?:a|one|two) sizes? (?:too|bigger|smaller|up|down)"
    ),
    "wrong item, wrong product, wrong article": (
        r"not (?:what|the one|the ones) (?:i|we) (?:ordered|bought|asked for)|"
        r"(?:sent|got|received|delivered|shipped) (?:me |us )?(?:the |a )?wrong\b|"
        r"(?:didn'?t|did not|never) order (?:this|that|these|it)"
    ),
    "not as described, misdescribed": (
        r"not as (?:described|advertised|pictured|shown|promised)|looks? (?:nothing like|different|other than)|"
        r"nothing like (?:the|in the|on the)"
    ),
    "defective, defect, faulty, not working, doesnt work, malfunction, malfunctioning, broken, breakdown": (
        rf"(?:{_NOT}|not|stopped|quit) work(?:s|ing)?\b|(?:{_NOT}) (?:turn|switch|power|start|charge|boot)\b"
    ),
    "wont start, not starting, no start, no power, not turning on, wont turn on, power failure, dead": (
        rf"(?:{_NOT}|not) (?:turn|switch|power|start|boot|com|go)(?:e|ing|s)? ?(?:on|up)?\b(?! (?:to|with|off)\b)|"
        r"(?:is|are|completely|totally) dead\b|no sign of life"
    ),
    "damaged": r"(?:in|to) pieces|smashed|in bits|bent\b|squashed|crushed",
    "arrived late, late delivery, too late, delivered late": r"too late\b|took (?:too|so) long",
    "leaking, leak, leakage": (
        r"drip(?:s|ping|ped)?\b|water (?:\w+ )?(?:com|runn?|drip|spill|pour)\w* (?:out|from)|loses? water|"
        r"losing water|puddles?"
    ),
    "noisy, noise, strange noise, loud noise": (
        r"(?:makes?|making|made) (?:\w+ ){0,3}(?:noises?|racket|sounds?)|rattl(?:es?|ing)|squeak\w*|very loud|"
        r"too loud"
    ),
    "overheating, overheats, overheat": r"(?:too|very|gets?|getting|extremely|burning) hot\b",
    "refund, money back": rf"{_MINE} money (?:back|returned)|money back|pay (?:me|us) back|reimburs\w+",
    "replacement, exchange": (
        r"swap(?:ped|ping)?\b|(?:a new|another) one (?:instead|please|sent)|replace (?:it|them|this|these)"
    ),
    "any, no preference, either, flexible, indifferent, any time": (
        r"(?:don'?t|do not) (?:mind|care)\b|no preference|(?:doesn'?t|does not) matter|whichever|"
        r"whatever (?:is|you|suits)|all the same to (?:me|us)|anything (?:goes|will do|is fine)"
    ),
    "self employed, freelance": (
        r"work for (?:myself|himself|herself)|own (?:boss|business|company)\b|run (?:a|my) business"
    ),
    "unemployed": rf"out of (?:work|a job)|between jobs|lost {_MINE} job|without (?:work|a job)|no job\b",
    "takeaway, takeout, to go": r"to go\b(?= *(?:$|[,.;!?]|please|for))|take ?-?(?:away|out)\b|to take (?:away|with)",
    "eat in, dine in, on premises": r"(?:eat|dine|sit|eating|dining|sitting) (?:in|here|inside)\b|for here\b",
    "weekdays": (
        r"(?:mondays?|mon) ?(?:to|till|through|thru|-|–) ?(?:fridays?|fri)\b|"
        r"(?:work|working|business|week) ?days"
    ),
    "weekends, weekend": r"saturdays? (?:and|&|or) sundays?|sat ?(?:and|&|/|-) ?sun\b",
    f"phone, phone call, telephone, call, by phone | {_CONTACT}": (
        r"(?:call|ring|phone) (?:me|us|him|her|them)\b|give (?:me|us|him|her|them) a (?:call|ring)|"
        r"(?:over|on) the phone"
    ),
    f"video, video call, video conference, virtual | {_CONTACT}": (
        r"zoom\b|skype|facetime|teams (?:call|meeting)|webcam"
    ),
    f"sms, text, text message | {_CONTACT}": r"text (?:me|us|him|her|them)\b|by text\b",
    f"post, mail, letter | {_CONTACT}": r"by (?:post|letter)\b|in the post\b",
    "card, credit card | cash invoice transfer voucher account cheque check paypal": (
        r"visa\b|mastercard|amex|american express|contactless"
    ),
    "invoice, on invoice, bill, on account": r"(?:bill|invoice) (?:me|us)\b|on account\b|send (?:me|us) (?:the|a) bill",
    "part time": r"half[- ]time|half[- ]days?\b|(?:two|three|four|[2-4]) days a week",
    "hybrid": (
        r"(?:partly|half|some) (?:of the time )?(?:at|from) home|"
        r"(?:one|two|three|four|some|a few|[1-4]) days? (?:a week |per week )?(?:at|from) home|"
        r"home and (?:in )?(?:the )?office|office and (?:at )?home"
    ),
    "beginner, novice": (
        r"never (?:done|tried|played|danced|ridden|painted)\b|no (?:prior |previous )?experience|"
        r"just (?:starting|started)\b|complete newcomers?"
    ),
    "lost, loss, lost item | stolen found theft damage damaged": (
        rf"can(?:'?t|not) find|left (?:it|them|{_MINE} \w+) (?:on|in|at|behind)\b|mislaid|misplaced"
    ),
    "in progress, ongoing, underway": (
        r"working on (?:it|this|that)\b|under ?way|half ?-?way through|"
        r"in the middle of (?:it|an?|my|our|\w+ing)\b"
    ),
    "not started, todo": r"not (?:yet )?(?:begun|started)|haven'?t (?:begun|started)|yet to (?:begin|start)",
    "approve, approved, approval, accept, accepted": (
        r"(?:looks|sounds) good|go ahead\b|fine by (?:me|us)|green light|thumbs up"
    ),
    "tenant, renter, rented, renting | owner own owned homeowner": r"(?:i|we) rent\b|my landlord|our landlord",
    "owner, owned, homeowner, own | tenant renter rent rented renting": (
        r"(?:i|we) own\b|my own (?:house|flat|home|place)|our own (?:house|flat|home|place)"
    ),
    "positive | negative": (
        r"great\b|lovely|excellent|wonderful|fantastic|delighted|very (?:happy|pleased|satisfied)|loved"
    ),
    "negative | positive neutral": (
        r"terrible|awful|horrible|disappoint\w+|unhappy|unsatisf\w+|worst\b|annoy(?:ed|ing)|rude\b|"
        r"not (?:happy|satisfied|pleased|good)"
    ),
    "morning": r"first thing\b|before (?:noon|lunch)\b",
    "afternoon": r"after lunch\b",
    "evening": r"after work\b|after dark\b",
    "urgent, asap, emergency, rush, immediate, immediately | low normal routine standard medium regular scheduled": (
        r"as soon as (?:possible|you can)|asap\b|right (?:away|now)|straight ?away|immediately|at once\b|without delay|"
        r"can(?:'?t|not) wait\b"
    ),
    "routine, normal, standard, regular | urgent emergency rush express immediate high": (
        r"no (?:rush|hurry)|not urgent|can wait\b|take your time|nothing urgent"
    ),
    "around the clock, 24 7, always open": r"24/7|24 hours a day|day and night|(?:a)?round the clock|at any hour",
    "outdoor, outdoors, outside": r"(?:in|under) the open(?: air| sky)?\b|open[- ]air|al fresco",
    "pescatarian": r"fish but no(?:t)? meat|no meat but fish|only fish\b",
    "vegetarian": r"(?:no|without|don'?t eat|doesn'?t eat|never eat) meat",
    (
        "all members, everyone, everybody, all users, all customers, all subscribers, all staff, "
        "all employees, all guests, all students, all contacts, all residents, all clients"
    ): r"everyone|everybody|(?:the )?(?:whole|entire) \w+|all of (?:them|us|you)",
    "all, everything, all items, all files, all pages": (
        r"everything|(?:the )?(?:whole|entire) (?:lot|thing|set|document|list|site|catalogue|range)|"
        r"all of (?:it|them)|the lot\b"
    ),
}

# What an option is about, which only fills its name: item_damaged, changed_my_mind.
_DULL = frozenset(map(stem, "item product article goods order my the it is a".split()))


def _read(row: str) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    ways, _, beside = row.partition("|")
    return tuple(frozenset(map(stem, way.split())) for way in ways.split(",")), frozenset(map(stem, beside.split()))


_KEYS = {stem(turn): turn for turn in TURNS}
_TABLE = tuple((*_read(row), re.compile(rf"\b(?:{said})", re.IGNORECASE)) for row, said in _SAID.items())


def _turned(options: tuple[Any, ...]) -> Iterator[tuple[int, str]]:
    """Options that are turns of speech (one_way), or the opposite of such a one (return), each with its turn."""
    names = [" ".join(split_name(str(option))) for option in options]
    whole = {at: turns[0][0] for at, name in enumerate(names) if (turns := turns_of_speech(name)) if " " in name}
    whole = {at: turn for at, turn in whole.items() if turns_of_speech(names[at])[0][1:] == (0, len(names[at]))}
    contrary = {at: stem(name) for at, name in enumerate(names) if any(opposed(stem(name), t) for t in whole.values())}
    yield from ((at, _KEYS[turn]) for at, turn in (contrary | whole).items() if turn in _KEYS)


@lru_cache(maxsize=2_000)
def paraphrases_of(options: tuple[Any, ...]) -> tuple[tuple[int, re.Pattern[str]], ...]:
    """For the options of a field: the place of an option, and what says it; what would say two of them says none."""
    words = [frozenset(stem(word) for word in split_name(str(option))) for option in options]
    found = [(at, re.compile(TURNS[turn], re.IGNORECASE)) for at, turn in _turned(options)]
    for ways, beside, said in _TABLE:
        meant = [at for at, own in enumerate(words) if own in ways or own - _DULL in ways]
        others = frozenset().union(*(own for at, own in enumerate(words) if at not in meant))
        if len(meant) == 1 and (not beside or beside & others):
            found.append((meant[0], said))
    return tuple(found)
