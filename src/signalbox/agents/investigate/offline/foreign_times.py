"""German and French words for times, as English ones: a time that is not read would be taken for none."""

from __future__ import annotations

import re

__all__ = ["in_english"]

_DAYS = {
    "monday": "montag|lundi", "tuesday": "dienstag|mardi", "wednesday": "mittwoch|mercredi",
    "thursday": "donnerstag|jeudi", "friday": "freitag|vendredi", "saturday": "samstag|samedi",
    "sunday": "sonntag|dimanche",
}  # fmt: skip
_CLOCK = r"(\d{1,2})(?: ?[h:])?(?: ?uhr)?(?: ?(\d\d))?"
_WORDS = {
    **{rf"(?:am |le )?(?:{names})": day for day, names in _DAYS.items()},
    r"(?:jetzt|gerade|aktuell|momentan|derzeit|zurzeit|im moment|en ce moment|maintenant|actuellement)": "right now",
    r"(?:vorgestern|avant-hier)": "2 days ago",
    r"(?:letzte|heute) nacht|cette nuit|la nuit dernière": "last night",
    r"heute (?:morgen|früh|vormittag)|ce matin": "this morning",
    r"heute nachmittag|cet après-midi": "this afternoon",
    r"heute abend|ce soir": "this evening",
    r"gestern (?:morgen|früh|vormittag)|hier matin": "yesterday morning",
    r"gestern mittag|hier (?:à )?midi": "yesterday noon",
    r"gestern nachmittag|hier après-midi": "yesterday afternoon",
    r"gestern abend|hier soir": "yesterday evening",
    r"gestern|hier": "yesterday",
    r"heute|aujourd'hui": "today",
    r"letzte woche|la semaine dernière": "last week",
    r"(?:in den |die )?letzte[nmrs]?|(?:ces |les )?derni[eè]re?s?": "last",
    r"eine[rmn]?|une?(?= (?:heure|minute|jour))": "1",
    r"(?:seit|depuis) (?:etwa |ca\.? |environ )?(\d+)": r"for the last \1",
    r"depuis (\d{1,2}) ?h": r"since \1:00",
    r"seit|depuis|ab(?= (?:\d|[a-z]+day|yesterday|last|today|this))": "since",
    r"(?:vor|il y a) (\d+) (?:minuten?|minutes?|min)": r"\1 minutes ago",
    r"(?:vor|il y a) (\d+) (?:stunden?|heures?|std)": r"\1 hours ago",
    r"(?:vor|il y a) (\d+) (?:tagen?|jours?)": r"\1 days ago",
    r"stunden?|heures?": "hours",
    r"minuten?": "minutes",
    r"tagen?|jours?": "days",
    rf"(?:zwischen|entre) {_CLOCK} (?:und|et) {_CLOCK}": r"between \1:\2 and \3:\4",
    r"(?:um|gegen|vers|à) (\d{1,2})(?: ?uhr| ?h)(?: ?(\d\d))?": r"at \1:\2",
    r"(\d{1,2}) ?uhr(?: ?(\d\d))?": r"\1:\2",
    r"(?:am |le )?(\d{1,2})\.(\d{1,2})\.(\d{4})": r"on \1/\2/\3",
    r"(?:am |le )?(\d{1,2})\.(\d{1,2})\.": r"on \1/\2",
    r"start(?:s|ed)?(?:at)?(?: |: ?|=)(\d{4}-\S+)": r"since \1",
    r"(?:um|gegen|vers|à) (\d+)": r"at \1",
}
_PATTERNS = [(re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I), words) for pattern, words in _WORDS.items()]
_HOUR = re.compile(r"\b(\d{1,2}):(?!\d)")


def in_english(text: str) -> str:
    """The text with these words in English; any other is left as it is."""
    for pattern, words in _PATTERNS:
        text = pattern.sub(words, text)
    return _HOUR.sub(r"\1:00", text)
