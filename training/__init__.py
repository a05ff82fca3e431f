"""Learns the weights by which the offline model decides free texts, from the question sets in this folder."""
