"""The agents: one room for each, all with one layout; each knows an address, never what answers there."""
