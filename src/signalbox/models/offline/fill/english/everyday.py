"""Short lists of everyday words that a field may mean without listing them: languages, colours, large cities."""

from __future__ import annotations

import re
from functools import lru_cache

from signalbox.language.words import word_list, word_set

__all__ = ["BRANDS", "CITIES", "COUNTRIES", "LANGUAGES", "class_words", "words_for"]

_LISTS: dict[frozenset[str], tuple[str, ...]] = {
    frozenset({"language", "lang", "languages"}): word_list(
        """english german french spanish italian portuguese dutch polish russian ukrainian czech greek
        turkish arabic hebrew hindi chinese mandarin cantonese japanese korean vietnamese thai
        swedish danish norwegian finnish hungarian romanian bulgarian latin swahili persian urdu
        bengali indonesian malay catalan croatian serbian irish welsh icelandic estonian latvian lithuanian slovak
        slovenian tagalog tamil basque flemish georgian armenian albanian macedonian bosnian belarusian luxembourgish
        maltese galician afrikaans amharic yoruba hausa igbo zulu xhosa somali tigrinya wolof nepali sinhala punjabi
        gujarati marathi telugu kannada malayalam burmese khmer lao mongolian kazakh uzbek azerbaijani kurdish pashto
        dari farsi uyghur tibetan javanese hawaiian maori samoan quechua gaelic breton yiddish esperanto"""
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


# Makers that everybody knows, so that one is known in small letters too: "samsung phone".
BRANDS = word_set(
    """adidas aeg alcatel apple asus audi bauknecht beko bissell bmw bosch bose braun bugaboo canon casio
    chevrolet chrysler citroen dacia daewoo dell delonghi dewalt dyson electrolux epson fender fiat ford fujifilm
    fujitsu garmin gibson google grundig haier hisense hitachi honda hotpoint hp huawei husqvarna hyundai ibanez
    ikea indesit jaguar jbl jura karcher kawasaki kenwood kia kitchenaid kodak krups lenovo lexus lg liebherr logitech
    makita mazda mercedes miele mitsubishi motorola neff nespresso nike nikon nintendo nissan nokia olympus omega
    oneplus opel oppo panasonic peugeot philips porsche puma renault ricoh rolex rowenta ryobi samsonite samsung
    sandisk seiko sennheiser shimano siemens skoda smeg sony stihl subaru suzuki tefal tesla tissot toshiba
    toyota trek vauxhall vespa volkswagen volvo vw vorwerk whirlpool xerox xiaomi yamaha zanussi"""
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


# Classes of nouns that are never told in full: a word of one speaks for the field that asks for it.
_CLASSES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (
        re.compile(r"\bbody parts?\b|\bparts? of (?:the|his|her|their) body\b"),
        word_list(
            """head skull forehead eye ear nose mouth jaw chin cheek tooth neck throat shoulder arm elbow forearm wrist
            hand finger thumb palm chest rib breast belly stomach abdomen spine hip groin thigh leg knee shin calf ankle
            foot heel toe scalp face lip tongue knuckle collarbone buttock eyes ears arms hands fingers legs knees feet
            toes ribs shoulders"""
        ),
    ),
    (
        re.compile(r"^[\w ]*\b(?:department|dept|division)\b[^.]* \. "),
        word_list(
            """sales marketing finance accounting accounts engineering logistics legal purchasing procurement
            production operations payroll controlling compliance facilities security research support maintenance it hr
            pr recruiting warehousing dispatch quality"""
        ),
    ),
    (
        re.compile(r"^[\w ]*\b(?:material|fabric|wood)\b[^.]* \. "),
        word_list(
            """wood oak pine walnut beech birch ash maple cherry teak mahogany bamboo plywood steel iron aluminium
            aluminum brass bronze copper tin zinc lead metal concrete stone marble granite slate brick clay ceramic
            porcelain glass plastic acrylic vinyl rubber leather suede wool cotton linen silk velvet denim polyester
            nylon felt canvas paper cardboard wax titanium platinum"""
        ),
    ),
    (
        re.compile(r"\b(?<!measuring )(?<!financial )instrument\b"),
        word_list(
            """piano violin viola cello guitar flute clarinet oboe bassoon trumpet trombone horn tuba saxophone harp
            drums drum organ accordion recorder ukulele mandolin banjo bass keyboard percussion harpsichord"""
        ),
    ),
)


@lru_cache(maxsize=2_000)
def class_words(about: str) -> tuple[str, ...]:
    """The nouns of the class that a field asks for by its name and description; none for most."""
    return next((words for pattern, words in _CLASSES if pattern.search(about)), ())


def words_for(name_words: tuple[str, ...]) -> tuple[str, ...]:
    """The everyday values of a field of this name; none for most."""
    for names, values in _LISTS.items():
        if names & set(name_words):
            return values
    return ()
