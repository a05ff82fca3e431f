"""Short lists of everyday words that a field may mean without listing them: languages, colours, large cities."""

from __future__ import annotations

from signalbox.models.offline.fill.words import word_list, word_set

__all__ = ["CITIES", "COUNTRIES", "LANGUAGES", "words_for"]

_LISTS: dict[frozenset[str], tuple[str, ...]] = {
    frozenset({"language", "lang", "languages"}): word_list(
        """english german french spanish italian portuguese dutch polish russian ukrainian czech greek
        turkish arabic hebrew hindi chinese mandarin cantonese japanese korean vietnamese thai
        swedish danish norwegian finnish hungarian romanian bulgarian latin swahili persian urdu
        bengali indonesian malay catalan croatian serbian irish welsh icelandic estonian latvian lithuanian slovak
        slovenian tagalog tamil basque flemish"""
    ),
    word_set("color colour colors colours"): word_list(
        """red green blue yellow orange purple violet pink brown black white grey gray silver gold
        beige turquoise magenta cyan navy teal maroon cream ivory
        tan burgundy khaki olive amber crimson scarlet charcoal lavender lilac mint mustard peach bronze copper indigo
        aqua coral taupe mauve"""
    ),
}
LANGUAGES = frozenset(next(iter(_LISTS.values())))
# Of one word each, and none that is an everyday word too.
CITIES = word_set(
    """amsterdam ankara antwerp athens atlanta auckland baghdad baltimore bangkok barcelona basel beijing beirut
    belfast belgrade berlin bogota bologna bordeaux boston bratislava brisbane bristol brussels bucharest budapest
    cairo calgary cardiff chennai chicago cologne copenhagen dallas delhi denver detroit dhaka dresden dubai dublin
    edinburgh florence frankfurt geneva genoa glasgow gothenburg hamburg hanoi havana helsinki houston istanbul
    jakarta johannesburg karachi krakow kyiv lagos leipzig lima lisbon liverpool london lyon madrid malmo manchester
    manila marseille melbourne miami milan minsk montreal moscow mumbai munich nairobi naples oslo ottawa palermo
    paris perth philadelphia prague riga rome rotterdam santiago seattle seoul seville shanghai singapore sofia
    stockholm stuttgart sydney taipei tallinn tehran tokyo toronto toulouse tunis turin valencia vancouver venice
    vienna vilnius warsaw wellington zagreb zurich"""
)


COUNTRIES = word_set(
    """albania algeria argentina armenia australia austria bangladesh belgium bolivia bosnia brazil britain bulgaria
    cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia
    ethiopia finland france georgia germany ghana greece hungary iceland india indonesia iran iraq ireland israel
    italy jamaica japan jordan kenya korea kuwait laos latvia lebanon libya lithuania luxembourg malaysia malta
    mexico moldova mongolia montenegro morocco nepal netherlands nicaragua nigeria norway oman pakistan panama
    paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia slovakia slovenia
    somalia spain sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay usa
    uk us venezuela vietnam wales yemen zambia zimbabwe holland america"""
)


def words_for(name_words: tuple[str, ...]) -> tuple[str, ...]:
    """The everyday values of a field of this name; none for most."""
    for names, values in _LISTS.items():
        if names & set(name_words):
            return values
    return ()
