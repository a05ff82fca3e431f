"""Words for referring to things in view or by description: the second one, them, all but the last.

All words are folded (`words.fold`), and come from English, German, French, Spanish, Italian, Portuguese and Dutch,
ordinals from Polish as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from signalbox.language.numbers import ORDINALS, number_of
from signalbox.language.words import fold, word_set

__all__ = [
    "ALL",
    "ARTICLES",
    "BETWEEN",
    "BOTH",
    "BOUNDS",
    "EXCEPT",
    "FEW",
    "FILLING",
    "FROM",
    "IT",
    "JOINED",
    "KINDS",
    "LAST",
    "LIGHT",
    "MARKS",
    "NOT",
    "NO_ONE",
    "OPTION",
    "OTHER",
    "OTHERS",
    "PLACES",
    "PLURALS",
    "POSITIONS",
    "SINGULARS",
    "SOME_OF",
    "STATES",
    "THEM",
    "THROUGH",
    "places_named",
    "said_count",
]


def _folded(words: str) -> frozenset[str]:
    return word_set(fold(words))


_ORDINALS = (
    "first erste ersten erster erstes premier première primero primera primer primo prima primeiro primeira eerste "
    "premiers premières primeros primeras primi primeiros primeiras",
    "second zweite zweiten zweiter zweites deuxième seconde segundo segunda secondo seconda tweede drugi "
    "druga drugie drugą drugiego",
    "third dritte dritten dritter drittes troisième tercero tercera tercer terzo terza terceiro terceira "
    "derde trzeci trzecia trzecie trzecią trzeciego",
    "fourth vierte vierten vierter viertes quatrième cuarto cuarta quarto quarta vierde czwarty czwarta "
    "czwarte czwartą",
    "fifth fünfte fünften fünfter fünftes cinquième quinto quinta vijfde piąty piąta piąte piątą",
    "sixth sechste sechsten sechster sechstes sixième sexto sexta sesto sesta zesde szósty szósta szóste szóstą",
    "seventh siebte siebten siebter siebtes septième séptimo séptima settimo settima sétimo sétima zevende "
    "siódmy siódma siódme siódmą",
    "eighth achte achten achter achtes huitième octavo octava ottavo ottava oitavo oitava achtste ósmy ósma ósme ósmą",
)
POSITIONS: dict[str, int] = ORDINALS | {
    word: place for place, words in enumerate(_ORDINALS, start=1) for word in _folded(words)
}
"""Ordinals with their positions."""
LAST = _folded(
    "last letzte letzten letzter letztes dernier dernière último última ultimo ultima laatste "
    "derniers dernières últimos últimas ultimi ultime ostatni ostatnia ostatnie ostatnią"
)
_ENDS: dict[str, int] = {
    **dict.fromkeys(LAST | _folded("bottom latter lowest unterste untere onderste"), -1),
    **dict.fromkeys(_folded("top former topmost oberste obere bovenste"), 1),
    **dict.fromkeys(_folded("penultimate vorletzte vorletzten avant-dernier penúltimo penúltima voorlaatste"), -2),
}
"""Other words for a position; negative ones count from the end."""
_MIDDLE = _folded("middle mittlere mittleren milieu medio mezzo meio middelste")
PLACES: dict[str, int] = {**dict.fromkeys(_MIDDLE, 0), **_ENDS, **POSITIONS}
_ORDINAL = re.compile(r"(\d{1,4})(?:st|nd|rd|th|º|ª|o|a|e|er|ere|eme|de|ste)")

FEW: dict[str, int] = {
    **dict.fromkeys(_folded("couple pair paar both beide beiden zwei deux dos dois duas twee"), 2),
    **dict.fromkeys(_folded("few drei trois tres tre drie"), 3),
}
"""Words other than numbers for how many follow "the first"."""

IT = _folded(
    "it that this its same he she him her es das dies dieses diesen diesem ihn ihm ça cela celui celle ceci eso esto "
    "ese esa este esta lo ello questo quello questa quella isso isto esse essa aquele dat dit deze"
)
THEM = _folded(
    "them em those these they both their beide beiden sie denen ceux celles eux esos esas estos estas ellos ellas "
    "questi quelli queste quelle loro esses essas estes eles elas ambos ambas entrambi entrambe"
)
BOTH = _folded("both beide beiden ambos ambas entrambi entrambe")
OTHERS = _folded(
    "others rest remaining left übrigen restlichen autres reste otros otras resto altri altre outros outras overige"
)
OTHER = OTHERS | _folded("other another else andere anderen anderer anderes autre otro otra altro altra outro outra")
ALL = _folded(
    "all everything every each everyone whole entire any anything whatever evrything everthing alle alles aller "
    "jede jeden jeder jedes sämtliche tout toute tous toutes chaque todo toda todos todas cada tutto tutta "
    "tutti tutte ogni tudo allemaal elke ieder iedere"
)
NO_ONE = _folded(
    "none neither nothing nobody nowhere keiner keine keines nichts aucun aucune rien ninguno ninguna nada nessuno "
    "nessuna niente nenhum nenhuma geen niets"
)
NOT = _folded("not non isn aren wasn weren hasn haven doesn don didn never nicht pas nao não niet")
ARTICLES = _folded(
    "the a an my our your der die das den dem des ein eine einen mein meine meinen le la les l un une mon ma "
    "mes el los las mi mis il lo gli i uno una mio mia miei o os as um uma meu minha de het een mijn"
)
SINGULARS = _folded(
    "one task item thing job todo reminder entry device router box node host machine switch experiment test metric "
    "measure option choice aufgabe gerät tâche appareil tarea dispositivo compito attività tarefa taak apparaat"
)
"""General words for a thing."""
PLURALS = _folded(
    "ones tasks items things jobs todos reminders entries devices routers boxes nodes hosts machines switches "
    "experiments tests metrics measures options choices stuff network fleet inventory aufgaben geräte tâches "
    "appareils tareas dispositivos compiti tarefas apparaten"
)
OPTION = _folded("option choice")
MARKS = OPTION | _folded("number numbers no nr num id ids nummer numéro número numero")
"""Words before a number that is an id or a position."""
FILLING = ARTICLES | _folded(
    "about with for to of on in at from by please is are was were be been being has have had and or also too just "
    "thats i i've ive only already again now then oh sorry well actually called named titled says saying said mentions "
    "regarding concerning which who what whose there here up off out word tag tagged tags label labelled labeled "
    "labels priority prio role state status group marked list im i me you we s t due dated name names note notes "
    "single lot bunch yet still oder ou pls plz über mit für von vom im am zum zur ist sind namens "
    "heißt genannt bitte mal avec pour sur du des au aux est sont qui que appelé appelée con para sobre del al es "
    "se llama che per su della dello dei com do da dos das no na é são met voor van over is zijn heet ook"
)
"""Words next to a reference that do not distinguish things."""
KINDS = SINGULARS | PLURALS
LIGHT = FILLING | IT | THEM | OTHER | ALL | KINDS
"""Words that do not distinguish things."""
_STATES = (
    "done completed complete finished closed ticked checked erledigt erledigte erledigten fertig fertige "
    "abgeschlossen abgeschlossene terminé terminée terminées terminés fait faites hecho hecha hechas hechos "
    "terminada terminadas completada completadas fatto fatti fatte completati completate feito feita feitas "
    "concluída concluídas klaar afgerond",
    "open pending unfinished outstanding incomplete undone todo offen offene offenen unerledigt ouvert ouvertes "
    "pendiente pendientes aperto aperti aperte pendente pendentes aberta abertas openstaande",
    "overdue late überfällig überfällige überfälligen verspätet retard atrasado atrasada atrasadas atrasados "
    "vencida vencidas ritardo scaduto scaduti scadute achterstallig achterstallige",
    "high urgent important dringend dringende wichtig wichtige wichtigen urgente urgentes urgenti importante "
    "importantes importants importanti belangrijk belangrijke",
    "low unimportant niedrig niedrige unwichtig basse baja bajo bassa basso baixa baixo laag lage",
)
STATES: dict[str, frozenset[str]] = {word: same for same in map(_folded, _STATES) for word in same}
"""Words for a state, with synonyms."""

_EXCEPT = (
    "except for|excepting|except|but not|but|apart from|aside from|other than|without|excluding|minus|"
    "with the exception of|"
    "außer|ausser|bis auf|ohne|sauf|à part|excepté|excepto|salvo|menos|tranne|eccetto|meno|exceto|behalve|zonder"
)
EXCEPT = re.compile(rf"\s*,?\s+(?:{_EXCEPT})\s+", re.IGNORECASE)
"""Words between a whole and its exceptions."""
THROUGH = re.compile(
    r"\s*(?:\.{2,3}|…|–|—|->|→)\s*|\s+(?:up\s+to|through|thru|to|until|till|bis|jusqu['’]?à|à|hasta|al?|fino\s+a|até|tot(?:\s+en\s+met)?)\s+"
    r"|[ \t]+-[ \t]+"
    r"|(?<=\d)\s*-\s*(?=#?[^\W_]*\d)",
    re.IGNORECASE,
)
"""Words between the two ends of a range."""
BOUNDS = _folded("before after vor nach avant après antes después depois prima dopo voor na")
"""Words before a day that limits others."""
FROM = re.compile(r"\s*(?:all\s+)?(?:from|von|de|desde|da|dal|van)\s+", re.IGNORECASE)
"""Words before the first end of a range."""
BETWEEN = re.compile(r"(?:between|zwischen|entre|tra|tussen)\s+(.+?)\s+(?:and|und|et|y|e|en)\s+(.+)", re.IGNORECASE)
"""A range as a whole, and its two ends."""
JOINED = re.compile(
    r"\s*[,;&+\n]\s*(?:(?:and|und|et|y|e|ed|en|plus)\s+)?|\s+(?:and|und|et|y|e|ed|en|plus|as\s+well\s+as|sowie)\s+",
    re.IGNORECASE,
)
"""Words between the members of a list."""
SOME_OF = re.compile(
    r"(?:any\s+|just\s+|only\s+)?(?:one|either|some|half|most|a\s+few|a\s+couple|einer|eine|eines|einige|un|une|uno|una|um|uma|een)"
    r"\s+(?:of|von|der|de|des|di|dos|das|van)\s+",
    re.IGNORECASE,
)
"""Words before a group of which only a part is meant."""


def said_count(said: Sequence[str]) -> int | None:
    """The number of things in the words: "both", "all three", "the two milk ones"; None if there is none."""
    if BOTH.intersection(said):
        return 2
    for at, number in enumerate(map(number_of, said)):
        follows = at > 0 and said[at - 1] in ALL | THEM
        begins = at == 0 or said[at - 1] in ARTICLES
        ends = at == len(said) - 1 > 0 and not said[at].isdecimal()
        is_count = follows or (begins and (ends or PLURALS.intersection(said[at:])))
        if number is not None and said[at] != "one" and is_count:
            return number
    return None


def places_named(said: Sequence[str]) -> list[tuple[int, int]]:
    """The positions that words name, each with how many from there.

    The first two are (1, 2), the last one is (-1, 1), and the second to last is (-2, 1); the middle is 0.
    """
    found: list[tuple[int, int]] = []
    before, last = 0, ""
    for one, after in zip(said, [*said[1:], ""], strict=False):
        ordinal = _ORDINAL.fullmatch(one)
        place = int(ordinal[1]) if ordinal else PLACES.get(one)
        if place is not None and before > 1 and one in LAST:
            found[-1] = (-before, 1)
        elif place is not None:
            spelt = FEW.get(after) or FEW.get(last)
            found.append((place, (number_of(after) if after != "one" else None) or spelt or 1))
        last = one
        before = place or 0 if place is not None or one != "to" else before
    return found
