"""The network under the shop: interfaces and BGP sessions of every device.

What the devices themselves tell over gNMI (prefixes, errors, load, transitions) is taken from the same model of the
network, so that both systems say the same of one thing at every moment.
"""

from __future__ import annotations

from signalbox.worlds.incident import BGP_SESSION, CORE_LINK
from signalbox.worlds.metrics.grid import seconds_of
from signalbox.worlds.metrics.noise import fraction
from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shapes import Constant, Counter, Flow, Level, Steps, Switch
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described, seconds_span
from signalbox.worlds.network.conditions import incident_conditions
from signalbox.worlds.network.history import History
from signalbox.worlds.network.model import build_model
from signalbox.worlds.network.router import ERRORS_A_RETURN
from signalbox.worlds.network.router import fraction as share_of
from signalbox.worlds.topology import BGP_SESSIONS, ROLES, Port, ports

__all__ = ["add_to"]

_ESTABLISHED, _ACTIVE = 6.0, 3.0
_OCTETS = {"PE": 2.4e7, "P": 6.5e7, "RR": 1.2e5, "CE": 1.1e7}

_DESCRIBED: Described = {
    "interface_in_octets_total": ("counter", "Octets received on the interface."),
    "interface_out_octets_total": ("counter", "Octets sent on the interface."),
    "interface_in_errors_total": ("counter", "Frames received with errors."),
    "interface_oper_status": ("gauge", "1 when the interface is up, 0 when it is down."),
    "interface_carrier_transitions_total": (
        "counter",
        "How often the interface changed between up and down.",
    ),
    "interface_speed_bits_per_second": ("gauge", "The speed of the interface."),
    "bgp_session_state": ("gauge", "State of the BGP session: 1 idle, 2 connect, 3 active, 6 established."),
    "bgp_session_flaps_total": ("counter", "How often the BGP session left the established state."),
    "bgp_prefixes_received": ("gauge", "Prefixes received on the BGP session."),
    "device_cpu_utilization_ratio": ("gauge", "Share of the device's CPU in use, 0 to 1."),
}


def add_to(catalogue: Catalogue) -> None:
    """Enter every device."""
    catalogue.describe(_DESCRIBED)
    targets = {device: Target("network", f"{device}:57400") for device in ROLES}
    history = History(build_model(), incident_conditions(catalogue.incident), catalogue.midnight)
    for device, target in targets.items():
        catalogue.add_target(target, 24, device=device)
        # What the device says of all its cores, give or take a percent.
        load = 0.09 + 0.12 * share_of(device) + 0.04 * share_of(f"{device}/ALL")
        cpu = Level(f"{device}/cpu", load, noise=0.02, high=1.0)
        catalogue.add("device_cpu_utilization_ratio", cpu, target, device=device)
    for port in ports():
        _add_port(port, targets[port.device], catalogue)
    for first, second in BGP_SESSIONS:
        dropped = (first, second) == BGP_SESSION
        for device, neighbor in ((first, second), (second, first)):
            _add_session(device, neighbor, dropped, targets[device], history, catalogue)


def _add_port(port: Port, target: Target, catalogue: Catalogue) -> None:
    flaps = (port.device, port.interface) in CORE_LINK
    down = tuple(map(seconds_span, catalogue.incident.link_down)) if flaps else ()
    births = (catalogue.before(211),)
    labels = {"device": port.device, "interface": port.interface, "peer": port.peer}
    key = f"{port.device}/{port.interface}"
    rate = min(_OCTETS[ROLES[port.device]], _OCTETS[ROLES[port.peer]]) * (0.8 + 0.4 * fraction(key))
    for direction in ("in", "out"):
        flow = Flow(f"{key}/{direction}", rate, day=0.35, week=0.05)
        octets = Counter(((flow, 1.0),), births, halts=down)
        catalogue.add(f"interface_{direction}_octets_total", octets, target, **labels)
    returns = tuple((end, float(ERRORS_A_RETURN * count)) for count, (_, end) in enumerate(down, 1))
    catalogue.add("interface_in_errors_total", Constant(0.0, returns), target, **labels)
    catalogue.add("interface_oper_status", Switch(down), target, **labels)
    transitions = Steps(tuple(moment for span in down for moment in span), initial=2.0)
    catalogue.add("interface_carrier_transitions_total", transitions, target, **labels)
    catalogue.add("interface_speed_bits_per_second", Constant(1e9), target, **labels)


def _add_session(
    device: str, neighbor: str, dropped: bool, target: Target, history: History, catalogue: Catalogue
) -> None:
    down = (seconds_span(catalogue.incident.bgp_down),) if dropped else ()
    labels = {"device": device, "neighbor": neighbor}
    catalogue.add("bgp_session_state", Switch(down, on=_ESTABLISHED, off=_ACTIVE), target, **labels)
    catalogue.add("bgp_session_flaps_total", Steps(tuple(start for start, _ in down), initial=1.0), target, **labels)
    first = history.at(history.began)
    changes = history.changes(lambda at: len(at.told(neighbor, device)), max(catalogue.incident.bgp_down))
    received = Constant(
        float(len(first.told(neighbor, device))),
        tuple((seconds_of(one.moment), float(str(one.value))) for one in changes),
    )
    catalogue.add("bgp_prefixes_received", received, target, **labels)
