"""What counts as said by a result: equal after rounding, conversion and a change of zone, in any language."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from signalbox.toolbox.verify import Sources, split_sentences

BERLIN = ZoneInfo("Europe/Berlin")


def unsupported(answer: str, *results: str, **more: object) -> tuple[str, ...]:
    known = {f"E{at}": text for at, text in enumerate(results, 1)}
    return Sources(known, zone=BERLIN, **more).check(answer).unsupported  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("420 ms", "0.42 s"), ("0.42 s", "420 ms"), ("1.5 GiB", "1536 MiB"), ("1536 MiB", "1.5 GiB"),
        ("12.34%", "0.1234"), ("0.1234", "12.34%"), ("12.3 %", "0.1234"), ("12 %", "12.34 %"), ("2 h", "120 min"),
        ("0.5 days", "12 hours"), ("1 Gbit/s", "1000 mbps"), ("42", "41.6"), ("41.6", "41.58"), ("1,299.5", "1299.5"),
        ("1.299,5", "1299.5"), ("1\u202f299.5", "1299.50"), ("3,5 s", "3.5 s"), ("1.2k requests", "1234 requests"),
        ("1.2M", "1230000"), ("it fell by 12%", "change: -12%"), ("-3.5", "-3.5"), ("5e-3", "0.005"),
        ("250 ms", "| service | p95 (s) |\n| cart | 0.25 |"), ("0.25 s", "http_duration_seconds 0.25"),
        ("420ms", "0.42s"), ("٤٢ ms", "42 ms"), ("a 5-minute window", "5 min"), ("2-3 of them", "2 of 3"),
        ("the 3rd one", "3 ports"), ("the 95th percentile", "quantile 0.95"), ("p95", "quantile 0.95"),
        ("AS65000", "AS 65000"), ("à 15h05", "2026-11-18T14:05:00Z"), ("1.283 Nutzer", "1,283 users"),
        ("211 d 11 h", "uptime_seconds 18270344"), ("211 days and 11 hours", "uptime_seconds 18270344"),
        ("2 d", "2 d 21 h"), ('"0.42 s"', "0.42 s"), ("`17`", "17"), ("0", "0 errors"), ("0.0 %", "0.0 %"),
    ],
)  # fmt: skip
def test_a_figure_may_be_rounded_and_converted(answer: str, result: str) -> None:
    assert unsupported(answer, result) == ()


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("421 ms", "0.42 s"), ("420 s", "420 ms"), ("1.6 GiB", "1536 MiB"), ("12.4%", "0.1234"), ("43", "41.6"),
        ("1 error", "0.6"), ("0 errors", "0.3"), ("12.34%", "12%"), ("1,200 requests", "1234 requests"), ("5", "-7"),
        ("211 d 12 h", "uptime_seconds 18270344"),
        ("-5", "5"), ("99", "web-99"), ("class 7b", "class 7a"), ("2.0 GB", "2 GiB"), ("3-9", "3 of 5"),
        ("10.0.0.2", "10.0.0.1"), ("TLS 1.3", "1,283 users"), ("p99", "quantile 0.95"), ("14h20", "14:05"),
    ],
)  # fmt: skip
def test_another_figure_is_not_supported(answer: str, result: str) -> None:
    assert len(unsupported(answer, result)) == 1


@pytest.mark.parametrize(
    ("answer", "result", "holds"),
    [
        ("at 15:05", "2026-11-18T14:05:00Z", True), ("at 14:05", "2026-11-18T14:05:00Z", True),
        ("at 3:05 pm", "2026-11-18T14:05:00Z", True), ("at 15:05:37", "2026-11-18T14:05:37Z", True),
        ("at 15:05:36", "2026-11-18T14:05:37Z", False), ("at 15:06", "2026-11-18T14:05:37Z", True),
        ("at 15:07", "2026-11-18T14:05:37Z", False), ("on 2026-11-19 00:30", "2026-11-18T23:30:00+00:00", True),
        ("2026-11-18T15:05+01:00", "2026-11-18T14:05:00Z", True),
        ("2026-11-18T14:05Z", "2026-11-18T14:05+01:00", False),
        ("on 18 November 2026", "2026-11-18", True), ("on Nov 18", "2026-11-18 10:00", True),
        ("on 18.11.2026", "2026-11-18", True), ("on 11/18/2026", "2026-11-18", True), ("in 2026", "2026-11-18", True),
        ("on 19 November", "2026-11-18", False), ("in 2025", "2026-11-18", False),
        ("on 2026-11-17", "2026-11-18", False),
        ("from 2026-11-18 13:20 to 2026-11-18 14:20", "Range: Wed 18 Nov 2026 13:20 to 14:20 (CET)", True),
        ("at 2026-11-18 14:20", "from Tue 17 Nov 2026 13:20 to Wed 18 Nov 2026 14:20", True),
        ("at 2026-11-18 08:20", "from Tue 17 Nov 2026 08:20 to Wed 18 Nov 2026 14:20", False),
        ("at 09:12", "since 09:12:44", True), ("at 99:99", "2026-11-18T14:05:00Z", False),
    ],
)  # fmt: skip
def test_a_moment_may_be_told_in_the_persons_zone(answer: str, result: str, holds: bool) -> None:
    assert (unsupported(answer, result) == ()) is holds


@pytest.mark.parametrize(
    ("answer", "result", "holds"),
    [
        ("web-1 is slow", "web-1 takes long", True), ("WEB-1 is slow", "web-1", True),
        ("web-1 is slow", "web-12", False),
        ("web-1's load", "web-1", True), ("die web-1-Auslastung", "web-1", True), ("xrd-1:n kuorma", "xrd-1", True),
        ("http_requests_total", "http_requests_total{job=x}", True),
        ("http_errors_total", "http_requests_total", False),
        ("GigabitEthernet0/0/0/1", "GigabitEthernet0/0/0/1 is down", True), ("10.0.0.1/24", "10.0.0.1/24", True),
        ("`checkout` is slow", "checkout", True), ("`payment` is slow", "checkout", False),
        ("„Night Reader“ läuft", "Night Reader", True), ("«Day Reader» marche", "Night Reader", False),
        ("「牛乳を買う」は終わった", "1. 牛乳を買う", True), ("web-9は遅い", "web-1", False),
        ('`sum( rate(x{a="b"}[5m]) )`', 'sum(rate(x{a="b"}[5m]))', True),
        ("a read-only follow-up, and/or e.g. this", "", True),
        ("c'est-à-dire l'état est bon", "", True), ("Das ist z.B. gut.", "", True), ("Это не известно.", "", True),
        ("- first\n- second", "", True), ("1. first\n2. second", "", True), ("It is known [E1].", "x", True),
    ],
)  # fmt: skip
def test_a_name_must_occur_as_it_is_written(answer: str, result: str, holds: bool) -> None:
    assert (unsupported(answer, result) == ()) is holds


def test_a_time_that_a_person_said_may_be_told_with_a_day_that_is_known() -> None:
    asked = {"said": ["since 09:40?", "Now: Monday 2026-11-16 12:00"]}
    assert unsupported("Fine since 2026-11-16 09:40.", **asked) == ()
    assert unsupported("Fine since 2026-11-15 09:40.", **asked) == ("2026-11-15 09:40",)
    # What a result tells without a day may have been on any.
    assert unsupported("It went down 2026-11-16 09:40.", "down at 09:40, looked at 2026-11-16") != ()


def test_terms_of_the_room_are_no_names_and_its_figures_prove_nothing() -> None:
    assert unsupported("IPv4 and p95", vocabulary="Knows IPv4 and p95, of 24 devices.") == ()
    assert unsupported("24 devices", vocabulary="Knows IPv4 and p95, of 24 devices.") == ("24",)


def test_a_name_that_exists_elsewhere_must_occur_too() -> None:
    assert unsupported("Night Reader is fine, and up.", known=["Night Reader", "up"]) == ("night reader",)


def test_a_sentence_cites_the_fewest_results_that_prove_it() -> None:
    sources = Sources({"E1": "web-1: 17", "E2": "web-1: 17, 18", "E3": "19"}, ["20"], zone=BERLIN)
    assert sources.check("`web-1` has 17 and 18.").text == "`web-1` has 17 and 18 [E2]."
    assert sources.check("17 and 19! ").text == "17 and 19 [E1, E3]! "
    assert sources.check("20 is what you said [E3].").text == "20 is what you said."
    assert sources.check("So it is [E2, E9].").text == "So it is [E2]."
    assert sources.check("| web-1 | 17 |\n").text == "| web-1 | 17 |\n"


def test_sentences_end_where_they_end_in_any_script() -> None:
    text = "It is 0.42 s. So?\n1. One thing. Two\n\n| a | b |\n値は0.42です。次"
    pieces = ["It is 0.42 s. ", "So?", "\n", "1. One thing. ", "Two\n", "\n", "| a | b |\n", "値は0.42です。", "次"]
    assert split_sentences(text) == pieces


@pytest.mark.parametrize("sign", ["1", "1,", "a-", '"', "`", "1.1.", "[E1,", "1:", ". ", "«", "1 ", "\n", "  ", "Nov "])
def test_ten_thousand_characters_of_anything_can_be_checked(sign: str) -> None:
    text = (sign * 10_000)[:10_000] + "x"
    assert "".join(split_sentences(text)) == text
    assert Sources({"E1": text}, zone=BERLIN).check("99 of web-7").unsupported == ("99", "web-7")
    Sources({"E1": "x"}, zone=BERLIN).check(text)
