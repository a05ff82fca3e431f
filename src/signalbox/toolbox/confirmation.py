"""What counts as a yes, for all agents, on the page and in the APIs.

A yes is a button, an option, or a reply that is entirely in the table below. Longer replies are never searched: "yes,
once the term is over" contains a condition, and no list of conditions could be complete.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["NO", "OPTIONS", "YES", "Decision", "asked_again", "confirmed", "read_reply"]

Decision = Literal["yes", "no", "other"]
OPTIONS = ("yes", "no")
"""The options of a yes-or-no question."""

YES: dict[str, tuple[str, ...]] = {
    "signs": ("👍", "✅"),
    "English": (
        "y", "yes", "yes please", "yes please do", "yes please do it", "yes please go ahead",
        "yes do it", "yes do that", "yes go ahead", "yes confirm", "yes i'm sure",
        "yes i am sure", "yes thanks", "yes thank you", "yeah", "yep", "yup", "ok", "okay", "ok do it", "ok go ahead",
        "okay do it", "okay go ahead", "sure", "sure do it", "sure go ahead", "do it", "please do", "please do it",
        "go ahead", "please go ahead", "go for it", "confirm", "confirmed", "i confirm", "approve", "approved",
        "i approve", "accept", "i accept", "i agree", "agreed", "proceed", "please proceed",
    ),
    "German": (
        "j", "ja", "ja bitte", "ja gerne", "ja danke", "ja mach das", "ja mach es", "jep", "jawohl", "gerne", "gern",
        "mach das", "mach es", "mach mal", "bitte machen", "einverstanden", "bestätigt", "bestätigen", "bestätige",
        "ich bestätige", "ja bestätigen", "in ordnung", "klar", "na klar", "natürlich", "tu es", "ja tu es",
    ),
    "French": (
        "oui", "oui s'il te plaît", "oui s'il vous plaît", "oui merci", "oui vas-y", "oui allez-y", "d'accord",
        "oui d'accord", "vas-y", "allez-y", "fais-le", "faites-le", "oui fais-le", "oui faites-le", "confirmer",
        "je confirme", "confirmé", "bien sûr", "oui bien sûr", "entendu",
    ),
    "Spanish": (
        "sí", "si", "sí por favor", "si por favor", "sí gracias", "si gracias", "sí hazlo", "si hazlo", "hazlo",
        "hágalo", "adelante", "sí adelante", "si adelante", "vale", "de acuerdo", "confirmar", "confirmo",
        "confirmado", "claro", "claro que sí", "por supuesto", "dale",
    ),
    "Italian": (
        "sì", "sì grazie", "si grazie", "sì per favore", "si per favore", "va bene", "d'accordo", "fallo", "sì fallo",
        "si fallo", "procedi", "proceda", "conferma", "confermo", "confermato", "certo", "certamente", "certo che sì",
    ),
    "Portuguese": (
        "sim", "sim por favor", "sim obrigado", "sim obrigada", "está bem", "tudo bem pode fazer", "faz isso",
        "faça isso", "pode fazer", "sim pode", "avança", "de acordo", "claro que sim", "com certeza",
    ),
    "Dutch": (
        "ja graag", "ja alsjeblieft", "ja alstublieft", "ja doe maar", "doe maar", "doe het", "ja doe het", "oké",
        "akkoord", "bevestig", "bevestigd", "ik bevestig", "ga je gang", "prima", "natuurlijk", "zeker",
    ),
}  # fmt: skip
"""Every reply that is a yes, by language."""

NO: dict[str, tuple[str, ...]] = {
    "signs": ("👎", "❌"),
    "English": (
        "n", "no", "no thanks", "no thank you", "no don't", "no do not", "no please don't", "nope", "nah", "don't",
        "do not", "don't do it", "do not do it", "please don't", "never mind", "nevermind", "nvm", "forget it",
        "forget that", "cancel", "cancel it", "cancel that", "abort", "reject", "rejected", "decline", "deny",
        "leave it", "leave it as it is", "no leave it", "no cancel", "no never mind", "no forget it",
    ),
    "German": (
        "nein", "nein danke", "nee", "nö", "lieber nicht", "bitte nicht", "nein bitte nicht", "nicht machen",
        "lass es", "lass das", "lass mal", "nein lass es", "abbrechen", "vergiss es", "ablehnen",
    ),
    "French": (
        "non", "non merci", "surtout pas", "ne le fais pas", "ne le faites pas", "non ne le fais pas", "annuler",
        "annule", "annulez", "laisse tomber", "laissez tomber", "oublie", "oubliez", "refuser",
    ),
    "Spanish": (
        "no gracias", "no por favor", "no lo hagas", "no lo haga", "mejor no", "cancelar", "cancela", "cancélalo",
        "olvídalo", "déjalo", "rechazar",
    ),
    "Italian": (
        "no grazie", "non farlo", "no non farlo", "meglio di no", "annulla", "annullare", "lascia stare",
        "lascia perdere", "rifiuta",
    ),
    "Portuguese": (
        "não", "nao", "não obrigado", "não obrigada", "não faças isso", "não faça isso", "melhor não", "esquece",
        "esqueça", "deixa estar", "recusar",
    ),
    "Dutch": (
        "nee bedankt", "nee dank je", "nee dank u", "liever niet", "niet doen", "nee niet doen", "laat maar",
        "annuleren", "annuleer", "vergeet het", "weiger",
    ),
}  # fmt: skip
"""Every reply that is a no. Any other reply is neither: nothing is done or dropped silently."""

_TRIMMED = " \t\r\n.!…,;:\"'“”„«»()¡"
_ACTIONS: dict[str, Decision] = {
    **dict.fromkeys(("approve", "approved", "accept", "confirm", "yes", "true"), "yes"),
    **dict.fromkeys(("reject", "rejected", "decline", "deny", "ignore", "cancel", "fail", "no", "false"), "no"),
}


def _normalise(text: str) -> str:
    """A reply without case, outer punctuation, inner commas and typographic differences."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    plain = folded.replace("\ufe0f", "").replace(",", " ").replace("!", " ")
    return " ".join(plain.split()).strip(_TRIMMED)


_MEANINGS: dict[str, Decision] = {
    **{_normalise(one): "no" for replies in NO.values() for one in replies},
    **{_normalise(one): "yes" for replies in YES.values() for one in replies},
}


def read_reply(reply: Any) -> Decision:
    """Whether a reply is a yes (True), a no (False) or neither (None).

    A reply is what a person wrote, a boolean, or what a client sends for a button: `{"action": "approve"}`, or
    `{"data": …}` with one of the others in it.
    """
    if isinstance(reply, bool):
        return "yes" if reply else "no"
    if isinstance(reply, Mapping):
        action, data = _ACTIONS.get(str(reply.get("action", "")).casefold(), "other"), reply.get("data")
        if data in (None, "") or (action != "other" and isinstance(data, Mapping)):
            return action
        said = read_reply(data)
        if action == "no":
            # With a reason, a no is a no. What says both is neither.
            return "other" if said == "yes" else "no"
        return said
    return _MEANINGS.get(_normalise(reply), "other") if isinstance(reply, str) else "other"


def confirmed(message: str, **shown: Any) -> bool:
    """Pause a run until the person says yes or no. After anything else the question is asked again.

    `shown` are further parts of the question: its text, its blocks, its source.
    """
    from langgraph.types import interrupt

    question = {"kind": "confirm", "message": message, "options": list(OPTIONS), **shown}
    decision = read_reply(interrupt(question))
    while decision == "other":
        decision = read_reply(interrupt(asked_again(question)))
    return decision == "yes"


def asked_again(question: Mapping[str, Any]) -> dict[str, Any]:
    """The question again, with a note that nothing was done and that it is still open."""
    options = " or ".join(str(one) for one in question.get("options") or OPTIONS)
    told = f"Nothing was done. Please answer {options}; after that you can ask for something else."
    return {**question, "message": f"{told}\n\n{question['message']}"}
