"""What a router has written into its log, in the form of its platform."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from signalbox.worlds.network.conditions import Cause, Condition
from signalbox.worlds.network.history import Change
from signalbox.worlds.network.model import End, Link, Session
from signalbox.worlds.network.overrides import logged_lines
from signalbox.worlds.network.router import CLOCK_SKEW, Router
from signalbox.worlds.network.snapshot import Peering

__all__ = ["MOST_LINES", "log_lines"]

MOST_LINES = 400
Line = tuple[datetime, str]

_REPEATS = {
    Cause.REMOTE_AS: 60,
    Cause.PASSWORD: 40,
    Cause.ERRORS: 300,
    Cause.CPU: 240,
    Cause.MEMORY: 300,
    Cause.CLOCK: 600,
}
_COMMIT = (
    "config[65774]: %MGBL-CONFIG-6-DB_COMMIT : Configuration committed by user 'admin'. "
    "Use 'show configuration commit changes 1000000412' to view the changes."
)
_REBOOT = (
    "rebootmgr[312]: %INFRA-REBOOT-1-UNEXPECTED : "
    "Restarted after a critical error in process 'fib_mgr', no user asked for it"
)
_COMPLAINTS = {
    Cause.ERRORS: "fab_mgr[141]: %PKT_INFRA-FM-4-FAULT_MINOR : "
    "ALARM_MINOR :RX_FCS_ERROR :DECLARE :{}: input errors above threshold",
    Cause.CPU: "wdsysmon[457]: %HA-HA_WD-4-CPU_HOG : CPU hog: cpu 0's utilization is 97%, process bgp (1084)",
    Cause.MEMORY: "wdsysmon[457]: %HA-HA_WD-3-MEMORY_STATE_CHANGE : New memory state: Severe, 3% free",
    Cause.CLOCK: "ntpd[261]: %IP-IP_NTP-4-SYNC_LOSS : Synchronization lost : 172.20.0.1 : The association was removed",
}
# What somebody did: the router writes that its configuration was changed.
_CONFIGURED = (Cause.MTU, Cause.IMPORT, Cause.REMOTE_AS, Cause.PASSWORD, Cause.SHUTDOWN, Cause.WITHDRAWN)
_QUIET = (
    "SSHD_[1184]: %SECURITY-SSHD-6-INFO_USER_LOGOUT : User 'collector' from '172.20.0.2' logged out on 'vty0'",
    "ntpd[261]: %IP-IP_NTP-6-SYNC_STATUS : Clock is synchronised to 172.20.0.1",
    "plat_sl_client[186]: %LICENSE-PLAT_CLIENT-6-SIA_IN_COMPLIANCE : Device is in SIA Compliance",
)


def log_lines(router: Router) -> list[str]:
    """The log, oldest first; a router that restarts forgets what it wrote before."""
    added = list(logged_lines(router.overrides, router.moment))
    timed = [*_all(router), *((moment, text) for moment, text in added if moment)]
    lines = sorted(line for line in timed if router.booted <= line[0] <= router.moment)
    written = [_written(router, moment, text) for moment, text in lines[-MOST_LINES:]]
    return [*written, *(text for moment, text in added if moment is None)]


def _written(router: Router, moment: datetime, text: str) -> str:
    skewed = router.history.at(moment).has(Cause.CLOCK, router.name)
    shown = moment + (CLOCK_SKEW if skewed else timedelta())
    return f"RP/0/RP0/CPU0:{shown:%b} {shown.day:2d} {shown:%H:%M:%S}.{shown.microsecond // 1000:03d} UTC: {text} "


def _all(router: Router) -> Iterator[Line]:
    yield from _starting(router)
    yield from _quiet(router)
    for end, link in router.model.ends[router.name]:
        yield from _interface(router, end, link)
        yield from _adjacency(router, end, link)
        yield from _ldp(router, end, link)
    for peer, session in router.model.sessions_of[router.name]:
        yield from _session(router, peer, session)
    for condition in router.history.conditions:
        if condition.device == router.name:
            yield from _complaint(router, condition)
        elif condition.target == router.name and condition.cause in (Cause.PASSWORD, Cause.REMOTE_AS):
            yield from _refused(router, condition.device, condition)


def _later(moment: datetime, milliseconds: int) -> datetime:
    return moment + timedelta(milliseconds=milliseconds)


def _starting(router: Router) -> Iterator[Line]:
    if router.rebooted:
        yield _later(router.booted, 900), _REBOOT
    applied = "cfgmgr-rp[204]: %MGBL-CONFIG-6-STARTUP_DONE : Startup configuration has been applied"
    yield _later(router.booted, 1200), applied
    if router.device.runs_isis:
        start = "isis[1003]: %ROUTING-ISIS-6-INFO_STARTUP_START : ISIS (1): Cold controlled start beginning"
        yield _later(router.booted, 31000), start
    ready = "bgp[1084]: %ROUTING-BGP-6-NSR_STATE_CHANGE : Changed state to Not NSR-Ready"
    yield _later(router.booted, 33000), ready


def _quiet(router: Router) -> Iterator[Line]:
    """Now and then something that means nothing, on the same hours for everybody who looks."""
    hour = router.moment.replace(minute=0, second=0, microsecond=0)
    for ago in range(48):
        moment = hour - timedelta(hours=ago) + timedelta(seconds=31 * router.device.index)
        text = _QUIET[(moment.hour + router.device.index) % len(_QUIET)]
        yield moment, text


def _interface(router: Router, end: End, link: Link) -> Iterator[Line]:
    name = f"Interface {end.interface}, changed state to"
    for change in router.history.changes(lambda at: at.oper_up(link), router.moment, router.booted):
        word = "Up" if change.value else "Down"
        if router.history.at(change.moment).admin_up(router.name, end.interface):
            yield change.moment, f"ifmgr[277]: %PKT_INFRA-LINK-3-UPDOWN : {name} {word}"
        else:
            yield _later(change.moment, -400), _COMMIT
            yield change.moment, f"ifmgr[277]: %PKT_INFRA-LINK-5-CHANGED : {name} Administratively Down"
        told = f"ifmgr[277]: %PKT_INFRA-LINEPROTO-5-UPDOWN : Line protocol on {name} {word}"
        yield _later(change.moment, 2), told


def _adjacency(router: Router, end: End, link: Link) -> Iterator[Line]:
    if not link.isis:
        return
    for change in router.adjacency_changes(end, link):
        up = change.value == "UP"
        lit = router.history.at(change.moment).oper_up(link)
        reason = "New adjacency" if up else ("Hold time expired" if lit else "Interface state down")
        text = f"Adjacency to {end.peer} ({end.interface}) (L2) {'Up' if up else 'Down'}, {reason}"
        # Where the wire is still there, it takes until the last hello is too old.
        late = 40 if up or not lit else 27000
        yield _later(change.moment, late), f"isis[1003]: %ROUTING-ISIS-5-ADJCHANGE : ISIS (1): {text}"


def _ldp(router: Router, end: End, link: Link) -> Iterator[Line]:
    if not link.ldp:
        return
    who = f"VRF 'default' (0xe0000000), Neighbor {router.model.devices[end.peer].loopback}:0"
    words = {
        "OPERATIONAL": "UP",
        "NON_EXISTENT": "DOWN (Session KeepAlive Timer expired)",
        None: "DOWN (Discovery Hello Hold Timer expired)",
    }
    for change in router.history.changes(lambda at: at.ldp(end, link), router.moment, router.booted):
        told = words[change.value]  # type: ignore[index]
        yield _later(change.moment, 60), f"mpls_ldp[1176]: %ROUTING-LDP-5-NBR_CHANGE : {who} is {told}"


def _session(router: Router, peer: str, session: Session) -> Iterator[Line]:
    address = router.model.session_address(peer, session)
    asn = router.model.devices[peer].asn
    vrf = session.link.vrf if session.link and router.device.role == "PE" else "default"
    for change in router.peering_changes(peer, session):
        was_up, is_up = _up(change.before), _up(change.value)
        if was_up == is_up:
            continue
        word = "Up" if is_up else f"Down - {_reason(change, session)}"
        told = f"bgp[1084]: %ROUTING-BGP-5-ADJCHANGE : neighbor {address} {word} (VRF: {vrf}) (AS: {asn})"
        yield _later(change.moment, 80), told


def _up(peering: object) -> bool:
    return isinstance(peering, Peering) and peering.state == "ESTABLISHED"


def _reason(change: Change, session: Session) -> str:
    assert isinstance(change.value, Peering)
    ours = change.value.local_fault
    told = "BGP Notification sent" if ours else "BGP Notification received"
    expired = "BGP Notification sent, hold time expired"
    return {
        Cause.REMOTE_AS: f"{told}, OPEN Message Error/Bad Peer AS",
        Cause.PASSWORD: expired,
        Cause.SHUTDOWN: "Admin. shutdown" if ours else f"{told}, administrative shutdown",
        Cause.HOLD_TIMER: f"{told}, hold time expired",
    }.get(change.value.cause or Cause.CARRIER, "Interface flap" if session.link else expired)


def _complaint(router: Router, condition: Condition) -> Iterator[Line]:
    text = _COMPLAINTS.get(condition.cause)
    if text:
        yield from _repeated(router, condition, text.format(condition.target))
    if condition.cause in (Cause.REMOTE_AS, Cause.PASSWORD):
        yield from _refused(router, condition.target, condition)
    if condition.cause in _CONFIGURED:
        yield _later(condition.start, -600), _COMMIT


def _refused(router: Router, peer: str, condition: Condition) -> Iterator[Line]:
    """What both sides of a session write each time they try in vain."""
    session = next(one for name, one in router.model.sessions_of[router.name] if name == peer)
    there = router.model.session_address(peer, session)
    here = router.model.session_address(router.name, session)
    if condition.cause is Cause.PASSWORD:
        text = f"tcp[407]: %IP-TCP-3-BADAUTH : Invalid MD5 digest from {there}:179 to {here}:52114"
    else:
        word = "sent to" if condition.device == router.name else "received from"
        text = f"bgp[1084]: %ROUTING-BGP-3-NOTIFICATION : {word} neighbor {there} 2/2 (OPEN Message Error/Bad Peer AS)"
    yield from _repeated(router, condition, text)


def _repeated(router: Router, condition: Condition, text: str) -> Iterator[Line]:
    """Again and again while the condition holds, the newest last."""
    end = min(condition.end or router.moment, router.moment)
    step = timedelta(seconds=_REPEATS[condition.cause])
    moment = condition.start + timedelta(seconds=9)
    while moment < end:
        yield moment, text
        moment += step
