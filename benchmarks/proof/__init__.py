"""A brewery in a real Prometheus, with what goes wrong in life, and the questions whose answers are known."""
