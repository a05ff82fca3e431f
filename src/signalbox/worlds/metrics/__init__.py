"""Grafana and Prometheus over an embedded store: a small shop with 14 days of history and one incident."""
