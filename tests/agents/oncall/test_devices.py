"""Which devices of the inventory words mean."""

from __future__ import annotations

from typing import Any

import pytest

from signalbox.agents.oncall.inventory import Device, read_devices
from signalbox.agents.oncall.named_devices import chosen_devices
from signalbox.agents.oncall.offline.devices import Meant, devices_meant
from signalbox.agents.oncall.plan import Question, Reading
from signalbox.errors import NotFoundError

ROLES = {
    "xrd-1": "PE",
    "xrd-2": "PE",
    "pe1": "PE",
    "pe2": "PE",
    "xrd-3": "P",
    "xrd-4": "P",
    "core-rtr-1": "P",
    "core-rtr-2": "P",
    "xrd-5": "RR",
    "xrd-6": "RR",
    "xrd-7": "CE",
    "xrd-8": "CE",
}
DEVICES = [Device(name, role=role) for name, role in ROLES.items()]
XRD = [f"xrd-{number}" for number in range(1, 9)]


def meant(text: str, *said: str, **more: Any) -> list[str] | Question:
    found = devices_meant(text, Reading(devices=said or (text,), **more), DEVICES)
    return found if isinstance(found, Question) else found.devices


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("XRD-1", ["xrd-1"]),
        ("xrd1", ["xrd-1"]),
        ("xrd_1", ["xrd-1"]),
        ("xrd 1", ["xrd-1"]),
        ("PE-2", ["pe2"]),
        ("corertr2", ["core-rtr-2"]),
        ("Core Rtr 2", ["core-rtr-2"]),
        ("xdr-1", ["xrd-1"]),
        ("croe-rtr-1", ["core-rtr-1"]),
        ("xrd-1 and pe1", ["xrd-1", "pe1"]),
        ("xrd-1, 2 and 3", ["xrd-1", "xrd-2", "xrd-3"]),
        ("xrd-1 through xrd-4", ["xrd-1", "xrd-2", "xrd-3", "xrd-4"]),
        ("xrd-1 to xrd-4", ["xrd-1", "xrd-2", "xrd-3", "xrd-4"]),
        ("xrd-3..5", ["xrd-3", "xrd-4", "xrd-5"]),
        ("xrd-[1-3]", ["xrd-1", "xrd-2", "xrd-3"]),
        ("xrd-[1,3]", ["xrd-1", "xrd-3"]),
        ("core-rtr-*", ["core-rtr-1", "core-rtr-2"]),
        ("xrd-*", XRD),
        ("all PE routers", ["xrd-1", "xrd-2", "pe1", "pe2"]),
        ("the route reflectors", ["xrd-5", "xrd-6"]),
        ("core routers", ["xrd-3", "xrd-4", "core-rtr-1", "core-rtr-2"]),
        ("customer edges", ["xrd-7", "xrd-8"]),
        ("every device", list(ROLES)),
        ("the whole network", list(ROLES)),
        ("all PEs except pe1", ["xrd-1", "xrd-2", "pe2"]),
        ("all PEs but not pe1 and pe2", ["xrd-1", "xrd-2"]),
        ("everything except the CEs", [name for name in ROLES if ROLES[name] != "CE"]),
        ("xrd-1 through xrd-6 without xrd-4", ["xrd-1", "xrd-2", "xrd-3", "xrd-5", "xrd-6"]),
        ("route reflector xrd-5", ["xrd-5"]),
        ("our xrds", XRD),
        ("each xrd node", XRD),
        ("all of the xrd devices without xrd-2 and xrd-3", [name for name in XRD if name not in ("xrd-2", "xrd-3")]),
        ("the entire core", ["xrd-3", "xrd-4", "core-rtr-1", "core-rtr-2"]),
        ("the odd-numbered PEs", ["xrd-1", "pe1"]),
        ("every xrd with an odd number", ["xrd-1", "xrd-3", "xrd-5", "xrd-7"]),
        ("the xrd PEs", ["xrd-1", "xrd-2"]),
        ("both route reflectors", ["xrd-5", "xrd-6"]),
        ("all 12 devices", list(ROLES)),
        ("PE routers, all four of them", ["xrd-1", "xrd-2", "pe1", "pe2"]),
        ("all devices in the network", list(ROLES)),
        ("every PE in the last hour", ["xrd-1", "xrd-2", "pe1", "pe2"]),
        ("all our damn routers", list(ROLES)),
    ],
)
def test_words_that_name_devices(text: str, names: list[str]) -> None:
    found = meant(text)
    assert isinstance(found, list)
    assert sorted(found) == sorted(names)


def test_a_device_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="xrd-9") as caught:
        meant("bgp on xrd-9", "xrd-9")
    assert "xrd-1" in caught.value.suggestion


@pytest.mark.parametrize("said", ["xrd-12", "pe7", "poseidon", "core-rtr-1 through core-rtr-9", "lon-*"])
def test_what_is_not_in_the_inventory_is_never_taken_for_something_else(said: str) -> None:
    with pytest.raises(NotFoundError):
        meant(said)


def test_one_known_and_one_unknown_device_are_refused_together() -> None:
    with pytest.raises(NotFoundError, match="xrd-42"):
        meant("cpu of xrd-1 and xrd-42", "xrd-1", "xrd-42")


@pytest.mark.parametrize("said", ["xrd", "core-rtr", "the route reflector", "pe"])
def test_a_stem_that_fits_several_is_asked_about(said: str) -> None:
    found = meant(f"check {said}", said)
    assert isinstance(found, Question)
    assert len(found.options) > 1


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("all routers in Lisbon", list(ROLES)),
        ("the Lisbon PEs", ["xrd-1", "xrd-2", "pe1", "pe2"]),
        ("every device at site 7", list(ROLES)),
        ("all Arista boxes", list(ROLES)),
        ("the reflectors in the southern region", ["xrd-5", "xrd-6"]),
        ("all three PEs", ["xrd-1", "xrd-2", "pe1", "pe2"]),
        ("the first two CPEs in Porto", ["xrd-7", "xrd-8"]),
        ("half the P routers", ["xrd-3", "xrd-4", "core-rtr-1", "core-rtr-2"]),
        ("the reflectors that Ines installed", ["xrd-5", "xrd-6"]),
        ("both CEs which we moved last week", ["xrd-7", "xrd-8"]),
    ],
)
def test_a_group_restricted_by_words_that_the_inventory_does_not_know_is_asked_about(
    text: str, fits: list[str]
) -> None:
    found = meant(text)
    assert isinstance(found, Question)
    assert sorted(found.options) == sorted(fits)


def test_an_exception_that_nobody_can_follow_is_asked_about() -> None:
    found = meant("all PEs except the ones in Porto", "all PEs", left_out=("the ones in Porto",))
    assert isinstance(found, Question)
    assert "the ones in Porto" in found.message


def test_one_of_a_group_is_not_all_of_it() -> None:
    found = meant("one of the reflectors dropped its clients", "reflectors")
    assert isinstance(found, Question)
    assert found.options == ("xrd-5", "xrd-6")


def test_systems_are_told_apart_where_the_inventory_names_them() -> None:
    devices = [Device("a-1", nos="iosxr"), Device("a-2", nos="sros"), Device("b-1", nos="iosxr")]
    assert devices_meant("all IOS-XR routers", Reading(devices=("all IOS-XR routers",)), devices) == Meant(
        ["a-1", "b-1"]
    )


def test_no_device_is_no_device() -> None:
    assert devices_meant("is the router up", Reading(devices=("the router",)), DEVICES) == Meant([])


def test_a_name_in_the_request_is_meant_though_the_model_missed_it() -> None:
    assert meant("compare bgp on pe1 and pe2", "pe1") == ["pe1", "pe2"]


def test_a_role_or_the_network_is_meant_though_the_model_missed_it() -> None:
    assert devices_meant("bgp on all PE routers except pe1", Reading(), DEVICES) == Meant(["xrd-1", "xrd-2", "pe2"])
    assert devices_meant("health of the whole network", Reading(), DEVICES) == Meant(list(ROLES))
    assert devices_meant("are all sessions up", Reading(), DEVICES) == Meant([])


def test_all_others_are_meant_where_the_model_names_only_what_is_left_out() -> None:
    assert meant("ldp of all P routers except xrd-3", "xrd-3") == ["xrd-4", "core-rtr-1", "core-rtr-2"]
    assert meant("the RRs without xrd-5, reflector review", "xrd-5") == ["xrd-6"]
    assert isinstance(meant("every RR but not xrd-5 and xrd-6", "xrd-5", "xrd-6"), Question)


def test_a_role_inside_a_name_is_a_part_of_the_name() -> None:
    for name in ("rr-ber-2", "rome-pe-9"):
        with pytest.raises(NotFoundError, match=name):
            meant(f"review {name}", name)


def test_the_name_of_a_port_is_no_device() -> None:
    assert meant("mtu of eth-pe1 on pe2", "pe2", interface="eth-pe1") == ["pe2"]


def test_a_peer_is_no_device_to_check() -> None:
    assert meant("is the session to xrd-5 up on pe2", "pe2", neighbor="xrd-5") == ["pe2"]


def test_what_was_read_as_a_peer_is_the_device_where_nothing_else_is() -> None:
    reading = Reading(neighbor="pe-2", interface="xrd-1..xrd-3", vrf="pe1")
    found = devices_meant("peers of pe-2, xrd-1..xrd-3 and pe1", reading, DEVICES)
    assert not isinstance(found, Question)
    assert set(found.devices) == {"pe1", "pe2", "xrd-1", "xrd-2", "xrd-3"}


def test_a_name_of_another_network_is_refused_though_the_model_missed_it() -> None:
    with pytest.raises(NotFoundError, match="lon-pe-4"):
        devices_meant("check bgp on lon-pe-4", Reading(), DEVICES)


def test_a_session_has_two_ends_and_a_range_all_between() -> None:
    assert meant("ports, xrd-1 to xrd-3", "xrd-1", "xrd-3") == ["xrd-1", "xrd-2", "xrd-3"]
    assert meant("session xrd-1 to xrd-7 up?", "xrd-1 to xrd-7") == ["xrd-1", "xrd-7"]


def test_what_the_model_leaves_out_is_left_out() -> None:
    reading = Reading(devices=("all PEs",), left_out=("pe1",))
    assert devices_meant("pe1 is done, now all PEs", reading, DEVICES) == Meant(["xrd-1", "xrd-2", "pe2"])


@pytest.mark.parametrize(
    ("text", "said", "names"),
    [
        (
            "ldp on xrd-3 thru xrd-4 and the PEs",
            ["xrd-3 thru xrd-4"],
            ["xrd-1", "xrd-2", "xrd-3", "xrd-4", "pe1", "pe2"],
        ),
        ("pe2 plus both reflectors, bgp", ["pe2"], ["pe2", "xrd-5", "xrd-6"]),
        ("health of core-rtr-* and on any CE", ["core-rtr-*"], ["core-rtr-1", "core-rtr-2", "xrd-7", "xrd-8"]),
        ("xrd-3 thru 4: ldp", ["xrd-3 thru 4"], ["xrd-3", "xrd-4"]),
        ("ldp on xrd-1, 2 and 3.", ["xrd-1"], ["xrd-1", "xrd-2", "xrd-3"]),
        ("RR and CE routers", ["RR", "CE routers"], ["xrd-5", "xrd-6", "xrd-7", "xrd-8"]),
        ("pe1's and pe2's ports", ["pe1"], ["pe1", "pe2"]),
        ("xrd-4 (P) and pe1 (PE)", ["xrd-4"], ["xrd-4", "pe1"]),
        ("the reflectors (xrd-5 and xrd-6)", ["the reflectors"], ["xrd-5", "xrd-6"]),
        ("vrfs of pe2 as well as the other PEs", ["pe2"], ["xrd-1", "xrd-2", "pe1", "pe2"]),
    ],
)
def test_a_list_is_meant_as_a_whole_though_the_model_marked_a_part_of_it(
    text: str, said: list[str], names: list[str]
) -> None:
    assert sorted(meant(text, *said)) == sorted(names)


@pytest.mark.parametrize(
    ("text", "said", "names"),
    [
        ("leave pe2 out, ports of the PEs", ["pe2", "the PEs"], ["xrd-1", "xrd-2", "pe1"]),
        ("don't bother with xrd-5, bgp on xrd-6", ["xrd-5", "xrd-6"], ["xrd-6"]),
        ("vrfs on pe2 instead of pe1", ["pe2", "pe1"], ["pe2"]),
        ("all P routers minus the core-rtr ones", ["all P routers"], ["xrd-3", "xrd-4"]),
    ],
)
def test_a_device_that_is_named_to_be_left_out_is_not_checked(text: str, said: list[str], names: list[str]) -> None:
    assert meant(text, *said) == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("xrd-7 looks alright, how is bgp at xrd-8", ["xrd-7", "xrd-8"]),
        ("before I touch xrd-3 tell me if xrd-4 is healthy", ["xrd-4"]),
        ("all PEs, but pe2 first", ["all PEs"]),
        ("ports of xrd-1, sorry, I meant xrd-2", ["xrd-1", "xrd-2"]),
        ("pe1 was slow, just do pe2", ["pe1", "pe2"]),
        ("xrd-1 xrd-3 but only the PEs", ["xrd-1", "xrd-3", "PEs"]),
        ("review xrd-5 and after lunch the PEs", ["xrd-5"]),
        ("pe1 is known to be slow. do the others", ["pe1"]),
        ("everything from xrd-3 upwards", ["everything from xrd-3"]),
        ("all non-PE routers", ["all non-PE routers"]),
        ("ldp is up on all PEs except pe2, look at pe2", ["all PEs"]),
        ("pe2 is a lab box; ports of everything else", ["pe2"]),
        ("everything that isn't a PE", ["everything"]),
        ("xrd-6 and up", ["xrd-6"]),
        ("all xrds from 5 on", ["all xrds"]),
        ("pe2 and everything connected to it", ["pe2"]),
        ("I went over pe2, do the remaining PEs", ["pe2", "PEs"]),
        ("xrd-5 is being swapped, do the other reflector", ["xrd-5"]),
        ("xrd-8 reports alarms, verify xrd-2", ["xrd-8", "xrd-2"]),
    ],
)
def test_a_mention_of_which_nothing_says_what_it_is_for_is_asked_about(text: str, said: list[str]) -> None:
    assert isinstance(meant(text, *said), Question)


def test_a_stranger_in_a_list_of_devices_is_refused_though_the_model_missed_it() -> None:
    for text in ("bgp on pe1 and lon-7", "bgp on ber-core-2, pe1"):
        with pytest.raises(NotFoundError):
            meant(text, "pe1")


def test_devices_of_the_turn_before_can_be_left_out() -> None:
    reading, before = Reading(left_out=("pe1",)), ["xrd-1", "xrd-2", "pe1", "pe2"]
    assert devices_meant("the same without pe1", reading, DEVICES, before) == Meant(["xrd-1", "xrd-2", "pe2"])
    others = devices_meant("and the others?", Reading(), DEVICES, ["xrd-5"])
    assert isinstance(others, Meant)
    assert others.devices == [one.name for one in DEVICES if one.name != "xrd-5"]


def test_both_in_a_reply_are_those_that_were_offered() -> None:
    assert chosen_devices("both", ("xrd-1", "pe1"), DEVICES) == ["xrd-1", "pe1"]


def test_a_reply_names_devices_too() -> None:
    assert chosen_devices("xrd 1 and pe2", XRD, DEVICES) == ["xrd-1", "pe2"]
    assert chosen_devices("2", ("xrd-5", "xrd-6"), DEVICES) == ["xrd-6"]


@pytest.mark.parametrize("reply", ["no idea", "check the logs of pe1", "how is bgp", "restart xrd-5"])
def test_a_reply_that_is_no_choice_chooses_nothing(reply: str) -> None:
    assert chosen_devices(reply, XRD, DEVICES) == []


def test_a_device_is_found_by_its_address() -> None:
    devices = [Device("a-1", "10.0.0.1"), Device("a-2", "10.0.0.2")]
    assert devices_meant("health of 10.0.0.2", Reading(devices=("10.0.0.2",)), devices) == Meant(["a-2"])


@pytest.mark.parametrize(
    "told",
    [
        [{"name": "r1", "role": "PE"}],
        {"devices": [{"name": "r1", "role": "PE"}]},
        {"status": "success", "data": {"devices": [{"name": "r1", "role": "provider edge"}]}},
        ["r1"],
        {"r1": {"role": "PE"}},
    ],
)
def test_an_inventory_is_read_however_it_is_wrapped(told: object) -> None:
    assert [device.name for device in read_devices(told)] == ["r1"]


def test_a_role_is_never_read_from_a_name() -> None:
    assert [device.role for device in read_devices(["fra-edge-01", "vrr-par", "LON.PE1"])] == ["", "", ""]


@pytest.mark.parametrize("text", ["three of the PEs", "any one of the P routers", "one of the two RRs"])
def test_some_of_a_group_are_asked_for(text: str) -> None:
    assert isinstance(meant(text), Question)


def test_a_mark_after_a_hyphen_stands_for_a_figure() -> None:
    assert meant("core-rtr-? errors", "core-rtr-?") == ["core-rtr-1", "core-rtr-2"]


@pytest.mark.parametrize(
    ("text", "said", "names"),
    [
        ("routes pe2 gets from xrd-6", ["pe2", "xrd-6"], ["pe2"]),
        ("age of xrd-6's session with pe1", ["xrd-6", "pe1"], ["xrd-6"]),
        ("mpls of xrd-3, skip the rest", ["xrd-3"], ["xrd-3"]),
    ],
)
def test_the_other_end_of_a_session_is_a_peer(text: str, said: list[str], names: list[str]) -> None:
    assert meant(text, *said) == names


def test_the_other_one_of_two_is_the_one_not_spoken_of() -> None:
    reading = Reading(devices=("the other reflector",))
    assert devices_meant("the same on the other reflector", reading, DEVICES, ["xrd-6"]) == Meant(["xrd-5"])
