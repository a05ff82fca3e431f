"""Names that others lead to or hold: two who meet, titles before a name, sites, and names inside a flag's saying."""

from __future__ import annotations

from typing import Any

from signalbox.models.offline.fill import fill_schema


def _filled(text: str, required: list[str], **fields: Any) -> dict[str, Any]:
    properties = {
        name: {"type": "string", "description": one} if isinstance(one, str) else one for name, one in fields.items()
    }
    return dict(fill_schema({"type": "object", "properties": properties, "required": required}, text).values)


def test_of_two_who_meet_the_first_is_at_home_unless_told_otherwise() -> None:
    teams = {"home_team": "Host team.", "away_team": "Visiting team."}
    for text in (
        "Hollin Rovers v Acomb Town",
        "Hollin Rovers host Acomb Town",
        "Acomb Town play away at Hollin Rovers",
    ):
        assert _filled(text, list(teams), **teams) == {"home_team": "Hollin Rovers", "away_team": "Acomb Town"}


def test_a_name_behind_the_title_of_one_field_is_not_anothers() -> None:
    parts = {"client": "Person who buys.", "notary": "Name of the notary."}
    assert _filled("Notary Ida Blom signs it.", ["client"], **parts) == {"notary": "Ida Blom"}


def test_a_town_before_an_office_is_where_it_is() -> None:
    found = _filled(
        "A night porter for our Derby branch.", ["role"], role="Title of the job", town="Town of the branch."
    )
    assert found["town"] == "Derby"


def test_who_travels_to_a_town_is_not_the_town() -> None:
    found = _filled(
        "On Monday Sienna Marsh comes to Whitby.", ["guest"], guest="Name of the guest.", centre="Visitor centre."
    )
    assert found == {"guest": "Sienna Marsh", "centre": "Whitby"}


def test_a_code_is_nobodys_name() -> None:
    fields = {"resident": "Name of the resident.", "flat": "Code of the flat, e.g. C4."}
    assert _filled("The resident in D7 has no heating.", ["resident"], **fields) == {"flat": "D7"}


def test_what_only_means_an_option_inside_a_name_is_none() -> None:
    mood = {"type": "string", "enum": ["cold", "warm", "hot"]}
    found = _filled("Westgate Hotels called.", ["company"], company="Name of the company.", mood=mood)
    assert found == {"company": "Westgate Hotels"}
