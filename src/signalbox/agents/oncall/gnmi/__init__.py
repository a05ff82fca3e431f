"""Network devices over gNMI: an inventory, a client that reads and never writes, and parsers of OpenConfig's models."""
