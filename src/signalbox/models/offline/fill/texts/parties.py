"""Who serves and who is served: a dentist and a patient are both people, and the words around a name tell which."""

from __future__ import annotations

from functools import lru_cache

from signalbox.language.words import word_set
from signalbox.models.offline.fill.bounds import Bounds
from signalbox.models.offline.fill.english.lexicon import HONORIFICS, KINSHIP
from signalbox.models.offline.fill.english.sentence import stem
from signalbox.models.offline.fill.schema import Field

__all__ = ["by_party", "party_of"]

_PARTY = 0.2
_SERVING = word_set(
    """doctor physician surgeon dentist vet veterinarian gp consultant specialist therapist physiotherapist optician
    optometrist midwife nurse hygienist counsellor psychologist teacher tutor instructor trainer coach professor
    lecturer mentor guide lawyer attorney solicitor barrister notary adviser advisor agent broker hairdresser barber
    stylist beautician masseur groomer photographer mechanic technician plumber electrician engineer inspector
    chef cook waiter driver pilot captain skipper caterer gardener babysitter"""
)
_SERVED = word_set(
    """patient client customer guest student pupil learner trainee participant passenger tenant
    visitor member resident child claimant borrower attendee traveller player runner swimmer rider entrant subscriber
    reader renter bride couple insured diner caller"""
)
_SIDES = {stem(word): side for words, side in ((_SERVING, 1), (_SERVED, -1)) for word in words}
_ENTERING = word_set("put pencil squeeze slot book sign enter register enrol enroll add write pop")
_ENTERED = word_set("down in up")
_WISHES = word_set("needs wants wishes requires suffers would hopes complains")
_MEETING = word_set("with by see sees seeing under")


@lru_cache(maxsize=5_000)
def party_of(field: Field) -> int:
    """1 for a field that holds one who serves, -1 for one who is served, 0 when neither is said."""
    nouns = (*field.name_words[::-1], *field.within)
    return next((_SIDES[stem(noun)] for noun in nouns if stem(noun) in _SIDES), 0)


def by_party(bounds: Bounds, field: Field, people: list[Field], first: int, last: int) -> float:
    """Less for a name in a field for one of two parties where both are asked for and the words tell of the other."""
    side = party_of(field)
    if not side or not any(party_of(other) == -side for other in people):
        return 0.0
    return -_PARTY if _side_told(bounds, first, last) == -side else 0.0


def _side_told(bounds: Bounds, first: int, last: int) -> int:
    """Which party a name belongs to by the words around it."""
    tokens, lead = bounds.tokens, first - 1
    while lead >= 0 and tokens[lead].lower in HONORIFICS:
        lead -= 1
    before = tokens[lead].lower if lead >= 0 else ""
    following = tokens[last].lower if last < len(tokens) else ""
    if any(token.lower.rstrip(".") in ("dr", "prof") for token in tokens[max(0, first - 1) : first + 1]):
        return 0
    if before in KINSHIP or (before in _ENTERING and following in _ENTERED):
        return -1
    if lead > 0 and before in _ENTERED and tokens[lead - 1].lower in _ENTERING:
        return -1
    if before in _MEETING:
        # "Dr Ray will see Ann" is said of who serves.
        return -1 if before[:2] == "se" and any(token.lower in HONORIFICS for token in tokens[:lead]) else 1
    return -1 if before == "for" or following in _WISHES else 0
