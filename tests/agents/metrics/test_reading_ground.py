"""Step two of the contract on the shop: metrics, labels and values as the live server has them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from signalbox.agents.metrics import GrafanaMetricsClient
from signalbox.agents.metrics.errors import InvalidQueryError, MetricNotFoundError, ParsingError
from signalbox.agents.metrics.question import Matcher, Question
from signalbox.agents.metrics.reading import ground_question, parse_question

from .conftest import OPENED


@pytest.fixture
async def client(shop: str) -> AsyncIterator[GrafanaMetricsClient]:
    async with GrafanaMetricsClient(shop, clock=lambda: OPENED) as made:
        yield made


async def ground(text: str, client: GrafanaMetricsClient, *before: str) -> Question:
    previous = None
    for said in before:
        previous = await parse_question(said, now=OPENED, zone="UTC", previous=previous)
    return await ground_question(await parse_question(text, now=OPENED, zone="UTC", previous=previous), client)


def conditions(matchers: tuple[Matcher, ...]) -> set[str]:
    return {f"{one.label}{'!=' if one.negated else '='}{'|'.join(one.values)}" for one in matchers}


@pytest.mark.parametrize(
    ("text", "metric", "unit"),
    [
        ("CPU usage", "node_cpu_seconds_total", "ratio"),
        ("CPU of the payment service", "process_cpu_seconds_total", "cores"),
        ("cpu of xrd-3", "device_cpu_utilization_ratio", "ratio"),
        ("memory usage of web-1", "node_memory_MemAvailable_bytes", "ratio"),
        ("how full is the disk on db-1", "node_filesystem_avail_bytes", "ratio"),
        ("network throughput", "node_network_receive_bytes_total", "bytes/s"),
        ("request rate", "http_requests_total", "requests/s"),
        ("error rate", "http_requests_total", "ratio"),
        ("latency of checkout", "http_request_duration_seconds_bucket", "seconds"),
        ("uptime of web-3", "node_boot_time_seconds", "seconds"),
        ("restarts per pod", "kube_pod_container_status_restarts_total", "restarts"),
        ("cache hit ratio", "redis_keyspace_hits_total", "ratio"),
        ("interface errors on core-rtr-2", "interface_in_errors_total", "errors/s"),
    ],
)
async def test_a_concept_is_computed_from_the_metrics_that_the_question_can_mean_here(
    client: GrafanaMetricsClient, text: str, metric: str, unit: str
) -> None:
    question = await ground(text, client)
    assert (question.measure.name, question.measure.unit) == (metric, unit)


@pytest.mark.parametrize(
    ("text", "metric", "kind"),
    [
        ("orders_total by channel", "orders_total", "counter"),
        ("order_total by channel", "orders_total", "counter"),
        ("payment provider latency", "payment_provider_latency_seconds_bucket", "histogram"),
        ("active sessions", "users_active_sessions", "gauge"),
        ("average order value", "order_value_euros_sum", "summary"),
        ("goroutins of users-1", "go_goroutines", "gauge"),
        ("evicted keys", "redis_evicted_keys_total", "counter"),
        ("orders waiting to be fulfilled", "orders_queue_depth", "gauge"),
    ],
)
async def test_a_metric_is_found_by_its_name_a_near_name_its_words_or_its_help(
    client: GrafanaMetricsClient, text: str, metric: str, kind: str
) -> None:
    measure = (await ground(text, client)).measure
    assert (measure.name, measure.type) == (metric, kind)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpu on web-1", {"instance=web-1:9100"}),
        ("cpu on WEB1", {"instance=web-1:9100"}),
        ("cpu on web 1 and db-1", {"instance=web-1:9100|db-1:9100"}),
        ("cpu of the web servers", {"instance=web-1:9100|web-2:9100|web-3:9100"}),
        ("request rate for the payment service", {"service=payment"}),
        ("request rate of paymnet", {"service=payment"}),
        ("requests with status 500", {"status=500"}),
        ("5xx responses of checkout", {"status=500|503", "service=checkout"}),
        ("latency without the gateway", {"service!=gateway"}),
        ("request rate excluding gateway and users", {"service!=gateway|users"}),
        ("GET requests to /products", {"method=GET", "route=/products"}),
        ("get me the requests", set()),
        ('http_requests_total{service="orders"}', {"service=orders"}),
        ("failed logins", {"result=failure"}),
        ("iowait on db-1", {"mode=iowait", "instance=db-1:9100"}),
    ],
)
async def test_words_become_conditions_by_the_values_that_the_labels_have(
    client: GrafanaMetricsClient, text: str, expected: set[str]
) -> None:
    assert conditions((await ground(text, client)).matchers) == expected


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("cpu usage by instance", ("instance",)),
        ("request rate per service", ("service",)),
        ("memory of each host", ("instance",)),
        ("requests by method and status", ("method", "status")),
        ("requests per second", ()),
        ("the five busiest hosts", ("instance",)),
        ("top 3 services by error rate", ("service",)),
        ("which route is slowest?", ("route",)),
        ("top 5 hosts by disk usage", ("instance",)),
        ("latency of the payment service", ()),
        ("cpu by mode", ("mode",)),
    ],
)
async def test_words_become_groups_by_the_labels_there_are(
    client: GrafanaMetricsClient, text: str, labels: tuple[str, ...]
) -> None:
    assert (await ground(text, client)).group_by == labels


async def test_an_unknown_metric_is_answered_with_the_nearest_names(client: GrafanaMetricsClient) -> None:
    with pytest.raises(MetricNotFoundError, match="gpu") as caught:
        await ground("gpu temperature", client)
    assert "node_cpu_seconds_total" in caught.value.suggestion


@pytest.mark.parametrize(
    ("text", "label", "value", "there"),
    [
        ("cpu on web-9", "instance", "web-9", "web-1:9100"),
        ("error rate of the billing service", "service", "billing", "payment"),
        ("requests with status 418", "status", "418", "404"),
        ('http_requests_total{service="billing"}', "service", "billing", "payment"),
    ],
)
async def test_an_absent_label_value_is_answered_with_the_values_there_are(
    client: GrafanaMetricsClient, text: str, label: str, value: str, there: str
) -> None:
    with pytest.raises(InvalidQueryError, match=label) as caught:
        await ground(text, client)
    assert value in caught.value.user_message
    assert there in caught.value.suggestion


async def test_an_absent_label_is_answered_with_the_labels_there_are(client: GrafanaMetricsClient) -> None:
    with pytest.raises(InvalidQueryError, match="no label colour") as caught:
        await ground('http_requests_total{colour="red"}', client)
    assert "service" in caught.value.suggestion


async def test_a_greeting_is_not_understood(client: GrafanaMetricsClient) -> None:
    with pytest.raises(ParsingError):
        await ground("hello", client)


async def test_a_share_has_its_part_apart_from_the_whole(client: GrafanaMetricsClient) -> None:
    question = await ground("what share of the payments were declined today?", client)
    assert (question.kind, conditions(question.part), question.matchers) == ("share", {"result=declined"}, ())
    question = await ground("what percentage of requests to checkout return 500", client)
    assert (conditions(question.part), conditions(question.matchers)) == ({"status=500"}, {"service=checkout"})


async def test_a_share_of_failures_is_a_ratio_by_itself(client: GrafanaMetricsClient) -> None:
    question = await ground("what share of requests fail?", client)
    assert (question.kind, question.measure.type, question.part) == ("share", "ratio", ())


async def test_two_values_are_compared_in_the_order_said(client: GrafanaMetricsClient) -> None:
    question = await ground("compare the CPU of web-2 and web-1", client)
    assert conditions(question.matchers) == {"instance=web-2:9100"}
    assert conditions(question.compared().matchers) == {"instance=web-1:9100"}


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("network in vs out on web-1", "node_network_receive_bytes_total", "node_network_transmit_bytes_total"),
        (
            "compare bytes read with bytes written on db-1",
            "node_disk_read_bytes_total",
            "node_disk_written_bytes_total",
        ),
    ],
)
async def test_two_measures_are_compared_in_the_order_said(
    client: GrafanaMetricsClient, text: str, first: str, second: str
) -> None:
    question = await ground(text, client)
    assert (question.measure.name, question.compared().measure.name) == (first, second)
    assert question.matchers == question.compared().matchers != ()


async def test_a_counter_adds_up_where_a_number_is_asked_for(client: GrafanaMetricsClient) -> None:
    counted = await ground("how many orders did we take since midnight?", client)
    assert counted.is_total
    assert "increase(" in counted.measure.total
    assert not (await ground("order rate today", client)).is_total


async def test_an_average_of_a_histogram_is_its_sum_by_its_count(client: GrafanaMetricsClient) -> None:
    measure = (await ground("average latency of checkout", client)).measure
    assert set(measure.metrics) == {"http_request_duration_seconds_sum", "http_request_duration_seconds_count"}


async def test_a_follow_up_keeps_what_it_does_not_say(client: GrafanaMetricsClient) -> None:
    memory = await ground("and for memory?", client, "CPU usage on web-1")
    assert memory.measure.name.startswith("node_memory")
    assert conditions(memory.matchers) == {"instance=web-1:9100"}
    other = await ground("what about web-2?", client, "CPU usage on web-1", "and for memory?")
    assert other.measure.name == memory.measure.name
    assert conditions(other.matchers) == {"instance=web-2:9100"}
    split = await ground("by instance", client, "CPU usage on web-1")
    assert (split.group_by, split.matchers) == (("instance",), ())
    drawn = await ground("compared with yesterday", client, "p99 latency of checkout today")
    assert (drawn.kind, drawn.quantile, conditions(drawn.matchers)) == ("comparison", 0.99, {"service=checkout"})


async def test_what_is_written_in_a_question_never_ends_a_matcher(client: GrafanaMetricsClient) -> None:
    with pytest.raises(InvalidQueryError):
        await ground('http_requests_total{service="x\\"} or vector(1) #"}', client)


async def test_a_question_in_another_language_is_grounded_by_the_words_of_the_model(
    client: GrafanaMetricsClient,
) -> None:
    asked = await parse_question("Prozessorauslastung pro Rechner", now=OPENED, zone="UTC")
    asked = asked.model_copy(update={"subject": "CPU usage", "group_by": ["host"], "filters": []})
    question = await ground_question(asked, client)
    assert (question.measure.name, question.group_by) == ("node_cpu_seconds_total", ("instance",))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("uptime of web-2", "value"),
        ("goroutines of users-1, number of them, past 4 hours", "series"),
        ("how busy was web-2 this morning", "series"),
        ("share of time that the disk of db-1 was busy: plot the last 2 hours", "series"),
        ("restarts of each pod since Monday", "value"),
    ],
)
async def test_what_the_words_leave_open_is_answered_in_the_form_that_suits_the_measure(
    client: GrafanaMetricsClient, text: str, kind: str
) -> None:
    assert (await ground(text, client)).kind == kind


@pytest.mark.parametrize(
    ("text", "adds_up"),
    [
        ("which service had the fewest errors yesterday", True),
        ("were there more payments yesterday than on the day before?", True),
        ("which service has the most errors right now", False),
        ("services by request rate, yesterday", False),
        ("hosts with the most traffic yesterday", False),
    ],
)
async def test_events_of_a_past_range_are_ranked_and_compared_by_their_number(
    client: GrafanaMetricsClient, text: str, adds_up: bool
) -> None:
    assert (await ground(text, client)).is_total is adds_up


async def test_several_hosts_that_are_named_have_a_curve_each_unless_they_are_put_together(
    client: GrafanaMetricsClient,
) -> None:
    assert (await ground("load of web-2, web-3 and db-1 today", client)).group_by == ("instance",)
    assert (await ground("average load of web-2 and web-3 today", client)).group_by == ()
    assert (await ground("memory of web-2 and web-3 together, today", client)).group_by == ()


async def test_codes_that_are_named_become_the_failures_of_a_share_rather_than_its_whole(
    client: GrafanaMetricsClient,
) -> None:
    question = await ground("which fraction of requests to checkout failed with 503 today", client)
    assert question.measure.type == "ratio"
    assert conditions(question.matchers) == {"service=checkout"}
    assert question.measure.promql.count("503") == 1


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("disk read throughput of db-1", ("node_disk_read_bytes_total",)),
        ("bytes written to disk on db-1", ("node_disk_written_bytes_total",)),
        ("outbound network traffic of web-1", ("node_network_transmit_bytes_total",)),
        ("network in on web-1", ("node_network_receive_bytes_total",)),
        ("traffic in and out of web-1", ("node_network_receive_bytes_total", "node_network_transmit_bytes_total")),
    ],
)
async def test_a_direction_chooses_what_is_read_or_written_received_or_sent(
    client: GrafanaMetricsClient, text: str, metrics: tuple[str, ...]
) -> None:
    assert (await ground(text, client)).measure.metrics == metrics


async def test_a_rate_is_given_by_the_time_that_is_asked_for(client: GrafanaMetricsClient) -> None:
    question = await ground("logins per minute over the last 3 hours", client)
    assert question.measure.promql.endswith("* 60")
    assert question.measure.unit.endswith("/min")


async def test_what_how_hot_asks_for_is_never_taken_for_another_measure(client: GrafanaMetricsClient) -> None:
    with pytest.raises(MetricNotFoundError):
        await ground("how hot is db-1", client)


async def test_a_question_about_no_measure_at_all_is_not_understood(client: GrafanaMetricsClient) -> None:
    with pytest.raises(ParsingError):
        await ground("Who painted the ceiling of that chapel?", client)


@pytest.mark.parametrize(
    ("text", "metric", "groups"),
    [
        ("request rate of the gateway compared with yesterday", "http_requests_total", ()),
        ("when was checkout latency highest yesterday", "http_request_duration_seconds_bucket", ()),
        ("memory usage on db-1", "node_memory_MemAvailable_bytes", ()),
    ],
)
async def test_a_whole_question_takes_nothing_over_from_the_one_before(
    client: GrafanaMetricsClient, text: str, metric: str, groups: tuple[str, ...]
) -> None:
    question = await ground(text, client, "CPU usage of web-1 by instance in the last 6 hours")
    assert metric in question.measure.metrics
    assert question.group_by == groups
    assert question == await ground(text, client)


async def test_a_name_alone_follows_up_and_an_unknown_thing_does_not(client: GrafanaMetricsClient) -> None:
    question = await ground("web-2?", client, "CPU usage of web-1 in the last 6 hours")
    assert question.measure.name == "node_cpu_seconds_total"
    assert [one.values for one in question.matchers] == [("web-2:9100",)]
    with pytest.raises((MetricNotFoundError, ParsingError)):
        await ground("the flux capacitor", client, "CPU usage of web-1 in the last 6 hours")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("show cpu for service nosuchservice", "nosuchservice"),
        ("cpu usage on nosuchhost", "nosuchhost"),
        ("request rate by nosuchlabel", "nosuchlabel"),
        ("which zorbl has the most requests", "zorbl"),
    ],
)
async def test_a_name_that_nothing_explains_is_refused_rather_than_left_out(
    client: GrafanaMetricsClient, text: str, named: str
) -> None:
    with pytest.raises(InvalidQueryError, match=named) as caught:
        await ground(text, client)
    assert caught.value.suggestion


async def test_two_quantiles_are_compared_with_each_other(client: GrafanaMetricsClient) -> None:
    question = await ground("p50 latency of checkout vs p99 today", client)
    assert question.kind == "comparison"
    assert (question.quantile, question.compared().quantile) == (0.5, 0.99)


async def test_services_are_ranked_by_the_share_of_a_code(client: GrafanaMetricsClient) -> None:
    question = await ground("which service had the highest share of 5xx today?", client)
    assert (question.kind, question.group_by, question.measure.type) == ("ranking", ("service",), "ratio")


async def test_a_verb_after_a_name_is_no_value_of_a_label(client: GrafanaMetricsClient) -> None:
    question = await ground("how many 5xx responses did checkout return yesterday?", client)
    assert question.is_total
    assert "service=checkout" in conditions(question.matchers)


async def test_a_temperature_that_nothing_measures_is_not_answered_with_usage(client: GrafanaMetricsClient) -> None:
    with pytest.raises((MetricNotFoundError, InvalidQueryError)):
        await ground("cpu temperature of web-1", client)


async def test_the_root_filesystem_is_the_one_mounted_there(client: GrafanaMetricsClient) -> None:
    question = await ground("root filesystem usage of web-1", client)
    assert "mountpoint=/" in conditions(question.matchers)
