"""Nouns that mean the same when a person names a thing, and the words of a topic; none is about any one tool."""

from __future__ import annotations

from signalbox.models.offline.words import stem

__all__ = ["KIN", "TOPICS", "is_noun", "kin_of"]

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
        "item product article goods sell",
        "contain mention include",
        "author write writer wrote",
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
        "busy load usage utilization",
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

_BY_NOUN: dict[str, frozenset[str]] = {}
for _set in KIN:
    _stems = frozenset(stem(word) for word in _set)
    for _word in _stems:
        _BY_NOUN[_word] = _BY_NOUN.get(_word, frozenset()) | _stems


def kin_of(word: str) -> frozenset[str]:
    """The stems that a person may use for the stem `word`; itself is not promised to be among them."""
    return _BY_NOUN.get(word, frozenset())


def is_noun(word: str) -> bool:
    """Whether a word is one of the nouns known here, in any form."""
    return stem(word) in _BY_NOUN
