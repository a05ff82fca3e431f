"""The tasks, devices and experiments that the tests refer to, and what a result says in short."""

from __future__ import annotations

from signalbox.grounding import Ask, Candidate, NotFound, One, Several, View, resolve


def _task(number: int, name: str, traits: str = "open", when: str | None = None, details: str = "") -> Candidate:
    return Candidate(str(number), name, "task", frozenset(traits.split(",")), when=when, details=details)


TASKS = [
    _task(1, "Buy milk"),
    _task(2, "Buy oat milk", when="2026-11-17"),
    _task(3, "Call the dentist", when="2026-11-20"),
    _task(4, "Pay rent", "open,overdue,late,high", when="2026-11-10"),
    _task(5, "Wash car", "done"),
    _task(6, "Return drill", "open,errands", when="2026-11-20"),
    _task(7, "Return ladder", "open,errands", details="Lent by Jürgen in Köln"),
    _task(8, "Write sales report"),
]
ROLES = {
    "xrd-1": "PE", "xrd-2": "PE", "pe1": "PE", "pe2": "PE", "xrd-3": "P", "xrd-4": "P", "core-rtr-1": "P",
    "core-rtr-2": "P", "xrd-5": "RR", "xrd-6": "RR", "xrd-7": "CE", "xrd-8": "CE",
}  # fmt: skip
_SPELT = {"PE": "provider edge", "P": "core", "RR": "route reflector,reflector", "CE": "customer edge"}
DEVICES = [
    Candidate(name, name, "device", frozenset((role.casefold(), *_SPELT[role].split(","))), (f"10.0.0.{number}",))
    for number, (name, role) in enumerate(ROLES.items(), start=1)
]
EXPERIMENTS = [
    Candidate("8f14e45f-ceea", "Checkout Button Color", "experiment", frozenset({"enrolling"})),
    Candidate("45c48cce-2e2d", "checkout_copy", "experiment", frozenset({"enrolling"})),
    Candidate("d3d94468-02a4", "hintPolicy", "experiment", frozenset({"draft"})),
]
_DAYS = {
    "tomorrow": ("2026-11-17", "2026-11-18"),
    "friday": ("2026-11-20", "2026-11-21"),
    "before friday": ("0001-01-01", "2026-11-20"),
    "on the 20th": ("2026-11-20", "2026-11-21"),
    "this week": ("2026-11-16", "2026-11-23"),
}
NO_VIEW = View()


def days(words: str) -> tuple[str, str] | None:
    return _DAYS.get(words.casefold())


def told(words: str, candidates: list[Candidate], view: View = NO_VIEW) -> str:
    """What words refer to, in short: "one 3", "several 3 4", "group 3 4", "ask 3 4" or "not found"."""
    match resolve(words, candidates, view, days=days):
        case One(candidate):
            return f"one {candidate.id}"
        case Several(found, is_group):
            return f"{'group' if is_group else 'several'} {' '.join(one.id for one in found)}"
        case Ask(options):
            return f"ask {' '.join(one.id for one in options)}"
        case NotFound():
            return "not found"
