"""Which thing depends on which, as the labels of series tell: services, their instances, hosts, and clients."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from signalbox.agents.metrics.clients import current_client
from signalbox.agents.metrics.compile import Query
from signalbox.agents.metrics.live import open_live
from signalbox.agents.metrics.run import ask
from signalbox.contract import Relation
from signalbox.settings import now

__all__ = ["alternatives", "relate", "relations_of"]

_NAMED = re.compile(
    r"^up$|_info$|^(?!.*_bucket$)(?:.*(?:request|client|call|rpc|dependency|upstream|service_graph|logins|payments).*"
    r"(?:_total|_count))$|oper_?status$|bgp_\w*(?:state|up|established)$|lldp"
)
_SERVICE = ("service", "service_name", "app", "app_kubernetes_io_name", "application")
_CLIENT = ("client", "source_workload", "source_service", "client_service")
_SERVER = (
    "server", "destination_workload", "destination_service_name", "destination_service", "peer_service", "upstream",
    "target_service", "remote_service", "dependency", "db_instance", "peer_name", "server_address",
)  # fmt: skip
_HOST = ("node", "nodename", "host", "hostname", "kubernetes_node", "host_ip")
_SWITCH = ("switch", "router", "gateway", "neighbor_system", "lldp_neighbor", "system_name", "chassis_name", "neighbor")
_PEER = ("peer", "neighbor", "peer_device")
_LABELS = dict.fromkeys(
    (
        "__name__",
        "job",
        "instance",
        "pod",
        "pod_ip",
        "device",
        "interface",
        *_SERVICE,
        *_CLIENT,
        *_SERVER,
        *_HOST,
        *_SWITCH,
        *_PEER,
    )
)
_MOST_NAMES = 60


async def relate(start: datetime, end: datetime) -> list[Relation]:
    """Return what the labels of the series say at the end of the range. Raises what the client raises."""
    client = await asyncio.to_thread(current_client)
    live = await open_live(client, now())
    names = [name for name in sorted(live.names, key=_rank) if _NAMED.search(name)][:_MOST_NAMES]
    if not names:
        return []
    counted = f'count by ({", ".join(_LABELS)}) ({{__name__=~"{alternatives(names)}"}})'
    curves = (await ask(Query(counted, at=end), live)).curves
    return await asyncio.to_thread(
        lambda: [*dict.fromkeys(one for curve in curves for one in relations_of(curve.labels))]
    )


def alternatives(names: Iterable[str]) -> str:
    """A regular expression for these names, as it stands in a string of PromQL."""
    return "|".join(map(re.escape, names)).replace("\\", "\\\\")


def _rank(name: str) -> tuple[bool, str]:
    return not (name == "up" or name.endswith("_info")), name


def relations_of(labels: Mapping[str, str]) -> Iterator[Relation]:
    """What one series says by its labels."""
    name = labels.get("__name__", "a series")
    evidence = f"labels of {name}"
    service, pod = _first(labels, _SERVICE), labels.get("pod", "")
    own = _machine(labels.get("instance", ""))
    device = labels.get("device", "")
    is_router = bool(device) and (device == own or bool(_first(labels, _PEER) and "interface" in labels))
    is_exporter = bool(pod) and "kube" in (name + labels.get("job", ""))
    thing = pod or own
    if is_router:
        peer = _first(labels, _PEER)
        if peer and "interface" in labels:
            yield Relation(f"machine:{device}", f"machine:{peer}", evidence, is_wire=True)
        elif peer:
            for end in (device, peer):
                yield Relation(f"session:{'–'.join(sorted((device, peer)))}", f"machine:{end}", evidence)
        return
    if own and not is_exporter:
        yield Relation(f"machine:{own}", evidence="scraped by the metrics system")
    if service and thing:
        yield Relation(f"service:{service}", f"machine:{thing}", evidence)
    if pod and own and not is_exporter and pod != own:
        yield Relation(f"machine:{pod}", f"machine:{own}", evidence, is_same=True)
    if pod and labels.get("pod_ip"):
        yield Relation(f"machine:{pod}", f"machine:{labels['pod_ip']}", evidence, is_same=True)
    hosts = [labels[one] for one in _HOST if labels.get(one)]
    for host in hosts:
        if pod:
            yield Relation(f"machine:{pod}", f"machine:{host}", evidence)
        elif own and host != own:
            is_own = "nodename" in labels
            yield Relation(f"machine:{host}" if is_own else f"machine:{own}", f"machine:{own if is_own else host}",
                           evidence, is_same=is_own)  # fmt: skip
    client, server = _first(labels, _CLIENT) or service, _first(labels, _SERVER)
    if client and server and client != server:
        yield Relation(f"service:{client}", f"name:{_machine(server)}", f"client metric {name}")
    switch = _first(labels, _SWITCH)
    if switch and not service and own and switch != own:
        yield Relation(f"machine:{own}", f"machine:{switch}", evidence)


def _first(labels: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return next((labels[one] for one in keys if labels.get(one)), "")


def _machine(instance: str) -> str:
    """The name or address without its scheme and port."""
    plain = re.sub(r"^\w+://", "", instance).partition("/")[0]
    return plain if plain.count(":") > 1 else plain.partition(":")[0]
