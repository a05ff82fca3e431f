"""Fields that ask for a code where people say a name: languages (de), countries (DE) and time zones (Europe/Berlin)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["code_names", "coded_kind", "names_by_code"]

_LANGUAGES = """
ar arabic; bg bulgarian; bn bengali,bangla; ca catalan; cs czech; cy welsh; da danish; de german; el greek; en english;
es spanish,castilian; et estonian; eu basque; fa persian,farsi; fi finnish; fr french; ga irish,gaelic; he hebrew;
hi hindi; hr croatian; hu hungarian; hy armenian; id indonesian; is icelandic; it italian; ja japanese; ka georgian;
ko korean; la latin; lb luxembourgish; lt lithuanian; lv latvian; mk macedonian; ms malay; mt maltese;
nl dutch,flemish; no norwegian; pl polish; pt portuguese; ro romanian; ru russian; sk slovak; sl slovenian,slovene;
sq albanian; sr serbian; sv swedish; sw swahili; ta tamil; th thai; tl tagalog; tr turkish; uk ukrainian; ur urdu;
vi vietnamese; zh chinese,mandarin
"""
_COUNTRIES = """
AR argentina,argentinian; AT austria,austrian; AU australia,australian; BE belgium,belgian; BG bulgaria,bulgarian;
BR brazil,brazilian; CA canada,canadian; CH switzerland,swiss; CL chile,chilean; CN china,chinese; CO colombia;
CY cyprus; CZ czechia,czech republic,czech; DE germany,german; DK denmark,danish; EE estonia,estonian; EG egypt;
ES spain,spanish; FI finland,finnish; FR france,french; GB united kingdom,great britain,britain,uk,england,british;
GR greece,greek; HR croatia,croatian; HU hungary,hungarian; ID indonesia; IE ireland,irish; IL israel,israeli;
IN india,indian; IS iceland,icelandic; IT italy,italian; JP japan,japanese; KE kenya,kenyan;
KR south korea,korea,korean; LT lithuania; LU luxembourg; LV latvia; MA morocco; MT malta; MX mexico,mexican;
MY malaysia; NG nigeria; NL netherlands,the netherlands,holland,dutch; NO norway,norwegian; NZ new zealand; PE peru;
PH philippines; PK pakistan; PL poland,polish; PT portugal,portuguese; RO romania,romanian; RS serbia,serbian;
RU russia,russian; SA saudi arabia; SE sweden,swedish; SG singapore; SI slovenia; SK slovakia; TH thailand,thai;
TN tunisia; TR turkey,turkish,türkiye; TW taiwan; UA ukraine,ukrainian; US united states,usa,america,american;
VN vietnam; ZA south africa
"""
_ZONES = """
Europe/Amsterdam amsterdam; Europe/Athens athens; Europe/Belgrade belgrade; Europe/Berlin berlin,german,hamburg,munich;
Europe/Brussels brussels; Europe/Bucharest bucharest; Europe/Budapest budapest; Europe/Copenhagen copenhagen;
Europe/Dublin dublin,irish; Europe/Helsinki helsinki; Europe/Istanbul istanbul; Europe/Kyiv kyiv,kiev;
Europe/Lisbon lisbon; Europe/London london,uk,british,edinburgh; Europe/Madrid madrid,barcelona; Europe/Moscow moscow;
Europe/Oslo oslo; Europe/Paris paris,french; Europe/Prague prague; Europe/Riga riga; Europe/Rome rome,milan;
Europe/Sofia sofia; Europe/Stockholm stockholm; Europe/Tallinn tallinn; Europe/Vienna vienna; Europe/Vilnius vilnius;
Europe/Warsaw warsaw; Europe/Zurich zurich,geneva,swiss; Africa/Cairo cairo; Africa/Casablanca casablanca;
Africa/Johannesburg johannesburg,cape town; Africa/Lagos lagos; Africa/Nairobi nairobi; America/Anchorage anchorage;
America/Argentina/Buenos_Aires buenos aires; America/Bogota bogota; America/Chicago chicago,central,houston,dallas;
America/Denver denver,mountain; America/Halifax halifax; America/Lima lima; America/Los_Angeles
los angeles,san francisco,seattle,pacific,pst,pdt; America/Mexico_City mexico city; America/New_York
new york,boston,washington,eastern,est,edt,miami; America/Phoenix phoenix; America/Santiago santiago;
America/Sao_Paulo sao paulo; America/Toronto toronto,montreal; America/Vancouver vancouver; Asia/Bangkok bangkok;
Asia/Dhaka dhaka; Asia/Dubai dubai; Asia/Hong_Kong hong kong; Asia/Jakarta jakarta; Asia/Jerusalem jerusalem,tel aviv;
Asia/Karachi karachi; Asia/Kolkata kolkata,mumbai,delhi,bangalore,indian; Asia/Kuala_Lumpur kuala lumpur;
Asia/Manila manila; Asia/Riyadh riyadh; Asia/Seoul seoul,korean; Asia/Shanghai shanghai,beijing; Asia/Singapore
singapore; Asia/Taipei taipei; Asia/Tokyo tokyo,japanese; Asia/Tehran tehran; Australia/Brisbane brisbane;
Australia/Melbourne melbourne; Australia/Perth perth; Australia/Sydney sydney; Pacific/Auckland auckland,wellington;
Pacific/Honolulu honolulu,hawaii; UTC utc,gmt,zulu
"""
_LANGUAGE_CODE = re.compile(
    r"\biso[ -]?639|\blanguage (?:code|tag)s?\b|\bcodes? of (?:the )?languages?\b|"
    r"\b(?:two|2)[- ]letter (?:language )?code|\bas (?:a |an )?(?:iso )?codes?\b"
)
_COUNTRY_CODE = re.compile(
    r"\biso[ -]?3166|\bcountry codes?\b|\bcodes? of (?:the )?countr\w+|\b(?:two|2)[- ]letter (?:country )?code|"
    r"\bas (?:a |an )?(?:iso )?codes?\b"
)
_ZONE = re.compile(r"\biana\b|\btime ?zones?\b|\btz\b")
_LANGUAGE_WORD = re.compile(r"\b(?:lang|languages?|locale)\b")
_COUNTRY_WORD = re.compile(r"\b(?:country|countries|nationality|nation)\b")


@lru_cache(maxsize=8)
def names_by_code(kind: str) -> dict[str, tuple[str, ...]]:
    """The names that people use, by code, for "language", "country" or "zone"."""
    table = {"language": _LANGUAGES, "country": _COUNTRIES, "zone": _ZONES}[kind]
    rows = (" ".join(row.split()).partition(" ") for row in table.split(";"))
    return {code: tuple(names.split(",")) for code, _, names in rows}


def coded_kind(about: str, pattern: str, examples: Iterable[object]) -> str:
    """Which codes a text field asks for: its description, pattern or examples must show that it wants codes."""
    shown = [one for row in examples for one in (row if isinstance(row, list) else [row]) if isinstance(one, str)]
    if _ZONE.search(about):
        asks = "iana" in about or any("/" in one for one in shown) or (not pattern and not shown)
        return "zone" if asks else ""
    for kind, word, asked in (
        ("language", _LANGUAGE_WORD, _LANGUAGE_CODE),
        ("country", _COUNTRY_WORD, _COUNTRY_CODE),
    ):
        if word.search(about) and (asked.search(about) or _fits(kind, pattern, shown)):
            return kind
    return ""


def _fits(kind: str, pattern: str, shown: list[str]) -> bool:
    """Whether the pattern or the examples of a field are those of the codes."""
    codes = names_by_code(kind)
    if pattern:
        try:
            return all(re.fullmatch(pattern.strip("^$"), code) for code in list(codes)[:5]) and not re.fullmatch(
                pattern.strip("^$"), "language"
            )
        except re.error:
            return False
    return bool(shown) and all(one in codes for one in shown)


@lru_cache(maxsize=500)
def code_names(options: tuple[str, ...], about: str) -> dict[str, tuple[str, ...]]:
    """The names of options that are codes, if most of them are codes of one kind."""
    wanted = [kind for kind, word in (("language", _LANGUAGE_WORD), ("country", _COUNTRY_WORD)) if word.search(about)]
    for kind in (*wanted, "country", "language", "zone"):
        codes = names_by_code(kind)
        known = [one for one in options if one in codes or (kind in wanted and _plain(kind, one) in codes)]
        if len(known) > 1 and 2 * len(known) > len(options):
            return {one: codes[_plain(kind, one) if one not in codes else one] for one in known}
    return {}


def _plain(kind: str, option: str) -> str:
    """A code without its region, in the usual letters: en for en-GB and EN."""
    short = re.split(r"[-_]", option)[0]
    return short.lower() if kind == "language" else short.upper() if kind == "country" else option
