"""Maps: a graph as a table."""
