"""What a check is for, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["name_of_check", "objective_of", "said_of", "without_devices"]

_WORDS = {
    "check_bgp_neighbors": "Check BGP neighbor status for {neighbor} on {devices}",
    "check_interface_status": "Summarize operational state for {interface} on {devices}",
    "review_pe_device": "Perform standard PE device review checks on {devices}",
    "review_p_device": "Perform standard P device review checks on {devices}",
    "review_rr_device": "Perform standard RR device review checks on {devices}",
    "troubleshoot_vpn_vrf": "Troubleshoot {vrf} on {devices}",
    "check_mpls_state": "Check MPLS and LDP state on {devices}",
    "check_isis_adjacencies": "Check IS-IS adjacencies on {devices}",
    "check_routes": "Look up {prefix} on {devices}",
    "check_logs": "Read the log of {devices}",
    "show_system_facts": "Tell version, uptime and clock of {devices}",
    "show_lldp_neighbors": "Tell the LLDP neighbors at {interface} of {devices}",
    "general_device_health_check": "Perform a general health check of {devices}",
}
_NAMES = {
    "check_bgp_neighbors": "BGP",
    "check_interface_status": "interfaces",
    "troubleshoot_vpn_vrf": "VRFs",
    "check_mpls_state": "MPLS and LDP",
    "check_isis_adjacencies": "IS-IS",
    "check_routes": "routes",
    "check_logs": "the log",
    "show_system_facts": "the system",
    "show_lldp_neighbors": "LLDP",
    "general_device_health_check": "general health",
}
_MOST = 4


def name_of_check(intent: str) -> str:
    """What a check is called in a list."""
    return _NAMES.get(intent, intent.replace("_", " "))


def objective_of(intent: str, description: str, devices: Sequence[str], focus: Mapping[str, str]) -> str:
    """The objective of a plan on devices; `focus` is the interface, VRF or neighbour that the request names."""
    port = focus.get("interface", "")
    words = {
        "devices": said_of(devices),
        "neighbor": f"neighbor {focus['neighbor']}" if focus.get("neighbor") else "all neighbors",
        "interface": f"interface {port}" if port and ", " not in port else "all interfaces",
        "prefix": f"the route to {focus['prefix']}" if focus.get("prefix") else "the routes",
        "vrf": f"VRF {focus['vrf']}" if focus.get("vrf") else "all VRFs",
    }
    if intent in _WORDS:
        return _WORDS[intent].format(**words)
    about = description.strip().rstrip(".") or intent.replace("_", " ")
    return f"Carry out '{about}' on {words['devices']}"


def said_of(devices: Sequence[str]) -> str:
    """Devices as a sentence names them."""
    if len(devices) > _MOST:
        return f"{len(devices)} devices ({', '.join(devices[:_MOST])}, …)"
    return " and ".join([", ".join(devices[:-1]), devices[-1]] if len(devices) > 1 else devices)


def without_devices(objective: str, devices: Sequence[str]) -> str:
    """An objective for whoever works on one device that is chosen already: the same for all of them."""
    return objective.replace(said_of(devices), "the device") if devices else objective
