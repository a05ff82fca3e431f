"""Embedded back ends that speak the real protocols, for people with nothing installed and for tests."""
