"""Names among free text: who does what, whose relative somebody is, what a name looks like, and what is no name."""

from __future__ import annotations

from typing import Any

from signalbox.models.offline.fill import fill_schema


def _schema(title: str, required: list[str], **described: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": text} for name, text in described.items()}
    return {"title": title, "type": "object", "properties": properties, "required": required}


_VIEWING = _schema(
    "PropertyViewing",
    ["property", "visitor"],
    property="Name of the house or flat.",
    visitor="Name of the person who views it.",
    agent="Agent who shows it.",
    accompanied_by="Person who comes along.",
)
_LOST = _schema(
    "BusLost",
    ["object"],
    object="What was lost.",
    brand="Maker of the object.",
    boarded_at="Stop where the passenger got on.",
    left_at="Stop where the passenger got off.",
    colour="Colour of the object.",
)
_DELIVERY = _schema(
    "DeliveryNote",
    ["recipient", "street"],
    recipient="Who receives the parcel.",
    street="Street, without the number.",
    house_number="House number.",
    town="Town.",
)


def test_the_verb_beside_a_name_tells_whose_it_is() -> None:
    said = "Could Ingram Vale see Rose Cottage? His wife Beatrix is coming too, and Nell Harker will show them round."
    assert fill_schema(_VIEWING, said).values == {
        "property": "Rose Cottage",
        "visitor": "Ingram Vale",
        "agent": "Nell Harker",
        "accompanied_by": "Beatrix",
    }


def test_verb_and_particle_tell_two_places_apart() -> None:
    said = "I forgot my Leica camera on the bus; I got on at Elm Cross and off at Dyer's Gate."
    values = fill_schema(_LOST, said).values
    assert (values["boarded_at"], values["left_at"], values["brand"]) == ("Elm Cross", "Dyer's Gate", "Leica")


def test_a_colour_is_a_colour_with_its_shade_and_nothing_else() -> None:
    assert fill_schema(_LOST, "a light blue hat, made by Lowen").values["colour"] == "light blue"
    assert "colour" not in fill_schema(_LOST, "my wallet is gone, it was in the side pocket of my coat").values


def test_a_street_and_its_number_fill_two_fields() -> None:
    for said in ("Parcel for Ines Ferro at 8 Acorn Way in Turin", "Parcel for Ines Ferro at Acorn Way 8 in Turin"):
        assert fill_schema(_DELIVERY, said).values == {
            "recipient": "Ines Ferro",
            "street": "Acorn Way",
            "house_number": "8",
            "town": "Turin",
        }


def test_labels_of_a_form_fill_the_fields_that_they_name() -> None:
    schema = _schema("Guardianship", ["pupil"], pupil="Name of the child.", guardian="Guardian.", job_title="Position.")
    said = "Consent: yes. Child: Elsie Byrne. Guardian: Pat Byrne. Position: Account Clerk."
    assert fill_schema(schema, said).values == {
        "pupil": "Elsie Byrne",
        "guardian": "Pat Byrne",
        "job_title": "Account Clerk",
    }


def test_of_two_codes_each_goes_where_its_build_is_shown() -> None:
    schema = _schema("TrainDelay", ["train"], train="Number, e.g. IC1234.", wagon="Wagon type, e.g. B85.")
    assert fill_schema(schema, "The B91 of IC7702 has a hot axle.").values == {"train": "IC7702", "wagon": "B91"}
    assert fill_schema(schema, "ic 702 is late").values == {"train": "IC702"}


def test_pieces_of_clauses_are_no_names() -> None:
    schema = _schema("Tasting", ["host"], host="Person who hosts it.", venue="Where it takes place.")
    said = "I'm Rufus Teague and I host it at home, so no venue is needed."
    assert fill_schema(schema, said).values == {"host": "Rufus Teague"}


def test_words_to_be_given_verbatim_are_not_taken_from_a_request() -> None:
    schema = _schema("Notice", [], message="Wording, only if the person gives it word for word.", page="Page.")
    assert "message" not in fill_schema(schema, "The lift is out of order, say so on the board.").values
