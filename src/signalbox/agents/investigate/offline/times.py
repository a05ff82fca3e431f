"""Times as people write them in a hurry, or in German, French or Spanish, in the words that the grammar of times
reads: a time that is not read would be taken for none."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

__all__ = ["plain_times"]

_DAYS = {
    "monday": "montag|lundi|lunes", "tuesday": "dienstag|mardi|martes", "wednesday": "mittwoch|mercredi|miércoles",
    "thursday": "donnerstag|jeudi|jueves", "friday": "freitag|vendredi|viernes", "saturday": "samstag|samedi|sábado",
    "sunday": "sonntag|dimanche|domingo",
}  # fmt: skip
_PARTS = {
    "morning": r"morgen|früh|vormittag|matin|(?:por la )?mañana", "noon": "mittag|(?:à )?midi|(?:al )?mediodía",
    "afternoon": r"nachmittag|apr[eè]s-midi|(?:por la )?tarde", "evening": "abend|soir|(?:por la )?noche",
}  # fmt: skip
_NUMBERS = {
    "1": "(?<!half )an?|one|eine[rmn]?|une|una?", "2": "two|zwei|deux|dos", "3": "three|drei|trois|tres",
    "4": "four|vier|quatre|cuatro", "5": "five|fünf|cinq|cinco", "6": "six|sechs|seis", "10": "ten|zehn|dix|diez",
}  # fmt: skip
_HOUR = r"(\d{1,2})(?: ?[h:])?(?: ?uhr)?(?: ?(\d\d))?"
_UNIT = r"(?:minute|min|hour|day|week)s?"
_WORDS = {
    "(?:what|how) about": "and",
    "(?:jetzt|gerade|aktuell|momentan|derzeit|zurzeit|im moment|en ce moment|maintenant|actuellement"
    "|ahora(?: mismo)?|en este momento)": "right now",
    "(?:letzte|heute|diese) nacht|cette nuit|la nuit dernière|anoche": "last night",
    "vorgestern|avant-hier|anteayer|antes de ayer": "the day before yesterday",
    "gestern|hier|ayer": "yesterday",
    "heute|aujourd'hui|cet?(?= (?:matin|midi|soir|apr))|hoy|esta(?= (?:mañana|tarde|noche))": "today",
    **{f"(?:am |le |el )?(?:{names})": day for day, names in _DAYS.items()},
    **{rf"(\w+day) (?:{names})": rf"\1 {part}" for part, names in _PARTS.items()},
    "letzte woche|la semaine dernière|la semana pasada": "last week",
    "(?:am |dieses |letztes |ce )?(?:wochenende|week-end)": "last weekend",
    "(?:in den |die )?letzte[nmrs]?|(?:ces |les )?derni[eè]re?s?|(?:en )?(?:las? |los |el )?últim[oa]s?": "last",
    "(?:in|over|within|during) the last (week|month)": r"over the past \1",
    "(?:halben stunde|demi-heure|media hora)": "half an hour",
    "stunden?|heures?|std|horas?": "hours",
    "minuten?|minutos?": "minutes",
    "tagen?|jours?|días?": "days",
    "ein paar|quelques|unos|unas": "few",
    **{rf"(?:{names})(?= {_UNIT}\b)": number for number, names in _NUMBERS.items()},
    r"(?:seit|depuis|desde hace) (?:etwa |ca\.? |environ )?(?!\d+ ?uhr)((?:\d+|few) ?\w+)": r"for the last \1",
    rf"(?:vor|il y a|hace) (?:1 |einer |une )?((?:\d+|half an) ?{_UNIT})": r"\1 ago",
    r"seit|depuis|ab(?= (?:\d|\w+day|last))|desde(?: las?)?(?= (?:\d|\w+day|last|today))": "since",
    rf"(?:zwischen|entre(?: las?)?) {_HOUR} (?:und|et|y)(?: las?)? {_HOUR}": r"between \1:\2 and \3:\4",
    rf"(?:von|de(?: las?)?|since) {_HOUR} (?:bis|à|(?:a|hasta) las?) {_HOUR}": r"between \1:\2 and \3:\4",
    r"(\d{1,2}) ?- ?(\d{1,2}) ?(?:h|uhr)": r"between \1: and \2:",
    r"(?:um|gegen|vers|à|(?:a|sobre) las?) (\d{1,2})(?: ?uhr| ?h|:)?(?: ?(\d\d))?": r"at \1:\2",
    r"since (\d{1,2}) ?uhr": r"since \1:",
    r"since (\d{1,2}) ?h": r"for the last \1 hours",
    r"(\d{1,2}) ?uhr(?: ?(\d\d))?": r"\1:\2",
    r"(?:am |le )?(\d{1,2})\.(\d{1,2})\.(\d{4})": r"on \1/\2/\3",
    r"(?:am |le )?(\d{1,2})\.(\d{1,2})\.": r"on \1/\2",
}  # fmt: skip
_PATTERNS = [(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I), words) for pattern, words in _WORDS.items()]
_STARTED = re.compile(
    r"\b(?:start|beg[aiu]n|fing)\w*[ \"':=]+(?:(?:like|about|around|at|um) )*(?=\d|noon|midnight|half an)", re.I
)
_NO_MINUTES = re.compile(r"\b(\d{1,2}):(?!\d)")
_DAYS_AGO = re.compile(r"\b(\d+) days ago\b", re.I)
_BARE = re.compile(
    r"\b(?P<before>between |from |at |around )(?P<first>1[0-2]|[1-9])(?P<past>:\d\d)?"
    r"(?:(?P<and> and | to | ?- ?)(?P<second>1[0-2]|[1-9])(?P<late>:\d\d)?)?"
    r"(?= (?!am|pm|a\.m|p\.m|o'clock|in the|percent|of)|[?.,!]|$)",
    re.I,
)
_DAWN = 6
"""Before this hour, this morning is the night that it is."""
_HALVED = re.compile(r"\b(?:night|morning|early|am|pm)\b", re.I)


def plain_times(text: str, moment: datetime) -> str:
    """The text with these words in English and whole days as dates; any other is left as it is. An hour without a half
    of the day is the latest that has passed, of another day the one at work."""
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    if moment.hour < _DAWN:
        text = re.sub(r"\b(?:this morning|tonight)\b", "since midnight", text, flags=re.I)
    text = _STARTED.sub("since ", text)
    text = _NO_MINUTES.sub(lambda found: f"{int(found[1]):02}:00", text)
    text = _DAYS_AGO.sub(lambda found: f"on {moment - timedelta(days=int(found[1])):%Y-%m-%d}", text)
    if _HALVED.search(text):
        return text
    is_today = not re.search(r"\b(?:\w+day|on \d)\b", text.replace("today", ""), re.I)

    def whole(found: re.Match[str]) -> str:
        hours = [int(one) % 12 for one in (found["first"], found["second"]) if one]
        is_late = hours[-1] + 12 <= moment.hour if is_today else hours[0] < 7 or hours[-1] < hours[0]
        past = found["past"], found["late"]
        lates = [is_late and hour <= hours[-1] for hour in hours]
        told = [f"{hour + 12 * lates[at]:02}{past[at] or ':00'}" for at, hour in enumerate(hours)]
        return found["before"] + (found["and"] or "").join(told)

    return _BARE.sub(whole, text)
