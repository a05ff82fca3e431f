"""A sentence about a trouble, read among the things that there are; and runbooks that fit what was read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from signalbox.agents.investigate.graph import Graph
from signalbox.agents.investigate.offline.sentence import find_shift, find_trouble, is_about_now, read_sentence
from signalbox.agents.investigate.offline.times import plain_times
from signalbox.agents.investigate.runbooks import matching_runbooks
from signalbox.agents.investigate.state import Alert, Reading, Runbook
from signalbox.agents.investigate.subjects import candidates_of, nearest_thing, subject_of_alert, subject_of_words
from signalbox.contract import Relation
from signalbox.language.time import find_range

GRAPH = Graph.of([
    *(Relation(f"service:{one}", f"machine:{one}-1", "labels of up") for one in ("basket", "users", "ledger")),
    Relation("machine:cache-7"),
    Relation("machine:rtr-1", "machine:rtr-2", "LLDP", is_wire=True),
    Relation("name:basket", "experiment:Big Button", "point"),
])  # fmt: skip
CANDIDATES = candidates_of(GRAPH, {"the cart": "basket"})


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Why is basket slow?", ["service:basket"]),
        ("what happened to the cart last night", ["service:basket"]),
        ("basket and ledger both time out, why", ["service:basket", "service:ledger"]),
        ("Users see errors in the ledger", ["service:ledger"]),
        ("Why do our users complain?", []),
        ("what is wrong with the users service", ["service:users"]),
        ("why did basket-1 restart", ["machine:basket-1"]),
        ("the link from rtr-1 to rtr-2 keeps flapping", ["link:rtr-1–rtr-2"]),
        ("Why was the BGP session rtr-2 – rtr-1 lost?", ["session:rtr-1–rtr-2"]),
        ("why is the cache so full", ["machine:cache-7"]),
        ("Did Big Button break something?", ["experiment:Big Button"]),
        ("why is everything slow", []),
        ("why is users slow", ["service:users"]),
        ("users sluggish again", ["service:users"]),
        ("many users report trouble", []),
        ("rtr-1->rtr-2 link lost", ["link:rtr-1–rtr-2"]),
    ],
)
def test_the_subject_is_one_of_the_things_that_there_are(text: str, subject: list[str]) -> None:
    assert read_sentence(text, CANDIDATES).subject == subject


@pytest.mark.parametrize(
    ("text", "subject", "unknown"),
    [
        ("why is invoicing slow", [], ["invoicing"]),
        ("the quotes service is down", [], ["quotes"]),
        ("cache-9 is slow, why?", [], ["cache-9"]),
        ("ledger and quote-api fail", ["service:ledger"], ["quote-api"]),
        ("is basket slower than cache-9?", ["service:basket"], ["cache-9"]),
        ("was the warehouse hit as well?", [], ["warehouse"]),
        ("please look, we had an outage", [], []),
        ("[FIRING:1] HighErrorRateP95 pod=basket-1", ["machine:basket-1"], []),
        ("why is it slow", [], []),
        ("basket and quotes have failed", ["service:basket"], ["quotes"]),
        ("is basket dog slow", ["service:basket"], []),
        ("did Big Button break the ledger?", ["service:ledger"], []),
        ("is rtr-1 to blame for the slow basket?", ["service:basket"], []),
        ("solr lag is growing", [], ["solr"]),
        ("rabbitmq errors piling up", [], ["rabbitmq"]),
        ("weird errors piling up", [], []),
        ("PodNotReady pod basket-1", ["machine:basket-1"], []),
        ("TenGigE0/0/0/3 of rtr-1 is down", ["machine:rtr-1"], []),
        ("what is going on", [], []),
        ("Warum ist die Latenz von basket hoch?", ["service:basket"], []),
        ("why is everything broken", [], []),
        ("p95 of basket went up, a follow-up", ["service:basket"], []),
    ],
)
def test_a_name_that_nothing_bears_is_noticed_and_is_not_its_neighbour(
    text: str, subject: list[str], unknown: list[str]
) -> None:
    read = read_sentence(text, CANDIDATES)
    assert (read.subject, read.unknown) == (subject, unknown)


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("gestern um 14 Uhr", "yesterday at 14:00"),
        ("seit 20 Minuten", "for the last 20 minutes"),
        ("hier vers 9h30", "yesterday at 09:30"),
        ("depuis ce matin", "since today morning"),
        ("gerade", "right now"),
        ("seit letztem Freitag", "since last friday"),
        ("vor einer Stunde", "1 hours ago"),
        ("vor zwei Tagen", "on 2026-11-14"),
        ("vorgestern Abend", "the day before yesterday evening"),
        ("in den letzten drei Stunden", "last 3 hours"),
        ("am 3.11. zwischen 9 und 10 Uhr", "on 3/11 between 09:00 and 10:00"),
        ("between 3 and 4", "between 15:00 and 16:00"),
        ("between 11:20 and 12:50", "between 11:20 and 12:50"),
        ("yesterday between 10 and 2", "yesterday between 10:00 and 14:00"),
        ("between 5 and 6", "between 05:00 and 06:00"),
        ("yesterday at 3?", "yesterday at 15:00?"),
        ("what about 3 November", "and 3 November"),
        ("slow since 3h", "slow for the last 3 hours"),
        ("seit 9 Uhr", "since 09:00"),
        ("von 9 bis 11 Uhr", "between 09:00 and 11:00"),
        ("ayer entre las 8 y las 10", "yesterday between 08:00 and 10:00"),
        ("el lunes de 8:30 a las 9", "monday between 08:30 and 09:00"),
        ("desde hace dos horas", "for the last 2 hours"),
        ("anoche a las 4", "last night at 04:00"),
        ("it began at around 9:20", "it since 9:20"),
        ("in the last 4h", "in the last 4h"),
        ("startsAt=2026-11-15T03:00:00Z", "since 2026-11-15T03:00:00Z"),
    ],
)
def test_times_are_read_as_people_write_them(text: str, english: str) -> None:
    assert plain_times(text, datetime(2026, 11, 16, 16, 40, tzinfo=UTC)) == english


def test_since_this_noon_is_until_now_and_says_no_day() -> None:
    moment = datetime(2026, 11, 16, 16, 40, tzinfo=UTC)
    found = find_range("slow since this noon", moment, UTC)
    assert found is not None
    assert (*found.range, found.has_day) == (moment.replace(hour=12, minute=0), moment, False)


def test_this_morning_is_the_night_that_it_is_before_dawn() -> None:
    assert plain_times("slow this morning", datetime(2026, 11, 16, 4, tzinfo=UTC)) == "slow since midnight"


@pytest.mark.parametrize(
    ("words", "subject"),
    [("the invoicing service", None), ("the button api", None), ("ledger", ["service:ledger"]),
     ("the basket backend", ["service:basket"]), ("Big Button experiment", ["experiment:Big Button"])],
)  # fmt: skip
def test_a_word_for_the_kind_of_a_thing_names_none(words: str, subject: list[str] | None) -> None:
    found = Graph.of([Relation("service:ledger"), Relation("service:basket"), Relation("experiment:Big Button test")])
    experiment = subject and subject[0].replace("Big Button", "Big Button test")
    assert subject_of_words(words, candidates_of(found, {})) == (subject and [experiment])


@pytest.mark.parametrize(
    ("name", "thing"),
    [("bsket", "service:basket"), ("cache 7", "machine:cache-7"), ("cache-9", ""), ("ledger-api", ""), ("rtr-3", "")],
)
def test_a_slip_of_the_pen_is_the_thing_and_another_number_is_not(name: str, thing: str) -> None:
    assert nearest_thing(name, CANDIDATES) == thing


@pytest.mark.parametrize(
    ("text", "trouble"),
    [("why so slow", "slow"), ("lots of 500 errors", "errors"), ("it is unreachable", "down"),
     ("pods keep crashing", "restarts"), ("disk full", "busy"), ("what happened", "")],
)  # fmt: skip
def test_the_kind_of_trouble_is_read(text: str, trouble: str) -> None:
    assert find_trouble(text) == trouble


@pytest.mark.parametrize(
    ("text", "shift"),
    [
        ("and an hour earlier?", timedelta(hours=-1)),
        ("what about 2 days before", timedelta(days=-2)),
        ("30 minutes later", timedelta(minutes=30)),
        ("the day before yesterday", None),
        ("and orders?", None),
    ],
)
def test_a_follow_up_may_move_the_time_of_the_turn_before(text: str, shift: timedelta | None) -> None:
    assert find_shift(text) == shift


def test_right_now_is_this_moment_and_now_alone_is_not() -> None:
    assert is_about_now("why is it slow right now?")
    assert is_about_now("what is currently wrong")
    assert is_about_now("basket is failing as we speak")
    assert is_about_now("ledger slow atm?")
    assert not is_about_now("now tell me why it was slow yesterday")


def alert(**labels: str) -> Alert:
    return Alert(summary="x", labels=labels, since="", until="")


@pytest.mark.parametrize(
    ("labels", "subject", "unknown"),
    [
        ({"service": "basket", "alertname": "Slow"}, ["service:basket"], ""),
        ({"instance": "cache-7:9100"}, ["machine:cache-7"], ""),
        ({"device": "rtr-1", "interface": "Gi0", "peer": "rtr-2"}, ["link:rtr-1–rtr-2"], ""),
        ({"team": "shop", "component": "ledger"}, ["service:ledger"], ""),
        ({"service": "invoicing"}, [], "service invoicing"),
        ({"alertname": "Watchdog", "severity": "none"}, [], ""),
        ({"alertname": "DatasourceNoData", "grafana_folder": "Shop", "rulename": "Slow", "ref_id": "A"}, [], ""),
        ({"device": "rtr-1", "peer": "192.0.2.7"}, ["machine:rtr-1"], ""),
    ],
)
def test_an_alerts_labels_are_the_subject(labels: dict[str, str], subject: list[str], unknown: str) -> None:
    assert subject_of_alert(alert(**labels), GRAPH) == (subject, unknown)


@pytest.fixture
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIGNALBOX_RUNBOOKS", str(tmp_path))
    return tmp_path


def fitting(subject: str = "", **labels: str) -> list[str]:
    return [one["name"] for one in fitting_to(subject, **labels)[0]]


def fitting_to(subject: str = "", **labels: str) -> tuple[list[Runbook], list[str]]:
    read = Reading(subject=[f"service:{subject}"] if subject else [], about=subject)
    return matching_runbooks(read, alert(**labels) if labels else None)


def test_runbooks_fit_by_alert_by_subject_and_by_labels(books: Path) -> None:
    (books / "alerts.md").write_text("---\nalerts: [High*]\nlabels: {team: shop}\n---\n- check\n")
    (books / "subject.md").write_text("---\nsubjects: [Basket]\n---\n- check\n")
    (books / "ledger.md").write_text("No head.\n\n1. first\n2. second\n```\n- not this\n```\n")
    assert fitting("basket") == ["subject.md"]
    assert fitting("basket", alertname="HighLatency", team="shop") == ["alerts.md", "subject.md"]
    assert fitting(alertname="HighLatency", team="other") == []
    assert fitting("ledger") == ["ledger.md"]
    [book], _ = matching_runbooks(Reading(subject=["service:ledger"], about="ledger"), None)
    assert book["checks"] == ["first", "second"]


@pytest.mark.parametrize("head", ["- a", "alert: x", "labels: [a]", "a: : b"])
def test_a_wrong_head_is_told_and_the_others_are_used(books: Path, head: str) -> None:
    (books / "wrong.md").write_text(f"---\n{head}\n---\n- check\n")
    (books / "basket.md").write_text("---\ntitle: What to do\nowner: shop\n---\n- check\n")
    [book], [wrong] = matching_runbooks(Reading(subject=["service:basket"], about="basket"), None)
    assert book["name"] == "basket.md"
    assert "wrong.md: " in wrong
    assert wrong.endswith("Correct the runbook.")


def test_a_folder_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNALBOX_RUNBOOKS", "/nowhere/books")
    assert matching_runbooks(Reading(), None)[1] == ["/nowhere/books, which SIGNALBOX_RUNBOOKS names, is no folder"]
