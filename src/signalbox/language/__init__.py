"""The meaning of words without any model. Each table exists once, here.

- `time`: ranges, moments and lengths of time in plain words (`parse_range`).
- `today`: the date and the zone, as prompts say them.
- `numbers`: number words.
- `units`: units of measure: names, symbols and factors.
- `references`: words that refer to things: places, pronouns, all, except.
- `names`: the known names closest to a mistyped one.
- `shortlist`: the things, out of very many, that a text names or resembles.
- `words`: splitting text and identifiers into words, and cutting off endings.
- `switches`: layers that an evaluation can switch off.
- `vectors`: what a word means, as a row of numbers. The only module here that imports numpy.
"""

from __future__ import annotations
