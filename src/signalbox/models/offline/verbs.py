"""Verbs that tool names and requests share: what kind of thing each does.

Nothing here is about any one tool. A family is what kind of thing a verb does.
"""

from __future__ import annotations

from functools import lru_cache

from signalbox.language.names import close
from signalbox.language.vectors import is_known
from signalbox.language.words import stem, word_set
from signalbox.models.offline.nouns import is_noun

__all__ = [
    "BROADER",
    "FAMILIES",
    "IMPLIED",
    "LIGHT",
    "NOUNISH",
    "OPPOSITES",
    "PHRASES",
    "READING",
    "SPECIFIC",
    "VAGUE",
    "abbreviates",
    "base_of",
    "deeds_of",
    "families_of",
    "is_verb",
]

FAMILIES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "list": "list show display enumerate browse view see give what which",
        "get": "get return provide report obtain show read view open fetch retrieve describe inspect "
        "display see look tell give pull examine what how",
        "search": "search find look lookup locate seek query hunt grep discover where who",
        "check": "check verify test inspect is are diagnose ping probe validate confirm monitor",
        "create": "post publish create add new make take book schedule insert register set put write plan arrange "
        "setup generate open "
        "log record save note jot file raise report submit reserve compose draft append start remind build "
        "define need enter announce propose suggest enrol enroll enlist keep hold",
        "update": "update change set edit modify adjust alter switch turn correct fix replace amend revise bump "
        "increase decrease raise lower dim put make assign mark reassign configure tweak",
        "move": "put move reschedule postpone shift push relocate transfer delay bring carry brought taken",
        "rename": "rename retitle relabel call name",
        "delete": "delete remove cancel clear drop erase discard trash purge wipe scrap ditch unsubscribe nuke "
        "kill forget rm chuck toss bin void revoke withdraw eliminate",
        "send": "send mail email notify message text forward share ping dm post deliver write tell shoot drop "
        "pass relay hand inform sent",
        "reply": "reply respond answer",
        "complete": "complete finish done mark close shut resolve solve tick check finalize conclude accomplish",
        "reopen": "reopen uncomplete undo restore unmark undelete revert",
        "start": "start run launch begin trigger execute deploy enable activate resume continue proceed kick fire play "
        "turn switch initiate",
        "stop": "stop end pause hold halt disable deactivate kill terminate abort shut suspend conclude finish "
        "quit turn switch",
        "restart": "restart reboot reload bounce reset",
        "compare": "compare diff contrast versus vs",
        "count": "count tally many",
        "convert": "convert translate transform exchange",
        "compute": "calculate compute evaluate estimate solve work price quote",
        "summarize": "summarize summarise recap digest",
        "buy": "buy sell order place purchase checkout shop acquire procure",
        "pay": "pay transfer send wire remit settle",
        "play": "play listen hear stream",
        "lock": "lock secure",
        "unlock": "unlock open release",
        "approve": "approve accept grant allow confirm authorize",
        "reject": "reject decline deny refuse",
        "copy": "copy duplicate clone replicate",
        "download": "download pull export fetch",
        "upload": "upload push import",
        "invite": "invite",
        "rate": "rate review score",
        "refund": "refund reimburse return",
        "analyze": "analyze analyse examine profile simulate assess evaluate",
        "track": "track trace where",
        "merge": "merge combine join",
        "commit": "commit save",
        "mute": "mute silence quiet snooze",
        "navigate": "go travel visit head navigate route drive directions direct",
        "apply": "apply request submit ask",
        "assign": "assign reassign give allocate delegate",
        "skip": "skip next",
        "renew": "renew extend prolong",
        "freeze": "freeze block lock suspend ban bar forbid",
        "lend": "lend loan borrow",
        "measure": "measure weigh",
        "collect": "collect fetch pick",
        "repair": "repair fix mend service",
        "clean": "clean wash tidy",
        "ship": "ship dispatch deliver send",
        "enrol": "enrol enroll enlist register join subscribe",
        "hire": "hire rent charter",
        "donate": "donate contribute",
        "print": "print",
        "phone": "ring dial telephone",
        "offer": "offer quote",
    }.items()
}

PHRASES: dict[str, tuple[str, ...]] = {
    "turn on": ("start", "update"),
    "switch on": ("start", "update"),
    "turn off": ("stop", "update"),
    "switch off": ("stop", "update"),
    "shut off": ("stop", "update"),
    "shut down": ("stop",),
    "turn up": ("update",),
    "turn down": ("update",),
    "get rid of": ("delete",),
    "can go": ("delete", "stop"),
    "has to go": ("delete", "stop"),
    "throw away": ("delete",),
    "throw out": ("delete",),
    "take off": ("delete",),
    "call off": ("delete",),
    "look up": ("search", "get"),
    "look for": ("search",),
    "set up": ("create",),
    "write down": ("create",),
    "put down": ("create",),
    "sign up": ("create",),
    "tick off": ("complete",),
    "check off": ("complete",),
    "cross off": ("complete",),
    "mark done": ("complete",),
    "mark as done": ("complete",),
    "mark complete": ("complete",),
    "mark as complete": ("complete",),
    "kick off": ("start",),
    "fire up": ("start",),
    "let know": ("send",),
    "push back": ("move", "update"),
    "bring forward": ("move", "update"),
    "how many": ("count", "list", "get"),
    "how much": ("get", "check", "list"),
    "i am done with": ("complete",),
    "i'm done with": ("complete",),
    "put on": ("play", "start"),
    "give back": ("refund",),
    "take me": ("navigate",),
    "get me": ("get", "buy", "create", "apply", "search"),
    "go to": ("navigate",),
    "drive me": ("navigate",),
    "bring me": ("navigate",),
    "take down": ("delete",),
    "come off": ("delete",),
    "cut off": ("stop",),
    "put away": ("move",),
    "put off": ("move",),
    "put by": ("create",),
    "put aside": ("create",),
    "set aside": ("create",),
    "put into": ("create", "move"),
    "take out": ("delete", "create"),
    "take out of": ("delete", "move"),
    "take back": ("reopen", "refund"),
    "roll back": ("reopen",),
    "bring back": ("reopen", "refund"),
    "pass on": ("send", "move"),
    "hand on": ("send", "move"),
    "hand in": ("send", "create"),
    "fill in": ("create", "update"),
    "strike off": ("delete",),
    "do away with": ("delete",),
    "call back": ("reply", "send"),
    "find out": ("get", "search", "check"),
    "run out of": ("buy", "create"),
    "hand out": ("send",),
    "hand over": ("assign", "move"),
    "back up": ("copy",),
    "log in": ("start",),
    "sign off": ("approve",),
    "call up": ("get",),
    "clear out": ("delete",),
    "roll out": ("start", "update"),
    "slow down": ("update",),
    "speed up": ("update",),
    "cool down": ("update",),
    "heat up": ("update", "start"),
    "warm up": ("update", "start"),
    "top up": ("update", "create", "buy"),
    "pick up": ("collect",),
    "drop off": ("ship", "send"),
    "how do you say": ("convert",),
    "how do i say": ("convert",),
    "how to say": ("convert",),
}

OPPOSITES: frozenset[frozenset[str]] = frozenset(
    frozenset(pair.split())
    for pair in (
        "create delete",
        "start stop",
        "lock unlock",
        "approve reject",
        "complete reopen",
        "download upload",
        "create list",
        "create get",
        "create search",
        "delete list",
        "delete get",
        "delete search",
        "delete update",
        "delete complete",
        "delete send",
        "delete start",
        "create complete",
        "create reopen",
        "delete reopen",
        "start delete",
        "stop create",
    )
)

NOUNISH: frozenset[str] = word_set(
    "book order mail email text message list test name record file log note schedule plan share share "
    "post call rate ping "
    "report review score copy address cost price track stream route queue share review play light lock "
    "alarm start end "
    "open free set mark make new many done what which how is are who where off directions next need "
    "check look work use "
    "answer count shop exchange share travel visit head update change transfer group bounce profile "
    "drive fire fix view pull push see return service quote offer loan"
)

IMPLIED: dict[str, str] = {
    "remind": "reminder",
    "email": "email",
    "mail": "email",
    "text": "message",
    "message": "message",
    "dm": "message",
    "wake": "alarm",
    "alert": "alert",
    "pay": "payment",
    "fly": "flight",
    "drive": "route",
    "who": "person",
    "whose": "owner",
    "where": "location",
    "when": "time",
    "commit": "commit",
    "order": "order",
}

BROADER: dict[str, str] = {
    "rename": "update",
    "move": "update",
    "assign": "update",
    "complete": "update",
    "approve": "update",
}

SPECIFIC: frozenset[str] = word_set(
    "play move rename lock unlock restart convert refund approve reject mute skip merge commit copy "
    "download upload navigate "
    "reopen reply search"
)

READING: frozenset[str] = frozenset(
    {"list", "get", "search", "check", "count", "track", "compare", "analyze", "compute", "convert", "summarize"}
)

_GENERAL: frozenset[str] = word_set("create update get list search check start stop move complete delete")

LIGHT: frozenset[str] = word_set("post send make do add create write give put submit start place run")

VAGUE: frozenset[str] = word_set("put make go take give get bring want need have do set let use turn")

_BY_VERB: dict[str, frozenset[str]] = {}
for _family, _words in FAMILIES.items():
    for _word in _words:
        for _form in (_word, stem(_word)):
            _BY_VERB[_form] = _BY_VERB.get(_form, frozenset()) | {_family}


_PARTICIPLES: dict[str, str] = {
    "thrown": "throw", "taken": "take", "given": "give", "written": "write", "made": "make", "brought": "bring",
    "paid": "pay", "bought": "buy", "sold": "sell", "kept": "keep", "held": "hold", "sent": "send", "shown": "show",
    "built": "build", "found": "find", "told": "tell", "lent": "lend", "rung": "ring", "begun": "begin", "done": "do",
    "frozen": "freeze", "drawn": "draw", "withdrawn": "withdraw", "hung": "hang", "read": "read", "left": "leave",
}  # fmt: skip


def base_of(word: str) -> str:
    """The verb of an irregular participle; any other word as it is."""
    return _PARTICIPLES.get(word, word)


@lru_cache(maxsize=8192)
def families_of(word: str, *, typos: bool = False) -> frozenset[str]:
    """The families of a verb in any form; empty when it is none that is known."""
    found = _BY_VERB.get(word) or _BY_VERB.get(stem(word))
    if found is None and typos and len(word) >= 4 and not (word.endswith("s") or is_noun(word) or is_known(word)):
        found = next((_BY_VERB[verb] for verb in _BY_VERB if _is_slip(word, verb)), None)
    return found or frozenset()


def deeds_of(word: str) -> frozenset[str]:
    """The families of a verb that say what is done, rather than that something is made, changed or looked at."""
    return families_of(word) - _GENERAL


def _is_slip(word: str, verb: str) -> bool:
    """Whether a word is a verb mistyped; of four letters two may have changed places, for names are soon like verbs."""
    return close(word, verb) and (len(word) > 4 or sorted(word) == sorted(verb))


def is_verb(word: str) -> bool:
    """Whether a word is one of the verbs known here, in any form."""
    return word in _BY_VERB or stem(word) in _BY_VERB


def abbreviates(word: str, verb: str) -> bool:
    """Whether a word is a verb cut short (del, fwd, cfg), and no verb itself."""
    if len(word) < 3 or len(word) >= len(verb) or word[0] != verb[0] or families_of(word):
        return False
    rest = iter(verb)
    return verb.startswith(word) or (word[-1] == verb[-1] and len(verb) <= 8 and all(letter in rest for letter in word))
