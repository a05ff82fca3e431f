"""Fields with known values: options, booleans, candidates, codes; and which of two mirrored fields is meant."""
