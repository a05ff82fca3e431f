"""Signalbox: plain-language requests, answered with checked work on live systems."""

__version__ = "0.1.0"
__all__ = ["__version__"]
