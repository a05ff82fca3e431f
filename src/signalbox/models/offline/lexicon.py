"""Everyday English that tool names and requests share: families of verbs, and nouns that mean the same.

Nothing here is about any one tool. A family is what kind of thing a verb does; the words of a kin set are
interchangeable when a person names a thing.
"""

from __future__ import annotations

from functools import lru_cache

from signalbox.models.offline.words import close, stem, word_set

__all__ = [
    "BROADER",
    "FAMILIES",
    "IMPLIED",
    "KIN",
    "NOUNISH",
    "OPPOSITES",
    "PADDING",
    "PHRASES",
    "READING",
    "SPECIFIC",
    "STOP",
    "TOPICS",
    "families_of",
    "kin_of",
]

FAMILIES: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "list": "list show display enumerate browse view see print give what which",
        "get": "get return provide report obtain show read view open fetch retrieve describe inspect "
        "display see look tell give pull examine what how",
        "search": "search find look lookup locate seek query hunt grep discover where who",
        "check": "check verify test inspect is are diagnose ping probe validate confirm monitor",
        "create": "post publish create add new make book schedule insert register set put write plan arrange "
        "setup generate open "
        "log record save note jot file raise submit reserve compose draft append start remind build "
        "define need enter",
        "update": "update change set edit modify adjust alter switch turn correct fix replace amend revise bump "
        "increase decrease raise lower dim put make assign mark reassign configure tweak",
        "move": "move reschedule postpone shift push relocate transfer delay bring",
        "rename": "rename retitle relabel call name",
        "delete": "delete remove cancel clear drop erase discard trash purge wipe scrap ditch unsubscribe nuke "
        "kill rm throw chuck toss bin",
        "send": "send mail email notify message text forward share ping dm post deliver write tell shoot drop",
        "reply": "reply respond answer",
        "complete": "complete finish done mark close resolve tick check finalize conclude accomplish",
        "reopen": "reopen uncomplete undo restore unmark undelete revert",
        "start": "start run launch begin trigger execute deploy enable activate resume kick fire play turn "
        "switch initiate",
        "stop": "stop end pause halt disable deactivate kill terminate abort shut suspend conclude finish "
        "quit turn switch",
        "restart": "restart reboot reload bounce reset",
        "compare": "compare diff contrast versus vs",
        "count": "count tally many",
        "convert": "convert translate transform exchange",
        "compute": "calculate compute evaluate estimate solve work",
        "summarize": "summarize summarise recap digest",
        "buy": "buy sell order purchase checkout shop",
        "pay": "pay transfer send wire remit move",
        "play": "play listen hear stream",
        "lock": "lock secure",
        "unlock": "unlock open",
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
        "freeze": "freeze block lock suspend",
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
    "cut off": ("stop",),
    "put away": ("move",),
    "hand out": ("send",),
    "back up": ("copy",),
    "log in": ("start",),
    "sign off": ("approve",),
    "call up": ("get",),
    "clear out": ("delete",),
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

KIN: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "mail email message inbox",
        "meeting event appointment calendar",
        "task todo chore to-do reminder",
        "song track music tune",
        "album record",
        "temperature temp thermostat heating heat degrees warm warmer cold",
        "weather forecast rain sunny snow umbrella temperature raining",
        "wind windy gust",
        "light lamp bulb",
        "file document doc",
        "folder directory dir",
        "photo picture image pic",
        "price cost rate spend spent",
        "order purchase",
        "item product article",
        "cart basket",
        "money cash funds balance",
        "payment transfer transaction",
        "transaction spending expense statement",
        "user person customer account",
        "student pupil person child kid",
        "employee worker colleague staff person",
        "vacation holiday leave pto off",
        "artwork painting art sculpture",
        "ride taxi cab van uber lift",
        "hotel room accommodation stay",
        "flight plane fly",
        "train rail",
        "trip travel journey",
        "restaurant table dinner eat food",
        "repository repo",
        "branch branches",
        "bug issue ticket",
        "pull-request pr mr",
        "device router switch host node machine",
        "interface port link nic",
        "neighbor neighbour peer session adjacency",
        "config configuration",
        "log logs syslog",
        "cpu processor load",
        "memory ram",
        "metric timeseries series measurement",
        "alert alarm warning incident page",
        "alarm wake",
        "reminder remind",
        "note memo",
        "phone mobile cell",
        "experiment test trial",
        "variant condition arm",
        "parcel package shipment delivery tracking",
        "movie film",
        "car vehicle",
        "translation language french german spanish english italian japanese chinese portuguese dutch russian",
        "definition meaning mean define dictionary",
        "exchange currency",
        "stock share ticker",
        "news headline",
        "salary pay payroll wage payslip",
        "contact person address",
        "door gate",
        "blind shade curtain",
        "volume loudness loud louder quiet quieter",
        "service server app application",
        "latency delay slow response",
        "error failure fault",
        "status state health",
        "detail info information",
        "comment remark",
        "label tag",
        "priority urgency urgent",
        "due deadline",
        "title name",
        "invoice bill",
        "review feedback rating",
        "team group",
        "member people",
        "availability free slot",
        "route path directions",
        "distance far",
        "recipe cook dish meal",
        "workout exercise training",
        "playlist mix",
        "queue queued",
        "history past previous",
        "quote citation",
        "stock inventory",
        "room bedroom kitchen",
        "dashboard panel graph chart",
    )
)

TOPICS: tuple[frozenset[str], ...] = tuple(
    frozenset(stem(word) for word in line.split())
    for line in (
        "billing bill invoice charge charged payment pay refund card subscription price cost money finance",
        "technical tech support bug crash error app login broken install software problem update screen freeze",
        "delivery shipping parcel package shipment arrive arrived courier tracking deliver late order logistics",
        "account login password profile username email sign security",
        "sales quote buy purchase demo pricing plan upgrade discount",
        "weather rain snow sunny forecast temperature storm",
        "sports sport football match game team goal player league score tournament",
        "politics government election minister president vote law parliament",
        "technology computer software phone internet chip ai robot",
        "business company market stock profit shares bank economy trade",
        "health doctor hospital medicine disease patient pain sick",
        "travel flight hotel trip airport train holiday",
        "food restaurant eat meal recipe cook dish",
        "urgent asap immediately emergency critical down outage",
        "complaint angry terrible unacceptable disappointed bad worst rude",
        "praise thank great love excellent compliment",
        "spam win prize free click offer lottery winner",
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
    "drive fire fix view pull push see return"
)

STOP: frozenset[str] = (
    word_set("""a an the this that these those my your our his her its their me i we you he she it they
    them us to of in on
    at for from by with about into over as and or but if so then also plus please pls plz can could would
    will shall should may might must do does did done is are was were be been being am have has had there
    here what which who whom whose when where why how not no yes ok okay just now some any all every each
    both few more most other another such only own same too very really quickly want need like know let lets
    let's i'd i'm i've what's whats it's that's there's hey hi hello thanks thank kindly up out off down
    again still get got give tell show one ones thing things via per than use using go going im id ive u ur
    gonna wanna gotta lemme gimme dont don't doesn't isn't something anything maybe perhaps much many quick
    real asap today tomorrow tonight yesterday currently current right must""")
)

PADDING: tuple[str, ...] = (
    r"(?:hey|hi|hello|yo|ok|okay|so|well|um|uh|hmm|right|alright|great|cool|nice|perfect|thanks|thank you|sorry|"
    r"good (?:morning|evening|afternoon)|dear \w+)(?: there| again| team)?(?=[\s,!.:-])[\s,!.:-]*",
    r"(?:please|pls|plz|kindly|just|quickly|quick|now|maybe|perhaps|actually|btw|fyi|also|and|then|after that|"
    r"afterwards|finally|firstly|secondly|lastly|oh|but|or rather|additionally|plus)\b[\s,]*",
    r"(?:first|second|next|next up|now then)\s*[,:]\s*",
    r"(?:can|could|would|will|may|might) (?:you|u|i|we)(?: please| pls| kindly| maybe| possibly| just| "
    r"quickly| also)*\s+",
    r"(?:would you mind|do you mind|is it possible to|any chance you (?:can|could)|are you able to|it "
    r"would be (?:great|nice|"
    r"lovely) if you (?:could|can|would)|i was wondering if you (?:could|can)|i wonder if you (?:could|can)|"
    r"be so kind(?: as)? to|if you (?:could|can)|mind|how about|what about you)\s+",
    r"(?:i|we)(?:'d| would|d)? (?:want|like|love|need|wish|have|got)(?: you)?(?: to|2) (?!know\b)",
    r"(?:i'm|im|i am|we're|we are)(?: trying| going| looking| planning)(?: to) ",
    r"(?:you (?:should|must|need to|can|could)|let's|lets|let us|go ahead and|help me(?: to)?|i wanna|"
    r"wanna|gotta|need to|"
    r"want to|try to|make sure to|make sure you|don't forget to|be sure to|time to|remember to)\s+",
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

_BY_VERB: dict[str, frozenset[str]] = {}
for _family, _words in FAMILIES.items():
    for _word in _words:
        for _form in (_word, stem(_word)):
            _BY_VERB[_form] = _BY_VERB.get(_form, frozenset()) | {_family}

_BY_NOUN: dict[str, frozenset[str]] = {}
for _set in KIN:
    _stems = frozenset(stem(word) for word in _set)
    for _word in _stems:
        _BY_NOUN[_word] = _BY_NOUN.get(_word, frozenset()) | _stems


@lru_cache(maxsize=8192)
def families_of(word: str, *, typos: bool = False) -> frozenset[str]:
    """The families of a verb in any form; empty when it is none that is known."""
    found = _BY_VERB.get(word) or _BY_VERB.get(stem(word))
    if found is None and typos and len(word) >= 4 and not word.endswith("s") and stem(word) not in _BY_NOUN:
        found = next((_BY_VERB[verb] for verb in _BY_VERB if close(word, verb)), None)
    return found or frozenset()


def kin_of(word: str) -> frozenset[str]:
    """The stems that a person may use for the stem `word`; itself is not promised to be among them."""
    return _BY_NOUN.get(word, frozenset())
