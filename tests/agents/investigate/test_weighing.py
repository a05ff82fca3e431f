"""What an investigation concludes from what was seen, held to what depends on what."""

from __future__ import annotations

import pytest

from signalbox.agents.investigate.graph import Graph
from signalbox.agents.investigate.state import Alert, Conclusion, Reading, Seen
from signalbox.agents.investigate.weighing import conclude
from signalbox.contract import Relation

DAY = "2026-11-15T"
GRAPH = Graph.of([
    Relation("service:gateway", "name:checkout", "client metric"),
    Relation("service:checkout", "machine:checkout-1", "labels of up"),
    Relation("service:checkout", "machine:checkout-2", "labels of up"),
    Relation("service:checkout", "name:payment", "client metric"),
    Relation("service:payment", "machine:payment-1", "labels of up"),
    Relation("service:payment", "machine:db-1", "client metric"),
    Relation("service:reports", "machine:batch-1", "labels of up"),
    Relation("machine:checkout-1", "machine:web-1", "labels of kube_pod_info"),
    Relation("machine:web-1", "machine:a", "labels of lldp"),
    Relation("machine:db-1", "machine:b", "labels of lldp"),
    Relation("machine:a", "machine:b", "LLDP", is_wire=True),
    Relation("machine:b", "machine:z", "LLDP", is_wire=True),
    Relation("name:checkout", "experiment:Trial", "its decision point checkout"),
])  # fmt: skip


def seen(
    text: str, start: str, end: str | None, about: str = "", *, severity: str = "critical", symptom: bool = False,
    measure: str = "", **labels: str,
) -> Seen:  # fmt: skip
    return Seen(
        agent="x", text=text, start=f"{DAY}{start}:00+00:00", end=f"{DAY}{end}:00+00:00" if end else None,
        severity=severity, about=about, is_symptom=symptom, evidence=["E1"], labels=labels, measure=measure,
    )  # fmt: skip


def latency(service: str, start: str, end: str | None = "14:54") -> Seen:
    return seen(f"{service} was slow", start, end, service, symptom=True, measure="Latency", service=service)


SLOW = latency("checkout", "14:08")
LINK = seen("the link a–b flapped", "14:07", "14:52", "a–b")
CUSTOMER = seen("the link b–z flapped", "13:38", "14:58", "b–z")


def read(*subject: str, since: str = "12:00", end: str = "16:00", trouble: str = "", unknown: str = "") -> Reading:
    about = ", ".join(one.partition(":")[2] for one in subject)
    return Reading(
        subject=[*subject], about=about, trouble=trouble, unknown=unknown, since=f"{DAY}{since}:00+00:00",
        start=f"{DAY}10:00:00+00:00", end=f"{DAY}{end}:00+00:00",
    )  # fmt: skip


def cause_of(*what: Seen) -> str | None:
    cause = told(*what)["cause"]
    return cause["text"] if cause else None


def told(*what: Seen, of: str = "service:checkout", **more: str) -> Conclusion:
    return conclude(read(of, **more), what, GRAPH)  # type: ignore[arg-type]


def test_the_cause_is_connected_and_how_is_part_of_the_answer() -> None:
    found = told(SLOW, LINK, CUSTOMER)
    assert found["cause"] == LINK
    assert found["sureness"] == "confirmed"
    assert "checkout-1 → web-1 (labels of kube_pod_info)" in found["connection"]
    assert found["verdict"].startswith("Cause: the link a–b flapped. The connection: checkout → ")


def test_what_began_after_the_time_that_was_asked_about_is_no_symptom() -> None:
    assert told(latency("checkout", "14:08"), end="14:00")["symptoms"] == []


def test_where_everything_is_asked_about_a_fault_elsewhere_is_no_cause() -> None:
    session = seen("the BGP session b–z went down", "13:58", "14:50", "b–z", measure="bgp")
    found = conclude(read(), [session, SLOW], GRAPH)
    assert found["cause"] is None
    assert any(one.startswith("the BGP session b–z went down (nothing connects") for one in found["ruled_out"])


def test_what_is_not_connected_is_ruled_out_for_that_reason_however_early_and_long() -> None:
    found = told(SLOW, CUSTOMER)
    assert found["cause"] is None
    assert "Its cause is not known" in found["verdict"]
    assert any("nothing connects the link b–z to the symptom" in one for one in found["ruled_out"])
    assert any("dependencies.yaml" in one for one in found["next_steps"])


def test_an_upstream_symptom_may_be_the_cause() -> None:
    payment = latency("payment", "14:03")
    database = seen("db-1 was slow", "14:02", "14:54", "db-1", symptom=True, measure="Latency", instance="db-1:9187")
    found = told(SLOW, payment, database)
    assert found["cause"] == database
    assert any("payment was slow" in one for one in found["evidence_for"])


def test_what_depends_on_the_subject_is_a_consequence() -> None:
    found = told(SLOW, latency("gateway", "14:06"))
    assert found["cause"] is None
    assert (found["impact"], found["ruled_out"]) == (["gateway was slow"], [])


def test_what_depends_on_the_cause_and_suffered_is_its_impact_and_no_rival() -> None:
    found = told(SLOW, LINK, latency("gateway", "14:09"), latency("reports", "14:10"))
    assert found["verdict"].endswith("It also hit gateway.")
    assert found["impact"] == ["gateway was slow"]
    assert [one.partition(" (")[0] for one in found["ruled_out"]] == ["reports was slow"]


def test_the_impact_of_a_link_is_told_though_nothing_explains_it() -> None:
    found = told(LINK, SLOW, of="link:a–b")
    assert found["cause"] is None
    assert found["impact"] == ["checkout was slow"]


def test_a_fall_is_no_saturation() -> None:
    calm = seen("CPU of web-1 fell", "14:05", "14:54", "web-1", severity="info", measure="CPU usage", instance="web-1")
    found = told(SLOW, calm)
    assert found["cause"] is None
    assert any("nothing was wrong with it" in one for one in found["ruled_out"])


def test_more_requests_upstream_are_the_cause_and_not_what_they_overload() -> None:
    surge = seen("requests rose", "14:07", "14:54", "gateway", measure="Request rate", service="gateway")
    mine = seen("requests rose here", "14:07", "14:54", "checkout", measure="Request rate", service="checkout")
    host = seen("CPU rose", "14:08", "14:54", "web-1", measure="CPU usage", instance="web-1:9100")
    assert told(SLOW, host, mine, surge)["cause"] == surge


def test_a_release_just_before_explains_what_came_with_it() -> None:
    release = seen("checkout 2.0 was rolled out", "14:07", None, "checkout", measure="release", service="checkout")
    host = seen("CPU rose", "14:08", "14:54", "web-1", measure="CPU usage", instance="web-1:9100")
    assert cause_of(SLOW, host, release) == "checkout 2.0 was rolled out"
    early: Seen = {**release, "start": f"{DAY}12:30:00+00:00"}
    assert cause_of(SLOW, host, early) == "CPU rose"


def test_an_experiment_on_the_subject_may_be_the_cause() -> None:
    trial = seen("Trial was started", "14:06", None, "experiment Trial", severity="warning")
    assert cause_of(SLOW, trial) == "Trial was started"
    other: Seen = {**trial, "about": "experiment Other"}
    assert cause_of(SLOW, other) is None


@pytest.mark.parametrize(
    ("start", "end", "why"),
    [("14:20", "14:50", "it began 12 minutes after the symptom"), ("13:00", "13:30", "it was over before"),
     ("15:10", "15:30", "it began when the symptom was over"), ("11:00", "14:50", "it had been so long before")],
)  # fmt: skip
def test_the_times_have_to_fit(start: str, end: str, why: str) -> None:
    found = told(SLOW, seen("the link a–b flapped", start, end, "a–b"))
    assert found["cause"] is None
    assert why in found["ruled_out"][0]


def test_a_disk_may_fill_for_hours_before() -> None:
    full = seen("disk of db-1 full", "11:00", None, "db-1", measure="Disk usage", instance="db-1:9100")
    found = told(SLOW, full)
    assert found["cause"] is not None
    assert found["cause"]["text"] == full["text"]


def test_two_causes_that_fit_are_told_and_none_is_sure() -> None:
    disk = seen("db-1 was full", "14:07", "14:54", "db-1", instance="db-1:9100")
    cpu = seen("CPU of web-1 rose", "14:07", "14:54", "web-1", instance="web-1:9100")
    found = told(SLOW, disk, cpu)
    assert found["sureness"] == "likely"
    assert any("may be a cause as well" in one for one in found["evidence_against"])


def test_healthy_is_told_as_healthy() -> None:
    found = told(latency("reports", "14:08"), LINK)
    assert found["verdict"].startswith("Nothing found: checkout was healthy, no symptom of checkout was seen between")
    assert "Others had symptoms: reports was slow" in found["verdict"]
    assert (found["cause"], found["next_steps"]) == (None, [])


def test_what_nothing_measures_is_not_told_to_be_healthy() -> None:
    graph = Graph.of([Relation("name:bank", "name:pe2", "dependencies.yaml")])
    found = conclude(read("external:bank"), [], graph)
    assert found["verdict"].startswith("Nothing measures bank")


def test_a_source_that_failed_is_told_and_nothing_takes_the_place_of_the_symptom() -> None:
    failed = ["metrics did not answer within 90 seconds"]
    found = conclude(read("service:checkout"), [LINK], GRAPH, failed, failed)
    assert found["cause"] is None
    assert found["verdict"].startswith("It is not known whether anything was wrong with checkout")
    assert "metrics did not answer within 90 seconds" in found["verdict"]
    assert found["ruled_out"] == []
    assert conclude(read("service:checkout"), [SLOW, LINK], GRAPH, failed, failed)["sureness"] == "likely"


def test_a_subject_that_does_not_exist_is_said_with_what_there_is() -> None:
    found = conclude(read(unknown="billing"), [SLOW, LINK], GRAPH)
    assert found["verdict"].startswith("There is no billing here")
    assert "the services checkout, gateway, payment, reports" in found["verdict"]
    assert found["symptoms"] == []


def test_a_made_up_name_beside_a_real_one_is_said_and_the_real_one_answered() -> None:
    found = told(SLOW, LINK, unknown="search-api")
    assert found["verdict"].startswith(
        "There is no search-api here: nothing that was read is called so. Cause: the link"
    )


def test_the_way_leads_through_what_deviated() -> None:
    needs = [("checkout", "stock"), ("stock", "depot"), ("checkout", "cart"), ("cart", "offers"), ("offers", "depot")]
    graph = Graph.of([Relation(f"service:{one}", f"service:{other}", "client metric") for one, other in needs])
    depot, offers, cart = (latency(one, at) for one, at in (("depot", "14:05"), ("offers", "14:06"), ("cart", "14:07")))
    found = conclude(read("service:checkout"), [SLOW, depot, offers, cart], graph)
    assert found["cause"] == depot
    assert "checkout → cart → offers → depot" in found["verdict"]


def test_of_two_that_call_each_other_the_first_is_the_cause() -> None:
    needs = [("checkout", "stock"), ("stock", "depot"), ("depot", "stock")]
    graph = Graph.of([Relation(f"service:{one}", f"service:{other}", "client metric") for one, other in needs])
    stock, depot = latency("stock", "14:07"), latency("depot", "14:06")
    for seen_so in ([SLOW, stock, depot], [SLOW, depot, stock]):
        found = conclude(read("service:checkout"), seen_so, graph)
        assert found["cause"] == depot
        assert found["sureness"] == "confirmed"


def test_healthy_is_told_only_where_nothing_deviated_and_all_was_read() -> None:
    fell = seen(
        "requests fell", "14:07", "14:54", "checkout", severity="info", measure="Request rate", service="checkout"
    )
    found = told(fell)["verdict"]
    assert found.startswith("Nothing found: no symptom of checkout was seen")
    assert "What did change: requests fell." in found
    partly = conclude(read("service:checkout"), [], GRAPH, ["pe1: get_logs: timeout"])["verdict"]
    assert "healthy" not in partly


def test_without_a_subject_every_symptom_counts() -> None:
    assert conclude(read(), [SLOW, LINK, CUSTOMER], GRAPH)["cause"] == LINK


def test_an_alert_that_nothing_bears_out_has_no_cause_though_something_is_connected() -> None:
    alert = Alert(summary="Checkout is slow", labels={"service": "checkout"}, since=f"{DAY}14:12:00+00:00", until="")
    found = conclude(read("service:checkout"), [LINK], GRAPH, alert=alert)
    assert (found["cause"], found["sureness"]) == (None, "not known")
    assert found["evidence_against"] == ["the link a–b flapped is connected, and explains it badly"]
    assert found["verdict"].startswith("Only the alert tells of it: nothing that was read shows a trouble of checkout.")


def test_the_kind_of_trouble_chooses_among_the_symptoms() -> None:
    errors = seen("errors rose", "14:30", "14:54", "checkout", symptom=True, measure="Error rate", service="checkout")
    assert told(SLOW, errors, trouble="errors")["symptoms"] == [errors]
    other = told(SLOW, trouble="errors")
    assert other["symptoms"] == [SLOW]
    assert other["verdict"].startswith("Nothing shows errors of checkout. checkout was slow.")


def test_what_rose_of_the_kind_that_is_asked_about_is_its_symptom() -> None:
    for text, symptoms in (("CPU of web-1 rose to 70%", 1), ("CPU of web-1 fell to 2%", 0)):
        host = seen(text, "14:08", "14:54", "web-1", severity="info", measure="CPU usage", instance="web-1:9100")
        assert told(host, of="machine:web-1", trouble="busy")["symptoms"] == [host] * symptoms
        assert told(host, of="machine:web-1")["symptoms"] == []


def test_that_a_link_flapped_is_no_answer_to_why_it_did() -> None:
    found = told(LINK, of="link:a–b")
    assert found["cause"] is None
    assert found["verdict"].startswith("the link a–b flapped.")
    assert "Its cause is not known" in found["verdict"]


def test_another_symptom_of_the_subject_is_none_of_its_causes() -> None:
    errors = seen("errors rose", "14:08", "14:54", "checkout", symptom=True, measure="Error rate", service="checkout")
    assert told(SLOW, errors, trouble="slow")["cause"] is None


def test_a_host_or_link_has_troubles_of_its_own() -> None:
    assert told(LINK, CUSTOMER, of="link:a–b")["symptoms"] == [LINK]
    assert told(LINK, CUSTOMER, of="machine:b")["symptoms"] == [CUSTOMER, LINK]


def test_the_verdict_says_when_it_was_and_whether_it_is_over() -> None:
    assert told(SLOW, LINK)["verdict"].endswith("from Sun 15 Nov 14:08 to 14:54 and are over.")
    assert "were not over by Sun 15 Nov 16:00" in told({**SLOW, "end": None}, LINK)["verdict"]  # type: ignore[typeddict-item]


def test_what_was_not_read_is_told_whole_by_its_reason() -> None:
    failed = [f"measure {number}: the server is busy." for number in range(9)] + ["routers: away"]
    verdict = conclude(read("service:checkout"), [SLOW, LINK], GRAPH, failed)["verdict"]
    named = ", ".join(f"measure {number}" for number in range(9))
    assert f"Not everything could be looked at: {named}: the server is busy; routers: away." in verdict


def test_what_a_client_sees_of_another_may_be_the_link_between_them() -> None:
    wires = [Relation("machine:a", "machine:b", "LLDP", is_wire=True)]
    hosts = [("service:checkout", "machine:a"), ("service:store", "machine:b"), ("service:checkout", "service:store")]
    graph = Graph.of([*wires, *(Relation(one, other, "labels") for one, other in hosts)])
    asked = seen(
        "calls of store were slow", "14:07", "14:54", measure="Call time", service="checkout", peer_service="store"
    )
    link = seen("the link a–b flapped", "14:06", "14:52", "a–b", measure="interface")
    assert conclude(read("service:checkout"), [SLOW, asked, link], graph)["cause"] == link
    itself = latency("store", "14:05")
    assert conclude(read("service:checkout"), [SLOW, asked, itself, link], graph)["cause"] == itself
