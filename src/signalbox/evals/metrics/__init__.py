"""Questions about metrics, scored by execution: the figures of an answer against those of a reference query."""
