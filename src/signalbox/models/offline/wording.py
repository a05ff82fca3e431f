"""The surface of a request: what is quoted, what is padding, and where something to be written down begins."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.models.offline.smallwords import PADDING

__all__ = ["QUOTED", "content_start", "forbids", "is_courtesy", "mask", "may_quote", "opens_content", "strip_padding"]

FILLER = "\u00a4"
QUOTED = re.compile(
    r'```.*?```|"[^"\n]*"|“[^”]*”|«[^»]*»|`[^`\n]*`|(?<![\w])\'(?:[^\'\n]|(?<=\w)\'(?=\w))*\'(?!\w)|(?m:^>.*$)',
    re.DOTALL,
)
_QUOTING = re.compile("[\"“«`'>]")
_PADDING = tuple(re.compile(pattern, re.IGNORECASE) for pattern in PADDING)
_TRAILING = re.compile(
    r"(?i)[\s,]*\b(?:please|pls|plz|thanks(?: a lot| so much| in advance)?|thank you(?: very much| so "
    r"much)?|thx|ty|cheers|"
    r"for me|if you can|if possible|asap|will you|would you|when you can|when you get a chance|"
    r"while you['’]?re at it|if poss|right away|straight away|at once|as soon as possible|for now|"
    r"so far|by any chance|these days|ok\??)\s*[.!?]*$"
)
_COURTESY = re.compile(
    r"(?i)\W*(?:(?:please|pls|plz|thanks|thank you|thank u|thx|ty|tia|tnx|cheers|hi|hey|hello|"
    r"good (?:morning|afternoon|evening|night|day)|"
    r"have a (?:nice|good|great|lovely|pleasant) (?:day|evening|weekend|night|one)|"
    r"perfect|great|super|awesome|cool|lovely|wonderful|no problem|you too|see you(?: later| soon)?|"
    r"that(?:'s| is| will be| was)? all(?: for (?:now|today))?|"
    r"ok|okay|bye|sorry|a lot|so much|very much|in advance|again|best|regards|much appreciated|"
    r"how are you(?: doing)?(?: today)?|how(?:'s| is) it going|how do you do|nice to meet you|"
    r"there)\b\W*)+"
)
_CONTENT = re.compile(
    r"(?i)\b(?:remind (?:me|us|him|her|them|\w+) (?:to|about|that)|reminder (?:to|about|for me to)|"
    r"(?:task|todo|to-do|item|note)s?"
    r"(?: (?:called|named|for me))?(?: to|:| that| saying)|note (?:that|to self)|saying|says|(?<!you "
    r")(?<!\bi )(?<!to )say|that reads|telling (?:\w+ )+?(?:to|that)|"
    r"tell (?:\w+) (?:to|that)|let (?:\w+) know(?: that)?|with the (?:text|message|body|words|note|"
    r"content)|(?:message|text|body|"
    r"content|subject|title|description)(?::| is))\s"
)
_WRITING = re.compile(
    r"(?i)\b(?:add|post|send|write|put|note|log|record|create|make|new|save|reply|answer|tell|text|mail|email|dm|ask|set|"
    r"update|change|edit|remind|publish|draft|open|file|report|submit|commit|search|find|look|translate|say|"
    r"notes?|memo|task|todo|to-do|reminder|message|comment|remark|subject|title|list|entry|feedback|description|reason|"
    r"caption|summary|question|query|ticket|issue|bug|event|idea|quote|poll|tweet|status|name|body|content)\b"
)
_FORGETTING = re.compile(r"(?i)\W*(?:\w+\W+){0,3}?(?:do not|don['’]?t|never) (?:forget|fail|hesitate)\b")
_FORBIDDING = re.compile(
    r"(?i)\W*(?:(?:and|but|please|pls|just|also|though)\b\W*)*(?:do not|don['’]?t|never|no need to|without)\b"
)
_COLON = re.compile(r"[^\s:]+\s+[^:\n]*\S:\s")


def may_quote(text: str) -> bool:
    """Whether a text has any sign that opens a quotation."""
    return _QUOTING.search(text) is not None


def mask(text: str) -> str:
    """The text with quoted passages filled in, of the same length: they may be arguments, never instructions."""
    return QUOTED.sub(lambda m: FILLER * len(m.group()), text) if may_quote(text) else text


@lru_cache(maxsize=64)
def strip_padding(text: str) -> str:
    """The text without greetings, politeness and the like at either end."""
    text = text.strip(" \t\n,;-–—")
    while True:
        shorter = text
        for pattern in _PADDING:
            found = pattern.match(shorter)
            if found and found.end() < len(shorter):
                shorter = shorter[found.end() :]
        trail = _TRAILING.search(shorter)
        if trail and trail.start() > 0:
            shorter = shorter[: trail.start()]
        shorter = shorter.strip(" \t\n,;-–—")
        if shorter == text:
            return text
        text = shorter


def is_courtesy(text: str) -> bool:
    """Whether a text is nothing but thanks, a greeting and the like."""
    return bool(_COURTESY.fullmatch(text))


def forbids(text: str) -> bool:
    """Whether a clause says what shall not be done: it limits another wish, and is none itself."""
    return bool(_FORBIDDING.match(text)) and not _FORGETTING.match(text)


def opens_content(text: str) -> bool:
    """Whether the clause has begun something to be written down, so that what follows may be part of it."""
    return content_start(text) is not None


@lru_cache(maxsize=64)
def content_start(text: str) -> int | None:
    """Where something to be written down begins: after a colon, `saying`, `remind me to` and the like."""
    masked = mask(text) + " "
    found = _CONTENT.search(masked)
    if found is None and (found := _COLON.match(masked)) and not _WRITING.search(found.group()):
        return None
    return found.end() if found else None
