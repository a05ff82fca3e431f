"""What the last word of a name says of its bearer: a bakery is no person, and a lane is a place."""

from __future__ import annotations

from signalbox.language.words import word_set

__all__ = ["bearer_of"]

_ORGANISATIONS = word_set(
    """ltd limited gmbh inc llc plc corp co ag sa bv nv oy ab kg srl spa aps sarl company
    sons brothers bros group holdings partners
    associates industries works mills press media studios records labs laboratories technologies systems software
    solutions logistics foods motors airlines airways bank insurance museum gallery collection trust foundation
    institute university college school academy hospital clinic surgery practice pharmacy chemist bakery brewery
    butchers cafe restaurant hotel inn theatre cinema library club society association union council ministry agency
    department office team united rovers orchestra choir band symphony philharmonic quartet
    ensemble singers productions consulting services supplies stores shop market dental vets
    veterinary florists builders plumbing electric energy telecom publishing books bookshop nursery farms"""
)
_PLACES = word_set(
    """street road lane avenue drive way close court square place terrace row walk crescent boulevard hill park gardens
    garden bridge gate cross corner station airport harbour harbor port dock docks quay pier marina bay beach island
    lake river valley wood woods forest field fields meadow meadows orchard farm house hall cottage manor castle tower
    church cathedral chapel abbey green heath moor village town city centre center stadium arena plaza wharf bottom bank
    mill barn yard depot terminal building room"""
)


def bearer_of(last_word: str) -> str:
    """organisation, place, or nothing when the word does not tell."""
    word = last_word.lower().rstrip(".")
    if word in _ORGANISATIONS:
        return "organisation"
    return "place" if word in _PLACES else ""
