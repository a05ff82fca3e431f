"""What was shown before, and how a request speaks of it.

`records` reads a result as things with fields. `passages` finds the words that may point at some of them, `picking`
tells which (by words in `mentioning`, rank in `comparing`, time in `timing`), and `references` gives the outcome.
`givens` says what a thing gives to a parameter, `scene` holds all that was shown while a tool is chosen, and
`answering` answers a question from it without a call.
"""
