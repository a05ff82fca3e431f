"""What the shop sells: payments, orders, sessions, and a batch job that was switched off six days ago."""

from __future__ import annotations

from signalbox.worlds.metrics.series import Target
from signalbox.worlds.metrics.shop.catalogue import Catalogue, Described
from signalbox.worlds.metrics.shop.services import births_of, instances, target_of
from signalbox.worlds.shapes import Counter, Flow, Level

__all__ = ["add_to"]

_PROVIDER_BOUNDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
_MEAN_ORDER_EUROS = 47.3

_DESCRIBED: Described = {
    "payments_total": ("counter", "Payments attempted, by result."),
    "payment_provider_latency_seconds": ("histogram", "How long the payment provider took to answer."),
    "orders_total": ("counter", "Orders placed, by channel."),
    "order_value_euros": ("summary", "The value of orders in euros."),
    "orders_queue_depth": ("gauge", "Orders waiting to be fulfilled."),
    "users_active_sessions": ("gauge", "Sessions active in the last 15 minutes."),
    "users_logins_total": ("counter", "Attempts to log in, by result."),
    "legacy_batch_duration_seconds": ("gauge", "How long the last run of the nightly batch took."),
}


def add_to(catalogue: Catalogue) -> None:
    """Enter the business metrics of the instances that expose them."""
    catalogue.describe(_DESCRIBED)
    enter = {"payment": _add_payments, "orders": _add_orders, "users": _add_users}
    for service, pod in instances():
        if service.name in enter:
            enter[service.name](pod, target_of(pod, catalogue), births_of(pod, catalogue), catalogue)
    _add_batch(catalogue)


def _add_payments(pod: str, target: Target, births: tuple[float, ...], catalogue: Catalogue) -> None:
    hurt = catalogue.hurt
    flows = {
        "accepted": Flow(f"{pod}/accepted", 1.42, day=0.42, pulses=((hurt, -0.45),)),
        "declined": Flow(f"{pod}/declined", 0.06, day=0.42),
        "error": Flow(f"{pod}/error", 0.004, day=0.42, pulses=((hurt, 110.0),)),
    }
    for result, flow in flows.items():
        catalogue.add("payments_total", Counter(((flow, 1.0),), births), target, service="payment", result=result)
    parts = (
        (flows["accepted"], 0.14, 0.45),
        (flows["declined"], 0.11, 0.4),
        (flows["error"], 3.0, 0.4),
    )
    name = "payment_provider_latency_seconds"
    catalogue.add_histogram(name, parts, _PROVIDER_BOUNDS, births, target, service="payment")


def _add_orders(pod: str, target: Target, births: tuple[float, ...], catalogue: Catalogue) -> None:
    hurt = catalogue.hurt
    flows = [
        (channel, Flow(f"{pod}/orders/{channel}", rate, day=0.42, pulses=((hurt, -0.45),)))
        for channel, rate in (("web", 0.9), ("app", 0.45))
    ]
    for channel, flow in flows:
        counter = Counter(((flow, 1.0),), births)
        catalogue.add("orders_total", counter, target, service="orders", channel=channel)
    value = Counter(tuple((flow, _MEAN_ORDER_EUROS) for _, flow in flows), births, per_unit=100)
    catalogue.add("order_value_euros_sum", value, target, service="orders")
    count = Counter(tuple((flow, 1.0) for _, flow in flows), births)
    catalogue.add("order_value_euros_count", count, target, service="orders")
    depth = Level(f"{pod}/queue", 14.0, day=0.35, wander=0.3, noise=0.2, pulses=((hurt, 7.0),), quantum=1.0)
    catalogue.add("orders_queue_depth", depth, target, service="orders")


def _add_users(pod: str, target: Target, births: tuple[float, ...], catalogue: Catalogue) -> None:
    sessions = Level(f"{pod}/sessions", 640.0, day=0.5, peak=19.5, week=0.1, wander=0.05, noise=0.02, quantum=1.0)
    catalogue.add("users_active_sessions", sessions, target, service="users")
    for result, rate in (("success", 0.93), ("failure", 0.07)):
        counter = Counter(((Flow(f"{pod}/login/{result}", rate), 1.0),), births)
        catalogue.add("users_logins_total", counter, target, service="users", result=result)


def _add_batch(catalogue: Catalogue) -> None:
    target = Target("batch", "batch-1:9102", ends=int(catalogue.moment(6 - 5.5 / 24).timestamp() * 1000))
    shape = Level("batch", 312.0, wander=0.2, noise=0.0, quantum=0.1)
    catalogue.add("legacy_batch_duration_seconds", shape, target)
