"""Answers without tools: greetings, choosing from a list in a prompt, and saying again what a text says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.language.names import close
from signalbox.language.vectors import embed, word_rows
from signalbox.language.words import split_name, stem, tokens, word_set
from signalbox.models.offline.conversation import Conversation
from signalbox.models.offline.nouns import TOPICS
from signalbox.models.offline.phrase import phrase_data
from signalbox.models.offline.shown.records import parse_data
from signalbox.models.offline.smallwords import STOP

__all__ = ["NO_REQUEST", "REFUSALS", "answer_prompt", "asks_abilities", "small_talk"]

HONEST = (
    "I could not answer that offline: I am a small model of rules that chooses tools, fills in forms and "
    "restates what "
    "it is given. For open questions set SIGNALBOX_MODEL to a larger model, such as openai/… or ollama/…."
)
NO_REQUEST = "I could not find a request in the messages."
REFUSALS = (HONEST, NO_REQUEST)
"""What is said in the place of an answer."""
_GREETING = re.compile(
    r"(?i)^\W*(?:hi|hey|hello|yo|good (?:morning|afternoon|evening)|howdy|greetings)(?: there| all| everyone)?\W*$"
)
_THANKS = re.compile(
    r"(?i)^\W*(?:ok(?:ay)?,? |great,? |cool,? |perfect,? |nice,? |awesome,? )*(?:thanks|thank you|thx|ty|"
    r"cheers|much appreciated)"
    r"(?:[ ,.!]+(?:that(?:'?s| is| was) (?:all|what|everything) (?:i|we) (?:wanted|needed)(?: to (?:know|see|hear))?|"
    r"a lot|so much|very much|again|for (?:the|your) help|"
    r"that(?:'?s| is| was| will be) (?:all|it|great|perfect|everything)|"
    r"you'?re great|bye))*\W*$"
)
_FINE = re.compile(
    r"(?i)^\W*(?:ok(?:ay)?|great|cool|perfect|nice|awesome|good(?: job)?|well done|got it|i see|alright|"
    r"never ?mind|no|nope|(?:no,? )?that(?:'?s| is| was| will be) (?:all|it|fine|great|everything)|"
    r"lol|haha|bye|goodbye|see you|good night)(?:[ ,]+(?:then|thanks|for now|later))*\W*$"
)
_WELLBEING = re.compile(
    r"(?i)^\W*(?:how are you(?: doing)?(?: today)?|how'?s it going|what'?s up|sup|how do you do|who are "
    r"you|what are you)\W*$"
)
_ABILITIES = re.compile(
    r"(?i)^\W*(?:(?:please |so |hey |hi |hello )*)(?:what (?:(?:else )?can|are|do) (?:you|i|u) (?:able to "
    r")?(?:do|offer|ask|help(?: me)? with)|what can (?:you|u) (?:help|do)"
    r"|what (?:tools|functions|abilities|skills) (?:do )?you have|help(?: me)?|how (?:can|do) (?:you|i|u) "
    r"(?:help|use)|which tools|what are your (?:tools|capabilities|abilities))\b.{0,40}$"
)

_ONE_OF = re.compile(
    r"(?is)\b(?:one of(?: the following)?(?: (?:categories|labels|options|classes|values|words|intents|"
    r"topics|departments|teams|nodes|routes|agents))?"
    r"|(?:categories|labels|options|classes|choices|intents|nodes|routes|candidates|agents|"
    r"destinations)(?: are)?(?: available)?|choose (?:between|from|among)|"
    r"pick (?:between|from|one)|classify (?:[^.:\n]{0,60} )?(?:as|into)|either|respond with|answer with|"
    r"available (?:nodes|agents|tools|routes|actions|options)[^:\n]{0,20})"
    r"\s*(?:\(|:|=)?\s*(?P<list>.+)"
)
_CUE = re.compile(
    r"(?im)^\W*(?P<cue>(?:user |customer |input |the )?(?:text|message|input|question|request|query|user|"
    r"email|mail|ticket|review|sentence|document|content|article|data|"
    r"comment|feedback|statement|tweet|note|notes|log|logs|transcript|report|results?|paragraph|passage|"
    r"context|user (?:input|message|request|said)))\s*:\s*"
)
_CHOOSING = re.compile(
    r"(?i)\b(?:classif|categor|label|choose|pick|select|which (?:of|one|node|agent|tool)|route|decide|one "
    r"of|intent|sentiment|respond with only|answer with only|reply with only|only the)"
)
_RESTATING = re.compile(
    r"(?i)\b(?:summari[sz]e|summary|sum up|recap|tl;?dr|shorten|condense|explain|describe|report|phrase|"
    r"rephrase|rewrite|key points|highlights?|overview|gist|put .{0,20} into words|tell the user|answer "
    r"the (?:user|question)|respond to)"
)
_NONE = re.compile(
    r"(?i)\b(?:with|say|reply|answer|return|respond|output|or)\s+(?:with\s+)?(?:just\s+|only\s+)?[\"'`]?"
    r"(?P<before>none|null|unknown|nothing|n/a|no match)[\"'`]?\s+(?:if|when|where|in case)\b"
    r"|\bif\s+(?:no|none|nothing)\b[^.\n]{0,60}?(?:with|say|reply|answer|return|respond|output)\s*:?\s+[\"'`]?"
    r"(?P<after>none|null|unknown|nothing|n/a|no match)\b"
)
_NEAR = 0.4
_POSITIVE = word_set(
    "love great excellent amazing awesome good happy wonderful fantastic perfect best pleased enjoy nice "
    "brilliant superb glad thank delighted recommend helpful fast easy satisfied beautiful excited"
)
_NEGATIVE = word_set(
    "hate terrible awful bad worst broken horrible poor disappointed disappointing useless angry slow "
    "crash crashes refund never waste annoying rude frustrating frustrated fail failed wrong sad unhappy "
    "dirty late problem"
)


def small_talk(text: str) -> str | None:
    """The answer to a greeting, thanks and the like; None when the text asks for something."""
    if len(text) > 120:
        return None
    if _GREETING.match(text):
        return "Hello! What can I do for you?"
    if _THANKS.match(text):
        return "You're welcome."
    if _FINE.match(text):
        return "All right."
    if _WELLBEING.match(text):
        return "I am the offline model of Signalbox, and ready. What can I do for you?"
    return None


def asks_abilities(text: str) -> bool:
    """Whether the person asks what can be done here."""
    return bool(_ABILITIES.match(text))


def answer_prompt(conversation: Conversation) -> str:
    """An answer to a prompt without tools: a choice from its list, its data restated, or that it could not."""
    request = conversation.turn.request
    if not request:
        return NO_REQUEST
    chosen = _choose(conversation.system, request)
    if chosen:
        return chosen
    talk = small_talk(request)
    if talk:
        return talk
    return _restate(conversation.system, request) or HONEST


def _choose(system: str, request: str) -> str | None:
    """One of the candidates that the prompt lists, when it asks for a choice."""
    for prompt, text in ((request, None), (system, request)):
        if not prompt or not _CHOOSING.search(prompt[:4000]):
            continue
        candidates = _candidates(prompt[:8000])
        if len(candidates) >= 2:
            subject = text if text is not None else _subject(prompt)
            return _best(subject, candidates, _none_word(prompt))
    return None


def _candidates(prompt: str) -> dict[str, str]:
    """The names a prompt offers, each with its description if there is one."""
    listed = dict(_bulleted(prompt))
    if len(listed) >= 2:
        return listed
    for match in _ONE_OF.finditer(prompt):
        line = re.split(r"\n\s*\n|\n(?=[A-Z][\w ]*:)|(?<=[\w\]\)'\"`])\.(?=\s|$)", match["list"].strip(), maxsplit=1)[0]
        line = re.sub(r"(?i)^.{0,40}\bone of(?: the following)?(?: \w+)?\s*:\s*", "", line)
        names = [
            _name(one) for one in re.split(r"\s*(?:,\s*(?:or|and)?|;|\||/|\bor\b|\band\b|\n)\s*", line.strip(" [](){}"))
        ]
        names = [name for name in names if name]
        if len(names) >= 2 and all(len(name.split()) <= 5 for name in names):
            return dict.fromkeys(names, "")
    return {}


def _bulleted(prompt: str) -> list[tuple[str, str]]:
    found = []
    for line in prompt.splitlines():
        match = re.match(
            r"^\s*(?:[-*•]|\d+[.)])\s+[\"'`*]*(?P<name>[\w .&/-]{1,60}?)[\"'`*]*\s*(?:(?::|—|–|\s-|"
            r"\()\s*(?P<about>.*))?$",
            line,
        )
        if match and len(match["name"].split()) <= 5:
            found.append((match["name"].strip(), match["about"] or ""))
    return found


def _name(text: str) -> str:
    return re.sub(r"(?i)^(?:the|a|an)\s+", "", text.strip(" \t\n\"'`*.:[](){}"))


def _subject(prompt: str) -> str:
    """What is to be judged: the text after a cue such as `Text:`, the longest quotation, or the last paragraph."""
    cues = list(_CUE.finditer(prompt))
    if cues:
        return prompt[cues[-1].end() :].strip(" \"'")
    inline = re.search(r"(?is)(?:text|message|input|question|request|review|email)\s*:\s*(.+)$", prompt)
    if inline:
        return inline.group(1).strip(" \"'")
    quoted = re.findall(r'"([^"]{8,})"|“([^”]{8,})”', prompt)
    if quoted:
        return str(max((a or b for a, b in quoted), key=len))
    return re.split(r"\n\s*\n|:\s+", prompt.strip())[-1]


def _none_word(prompt: str) -> str | None:
    """What a prompt wants to hear when nothing on its list fits; None where it does not say."""
    found = _NONE.search(prompt[:8000])
    return (found["before"] or found["after"]) if found else None


def _best(subject: str, candidates: dict[str, str], none: str | None) -> str:
    """The candidate nearest in words and meaning, or `none` when none is near; feelings go by their own words."""
    names = list(candidates)
    lowered = {name.lower(): name for name in names}
    if {"positive", "negative"} <= set(lowered):
        return lowered.get(_feeling(subject)) or lowered["positive"]
    words = list(dict.fromkeys(word for word in tokens(subject[:2000]) if word not in STOP))
    whole = embed([subject[:2000], *(f"{' '.join(split_name(name))} {candidates[name]}" for name in names)])
    scores = [
        _nearness(words, split_name(name), tokens(candidates[name])) + float(whole[0] @ whole[at + 1])
        for at, name in enumerate(names)
    ]
    best = max(range(len(names)), key=scores.__getitem__)
    return none if none is not None and scores[best] < _NEAR else names[best]


def _nearness(words: Sequence[str], name: Sequence[str], about: Sequence[str]) -> float:
    """How near the words of a text are to a candidate: shared words, words of one topic, and the two most alike."""
    stems, own = {stem(word) for word in words}, {stem(word) for word in name}
    described = {stem(word) for word in about if word not in STOP}
    topics = [topic for topic in TOPICS if own & topic]
    score = len(own & stems) + 0.4 * len(described & stems)
    score += sum(0.6 for word in own for other in stems if word != other and close(word, other))
    score += 0.5 * len({word for topic in topics for word in topic & stems} - own)
    if words and name:
        alike = sorted((word_rows(list(name)) @ word_rows(list(words[:200])).T).max(axis=0))[-2:]
        score += float(sum(alike)) / 2
    return score


def _feeling(text: str) -> str:
    words = tokens(text)
    score = 0
    for before, word in zip(["", *words], words, strict=False):
        value = (word in _POSITIVE or stem(word) in _POSITIVE) - (word in _NEGATIVE or stem(word) in _NEGATIVE)
        score += -value if before in ("not", "no", "never", "isn't", "wasn't", "don't", "didn't") else value
    return "positive" if score > 0 else "negative" if score < 0 else "neutral"


def _restate(system: str, request: str) -> str | None:
    """The data or the telling sentences of a text that a prompt asks to summarise, explain or answer from."""
    question = re.search(r"(?im)^\W*(?:question|query|user question)\s*:\s*(.+)$", request)
    body, asked = _body(request)
    if body is None and _RESTATING.search(system) and len(request) > 40:
        body = request
    if body is None:
        return None
    data = _data_in(body)
    if data:
        return phrase_data(data)
    return _extract(body, question.group(1) if question else asked)


def _data_in(text: str) -> str | None:
    """The JSON that a text holds, from its first bracket to its last."""
    starts = [place for place in (text.find("["), text.find("{")) if place >= 0]
    end = max(text.rfind("]"), text.rfind("}")) + 1
    data = text[min(starts) : end] if starts and end else ""
    return data if data and parse_data(data) is not None else None


def _body(request: str) -> tuple[str | None, str]:
    data = _data_in(request)
    if data:
        return data, ""
    context = re.search(
        r"(?is)\b(?:context|passage|document|text|notes?|article|data|results?|"
        r"transcript)\s*:\s*(?P<body>.+?)(?=\n\s*(?:question|query|answer)\s*:|\Z)",
        request,
    )
    if context and len(context["body"].split()) >= 4:
        return context["body"].strip(), ""
    restating = _RESTATING.search(request[:400])
    if not restating:
        return None, ""
    rest = re.split(r":\s|\n", request[restating.end() :], maxsplit=1)
    if len(rest) == 2 and len(rest[1].split()) >= 4:
        return rest[1].strip(), ""
    return None, ""


def _extract(body: str, question: str) -> str:
    """Up to three sentences of the text, in its order: the ones nearest to the question, or to the text as a whole."""
    sentences = [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+", body[:20_000]) if len(one.split()) > 1]
    if not sentences:
        return body[:500].strip()
    wanted = 1 if question else 3
    if len(sentences) <= wanted:
        return " ".join(sentences)
    best = sorted(_by_weight(sentences[:200], question or body[:4000])[:wanted])
    return " ".join(sentences[at] for at in best)


def _by_weight(sentences: Sequence[str], about: str) -> list[int]:
    rows = embed([about, *sentences])
    asked = {stem(word) for word in tokens(about) if word not in STOP}

    def weight(at: int) -> float:
        words = {stem(word) for word in tokens(sentences[at]) if word not in STOP}
        shared = len(words & asked) / (1 + len(words)) if len(about) > 400 else 0.5 * len(words & asked)
        return float(rows[0] @ rows[at + 1]) + shared + (0.15 if at == 0 else 0.0)

    return sorted(range(len(sentences)), key=lambda at: -weight(at))
