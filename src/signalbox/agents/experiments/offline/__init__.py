"""What only a model that fills in plans needs to read a request. `reader.py` alone imports it.

- `filling`: one schema filled by the model, which `teaching` teaches.
- `kind`: which capability a request needs.
- `requests`: the fields of a request, by its capability; with `references`, `values`, `filters`, `several`.
- `replies`, `answers`, `draft_edits`: what is said to a question.
- `uncovered`: what a request says and its write does not do.
"""
