"""Fields of time: dates, clocks, lengths and ranges."""
