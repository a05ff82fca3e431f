"""How fast Signalbox is beside the same work in other packages: `python -m benchmarks [name …]`."""
