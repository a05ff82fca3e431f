"""What only a model that fills in plans needs to read a request. `reader.py` alone imports it.

- `filling`: one schema filled by the model, which `teaching` teaches.
- `kind`: which capability a request needs, with `actions`.
- `requests`: the fields of a request, by its capability; with `references`, `values`, `draft_fields`,
  `filters`, `live`.
- `replies`, `answers`: what is said to a question.
- `uncovered`: what a request says and its write does not do.
- `names`, `groups`, `weights`: words as names, groups and shares.

`LAYERS` can be switched off one by one, so that `signalbox eval --ablate experiments` can tell what each is worth.
"""

from __future__ import annotations

__all__ = ["LAYERS"]

LAYERS = ("features", "places", "runs")
