"""Real FRR routers in network namespaces: pe1 and pe2 behind p1, which reflects routes, and a customer's ce1.

IS-IS level 2 and LDP in the core, iBGP to p1 for IPv4 and VPNv4, eBGP between pe1 and ce1. Everything a router keeps is
in a folder of its own, and its namespace has a name that no other lab has.
"""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["ROUTERS", "Lab", "missing", "open_lab"]

ROUTERS = {"pe1": "10.0.0.1", "p1": "10.0.0.2", "pe2": "10.0.0.3", "ce1": "10.0.0.9"}
_DAEMONS = Path("/usr/lib/frr")
_WIRES = (
    (("pe1", "to-p1", "10.1.12.1/30"), ("p1", "to-pe1", "10.1.12.2/30")),
    (("p1", "to-pe2", "10.1.23.1/30"), ("pe2", "to-p1", "10.1.23.2/30")),
    (("pe1", "to-ce1", "10.2.1.1/30"), ("ce1", "to-pe1", "10.2.1.2/30")),
)
_CORE = {"pe1": ("to-p1",), "p1": ("to-pe1", "to-pe2"), "pe2": ("to-p1",)}
_HEAD = "hostname {name}\nlog file {folder}/frr.log informational\nlog timestamp precision 3\n"
_CIRCUIT = """interface {port}
 ip router isis CORE
 isis network point-to-point
 isis hello-interval 1
 isis hello-multiplier 5
"""
_SESSION = """ neighbor {peer} remote-as {asn}
 neighbor {peer} timers 3 15
 neighbor {peer} timers connect 2
"""


def missing() -> str:
    """Why no lab can be opened here; empty where one can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for command in ("ip", "vtysh"):
        if shutil.which(command) is None:
            return f"{command} is not installed"
    if not (_DAEMONS / "isisd").exists():
        return "FRR is not installed"
    probe = f"sbx-probe-{os.getpid()}"
    if _run("ip", "netns", "add", probe).returncode:
        return "network namespaces are not allowed on this machine"
    _run("ip", "netns", "del", probe)
    return ""


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)


class Lab:
    """Routers that run. Each is broken with `configure`, `ip`, `kill`, and mended the same way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.changes = 0
        """How often something was done to the routers: what they said before does not hold any more."""
        self._tag = f"sbx{os.getpid()}"

    def space(self, router: str) -> str:
        """The name of a router's namespace."""
        return f"{self._tag}-{router}"

    def up(self) -> None:
        """Wire the routers and start their daemons."""
        user = pwd.getpwnam("frr")
        for router, loopback in ROUTERS.items():
            _run("ip", "netns", "add", self.space(router))
            self.ip(router, "link set lo up")
            self.ip(router, f"addr add {loopback}/32 dev lo")
            home = self.folder / router
            home.mkdir(parents=True)
            os.chown(home, user.pw_uid, user.pw_gid)
        for (a, port, address), (b, far, there) in _WIRES:
            _run(*f"ip link add {port} netns {self.space(a)} type veth peer name {far} netns {self.space(b)}".split())
            for router, name, place in ((a, port, address), (b, far, there)):
                self.ip(router, f"addr add {place} dev {name}")
                self.ip(router, f"link set {name} up")
        for router in ROUTERS:
            for daemon, text in _configuration(router, self.folder / router).items():
                (self.folder / router / f"{daemon}.conf").write_text(text)
                self.start(router, daemon)

    def down(self) -> None:
        """Stop every daemon and remove the namespaces."""
        for path in self.folder.glob("*/*.pid"):
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(path.read_text()), signal.SIGKILL)
        for router in ROUTERS:
            _run("ip", "netns", "del", self.space(router))

    def start(self, router: str, daemon: str) -> None:
        """Start a daemon with the configuration it began with."""
        self.changes += 1
        home = self.folder / router
        places = f"-f {home}/{daemon}.conf -z {home}/zserv.api --vty_socket {home} -i {home}/{daemon}.pid -P 0"
        more = f" --ctl_socket {home}" if daemon == "ldpd" else ""
        _run("ip", "netns", "exec", self.space(router), f"{_DAEMONS}/{daemon}", "-d", *f"{places}{more}".split())

    def kill(self, router: str, daemon: str) -> None:
        """Kill a daemon as a crash would."""
        self.changes += 1
        os.kill(int((self.folder / router / f"{daemon}.pid").read_text()), signal.SIGKILL)

    def ip(self, router: str, command: str) -> None:
        """An `ip` command in the namespace of a router."""
        self.changes += 1
        _run("ip", "-n", self.space(router), *command.split())

    def configure(self, router: str, *lines: str) -> None:
        """Enter lines of configuration. Raises RuntimeError for one that the router refuses."""
        self.changes += 1
        said = self.vtysh(router, "configure terminal", *lines)
        if "%" in said or "nknown" in said:
            raise RuntimeError(f"{router}: {said}")

    def vtysh(self, router: str, *commands: str) -> str:
        """What the router prints."""
        typed = [part for command in commands for part in ("-c", command)]
        return _run("vtysh", "--vty_socket", str(self.folder / router), *typed).stdout

    def wait(self, is_so: Callable[[], bool], seconds: float = 30.0) -> None:
        """Wait until something is so. Raises TimeoutError where it does not come about."""
        until = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > until:
                raise TimeoutError("the routers do not get there")
            time.sleep(0.3)

    def settle(self) -> None:
        """Wait until everything is up; what does not come back by itself is started anew."""
        with suppress(TimeoutError):
            return self.wait(self.converged, 40)
        for path in self.folder.glob("*/*.pid"):
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(path.read_text()), signal.SIGKILL)
        for router in ROUTERS:
            for daemon in _configuration(router, self.folder / router):
                self.start(router, daemon)
        return self.wait(self.converged, 60)

    def is_quiet(self) -> bool:
        """Whether no session was reset while the routers started: of that a check would rightly tell."""
        told = [json.loads(self.vtysh(one, "show bgp neighbors json") or "{}") for one in ROUTERS]
        peers = [one for router in told for one in router.values() if isinstance(one, dict)]
        return all(int(one.get("connectionsEstablished") or 0) <= 1 for one in peers)

    def converged(self) -> bool:
        """Whether every session and adjacency of the core is up."""
        bgp = all(
            self.vtysh(one, "show bgp summary established json").count('"Established"') >= 2 for one in ("p1", "pe1")
        )
        isis = self.vtysh("p1", "show isis neighbor").count(" Up ") == 2
        return bgp and isis and self.vtysh("p1", "show mpls ldp neighbor").count("OPERATIONAL") == 2


_ATTEMPTS = 3


@contextmanager
def open_lab() -> Iterator[Lab]:
    """The lab, converged, until the block ends; begun anew where a session was reset during the start."""
    for attempt in range(_ATTEMPTS):
        folder = Path(tempfile.mkdtemp(prefix="sbx-lab-"))
        folder.chmod(0o755)  # FRR's own user has to get in, which pytest's folders do not let it.
        lab = Lab(folder)
        try:
            lab.up()
            lab.settle()
            if lab.is_quiet() or attempt == _ATTEMPTS - 1:
                yield lab
                return
        finally:
            lab.down()
            shutil.rmtree(folder, ignore_errors=True)


def _configuration(router: str, folder: Path) -> dict[str, str]:
    """The configuration of each daemon of a router."""
    head = _HEAD.format(name=router, folder=folder)
    found = {"zebra": head, "bgpd": head + _bgp(router)}
    if ports := _CORE.get(router):
        number = ROUTERS[router].rpartition(".")[2]
        isis = (
            f"router isis CORE\n is-type level-2-only\n net 49.0001.0000.0000.000{number}.00\n log-adjacency-changes\n"
        )
        isis += " lsp-gen-interval 1\n spf-interval 1\n"
        isis += "interface lo\n ip router isis CORE\n isis passive\n"
        found["isisd"] = head + isis + "".join(_CIRCUIT.format(port=port) for port in ports)
        labels = "".join(f"  interface {port}\n" for port in ports)
        place = f"discovery transport-address {ROUTERS[router]}"
        found["ldpd"] = f"{head}mpls ldp\n router-id {ROUTERS[router]}\n address-family ipv4\n  {place}\n{labels}"
    return found


def _bgp(router: str) -> str:
    asn = 65100 if router == "ce1" else 65000
    head = (
        f"router bgp {asn}\n bgp router-id {ROUTERS[router]}\n bgp log-neighbor-changes\n no bgp ebgp-requires-policy\n"
    )
    head += " no bgp default ipv4-unicast\n no bgp network import-check\n"
    if router == "ce1":
        return (
            head
            + _SESSION.format(peer="10.2.1.1", asn=65000)
            + _family("ipv4 unicast", "10.2.1.1", network="10.9.0.0/24")
        )
    inside = ["10.0.0.1", "10.0.0.3"] if router == "p1" else ["10.0.0.2"]
    for peer in inside:
        head += _SESSION.format(peer=peer, asn=65000) + f" neighbor {peer} update-source lo\n"
    outside = ["10.2.1.2"] if router == "pe1" else []
    for peer in outside:
        head += _SESSION.format(peer=peer, asn=65100)
    way = "route-reflector-client" if router == "p1" else "next-hop-self"
    network = "10.8.0.0/24" if router == "pe2" else ""
    return (
        head
        + _family("ipv4 unicast", *inside, *outside, way=way, ways=inside, network=network)
        + _family("ipv4 vpn", *inside, way=way if router == "p1" else "", ways=inside)
    )


def _family(name: str, *peers: str, way: str = "", ways: list[str] | None = None, network: str = "") -> str:
    lines = [f"  neighbor {peer} activate" for peer in peers]
    lines += [f"  neighbor {peer} {way}" for peer in (ways or []) if way]
    lines += [f"  network {network}"] if network else []
    return "\n".join([f" address-family {name}", *lines, " exit-address-family", ""])
