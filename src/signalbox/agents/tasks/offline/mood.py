"""How a message is meant: it tells, or it asks, weighs, sets a condition, forbids, takes back what it has just said, or
passes on what another has said. Only what tells changes anything.

Functions over a message and the words of it that a call goes by; the words here are those of grammar, not of tasks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from signalbox.language.clauses import clauses_of

__all__ = [
    "asks",
    "forbidden",
    "is_anothers_word",
    "is_question",
    "is_withdrawn",
    "mentions_call",
    "sets_condition",
    "weighs",
]

_LEAD = (
    r"\W*(?:(?:and|so|but|or|oh|ok|okay|hey|hi|hello|hm+|wait|um+|actually|sorry|btw|well|also|yo|lol|ugh|then|now|"
    r"question|please|pls)\b\W*)*"
)
_THINGS = r"(?:the|my|our|that|this|these|those|his|her|their|any|all)"
_PEOPLE = r"(?:i|we|you|u|it|he|she|they|there|anyone|anything|everything|someone|something)"
_BE = r"(?:did|do|does|have|has|had|is|are|was|were|am|should|shall|would|isn'?t|aren'?t|didn'?t|haven'?t|wasn'?t)"
_ASKED = rf"(?:{_BE}|will|can|could|'s|’s|s|happens|if)"
_QUESTIONS = (
    # Who leaves out the "I" reports: "did the dishes" is no question, "did the dishes?" may be one.
    re.compile(rf"(?!(?:did|would|will|could|can) (?:you|u)\b)(?:{_BE}|may|might|must) {_PEOPLE}\b", re.IGNORECASE),
    re.compile(rf"(?:is|are|does|isn'?t|aren'?t|should|shall|would) {_THINGS}\b", re.IGNORECASE),
    re.compile(rf"(?:{_BE}) {_THINGS}\b.*\?\W*$", re.IGNORECASE | re.DOTALL),
    re.compile(
        r"(?:can|could|will|would) (?!(?:you|u|i|we|it|that|this|please|pls)\b)\w+\b(?!.*\b(?:moved?|changed?|set|"
        r"instead|pushed|marked|deleted|removed|ticked|made|put|renamed|bumped|added|tagged)\b).*"
        r"(?:\?|\byou (?:think|reckon))\W*$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(r"(?:would|could) (?!(?:you|u|i|we)\b)\w+ (?:be|do|work|make|suit)\b(?!.*\binstead\b)", re.IGNORECASE),
    re.compile(rf"(?:what|why|how|where|who|which|whose|when)\s?{_ASKED}\b", re.IGNORECASE),
    re.compile(
        r"(?:what|why|how|where|who|which|whose)\b(?! about\b| a\b| reminds\b| the\b).*\?\W*$",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"(?:(?:can|could|would|will) (?:you|u) (?:please )?)?(?:remind|tell|show) me (?:wh|how|if)", re.IGNORECASE
    ),
)
_LED = re.compile(_LEAD, re.IGNORECASE)
_WEIGHING = re.compile(
    r"\b(?:maybe|perhaps|possibly|might|wonder(?:ing)?|unsure|undecided|tempted|suppose|supposedly|"
    r"(?:trying|hard|need|have) to decide|deciding|fingers crossed|should be able|if only|would be \w+ but|"
    r"(?:was|were) (?:going|about|meant|supposed) to|part of me|"
    r"(?:not|n['’]t) (?:really |quite |that )?sure|no idea|i guess|(?:am|i'?m|was|been|just|^) ?thinking|"
    r"considering|what if|i wish|imagine|i thought(?! about\b)|as if|you (?:think|reckon)|make sense)\b",
    re.IGNORECASE,
)
_OPEN_STILL = re.compile(
    r"\b(?:dunno|let me (?:think|check|ask|see)|"
    r"(?:let|tell) you (?:know )?(?:later|soon|tomorrow)|(?:i'?ll|will) let you know|"
    r"(?:not|haven'?t) decided|think (?:about it|it over)|not sure yet)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"\b(?:can|could|would|will) (?:you|u|we)\b|\bplease\b|\bpls\b|\bplz\b", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:^\W*|[,;.!?:–-]\s*|\b(?:and|but|or|only|then|so)\s+)"
    r"(?:(?:if|unless)\s+(?!you\b|u\b|poss|that'?s|not\b|so\b|there)|"
    r"(?:as soon as|in case|provided|assuming)\s+(?!you\b)|"
    rf"(?:when|once)\s+(?!you\b|u\b|again|more|{_ASKED}\b))",
    re.IGNORECASE,
)
_CONDITION_BEHIND = re.compile(
    r"\b(?:if|unless|as soon as|in case|once|when|after)\s+(?:it|he|she|they|i|i've|we|the|my|there)\b"
    r"(?! (?:is )?(?:possible|ok))",
    re.IGNORECASE,
)
_FORBIDDING = re.compile(
    r"\b(?:don['’]?t|do not|never|wouldn['’]?t) (?:want|like|need)\b[^,;.!?]*?\b(?P<changed>moved|changed|deleted|"
    r"removed|touched|dropped|marked|closed|cancelled|canceled|ticked|renamed|added)\b|"
    r"(?:\b(?:do|does|would|should|must|need|will|can|could)(?:n['’]?t| not)|\bwon['’]?t|\bnever|\bstop|"
    r"\blet['’]?s not|\bno (?:need|reason) to|\bnot (?:to|going to))\s+"
    r"(?:(?:need to|have to|you to|you dare|dare|you|ever|just|to|even|please)\s+)*(?P<verb>\w+)",
    re.IGNORECASE,
)
_FORBIDDEN = {
    "delete_task": re.compile(
        r"delet|remov|drop|bin|cancel|scrap|trash|toss|erase|get|kill|los|throw|clear", re.IGNORECASE
    ),
    "complete_task": re.compile(r"mark|tick|complet|clos|finish|check|cross", re.IGNORECASE),
    "update_task": re.compile(
        r"mov|push|reschedul|set|renam|edit|postpon|delay|shift|put|mak|tag|label|bump", re.IGNORECASE
    ),
    "add_task": re.compile(r"add|put|writ|not|creat", re.IGNORECASE),
    "reopen_task": re.compile(r"reopen|open|restor|put", re.IGNORECASE),
}
_OTHER_CHANGE = re.compile("|".join(one.pattern for one in _FORBIDDEN.values()), re.IGNORECASE)
_ANY_CHANGE = re.compile(r"chang|touch|mess|alter|updat|modif", re.IGNORECASE)
_WITHDRAWN = re.compile(
    r"\b(?:never ?mind|nvm|forget (?:it|that|about (?:it|that))|(?:scratch|cancel|strike|ignore) (?:it|that|this)|"
    r"(?:leave|keep) (?:it|that|them|those)(?=\s*(?:$|[.,;!?)]|\b(?:as|where|there|alone|for now|open|after all)\b))|"
    r"changed my mind|second thoughts?|(?:just )?kidding|(?:actually|hm+|oh|wait|well)\W+no(?=\s*(?:$|[.,;!?]))|"
    r"no\W+(?:wait|no)(?=\s*(?:$|[.,;!?]))|(?:don['’]?t|do not)(?=\s*(?:$|[.,;!?]))|"
    r"(?:hang|hold) on|not yet|but no(?=\s*(?:$|[.,;!?]))|wrong (?:window|chat|thread|tab|person))",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?<!\bi )\b(?:says?|said|wrote|writes|texted|emailed|mailed|messaged|replied|posted|reads?)\b"
    r"[^.!?:\n\"“‘]{0,25}(?:(?P<quoted>:?\s*[\"“‘]|:?\s+')|:)",
    re.IGNORECASE,
)
_MAIL = re.compile(
    r"^(?:from|sent|subject|fwd?)\s*:|^>|^\[?\d\d?[:.]\d\d\]?\W+\w+:|(?:^|[\].!?]\s*)me: ", re.IGNORECASE | re.MULTILINE
)
"""How mails and chats look that are pasted."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_IMPERATIVE = re.compile(
    r"\b(?:move|push|set|make|mark|tick|delete|remove|drop|add|put|change|rename|complete|bump|cross|tag|shift|do|bring|"
    r"bin|scrap|cancel|close|finish|check|postpone|reschedule|delay|note|remind|raise|lower|get)\b",
    re.IGNORECASE,
)
_VALUES = ("task", "title", "due", "tags", "untag", "note")


def is_question(said: str) -> bool:
    """Whether words ask whether, what or why, rather than for something to be done."""
    rest = said[_led(said) :]
    return any(one.match(rest) for one in _QUESTIONS)


def asks(message: str, args: Mapping[str, object]) -> bool:
    """Whether what a call goes by stands in a question, and nothing is told behind it."""
    sentences = [one for one in _SENTENCE.split(message) if one.strip()]
    carrying = [at for at, one in enumerate(sentences) if mentions_call(one, args)] or list(range(len(sentences)))
    asked = [at for at in carrying if any(map(is_question, (sentences[at], *_carrying(sentences[at], args))))]
    return bool(asked) and not any(
        _tells(one, args) for one in (*_behind(sentences[asked[0]]), *sentences[asked[0] + 1 :])
    )


def _behind(sentence: str) -> list[str]:
    """The clauses of a sentence behind the one that asks."""
    clauses = clauses_of(sentence)
    asked = [at for at, one in enumerate(clauses) if is_question(one)]
    return clauses[asked[0] + 1 :] if asked else []


def _tells(said: str, args: Mapping[str, object]) -> bool:
    """Whether words that follow a question tell something of the same thing: "is that one late? then move it"."""
    is_of_it = mentions_call(said, args) or re.search(r"\b(?:it|that|this|them|those|one)\b", said, re.IGNORECASE)
    return bool(is_of_it and _IMPERATIVE.search(said)) and not is_question(said)


def weighs(message: str, args: Mapping[str, object]) -> bool:
    """Whether a message only thinks of what a call would do."""
    if _OPEN_STILL.search(message):
        return True
    carrying = _carrying(message, args) or [message]
    return any(_WEIGHING.search(one) and not _REQUEST.search(one) for one in carrying)


def sets_condition(message: str, name: str) -> bool:
    """Whether a change hangs on something that may never be so; what is to be noted down may hang on anything."""
    if name == "add_task":
        return False
    return bool(_CONDITION.search(message)) or (name != "update_task" and bool(_CONDITION_BEHIND.search(message)))


def forbidden(message: str, name: str) -> list[str]:
    """The clauses that say not to do what a call does."""
    found = []
    for clause in clauses_of(message):
        for one in _FORBIDDING.finditer(clause):
            verb = one["verb"] or one["changed"]
            is_all_said = _OTHER_CHANGE.match(verb) and not _has_verb(message.replace(clause, " "), name)
            if (
                is_all_said
                or one["changed"]
                or _ANY_CHANGE.match(verb)
                or (name in _FORBIDDEN and _FORBIDDEN[name].match(verb))
            ):
                found.append(clause)
    return found


def _has_verb(said: str, name: str) -> bool:
    """Whether words have a verb for what a call does."""
    return name in _FORBIDDEN and any(_FORBIDDEN[name].match(word) for word in re.findall(r"\w+", said))


def is_withdrawn(message: str, args: Mapping[str, object]) -> bool:
    """Whether a message takes back what it has just asked for."""
    said = message.casefold()
    ends = [at + len(one) for one in _values(args) if (at := said.rfind(one)) >= 0]
    return bool(ends) and _WITHDRAWN.search(message, max(ends)) is not None


def is_anothers_word(message: str, args: Mapping[str, object]) -> bool:
    """Whether what a call goes by is what somebody else has said or written."""
    if _MAIL.search(message):
        return True
    said = message.casefold()
    places = [said.find(str(args[key]).casefold()) for key in ("task", "title", "due") if args.get(key)]
    for found in _REPORTED.finditer(message):
        closing = re.search(r"[\"”’'](?!\w)", message[found.end() :]) if found["quoted"] else None
        end = found.end() + closing.start() if closing else len(message)
        if any(found.end() <= at < end for at in places):
            return True
    return False


def mentions_call(said: str, args: Mapping[str, object]) -> bool:
    """Whether words have some of those that a call goes by."""
    return any(one in said.casefold() for one in _values(args))


def _led(said: str) -> int:
    found = _LED.match(said)
    return found.end() if found else 0


def _values(args: Mapping[str, object]) -> list[str]:
    """What a call says, in the words of the message."""
    found: list[str] = []
    for key in _VALUES:
        value = args.get(key)
        found += [str(one).casefold() for one in (value if isinstance(value, list) else [value]) if one]
    return found


def _carrying(said: str, args: Mapping[str, object]) -> list[str]:
    """The clauses that have words of a call."""
    return [one for one in clauses_of(said) if mentions_call(one, args)]
